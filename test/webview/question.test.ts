// The question card: answers by mouse and keyboard, and guards against accidental answers.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Intent } from "../../src/panel/intents.ts";
import { openPanel, picture, usePanel, type PanelPage } from "./panelPage.ts";
import { ask, busy, editAsk, permissions, snapshot, view } from "./scenes.ts";

/** The card above the composer. */
const pinned = (panel: PanelPage): Locator => panel.page.locator("parley-question");

describe("the question card", () => {
  usePanel();
  const frozen = { frozen: true };
  const answers = async (panel: PanelPage): Promise<Intent[]> =>
    (await panel.intents()).filter(intent => intent.type === "answer");
  const focusedName = (panel: PanelPage): Promise<string | null> =>
    panel.page.evaluate(
      () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? "",
    );

  it("shows the full command, its folder, and the options in the agent's order", async () => {
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
      (await card.locator(".options").getByRole("button").allTextContents()).map(text =>
        text.replace(/\s+/g, " ").trim(),
      ),
      ["Allow1", "Always Allow2", "Reject3"],
    );
  });

  it("shows the arguments that stay beside a sentence of the agent", async () => {
    const input = { type: "json", label: "Input", text: '{\n  "old_string": "let i = 1;"\n}', folded: false } as const;
    const parts = [{ type: "text", text: "Requesting approval" } as const, input];
    const panel = await openPanel([snapshot(view(busy.entries, { ...busy.head, questions: [{ ...editAsk, parts }] }))]);
    await pinned(panel).getByText('"old_string": "let i = 1;"').waitFor();
  });

  it("shows the reason, masks secrets, and can create a rule", async () => {
    const panel = await openPanel([snapshot(permissions)]);
    const card = panel.page.getByRole("group", { name: "Publish the package" });
    await card.getByText("A rule asks about this: ask command “npm publish”.").waitFor();
    await card.getByText("NPM_TOKEN=•••").waitFor();
    await card.getByRole("button", { name: "Create Rule…" }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "always", question: "a1" });
    assert.deepEqual(await answers(panel), []);
  });

  it("opens the plan that it asks to approve, which answers nothing", async () => {
    const ask = { ...editAsk, plan: "tool:t" };
    const panel = await openPanel([snapshot(view(busy.entries, { ...busy.head, questions: [ask] }))]);
    await pinned(panel).getByRole("button", { name: "Comment…" }).click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "openPlan", plan: "tool:t" });
    assert.deepEqual(await answers(panel), []);
    assert.equal(await pinned(panel).getByRole("button", { name: "Comment…" }).getAttribute("aria-disabled"), null);
    await picture(panel, "plan-approval");
  });

  it("does not offer a rule if none can be created", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.page.getByRole("group", { name: "Run npm test?" }).waitFor();
    assert.equal(await panel.page.getByRole("button", { name: "Create Rule…" }).count(), 0);
  });

  it("can allow all edits of the session, once, and not by a key that was meant for something else", async () => {
    const ask = { ...editAsk, edits: true } as const;
    const panel = await openPanel([snapshot(view(busy.entries, { ...busy.head, questions: [ask] }))], frozen);
    const allow = pinned(panel).getByRole("button", { name: "Allow All Edits in This Session" });
    const allowed = async () => (await panel.intents()).filter(({ type }) => type === "allowAllEdits");
    await allow.press("Enter");
    assert.deepEqual(await allowed(), []);
    await panel.page.clock.runFor(600);
    await allow.press("Enter");
    assert.deepEqual(await allowed(), [{ type: "allowAllEdits", isOn: true }]);
    assert.equal(await allow.getAttribute("aria-disabled"), "true");
    await allow.click({ force: true });
    await pinned(panel).getByRole("button", { name: "Allow", exact: true }).click({ force: true });
    assert.deepEqual([(await allowed()).length, await answers(panel)], [1, []]);
  });

  it("does not offer to allow all edits if it is no such edit", async () => {
    const panel = await openPanel([snapshot(view(busy.entries, { ...busy.head, questions: [editAsk] }))]);
    await pinned(panel).waitFor();
    assert.equal(await panel.page.getByRole("button", { name: /All Edits/ }).count(), 0);
  });

  it("a click answers once and shows the chosen option", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const allow = pinned(panel).getByRole("button", { name: "Allow", exact: true });
    await allow.click();
    assert.equal(await allow.getAttribute("aria-pressed"), "true");
    await pinned(panel).getByRole("button", { name: "Reject" }).click({ force: true });
    assert.deepEqual(await answers(panel), [{ type: "answer", question: "a1", option: "once" }]);
  });

  it("a number key answers only if the focus is in the card", async () => {
    const panel = await openPanel([snapshot(busy)], frozen);
    await panel.composer.press("1");
    assert.equal(await panel.composer.inputValue(), "1");
    assert.deepEqual(await answers(panel), []);
    await pinned(panel).getByRole("button", { name: "Reject" }).focus();
    await panel.page.keyboard.press("3");
    assert.deepEqual(await answers(panel), [{ type: "answer", question: "a1", option: "no" }]);
  });

  for (const [layout, key] of [
    ["French", '"'],
    ["Persian", "۳"],
  ] as const)
    it(`a number key answers on a ${layout} keyboard`, async () => {
      const panel = await openPanel([snapshot(busy)], frozen);
      const allow = pinned(panel).getByRole("button", { name: "Allow", exact: true });
      await allow.focus();
      await panel.page.clock.runFor(1000);
      await allow.evaluate((button, typed) => {
        for (const code of ["Quote", "Digit3"])
          button.dispatchEvent(new KeyboardEvent("keydown", { key: typed, code, bubbles: true, cancelable: true }));
      }, key);
      assert.deepEqual(await answers(panel), [{ type: "answer", question: "a1", option: "no" }]);
    });

  it("a key allows only half a second after the card got the focus", async () => {
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
    assert.deepEqual(await answers(panel), [{ type: "answer", question: "a1", option: "once" }]);
  });

  it("the wait restarts for a question that replaces another", async () => {
    const panel = await openPanel([snapshot(busy)], frozen);
    await pinned(panel).getByRole("button", { name: "Reject" }).focus();
    await panel.page.clock.runFor(2000);
    await panel.patch({ op: "head", head: { questions: [editAsk] } });
    await panel.page.getByRole("group", { name: "Edit src/sum.js?" }).waitFor();
    assert.match((await focusedName(panel)) ?? "", /^Allow/);
    await panel.page.keyboard.press("1");
    assert.deepEqual(await answers(panel), []);
    await panel.page.clock.runFor(500);
    await panel.page.keyboard.press("1");
    assert.deepEqual(await answers(panel), [{ type: "answer", question: "a2", option: "once" }]);
  });

  it("neither Escape nor a held key answers", async () => {
    const panel = await openPanel([snapshot(busy)], frozen);
    await pinned(panel).getByRole("button", { name: "Allow", exact: true }).focus();
    await panel.page.clock.runFor(1000);
    await panel.page.keyboard.press("Escape");
    await panel.page.keyboard.press("Control+1");
    assert.deepEqual(await panel.intents(), []);
    await panel.page.getByRole("group", { name: "Run npm test?" }).waitFor();
  });

  it("the focus does not move when a question arrives", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.fill("typing");
    await panel.patch({ op: "head", head: { questions: [ask] } });
    await panel.page.getByRole("group", { name: "Run npm test?" }).waitFor();
    assert.equal(await focusedName(panel), "Message");
  });

  it("after an answer the focus moves to the next question, and after the last to the composer", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await pinned(panel).getByRole("button", { name: "Reject" }).click();
    await panel.patch({ op: "head", head: { questions: [editAsk] } });
    assert.match((await focusedName(panel)) ?? "", /^Allow/);
    await pinned(panel).getByRole("button", { name: "Reject" }).click();
    await panel.patch({ op: "head", head: { questions: [] } });
    assert.equal(await focusedName(panel), "Message");
  });

  it("a question about an edit shows the diff, which opens in the diff editor", async () => {
    const panel = await openPanel([snapshot({ ...busy, head: { ...busy.head, questions: [editAsk] } })]);
    const card = panel.page.getByRole("group", { name: "Edit src/sum.js?" });
    assert.equal(await card.locator(".diff-line.add").count(), 2);
    await card.getByRole("button", { name: "Open Diff" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "openDiff", entry: "c9", part: 0 }]);
  });

  it("the options stay visible with a long command at 280 pixels", async () => {
    const long = { ...ask, command: "echo ".repeat(4000), title: "Run a long command ".repeat(20).trim() };
    const panel = await openPanel([snapshot(view([], { questions: [long] }))], { width: 280, height: 500 });
    await pinned(panel).getByRole("button", { name: "Reject" }).click();
    await panel.composer.click();
    assert.deepEqual(await answers(panel), [{ type: "answer", question: "a1", option: "no" }]);
  });

  it("the options stay visible after one with a long name", async () => {
    const [allow, ...others] = ask.options;
    const options = [{ ...allow, id: "once", kind: "allow_once", name: "Allow this command ".repeat(60) }, ...others];
    const panel = await openPanel([snapshot(view([], { questions: [{ ...ask, options }] }))], {
      width: 280,
      height: 500,
    });
    const reject = pinned(panel).getByRole("button", { name: "Reject" });
    const [top, bottom] = await Promise.all([pinned(panel).locator(".options").boundingBox(), reject.boundingBox()]);
    assert.ok(top && bottom && bottom.y + bottom.height <= top.y + top.height, "it needs no scrolling");
    await reject.click();
    assert.deepEqual(await answers(panel), [{ type: "answer", question: "a1", option: "no" }]);
  });

  it("the host can focus the question", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.post({ type: "focus", target: "question" });
    assert.match((await focusedName(panel)) ?? "", /^Allow/);
    await panel.post({ type: "focus", target: "composer" });
    assert.equal(await focusedName(panel), "Message");
  });

  it("a new question is announced", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.patch({ op: "head", head: { questions: [ask] } });
    await panel.page.locator(".speech", { hasText: "Question from Demo Agent: Run npm test?" }).waitFor();
  });
});
