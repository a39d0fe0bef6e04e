// The keys of the review commands beside those of VS Code.
import assert from "node:assert/strict";
import * as vscode from "vscode";

describe("the keybindings of a review", () => {
  interface Binding {
    readonly key: string;
    readonly command: string;
    readonly when?: string;
  }

  /** The key with its modifiers in VS Code's order. */
  const inOrder = (key: string): string =>
    key.replace("cmd+shift", "shift+cmd").replace("cmd+alt+shift", "shift+alt+cmd").replace("alt+shift", "shift+alt");

  it("do not conflict with VS Code's", async () => {
    const extension = vscode.extensions.getExtension("parley.parley");
    const { contributes } = extension?.packageJSON as {
      contributes: { keybindings: readonly (Binding & { readonly mac: string })[] };
    };
    // In a list, the keys of VS Code have no meaning of their own. Escape cancels a commit message while it is written.
    const own = contributes.keybindings.filter(
      ({ command, when }) =>
        !["parley.find", "parley.cancelCommitMessage"].includes(command) &&
        when?.startsWith("focusedView == parley.sessions") !== true,
    );
    assert.ok(own.length > 20);
    const uri = vscode.Uri.parse("vscode://defaultsettings/keybindings.json");
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const bindings = JSON.parse(text.replace(/^\s*\/\/.*$/gm, "")) as readonly Binding[];
    assert.ok(bindings.length > 500);
    const taken = new Set(bindings.filter(({ command }) => !command.startsWith("parley.")).map(({ key }) => key));
    const keys = own.flatMap(({ key, mac }) => [inOrder(key), inOrder(mac)]);
    assert.deepEqual(
      keys.filter(key => taken.has(key)),
      [],
    );
    const known = new Set(bindings.filter(({ command }) => command.startsWith("parley.")).map(({ key }) => key));
    assert.ok(own.every(({ key, mac }) => known.has(inOrder(key)) || known.has(inOrder(mac))));
  });
});
