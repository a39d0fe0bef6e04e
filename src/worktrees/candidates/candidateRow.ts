// What the page that compares candidates shows of each: its state, time, tokens and cost. Pure.
import { maskText } from "../../base/mask.ts";
import type { SessionEntry } from "../../library/sessionEntry.ts";
import { sumUsage, usageRows, type UsageRow } from "../../library/sessionUsage.ts";
import type {
  CandidateTotals,
  CandidateCheck,
  CandidateOption,
  CandidateRow,
  CandidateState,
} from "../../panel/candidatesPage.ts";
import { isWorking } from "../../session/background/background.ts";
import { chosenOption } from "../../session/chosenOption.ts";
import { isBusy, openQuestions, type SessionState } from "../../session/state.ts";
import type { Candidate } from "./candidateGroups.ts";
import type { WorkTreeChange } from "../../git/workTreeChanges.ts";

/** What is known of a candidate besides its record. */
export interface KnownCandidate {
  /** Whether its worktree exists. */
  readonly exists: boolean;
  /** The state of its session. Absent: this window does not have it open. */
  readonly state?: SessionState;
  /** Its entry in the list of sessions. */
  readonly entry?: Pick<SessionEntry, "status" | "usage" | "updated">;
  /** Its changes, or why git could not compare them. */
  readonly changes?: readonly WorkTreeChange[] | string;
  readonly problems?: number;
  readonly checkSince?: number;
}

/** The row of a candidate. */
export function candidateRow(candidate: Candidate, known: KnownCandidate): CandidateRow {
  const { session, name, branch, check } = candidate;
  const { exists, state, entry, changes, problems = 0, checkSince } = known;
  const shown = exists ? (state ? stateOf(state) : "closed") : "removed";
  const usage = usageOf(state ? usageRows(state.spending.turns) : entry?.usage);
  const isOutdated = check && (state ? isBusy(state) || state.activity.since > check.ended : false);
  const reason = shown === "failed" ? state?.lost?.message : undefined;
  return {
    ...{ session, name, branch, state: shown, ...usage },
    ...(reason !== undefined && { reason: maskText(reason) }),
    choices: state ? (["model", "mode"] as const).flatMap(category => choiceName(state, category)) : [],
    options: state && shown === "held" ? (["model", "mode"] as const).flatMap(each => optionOf(state, each)) : [],
    ...(state && timesOf(state)),
    ...(changes !== undefined && exists && { changes: typeof changes === "string" ? changes : sumChanges(changes) }),
    ...(problems > 0 && { problems }),
    ...(checkSince !== undefined && { checkSince }),
    ...(check && { check: shownCheck(check, isOutdated === true) }),
  };
}

/** What a session of a candidate does. */
export function stateOf(state: SessionState): Exclude<CandidateState, "closed" | "removed"> {
  if (openQuestions(state).length > 0) return "waiting";
  if ((state.signIn ?? state.lost)?.signIn !== undefined) return "signIn";
  if (state.lost !== null) return "failed";
  if (isWorking(state)) return "working";
  const queued = state.pendingPrompts[0];
  // After a reload of the window, the agent starts with the prompt.
  const isConnecting = state.connection === null || state.connection.since !== undefined;
  if (queued) return queued.isOnHold && !isConnecting ? "held" : "starting";
  const { stopReason } = state.activity;
  if (stopReason === "error") return "failed";
  if (stopReason === "cancelled") return "stopped";
  return stopReason === undefined ? "starting" : "done";
}

function usageOf(rows: readonly UsageRow[] = []): Pick<CandidateRow, "tokens" | "costs"> {
  const { tokens, costs } = sumUsage(rows);
  return { ...(tokens > 0 && { tokens }), costs };
}

function timesOf(state: SessionState): Pick<CandidateRow, "worked" | "since"> {
  let worked: number | undefined;
  for (const { turn } of state.entries) if (turn?.duration !== undefined) worked = (worked ?? 0) + turn.duration;
  const since = isBusy(state) ? state.turnBegin?.at : undefined;
  return { ...(worked !== undefined && { worked }), ...(since !== undefined && { since }) };
}

function choiceName(state: SessionState, category: "model" | "mode"): readonly string[] {
  const chosen = chosenOption(state, category);
  const choice = chosen?.option.choices.find(({ value }) => value === chosen.value);
  return choice ? [choice.name] : [];
}

function optionOf(state: SessionState, category: "model" | "mode"): readonly CandidateOption[] {
  const chosen = chosenOption(state, category);
  if (!chosen) return [];
  const { id, name, choices } = chosen.option;
  return [{ id, name, value: chosen.value, choices: choices.map(({ value, name: text }) => ({ value, name: text })) }];
}

function sumChanges(files: readonly WorkTreeChange[]): CandidateTotals {
  const sum = (of: "added" | "removed"): number => files.reduce((total, { lines }) => total + (lines?.[of] ?? 0), 0);
  return { files: files.length, added: sum("added"), removed: sum("removed") };
}

function shownCheck(check: NonNullable<Candidate["check"]>, isOutdated: boolean): CandidateCheck {
  const { command, outcome, exitCode, duration, output } = check;
  return {
    ...{ command, outcome, duration, output },
    ...(exitCode !== undefined && { exitCode }),
    ...(isOutdated && { isOutdated: true as const }),
  };
}
