// Plans with ids: lists of entries, texts in Markdown, and files. The same in all protocol versions.
import type { SessionEvent } from "../session/events.ts";
import { asObject, asString, parsePlanEntries, type JsonObject } from "./parse.ts";

/** The event for `plan_update`. Undefined if it is malformed. */
export function planUpdate(update: JsonObject): SessionEvent | undefined {
  const plan = asObject(update["plan"]);
  const planId = asString(plan["planId"]);
  if (planId === undefined) return undefined;
  const base = { type: "plan", planId, entries: [] } as const;
  switch (plan["type"]) {
    case "items":
      return Array.isArray(plan["entries"]) ? { ...base, entries: parsePlanEntries(plan["entries"]) } : undefined;
    case "markdown": {
      const markdown = asString(plan["content"]);
      return markdown === undefined ? undefined : { ...base, markdown };
    }
    case "file": {
      const uri = asString(plan["uri"]);
      return uri === undefined ? undefined : { ...base, uri };
    }
    default:
      return { ...base, kind: asString(plan["type"]) ?? "unknown" };
  }
}

/** The event for `plan_removed`. Undefined if it is malformed. */
export function planRemoved(update: JsonObject): SessionEvent | undefined {
  const planId = asString(update["planId"]);
  return planId === undefined ? undefined : { type: "planRemoved", planId };
}
