// The package as users get it: packed, installed into a real VS Code, and used in a folder that is untrusted at first.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "../../scripts/tools/pack.mjs";
import { answerTrust, openChat, openWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

/** The package of a release that is tested instead of a new one. `npm run release` sets it. */
const releasedPackage = process.env["PARLEY_VSIX"];

describe("the packaged extension", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-vsix-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("installs without node_modules, starts nothing in an untrusted workspace and explains why, and runs the demo agent once the workspace is trusted", async () => {
    const vsix = releasedPackage ?? join(folder, "parley.vsix");
    if (!releasedPackage) pack(vsix);
    const { page, errors } = await openWorkbench({ vsix, trust: true });
    await answerTrust(page, false);
    await page.getByText("Restricted Mode").first().waitFor();
    const panel = await openChat(page);
    await panel.getByText(/Parley doesn't start agents in untrusted workspaces/).waitFor();
    await scene(page, "untrusted");
    await panel.getByRole("button", { name: "Manage Workspace Trust" }).click();
    await page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await panel.getByText(/This workspace is not trusted/).waitFor({ state: "hidden" });
    await panel.getByRole("textbox", { name: "Message" }).fill("hello");
    await panel.getByRole("textbox", { name: "Message" }).press("Enter");
    await panel
      .getByRole("log", { name: "Conversation" })
      .getByText(/I am the demo agent/)
      .first()
      .waitFor();
    // When a workspace becomes trusted, VS Code registers some of its own extensions twice and logs a message.
    assert.deepEqual(
      errors.filter(error => !/Extension `vscode\.[\w-]+` is already registered/.test(error)),
      [],
    );
  });
});
