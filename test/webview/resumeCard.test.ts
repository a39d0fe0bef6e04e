// The question before the agent gets a large conversation again: what it says, and its keys.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { openPanel, picture, usePanel, type PanelPage } from "./panelPage.ts";
import { largeConversation, snapshot } from "./scenes.ts";

const cardOf = ({ page }: PanelPage): Locator => page.getByRole("group", { name: "Resume this large conversation?" });
const hasFocus = (element: Locator): Promise<boolean> => element.evaluate(each => each === document.activeElement);

describe("the question about a large conversation", () => {
  usePanel();

  it("names tokens, size and cost as far as they are known, and is announced without taking the focus", async () => {
    const panel = await openPanel([snapshot(largeConversation)]);
    const card = cardOf(panel);
    const alert = panel.page.getByRole("alert").filter({ has: card });
    assert.match(await alert.innerText(), /182,400 tokens · Size: 6\.2 MB · Cost so far: \$4\.20, 12 credits\n/);
    assert.match(await alert.innerText(), /Demo Agent gets all of it again[^]*Your message waits for your answer\./);
    assert.equal(await card.evaluate(each => each.contains(document.activeElement)), false);
    // The agent does not start with the next message now.
    assert.equal(await panel.page.locator(".status-line").count(), 0);
    await panel.patch({ op: "head", head: { resumeQuestion: { bytes: 6_210_000 }, queue: [] } });
    await card.getByText("Size: 6.2 MB", { exact: true }).waitFor();
    assert.doesNotMatch(await card.innerText(), /tokens ·|Cost|waits/);
    await panel.patch({ op: "head", head: { resumeQuestion: null } });
    await card.waitFor({ state: "detached" });
    await panel.page.getByText("Demo Agent starts with your next message.").waitFor();
  });

  it("shows a unit of the cost without characters that hide", async () => {
    const panel = await openPanel([snapshot(largeConversation)]);
    const costs = [{ amount: 1, currency: "a\u202Eb" }];
    await panel.patch({ op: "head", head: { resumeQuestion: { costs, tokens: 1e300 } } });
    await cardOf(panel).getByText("Cost so far: 1 a").waitFor();
    assert.doesNotMatch(await cardOf(panel).innerText(), /\u202E/);
  });

  for (const [name, answer] of [
    ["Resume", "resume"],
    ["Continue From Digest", "digest"],
    ["Read Only", "readOnly"],
  ] as const)
    it(`is answered by ${name} with the keyboard, and the focus moves to the message box`, async () => {
      const panel = await openPanel([snapshot(largeConversation)]);
      const button = cardOf(panel).getByRole("button", { name });
      await panel.composer.focus();
      // The message that waits has buttons, too.
      for (let presses = 0; presses < 12 && !(await hasFocus(button)); presses++)
        await panel.page.keyboard.press("Shift+Tab");
      assert.ok(await hasFocus(button), "Shift+Tab reaches the button");
      await panel.page.keyboard.press("Enter");
      assert.deepEqual(await panel.intents(), [{ type: "answerResume", answer }]);
      assert.ok(await hasFocus(panel.composer));
    });

  it("gets the focus by the command that goes to the question", async () => {
    const panel = await openPanel([snapshot(largeConversation)]);
    await panel.post({ type: "focus", target: "question" });
    await panel.page.getByRole("button", { name: "Resume", exact: true }).and(panel.page.locator(":focus")).waitFor();
  });

  it("is answered by Escape in the message box and in the card, but not where Escape closes something else", async () => {
    const panel = await openPanel([snapshot(largeConversation)]);
    const { page, composer } = panel;
    await panel.patch({ op: "head", head: { commands: [{ name: "explain", description: "Explain" }] } });
    const readOnly = { type: "answerResume", answer: "readOnly" };
    await page.keyboard.press("Control+f");
    await page.getByRole("search").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("search").waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Edit: Then update the changelog" }).press("Enter");
    await page.keyboard.press("Escape");
    await composer.focus();
    await page.keyboard.type("/");
    await page.getByRole("listbox", { name: "Commands" }).waitFor();
    await page.keyboard.press("Escape");
    assert.deepEqual(
      (await panel.intents()).filter(({ type }) => type === "answerResume"),
      [],
    );
    await page.keyboard.press("Escape");
    await cardOf(panel).getByRole("button", { name: "Resume", exact: true }).press("Escape");
    assert.ok(await hasFocus(composer));
    assert.deepEqual(
      (await panel.intents()).filter(({ type }) => type === "answerResume"),
      [readOnly, readOnly],
    );
  });

  it("is shown from its top in a small panel, where the area above the message box scrolls", async () => {
    const queue = Array.from({ length: 6 }, (_, i) => ({ id: `s${i}`, text: `Prompt ${i}`, sent: false }));
    const { head, entries } = largeConversation;
    const panel = await openPanel([snapshot({ head: { ...head, queue, resumeQuestion: null }, entries })], {
      width: 280,
      height: 400,
    });
    await panel.patch({ op: "head", head: { resumeQuestion: head.resumeQuestion ?? null } });
    const card = cardOf(panel);
    await card.waitFor();
    const area = panel.page.locator(".above-composer");
    assert.ok(await area.evaluate(each => each.scrollHeight > each.clientHeight + 20));
    const [top, bottom, areaTop, areaBottom] = await card.evaluate(each => {
      const own = each.getBoundingClientRect();
      const around = (each.closest(".above-composer") ?? each).getBoundingClientRect();
      return [own.top, own.bottom, around.top, around.bottom] as const;
    });
    assert.ok(top >= areaTop - 1 && (bottom <= areaBottom + 1 || top <= areaTop + 1), `${top} in ${areaTop}`);
    await panel.page.getByRole("button", { name: "Read Only" }).focus();
    await picture(panel, "resume-small");
  });

  it("fits into a narrow panel", async () => {
    for (const theme of ["dark", "light"] as const)
      for (const width of [280, 480]) {
        const panel = await openPanel([snapshot(largeConversation)], { theme, width });
        const card = cardOf(panel);
        const outside = await card.evaluate(each => {
          const edge = document.documentElement.clientWidth;
          return [...each.querySelectorAll("*")].filter(one => one.getBoundingClientRect().right > edge).length;
        });
        assert.equal(outside, 0);
        await picture(panel, `resume-${theme}-${width}`);
        await panel.free();
      }
  });
});
