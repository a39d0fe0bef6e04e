// The page that compares candidates: its rows, its buttons by keyboard, and texts of agents.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import {
  isCandidatesIntent,
  type CandidateRow,
  type CandidatesIntent,
  type CandidatesMessage,
  type CandidatesView,
} from "../../src/panel/candidatesPage.ts";
import { openPanel, picture, usePanel, type Options, type PanelPage } from "./panelPage.ts";

const row = (name: string, more: Partial<CandidateRow> = {}): CandidateRow => ({
  ...{ session: name, name, branch: `parley/fix-the-sum/${name.toLowerCase().replaceAll(" ", "-")}`, state: "done" },
  ...{ choices: [], options: [], costs: [] },
  ...more,
});
const output = "1 failing\n  1) sum adds <b>two</b> numbers\u202e";
const view: CandidatesView = {
  title: "Fix the sum of <b>two</b> numbers, and add a test\u202e",
  base: "1a2b3c4d",
  command: "npm test",
  rows: [
    row("Claude Agent 1", {
      ...{ choices: ["Opus", "Accept edits"], worked: 125_000, tokens: 61_234 },
      ...{ costs: [{ amount: 0.75, currency: "USD" }], changes: { files: 3, added: 1024, removed: 3 } },
      check: { command: "npm test", outcome: "passed", exitCode: 0, duration: 12_000, output: "12 passing" },
    }),
    row("Claude Agent 2", {
      ...{ choices: ["Sonnet"], worked: 60_000, changes: { files: 1, added: 4, removed: 1 }, problems: 2 },
      check: {
        ...{ command: "npm test", outcome: "failed", exitCode: 1, duration: 9000, output, isOutdated: true },
      },
    }),
    row("An agent with a very long name that fits no narrow tab at all", {
      ...{ state: "failed", reason: "The agent ended with code 1.\u202e", changes: "git: not a repository" },
    }),
    row("<i>Gone</i>", { state: "removed" }),
  ],
};
const held: CandidatesView = {
  ...view,
  command: "",
  rows: ["Demo Agent 1", "Demo Agent 2"].map(name =>
    row(name, {
      ...{ state: "held", changes: { files: 0, added: 0, removed: 0 } },
      options: [
        {
          ...{ id: "model", name: "Model", value: "b" },
          choices: [
            { value: "a", name: "Large" },
            { value: "b", name: "Small" },
          ],
        },
      ],
    }),
  ),
};

async function openCandidates(shown: CandidatesView, options: Options = {}): Promise<[PanelPage, CandidatesIntent[]]> {
  const intents: CandidatesIntent[] = [];
  const host = (message: unknown): void => {
    assert.ok(isCandidatesIntent(message), JSON.stringify(message));
    intents.push(message);
  };
  const panel = await openPanel([], { ...options, page: "candidates", host });
  await panel.page.getByRole("heading", { name: "Compare Candidates" }).waitFor();
  await post(panel, { type: "candidates", view: shown });
  await panel.page.getByRole("table", { name: "Candidates" }).waitFor();
  return [panel, intents];
}
const post = (panel: PanelPage, message: CandidatesMessage): Promise<void> =>
  panel.page.evaluate(sent => window.play.post(sent), message);
const axeSource = readFileSync(
  createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js"),
  "utf8",
);

describe("the page that compares candidates", () => {
  usePanel();

  it("has a row for each with its state, time, tokens, cost, changes and check, and texts of agents as text", async () => {
    const [panel] = await openCandidates(view, { width: 1100 });
    const { page } = panel;
    const cells = async (name: string): Promise<readonly string[]> => {
      const texts = await page.getByRole("row").filter({ hasText: name }).getByRole("cell").allInnerTexts();
      return texts.map(text => text.split(/\s+/).join(" ").trim());
    };
    assert.deepEqual(await cells("parley/fix-the-sum/claude-agent-1"), [
      ...["Done", "2 min 5 s", "61,234", "$0.75", "3 files +1,024 −3", "Passed 12 s"],
    ]);
    assert.deepEqual(await cells("parley/fix-the-sum/claude-agent-2"), [
      ...["Done", "1 min 0 s", "–", "–", "1 file +4 −1 2 new errors"],
      "Failed (exit code 1) 9 s Before the latest changes",
    ]);
    await page.getByText("The agent ended with code 1.[U+202E]").waitFor();
    await page.getByText("Fix the sum of <b>two</b> numbers, and add a test[U+202E]").waitFor();
    await page.getByRole("rowheader", { name: "<i>Gone</i>" }).waitFor();
    await page.getByText("Last lines of the check").nth(1).click();
    await page.getByText("1) sum adds <b>two</b> numbers[U+202E]").waitFor();
    await panel.assertClean();
  });

  it("reaches everything of a candidate by keyboard, with one tab stop for its buttons", async () => {
    const [panel, intents] = await openCandidates(view);
    const { page } = panel;
    await page.getByRole("button", { name: "Run All Checks" }).focus();
    await page.keyboard.press("Tab");
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.textContent?.trim() ?? null);
    assert.equal(await focused(), "Show Chat");
    for (const key of ["Enter", "ArrowRight", "Enter", "ArrowRight", "Enter", "ArrowRight", "Enter", "End", "Enter"])
      await page.keyboard.press(key);
    const session = "Claude Agent 1";
    assert.deepEqual(intents.slice(1), [
      { type: "showChat", session },
      { type: "showChanges", session },
      { type: "compareWith", session },
      { type: "runCheck", session },
      { type: "removeOthers", session },
    ]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.getByRole("toolbar", { name: "Claude Agent 2" }).getByRole("button", { name: "Show Chat" }).waitFor();
    assert.equal(await focused(), "Show Chat");
  });

  it("offers nothing that needs the worktree of a candidate whose worktree was removed", async () => {
    const [panel, intents] = await openCandidates(view);
    const bar = panel.page.getByRole("toolbar", { name: "<i>Gone</i>" });
    assert.deepEqual(await bar.getByRole("button").allInnerTexts(), ["Show Chat"]);
    const first = panel.page.getByRole("toolbar", { name: "Claude Agent 1" });
    await first.getByRole("button", { name: "Bring Back…" }).click();
    assert.deepEqual(intents.at(-1), { type: "bringBack", session: "Claude Agent 1" });
  });

  it("lets the user choose options while prompts are held, and then sends them", async () => {
    const [panel, intents] = await openCandidates(held);
    const { page } = panel;
    const model = page.getByRole("combobox", { name: "Model of Demo Agent 2" });
    assert.equal(await model.inputValue(), "b");
    await model.selectOption("a");
    await page.getByRole("button", { name: "Send to 2 Agents" }).click();
    await page.getByRole("button", { name: "Set a Check Command…" }).click();
    assert.deepEqual(intents.slice(1), [
      { type: "setOption", session: "Demo Agent 2", option: "model", value: "a" },
      { type: "send" },
      { type: "setCheckCommand" },
    ]);
    const [first, ...others] = held.rows;
    assert.ok(first);
    await post(panel, { type: "candidates", view: { ...held, rows: [{ ...first, state: "starting" }, ...others] } });
    await page.getByRole("button", { name: "Send to 1 Agent", disabled: true }).waitFor();
  });

  it("counts the time of turns and checks that run, and cancels a check", async () => {
    const at = 1_000_000;
    const runs: CandidateRow = row("Demo", {
      state: "working",
      worked: 60_000,
      since: at - 5000,
      checkSince: at - 3000,
    });
    const [panel, intents] = await openCandidates({ ...view, rows: [runs] }, { at });
    await panel.page.getByText("1 min 5 s").waitFor();
    await panel.page.getByText("Running for 3 s").waitFor();
    await panel.page.getByRole("button", { name: "Cancel Check" }).click();
    assert.deepEqual(intents.at(-1), { type: "stopCheck", session: "Demo" });
  });

  it("says what could not be done, until the user does something else", async () => {
    const [panel] = await openCandidates(view);
    const { page } = panel;
    await post(panel, { type: "problem", problem: "The worktree no longer exists." });
    await page.getByRole("status").getByText("The worktree no longer exists.").waitFor();
    await page.getByRole("button", { name: "One File of All…" }).click();
    await page.getByRole("status").getByText("The worktree no longer exists.").waitFor({ state: "hidden" });
  });

  for (const theme of ["dark", "light", "hc", "hc-light"] as const) {
    it(`has no fault of accessibility in the theme ${theme}, also in a narrow tab`, async () => {
      const [panel] = await openCandidates(view, { theme, width: 1000 });
      await picture(panel, `candidates-${theme}-1000`);
      for (const width of [480, 280]) {
        await panel.page.setViewportSize({ width, height: 1200 });
        assert.ok(await panel.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await panel.page.evaluate(axeSource);
        const results = await panel.page.evaluate(() =>
          (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
        );
        assert.deepEqual(
          results.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
          [],
        );
        await picture(panel, `candidates-${theme}-${width}`);
      }
      await post(panel, { type: "candidates", view: held });
      await panel.page.getByRole("button", { name: "Send to 2 Agents" }).waitFor();
      await picture(panel, `candidates-held-${theme}-280`);
    });
  }
});
