// The panel while an agent starts, and the sign-out in the menu of agents.
import assert from "node:assert/strict";
import { openPanel, usePanel } from "./panelPage.ts";
import { busy, scenes, snapshot, view } from "./scenes.ts";

describe("the panel of an agent", () => {
  usePanel();

  it("a silent agent is awaited by name, or its model after a retry, for the time since its last report", async () => {
    const panel = await openPanel([snapshot(view([]))], { frozen: true });
    const status = panel.page.locator(".status-line");
    const now = await panel.page.evaluate(() => Date.now());
    const running = { state: "running", since: now - 60_000, cancelling: false };
    const activity = (more: object): Promise<void> =>
      panel.patch({ op: "head", head: { activity: { ...running, ...more } } });
    await activity({});
    await panel.page.clock.runFor(50);
    await status.filter({ hasText: /^\s*Working…\s+1 min/ }).waitFor();
    await activity({ silentSince: now - 12_000 });
    await panel.page.clock.runFor(50);
    await status.filter({ hasText: /^\s*Waiting for Demo Agent\s+12 s/ }).waitFor();
    await panel.page.locator(".speech", { hasText: "Waiting for Demo Agent" }).waitFor({ state: "attached" });
    // The line is painted once a second.
    await panel.page.evaluate(() => {
      const line = document.querySelector(".status-line") as Node;
      const counts = window as unknown as { painted: number };
      counts.painted = 0;
      const options = { childList: true, subtree: true, characterData: true };
      new MutationObserver(() => counts.painted++).observe(line, options);
    });
    await panel.page.clock.runFor(5000);
    await status.filter({ hasText: /Waiting for Demo Agent\s+17 s/ }).waitFor();
    const painted = await panel.page.evaluate(() => (window as unknown as { painted: number }).painted);
    assert.ok(painted > 0 && painted <= 5, `${painted} paints in 5 s`);
    await activity({ silentSince: now - 12_000, isRetrying: true });
    await panel.page.clock.runFor(50);
    await status.filter({ hasText: "Waiting for the model" }).waitFor();
  });

  it("an agent that was not started since the reload starts with the next message, except if it was removed", async () => {
    const head = { title: "Fix the sum", connection: { state: "closed" } } as const;
    const panel = await openPanel([snapshot(view(busy.entries, head))]);
    const status = panel.page.locator(".status-line");
    await status.filter({ hasText: "Demo Agent starts with your next message." }).waitFor();
    await panel.patch({ op: "head", head: { isReadOnly: true } });
    await status.filter({ hasText: "Demo Agent is not running." }).waitFor();
  });

  it("a start that takes longer than its limit asks whether to keep waiting, to stop or to check the agent", async () => {
    const panel = await openPanel(scenes["starting"] ?? []);
    const agents = [{ id: "demo", name: "Demo Agent", startTimeout: 60 }];
    const began = await panel.page.evaluate(() => Date.now());
    const connect = (ago: number): Promise<void> =>
      panel.patch({ op: "head", head: { agents, connection: { state: "connecting", since: began - ago } } });
    const status = panel.page.locator(".status-line");
    const late = status.getByRole("status").filter({ hasText: "Demo Agent has not answered within 1 min" });
    await connect(30_000);
    await status.filter({ hasText: /Connecting to Demo Agent… 3\d s/ }).waitFor();
    await connect(61_000);
    await late.waitFor();
    await status.getByRole("button", { name: "Keep Waiting" }).click();
    await status.filter({ hasText: "Connecting to Demo Agent… 1 min" }).waitFor();
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await connect(62_000);
    await status.getByRole("button", { name: "Check Agent" }).click();
    await status.getByRole("button", { name: "Stop" }).click();
    const check = { type: "nextStep", step: "checkAgent" };
    assert.deepEqual(await panel.intents(), [check, { type: "cancelConnecting" }]);
  });

  it("the question of a late start is fully visible in a narrow panel that lists many agents", async () => {
    const name = "Bad at-start launch:garbage";
    const agents = ["demo", ..."abcdefgh"].map(id => ({ id, name, description: "words", startTimeout: 5 }));
    const messages = [snapshot(view([], { agents, agent: { id: "demo", name } }))];
    const panel = await openPanel(messages, { width: 280, height: 560 });
    const since = await panel.page.evaluate(() => Date.now() - 9000);
    await panel.patch({ op: "head", head: { connection: { state: "connecting", since, detail: "robo: starting" } } });
    const line = panel.page.locator(".status-line");
    await line.getByRole("button", { name: "Keep Waiting" }).waitFor();
    const words = line.locator(".status-words > span").last();
    assert.equal(await words.evaluate(each => each.scrollHeight - each.clientHeight), 0, "pixels that are hidden");
  });

  it("a download by npx shows the time and the last line of npm", async () => {
    const panel = await openPanel(scenes["starting"] ?? []);
    const detail = "npm warn exec The following package was not found and will be installed: a-cli@1.0.0";
    const since = await panel.page.evaluate(() => Date.now() - 72_000);
    await panel.patch({ op: "head", head: { connection: { state: "connecting", since, detail } } });
    await panel.page.locator(".status-line", { hasText: "Downloading Demo Agent with npm… 1 min" }).waitFor();
    await panel.page.getByText(detail).waitFor();
  });

  it("the menu of agents offers to sign out of the agent that can", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const picker = panel.page.getByRole("button", { name: "Agent: Demo Agent", exact: true });
    const signOut = panel.page.getByRole("menuitem", { name: "Sign Out of Demo Agent" });
    await picker.click();
    await panel.page.getByRole("menuitemradio", { name: "Demo Agent" }).waitFor();
    assert.equal(await signOut.count(), 0);
    const agents = [{ id: "demo", name: "Demo Agent", canSignOut: true as const }];
    await panel.patch({ op: "head", head: { agents } });
    await signOut.click();
    assert.deepEqual(await panel.intents(), [{ type: "signOut" }]);
  });
});
