// The box of a commit message in the Source Control view. The git extension offers only its text, and not its changes, but
// VS Code keeps the text in a document.
import * as vscode from "vscode";
import type { EditorRepository } from "../../git/vscode/gitExtension.ts";
import type { MessageInput } from "../messageBox.ts";

/** The box of the repository. */
export function editorBox({ inputBox, rootUri }: EditorRepository): MessageInput {
  return {
    get value() {
      return inputBox.value;
    },
    set value(text) {
      inputBox.value = text;
    },
    onDidChange: listener =>
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && isBoxOf(document.uri, rootUri)) listener(document.getText());
      }),
  };
}

/** VS Code names the folder of the repository in the address of the document. */
function isBoxOf({ scheme, query }: vscode.Uri, root: vscode.Uri): boolean {
  if (scheme !== "vscode-scm") return false;
  return new URLSearchParams(query).get("rootUri") === root.toString();
}
