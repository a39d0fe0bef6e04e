// The tokens and the cost of a session by day and model, as its entry keeps them, and their sums.
import { localDay } from "../base/localDay.ts";
import { sumMoney, type Money } from "../base/money.ts";
import { isFiniteNumber, isListOf, isRecordWith, isString, type TypeOf } from "../base/validators.ts";
import type { TurnSpending } from "../session/state.ts";

const isUsageRow = isRecordWith({
  /** In local time when the turn was counted: "2026-01-31". */
  day: isString,
  /** Empty: not known. */
  model: isString,
  turns: isFiniteNumber,
  input: isFiniteNumber,
  output: isFiniteNumber,
  /** All tokens. */
  tokens: isFiniteNumber,
  costs: isListOf(isRecordWith({ amount: isFiniteNumber, currency: isString })),
});

/** What the turns of one day and model have used. */
export interface UsageRow extends TypeOf<typeof isUsageRow> {}

export const isUsageRows = isListOf(isUsageRow);

/** What some turns have used together. */
export interface UsageSum {
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  readonly tokens: number;
  readonly costs: readonly Money[];
}

const known = new WeakMap<readonly TurnSpending[], readonly UsageRow[]>();

/** The turns by day and model, in the order of days and models. */
export function usageRows(turns: readonly TurnSpending[]): readonly UsageRow[] {
  const rows = known.get(turns) ?? makeRows(turns);
  known.set(turns, rows);
  return rows;
}

function makeRows(turns: readonly TurnSpending[]): readonly UsageRow[] {
  const rows = turns.map(({ at, model = "", input = 0, output = 0, tokens = 0, cost }): UsageRow => ({
    ...{ day: localDay(at), model, turns: 1, input, output, tokens },
    costs: cost ? [cost] : [],
  }));
  return groupUsage(rows, ({ day, model }) => JSON.stringify([day, model]))
    .map(([, group, sum]) => ({ day: group.day, model: group.model, ...sum }))
    .sort((a, b) => (a.day === b.day ? (a.model < b.model ? -1 : 1) : a.day < b.day ? -1 : 1));
}

/** The sum of all rows. */
export function sumUsage(rows: readonly UsageSum[]): UsageSum {
  const sum = (of: (row: UsageSum) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    turns: sum(({ turns }) => turns),
    input: sum(({ input }) => input),
    output: sum(({ output }) => output),
    tokens: sum(({ tokens }) => tokens),
    costs: sumMoney(rows.flatMap(({ costs }) => costs)),
  };
}

/** The sums of the rows with the same key: the key, the first of its rows, and their sum. */
export function groupUsage<Row extends UsageSum>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly (readonly [key: string, first: Row, sum: UsageSum])[] {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups].map(([key, group]) => [key, group[0], sumUsage(group)]);
}
