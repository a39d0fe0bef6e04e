// Files and tabs of the window, for the tools that move and show files.
import { basename } from "node:path";
import * as vscode from "vscode";
import { isNotFoundError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { openDiff } from "../../editor/editorItems.ts";
import { isOtherSpelling } from "../../files/otherSpelling.ts";
import { moveFile } from "../../files/vscode/moveFile.ts";
import type { EditorFiles } from "../editorView.ts";

/** What the window has of other features. */
export interface WindowFilesOptions {
  /** Shows the changes of a file that wait for review. The keyboard focus stays where it is. */
  readonly showChanges: (path: string) => Promise<void>;
}

/** Moves and shows files. A tab never replaces one of the user. */
export class WindowFiles implements EditorFiles {
  readonly showChanges: EditorFiles["showChanges"];

  constructor({ showChanges }: WindowFilesOptions) {
    this.showChanges = showChanges;
  }

  async kindOf(path: string): ReturnType<EditorFiles["kindOf"]> {
    try {
      const { type } = await vscode.workspace.fs.stat(vscode.Uri.file(path));
      if ((type & vscode.FileType.SymbolicLink) !== 0) return "link";
      if ((type & vscode.FileType.Directory) !== 0) return "folder";
      return (type & vscode.FileType.File) === 0 ? "other" : "file";
    } catch (thrown) {
      if (isNotFoundError(thrown) || (thrown instanceof vscode.FileSystemError && thrown.code === "FileNotFound"))
        return "missing";
      throw thrown;
    }
  }

  isOtherSpelling(from: string, to: string): Promise<boolean> {
    return isOtherSpelling(from, to);
  }

  async move(roots: readonly string[], from: string, to: string): Promise<void> {
    const { shown } = await moveFile(roots, from, to);
    await shown;
  }

  async show(path: string, line: number | undefined, endLine: number | undefined): Promise<void> {
    const options = { preview: false, preserveFocus: true };
    if (line === undefined) return void (await vscode.window.showTextDocument(vscode.Uri.file(path), options));
    // VS Code limits positions to the length of the line and of the file.
    const end = endLine === undefined ? new vscode.Position(line - 1, 0) : new vscode.Position(endLine, 0);
    const selection = new vscode.Range(new vscode.Position(line - 1, 0), end);
    await vscode.window.showTextDocument(vscode.Uri.file(path), { ...options, selection });
  }

  async showDiff(left: string, right: string): Promise<void> {
    const title = t("{0} and {1}", basename(left), basename(right));
    await openDiff(vscode.Uri.file(left), vscode.Uri.file(right), title, { preview: false, preserveFocus: true });
  }
}
