// What the user types to search all conversations: words, and filters such as `agent:claude` and `after:2026-11-01`.
import { t } from "../base/l10n.ts";
import type { SessionEntry } from "../library/sessionEntry.ts";

/** Filters of one kind are alternatives. Filters of different kinds must all fit. */
export interface SearchFilters {
  /** Parts of the id or the name of the agent, in lower case. */
  readonly agents: readonly string[];
  /** Parts of paths that tool calls name, in lower case and with slashes. */
  readonly files: readonly string[];
  /** The conversation was used last at this time or later, ms since the epoch. */
  readonly after?: number;
  /** It was used last before this time, ms since the epoch. */
  readonly before?: number;
  readonly isDone: boolean;
}

/** The words to search for, without the filters. */
export type ReadQuery =
  | { readonly words: string; readonly filters: SearchFilters }
  /** A sentence about a filter that cannot be read. */
  | { readonly problem: string };

/** A filter begins a word. Its value can be in quotation marks, and is empty while the user types it. */
const filterPattern = /(?<![^\s])(agent|file|after|before|is):("[^"]*"?|\S*)\s*/gi;

/** Reads what the user typed. `now`: ms since the epoch, for `today` and `yesterday`. */
export function readQuery(typed: string, now: number): ReadQuery {
  const agents: string[] = [];
  const files: string[] = [];
  let after: number | undefined;
  let before: number | undefined;
  let isDone = false;
  for (const [, name = "", quoted = ""] of typed.matchAll(filterPattern)) {
    const value = quoted.replaceAll('"', "").trim().toLowerCase();
    if (value === "") continue;
    switch (name.toLowerCase()) {
      case "agent":
        agents.push(value);
        break;
      case "file":
        files.push(value.replaceAll("\\", "/"));
        break;
      case "is":
        if (value !== "done" && !"done".startsWith(value))
          return { problem: t("The filter “is:” has only the value “done”.") };
        isDone ||= value === "done";
        break;
      default: {
        const day = dayOf(value, now);
        if (day === undefined)
          return {
            problem: t(
              "The filter “{0}:” needs a date such as 2026-01-31, “today” or “yesterday”.",
              name.toLowerCase(),
            ),
          };
        if (name.toLowerCase() === "after") after = day;
        else before = day;
      }
    }
  }
  const words = typed.replace(filterPattern, "").trim();
  return {
    words,
    filters: { agents, files, isDone, ...(after !== undefined && { after }), ...(before !== undefined && { before }) },
  };
}

/** When the day begins at the place of the user, ms since the epoch. Undefined if it is no day. */
function dayOf(value: string, now: number): number | undefined {
  const today = new Date(now);
  const at = (year: number, month: number, day: number): Date => new Date(year, month, day);
  if (value === "today") return at(today.getFullYear(), today.getMonth(), today.getDate()).getTime();
  if (value === "yesterday") return at(today.getFullYear(), today.getMonth(), today.getDate() - 1).getTime();
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(value) ?? [];
  if (year === undefined) return undefined;
  const date = at(Number(year), Number(month) - 1, Number(day));
  // 30 February would be a day of March.
  return date.getMonth() === Number(month) - 1 && date.getDate() === Number(day) ? date.getTime() : undefined;
}

/** Whether the filters that concern the list of sessions let the session pass. The files are in its joined text. */
export function passesFilters(
  { agent, agentName, updated, done }: Pick<SessionEntry, "agent" | "agentName" | "updated" | "done">,
  { agents, after, before, isDone }: SearchFilters,
): boolean {
  const names = [agent.toLowerCase(), agentName.toLowerCase()];
  return (
    (agents.length === 0 || agents.some(part => names.some(name => name.includes(part)))) &&
    (after === undefined || updated >= after) &&
    (before === undefined || updated < before) &&
    (!isDone || done === true)
  );
}
