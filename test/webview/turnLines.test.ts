// The times of messages, the line of a finished turn, and the mark of its checkpoint.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { START, message, snapshot, tool, view } from "./scenes.ts";

const words = "A sentence that fills the line down to its end, so that a button on it would cover words. ".repeat(3);
const prompt = { ...message("u1", "user", words), checkpoint: true } as const;
const turn = { duration: 125_000, calls: 3, files: 1, tokens: 1234, cost: { amount: 0.02, currency: "USD" } };
const answer = { ...message("m1", "agent", words), turn };
const usage = { used: 50_000, size: 200_000 };

describe("the lines of a turn", () => {
  usePanel();
  const open = (options: Options = {}): Promise<PanelPage> =>
    openPanel([snapshot(view([prompt, answer, { ...message("u2", "user", "Next"), checkpoint: true }], { usage }))], {
      at: START + 60_000,
      ...options,
    });

  it("a finished turn has one line with its facts, and a turn of which nothing is known has none", async () => {
    const panel = await open();
    const line = panel.log.getByRole("note", { name: "Finished turn" });
    assert.equal(await line.count(), 1);
    assert.equal((await line.textContent())?.trim(), "2 min 5 s · 3 tool calls · 1 file · 1,234 tokens · $0.02");
    await panel.patch({ op: "put", at: 2, entry: { ...message("u2", "user", "Next"), turn: { duration: 900 } } });
    const texts = (await line.allTextContents()).map(text => text.trim());
    assert.deepEqual(texts, ["2 min 5 s · 3 tool calls · 1 file · 1,234 tokens · $0.02", "1 s"]);
  });

  it("a turn that ends with folded look-ups has its line below them", async () => {
    const reads = ["a", "b", "c"].map(id => tool(id, `Read ${id}`));
    const panel = await openPanel([snapshot(view([...reads.slice(0, 2), { ...tool("c", "Read c"), turn }]))]);
    const line = panel.log.getByRole("note", { name: "Finished turn" });
    await panel.log.getByRole("button", { name: "Read 3 files" }).click();
    assert.equal(await line.count(), 1);
    const [box, last] = await Promise.all([line.boundingBox(), panel.log.getByText("Read c").boundingBox()]);
    assert.ok(box && last && box.y > last.y);
  });

  it("a message shows its time while the pointer is on it, and one that the agent repeated shows none", async () => {
    const panel = await open();
    const shown = panel.log.locator("parley-message").first();
    assert.equal(await shown.locator("time").count(), 0);
    await shown.hover();
    const time = shown.locator("time");
    await time.waitFor();
    assert.equal(await time.getAttribute("datetime"), new Date(START).toISOString());
    assert.match((await time.textContent()) ?? "", /\d:\d\d/);
    await panel.patch({ op: "put", at: 0, entry: { ...prompt, isRepeated: true } });
    await shown.hover();
    assert.equal(await time.count(), 0);
  });

  for (const width of [280, 480])
    for (const theme of ["dark", "light", "hc"] as const)
      it(`the buttons of a message never cover its text, at ${width} pixels (${theme})`, async () => {
        const panel = await open({ width, theme, height: 700 });
        for (const entry of await panel.log.locator("parley-message").all()) {
          await entry.hover();
          const covers = await entry.evaluate(node => {
            const buttons = node.querySelector(".actions")?.getBoundingClientRect();
            const text = node.querySelector(".body")?.getBoundingClientRect();
            return !buttons || !text || (buttons.top < text.bottom && buttons.bottom > text.top);
          });
          assert.ok(!covers, "the buttons are outside of the text");
        }
        await panel.page.screenshot({ path: `out/screenshots/turn-lines-${width}-${theme}.png` });
        await panel.assertClean();
      });

  it("the checkpoint of a turn is restored from the mark before it, and from the menu by keyboard", async () => {
    const panel = await open({ width: 280 });
    const shown = panel.log.locator("parley-message").last();
    const mark = shown.getByRole("button", { name: "Restore Checkpoint" });
    const [above, text] = await Promise.all([mark.boundingBox(), shown.locator(".body").boundingBox()]);
    assert.ok(above && text && above.y + above.height <= text.y, "the mark is between the turns");
    await mark.click();
    const menu: Locator = shown.getByRole("button", { name: "Message Actions" });
    await menu.focus();
    await panel.page.keyboard.press("Enter");
    const item = shown.getByRole("menuitem", { name: "Restore Checkpoint" });
    const box = await item.boundingBox();
    const { height } = panel.page.viewportSize() ?? { height: 0 };
    assert.ok(box && box.x >= 0 && box.x + box.width <= 280 && box.y >= 0 && box.y + box.height <= height);
    await panel.page.screenshot({ path: "out/screenshots/turn-lines-menu.png" });
    await panel.page.keyboard.press("Enter");
    const restored = { type: "restoreCheckpoint", entry: "u2" };
    assert.deepEqual(await panel.intents(), [restored, restored]);
  });

  for (const width of [280, 480])
    it(`the ring of the context has a number at ${width} pixels`, async () => {
      const panel = await open({ width });
      await panel.page.locator("parley-usage").getByText("25%", { exact: true }).waitFor();
    });
});
