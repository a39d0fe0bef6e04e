// The queued prompts above the composer: edited, reordered, sent immediately and removed.
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
