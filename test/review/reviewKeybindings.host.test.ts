// The keys of the review commands beside those of VS Code.
import assert from "node:assert/strict";
import * as vscode from "vscode";

describe("the keybindings of a review", () => {
  interface Binding {
    readonly key: string;
    readonly command: string;
    readonly when: string;
  }

  it("do not conflict with VS Code's", async () => {
    const extension = vscode.extensions.getExtension("parley.parley");
    const { contributes } = extension?.packageJSON as {
      contributes: { keybindings: readonly (Binding & { readonly mac: string })[] };
    };
    const others = ["parley.find", "parley.toggleFollow"];
    // In a list, the keys of VS Code have no meaning of their own.
    const own = contributes.keybindings.filter(
      ({ command, when }) => !others.includes(command) && !when.startsWith("focusedView == parley.sessions"),
    );
    assert.equal(own.length, 6);
    const uri = vscode.Uri.parse("vscode://defaultsettings/keybindings.json");
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const bindings = JSON.parse(text.replace(/^\s*\/\/.*$/gm, "")) as readonly Binding[];
    assert.ok(bindings.length > 500);
    // VS Code's order of modifiers: ctrl, shift, alt, cmd.
    const taken = new Set(bindings.filter(({ command }) => !command.startsWith("parley.")).map(({ key }) => key));
    const keys = own.flatMap(({ key, mac }) => [key, mac.replace("cmd+shift", "shift+cmd")]);
    assert.deepEqual(
      keys.filter(key => taken.has(key)),
      [],
    );
    const known = new Set(bindings.filter(({ command }) => command.startsWith("parley.")).map(({ key }) => key));
    assert.ok(own.every(({ key, mac }) => known.has(key) || known.has(mac.replace("cmd+shift", "shift+cmd"))));
  });
});
