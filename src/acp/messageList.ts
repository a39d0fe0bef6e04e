// The messages of a connection as a list without their content: for people who help with a problem.
import { visibleLine } from "../base/lines.ts";
import { isObject } from "./parse.ts";
import type { TrafficRecord } from "./trafficRecorder.ts";

/** A name in the protocol. Anything else could be content. */
const namePattern = /^[\w$/.:-]{1,64}$/;
const unreadableName = "(?)";

/**
 * One line for each of the newest `count` records: seconds since the start, direction, method or the request that it
 * answers, code of an error, and size in characters. No line contains a parameter, a result or a printed text.
 */
export function messageList(records: readonly TrafficRecord[], count: number): readonly string[] {
  const asked = new Map<string, string>();
  const first = records.length - count;
  return records.flatMap((record, at) => {
    const what = isObject(record.msg) ? messageText(record.msg, record.dir, asked) : record.dir;
    if (at < first) return [];
    const size = record.msg === undefined ? (record.text ?? "").length : JSON.stringify(record.msg).length;
    const direction = record.dir === "c>a" ? "→" : "←";
    return [`${(record.t / 1000).toFixed(1).padStart(8)} ${direction} ${what}, ${size}`];
  });
}

/** Notes the method of a request in `asked`, by its direction and its id, until its answer. */
function messageText(
  message: Readonly<Record<string, unknown>>,
  dir: TrafficRecord["dir"],
  asked: Map<string, string>,
): string {
  const { id, method, error, params } = message;
  const isIdentified = typeof id === "number" || typeof id === "string";
  const shownId = typeof id === "number" ? ` #${id}` : isIdentified ? " #(text)" : "";
  if (method !== undefined) {
    const name = nameOf(method) + kindOf(params);
    if (isIdentified) asked.set(`${dir} ${String(id)}`, name);
    return name + shownId;
  }
  const key = `${dir === "c>a" ? "a>c" : "c>a"} ${String(id)}`;
  const name = asked.get(key) ?? unreadableName;
  asked.delete(key);
  const code = isObject(error) ? ` error ${typeof error["code"] === "number" ? error["code"] : unreadableName}` : "";
  return `answer to ${name}${shownId}${code}`;
}

const nameOf = (name: unknown): string =>
  typeof name === "string" && namePattern.test(name) ? visibleLine(name) : unreadableName;

/** The kind of a session update. */
function kindOf(params: unknown): string {
  const update = isObject(params) ? params["update"] : undefined;
  return isObject(update) && "sessionUpdate" in update ? ` ${nameOf(update["sessionUpdate"])}` : "";
}
