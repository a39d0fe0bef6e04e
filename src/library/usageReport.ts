// The usage of all sessions: the lines of its page, and its file.
import { localDay } from "../base/localDay.ts";
import type { UsageLine, UsagePeriod, UsageView } from "../panel/usagePage.ts";
import type { SessionEntry } from "./sessionEntry.ts";
import { groupUsage, sumUsage, type UsageRow } from "./sessionUsage.ts";

/** What the sessions of an agent have used. */
export type AgentUsage = Pick<SessionEntry, "agentName" | "usage">;

/** A row of a session, with its agent. */
interface AgentRow extends UsageRow {
  readonly agent: string;
}

const daysOf = { today: 1, week: 7, month: 30, all: Infinity } as const satisfies Record<UsagePeriod, number>;

/** The usage of a period that ends with the day of `now`, ms since the epoch: the latest day and the most tokens first. */
export function usageView(entries: readonly AgentUsage[], period: UsagePeriod, now: number): UsageView {
  const rows = rowsOf(entries, period, now);
  const lines = (nameOf: (row: AgentRow) => string): readonly UsageLine[] =>
    groupUsage(rows, nameOf).map(([name, , sum]) => ({ name, ...sum }));
  const byTokens = (a: UsageLine, b: UsageLine): number => b.tokens - a.tokens || (a.name < b.name ? -1 : 1);
  return {
    period,
    days: lines(({ day }) => day).toSorted((a, b) => (a.name < b.name ? 1 : -1)),
    agents: lines(({ agent }) => agent).toSorted(byTokens),
    models: lines(({ model }) => model).toSorted(byTokens),
    total: { name: "", ...sumUsage(rows) },
  };
}

function rowsOf(entries: readonly AgentUsage[], period: UsagePeriod, now: number): readonly AgentRow[] {
  const days = daysOf[period];
  const first = days === Infinity ? "" : localDay(now, days - 1);
  return entries.flatMap(({ agentName: agent, usage = [] }) =>
    usage.filter(({ day }) => day >= first).map(row => ({ ...row, agent })),
  );
}

/** The usage of a period as CSV (RFC 4180): a line for each day, agent, model and currency, the earliest day first. */
export function usageCsv(entries: readonly AgentUsage[], period: UsagePeriod, now: number): string {
  const groups = groupUsage(rowsOf(entries, period, now), ({ day, agent, model }) =>
    JSON.stringify([day, agent, model]),
  );
  const lines = groups
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { day, agent, model }, { turns, input, output, tokens, costs }]) => {
      const [cost, ...others] = costs;
      // The counts stand on one line, so that their sum is right. Further currencies have lines of their own.
      return [
        [day, agent, model, turns, input, output, tokens, cost?.amount ?? "", cost?.currency ?? ""],
        ...others.map(({ amount, currency }) => [day, agent, model, "", "", "", "", amount, currency]),
      ];
    });
  return [csvHeader, ...lines].map(line => `${line.map(csvCell).join(",")}\r\n`).join("");
}

const csvHeader = ["day", "agent", "model", "turns", "input tokens", "output tokens", "tokens", "cost", "currency"];

/** A cell. Spreadsheets execute texts that begin like a formula, so these get an apostrophe. */
function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const inert = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
