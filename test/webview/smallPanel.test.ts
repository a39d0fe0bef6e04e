// Small panels, such as a low side bar or a window at 200%: what the user needs most is always within reach.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { START, ask, busy, delegated, editAsk, snapshot, view } from "./scenes.ts";

/** A question, an expanded plan, a long queue, expanded changes, many options and a draft of many lines. */
const fullHead: Partial<ViewHead> = {
  ...busy.head,
  activity: { state: "requires_action", since: START, cancelling: false },
  questions: [editAsk],
  queue: ["one", "two", "three", "four"].map(text => ({ id: text, text, sent: false })),
  changes: delegated.head.changes,
  options: ["Mode", "Model", "Thought level", "Effort", "Speed"].map(name => ({
    id: name,
    name,
    type: "select",
    value: "a",
    choices: [{ value: "a", name: `A long name of a ${name.toLowerCase()}` }],
  })),
};

describe("a small panel", () => {
  usePanel();

  const open = async (size: Options): Promise<PanelPage> => {
    const panel = await openPanel([snapshot(view(busy.entries, fullHead))], size);
    await panel.composer.fill("A draft of many lines.\n".repeat(15));
    const folds = panel.page.locator("parley-plan .fold, .changes .fold");
    await folds.evaluateAll(all => all.forEach(each => (each as HTMLElement).click()));
    await panel.page.getByRole("region", { name: "Changes" }).getByRole("link").first().waitFor({ state: "attached" });
    return panel;
  };

  /** Whether the element is completely visible and receives clicks at its center. */
  const isInReach = (element: Locator): Promise<boolean> =>
    element.evaluate(node => {
      const { top, bottom, left, right } = node.getBoundingClientRect();
      const isInside = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && bottom - top >= 16;
      return isInside && node.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    });

  const assertComposerStays = async (panel: PanelPage): Promise<void> => {
    const { page, composer } = panel;
    for (const element of [composer, ...["Stop", "Send"].map(name => page.getByRole("button", { name, exact: true }))])
      assert.ok(await isInReach(element), `${await element.getAttribute("aria-label")} is in reach`);
    const scrolled = await page.evaluate(() =>
      [document.documentElement, document.body, ...document.querySelectorAll("#parley, parley-panel, .panel, .dock")]
        .filter(box => box.scrollTop > 0 || box.scrollHeight > box.clientHeight + 1)
        .map(box => box.className || box.id || box.tagName),
    );
    assert.deepEqual(scrolled, [], "only the area above the composer scrolls");
  };

  for (const [width, height] of [
    [300, 280],
    [260, 300],
    [260, 400],
    [480, 330],
  ] as const) {
    it(`of ${width} by ${height} pixels keeps the composer and Stop, and scrolls to everything else`, async () => {
      const panel = await open({ width, height });
      const { page } = panel;
      await assertComposerStays(panel);
      const question = page.locator("parley-question").getByRole("group").first();
      const reject = question.locator(".options button").last();
      assert.ok(await isInReach(question.locator(".options button").first()), "the first answer is shown immediately");
      const others = [
        page.locator("parley-plan .fold"),
        reject,
        page.getByRole("region", { name: "Changes" }).getByRole("button", { name: "Keep All" }),
        page.getByRole("region", { name: "Changes" }).getByRole("link").last(),
        page.locator(".queue li").last(),
      ];
      for (const element of others) {
        await element.scrollIntoViewIfNeeded();
        assert.ok(await isInReach(element), `${(await element.textContent()) ?? ""} can be scrolled to`);
        await assertComposerStays(panel);
      }
      await reject.click();
      assert.equal((await panel.intents()).at(-1)?.type, "answer");
      await panel.assertClean();
    });
  }

  for (const [name, width, height] of [
    ["in a side bar 300 pixels high", 300, 300],
    ["in a side bar of 280 by 300 pixels", 280, 300],
    ["in a window of 420 pixels", 420, 420],
    ["in a window of 840 by 600 pixels at 200%", 420, 300],
    ["in a window of 1280 by 800 pixels at 200%", 640, 400],
    ["in a high side bar", 280, 800],
  ] as const)
    it(`${name} shows the buttons of a question with nine long options, and the composer`, async () => {
      const options = Array.from({ length: 9 }, (_, i) => ({
        id: `o${i}`,
        name: `${i + 1}: allow commands that begin with npm test in this folder and in each folder below it`,
        kind: i < 8 ? ("allow_always" as const) : ("reject_once" as const),
      }));
      const asked = {
        ...ask,
        options,
        command: "echo long && ".repeat(100),
        reason: "A rule asks about this command.",
      };
      const panel = await openPanel([snapshot(view(busy.entries, { ...fullHead, questions: [asked] }))], {
        width,
        height,
      });
      const { page } = panel;
      await page.locator("parley-question .options button").last().waitFor();
      const visible = (selector: string): Promise<number> =>
        page.locator(selector).evaluate(node => {
          let { top, bottom } = node.getBoundingClientRect();
          for (let box = node.parentElement; box; box = box.parentElement) {
            if (getComputedStyle(box).overflowY === "visible") continue;
            const around = box.getBoundingClientRect();
            [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
          }
          return Math.round(Math.min(bottom, innerHeight) - Math.max(top, 0));
        });
      const [buttons, composer] = [await visible("parley-question .options"), await visible("parley-composer")];
      await page.screenshot({ path: `out/screenshots/nine-options-${width}-${height}.png` });
      const whole = await page
        .locator("parley-composer")
        .evaluate(node => Math.round(node.getBoundingClientRect().height));
      assert.ok(
        buttons >= 64 && composer === whole,
        `${buttons} px of the buttons, ${composer} of ${whole} px of the composer`,
      );
      assert.ok((await visible("parley-question .question-title")) >= 16, "what is asked is visible");
      await assertComposerStays(panel);
      const details = page.getByRole("group", { name: "Request details" });
      assert.ok(await details.evaluate(node => node.scrollHeight > node.clientHeight), "the details scroll");
      await details.evaluate(node => node.scrollIntoView({ block: "end" }));
      assert.ok((await visible("parley-question .options")) >= 64, "also while the details are read");
      await page.locator("parley-question .options button").last().click();
      assert.deepEqual((await panel.intents()).at(-1), { type: "answer", question: "a1", option: "o8" });
    });

  for (const width of [260, 300, 480]) {
    it(`of ${width} pixels width shows each name of a changed file on one line, down to its end`, async () => {
      const labels = [
        "packages/a-package-with-a-long-name/src/components/aVeryLongComponentNameThatDoesNotFitIntoOneLine.test.ts",
        "thisNameOfAFileHasNoFolderAndNoPlaceToBreakAndIsLongerThanThePanelIsWide_".repeat(2),
        "short.ts",
      ];
      const files = labels.map(label => ({ path: `/home/ada/shop/${label}`, label, added: 1234, removed: 567 }));
      const changes = { files, added: 3702, removed: 1701 };
      const panel = await openPanel([snapshot(view([], { changes }))], { width, height: 600 });
      const bar = panel.page.getByRole("region", { name: "Changes" });
      await bar.getByRole("button", { name: /^3 files/ }).click();
      const names = bar.locator(".changes-name");
      await names.last().waitFor();
      const measured = await names.evaluateAll(all =>
        all.map(node => {
          const link = node.querySelector("a")?.getBoundingClientRect();
          const { height, right } = node.getBoundingClientRect();
          return { height, isEndShown: link !== undefined && link.right <= right + 1 };
        }),
      );
      // The short name has one line.
      const height = measured.at(-1)?.height;
      assert.deepEqual(
        measured,
        labels.map(() => ({ height, isEndShown: true })),
      );
      const list = bar.getByRole("list", { name: "Files" });
      assert.ok(await list.evaluate(node => node.scrollWidth <= node.clientWidth), "nothing is beside the list");
    });
  }
});
