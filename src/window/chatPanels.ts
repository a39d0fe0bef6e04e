// All chat panels of the window: the view in Parley's container, and editor tabs.
import * as vscode from "vscode";
import { visibleText } from "../base/visibleText.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import { chatEditorType, type ChatSurface, type ShownSurface } from "../panel/chatSurface.ts";
import type { SharedView } from "../panel/patch.ts";
import type { RecentEntries } from "../panel/projection/recentEntries.ts";
import type { FocusTarget, PanelMessage } from "../panel/protocol.ts";
import type { PanelAction, ReplyTarget } from "../panel/replyTarget.ts";
import type { TabState } from "../library/vscode/sessionTexts.ts";
import { chatViewSurface } from "../library/openSessions.ts";
import { setStatusBarMessage } from "../editor/editorUi.ts";
import { createWebviewPanel, setTabTitle } from "../editor/editorItems.ts";
import { ChatPanel, type ChatPanelOptions, type WebviewHolder } from "./chatPanel.ts";

export interface ChatPanelsOptions extends Pick<ChatPanelOptions, "pages" | "log" | "clock"> {
  readonly extensionUri: vscode.Uri;
}

/** What each surface shows. */
export interface ChatContent {
  readonly view: (surface: string) => SharedView;
  /** The newest entries of the view, if it is long. */
  readonly recentEntries: (surface: string) => RecentEntries | undefined;
  /** The title of the session, or an empty text. */
  readonly title: (surface: string) => string;
}

/** Longer titles are cut in the tabs of editors. Characters. */
const maxTabTitle = 40;

/** The chat's panels. Each shows a session of its own. */
export class ChatPanels implements ChatSurface, vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, Disposable {
  static readonly viewId = "parley.chat";
  readonly #options: ChatPanelsOptions;
  readonly #sent = new Emitter<void>();
  readonly #shown = new Emitter<ShownSurface>();
  readonly #activated = new Emitter<string>();
  readonly #closed = new Emitter<string>();
  readonly #intents = new Emitter<{ readonly intent: PanelAction; readonly replyTarget: ReplyTarget }>();
  /** Fires when a panel is sent an update. */
  readonly onDidSend: Event<void> = this.#sent.event;
  /** Fires when a panel was opened or shown. */
  readonly onDidShow: Event<ShownSurface> = this.#shown.event;
  /** Fires with the surface that the user works with. */
  readonly onDidActivate: Event<string> = this.#activated.event;
  /** Fires with the surface of an editor tab that was closed. */
  readonly onDidClose: Event<string> = this.#closed.event;
  /** Fires when a panel sends an intent that concerns more than its own channel. */
  readonly onDidReceiveIntent = this.#intents.event;
  #content: ChatContent | undefined;
  #stateOf: (surface: string) => TabState | undefined = () => undefined;
  readonly #icons = new Map<ChatPanel, string>();
  #editorCount = 0;
  readonly #panels = new Set<ChatPanel>();
  readonly #editors = new Map<ChatPanel, vscode.WebviewPanel>();
  #view: ChatPanel | undefined;
  /** Messages of commands for a view that VS Code has not created yet. */
  #pendingMessages: PanelMessage[] = [];

  constructor(options: ChatPanelsOptions) {
    this.#options = options;
  }

  /** Shows this content, and the state of each session on its tab. Before this call there are no panels. */
  show(content: ChatContent, stateOf: (surface: string) => TabState | undefined): void {
    this.#content = content;
    this.#stateOf = stateOf;
  }

  /** The surfaces of the visible panels. */
  get visibleSurfaces(): readonly string[] {
    return [...this.#panels].filter(panel => panel.visible).map(panel => panel.surface);
  }

  /** Whether a visible panel has something left to paint. */
  get isBehind(): boolean {
    return [...this.#panels].some(panel => panel.isBehind);
  }

  /** Whether a visible panel is painting an update. */
  get isPainting(): boolean {
    return [...this.#panels].some(panel => panel.isPainting);
  }

  /** Call this when the state that these panels show has changed. Without surfaces: all panels. */
  changed(surfaces?: readonly string[]): void {
    for (const panel of this.#panels) {
      if (surfaces && !surfaces.includes(panel.surface)) continue;
      panel.changed();
      const tab = this.#editors.get(panel);
      if (tab) this.#label(panel, tab);
    }
  }

  /** Whether a visible panel shows one of these surfaces. */
  isVisible(surfaces: readonly string[]): boolean {
    return [...this.#panels].some(panel => panel.visible && surfaces.includes(panel.surface));
  }

  /** Posts the message to every visible panel. */
  broadcast(message: PanelMessage): void {
    for (const panel of this.#panels) if (panel.visible) panel.reply(message);
  }

  /** Shows the text in the status bar for a moment, and has screen readers read it. */
  announce(text: string): void {
    setStatusBarMessage(text);
    this.broadcast({ type: "say", text });
  }

  /**
   * Shows the chat and posts the message there, for commands that the user ran. Uses the view, or a visible editor
   * tab if the view is hidden. `surfaces`: one of these instead.
   */
  async reveal(message: PanelMessage, surfaces?: readonly string[]): Promise<void> {
    const editor = surfaces
      ? [...this.#editors].find(([panel]) => surfaces.includes(panel.surface))
      : this.#view?.visible
        ? undefined
        : [...this.#editors].find(([panel]) => panel.visible);
    if (editor) {
      const [panel, tab] = editor;
      tab.reveal(tab.viewColumn, false);
      this.#activated.fire(panel.surface);
      panel.reply(message);
      return;
    }
    this.#activated.fire(chatViewSurface);
    this.#pendingMessages.push(message);
    await vscode.commands.executeCommand(`${ChatPanels.viewId}.focus`);
    this.#postPending();
  }

  /** Shows the chat and moves the focus there. */
  focus(target: FocusTarget, surfaces: readonly string[] = []): Promise<void> {
    return this.reveal({ type: "focus", target }, surfaces.length > 0 ? surfaces : undefined);
  }

  /** Shows one of these surfaces. The focus stays where it is. */
  async showSurface(surfaces: readonly string[]): Promise<void> {
    const editor = [...this.#editors].find(([panel]) => surfaces.includes(panel.surface));
    if (editor) {
      const [panel, tab] = editor;
      tab.reveal(tab.viewColumn, true);
      this.#activated.fire(panel.surface);
      return;
    }
    this.#activated.fire(chatViewSurface);
    if (!this.#view?.visible)
      await vscode.commands.executeCommand(`${ChatPanels.viewId}.focus`, { preserveFocus: true });
  }

  /** Opens the chat in a new editor tab. Returns its surface. */
  openEditor(): string {
    const tab = createWebviewPanel(
      chatEditorType,
      vscode.l10n.t("Parley"),
      { viewColumn: vscode.ViewColumn.Active, preserveFocus: false },
      { ...this.#options.pages.options, retainContextWhenHidden: true },
    );
    const panel = this.#addEditor(tab);
    panel.reply({ type: "focus", target: "composer" });
    return panel.surface;
  }

  /** Restores a tab of an earlier window. VS Code restores the state of its page, which names its session. */
  deserializeWebviewPanel(tab: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { session } = (state ?? {}) as { readonly session?: unknown };
    this.#addEditor(tab, typeof session === "string" ? session : undefined);
    return Promise.resolve();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const panel = this.#add(view, chatViewSurface);
    this.#view = panel;
    view.onDidChangeVisibility(() => panel.visibilityChanged());
    view.onDidDispose(() => {
      this.#remove(panel);
      if (this.#view === panel) this.#view = undefined;
    });
    this.#postPending();
  }

  dispose(): void {
    for (const panel of this.#panels) panel.dispose();
    this.#panels.clear();
    for (const emitter of [this.#sent, this.#shown, this.#activated, this.#closed, this.#intents]) emitter.dispose();
  }

  #addEditor(tab: vscode.WebviewPanel, session?: string): ChatPanel {
    const surface = `editor:${++this.#editorCount}`;
    const panel = this.#add(tab, surface, session);
    this.#editors.set(panel, tab);
    this.#label(panel, tab);
    if (tab.active) this.#activated.fire(surface);
    tab.onDidChangeViewState(() => {
      panel.visibilityChanged();
      if (tab.active) this.#activated.fire(surface);
    });
    tab.onDidDispose(() => {
      this.#remove(panel);
      this.#closed.fire(surface);
    });
    return panel;
  }

  #add(holder: WebviewHolder, surface: string, session?: string): ChatPanel {
    const content = this.#content;
    if (!content) throw new Error("The chat is not registered.");
    const panel = new ChatPanel(holder, {
      ...this.#options,
      surface,
      view: () => content.view(surface),
      recentEntries: () => content.recentEntries(surface),
      onSend: () => this.#sent.fire(),
      onIntent: (intent, replyTarget) => this.#intents.fire({ intent, replyTarget }),
      onShown: () => this.#shown.fire({ surface, ...(session !== undefined && { session }) }),
    });
    this.#panels.add(panel);
    return panel;
  }

  #remove(panel: ChatPanel): void {
    panel.dispose();
    this.#panels.delete(panel);
    this.#editors.delete(panel);
    this.#icons.delete(panel);
  }

  /** The title and the icon of the tab: those of its session, and what it does. */
  #label(panel: ChatPanel, tab: vscode.WebviewPanel): void {
    const { surface } = panel;
    const { words = "", icon = "" } = this.#stateOf(surface) ?? {};
    const title = [...visibleText(this.#content?.title(surface) ?? "").trim()];
    const shown = title.length > maxTabTitle ? `${title.slice(0, maxTabTitle).join("").trimEnd()}…` : title.join("");
    const name = shown === "" ? vscode.l10n.t("Parley") : shown;
    setTabTitle(tab, words === "" ? name : vscode.l10n.t("{0} – {1}", name, words));
    // VS Code sends every assignment to its window.
    if (this.#icons.get(panel) === icon) return;
    this.#icons.set(panel, icon);
    const file = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.#options.extensionUri, "media", `parley${icon && `-${icon}`}-${theme}.svg`);
    tab.iconPath = { light: file("light"), dark: file("dark") };
  }

  #postPending(): void {
    const view = this.#view;
    if (!view) return;
    for (const message of this.#pendingMessages) view.reply(message);
    this.#pendingMessages = [];
  }
}
