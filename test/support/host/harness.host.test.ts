// Checks the harness itself: a real extension host with Parley in it, and only the API that users have.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as vscode from "vscode";

const parley = (): vscode.Extension<unknown> => {
  const extension = vscode.extensions.getExtension("parley.parley");
  assert.ok(extension, "Parley is not installed in this VS Code.");
  return extension;
};

describe("the extension host", () => {
  it("activates Parley", async () => {
    await parley().activate();
    assert.equal(parley().isActive, true);
  });

  it("runs at least the oldest VS Code that the manifest names", () => {
    const manifest = parley().packageJSON as { readonly engines: { readonly vscode: string } };
    const [wanted, actual] = [manifest.engines.vscode.replace("^", ""), vscode.version].map(version =>
      version.split(".").slice(0, 2).map(Number),
    );
    assert.ok(wanted && actual);
    assert.ok(
      actual[0]! > wanted[0]! || (actual[0] === wanted[0] && actual[1]! >= wanted[1]!),
      `${vscode.version} is older than ${manifest.engines.vscode}.`,
    );
  });

  it("registers every command that the manifest contributes", async () => {
    await parley().activate();
    const manifest = parley().packageJSON as {
      readonly contributes?: { readonly commands?: readonly { readonly command: string }[] };
    };
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = (manifest.contributes?.commands ?? []).filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  it("opens a writable workspace folder", async () => {
    const folder = vscode.workspace.workspaceFolders?.[0];
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder.uri, "written-by-a-test.txt");
    await vscode.workspace.fs.writeFile(file, Buffer.from("hello"));
    assert.equal((await vscode.workspace.openTextDocument(file)).getText(), "hello");
    await vscode.workspace.fs.delete(file);
  });

  it("refuses proposed API, like stable VS Code", () => {
    // Deliberately not declared by @types/vscode: the function exists, and calling it must throw.
    const proposed = vscode.workspace as unknown as { findFiles2(patterns: readonly string[]): unknown };
    assert.equal(typeof proposed.findFiles2, "function");
    assert.throws(() => proposed.findFiles2(["**/*"]), /proposed|API proposal/i);
  });

  it("can start processes", () => {
    const output = execFileSync(process.execPath, ["--version"], {
      encoding: "utf8",
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
    });
    assert.match(output, /^v\d+/);
  });
});
