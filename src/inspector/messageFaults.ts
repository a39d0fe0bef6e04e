// What is wrong with a message by the list of the protocol: unknown methods, required fields that are missing, answers and
// requests without each other.
import { asObject, isObject, type JsonObject } from "../acp/parse.ts";
import type { TrafficRecord } from "../acp/trafficRecorder.ts";
import type { InspectorFault } from "../panel/inspectorPage.ts";
import { protocolMethods, type ProtocolMethod, type ProtocolShapes } from "./protocolMethods.ts";

/** Of a name that an agent chose (characters). */
export const maxNameLength = 200;

/** Begins the names of methods that are not of the protocol, and may be ignored. */
const extensionPrefix = "_";
/** The protocol has no list for other versions. */
const shapesOf = (version: number | undefined): ProtocolShapes | undefined => protocolMethods[String(version ?? 1)];

const ownValue = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** The faults of a request or notification. `version` is the one that the sides agreed on, undefined before that. */
export function callFaults(
  { method, id, params }: JsonObject & { readonly method: string },
  dir: TrafficRecord["dir"],
  version: number | undefined,
): readonly InspectorFault[] {
  const shapes = shapesOf(version);
  if (!shapes || method.startsWith(extensionPrefix)) return [];
  const known = ownValue(shapes.methods, method);
  if (!known) return [{ kind: "unknownMethod", name: method.slice(0, maxNameLength) }];
  const receiver = dir === "c>a" ? "agent" : "client";
  const faults: InspectorFault[] = known.sides.includes(receiver) ? [] : [{ kind: "wrongSide" }];
  const hasId = id !== undefined && id !== null;
  // `mcp/message` is both.
  if (hasId && known.result === undefined) faults.push({ kind: "isNoRequest" });
  if (!hasId && known.result !== undefined && method !== "mcp/message") faults.push({ kind: "isNoNotification" });
  faults.push(...missingFields(params, known.params, "params"));
  if (method === "session/update") faults.push(...updateFaults(asObject(params)["update"], shapes));
  return faults;
}

function updateFaults(update: unknown, { updates }: ProtocolShapes): readonly InspectorFault[] {
  if (!isObject(update)) return [];
  const kind = update["sessionUpdate"];
  if (typeof kind !== "string") return [{ kind: "missingField", name: "params.update.sessionUpdate" }];
  if (kind.startsWith(extensionPrefix)) return [];
  const required = ownValue(updates, kind);
  if (!required) return [{ kind: "unknownUpdate", name: kind.slice(0, maxNameLength) }];
  return missingFields(update, required, "params.update");
}

/** The faults of the answer to a request with this method. */
export function answerFaults(
  answer: JsonObject,
  method: string,
  version: number | undefined,
): readonly InspectorFault[] {
  const { error, result } = answer;
  if (error !== undefined && error !== null) return missingFields(error, ["code", "message"], "error");
  const shapes = shapesOf(version);
  const known: ProtocolMethod | undefined = shapes && ownValue(shapes.methods, method);
  if (result === undefined && known?.result?.length !== 0) return [{ kind: "noResult" }];
  return missingFields(result, known?.result, "result");
}

function missingFields(value: unknown, required: readonly string[] = [], path: string): readonly InspectorFault[] {
  const fields = asObject(value);
  return required
    .filter(field => !Object.hasOwn(fields, field) || fields[field] === undefined)
    .map(field => ({ kind: "missingField", name: `${path}.${field}` }));
}
