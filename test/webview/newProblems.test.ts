// The new problems at the end of a turn: the words, the buttons, and the switch that sends them with the next message.
import assert from "node:assert/strict";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { message, snapshot, view } from "./scenes.ts";

type Problems = NonNullable<NonNullable<ViewEntry["turn"]>["problems"]>;

const words = "A sentence that fills the line down to its end, so that the line of the turn has to wrap. ".repeat(2);
const answer = (problems?: Problems): ViewEntry => ({
  ...message("m1", "agent", words),
  turn: { duration: 125_000, calls: 3, files: 12, tokens: 1234, ...(problems && { problems }) },
});
const facts = "2 min 5 s · 3 tool calls · 12 files · 1,234 tokens";

describe("the new problems of a turn", () => {
  usePanel();
  const open = (problems?: Problems, options: Options = {}, head: object = {}): Promise<PanelPage> =>
    openPanel([snapshot(view([message("u1", "user", "Go"), answer(problems)], head))], options);
  const lineOf = async (panel: PanelPage): Promise<string> =>
    (await panel.log.getByRole("note", { name: "Finished turn" }).innerText()).replace(/\s+/g, " ").trim();

  it("are counted in the line of the turn, with those that are fixed and the files that were not checked", async () => {
    const panel = await open();
    assert.equal(await lineOf(panel), facts);
    const cases: readonly (readonly [Problems, string])[] = [
      [{ state: "pending" }, "new problems not known yet"],
      [{ state: "unknown" }, "new problems not known"],
      [{ state: "unknown", unchecked: 1 }, "new problems not known, 1 file not checked"],
      [{ state: "known", added: 0, fixed: 0 }, "0 new problems"],
      [{ state: "known", added: 0, fixed: 2 }, "0 new problems, 2 fixed"],
      [{ state: "known", added: 1, fixed: 0 }, "1 new problem Fix"],
      [{ state: "known", added: 1234, fixed: 1 }, "1,234 new problems, 1 fixed Fix"],
      [{ state: "known", added: 2, fixed: 1, unchecked: 3 }, "2 new problems, 1 fixed, 3 files not checked Fix"],
    ];
    for (const [problems, expected] of cases) {
      await panel.patch({ op: "put", at: 1, entry: answer(problems) });
      assert.equal(await lineOf(panel), `${facts} · ${expected}`);
    }
    assert.equal(await panel.log.getByRole("button", { name: "Fix", exact: true }).count(), 1);
    await panel.patch({ op: "put", at: 1, entry: answer({ state: "known", added: 0, fixed: 2 }) });
    assert.equal(await panel.log.getByRole("button", { name: "Fix", exact: true }).count(), 0);
  });

  for (const width of [280, 480])
    for (const theme of ["dark", "light", "hc"] as const)
      it(`are listed and fixed by mouse and by keyboard at ${width} pixels (${theme})`, async () => {
        const panel = await open({ state: "known", added: 2, fixed: 1, unchecked: 1 }, { width, theme, height: 500 });
        const list = panel.log.getByRole("button", { name: "2 new problems, 1 fixed, 1 file not checked" });
        const fix = panel.log.getByRole("button", { name: "Fix", exact: true });
        for (const button of [list, fix]) {
          const box = await button.boundingBox();
          assert.ok(box && box.x >= 0 && box.x + box.width <= width, "the button is inside of the panel");
        }
        await panel.page.screenshot({ path: `out/screenshots/new-problems-${width}-${theme}.png` });
        await list.click();
        await panel.page.keyboard.press("Tab");
        assert.ok(await fix.evaluate(node => node === document.activeElement));
        await panel.page.keyboard.press("Enter");
        await panel.page.keyboard.press("Shift+Tab");
        await panel.page.keyboard.press("Space");
        assert.deepEqual(await panel.intents(), [
          { type: "showNewProblems", entry: "m1" },
          { type: "fixNewProblems", entry: "m1" },
          { type: "showNewProblems", entry: "m1" },
        ]);
        await panel.assertClean();
      });

  it("are announced once when they are known, again if they are corrected, and not from the past", async () => {
    const panel = await open({ state: "known", added: 5, fixed: 0 });
    const spoken = panel.page.locator(".speech p");
    const next = (problems?: Problems): ViewEntry => ({
      ...message("m2", "agent", "Done."),
      turn: { duration: 1, ...(problems && { problems }) },
    });
    await panel.patch({ op: "put", at: 2, entry: next({ state: "pending" }) });
    await panel.patch({ op: "put", at: 2, entry: next({ state: "known", added: 0, fixed: 2 }) });
    await spoken.getByText("0 new problems, 2 fixed").waitFor({ state: "attached" });
    await panel.patch({ op: "put", at: 3, entry: message("m3", "agent", "More.") });
    await panel.patch({ op: "put", at: 2, entry: next({ state: "known", added: 1, fixed: 2 }) });
    await spoken.getByText("1 new problem, 2 fixed").waitFor({ state: "attached" });
    const texts = (await spoken.allTextContents()).filter(text => text.includes("problem"));
    assert.deepEqual(texts, ["0 new problems, 2 fixed", "1 new problem, 2 fixed"]);
  });

  for (const width of [280, 480])
    it(`have a switch in the message box while they can go with the next message, at ${width} pixels`, async () => {
      const activeFile = {
        name: "sum.js",
        path: "src/sum.js",
        lines: { from: 3, to: 7 },
        sends: { file: true, selection: false },
      };
      const newProblems = { count: 2, isSent: true };
      const panel = await open(
        { state: "known", added: 2, fixed: 0 },
        { width, height: 500 },
        { activeFile, newProblems },
      );
      const group = panel.page.getByRole("group", { name: "New problems" });
      await panel.page.screenshot({ path: `out/screenshots/send-problems-${width}.png` });
      await group.getByRole("button", { name: "2 new problems", pressed: true }).click();
      assert.deepEqual(await panel.intents(), [{ type: "sendNewProblems", isOn: false }]);
      await panel.patch({ op: "head", head: { newProblems: { count: 1, isSent: false } } as never });
      await group.getByRole("button", { name: "1 new problem", pressed: false }).press("Enter");
      assert.deepEqual((await panel.intents()).at(-1), { type: "sendNewProblems", isOn: true });
      await panel.patch({ op: "head", head: { newProblems: null } as never });
      await group.waitFor({ state: "detached" });
      await panel.assertClean();
    });
});
