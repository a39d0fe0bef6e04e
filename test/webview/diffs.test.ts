// Diffs in a tool card: every state, its accessible text, and keyboard use.
import assert from "node:assert/strict";
import { diffHunks } from "../../src/panel/diff/diffHunks.ts";
import type { DiffBody, ToolPart, ViewTool } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { snapshot, tool, view } from "./scenes.ts";

type Diff = Extract<ToolPart, { type: "diff" }>;
const diff = (label: string, body: DiffBody, operation: Diff["operation"] = "modify"): Diff => {
  return { type: "diff", path: `/home/ada/shop/${label}`, label, operation, ...body };
};
const card = (...parts: readonly ToolPart[]): ViewTool =>
  tool("c1", "Edit", { toolKind: "edit", status: "failed", parts });
const open = (parts: readonly ToolPart[], width?: number): Promise<PanelPage> =>
  openPanel([snapshot(view([card(...parts)]))], width === undefined ? {} : { width });
const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");

describe("a diff in a card", () => {
  usePanel();

  it("highlights changed words, numbers both sides, and names added and removed lines", async () => {
    const before = numbered(30);
    const body = diffHunks(before, before.replace("line 5\n", "long line 5\n").replace("line 20\n", ""));
    const panel = await open([diff("src/a.ts", body)]);
    const lines = panel.log.getByRole("group", { name: "Changes in src/a.ts" });
    assert.equal(await lines.locator(".add").textContent(), "5+added:long line 5");
    assert.equal(await lines.locator(".add ins").innerText(), "long ");
    assert.equal(await lines.locator(".del").last().locator(".sr-only").innerText(), "removed:");
    assert.deepEqual(await lines.locator(".same .diff-number").first().innerText(), "2");
    assert.deepEqual(await lines.locator(".same").last().locator(".diff-number").allInnerTexts(), ["23", "22"]);
    await lines.getByText("8 unchanged lines").waitFor();
    await panel.assertClean();
  });

  it("has one column of line numbers in a narrow panel, and scrolls in its own box", async () => {
    const body = diffHunks("a\nb\n", `a\n${"x".repeat(300)}\n`);
    const panel = await open([diff("src/a.ts", body)], 280);
    await panel.log.locator(".diff-line").first().waitFor();
    const shown = panel.log.locator(".diff-line.same .diff-number:visible");
    assert.deepEqual(await shown.allInnerTexts(), ["1"]);
    const over = await panel.page.evaluate(() =>
      [".log", ".diff-lines"].map(name => {
        const box = document.querySelector(name) as HTMLElement;
        return box.scrollWidth - box.clientWidth;
      }),
    );
    assert.equal(over[0], 0);
    assert.ok((over[1] ?? 0) > 0);
  });

  it("has no line numbers if its place in the file is unknown", async () => {
    const body = diffHunks(numbered(20), numbered(20).replace("line 5\n", "5\n").replace("line 18\n", "18\n"));
    const [placed, unplaced] = [diff("a.ts", body), diff("b.ts", { ...body, unplaced: true })];
    const panel = await open([placed, unplaced]);
    const linesOf = (label: string) => panel.log.getByRole("group", { name: `Changes in ${label}` });
    await linesOf("b.ts").getByText("6 unchanged lines").waitFor();
    assert.equal(await linesOf("b.ts").locator(".diff-number").count(), 0);
    assert.equal(await linesOf("b.ts").locator(".add").first().textContent(), "+added:5");
    assert.ok((await linesOf("a.ts").locator(".diff-number").count()) > 0);
    await panel.patch({ op: "place", at: 0, lines: [[1, 101]] });
    assert.equal(await linesOf("b.ts").locator(".add .diff-number.new").first().innerText(), "105");
    await panel.patch({ op: "put", at: 0, entry: card(placed, diff("b.ts", body)) });
    await linesOf("b.ts").locator(".diff-number").first().waitFor();
    await panel.assertClean();
  });

  it("describes diffs without lines: computing, too large, no changes, empty, line endings", async () => {
    const nothing = { hunks: [], added: 0, removed: 0 };
    const panel = await open([
      diff("a", { ...nothing, state: "computing" }),
      diff("b", { ...nothing, state: "tooLarge" }),
      diff("c", nothing),
      diff("d", nothing, "add"),
      diff("e", { ...nothing, lineEnds: "crlf" }),
      diff("f", diffHunks("one\n", "one")),
    ]);
    for (const words of [
      "Comparing…",
      "This change is too large to compare here.",
      "No changes",
      "Empty file",
      "Line endings change to CRLF.",
      "No newline at end of file",
    ]) {
      await panel.log.getByText(words, { exact: true }).waitFor();
    }
    // Total counts would be wrong while one diff is missing.
    assert.equal(await panel.log.locator(".tool-head .counts").count(), 0);
    await panel.log.getByRole("button", { name: "Open in Diff Editor" }).press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "openDiff", entry: "c1", part: 1 }]);
  });

  it("is shown when it has been computed", async () => {
    const panel = await open([diff("a", { hunks: [], added: 0, removed: 0, state: "computing" })]);
    await panel.log.getByText("Comparing…").waitFor();
    await panel.patch({ op: "put", at: 0, entry: card(diff("a", diffHunks("a\n", "b\n"))) });
    await panel.log.locator(".diff-line.add").waitFor();
    assert.equal(await panel.log.getByText("Comparing…").count(), 0);
  });

  it("paints long changes in steps, with a button in the card's one tab stop", async () => {
    const panel = await open([diff("new.ts", diffHunks("", numbered(2500)), "add")]);
    const lines = panel.log.locator(".diff-line");
    await lines.first().waitFor();
    assert.equal(await lines.count(), 400);
    await panel.log.getByText("500 more lines are not shown.").waitFor();
    assert.equal(await panel.log.locator("parley-tool :is(button, [role=link])[tabindex='0']").count(), 1);
    const more = panel.log.getByRole("button", { name: "Show 400 More Lines (1,600 remaining)" });
    await more.press("Enter");
    assert.equal(await lines.count(), 800);
    for (let i = 0; i < 3; i++) await panel.log.getByRole("button", { name: /^Show / }).press("Enter");
    assert.deepEqual([await lines.count(), await panel.log.getByRole("button", { name: /^Show / }).count()], [2000, 0]);
  });

  it("of a patch is shown at each file, with the file's other changes", async () => {
    const panel = await open([
      {
        type: "files",
        files: [
          { operation: "modify", path: "/w/a.ts", label: "a.ts", diff: diffHunks("one and two\n", "one and three\n") },
          { operation: "move", path: "/w/new.ts", label: "new.ts", from: "old.ts" },
          { operation: "modify", path: "/w/run.sh", label: "run.sh", mode: ["100644", "100755"] },
          { operation: "add", path: "/w/a.png", label: "a.png", binary: true },
          { operation: "teleport", path: "/w/b", label: "b" },
        ],
        patch: "not understood",
        cut: 12,
      },
    ]);
    const items = panel.log.getByRole("listitem");
    const words = (await items.allInnerTexts()).map(text => text.replace(/\s+/g, " ").trim());
    assert.deepEqual(words.slice(1), [
      "old.ts → new.ts Moved",
      "run.sh Mode 100644 → 100755",
      "a.png New file Binary",
      "b teleport",
    ]);
    assert.equal(await items.first().locator("ins").innerText(), "three");
    await panel.log.getByRole("article").getByRole("img", { name: "1 lines added, 1 removed" }).first().waitFor();
    await panel.log.getByText("Patch", { exact: true }).click();
    await panel.log.getByText("12 more characters are not shown.").waitFor();
    await panel.assertClean();
  });
});
