// The new problems of a turn: their words, and the buttons in the line of the turn.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { formatCount, t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";

type Counts = NonNullable<NonNullable<ViewEntry["turn"]>["problems"]>;

/** "2 new problems, 1 fixed" */
export function problemCountsText({ state, added = 0, fixed = 0, unchecked = 0 }: Counts): string {
  const files = unchecked === 1 ? t("1 file not checked") : t("{0} files not checked", formatCount(unchecked));
  if (state === "pending") return t("new problems not known yet");
  if (state === "unknown")
    return unchecked === 0 ? t("new problems not known") : t("new problems not known, {0}", files);
  const count = added === 1 ? t("1 new problem") : t("{0} new problems", formatCount(added));
  const known = fixed === 0 ? count : t("{0}, {1} fixed", count, formatCount(fixed));
  return unchecked === 0 ? known : t("{0}, {1}", known, files);
}

/** The new problems at the end of the line of a turn. The first button lists them. */
export function problemCounts(entry: ViewEntry): TemplateResult | typeof nothing {
  const problems = entry.turn?.problems;
  if (!problems) return nothing;
  const text = problemCountsText(problems);
  if (problems.added === undefined || problems.added === 0)
    return html`<span title=${problems.unchecked === undefined ? nothing : uncheckedTitle()}>${text}</span>`;
  const { id } = entry;
  return html`<span class="new-problems"
    ><button
      type="button"
      title=${
        problems.unchecked === undefined
          ? t("Show the new problems")
          : `${t("Show the new problems")}\n${uncheckedTitle()}`
      }
      @click=${() => send({ type: "showNewProblems", entry: id })}
    >
      ${icon("warning")} <span>${text}</span></button
    ><button
      type="button"
      class="fix"
      title=${t("Attach the new problems to the message, so that the agent fixes them")}
      @click=${() => send({ type: "fixNewProblems", entry: id })}
    >
      ${t("Fix")}
    </button></span
  >`;
}

const uncheckedTitle = (): string => t("Most language servers check only files that are open in a tab.");
