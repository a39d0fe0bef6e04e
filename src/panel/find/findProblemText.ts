// Why a search has no result, in words.
import { t } from "../../base/l10n.ts";
import type { FindProblem } from "./searchPattern.ts";

/** The problem as a sentence. */
export function findProblemText(problem: FindProblem): string {
  switch (problem.kind) {
    case "pattern":
      return t("The regular expression is invalid: {0}.", problem.detail);
    case "slow":
      return t("This regular expression takes too long. Try a simpler one.");
    default:
      return problem satisfies never;
  }
}
