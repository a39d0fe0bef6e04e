// All chat panels of the window: the view in Parley's container, and editor tabs.
import * as vscode from "vscode";
import { visibleText } from "../base/visibleText.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import { chatEditorType, type ChatSurface } from "../panel/chatSurface.ts";
import type { PanelMessage } from "../panel/protocol.ts";
import type { PanelAction, ReplyTarget } from "../panel/replyTarget.ts";
import { ChatPanel, webviewRoot, type ChatPanelOptions, type WebviewHolder } from "./chatPanel.ts";
import { statusMessageDuration } from "./statusBar.ts";

export type ChatPanelsOptions = Pick<ChatPanelOptions, "extensionUri" | "log" | "clock">;

/** What the panels show. */
export interface ChatContent extends Pick<ChatPanelOptions, "view" | "recentEntries"> {
  /** The title of the session, or an empty text. */
  readonly title: () => string;
}

/** Longer titles are cut in the tabs of editors. Characters. */
const maxTabTitle = 40;

/** The chat's panels. All of them show the same session. */
export class ChatPanels implements ChatSurface, vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, Disposable {
  static readonly viewId = "parley.chat";
  readonly #options: ChatPanelsOptions;
  readonly #sent = new Emitter<void>();
  readonly #shown = new Emitter<void>();
  readonly #intents = new Emitter<{ readonly intent: PanelAction; readonly replyTarget: ReplyTarget }>();
  /** Fires when a panel is sent an update. */
  readonly onDidSend: Event<void> = this.#sent.event;
  /** Fires when a panel was opened or shown. */
  readonly onDidShow: Event<void> = this.#shown.event;
  /** Fires when a panel sends an intent that concerns more than its own channel. */
  readonly onDidReceiveIntent = this.#intents.event;
  #content: ChatContent | undefined;
  readonly #panels = new Set<ChatPanel>();
  readonly #editors = new Map<ChatPanel, vscode.WebviewPanel>();
  #view: ChatPanel | undefined;
  /** Messages of commands for a view that VS Code has not created yet. */
  #pendingMessages: PanelMessage[] = [];

  constructor(options: ChatPanelsOptions) {
    this.#options = options;
  }

  /** Registers the view and the editor tabs with VS Code. Before this call there are no panels. */
  register(content: ChatContent): Disposable {
    this.#content = content;
    const webviewOptions = { retainContextWhenHidden: true };
    return vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(ChatPanels.viewId, this, { webviewOptions }),
      vscode.window.registerWebviewPanelSerializer(chatEditorType, this),
    );
  }

  /** Whether any panel is visible, as far as VS Code knows. */
  get visible(): boolean {
    return [...this.#panels].some(panel => panel.visible);
  }

  /** Whether a visible panel has something left to paint. */
  get isBehind(): boolean {
    return [...this.#panels].some(panel => panel.isBehind);
  }

  /** Whether a visible panel is painting an update. */
  get isPainting(): boolean {
    return [...this.#panels].some(panel => panel.isPainting);
  }

  /** Call this when the state that the panels show has changed. */
  changed(): void {
    for (const panel of this.#panels) panel.changed();
    for (const tab of this.#editors.values()) this.#setTitle(tab);
  }

  /** Posts the message to every visible panel. */
  broadcast(message: PanelMessage): void {
    for (const panel of this.#panels) if (panel.visible) panel.reply(message);
  }

  /** Shows the text in the status bar for a moment, and has screen readers read it. */
  announce(text: string): void {
    vscode.window.setStatusBarMessage(text, statusMessageDuration);
    this.broadcast({ type: "say", text });
  }

  /**
   * Shows the chat and posts the message there, for commands that the user ran. Uses the view, or a visible editor
   * tab if the view is hidden.
   */
  async reveal(message: PanelMessage): Promise<void> {
    const editor = this.#view?.visible ? undefined : [...this.#editors].find(([panel]) => panel.visible);
    if (editor) {
      const [panel, tab] = editor;
      tab.reveal(tab.viewColumn, false);
      panel.reply(message);
      return;
    }
    this.#pendingMessages.push(message);
    await vscode.commands.executeCommand(`${ChatPanels.viewId}.focus`);
    this.#postPending();
  }

  /** Shows the chat and moves the focus there. */
  focus(target: "composer" | "ask" | "find"): Promise<void> {
    return this.reveal({ type: "focus", target });
  }

  /** Opens the chat in a new editor tab. */
  openEditor(): void {
    const tab = vscode.window.createWebviewPanel(
      chatEditorType,
      vscode.l10n.t("Parley"),
      { viewColumn: vscode.ViewColumn.Active, preserveFocus: false },
      {
        enableScripts: true,
        retainContextWhenHidden: true,
        localResourceRoots: [webviewRoot(this.#options.extensionUri)],
      },
    );
    this.#addEditor(tab).reply({ type: "focus", target: "composer" });
  }

  /** Restores a tab of an earlier window. VS Code restores the state of its page. */
  deserializeWebviewPanel(tab: vscode.WebviewPanel): Promise<void> {
    this.#addEditor(tab);
    return Promise.resolve();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const panel = this.#add(view);
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
    for (const emitter of [this.#sent, this.#shown, this.#intents]) emitter.dispose();
  }

  #addEditor(tab: vscode.WebviewPanel): ChatPanel {
    const icon = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(this.#options.extensionUri, "media", `parley-${theme}.svg`);
    tab.iconPath = { light: icon("light"), dark: icon("dark") };
    const panel = this.#add(tab);
    this.#editors.set(panel, tab);
    this.#setTitle(tab);
    tab.onDidChangeViewState(() => panel.visibilityChanged());
    tab.onDidDispose(() => this.#remove(panel));
    return panel;
  }

  #add(holder: WebviewHolder): ChatPanel {
    const content = this.#content;
    if (!content) throw new Error("The chat is not registered.");
    const panel = new ChatPanel(holder, {
      ...this.#options,
      view: () => content.view(),
      recentEntries: () => content.recentEntries(),
      onSend: () => this.#sent.fire(),
      onIntent: (intent, replyTarget) => this.#intents.fire({ intent, replyTarget }),
      onShown: () => this.#shown.fire(),
    });
    this.#panels.add(panel);
    return panel;
  }

  #remove(panel: ChatPanel): void {
    panel.dispose();
    this.#panels.delete(panel);
    this.#editors.delete(panel);
  }

  #setTitle(tab: vscode.WebviewPanel): void {
    const title = [...visibleText(this.#content?.title() ?? "").trim()];
    const shown = title.length > maxTabTitle ? `${title.slice(0, maxTabTitle).join("").trimEnd()}…` : title.join("");
    const next = shown === "" ? vscode.l10n.t("Parley") : shown;
    // VS Code sends every assignment to its window.
    if (tab.title !== next) tab.title = next;
  }

  #postPending(): void {
    const view = this.#view;
    if (!view) return;
    for (const message of this.#pendingMessages) view.reply(message);
    this.#pendingMessages = [];
  }
}
