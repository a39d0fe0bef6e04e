// Merges what an agent writes with what the user typed since the agent read the file. By whole lines, as git does.
import { changesBetween, runToEnd, type LineChange } from "../base/lineDiff.ts";
import type { LineWindow } from "./ports.ts";

/** The result of a merge, or the first line of the current text that both changed (1-based). */
export type MergeResult =
  | { readonly kind: "merged"; readonly text: string }
  | { readonly kind: "conflict"; readonly line: number };

/**
 * The current text with the change from `known` to `wanted`. Both were derived from `known`: `current` by the user,
 * `wanted` by the agent. Changes that touch each other conflict, unless they are the same, or unless `wanted` contains
 * everything that the user changed, so that the agent has seen it. All texts have "\n" line endings.
 */
export function mergeTexts(known: string, current: string, wanted: string): MergeResult {
  if (current === known || current === wanted) return { kind: "merged", text: wanted };
  const users = differences(known, current);
  const agents = differences(known, wanted);
  const lines = linesOf(wanted);
  const userLines = linesOf(current);
  const isSame = (user: LineChange, agent: LineChange): boolean =>
    user.oldFrom === agent.oldFrom && user.oldTo === agent.oldTo && textOf(userLines, user) === textOf(lines, agent);
  const own: { readonly at: number; readonly remove: number; readonly insert: readonly string[] }[] = [];
  let [next, shift] = [0, 0];
  for (const agent of agents) {
    for (let user = users[next]; user && user.oldTo < agent.oldFrom; user = users[++next])
      shift += user.newTo - user.newFrom - user.oldTo + user.oldFrom;
    const user = users[next];
    if (user && isSame(user, agent)) continue;
    if (user && user.oldFrom <= agent.oldTo)
      return hasSeen(users, linesOf(known), { changes: differences(current, wanted), lines })
        ? { kind: "merged", text: wanted }
        : { kind: "conflict", line: user.newFrom + 1 };
    own.push({
      at: agent.oldFrom + shift,
      remove: agent.oldTo - agent.oldFrom,
      insert: lines.slice(agent.newFrom, agent.newTo),
    });
  }
  const merged: string[] = [];
  let at = 0;
  for (const change of own) {
    merged.push(...userLines.slice(at, change.at), ...change.insert);
    at = change.at + change.remove;
  }
  return { kind: "merged", text: [...merged, ...userLines.slice(at)].join("") };
}

/** What the agent knows after it has read some lines of the current text: these lines, and what it knew of the others. */
export function learnLines(known: string, current: string, window: LineWindow): string {
  if (known === current) return known;
  const first = window.line - 1;
  const last = first + window.limit;
  // Lines that the user removed have been read once a line next to them has.
  const seen = differences(known, current).filter(({ newFrom, newTo }) =>
    newFrom === newTo ? newFrom < last && newTo >= first : newFrom < last && newTo > first,
  );
  const lines = linesOf(current);
  const old = linesOf(known);
  const learned: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of seen) {
    const isWhole = first <= newFrom && newTo <= last;
    learned.push(...old.slice(at, oldFrom), ...lines.slice(Math.max(newFrom, first), Math.min(newTo, last)));
    // The agent has not read which lines follow.
    at = isWhole ? oldTo : oldFrom;
  }
  return [...learned, ...old.slice(at)].join("");
}

/** Whether the agent's text keeps all lines that the user changed, and brings no line back that the user removed. */
function hasSeen(
  users: readonly LineChange[],
  known: readonly string[],
  { changes, lines }: { readonly changes: readonly LineChange[]; readonly lines: readonly string[] },
): boolean {
  return users.every(user => {
    const removed = new Set(known.slice(user.oldFrom, user.oldTo));
    return changes.every(({ oldFrom, oldTo, newFrom, newTo }) => {
      if (user.newFrom < user.newTo) return oldFrom === oldTo || oldTo <= user.newFrom || user.newTo <= oldFrom;
      if (oldTo < user.newFrom || user.newFrom < oldFrom) return true;
      return !lines.slice(newFrom, newTo).some(line => removed.has(line));
    });
  });
}

const differences = (before: string, after: string): readonly LineChange[] => runToEnd(changesBetween(before, after));

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const textOf = (lines: readonly string[], { newFrom, newTo }: LineChange): string =>
  lines.slice(newFrom, newTo).join("");
