// The conversations in other scripts: the direction of each text, and that code and paths do not change the order of the
// words around them. The directions are stored and depend on no fonts. UPDATE=1 writes them.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { START, snapshot } from "./scenes.ts";
import { scriptScenes } from "./scriptScenes.ts";

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

/**
 * Each text outside of controls without text: its kind, its direction as it is laid out, whether it is isolated from the
 * words around it, and the text. The direction of a `plaintext` box is that of its first strong letter, by line.
 */
const directions = (panel: PanelPage): Promise<string> =>
  panel.page.evaluate(() => {
    const lines: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const rtl = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = (node.textContent ?? "").trim();
      const parent = node.parentElement;
      if (!parent || !/[^\u0000-\u024f\s]/u.test(parent.textContent ?? "") || text === "") continue;
      if (parent.closest("script, style, .codicon, .sr-only, option")) continue;
      let block: Element = parent;
      while (getComputedStyle(block).display.startsWith("inline") && block.parentElement) block = block.parentElement;
      const style = getComputedStyle(block);
      const strong = /\p{L}/u.exec(block.textContent ?? "")?.[0] ?? "";
      const byText = style.unicodeBidi === "plaintext";
      let direction = byText ? (rtl.test(strong) ? "rtl" : "ltr") : style.direction;
      let isolated = "";
      for (let box: Element | null = parent; box && box !== block && isolated === ""; box = box.parentElement) {
        const { unicodeBidi, direction: own } = getComputedStyle(box);
        if (!/isolate|plaintext/.test(unicodeBidi)) continue;
        isolated = " isolated";
        direction = own;
      }
      const name = block.className.toString().split(" ")[0] || block.tagName.toLowerCase();
      lines.push(`${name} ${direction}${byText ? " by text" : ""}${isolated}: ${text.replace(/\s+/g, " ")}`);
    }
    return `${lines.join("\n")}\n`;
  });

describe("conversations in other scripts", () => {
  usePanel();

  for (const name of Object.keys(scriptScenes)) {
    it(`have the stored directions: ${name}`, async () => {
      const panel = await openScene(name, { height: 2400 });
      const file = join("test", "scenes", "panel", `${name}.directions.txt`);
      const found = await directions(panel);
      if (process.env["UPDATE"] !== undefined) writeFileSync(file, found);
      assert.equal(found, readFileSync(file, "utf8"), file);
      await panel.assertClean();
    });
  }
});
