// The editor as the tools see it, through the API of VS Code.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import { documentWithTextOf } from "../../editor/openDocuments.ts";
import type { EditorView, OpenEditor } from "../editorView.ts";
import { codeRange } from "./codeRange.ts";
import { tabUri } from "./tabUri.ts";
import { WindowLanguages } from "./windowLanguages.ts";
import { WindowProblems } from "./windowProblems.ts";

/** The editors of the window. */
export class WindowEditor implements EditorView, Disposable {
  readonly languages = new WindowLanguages();
  readonly problems = new WindowProblems(this.languages);

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
