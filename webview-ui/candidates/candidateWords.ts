// The words of the page that compares candidates: states, times, checks.
import { formatMoney } from "../../src/base/money.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { CandidateCheck, CandidateRow, CandidateState } from "../../src/panel/candidatesPage.ts";
import { formatCount, formatDuration, t } from "../base/l10n.ts";

/** The icon and the words of a state. */
export function stateWords(state: CandidateState): readonly [icon: string, words: string] {
  switch (state) {
    case "starting":
      return ["loading codicon-modifier-spin", t("Starting")];
    case "held":
      return ["watch", t("Ready to send")];
    case "signIn":
      return ["account", t("Needs a sign-in")];
    case "working":
      return ["loading codicon-modifier-spin", t("Working")];
    case "waiting":
      return ["bell", t("Waiting for you")];
    case "done":
      return ["check", t("Done")];
    case "stopped":
      return ["circle-slash", t("Stopped")];
    case "failed":
      return ["error", t("Failed")];
    case "closed":
      return ["archive", t("Closed")];
    case "removed":
      return ["trash", t("Worktree removed")];
  }
}

/** How long the turns took until now. */
export function timeText({ worked, since }: CandidateRow, now: number): string {
  const total = (worked ?? 0) + (since === undefined ? 0 : Math.max(0, now - since));
  return worked === undefined && since === undefined ? "–" : formatDuration(total);
}

export const tokensText = ({ tokens }: CandidateRow): string => (tokens === undefined ? "–" : formatCount(tokens));

/** A cost for each currency. */
export const costTexts = ({ costs }: CandidateRow): readonly string[] =>
  costs.length === 0 ? ["–"] : costs.map(cost => visibleText(formatMoney(cost)));

export const filesText = (files: number): string => (files === 1 ? t("1 file") : t("{0} files", formatCount(files)));

export const problemsText = (problems: number): string =>
  problems === 1 ? t("1 new error") : t("{0} new errors", formatCount(problems));

/** How a check ended: `passed`, `failed` or `other`, with the words. */
export function checkWords({ outcome, exitCode }: CandidateCheck): string {
  switch (outcome) {
    case "passed":
      return t("Passed");
    case "failed":
      return exitCode === undefined ? t("Failed") : t("Failed (exit code {0})", exitCode);
    case "stopped":
      return t("Stopped");
    case "timeout":
      return t("Stopped at the time limit");
    case "unknown":
      return t("Could not be run");
  }
}
