// The threads of comments in the editor. Each shows one comment, and becomes another one with it.
import * as vscode from "vscode";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { EditorComments } from "../../editor/editorComments.ts";
import type { LineComments } from "../lineComments.ts";
import { commentThreadView, type CommentThreadView, type ThreadContext } from "../shownThread.ts";

export interface CommentThreadsOptions {
  readonly editor: EditorComments;
  readonly comments: LineComments;
  readonly phaseOf: ThreadContext["phaseOf"];
  /** The title of a session. Empty: it has none yet. */
  readonly sessionTitle: (id: string | undefined) => string;
}

export class CommentThreads implements Disposable {
  readonly #options: CommentThreadsOptions;
  readonly #threads = new Map<string, vscode.CommentThread>();
  /** The last views of the threads. VS Code draws every assignment. */
  readonly #shown = new Map<string, CommentThreadView>();
  readonly #store = new DisposableStore();

  constructor(options: CommentThreadsOptions) {
    this.#options = options;
    this.#store.add(options.comments.onDidChange(ids => this.update(ids)));
    this.update(options.comments.all.map(({ id }) => id));
  }

  /** The id of the comment that a thread shows. Undefined: the user is writing its first remark. */
  idOf(thread: unknown): string | undefined {
    return [...this.#threads].find(([, one]) => one === thread)?.[0];
  }

  /** The thread of a comment. */
  get(id: string): vscode.CommentThread | undefined {
    return this.#threads.get(id);
  }

  /** The comment with this id, which does not exist yet, takes over the thread in which the user wrote it. */
  adopt(id: string, thread: vscode.CommentThread): void {
    this.#threads.set(id, thread);
  }

  /** Shows comments as they are now. */
  update(ids: readonly string[] = [...this.#threads.keys()]): void {
    for (const id of ids) this.#update(id);
  }

  /** Shows a comment again, because VS Code has changed it in its thread. */
  showAgain(id: string): void {
    this.#shown.delete(id);
    this.#update(id);
  }

  dispose(): void {
    this.#store.dispose();
    for (const thread of this.#threads.values()) thread.dispose();
    this.#threads.clear();
  }

  #update(id: string): void {
    const { editor, comments, phaseOf, sessionTitle } = this.#options;
    const comment = comments.get(id);
    let thread = this.#threads.get(id);
    // The document of a thread is fixed.
    if (thread && (!comment || thread.uri.toString() !== vscode.Uri.parse(comment.uri, true).toString())) {
      thread.dispose();
      this.#threads.delete(id);
      this.#shown.delete(id);
      thread = undefined;
    }
    if (!comment) return;
    const view = commentThreadView(comment, { phaseOf, sessionTitle: sessionTitle(comment.session) });
    if (!thread) {
      thread = editor.createThread(vscode.Uri.parse(comment.uri, true), view.lines);
      if (view.isResolved) thread.collapsibleState = vscode.CommentThreadCollapsibleState.Collapsed;
      this.#threads.set(id, thread);
    }
    if (jsonEqual(view, this.#shown.get(id))) return;
    this.#shown.set(id, view);
    editor.show(thread, view);
  }
}
