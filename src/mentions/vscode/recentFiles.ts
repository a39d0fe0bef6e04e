// The files that the user worked with recently.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";

const maxPaths = 100;

/** Files that were shown or changed in this window, newest first. */
export class RecentFiles implements Disposable {
  readonly #listeners: vscode.Disposable;
  /** In order of use, newest last. */
  readonly #paths = new Set<string>();

  constructor() {
    for (const path of this.open.toReversed()) this.#use(path);
    const active = vscode.window.activeTextEditor?.document;
    if (active) this.#note(active);
    this.#listeners = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(editor => editor && this.#note(editor.document)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.#note(document);
      }),
    );
  }

  /** The absolute paths of the files in all editor tabs. */
  get open(): readonly string[] {
    return openFiles();
  }

  /** Absolute paths. */
  get paths(): readonly string[] {
    return [...this.#paths].reverse();
  }

  dispose(): void {
    this.#listeners.dispose();
  }

  #note({ uri }: vscode.TextDocument): void {
    if (uri.scheme === "file") this.#use(uri.fsPath);
  }

  #use(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    if (this.#paths.size > maxPaths)
      for (const oldest of [...this.#paths].slice(0, -maxPaths)) this.#paths.delete(oldest);
  }
}

function openFiles(): readonly string[] {
  const paths = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) =>
      input instanceof vscode.TabInputText && input.uri.scheme === "file" ? [input.uri.fsPath] : [],
    );
  return [...new Set(paths)];
}
