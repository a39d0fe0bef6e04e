// The one tab that follows the agent. Detects when the user looks at something else, which pauses following.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import type { LineSpan } from "../agentLocations.ts";
import { maxScrollTime, UserScrollDetector } from "../followMode.ts";
import { chatEditorType } from "../../panel/chatSurface.ts";

export interface FollowedEditorOptions {
  readonly clock: Clock;
  /** Whether the view follows the agent. */
  readonly isFollowing: () => boolean;
  /** The current turn. */
  readonly turn: () => string;
  /** Whether an agent is changing this document, so that its changes are not the user's. */
  readonly isWrittenByAgent: (document: vscode.TextDocument) => boolean;
  /** Called when the user looks at something else. */
  readonly interrupted: () => void;
}

/** A preview tab that opens this soon after another closed is the same tab with another file. Milliseconds. */
const tabReplacementTime = 100;
const maxColumns = 9;

/** Shows the agent's locations in a tab of its own. */
export class FollowedEditor implements Disposable {
  readonly #options: FollowedEditorOptions;
  readonly #store = new DisposableStore();
  readonly #scrollDetectors = new WeakMap<vscode.TextEditor, UserScrollDetector>();
  readonly #timers = new Map<UserScrollDetector, Disposable>();
  /** The URI of the file in the followed tab; undefined while there is no such tab. */
  #ownUri: string | undefined;
  /** A change by the agent turned the followed tab from a preview into a permanent tab. */
  #isKept = false;
  /** Files that Parley shows. */
  #expected: readonly string[] = [];
  /** The file that is being opened, and the lines to show. */
  #opening: { readonly uri: string; readonly lines: LineSpan } | undefined;
  /** The file that is being replaced in the followed tab. */
  #leaving: string | undefined;
  /** The active tab of each group when they were last compared. */
  #active: readonly string[] = [];
  /** Files that the user closed, with the turn in which they were closed. */
  readonly #closed = new Map<string, string>();
  #lastClosed: { readonly uri: string; readonly column: number; readonly at: number } | undefined;

  constructor(options: FollowedEditorOptions) {
    this.#options = options;
    this.#active = activeTabs();
    for (const editor of vscode.window.visibleTextEditors) this.#scrollDetector(editor);
    this.#store.add(
      vscode.window.onDidChangeVisibleTextEditors(editors => editors.forEach(editor => this.#scrollDetector(editor))),
    );
    this.#store.add(vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.#scrolled(textEditor)));
    this.#store.add(vscode.window.onDidChangeTextEditorSelection(event => this.#selected(event)));
    this.#store.add(vscode.workspace.onDidChangeTextDocument(event => this.#edited(event)));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(event => this.#tabsChanged(event)));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#groupsChanged()));
  }

  /** Following starts: the current tabs and visible lines are the base for detecting the user's actions. */
  startFollowing(): void {
    this.#active = activeTabs();
    for (const editor of vscode.window.visibleTextEditors) {
      const detector = this.#scrollDetector(editor);
      detector.giveUp();
      detector.setVisible(visibleLines(editor), editor.document.version);
    }
  }

  /** Another session begins: tabs of the last one belong to the user. */
  reset(): void {
    this.#ownUri = undefined;
    this.#expected = [];
    this.#closed.clear();
  }

  /**
   * Shows the lines, unless the user closed that file in this turn, or stops following meanwhile. Calls `linesIn` once the
   * document is open.
   */
  async reveal(uri: vscode.Uri, linesIn: (document: vscode.TextDocument) => LineSpan): Promise<void> {
    if (!this.#mayShow(uri)) return;
    const document = await vscode.workspace.openTextDocument(uri);
    if (!this.#options.isFollowing()) return;
    const lines = linesIn(document);
    const column = this.#column(uri);
    if (column === undefined) return;
    const shown = editorIn(column, uri);
    const editor = shown ?? (await this.#open(document, column, lines));
    if (editor && this.#options.isFollowing()) this.#scroll(editor, lines);
  }

  #mayShow(uri: vscode.Uri): boolean {
    const key = uri.toString();
    return this.#closed.get(key) !== this.#options.turn() || tabsOf(key).length > 0;
  }

  async #open(
    document: vscode.TextDocument,
    column: vscode.ViewColumn,
    lines: LineSpan,
  ): Promise<vscode.TextEditor | undefined> {
    const uri = document.uri.toString();
    const before = this.#ownUri;
    const isThere = tabsOf(uri).some(tab => tab.group.viewColumn === column);
    this.#expected = before === undefined ? [uri] : [before, uri];
    const isNew = !isThere && before !== uri;
    const wasKept = this.#isKept;
    if (isNew) {
      this.#ownUri = uri;
      this.#leaving = before;
      this.#isKept = false;
    }
    // The editor scrolls before VS Code reports that it is open.
    this.#opening = { uri, lines };
    try {
      const start = new vscode.Position(lines.first, 0);
      const editor = await vscode.window.showTextDocument(document, {
        viewColumn: column,
        preserveFocus: true,
        preview: true,
        // An existing tab keeps the user's cursor.
        ...(!isThere && { selection: new vscode.Range(start, start) }),
      });
      if (isNew && before !== undefined && (wasKept || !arePreviewsEnabled())) await closeReplacedTab(before, column);
      return editor;
    } finally {
      this.#expected = [uri];
      this.#opening = undefined;
      this.#leaving = undefined;
    }
  }

  #scroll(editor: vscode.TextEditor, lines: LineSpan): void {
    const detector = this.#scrollDetector(editor);
    const visible = visibleLines(editor);
    if (visible && visible.first <= lines.first && lines.first <= visible.last) {
      detector.arrived(visible, editor.document.version);
      return;
    }
    const smooth = vscode.workspace.getConfiguration("editor", editor.document).get("smoothScrolling") === true;
    detector.expectScroll(lines, { smooth });
    this.#limitScroll(editor, detector);
    const range = new vscode.Range(lines.first, 0, lines.last, 0);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** The user stopped a scroll that takes no further step. */
  #limitScroll(editor: vscode.TextEditor, detector: UserScrollDetector): void {
    this.#timers.get(detector)?.dispose();
    const giveUp = (): void => {
      this.#timers.delete(detector);
      if (detector.giveUp() && vscode.window.visibleTextEditors.includes(editor)) this.#interrupt();
    };
    this.#timers.set(detector, this.#options.clock.after(maxScrollTime, giveUp));
  }

  /**
   * The group to show a file in: the one with the followed tab; else the first that shows no chat, if that would not
   * replace a preview tab of the user; else a new one at the end.
   */
  #column(uri: vscode.Uri): vscode.ViewColumn | undefined {
    const groups = vscode.window.tabGroups.all;
    const free = groups.filter(group => !isChat(group.activeTab));
    const own = this.#ownUri;
    const ours = own === undefined ? undefined : free.find(group => group.tabs.some(tab => uriOf(tab) === own));
    if (ours) return ours.viewColumn;
    const keepsPreview = (group: vscode.TabGroup): boolean =>
      !group.tabs.some(tab => tab.isPreview && uriOf(tab) !== uri.toString());
    const [first] = free;
    if (first && keepsPreview(first)) return first.viewColumn;
    return groups.length < maxColumns ? groups.length + 1 : free.find(keepsPreview)?.viewColumn;
  }

  #scrollDetector(editor: vscode.TextEditor): UserScrollDetector {
    const known = this.#scrollDetectors.get(editor);
    if (known) return known;
    const detector = new UserScrollDetector();
    detector.setVisible(visibleLines(editor), editor.document.version);
    const opening = this.#opening;
    if (opening?.uri === editor.document.uri.toString()) detector.expectScroll(opening.lines, { opening: true });
    this.#scrollDetectors.set(editor, detector);
    return detector;
  }

  #scrolled(editor: vscode.TextEditor): void {
    const visible = visibleLines(editor);
    if (!visible || !isInEditorGroup(editor)) return;
    const detector = this.#scrollDetector(editor);
    if (detector.isUserScroll(visible, editor.document.version)) this.#interrupt();
    else if (this.#timers.has(detector) && detector.isScrolling) this.#limitScroll(editor, detector);
  }

  #selected({ textEditor, kind }: vscode.TextEditorSelectionChangeEvent): void {
    if (!isInEditorGroup(textEditor) || kind === undefined) return;
    // VS Code reports opening a file at a line as a command, and so going to a definition.
    const ours =
      kind === vscode.TextEditorSelectionChangeKind.Command &&
      this.#expected.includes(textEditor.document.uri.toString());
    if (!ours) this.#interrupt();
  }

  #edited({ document }: vscode.TextDocumentChangeEvent): void {
    // A document that VS Code reloads is not dirty. The user does not type into a document that is not visible.
    if (!document.isDirty) return;
    const isOwn = document.uri.toString() === this.#ownUri;
    if (this.#options.isWrittenByAgent(document)) {
      // VS Code makes the tab of a dirty document permanent, and can report that after the agent's write.
      if (isOwn && arePreviewsEnabled()) this.#isKept = true;
      return;
    }
    if (isOwn) this.#ownUri = undefined;
    if (vscode.window.visibleTextEditors.some(one => one.document === document && isInEditorGroup(one)))
      this.#interrupt();
  }

  #tabsChanged({ opened, closed, changed }: vscode.TabChangeEvent): void {
    for (const tab of changed) this.#pinned(tab);
    for (const tab of closed) this.#tabClosed(tab);
    for (const tab of opened) this.#tabOpened(tab);
    this.#groupsChanged();
  }

  /** A change by the agent makes the followed tab permanent, and it stays followed. By the user, it becomes the user's. */
  #pinned(tab: vscode.Tab): void {
    const uri = uriOf(tab);
    if (tab.isPreview || uri === undefined || uri !== this.#ownUri || this.#isKept || !arePreviewsEnabled()) return;
    const document = vscode.workspace.textDocuments.find(one => one.uri.toString() === uri);
    if (document && this.#options.isWrittenByAgent(document)) this.#isKept = true;
    else this.#ownUri = undefined;
  }

  #tabClosed(tab: vscode.Tab): void {
    const uri = uriOf(tab);
    if (uri === undefined || uri === this.#leaving || tabsOf(uri).length > 0) return;
    this.#closed.set(uri, this.#options.turn());
    this.#lastClosed = { uri, column: tab.group.viewColumn, at: this.#options.clock.now() };
    if (uri !== this.#ownUri) return;
    this.#ownUri = undefined;
    this.#interrupt();
  }

  #tabOpened(tab: vscode.Tab): void {
    const uri = uriOf(tab);
    if (uri !== undefined) this.#closed.delete(uri);
    const last = this.#lastClosed;
    this.#lastClosed = undefined;
    if (!last || !tab.isPreview || last.column !== tab.group.viewColumn) return;
    // The file was not closed by the user: its tab shows another file now.
    if (this.#options.clock.now() - last.at <= tabReplacementTime) this.#closed.delete(last.uri);
  }

  #groupsChanged(): void {
    const before = [...this.#active];
    this.#active = activeTabs();
    const shown = this.#active.filter(tab => {
      const at = before.indexOf(tab);
      if (at >= 0) before.splice(at, 1);
      return at < 0;
    });
    if (shown.some(tab => tab !== chatTab && !this.#expected.includes(tab))) this.#interrupt();
  }

  #interrupt(): void {
    if (this.#options.isFollowing()) this.#options.interrupted();
  }

  dispose(): void {
    for (const timer of this.#timers.values()) timer.dispose();
    this.#store.dispose();
  }
}

/** Stands for every tab of the chat. Switching to the chat does not pause following. */
const chatTab = "chat";

function isChat(tab: vscode.Tab | undefined): boolean {
  return tab?.input instanceof vscode.TabInputWebview && tab.input.viewType.endsWith(chatEditorType);
}

/** The URI of the file that a tab shows as text. */
function uriOf({ input }: vscode.Tab): string | undefined {
  return input instanceof vscode.TabInputText ? input.uri.toString() : undefined;
}

function tabsOf(uri: string): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(group => group.tabs).filter(tab => uriOf(tab) === uri);
}

/** The active tab of each group: a file by its URI, anything else by its label. */
function activeTabs(): readonly string[] {
  const shown = vscode.window.tabGroups.all.flatMap(({ activeTab }) => (activeTab ? [activeTab] : []));
  return shown.map(tab => (isChat(tab) ? chatTab : (uriOf(tab) ?? `tab:${tab.label}`)));
}

function editorIn(column: vscode.ViewColumn, uri: vscode.Uri): vscode.TextEditor | undefined {
  const key = uri.toString();
  const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === column);
  // A group may also show the file as one side of a diff.
  if (!group?.activeTab || uriOf(group.activeTab) !== key) return undefined;
  return vscode.window.visibleTextEditors.find(
    editor => editor.viewColumn === column && editor.document.uri.toString() === key,
  );
}

/** From the first to the last visible line, including folded ones. */
function visibleLines({ visibleRanges }: vscode.TextEditor): LineSpan | undefined {
  const [first, last] = [visibleRanges.at(0), visibleRanges.at(-1)];
  return first && last && { first: first.start.line, last: last.end.line };
}

/** Whether the editor is in an editor group. Editors in views are ignored: output scrolls by itself. */
const isInEditorGroup = ({ viewColumn, document }: vscode.TextEditor): boolean =>
  viewColumn !== undefined && document.uri.scheme !== "output";

const arePreviewsEnabled = (): boolean =>
  vscode.workspace.getConfiguration("workbench.editor").get("enablePreview") !== false;

/** Closes the previous followed tab, unless the new one replaced it. */
async function closeReplacedTab(uri: string, column: vscode.ViewColumn): Promise<void> {
  const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === column);
  const left = group?.tabs.find(tab => uriOf(tab) === uri && !tab.isActive && !tab.isDirty && !tab.isPinned);
  if (left) await vscode.window.tabGroups.close(left, true);
}
