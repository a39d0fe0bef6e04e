// A long answer: its memory use while it streams in, and its announcement.
import assert from "node:assert/strict";
import { openPanel, usePanel } from "./panelPage.ts";
import { START, message, snapshot, view } from "./scenes.ts";

const running = { state: "running", since: START, cancelling: false } as const;

describe("a long answer", () => {
  usePanel();

  it("is announced completely in pieces, before later announcements", async () => {
    const words = Array.from({ length: 3000 }, (_, n) => `word${n}`).join(" ");
    const panel = await openPanel([
      snapshot(view([message("m1", "agent", "Begin")], { live: "m1", activity: running })),
    ]);
    const speech = panel.page.locator(".speech");
    await panel.page.evaluate(() => {
      const lines: string[] = [];
      const watch = (records: readonly MutationRecord[]): void => {
        for (const { addedNodes } of records)
          for (const node of addedNodes)
            // A line with pieces is identified by its pieces.
            if (node instanceof Element && !node.querySelector("span")) lines.push(node.textContent ?? "");
      };
      const region = document.querySelector(".speech") as Element;
      new MutationObserver(watch).observe(region, { childList: true, subtree: true });
      Object.assign(window, { lines });
    });
    await panel.patch(
      { op: "append", id: "m1", part: 0, text: ` ${words}` },
      { op: "head", head: { live: null, activity: { state: "idle", since: START, cancelling: false } } },
    );
    await speech.getByText("has finished").waitFor({ state: "attached" });
    const lines = await panel.page.evaluate(() => (window as unknown as { lines: string[] }).lines);
    assert.equal(lines.slice(0, -1).join(""), `Begin ${words}`);
    assert.ok(lines.length > 4, `${lines.length} pieces`);
    assert.equal(await speech.locator("p").first().textContent(), `Begin ${words}`);
  });

  it("is kept in memory once, not once per frame", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "Begin\n\n")], { live: "m1" }))]);
    const devtools = await panel.page.context().newCDPSession(panel.page);
    const used = async (): Promise<number> => {
      await devtools.send("HeapProfiler.collectGarbage");
      return (await devtools.send("Runtime.getHeapUsage")).usedSize;
    };
    const before = await used();
    const count = 150;
    const text = "Some words of an answer that is long.\n\n".repeat(25);
    for (let n = 0; n < count; n++) {
      await panel.patch({ op: "append", id: "m1", part: 0, text });
      await panel.page.evaluate(() => new Promise(requestAnimationFrame));
    }
    const grown = (await used()) - before;
    assert.ok(grown < 4_000_000, `${grown} bytes more for a text of ${text.length * count}`);
    await devtools.detach();
  });
});
