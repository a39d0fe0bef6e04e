// A window loads the extension with its first use.
import assert from "node:assert/strict";
import { until } from "../support/fakes/until.ts";
import { openChat, openWorkbench, type Workbench } from "./harness.ts";

/** The extension starts its watchdog when it is loaded. A desktop VS Code doesn't report which process is its host. */
const isLoaded = ({ server }: Workbench): boolean =>
  server.tree().some(({ command }) => /dist[\\/]watchdog\.js/.test(command));

describe("a window of VS Code with Parley", () => {
  it("loads the extension when the chat opens, and not before", async function () {
    // The environment gives the window a server of its own, without the processes of other windows.
    const workbench = await openWorkbench({ env: { PARLEY_TEST: "activation" } });
    const { page, server } = workbench;
    if (process.platform === "win32" || !("extensionHost" in server)) return this.skip();
    await page.locator(".statusbar-item", { hasText: "Parley" }).waitFor();
    assert.equal(isLoaded(workbench), false, "not loaded");

    await openChat(page);
    await page.locator(".statusbar-item", { hasText: "Demo Agent" }).waitFor();
    await until(() => isLoaded(workbench));
  });
});
