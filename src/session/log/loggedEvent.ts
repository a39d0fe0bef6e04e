// The check of stored events. A log can be damaged, and code that gets an event of another shape would fail later, for
// the whole conversation.
import { isFiniteNumber, isRecordWith, isString, type Validator } from "../../base/validators.ts";
import { sessionEvents, type LoggedEvent } from "../events.ts";

const isEnvelope = isRecordWith({ seq: isFiniteNumber, at: isFiniteNumber, event: isRecordWith({ type: isString }) });
const checks: ReadonlyMap<string, Validator> = new Map(
  Object.entries(sessionEvents).map(([type, fields]) => [type, isRecordWith(fields)]),
);

/**
 * The value as an event of a log. Undefined if its type is unknown or a field has another type than it was stored with.
 * Unknown fields are kept.
 */
export function asLoggedEvent(value: unknown): LoggedEvent | undefined {
  if (!isEnvelope(value)) return undefined;
  return checks.get(value.event.type)?.(value.event) ? (value as LoggedEvent) : undefined;
}
