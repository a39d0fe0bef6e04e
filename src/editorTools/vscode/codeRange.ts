// Ranges of VS Code as tools name them.
import type * as vscode from "vscode";
import type { CodeRange } from "../editorView.ts";

/** The range with 1-based lines and columns. */
export const codeRange = ({ start, end }: vscode.Range): CodeRange => ({
  ...{ line: start.line + 1, column: start.character + 1 },
  ...{ endLine: end.line + 1, endColumn: end.character + 1 },
});
