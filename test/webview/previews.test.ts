// Previews of chips and suggestions, by mouse and keyboard.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Completion } from "../../src/panel/mentionKinds.ts";
import type { ItemPreview } from "../../src/panel/itemPreview.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { busyHead, snapshot, START, view } from "./scenes.ts";

const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
const code = Array.from({ length: 30 }, (_, i) => `export const value${i + 1} = "a line of the file";`).join("\n");
const file: Attachment = {
  id: "file",
  kind: "file",
  label: "sum.js",
  detail: "w/src",
  bytes: 1234,
  source: { type: "path", path: "/w/src/sum.js", line: 3, endLine: 9 },
};
const selection: Attachment = {
  id: "selection",
  kind: "selection",
  label: "a.ts:3-32",
  detail: "w/a.ts",
  source: { type: "text", text: code },
};
const passage: Attachment = {
  id: "passage",
  kind: "conversation",
  label: "Fix the parser of nested lists",
  detail: "Demo Agent · 2026-11-28",
  bytes: 2345,
  source: { type: "text", text: "The user attached a passage of an earlier conversation.", uri: "parley:/x" },
  preview: "It fails at line 3.\n\nThe parser reads tokens.",
};
const image: Attachment = {
  id: "image",
  kind: "image",
  label: "photo.png",
  source: { type: "data", mimeType: "image/png", data: picture },
};
const running = { activity: { state: "running", since: START, cancelling: false } } as const;

const preview = (panel: PanelPage): Locator => panel.page.getByRole("tooltip");
const attach = (panel: PanelPage, ...attachments: readonly Attachment[]): Promise<void> =>
  panel.post({ type: "attached", attachments });
const chip = (panel: PanelPage, label: string): Locator => panel.page.locator(".chip", { hasText: label });
const remove = (panel: PanelPage, label: string): Locator =>
  panel.page.getByRole("button", { name: `Remove ${label}` });

/** Responds to the panel's latest question for a preview, once it has asked about this item. */
async function answer(panel: PanelPage, about: string, content: ItemPreview): Promise<void> {
  await panel.page.waitForFunction(
    wanted => window.play.intents.some(one => one.type === "preview" && JSON.stringify(one.target).includes(wanted)),
    about,
  );
  const asked = (await panel.intents()).findLast(intent => intent.type === "preview");
  assert.ok(asked?.type === "preview" && JSON.stringify(asked.target).includes(about));
  await panel.post({ type: "preview", request: asked.request, preview: content });
}

async function suggest(panel: PanelPage, items: readonly Completion[]): Promise<void> {
  await panel.composer.pressSequentially("@s");
  const asked = (await panel.intents()).findLast(intent => intent.type === "complete");
  assert.ok(asked?.type === "complete");
  await panel.post({ type: "completions", request: asked.request, items });
}

/** Asserts that the preview is above the composer and the list, and within the window. */
async function assertAbove(panel: PanelPage, others: readonly string[]): Promise<void> {
  const box = await preview(panel).boundingBox();
  assert.ok(box && box.y >= 0 && box.x >= 0);
  assert.ok(box.x + box.width <= (panel.page.viewportSize()?.width ?? 0));
  for (const other of others) {
    const { y = 0 } = (await panel.page.locator(other).boundingBox()) ?? {};
    assert.ok(box.y + box.height <= y, `The preview must be above ${other}.`);
  }
}

describe("previews", () => {
  usePanel();

  it("of chips appear below the pointer, can be pointed at, and disappear", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 280 });
    await attach(panel, file, selection, image);
    await chip(panel, "sum.js").hover();
    await preview(panel).getByText("/w/src/sum.js").waitFor();
    await answer(panel, "/w/src/sum.js", { path: "/w/src/sum.js", text: "line 3\nline 4" });
    await preview(panel).getByText("line 4").waitFor();
    assert.match((await preview(panel).textContent()) ?? "", /File/);
    await assertAbove(panel, [".composer"]);
    await preview(panel).hover();
    await chip(panel, "a.ts").hover();
    await preview(panel).getByText("value12 =").waitFor();
    assert.doesNotMatch((await preview(panel).textContent()) ?? "", /value13|line 3/);
    await panel.page.screenshot({ path: "out/screenshots/preview-chip-280.png" });
    await chip(panel, "photo.png").hover();
    await preview(panel).locator("img").waitFor();
    assert.ok(
      await preview(panel)
        .locator("img")
        .evaluate(img => (img as HTMLImageElement).naturalWidth === 10),
    );
    await panel.log.hover({ position: { x: 5, y: 5 } });
    await preview(panel).waitFor({ state: "detached" });
    await panel.assertClean();
  });

  it("of chips appear at the keyboard focus and describe it, and Escape closes them without stopping the agent", async () => {
    const panel = await openPanel([snapshot(view([], { ...busyHead, ...running }))]);
    await attach(panel, selection, image);
    await panel.composer.focus();
    await panel.page.keyboard.press("Shift+Tab");
    await preview(panel).getByText("value1 =").waitFor();
    const described = await remove(panel, "a.ts:3-32").getAttribute("aria-describedby");
    assert.equal(await preview(panel).getAttribute("id"), described);
    await panel.page.keyboard.press("Escape");
    await preview(panel).waitFor({ state: "detached" });
    assert.equal(await remove(panel, "a.ts:3-32").getAttribute("aria-describedby"), null);
    await panel.page.keyboard.press("ArrowRight");
    await preview(panel).locator("img").waitFor();
    await panel.page.keyboard.press("Delete");
    await preview(panel).getByText("value1 =").waitFor();
    await panel.page.keyboard.press("Tab");
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await preview(panel).waitFor({ state: "detached" });
    // Below the pointer, while the text box has the focus.
    await chip(panel, "a.ts").hover();
    await preview(panel).waitFor();
    await panel.composer.press("Escape");
    await preview(panel).waitFor({ state: "detached" });
    assert.deepEqual(await panel.intents(), []);
    await panel.composer.press("Escape");
    assert.deepEqual(await panel.intents(), [{ type: "stop" }]);
  });

  for (const theme of ["dark", "light"] as const)
    it(`of a conversation show the passage, and its chip its title and agent, in the theme ${theme}`, async () => {
      const panel = await openPanel([snapshot(view([]))], { width: 280, theme });
      await attach(panel, passage, file);
      await chip(panel, "Fix the parser").getByText("Demo Agent · 2026-11-28").waitFor();
      await panel.page.screenshot({ path: `out/screenshots/chip-conversation-${theme}-280.png` });
      await chip(panel, "Fix the parser").hover();
      await preview(panel).getByText("The parser reads tokens.").waitFor();
      await preview(panel).getByText("Fix the parser of nested lists · Demo Agent · 2026-11-28").waitFor();
      assert.doesNotMatch((await preview(panel).textContent()) ?? "", /The user attached/);
      await panel.page.screenshot({ path: `out/screenshots/preview-conversation-${theme}-280.png` });
      await panel.page.setViewportSize({ width: 480, height: 800 });
      await panel.page.screenshot({ path: `out/screenshots/preview-conversation-${theme}-480.png` });
      assert.deepEqual(await panel.intents(), [], "nothing is asked for");
      await panel.assertClean();
    });

  it("of secrets show no content", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await attach(panel, { ...selection, secret: true }, { ...image, secret: true });
    assert.equal(await panel.page.locator(".thumbnail").count(), 0);
    for (const label of ["a.ts", "photo.png"]) {
      await chip(panel, label).hover();
      await preview(panel).getByText(label).waitFor();
      await preview(panel).getByText("This file may contain secrets, so its content is not shown.").waitFor();
      assert.equal(await preview(panel).locator("pre, img").count(), 0);
    }
  });

  it("of suggestions appear for the row that the user moves to or points at, above the list", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 280 });
    const items: readonly Completion[] = [
      ...["sum.js", "sub.js", "service.js"].map(label => ({ key: `file:${label}`, kind: "file", label }) as const),
      { key: "kind:file", kind: "file", label: "Files", continuesWith: "" },
    ];
    await suggest(panel, items);
    await panel.composer.press("ArrowDown");
    await answer(panel, "file:sub.js", { path: "/w/src/sub.js", text: code.split("\n").slice(0, 12).join("\n") });
    await preview(panel).getByText("value12 =").waitFor();
    await assertAbove(panel, [".suggestions", ".composer"]);
    const current = panel.page.locator("[role=option][aria-selected=true]");
    assert.equal(await current.getAttribute("aria-describedby"), await preview(panel).getAttribute("id"));
    await panel.page.screenshot({ path: "out/screenshots/preview-row-280.png" });
    await panel.page.getByRole("option", { name: "service.js" }).hover();
    await answer(panel, "file:service.js", { path: "/w/src/service.js", text: "the service" });
    await preview(panel).getByText("the service").waitFor();
    assert.match((await current.textContent()) ?? "", /sub\.js/);
    await panel.composer.press("Escape");
    await preview(panel).waitFor({ state: "detached" });
    assert.equal(await panel.page.getByRole("option").count(), 0);
    await panel.assertClean();
  });

  it("ignore answers about items that are no longer shown", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await attach(panel, file, selection);
    await chip(panel, "sum.js").hover();
    await preview(panel).getByText("/w/src/sum.js").waitFor();
    await chip(panel, "a.ts").hover();
    await preview(panel).getByText("value1 =").waitFor();
    await answer(panel, "/w/src/sum.js", { text: "late" });
    assert.doesNotMatch((await preview(panel).textContent()) ?? "", /late/);
  });

  it("are not shown where only the list has room, and do not cover the text", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 280, height: 300 });
    await attach(panel, selection);
    await panel.composer.fill("line\n".repeat(8));
    await remove(panel, "a.ts:3-32").focus();
    await panel.page.keyboard.press("ArrowRight");
    await preview(panel).waitFor({ state: "attached" });
    if (await preview(panel).isVisible()) await assertAbove(panel, [".composer"]);
    await panel.page.screenshot({ path: "out/screenshots/preview-small.png" });
  });

  for (const theme of ["dark", "light", "hc", "hc-light"] as const satisfies readonly Options["theme"][])
    it(`have the colors of the theme ${theme}`, async () => {
      const panel = await openPanel([snapshot(view([], busyHead))], { width: 480, theme });
      await attach(panel, file, selection, image, { ...selection, id: "p", kind: "problems", label: "Problems" });
      await chip(panel, "a.ts").hover();
      await preview(panel).getByText("value12 =").waitFor();
      const colors = await preview(panel).evaluate(element => {
        const { color, backgroundColor } = getComputedStyle(element);
        return { color, backgroundColor };
      });
      assert.notEqual(colors.color, colors.backgroundColor);
      await panel.page.screenshot({ path: `out/screenshots/preview-${theme}.png` });
    });
});
