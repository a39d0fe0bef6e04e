// The editor as the tools see it, through the API of VS Code.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import { documentWithTextOf } from "../../editor/openDocuments.ts";
import type { EditorView, OpenEditor, TerminalCommand } from "../editorView.ts";
import { codeRange } from "./codeRange.ts";
import { tabUri } from "./tabUri.ts";
import { WindowEdits } from "./windowEdits.ts";
import { WindowFiles, type WindowFilesOptions } from "./windowFiles.ts";
import { WindowLanguages } from "./windowLanguages.ts";
import { WindowTasks } from "./windowTasks.ts";
import { WindowProblems } from "./windowProblems.ts";

/** What the editor has of other features. */
export interface WindowEditorOptions extends WindowFilesOptions {
  /** The newest command that the user ran in a terminal. */
  readonly lastCommand: () => TerminalCommand | undefined;
  readonly extensionTools: EditorView["extensionTools"];
}

/** The editors of the window. */
export class WindowEditor implements EditorView, Disposable {
  readonly languages = new WindowLanguages();
  readonly edits = new WindowEdits();
  readonly tasks = new WindowTasks();
  readonly problems = new WindowProblems(this.languages);
  readonly files: WindowFiles;
  readonly extensionTools: EditorView["extensionTools"];
  readonly lastCommand: EditorView["lastCommand"];

  constructor({ lastCommand, extensionTools, ...options }: WindowEditorOptions) {
    this.files = new WindowFiles(options);
    this.lastCommand = lastCommand;
    this.extensionTools = extensionTools;
  }

  openEditors(): readonly OpenEditor[] {
    const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
    const active = activeTextEditor?.document.uri.toString();
    const tabs = tabGroups.all.flatMap(({ tabs: ofGroup }) => ofGroup).flatMap(tabUri);
    const shown = visibleTextEditors.map(({ document }) => document.uri);
    const uris = new Map(
      [...shown, ...tabs].filter(({ scheme }) => scheme === "file").map(uri => [uri.toString(), uri]),
    );
    return [...uris].map(([key, uri]): OpenEditor => {
      const editors = visibleTextEditors.filter(({ document }) => document.uri.toString() === key);
      return {
        path: uri.fsPath,
        isActive: key === active,
        isVisible: editors.length > 0,
        hasUnsavedChanges: this.hasUnsavedText(uri.fsPath),
        ...(editors.length > 0 && {
          visibleLines: editors.flatMap(({ visibleRanges }) =>
            visibleRanges.map(({ start, end }) => [start.line + 1, end.line + 1] as const),
          ),
          selections: editors.flatMap(({ document, selections }) =>
            selections.map(selection => ({ ...codeRange(selection), text: document.getText(selection) })),
          ),
        }),
      };
    });
  }

  hasUnsavedText(path: string): boolean {
    return documentWithTextOf(path)?.isDirty === true;
  }

  spelled(path: string): string {
    return vscode.Uri.file(path).fsPath;
  }

  dispose(): void {
    this.problems.dispose();
  }
}
