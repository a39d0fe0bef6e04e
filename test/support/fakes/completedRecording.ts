// The facts of a recording as the reducer takes them in: with their times in ms, by the paths to which they lead, and with
// what was asked about a text just after it was read. No fact is derived from what Parley found out (`attributed`).
import type { FactOrigin } from "../../../src/history/facts.ts";
import type { RecordedLine } from "./recordedFacts.ts";

/** The time of the first fact, in ms. No turn ended shortly before it. */
const start = 1_000_000;

/** The lines of a recording without what Parley found out. Times are in ms. */
export function completedRecording(recording: readonly RecordedLine[]): readonly RecordedLine[] {
  const lines = recording.filter(({ type }) => type !== "attributed");
  const leads = new Map(lines.flatMap(line => (line.type === "located" ? [[line.path, line] as const] : [])));
  const allowed = new Set<string>();
  return lines.flatMap((line, index): readonly RecordedLine[] => {
    if (line.type === "review") return [line];
    if (line.type === "located") return [];
    const timed = withTimes(line);
    if (timed.type === "allowedOutside") allowed.add(timed.path);
    if (!("path" in timed)) return [timed];
    const { leadsTo = timed.path, isInside = true } = leads.get(timed.path) ?? {};
    // What stands at a path is read there, wherever it leads.
    const isRead = timed.type === "diskSeen" || timed.type === "compared";
    if (!isRead && !isInside && !allowed.has(leadsTo)) return [];
    const located = isRead ? timed : { ...timed, path: leadsTo };
    if (located.type !== "diskSeen" && located.type !== "textSeen") return [located];
    const dated = datedAfter(lines, index, located.path);
    return [{ ...located, ...(located.type === "diskSeen" && { origin: "neither" as const }), ...dated }];
  });
}

function withTimes<Line extends { readonly at: number }>(line: Line): Line {
  const times = Object.entries(line).flatMap(([key, value]: [string, unknown]) =>
    ["at", "changedAt", "began", "ended"].includes(key) && typeof value === "number" ? [[key, start + value]] : [],
  );
  return { ...line, ...(Object.fromEntries(times) as Partial<Line>) };
}

/** The time and the origin of a change, which were asked after the text was read. */
function datedAfter(
  lines: readonly RecordedLine[],
  index: number,
  path: string,
): { readonly changedAt?: number; readonly origin?: FactOrigin } {
  const next = lines
    .slice(index + 1)
    .find(one => "path" in one && one.path === path && /^(?:textSeen|diskSeen|changeDated)$/.test(one.type));
  if (next?.type !== "changeDated") return {};
  const { changedAt, origin } = next;
  // The file was changed after its text was read, and that was dated.
  const line = lines[index];
  if (line?.type === "textSeen" && changedAt !== undefined && changedAt > line.at) return {};
  return { ...(changedAt !== undefined && { changedAt: start + changedAt }), ...(origin && { origin }) };
}
