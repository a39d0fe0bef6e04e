// The question card: answered on purpose only, by mouse and by keyboard.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Intent } from "../../src/panel/intents.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { ask, busy, editAsk, permissions, snapshot, view } from "./scenes.ts";

/** The card above the composer. */
const pinned = (panel: PanelPage): Locator => panel.page.locator("parley-asks");

describe("the question card", () => {
  usePanel();
  const frozen = { frozen: true };
  const answers = async (panel: PanelPage): Promise<Intent[]> =>
    (await panel.intents()).filter(intent => intent.type === "answer");
  const focusedName = (panel: PanelPage): Promise<string | null> =>
    panel.page.evaluate(
      () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? "",
    );

  it("shows what will run in full, where, and the agent's options in its order", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const card = panel.page.getByRole("group", { name: "Run npm test?" });
    await card.getByText("npm test -- --reporter dot && echo done").waitFor();
    await card.getByText("in /home/ada/shop").waitFor();
    await card.getByText("1 of 2").waitFor();
    const names = await Promise.all(
      ["Allow", "Always Allow", "Reject"].map(name => card.getByRole("button", { name, exact: true }).count()),
    );
    assert.deepEqual(names, [1, 1, 1]);
    assert.deepEqual(
      (await card.getByRole("button").allTextContents()).map(text => text.replace(/\s+/g, " ").trim()),
      ["Allow1", "Always Allow2", "Reject3"],
    );
  });

  it("says why it asks, hides secrets, and makes a rule of the answer when asked to", async () => {
    const panel = await openPanel([snapshot(permissions)]);
    const card = panel.page.getByRole("group", { name: "Publish the package" });
    await card.getByText("A rule asks about this: ask command “npm publish”.").waitFor();
    await card.getByText("NPM_TOKEN=•••").waitFor();
    await card.getByRole("button", { name: "Create Rule…" }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "always", ask: "a1" });
    assert.deepEqual(await answers(panel), []);
  });

  it("offers no rule where none can be made", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.page.getByRole("group", { name: "Run npm test?" }).waitFor();
    assert.equal(await panel.page.getByRole("button", { name: "Create Rule…" }).count(), 0);
  });

  it("a click answers, once, and shows which option was pressed", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const allow = pinned(panel).getByRole("button", { name: "Allow", exact: true });
    await allow.click();
    assert.equal(await allow.getAttribute("aria-pressed"), "true");
    await pinned(panel).getByRole("button", { name: "Reject" }).click({ force: true });
    assert.deepEqual(await answers(panel), [{ type: "answer", ask: "a1", option: "once" }]);
  });

  it("a number key answers only with the focus in the card", async () => {
    const panel = await openPanel([snapshot(busy)], frozen);
    await panel.composer.press("1");
    assert.equal(await panel.composer.inputValue(), "1");
    assert.deepEqual(await answers(panel), []);
    await pinned(panel).getByRole("button", { name: "Reject" }).focus();
    await panel.page.keyboard.press("3");
    assert.deepEqual(await answers(panel), [{ type: "answer", ask: "a1", option: "no" }]);
  });

  it("allowing by key waits half a second after the focus came", async () => {
    const panel = await openPanel([snapshot(busy)], frozen);
    const allow = pinned(panel).getByRole("button", { name: "Allow", exact: true });
    await allow.focus();
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("1");
    await panel.page.keyboard.press("Space");
    await panel.page.clock.runFor(499);
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await answers(panel), []);
    await panel.page.clock.runFor(1);
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await answers(panel), [{ type: "answer", ask: "a1", option: "once" }]);
  });

  it("the wait starts anew for a question that takes the place of another", async () => {
    const panel = await openPanel([snapshot(busy)], frozen);
    await pinned(panel).getByRole("button", { name: "Reject" }).focus();
    await panel.page.clock.runFor(2000);
    await panel.patch({ op: "head", head: { asks: [editAsk] } });
    await panel.page.getByRole("group", { name: "Edit src/sum.js?" }).waitFor();
    assert.match((await focusedName(panel)) ?? "", /^Allow/);
    await panel.page.keyboard.press("1");
    assert.deepEqual(await answers(panel), []);
    await panel.page.clock.runFor(500);
    await panel.page.keyboard.press("1");
    assert.deepEqual(await answers(panel), [{ type: "answer", ask: "a2", option: "once" }]);
  });

  it("Escape does not answer, and a held key does not either", async () => {
    const panel = await openPanel([snapshot(busy)], frozen);
    await pinned(panel).getByRole("button", { name: "Allow", exact: true }).focus();
    await panel.page.clock.runFor(1000);
    await panel.page.keyboard.press("Escape");
    await panel.page.keyboard.press("Control+1");
    assert.deepEqual(await panel.intents(), []);
    await panel.page.getByRole("group", { name: "Run npm test?" }).waitFor();
  });

  it("the focus stays where it is when a question comes", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.fill("typing");
    await panel.patch({ op: "head", head: { asks: [ask] } });
    await panel.page.getByRole("group", { name: "Run npm test?" }).waitFor();
    assert.equal(await focusedName(panel), "Message");
  });

  it("after the answer the focus goes to the next question, then to the composer", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await pinned(panel).getByRole("button", { name: "Reject" }).click();
    await panel.patch({ op: "head", head: { asks: [editAsk] } });
    assert.match((await focusedName(panel)) ?? "", /^Allow/);
    await pinned(panel).getByRole("button", { name: "Reject" }).click();
    await panel.patch({ op: "head", head: { asks: [] } });
    assert.equal(await focusedName(panel), "Message");
  });

  it("a question about an edit shows its diff, which opens in the diff editor", async () => {
    const panel = await openPanel([snapshot({ ...busy, head: { ...busy.head, asks: [editAsk] } })]);
    const card = panel.page.getByRole("group", { name: "Edit src/sum.js?" });
    assert.equal(await card.locator(".diff-line.add").count(), 2);
    await card.getByRole("button", { name: "Open Diff" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "openDiff", entry: "c9", part: 0 }]);
  });

  it("the options stay in sight however long the command is, at 280 pixels", async () => {
    const long = { ...ask, command: "echo ".repeat(4000), title: "Run a long command ".repeat(20).trim() };
    const panel = await openPanel([snapshot(view([], { asks: [long] }))], { width: 280, height: 500 });
    await pinned(panel).getByRole("button", { name: "Reject" }).click();
    await panel.composer.click();
    assert.deepEqual(await answers(panel), [{ type: "answer", ask: "a1", option: "no" }]);
  });

  it("the host may send the focus to the question", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.post({ type: "focus", target: "ask" });
    assert.match((await focusedName(panel)) ?? "", /^Allow/);
    await panel.post({ type: "focus", target: "composer" });
    assert.equal(await focusedName(panel), "Message");
  });

  it("a question is spoken when it comes", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.patch({ op: "head", head: { asks: [ask] } });
    await panel.page.locator(".speech", { hasText: "Question from Demo Agent: Run npm test?" }).waitFor();
  });
});
