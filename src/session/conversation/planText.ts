// A plan as a Markdown document.
import { t } from "../../base/l10n.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import type { Plan, PlanEntry } from "../events.ts";

/** The text of the plan, without secrets that Parley knows. A plan of an unknown kind has only its title. */
export function planText({ entries, markdown, uri }: Plan): string {
  if (markdown !== undefined) return maskKnownSecrets(markdown);
  const lines = uri === undefined ? entries.map(entryLine) : [`<${uri.replace(/[<>\s]/g, encodeURIComponent)}>`];
  return maskKnownSecrets(`# ${t("Plan")}\n\n${lines.map(line => `${line}\n`).join("")}`);
}

function entryLine({ content, status, priority }: PlanEntry): string {
  const notes = [
    ...(status === "in_progress" ? [t("in progress")] : []),
    ...(status === "cancelled" ? [t("cancelled")] : []),
    ...(priority === "high" ? [t("high priority")] : []),
    ...(priority === "low" ? [t("low priority")] : []),
  ];
  const text = content.replace(/\s*\n\s*/g, " ").trim();
  return `- [${status === "completed" ? "x" : " "}] ${text}${notes.length > 0 ? ` _(${notes.join(", ")})_` : ""}`;
}
