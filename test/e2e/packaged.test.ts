// The package as users get it: packed, installed into a real VS Code, and used.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChat, openWorkbench } from "./harness.ts";

describe("the packaged extension", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-vsix-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("runs once it is installed, with its demo agent and no node_modules", async () => {
    const vsix = join(folder, "parley.vsix");
    const options = ["--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository", "-o", vsix];
    execFileSync(process.execPath, ["node_modules/@vscode/vsce/vsce", "package", ...options], { stdio: "ignore" });
    const { page, errors } = await openWorkbench({ vsix });
    const panel = await openChat(page);
    await panel.getByRole("textbox", { name: "Message" }).fill("hello");
    await panel.getByRole("textbox", { name: "Message" }).press("Enter");
    await panel
      .getByRole("log", { name: "Conversation" })
      .getByText(/I am the demo agent/)
      .first()
      .waitFor();
    assert.deepEqual(errors, []);
  });
});
