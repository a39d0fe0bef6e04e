// While text streams in, keystrokes have priority and animations are paused.
import assert from "node:assert/strict";
import { openPanel, usePanel } from "./panelPage.ts";
import { START, message, snapshot, view } from "./scenes.ts";

describe("while text streams in", () => {
  usePanel();

  it("text is held back until the frame after a key press, for at least 100 ms and for a limited time", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "Begin")], { live: "m1" }))], {
      frozen: true,
    });
    const { page } = panel;
    const shown = (): Promise<string | null> => panel.log.locator(".markdown").textContent();
    const press = (): Promise<void> =>
      page.evaluate(() => void document.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true })));
    const append = (base: number, text: string): Promise<void> => panel.post({ type: "text", base, text });
    await append(1, " one");
    await page.clock.runFor(20);
    assert.equal(await shown(), "Begin one");
    await press();
    await append(2, " two");
    await press();
    await page.clock.runFor(50);
    assert.equal(await shown(), "Begin one", "The key was pressed too soon after the last text.");
    await page.clock.runFor(50);
    await press();
    await page.clock.runFor(16);
    assert.equal(await shown(), "Begin one", "This is the frame of the key itself.");
    await page.clock.runFor(16);
    assert.equal(await shown(), "Begin one two");
    await append(3, " three");
    await page.clock.runFor(100);
    assert.equal(await shown(), "Begin one two");
    await page.clock.runFor(100);
    assert.equal(await shown(), "Begin one two three");
  });

  it("text is painted immediately after a prompt was sent with a key", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "Begin")], { live: "m1" }))], {
      frozen: true,
    });
    await panel.post({ type: "text", base: 1, text: " one" });
    await panel.page.clock.runFor(32);
    await panel.composer.fill("Go on");
    await panel.page.keyboard.press("Enter");
    assert.equal((await panel.intents()).filter(intent => intent.type === "send").length, 1);
    await panel.post({ type: "text", base: 2, text: " two" });
    await panel.page.clock.runFor(32);
    assert.equal(await panel.log.locator(".markdown").textContent(), "Begin one two");
  });

  it("animations are paused while text arrives and for one second after", async () => {
    const panel = await openPanel(
      [
        snapshot(
          view([message("m1", "agent", "Begin")], {
            live: "m1",
            activity: { state: "running", since: START, cancelling: false },
          }),
        ),
      ],
      { frozen: true },
    );
    const turning = (): Promise<string> =>
      panel.page.locator(".status-line .codicon").evaluate(icon => getComputedStyle(icon).animationPlayState);
    // The test pages use reduced motion.
    await panel.page.emulateMedia({ reducedMotion: "no-preference" });
    await panel.page.clock.runFor(1100);
    assert.equal(await turning(), "running");
    await panel.post({ type: "text", base: 1, text: " one" });
    await panel.page.clock.runFor(20);
    assert.equal(await turning(), "paused");
    await panel.page.clock.runFor(900);
    await panel.post({ type: "text", base: 2, text: " two" });
    await panel.page.clock.runFor(900);
    assert.equal(await turning(), "paused");
    await panel.page.clock.runFor(200);
    assert.equal(await turning(), "running");
  });
});
