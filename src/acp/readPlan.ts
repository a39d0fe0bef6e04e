// Plans with ids: lists of entries, and texts in Markdown. Either can name its file. The same in all protocol versions.
import type { SessionEvent } from "../session/events.ts";
import { asObject, asString, optionalField, parsePlanEntries, type JsonObject } from "./parse.ts";

/** The event for `plan_update`. Undefined if it is malformed. */
export function planUpdate(update: JsonObject): Extract<SessionEvent, { type: "plan" }> | undefined {
  const plan = asObject(update["plan"]);
  const planId = asString(plan["planId"]);
  if (planId === undefined) return undefined;
  const base = { type: "plan", planId, entries: [], ...optionalField("path", absolutePath(plan["path"])) } as const;
  switch (plan["type"]) {
    case "items":
      return Array.isArray(plan["entries"]) ? { ...base, entries: parsePlanEntries(plan["entries"]) } : undefined;
    case "markdown": {
      const markdown = asString(plan["content"]);
      return markdown === undefined ? undefined : { ...base, markdown };
    }
    // Earlier drafts. The protocol dropped it when it stabilized plans, and some agents still send it.
    case "file": {
      const uri = asString(plan["uri"]);
      return uri === undefined ? undefined : { ...base, uri };
    }
    default:
      return { ...base, kind: asString(plan["type"]) ?? "unknown" };
  }
}

/** The path, if it is absolute, as the protocol demands. On Windows, it begins with a drive, and names no other computer. */
function absolutePath(value: unknown): string | undefined {
  const path = asString(value);
  return path !== undefined && /^(?:\/(?![\\/])|[a-z]:[\\/])/i.test(path) ? path : undefined;
}

/** The event for `plan_removed`. Undefined if it is malformed. */
export function planRemoved(update: JsonObject): Extract<SessionEvent, { type: "planRemoved" }> | undefined {
  const planId = asString(update["planId"]);
  return planId === undefined ? undefined : { type: "planRemoved", planId };
}
