// The result of a replay, as JSON that a person can read and a test can compare.
import type { SessionEvent } from "../../../src/session/events.ts";
import { withoutTimes } from "./normalise.ts";
import type { ReplayResult } from "./replay.ts";

/** The golden of one process. Empty keys are omitted. */
export function golden(run: ReplayResult): unknown {
  return withoutTimes(
    withoutEmptyLists({
      sessions: run.sessions.map(({ id, opened, played }) =>
        withoutEmptyLists({
          session: id,
          opened,
          ...played.view,
          superseded: played.history.superseded,
          steps: played.history.steps,
          events: countByName(played.log.map(logged => logged.event.type)),
          unknown: played.log.map(logged => logged.event).filter(isUnknown),
        }),
      ),
      drivenDirectly: run.direct,
      refusedOptions: run.refusedOptions,
      answeredOtherwise: run.answeredOtherwise,
      otherNotifications: run.notifications.map(({ method, params }) => ({ method, params })),
      updatesElsewhere: run.elsewhere,
      sentUnasked: run.unexpectedMessages,
      badLines: run.badLines,
      stderrLines: run.stderrLines,
    }),
  );
}

const countByName = (words: readonly string[]): Record<string, number> => {
  const out: Record<string, number> = {};
  for (const word of words) out[word] = (out[word] ?? 0) + 1;
  return out;
};

const isUnknown = (event: SessionEvent): boolean => event.type === "unknown";

const withoutEmptyLists = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).filter(([key, inner]) => key === "entries" || !Array.isArray(inner) || inner.length > 0),
  );

/** The format of the file: short values on one line. */
export function goldenText(value: unknown): string {
  return `${pretty(value, "")}\n`;
}

function pretty(value: unknown, indent: string): string {
  const flat = JSON.stringify(value);
  if (flat.length + indent.length <= 160 || typeof value !== "object" || value === null) return flat;
  const deeper = `${indent} `;
  if (Array.isArray(value)) return `[\n${value.map(item => deeper + pretty(item, deeper)).join(",\n")}\n${indent}]`;
  const rows = Object.entries(value).map(([key, inner]) => `${deeper}${JSON.stringify(key)}: ${pretty(inner, deeper)}`);
  return `{\n${rows.join(",\n")}\n${indent}}`;
}
