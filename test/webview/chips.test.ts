// The chips of attachments: they fold when they need more than two lines, and have icons by kind.
import assert from "node:assert/strict";
import type { Attachment } from "../../src/panel/protocol.ts";
import type { Completion } from "../../src/panel/mentionKinds.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { snapshot, view } from "./scenes.ts";

const file = (label: string, more: Partial<Attachment> = {}): Attachment => ({
  id: label,
  kind: "file",
  label,
  detail: "w/src",
  bytes: 1234,
  source: { type: "path", path: `/w/src/${label}` },
  ...more,
});
const files = (count: number): readonly Attachment[] =>
  Array.from({ length: count }, (_, i) => file(`component${i + 1}.ts`));
const attach = (panel: PanelPage, ...attachments: readonly Attachment[]): Promise<void> =>
  panel.post({ type: "attached", attachments });
const list = (panel: PanelPage) => panel.page.getByRole("list", { name: "Attachments" });
const remove = (panel: PanelPage, name: string) => panel.page.getByRole("button", { name: `Remove ${name}` });
const fold = (panel: PanelPage) => panel.page.getByRole("button", { name: /^\d+ attachments$/ });
const focused = async (panel: PanelPage, control: ReturnType<typeof remove>): Promise<void> =>
  control.and(panel.page.locator(":focus")).waitFor();

describe("many chips", () => {
  usePanel();

  it("fold into one button, which opens and closes them by mouse and keyboard, and each can be removed", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 280 });
    await attach(panel, ...files(2));
    assert.equal(await fold(panel).count(), 0, "two lines are shown");
    await attach(panel, ...files(9));
    await panel.page.getByRole("button", { name: "9 attachments", expanded: false }).waitFor();
    assert.equal(await list(panel).count(), 0);
    await panel.page.getByRole("status").getByText("component9.ts. 9 attachments.").waitFor({ state: "attached" });
    await attach(panel, file("last.md"));
    await panel.page
      .getByRole("status")
      .getByText("Attached: last.md. 10 attachments.", { exact: true })
      .waitFor({ state: "attached" });
    await panel.page.screenshot({ path: "out/screenshots/chips-folded-280.png" });

    // By keyboard.
    await panel.composer.focus();
    await panel.page.keyboard.press("Shift+Tab");
    await focused(panel, fold(panel));
    await panel.page.keyboard.press("ArrowRight");
    await focused(panel, fold(panel));
    await panel.page.keyboard.press("Enter");
    await list(panel).waitFor();
    assert.equal(await fold(panel).getAttribute("aria-expanded"), "true");
    await panel.page.screenshot({ path: "out/screenshots/chips-open-280.png" });
    await panel.page.keyboard.press("ArrowRight");
    await focused(panel, remove(panel, "component1.ts"));
    await panel.page.keyboard.press("Delete");
    await focused(panel, remove(panel, "component2.ts"));
    await panel.page.getByRole("button", { name: "9 attachments", expanded: true }).waitFor();
    await panel.page.keyboard.press("Home");
    await panel.page.keyboard.press("Enter");
    await list(panel).waitFor({ state: "hidden" });
    await focused(panel, fold(panel));
    await panel.page.keyboard.press("Tab");
    await panel.composer.and(panel.page.locator(":focus")).waitFor();

    // By mouse.
    await fold(panel).click();
    for (let i = 2; i < 9; i++) await remove(panel, `component${i}.ts`).click();
    await fold(panel).waitFor({ state: "detached" });
    assert.equal(await list(panel).getByRole("listitem").count(), 2);
    assert.equal(await panel.page.evaluate(() => document.scrollingElement?.scrollWidth), 280);
    await panel.assertClean();
  });

  it("fold only while the panel is too narrow, and never around the focus", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 900 });
    await attach(panel, ...files(8));
    await list(panel).waitFor();
    assert.equal(await fold(panel).count(), 0);
    await panel.page.setViewportSize({ width: 280, height: 800 });
    await fold(panel).waitFor();
    await list(panel).waitFor({ state: "hidden" });
    await panel.page.setViewportSize({ width: 900, height: 800 });
    await list(panel).waitFor();
    await remove(panel, "component3.ts").focus();
    await panel.page.setViewportSize({ width: 280, height: 800 });
    await fold(panel).waitFor();
    assert.equal(await fold(panel).getAttribute("aria-expanded"), "true");
    await focused(panel, remove(panel, "component3.ts"));
  });

  it("that are folded are all sent, and restored folded after a reload", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 280 });
    await attach(panel, ...files(9));
    await fold(panel).waitFor();
    await panel.page.reload();
    await fold(panel).waitFor();
    await panel.composer.fill("go");
    await panel.composer.press("Enter");
    const sent = (await panel.intents()).at(-1);
    assert.ok(sent?.type === "send");
    assert.equal(sent.attachments?.length, 9);
    await fold(panel).waitFor({ state: "detached" });
  });
});

describe("the icons of attachments and suggestions", () => {
  usePanel();

  it("show the kind, which is also in the description", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await attach(
      panel,
      file("a.ts"),
      file("b.md"),
      file("Makefile"),
      file("src", { kind: "folder" }),
      file("c.ts:3-4", { kind: "selection" }),
      file("Problems", { kind: "problems" }),
    );
    const shown = await panel.page
      .locator(".chip")
      .evaluateAll(all =>
        all.map(chip => [
          /codicon-([\w-]+)/.exec(chip.querySelector(".codicon")?.className ?? "")?.[1],
          chip.getAttribute("aria-description"),
        ]),
      );
    assert.deepEqual(shown, [
      ["file-code", "File"],
      ["markdown", "File"],
      ["file", "File"],
      ["folder", "Folder"],
      ["list-selection", "Selection"],
      ["warning", "Problems"],
    ]);
    await panel.composer.pressSequentially("@");
    const asked = (await panel.intents()).findLast(intent => intent.type === "complete");
    assert.ok(asked?.type === "complete");
    const items: readonly Completion[] = [
      { key: "1", kind: "symbol", label: "Cart", symbolKind: "class" },
      { key: "2", kind: "file", label: "package.json" },
      { key: "3", kind: "folder", label: "json" },
      { key: "4", kind: "editor", label: "a.ts" },
    ];
    await panel.post({ type: "completions", request: asked.request, items });
    const rows = await panel.page
      .getByRole("option")
      .evaluateAll(all =>
        all.map(row => [
          /codicon-([\w-]+)/.exec(row.querySelector(".codicon")?.className ?? "")?.[1],
          row.getAttribute("aria-description"),
        ]),
      );
    assert.deepEqual(rows, [
      ["symbol-class", "Symbol"],
      ["json", "File"],
      ["folder", "Folder"],
      ["window", "Open editor"],
    ]);
    await panel.page.screenshot({ path: "out/screenshots/chip-icons.png" });
  });
});
