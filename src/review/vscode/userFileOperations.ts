// Files and folders that the user moves, deletes or creates in the editor, as VS Code reports them.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import { UserMoves } from "../turns/userMoves.ts";

export interface UserFileOperationsOptions {
  readonly onRenamed: (from: string, to: string) => void;
  readonly onRemoved: (path: string) => void;
}

export class UserFileOperations implements Disposable {
  readonly #store = new DisposableStore();
  readonly moves = new UserMoves();

  constructor({ onRenamed, onRemoved }: UserFileOperationsOptions) {
    const { workspace } = vscode;
    const { moves } = this;
    // The change on disk may be reported before the move.
    this.#store.add(
      workspace.onWillRenameFiles(({ files }) => files.forEach(one => moves.begin(one.oldUri.fsPath, Date.now()))),
    );
    this.#store.add(
      workspace.onWillDeleteFiles(({ files }) => files.forEach(one => moves.begin(one.fsPath, Date.now()))),
    );
    this.#store.add(workspace.onDidCreateFiles(({ files }) => files.forEach(one => moves.end(one.fsPath))));
    this.#store.add(
      workspace.onDidRenameFiles(({ files }) =>
        files.forEach(({ oldUri, newUri }) => onRenamed(oldUri.fsPath, newUri.fsPath)),
      ),
    );
    this.#store.add(
      workspace.onDidDeleteFiles(({ files }) =>
        files.forEach(({ fsPath }) => {
          moves.end(fsPath);
          onRemoved(fsPath);
        }),
      ),
    );
  }

  dispose(): void {
    this.#store.dispose();
  }
}
