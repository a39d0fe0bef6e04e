// Files and folders that the user moves, deletes or creates in the editor, as VS Code reports them. It does not report
// what Parley creates, deletes and moves, because that is no edit of the workspace.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { FactSink } from "../../history/facts.ts";
import { trackedAt } from "../reviewedPaths.ts";
import type { TurnTexts } from "../turns/turnTexts.ts";
import { UserMoves } from "../turns/userMoves.ts";
import type { WindowReview } from "../windowReview.ts";
import type { FileWork } from "./fileWork.ts";
import { isAtOrBelow } from "../../files/nodePaths.ts";

export interface UserFileOperationsOptions {
  readonly review: WindowReview;
  readonly texts: Pick<TurnTexts, "last">;
  readonly work: FileWork;
  readonly facts: FactSink;
}

export class UserFileOperations implements Disposable {
  readonly #options: UserFileOperationsOptions;
  readonly #store = new DisposableStore();
  readonly moves = new UserMoves();

  constructor(options: UserFileOperationsOptions) {
    this.#options = options;
    const { moves } = this;
    // The change on disk may be reported before the move or the creation.
    this.#store.add(
      vscode.workspace.onWillRenameFiles(({ files }) =>
        files.forEach(({ oldUri, newUri }) => {
          this.#begin(oldUri.fsPath);
          this.#begin(newUri.fsPath);
        }),
      ),
    );
    this.#store.add(vscode.workspace.onWillCreateFiles(({ files }) => files.forEach(one => this.#begin(one.fsPath))));
    this.#store.add(vscode.workspace.onWillDeleteFiles(({ files }) => files.forEach(one => this.#begin(one.fsPath))));
    this.#store.add(
      vscode.workspace.onDidCreateFiles(({ files }) =>
        files.forEach(({ fsPath }) => {
          moves.end(fsPath);
          options.facts.note({ type: "userCreated", path: fsPath });
        }),
      ),
    );
    this.#store.add(
      vscode.workspace.onDidRenameFiles(({ files }) =>
        files.forEach(({ oldUri, newUri }) => this.#renamed(oldUri.fsPath, newUri.fsPath)),
      ),
    );
    this.#store.add(
      vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach(({ fsPath }) => this.#removed(fsPath))),
    );
  }

  dispose(): void {
    this.#store.dispose();
  }

  #begin(path: string): void {
    this.moves.begin(path, Date.now());
    this.#options.facts.note({ type: "userBegan", path });
  }

  #renamed(oldPath: string, newPath: string): void {
    const { review, texts, work, facts } = this.#options;
    facts.note({ type: "userMoved", path: newPath, from: oldPath });
    void work.enqueueMove(oldPath, newPath, async ({ path: from }, to) => {
      this.moves.end(oldPath);
      this.moves.end(newPath);
      if (!to || !work.isFollowed(to)) return;
      const moved = (path: string): string => to.path + path.slice(from.length);
      for (const path of trackedAt(review, from)) review.moved(path, moved(path));
      for (const [path, text] of [...texts.last]) {
        if (!isAtOrBelow(path, from)) continue;
        texts.last.set(path, null);
        if (text !== null) texts.last.set(moved(path), text);
      }
    });
  }

  #removed(removed: string): void {
    const { review, texts, work, facts } = this.#options;
    facts.note({ type: "userDeleted", path: removed });
    void work.enqueue(removed, async ({ path }) => {
      // A change on disk that is looked at before this is the user's deletion, too.
      this.moves.end(removed);
      for (const one of [path, ...texts.last.keys()]) if (isAtOrBelow(one, path)) texts.last.set(one, null);
      for (const one of trackedAt(review, path)) await review.replaced(one, null);
    });
  }
}
