// The door to VS Code's comment threads: every text for a thread goes through here, and nothing in it is a link that runs a
// command.
import * as vscode from "vscode";
import { inertText } from "../base/inertText.ts";
import { withTimeout } from "../base/async.ts";
import type { Disposable } from "../base/lifecycle.ts";

/** One comment of a thread. */
export interface ShownComment {
  /** Stays the same while the comment changes. */
  readonly key: string;
  readonly author: string;
  /** Shown beside the author. */
  readonly label?: string;
  readonly contextValue: string;
  /** When it was written, ms since the epoch. */
  readonly at?: number;
  /** Plain text, or the Markdown of an agent, in which no image loads and raw HTML is text. */
  readonly text: string;
  readonly isMarkdown?: boolean;
}

/** A thread at lines of a document, 0-based and exclusive. Empty lines: at this line, which is not meant. */
export interface ShownThread {
  readonly label: string;
  readonly contextValue: string;
  readonly lines: { readonly from: number; readonly to: number };
  readonly isResolved: boolean;
  readonly comments: readonly ShownComment[];
}

/** Which documents can have comments, and which ones show that beside their line numbers. */
export interface CommentableDocuments {
  readonly canHave: (document: vscode.TextDocument) => boolean;
  readonly hasGutter: (document: vscode.TextDocument) => boolean;
}

/** VS Code asks for the commenting ranges of a document within this time. Milliseconds. */
const maxRangeWait = 2000;

export class EditorComments implements vscode.CommentingRangeProvider, Disposable {
  readonly #documents: CommentableDocuments;
  readonly #controller: vscode.CommentController;
  readonly #keys = new WeakMap<vscode.Comment, string>();
  readonly #comments = new WeakMap<vscode.CommentThread, Map<string, vscode.Comment>>();
  /** The open documents for which a text box was opened, by URI, and whom to notify when VS Code has asked for their ranges. */
  readonly #offered = new Map<string, () => void>();
  /** The last answers to VS Code, by URI. */
  readonly #answers = new Map<string, boolean>();
  readonly #listeners: readonly Disposable[];
  #isProviding = false;

  /** `id` is what menus compare `commentController` with. */
  constructor(documents: CommentableDocuments, id = "parley.comments") {
    this.#documents = documents;
    this.#controller = vscode.comments.createCommentController(id, "Parley");
    this.#controller.options = {
      prompt: vscode.l10n.t("Reply…"),
      placeHolder: vscode.l10n.t("Comment for the agent"),
    };
    this.#listeners = [
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.#forgetClosed();
        this.#provideIfNeeded();
      }),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#forgetClosed()),
    ];
    this.#provideIfNeeded();
  }

  /**
   * Other documents can have comments, or show it. VS Code asks again if the provider is set again, and takes the focus from the
   * text box of a thread then, so this does so only if an answer about a visible document is no longer true.
   */
  refresh(): void {
    if (this.#provideIfNeeded()) return;
    const isOutdated = vscode.window.visibleTextEditors.some(({ document }) => {
      const answer = this.#answers.get(document.uri.toString());
      return answer !== undefined && answer !== this.#hasRanges(document);
    });
    if (isOutdated) this.#controller.commentingRangeProvider = this;
  }

  /**
   * Has a provider only while a visible document has ranges: with one, VS Code asks about all its documents, and opens each of
   * them for extensions, such as the settings file while a setting is written. Returns whether that has changed.
   */
  #provideIfNeeded(): boolean {
    const isNeeded = vscode.window.visibleTextEditors.some(({ document }) => this.#hasRanges(document));
    if (isNeeded === this.#isProviding) return false;
    this.#isProviding = isNeeded;
    this.#answers.clear();
    // VS Code's types have no undefined, which is the initial value.
    if (isNeeded) this.#controller.commentingRangeProvider = this;
    else Object.assign(this.#controller, { commentingRangeProvider: undefined });
    return true;
  }

  /** The documents that no tab and no editor shows are offered no longer. VS Code closes them minutes later. */
  #forgetClosed(): void {
    if (this.#offered.size === 0) return;
    const shown = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
    const inTabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(({ input }) => urisOf(input)));
    const open = new Set([...shown, ...inTabs].map(String));
    for (const uri of this.#offered.keys()) if (!open.has(uri)) this.#offered.delete(uri);
  }

  /** Whether a document can have comments. */
  canHaveComments(document: vscode.TextDocument): boolean {
    return this.#documents.canHave(document);
  }

  provideCommentingRanges(document: vscode.TextDocument): vscode.Range[] | undefined {
    const uri = document.uri.toString();
    const hasRanges = this.#hasRanges(document);
    this.#answers.set(uri, hasRanges);
    const notify = this.#offered.get(uri);
    // After VS Code has got the ranges.
    if (notify) setImmediate(notify);
    return hasRanges ? [new vscode.Range(0, 0, document.lineCount - 1, 0)] : undefined;
  }

  #hasRanges(document: vscode.TextDocument): boolean {
    const { canHave, hasGutter } = this.#documents;
    return canHave(document) && (this.#offered.has(document.uri.toString()) || hasGutter(document));
  }

  /**
   * Opens the text box of a new thread at lines of the active editor, and moves the focus there. VS Code does so only where a
   * document has commenting ranges, so it gets those of this document first.
   */
  async openTextBox(document: vscode.TextDocument, { from, to }: ShownThread["lines"]): Promise<void> {
    const uri = document.uri.toString();
    if (!this.#offered.has(uri) && !this.#documents.hasGutter(document)) {
      const asked = new Promise<void>(resolve => this.#offered.set(uri, resolve));
      if (!this.#provideIfNeeded()) this.#controller.commentingRangeProvider = this;
      await withTimeout(asked, maxRangeWait, () => undefined);
      // When VS Code answers a later request, it has taken the ranges.
      await vscode.commands.getCommands(true);
    }
    const last = Math.max(from, Math.min(to, document.lineCount) - 1);
    const endColumn = document.lineAt(last).text.length + 1;
    const range = { startLineNumber: from + 1, endLineNumber: last + 1, endColumn };
    await vscode.commands.executeCommand("workbench.action.addComment", { range });
  }

  /** Creates a thread, which {@link show} fills. */
  createThread(uri: vscode.Uri, lines: ShownThread["lines"]): vscode.CommentThread {
    const thread = this.#controller.createCommentThread(uri, rangeOf(lines), []);
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return thread;
  }

  /**
   * Shows this in the thread. VS Code keeps what the user is typing there, and the focus, because the comments stay the same
   * objects.
   */
  show(thread: vscode.CommentThread, { label, contextValue, lines, isResolved, comments }: ShownThread): void {
    const before = this.#comments.get(thread) ?? new Map<string, vscode.Comment>();
    const now = new Map(comments.map(one => [one.key, this.#commentOf(before.get(one.key), one)]));
    this.#comments.set(thread, now);
    thread.comments = [...now.values()];
    const title = inertText(label);
    // VS Code sends every assignment to its window.
    if (thread.label !== title) thread.label = title;
    if (thread.contextValue !== contextValue) thread.contextValue = contextValue;
    const state = isResolved ? vscode.CommentThreadState.Resolved : vscode.CommentThreadState.Unresolved;
    if (thread.state !== state) thread.state = state;
    const range = rangeOf(lines);
    const { range: shown } = thread;
    if (shown?.start.line !== range.start.line || shown.end.line !== range.end.line) thread.range = range;
  }

  /** The key of a comment that VS Code passes to a command. */
  keyOf(comment: unknown): string | undefined {
    return typeof comment === "object" && comment !== null ? this.#keys.get(comment as vscode.Comment) : undefined;
  }

  /** Shows the comment as a text box, or as a text again. */
  setEditing(thread: vscode.CommentThread, key: string, isEditing: boolean): void {
    const comment = this.#comments.get(thread)?.get(key);
    if (!comment) return;
    comment.mode = isEditing ? vscode.CommentMode.Editing : vscode.CommentMode.Preview;
    thread.comments = [...thread.comments];
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
    this.#controller.dispose();
  }

  #commentOf(before: vscode.Comment | undefined, shown: ShownComment): vscode.Comment {
    const comment: vscode.Comment = before ?? {
      body: "",
      mode: vscode.CommentMode.Preview,
      author: { name: "" },
    };
    comment.body = shown.isMarkdown ? untrustedMarkdown(shown.text) : shown.text;
    comment.author = { name: inertText(shown.author) };
    comment.contextValue = shown.contextValue;
    // VS Code removes a label if it is empty.
    comment.label = inertText(shown.label ?? "");
    if (shown.at !== undefined) comment.timestamp = new Date(shown.at);
    this.#keys.set(comment, shown.key);
    return comment;
  }
}

/** The documents of a tab. */
function urisOf(input: unknown): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputText) return [input.uri];
  return input instanceof vscode.TabInputTextDiff ? [input.original, input.modified] : [];
}

/** Raw HTML is text, and no link runs a command. */
function untrustedMarkdown(text: string): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(text);
  markdown.isTrusted = false;
  markdown.supportHtml = false;
  return markdown;
}

/** The lines as VS Code marks them: from the first to the last one. */
function rangeOf({ from, to }: ShownThread["lines"]): vscode.Range {
  return new vscode.Range(from, 0, Math.max(from, to - 1), 0);
}
