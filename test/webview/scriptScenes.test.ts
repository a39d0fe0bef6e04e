// The conversations in other scripts: the direction of each text, and that code and paths do not change the order of the
// words around them. The directions are stored and depend on no fonts. UPDATE=1 writes them.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPanel, picture, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { START, message, snapshot, view } from "./scenes.ts";
import { scriptScenes } from "./scriptScenes.ts";
import { textDirections } from "./textDirections.ts";

/** Whole conversations, a window of 420 px as at 200 %, and a low side bar. */
const sizes = [
  [280, 1560],
  [480, 1500],
  [420, 300],
  [280, 300],
] as const;

/** Shows a conversation, with its plan, its cards and its thoughts expanded. */
async function openScene(name: string, options: Options): Promise<PanelPage> {
  const scene = scriptScenes[name];
  assert.ok(scene);
  const panel = await openPanel([snapshot(scene)], { ...options, at: START + 60_000 });
  const folds = panel.page.locator("parley-plan .fold, button[aria-expanded=false].tool-head, parley-message .fold");
  await folds.evaluateAll(all => all.forEach(each => (each as HTMLElement).click()));
  await panel.page.locator(".diff-line.add").first().waitFor({ state: "attached" });
  // The output is plain text until the emulator is loaded, which makes an element of each line.
  await panel.log.locator("parley-terminal div div div").first().waitFor({ state: "attached" });
  await panel.complete();
  return panel;
}

describe("conversations in other scripts", () => {
  usePanel();

  for (const name of Object.keys(scriptScenes)) {
    it(`have the stored directions: ${name}`, async () => {
      const panel = await openScene(name, { height: 2400 });
      const file = join("test", "scenes", "panel", `${name}.directions.txt`);
      const found = await textDirections(panel);
      if (process.env["UPDATE"] !== undefined) writeFileSync(file, found);
      assert.equal(found, readFileSync(file, "utf8"), file);
      await panel.assertClean();
    });
  }

  it("has icons, bars, markers and columns where a right-to-left text begins, and code as it is written", async () => {
    const panel = await openScene("rightToLeft", { height: 1500 });
    const rtl = async (selector: string): Promise<readonly string[]> =>
      panel.page.locator(selector).evaluateAll(all => all.map(each => getComputedStyle(each).direction));
    assert.deepEqual(await rtl("blockquote, .markdown .table, .markdown li"), Array(6).fill("rtl"));
    assert.deepEqual(new Set(await rtl(".markdown :is(code, pre), .counts, .diff-text")), new Set(["ltr"]));
    const quote = panel.log.locator("blockquote");
    assert.deepEqual(
      await quote.evaluate(each => [getComputedStyle(each).borderRightWidth, getComputedStyle(each).borderLeftWidth]),
      ["4px", "0px"],
    );
    const columns = await panel.log.locator("th").evaluateAll(all => all.map(each => each.getBoundingClientRect().x));
    assert.deepEqual(
      columns.toSorted((a, b) => b - a),
      columns,
      "the first column is the rightmost",
    );
    // The icon of each row is to the right of its words.
    for (const [icon, words] of [
      [".tool-head .codicon", ".tool-title"],
      [".question-head .codicon", ".question-title"],
      [".row[data-severity] .codicon", ".row .lines"],
      [".plan-entries .codicon", ".plan-step"],
      [".plan .codicon-checklist", ".plan .ellipsis"],
      [".queue li .codicon", ".queue-text"],
    ] as const) {
      const [a, b] = await Promise.all(
        [icon, words].map(each =>
          panel.page
            .locator(each)
            .first()
            .evaluate(node => node.getBoundingClientRect().x),
        ),
      );
      assert.ok(a !== undefined && b !== undefined && a > b, `${icon} at ${a}, ${words} at ${b}`);
    }
  });

  it("have the bar of a quote where its text begins, also if it begins with a list, a table or a quote", async () => {
    const texts = [
      ["> - שלום\n> - עולם", "right"],
      ["> 1. `a.ts` מרחבא", "right"],
      ["> | שלום | b |\n> |---|---|\n> | a | b |", "right"],
      ["> > مرحبا", "right"],
      ["> - Hello שלום", "left"],
      ["> Hello\n> - שלום", "left"],
    ] as const;
    const panel = await openPanel([
      snapshot(view([message("m", "agent", texts.map(([text]) => text).join("\n\nnext\n\n"))])),
    ]);
    const sides = await panel.log
      .locator(".markdown > blockquote, .blocks > blockquote")
      .evaluateAll(all => all.map(each => (getComputedStyle(each).borderRightWidth === "4px" ? "right" : "left")));
    assert.deepEqual(
      sides,
      texts.map(([, side]) => side),
    );
  });

  it("show the whole name of the agent, and the whole priority of a step, in a narrow side bar", async () => {
    for (const name of Object.keys(scriptScenes)) {
      const panel = await openScene(name, { width: 280, height: 600 });
      const cut = await panel.page
        .locator(".agent-picker .ellipsis")
        .evaluate(each => each.scrollWidth - each.clientWidth);
      assert.equal(cut, 0, name);
      const tag = panel.page.locator(".plan-entries .tag");
      assert.equal(await tag.evaluate(each => each.scrollWidth - each.clientWidth), 0, "the priority is cut");
      await panel.free();
    }
  });

  for (const theme of ["dark", "light", "hc", "hc-light"] as const)
    for (const [width, height] of sizes)
      it(`fit in ${width} by ${height} pixels, ${theme}`, async () => {
        for (const name of Object.keys(scriptScenes)) {
          const panel = await openScene(name, { theme, width, height });
          await picture(panel, `${name}-${theme}-${width}-${height}`);
          const wide = await panel.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.equal(wide, 0, `${name} scrolls sideways`);
          await panel.assertClean();
          await panel.free();
        }
      });
});
