// The lightbulb of a problem. VS Code asks for its actions all the time, so this file loads nothing else.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";

/**
 * The code action "Fix with Parley" for problems. It runs the command `parley.fixWithChat` with the file and its
 * problems.
 */
export function registerFixActions(): Disposable {
  const provider: vscode.CodeActionProvider = {
    provideCodeActions(document, _range, { diagnostics }) {
      if (diagnostics.length === 0) return [];
      const action = new vscode.CodeAction(vscode.l10n.t("Fix with Parley"), vscode.CodeActionKind.QuickFix);
      action.diagnostics = [...diagnostics];
      action.command = {
        command: "parley.fixWithChat",
        title: action.title,
        arguments: [document.uri, diagnostics],
      };
      return [action];
    },
  };
  const metadata = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  return vscode.languages.registerCodeActionsProvider([{ scheme: "file" }, { scheme: "untitled" }], provider, metadata);
}
