// The lightbulb of a problem. VS Code asks for its actions all the time, so this file loads no feature.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import { quickFix } from "../../editor/editorItems.ts";

/**
 * The code action "Fix with Parley" for problems. It runs the command `parley.fixWithChat` with the file and its
 * problems.
 */
export function registerFixActions(): Disposable {
  const provider: vscode.CodeActionProvider = {
    provideCodeActions(document, _range, { diagnostics }) {
      if (diagnostics.length === 0) return [];
      const command = { command: "parley.fixWithChat", arguments: [document.uri, diagnostics] };
      return [quickFix(vscode.l10n.t("Fix with Parley"), command, diagnostics)];
    },
  };
  const metadata = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };
  return vscode.languages.registerCodeActionsProvider([{ scheme: "file" }, { scheme: "untitled" }], provider, metadata);
}
