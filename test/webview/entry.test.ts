// What the user meets on entering the panel: the top of the empty conversation, and the focus in the composer.
import assert from "node:assert/strict";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { busy, message, snapshot, view } from "./scenes.ts";

const longTalk = (): ReturnType<typeof message>[] =>
  Array.from({ length: 40 }, (_, i) => message(`m${i}`, "agent", `Message ${i}\n\n${"words and words ".repeat(30)}`));

const scrollTop = (panel: PanelPage): Promise<number> => panel.log.evaluate(log => log.scrollTop);

describe("entering the panel", () => {
  usePanel();

  it("an empty conversation opens at its top, also after a long one, and stays where the user scrolls", async () => {
    const panel = await openPanel([snapshot(view(longTalk()))], { height: 300 });
    await panel.page.waitForFunction(() => (document.querySelector(".log")?.scrollTop ?? 0) > 0);
    await panel.patch({ op: "keep", count: 0 }, { op: "head", head: { session: "other" } });
    await panel.page.getByText("Choose an agent").waitFor();
    assert.equal(await scrollTop(panel), 0);
    await panel.composer.fill("one\ntwo\nthree");
    await panel.page.evaluate(
      () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    assert.equal(await scrollTop(panel), 0);
    await panel.log.hover();
    await panel.page.mouse.wheel(0, 60);
    await panel.page.waitForFunction(() => document.querySelector(".log")?.scrollTop === 60);
    await panel.page.mouse.wheel(0, -20);
    await panel.page.waitForFunction(() => document.querySelector(".log")?.scrollTop === 40);
    assert.equal(await panel.page.locator(".jump").count(), 0);
    await panel.composer.fill("one");
    await panel.page.evaluate(
      () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    assert.equal(await scrollTop(panel), 40);
    await panel.show(view(longTalk()));
    await panel.page.waitForFunction(() => (document.querySelector(".log")?.scrollTop ?? 0) > 100);
  });

  it("the composer gets the focus when VS Code focuses the panel, unless the user presses something or has focused it", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const isFocused = (): Promise<boolean> => panel.composer.evaluate(box => box === document.activeElement);
    const enter = (): Promise<void> =>
      panel.page.evaluate(() => {
        dispatchEvent(new FocusEvent("focus"));
      });
    await panel.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    assert.equal(await isFocused(), false);
    await panel.page.evaluate(() => {
      dispatchEvent(new PointerEvent("pointerdown"));
      dispatchEvent(new FocusEvent("focus"));
      dispatchEvent(new PointerEvent("pointerup"));
    });
    assert.equal(await isFocused(), false);
    const rename = panel.page.getByRole("button", { name: "Rename Session" });
    await rename.focus();
    await enter();
    assert.equal(await rename.evaluate(button => button === document.activeElement), true);
    await panel.post({ type: "hidden" });
    await enter();
    assert.equal(await isFocused(), true);
  });
});
