// The directions of the texts of a page, as lines that a test compares with stored ones. They depend on no fonts.
import type { PanelPage } from "./panelPage.ts";

/**
 * Each text outside of controls without text: its kind, its direction as it is laid out, whether it is isolated from the
 * words around it, and the text. The direction of a `plaintext` box is that of its first strong letter, by line. Texts in
 * Latin letters are left out, except those with one of these words.
 */
export const textDirections = (panel: PanelPage, words: readonly string[] = []): Promise<string> =>
  panel.page.evaluate(latinWords => {
    const lines: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const rtl = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = (node.textContent ?? "").trim();
      const parent = node.parentElement;
      const around = parent?.textContent ?? "";
      const isShown = /[^\u0000-\u024f\s]/u.test(around) || latinWords.some(word => around.includes(word));
      if (!parent || !isShown || text === "") continue;
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
  }, words);
