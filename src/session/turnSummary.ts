// What a finished turn comes to: how long it took, its tool calls and files, and its tokens and cost if the agent reports
// them.
import { roundMoney } from "../base/money.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import type { SessionEvent, TurnUsage } from "./events.ts";
import { latestTurnStart, type Entry, type SessionState, type TurnBegin, type TurnSummary } from "./state.ts";
import { pathsOf } from "./toolPaths.ts";

/** What has to be known at the begin of a turn. An agent that has worked before has a cost, which it may not have named. */
export function turnBegin({ entries, usage, spending }: SessionState, at: number): TurnBegin {
  const isFirst = entries.findLast(({ kind }) => kind === "tool" || kind === "turnEnd") === undefined;
  const hasAnswer = entries.findLast(entry => entry.kind === "message" && entry.author !== "user") !== undefined;
  return { at, cost: usage?.cost ?? (spending.isNew || (isFirst && !hasAnswer) ? "none" : "unknown") };
}

/** The state in which the last line of the turn that ends has its summary. `begin`: absent if it was not reported. */
export function withTurnSummary(state: SessionState, begin: TurnBegin | undefined, at: number): SessionState {
  const turn = latestTurn(state);
  const last = lastLine(turn);
  if (last === undefined) return state;
  const tools = turn.filter(entry => entry.kind === "tool");
  const written = tools.filter(({ fields }) => fields.status === "completed");
  const files = new Set(written.flatMap(({ fields }) => pathsOf(fields, "diffs"))).size;
  const tokens = tokensOf(state.turnUsage);
  const cost = begin && costOf(state.usage?.cost, begin.cost);
  const summary: TurnSummary = {
    ...(begin && { duration: Math.max(0, at - begin.at) }),
    ...(tools.length > 0 && { calls: tools.length }),
    ...(files > 0 && { files }),
    ...(tokens !== undefined && { tokens }),
    ...(cost && { cost }),
  };
  if (Object.keys(summary).length === 0) return state;
  return { ...state, entries: state.entries.put({ ...last, turn: summary }) };
}

function latestTurn(state: SessionState): readonly Entry[] {
  const turn: Entry[] = [];
  for (let i = latestTurnStart(state); i < state.entries.length; i++) turn.push(state.entries.at(i) as Entry);
  return turn;
}

const lastLine = (turn: readonly Entry[]): Entry | undefined =>
  turn.findLast(entry => !("parent" in entry) || entry.parent === undefined);

/** The id of the entry with the line of the latest turn, which has ended. Undefined: the turn has no entry. */
export function turnLineEntry(state: SessionState): string | undefined {
  const turn = latestTurn(state);
  return (turn.findLast(entry => entry.turn !== undefined) ?? lastLine(turn))?.id;
}

/** The state in which the line of a turn has how the problems changed. */
export function withTurnProblems(
  state: SessionState,
  { type: _, entry: id, problems, ...counts }: Extract<SessionEvent, { type: "turnProblems" }>,
): SessionState {
  const entry = state.entries.get(id);
  if (!entry) return state;
  const { newProblems: before, ...rest } = entry;
  if (jsonEqual(entry.turn?.problems, counts) && jsonEqual(before, problems)) return state;
  const changed: Entry = { ...rest, turn: { ...entry.turn, problems: counts } };
  return { ...state, entries: state.entries.put(problems ? { ...changed, newProblems: problems } : changed) };
}

/** The event that ends the wait for the problems of the latest turn. Undefined: nothing waits. */
export function endedProblemWait({ entries }: SessionState): SessionEvent | undefined {
  const line = entries.findLast(({ turn }) => turn !== undefined);
  return line?.turn?.problems?.state === "pending"
    ? { type: "turnProblems", entry: line.id, state: "unknown" }
    : undefined;
}

/** All tokens of the turn. Agents that report no total report input and output, or the counts of each model. */
export function tokensOf(usage: TurnUsage | null): number | undefined {
  if (usage === null) return undefined;
  if (usage.total !== undefined) return usage.total;
  const counts = [usage.input, usage.output].filter(count => count !== undefined);
  return counts.length === 2 ? counts.reduce((sum, count) => sum + count, 0) : undefined;
}

type Cost = NonNullable<NonNullable<SessionState["usage"]>["cost"]>;

/** Agents report the cost of their whole session, so that of a turn is the difference. */
function costOf(now: Cost | undefined, before: TurnBegin["cost"]): Cost | undefined {
  // The line of the turn has room for a currency code, not for any text that an agent sends.
  if (now === undefined || before === "unknown" || !/^[A-Z]{3}$/.test(now.currency)) return undefined;
  if (before === "none") return now;
  const amount = roundMoney(now.amount - before.amount);
  return now.currency === before.currency && amount > 0 ? { amount, currency: now.currency } : undefined;
}
