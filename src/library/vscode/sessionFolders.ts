// The folders in which the sessions of the window work: those of the workspace, and those of sessions that are not in it,
// such as sessions of an earlier window whose folder has been removed from the workspace.
import * as vscode from "vscode";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import { sessionRoots } from "../../editor/folders.ts";
import type { OpenSession, OpenSessions } from "../openSessions.ts";

export class SessionFolders<S extends OpenSession> implements Disposable {
  /** A folder stays when its session ends, because changes in it can still wait for review. */
  readonly #own = new Set<string>();
  readonly #changed = new Emitter<void>();
  /** Fires when there are other folders. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #store = new DisposableStore();

  constructor(open: OpenSessions<S>) {
    this.#store.add(this.#changed);
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#changed.fire()));
    this.#store.add(
      open.onDidChange(change => {
        if (change.type === "opened") this.#add(change.session.state.workspaceFolder);
      }),
    );
  }

  /** The folders. */
  get roots(): readonly string[] {
    return [...new Set([...sessionRoots(""), ...this.#own])].filter(root => root !== "");
  }

  #add(folder: string): void {
    if (this.roots.includes(folder) || folder === "") return;
    this.#own.add(folder);
    this.#changed.fire();
  }

  dispose(): void {
    this.#store.dispose();
  }
}
