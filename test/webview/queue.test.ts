// The queued prompts above the composer: edited, reordered, put on hold, sent immediately and removed.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { START, snapshot, view } from "./scenes.ts";

const activity = { state: "running", since: START, cancelling: false } as const;
const one = { id: "s1", text: "one", sent: false };
const two = { id: "s2", text: "two", attachments: ["sum.js", "Image"], sent: false };
const three = { id: "s3", text: "three", sent: false };
const out = { id: "s0", text: "zero", sent: true };

const open = (): Promise<PanelPage> => openPanel([snapshot(view([], { activity, queue: [out, one, two, three] }))]);
const button = (panel: PanelPage, name: string): Locator => panel.page.getByRole("button", { name, exact: true });
const focused = (panel: PanelPage, name: string): Promise<void> =>
  button(panel, name).and(panel.page.locator(":focus")).waitFor();

describe("the queue", () => {
  usePanel();

  it("is one tab stop; rows move by buttons and by Alt with arrow keys, and keep the focus", async () => {
    const panel = await open();
    await button(panel, "Edit: one").focus();
    await panel.page.keyboard.press("ArrowRight");
    await focused(panel, "Move up: one");
    assert.equal(await button(panel, "Move up: one").getAttribute("aria-disabled"), "true");
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("Alt+ArrowDown");
    await panel.patch({ op: "head", head: { queue: [out, two, one, three] } });
    await focused(panel, "Move up: one");
    await panel.page.keyboard.press("Enter");
    await panel.patch({ op: "head", head: { queue: [out, one, two, three] } });
    await button(panel, "Move down: two").focus();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [
      { type: "moveQueued", prompt: "s1", before: "s3" },
      { type: "moveQueued", prompt: "s1", before: "s2" },
      { type: "moveQueued", prompt: "s2" },
    ]);
    assert.equal(await panel.page.locator(".queue button[tabindex='0']").count(), 1);
    assert.equal(await button(panel, "Edit: zero").count(), 0);
    await panel.patch({ op: "head", head: { queue: [] } });
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
  });

  it("lets the user ask for a prompt back that the agent holds, and not for one that it has accepted", async () => {
    const held = { id: "s9", text: "nine", sent: true, isHeld: true } as const;
    const panel = await openPanel([snapshot(view([], { activity, queue: [out, held] }))]);
    assert.equal(await button(panel, "Ask the agent to give it back: zero").count(), 0);
    await button(panel, "Ask the agent to give it back: nine").click();
    assert.deepEqual(await panel.intents(), [{ type: "withdraw", prompt: "s9" }]);
  });

  it("puts a prompt on hold by mouse and releases it by keyboard; the state is shown in words, and the button keeps the focus", async () => {
    const panel = await open();
    const { keyboard } = panel.page;
    await panel.page.getByText("two", { exact: true }).hover();
    await button(panel, "Hold: two").click();
    await panel.patch({ op: "head", head: { queue: [out, one, { ...two, isOnHold: true }, three] } });
    const row = panel.page.getByRole("listitem").filter({ hasText: "two" });
    await row.getByText("On hold", { exact: true }).waitFor();
    assert.equal(await panel.page.getByText("On hold", { exact: true }).count(), 1);
    assert.equal(await button(panel, "Hold: zero").count(), 0);
    await focused(panel, "Release: two");
    await keyboard.press("Space");
    await panel.patch({ op: "head", head: { queue: [out, one, two, three] } });
    await focused(panel, "Hold: two");
    await keyboard.press("Home");
    await focused(panel, "Edit: one");
    for (let presses = 0; presses < 3; presses++) await keyboard.press("ArrowRight");
    await focused(panel, "Hold: one");
    await keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [
      { type: "holdQueued", prompt: "s2" },
      { type: "releaseQueued", prompt: "s2" },
      { type: "holdQueued", prompt: "s1" },
    ]);
  });

  it("shows Release without the mouse over the row, and says at Send that a message goes behind the one on hold", async () => {
    const panel = await openPanel([snapshot(view([], { queue: [{ ...one, isOnHold: true }, three] }))]);
    assert.ok((await button(panel, "Release: one").boundingBox())?.width);
    const send = panel.page.getByRole("button", { name: "Send", exact: true });
    assert.equal(await send.getAttribute("title"), "Add to Queue");
    await panel.patch({ op: "head", head: { queue: [three, { ...one, isOnHold: true }] } });
    await panel.page.getByRole("button", { name: "Send", exact: true, disabled: true }).waitFor();
    await panel.page.waitForFunction(() => document.querySelector(".send")?.getAttribute("title") === "Send (Enter)");
  });

  it("says why a message behind one on hold waits, until that one is released or moved behind it", async () => {
    const held = { ...two, isOnHold: true } as const;
    const panel = await openPanel([snapshot(view([], { activity, queue: [out, one, held, three] }))]);
    const rows = panel.page.getByRole("listitem");
    const reason = panel.page.getByText("Waits until the message on hold before it is released");
    const waiting = rows.filter({ has: reason });
    assert.equal(await waiting.count(), 1);
    await waiting.getByText("three", { exact: true }).waitFor();
    await waiting.getByText("Waits", { exact: true }).waitFor();
    await panel.patch({ op: "head", head: { queue: [out, one, three, held] } });
    assert.equal(await waiting.count(), 0);
    await panel.patch({ op: "head", head: { queue: [out, held, one, three] } });
    assert.equal(await waiting.count(), 2);
    await panel.patch({ op: "head", head: { queue: [out, two, one, three] } });
    assert.equal(await waiting.count(), 0);
  });

  it("has room for the text of a prompt on hold in a narrow panel, also with all buttons", async () => {
    const long = "Then update the changelog and the documentation";
    const queue = [one, { ...two, text: long, isOnHold: true, canSteer: true }, { ...three, canSteer: true }] as const;
    for (const width of [280, 480])
      for (const theme of ["dark", "light", "hc"] as const) {
        const panel = await openPanel([snapshot(view([], { activity, queue }))], { width, theme });
        const text = panel.page.getByText(long, { exact: true });
        await text.hover();
        await panel.page.screenshot({ path: `out/screenshots/queue-on-hold-${width}-${theme}.png` });
        assert.ok(((await text.boundingBox())?.width ?? 0) > 40, `${width} pixels`);
        assert.ok(await panel.page.getByText("On hold", { exact: true }).isVisible());
        const list = panel.page.getByRole("list", { name: "Queued messages" });
        assert.ok(await list.evaluate(each => each.scrollWidth <= each.clientWidth), "nothing is cut off");
      }
  });

  it("is edited in place: Enter saves, Shift+Enter inserts a line break, Escape cancels without stopping the agent", async () => {
    const panel = await open();
    const box = panel.page.getByRole("textbox", { name: "Edit queued text" });
    await button(panel, "Edit: two").focus();
    await panel.page.keyboard.press("Enter");
    await box.and(panel.page.locator(":focus")).waitFor();
    await panel.page.keyboard.type("!");
    await panel.page.keyboard.press("Escape");
    await focused(panel, "Edit: two");
    assert.deepEqual(await panel.intents(), []);
    await panel.page.keyboard.press("Enter");
    assert.equal(await box.inputValue(), "two");
    await panel.page.getByText("2 attachments").waitFor({ state: "attached" });
    await box.press("Shift+Enter");
    await panel.page.keyboard.type("more");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "editQueued", prompt: "s2", text: "two\nmore" }]);
    await panel.patch({ op: "head", head: { queue: [one, { ...two, text: "two\nmore" }] } });
    await focused(panel, "Edit: two more");
    await button(panel, "Edit: one").press("Enter");
    await box.fill("");
    await button(panel, "Save").click();
    assert.deepEqual((await panel.intents()).at(-1), { type: "withdraw", prompt: "s1" });
  });

  it("says that it is paused, and Resume sends it and moves the focus to the composer", async () => {
    const panel = await open();
    const resume = button(panel, "Resume");
    assert.equal(await resume.count(), 0);
    await panel.patch({ op: "head", head: { queue: [{ ...one, paused: true }] } });
    await panel.page.getByText("Paused").waitFor();
    await resume.focus();
    await panel.page.keyboard.press("ArrowRight");
    await focused(panel, "Edit: one");
    await panel.page.keyboard.press("Home");
    await focused(panel, "Resume");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "resumeQueue" }]);
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await panel.patch({ op: "head", head: { queue: [one] } });
    await resume.waitFor({ state: "hidden" });
  });

  it("returns an edit to the composer if its prompt was sent before the edit was saved", async () => {
    const panel = await open();
    await panel.composer.fill("draft");
    await button(panel, "Edit: one").press("Enter");
    await panel.page.keyboard.type(" and a half");
    await panel.patch({ op: "head", head: { queue: [two, three] } });
    await panel.page.getByRole("alert").getByText("was sent before you saved your edit").waitFor();
    assert.equal(await panel.composer.inputValue(), "one and a half\ndraft");
  });
});
