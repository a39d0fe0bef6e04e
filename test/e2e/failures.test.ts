// Agents that do not start, in the real VS Code: the ways that lead out of the panel. test/joined/failures.test.ts has the
// failures in the panel.
import assert from "node:assert/strict";
import { chooseAgent as choose, withAgents } from "./agents.ts";
import { runCommand, screenshot } from "./harness.ts";

describe("an agent that does not start", () => {
  it("leads to the settings and to a check by buttons, and the report of the check can be copied", async () => {
    const { page, panel, errors } = await withAgents();
    await choose(panel, "missing");
    const problem = panel.getByRole("group", { name: "Problem" });
    await problem.getByRole("button", { name: "Open Settings" }).click();
    const settings = page.locator(".settings-editor");
    await settings.locator(".setting-item-contents", { hasText: "Parley: Agents" }).waitFor();
    await screenshot(page, "open-settings");
    await problem.getByRole("button", { name: "Check Agent" }).click();
    await page.locator(".editor-instance .view-lines").getByText("does not work").waitFor();
    await screenshot(page, "agent-check");
    // An automated VS Code keeps its toasts in the notification list.
    await runCommand(page, "Notifications: Show Notifications");
    await page.locator(".notifications-center").getByRole("button", { name: "Copy Report" }).click();
    assert.deepEqual(errors, []);
  });

  it("keeps the terminal of a sign-in that failed open until the user has read it", async () => {
    const { page, panel, errors } = await withAgents();
    await choose(panel, "auth-fails");
    const banner = panel.getByRole("group", { name: "Problem" });
    await banner.getByRole("button", { name: "Log in at the terminal" }).click();
    const terminal = page.locator(".terminal-outer-container .xterm-rows");
    await terminal.getByText("bad-agent: the code has expired").waitFor();
    await terminal.getByText("Press Enter to close this terminal.").waitFor();
    await banner.getByText("Signing in with “Log in at the terminal”…").waitFor();
    await screenshot(page, "sign-in-failed");
    await page.keyboard.press("Enter");
    await terminal.waitFor({ state: "detached" });
    const refusal = page.getByText("its sign-in program ended with code 1. Try again, or choose another way.");
    await refusal.first().waitFor();
    await banner.getByRole("button", { name: "Log in at the terminal" }).waitFor();
    await screenshot(page, "sign-in-refused");
    const unexpected = errors.filter(error => !error.startsWith("Bad Agent did not sign you in"));
    assert.deepEqual(unexpected, [], "VS Code doesn't report the program");
  });
});
