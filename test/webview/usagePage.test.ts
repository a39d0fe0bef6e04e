// The page of usage: its tables, the period, and what it says if agents report nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { isUsageIntent, type UsageIntent, type UsageLine, type UsageView } from "../../src/panel/usagePage.ts";
import { openPanel, picture, usePanel, type Options, type PanelPage } from "./panelPage.ts";

const line = (name: string, tokens: number, ...costs: UsageLine["costs"]): UsageLine => ({
  ...{ name, turns: 2, input: tokens - 100, output: 100, tokens },
  costs,
});
const usd = { amount: 0.75, currency: "USD" };
const eur = { amount: 1.5, currency: "EUR" };
const view: UsageView = {
  period: "week",
  days: [line("2026-01-31", 61_234, eur, usd), line("2026-01-30", 1200, usd)],
  agents: [line("<b>Demo</b> Agent\u202e", 60_000, usd), line("Other", 2434, eur)],
  models: [line("a-model-with-a-very-long-name-that-fits-no-narrow-tab-at-all", 60_000, usd), line("", 2434)],
  total: line("", 62_434, eur, { amount: 1.5, currency: "USD" }),
};
const none = { turns: 0, input: 0, output: 0, tokens: 0, costs: [] };
const empty: UsageView = { period: "today", days: [], agents: [], models: [], total: { name: "", ...none } };

async function openUsage(shown: UsageView, options: Options = {}): Promise<[PanelPage, UsageIntent[]]> {
  const intents: UsageIntent[] = [];
  const host = (message: unknown): void => {
    assert.ok(isUsageIntent(message), JSON.stringify(message));
    intents.push(message);
  };
  const panel = await openPanel([], { ...options, page: "usage", host });
  await panel.page.getByRole("heading", { name: "Usage" }).waitFor();
  await post(panel, { type: "usage", view: shown });
  return [panel, intents];
}
const post = (panel: PanelPage, message: unknown): Promise<void> =>
  panel.page.evaluate(sent => window.play.post(sent), message);
const axeSource = readFileSync(
  createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js"),
  "utf8",
);

describe("the page of usage", () => {
  usePanel();

  it("shows the sums by day, agent and model, one cost for each currency, and names as text", async () => {
    const [panel] = await openUsage(view);
    const rows = await panel.page.getByRole("table", { name: "By day" }).getByRole("row").allInnerTexts();
    assert.deepEqual(
      rows.map(text => text.split(/\s+/).join(" ").trim()),
      [
        "Day Turns Tokens Cost",
        "2026-01-31 2 61,234 €1.50 $0.75",
        "2026-01-30 2 1,200 $0.75",
        "Total 2 62,434 €1.50 $1.50",
      ],
    );
    await panel.page.getByRole("rowheader", { name: "<b>Demo</b> Agent[U+202E]" }).waitFor();
    await panel.page.getByRole("table", { name: "By model" }).getByRole("rowheader", { name: "Not known" }).waitFor();
    await panel.assertClean();
  });

  it("changes the period and exports by keyboard, and says what became of the export", async () => {
    const [panel, intents] = await openUsage(view);
    const { page } = panel;
    const period = page.getByRole("combobox", { name: "Period" });
    assert.equal(await period.inputValue(), "week");
    await period.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const has = (type: string): boolean => intents.some(intent => intent.type === type);
    assert.deepEqual(intents.slice(-2), [{ type: "choose", period: "month" }, { type: "export" }]);
    assert.ok(has("ready"));
    await post(panel, { type: "exported", problem: "The disk is full." });
    await page.getByRole("status").getByText("The disk is full.").waitFor();
    await post(panel, { type: "exported" });
    await page.getByRole("status").getByText("Exported the usage.").waitFor();
  });

  it("says that agents must report usage if there is none", async () => {
    const [panel] = await openUsage(empty);
    await panel.page.getByText("Parley can count only tokens and cost that an agent reports").waitFor();
    assert.ok(await panel.page.getByRole("button", { name: "Export as CSV…" }).isDisabled());
    assert.equal(await panel.page.getByRole("table").count(), 0);
    await post(panel, { type: "usage", view: { ...empty, unread: 2 } });
    await panel.page.getByText("2 sessions could not be read, so their usage is missing.").waitFor();
  });

  for (const theme of ["dark", "light", "hc", "hc-light"] as const) {
    it(`has no fault of accessibility in the theme ${theme}, also in a narrow tab`, async () => {
      const [panel] = await openUsage(view, { theme });
      await panel.page.getByRole("table", { name: "By model" }).waitFor();
      await panel.page.evaluate(axeSource);
      const results = await panel.page.evaluate(() =>
        (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
      );
      assert.deepEqual(
        results.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
      );
      for (const width of [480, 280]) {
        await panel.page.setViewportSize({ width, height: 700 });
        assert.ok(await panel.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await picture(panel, `usage-${theme}-${width}`);
      }
    });
  }
});
