// Updates that are the same in all protocol versions: notices, compactions and the title of a session. No I/O.
import type { SessionEvent } from "../session/events.ts";
import { asObject, asString, optionalField, parseContent, type JsonObject } from "./parse.ts";

/** The field, if its value is a text or null. */
export const nullableField = <K extends string>(key: K, value: unknown): { [P in K]?: string | null } =>
  (value === null || typeof value === "string" ? { [key]: value } : {}) as { [P in K]?: string | null };

/** The events for `notice`. Undefined if it is malformed. */
export function noticeUpdate(update: JsonObject): readonly SessionEvent[] | undefined {
  const title = asString(update["title"]);
  if (title === undefined) return undefined;
  const severity = asString(update["severity"]) ?? "info";
  const isRetry = retryNotice(update) !== undefined || /^(?:retrying|reconnecting)\b/i.test(title);
  return [
    {
      type: "notice",
      severity: isRetry ? "info" : severity,
      title,
      ...optionalField("description", asString(update["description"])),
      ...(isRetry && { retry: true as const }),
    },
  ];
}

/** The events for `session_info_update`: absent leaves a field, and null clears it. */
export function sessionInfo(update: JsonObject): readonly SessionEvent[] {
  const info = { ...nullableField("title", update["title"]), ...nullableField("updatedAt", update["updatedAt"]) };
  const retry = retryNotice(update);
  return retry && Object.keys(info).length === 0 ? [retry] : [{ type: "info", ...info }, ...(retry ? [retry] : [])];
}

/**
 * A retry that the agent reports in `_meta`, under a name of its own: `error` with `willRetry` (a de-facto extension). The
 * turn continues, so it is no failure.
 */
function retryNotice(update: JsonObject): SessionEvent | undefined {
  const meta = asObject(update["_meta"]);
  for (const holder of [meta, ...Object.values(meta).map(asObject)]) {
    const error = asObject(holder["error"]);
    const title = asString(error["message"]);
    if (error["willRetry"] !== true || title === undefined || title === "") continue;
    const description = asString(error["additionalDetails"]) ?? asString(error["details"]);
    return { type: "notice", severity: "info", title, ...optionalField("description", description), retry: true };
  }
  return undefined;
}

/** The events for `compaction_update`. Undefined if it is malformed. */
export function compactionUpdate(update: JsonObject): readonly SessionEvent[] | undefined {
  const compactionId = asString(update["compactionId"]);
  if (compactionId === undefined) return undefined;
  const { summary } = update;
  return [
    {
      type: "compaction",
      compactionId,
      ...optionalField("status", asString(update["status"])),
      ...(summary === null && { summary: null }),
      ...(Array.isArray(summary) && { summary: summary.map(parseContent).filter(block => block !== undefined) }),
      ...nullableField("error", update["error"]),
    },
  ];
}

/** The events for `compaction_summary_chunk`. Undefined if it is malformed. */
export function compactionChunk(update: JsonObject): readonly SessionEvent[] | undefined {
  const compactionId = asString(update["compactionId"]);
  const content = parseContent(update["content"]);
  return compactionId === undefined || !content ? undefined : [{ type: "compactionChunk", compactionId, content }];
}
