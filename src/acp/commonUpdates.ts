// Updates that are the same in all protocol versions: plans by id, notices, compactions and the title of a session. No I/O.
import type { SessionEvent } from "../session/events.ts";
import { asObject, asString, optionalField, parseContent, type JsonObject } from "./parse.ts";
import { planRemoved, planUpdate } from "./readPlan.ts";

/** The field, if its value is a text or null. */
export const nullableField = <K extends string>(key: K, value: unknown): { [P in K]?: string | null } =>
  (value === null || typeof value === "string" ? { [key]: value } : {}) as { [P in K]?: string | null };

/** The first text in `_meta` with one of these keys, directly or in an object that has the name of the agent. */
export function metaText(meta: JsonObject, keys: readonly string[]): string | undefined {
  for (const holder of [meta, ...Object.values(meta).map(asObject)]) {
    const text = keys.map(key => asString(holder[key])).find(each => each !== undefined && each !== "");
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The tool call of the sub-agent that sent an update. Agents put its id into `_meta`. */
export const parentInMeta = (meta: JsonObject): string | undefined =>
  metaText(meta, ["parentToolUseId", "parentToolCallId"]);

/** The events for an update that all versions have. Undefined if it is another one, or malformed. */
export function commonUpdate(update: JsonObject): readonly SessionEvent[] | undefined {
  const parent = optionalField("parent", parentInMeta(asObject(update["_meta"])));
  switch (update["sessionUpdate"]) {
    case "plan_update": {
      const plan = planUpdate(update);
      return plan && [{ ...plan, ...parent }];
    }
    case "plan_removed": {
      const removed = planRemoved(update);
      return removed && [{ ...removed, ...parent }];
    }
    case "session_info_update":
      return sessionInfo(update);
    case "notice":
      return noticeUpdate(update);
    case "compaction_update":
      return compactionUpdate(update, parent);
    case "compaction_summary_chunk":
      return compactionChunk(update, parent);
    default:
      return undefined;
  }
}

type Parent = { readonly parent?: string };

/** The events for `notice`. Undefined if it is malformed. */
function noticeUpdate(update: JsonObject): readonly SessionEvent[] | undefined {
  const title = asString(update["title"]);
  if (title === undefined) return undefined;
  const severity = asString(update["severity"]) ?? "info";
  const retry = retryNotice(update);
  const isRetry = retry !== undefined || /^(?:retrying|reconnecting)\b/i.test(title);
  return [
    {
      type: "notice",
      severity: isRetry ? "info" : severity,
      title,
      ...optionalField("description", asString(update["description"])),
      ...(isRetry && { retry: true as const }),
      ...optionalField("turn", retry?.turn),
    },
  ];
}

/** The events for `session_info_update`: absent leaves a field, and null clears it. */
function sessionInfo(update: JsonObject): readonly SessionEvent[] {
  const info = { ...nullableField("title", update["title"]), ...nullableField("updatedAt", update["updatedAt"]) };
  const retry = retryNotice(update);
  return retry && Object.keys(info).length === 0 ? [retry] : [{ type: "info", ...info }, ...(retry ? [retry] : [])];
}

/**
 * A retry that the agent reports in `_meta`, under a name of its own: `error` with `willRetry` (a de-facto extension). The
 * turn continues, so it is no failure. Agents repeat the report with later updates, so it names its turn.
 */
function retryNotice(update: JsonObject): Extract<SessionEvent, { type: "notice" }> | undefined {
  const meta = asObject(update["_meta"]);
  for (const holder of [meta, ...Object.values(meta).map(asObject)]) {
    const error = asObject(holder["error"]);
    const title = asString(error["message"]);
    if (error["willRetry"] !== true || title === undefined || title === "") continue;
    const description = asString(error["additionalDetails"]) ?? asString(error["details"]);
    const turn = [error["turnId"], holder["turnId"]].find(id => typeof id === "string" || typeof id === "number");
    return {
      ...{ type: "notice", severity: "info", title, ...optionalField("description", description), retry: true },
      ...(turn !== undefined && { turn: String(turn) }),
    };
  }
  return undefined;
}

/** The events for `compaction_update`. Undefined if it is malformed. */
function compactionUpdate(update: JsonObject, parent: Parent): readonly SessionEvent[] | undefined {
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
      ...parent,
    },
  ];
}

/** The events for `compaction_summary_chunk`. Undefined if it is malformed. */
function compactionChunk(update: JsonObject, parent: Parent): readonly SessionEvent[] | undefined {
  const compactionId = asString(update["compactionId"]);
  const content = parseContent(update["content"]);
  return compactionId === undefined || !content
    ? undefined
    : [{ type: "compactionChunk", compactionId, content, ...parent }];
}
