// Recorded traffic of an agent, in the format of src/acp/trafficRecorder.ts: one {t, dir, msg | text} per line.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TrafficRecord } from "../../../src/acp/trafficRecorder.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON-RPC message from the recording. */
export interface RecordedMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A recording of one agent process, from its first message on. */
export type Recording = readonly TrafficRecord[];

export const transcriptFolder = join("test", "transcripts");

/** Every transcript, as `agent/scenario`. */
export function transcriptNames(): readonly string[] {
  return readdirSync(transcriptFolder, { recursive: true, encoding: "utf8" })
    .filter(file => file.endsWith(".ndjson"))
    .map(file => file.replaceAll("\\", "/").replace(/\.ndjson$/, ""))
    .sort();
}

/** The lines of a transcript. */
export function readTranscript(name: string): Recording {
  return readFileSync(join(transcriptFolder, `${name}.ndjson`), "utf8")
    .split("\n")
    .filter(line => line !== "")
    .map(line => JSON.parse(line) as TrafficRecord);
}

/** A transcript may contain several processes, one after the other. Each begins with `initialize`. */
export function processesOf(lines: Recording): readonly Recording[] {
  const out: TrafficRecord[][] = [];
  for (const line of lines) {
    if (line.dir === "c>a" && messageOf(line)?.method === "initialize") out.push([]);
    out.at(-1)?.push(line);
  }
  return out;
}

/** The line's message, if it has one. */
export const messageOf = (line: TrafficRecord): RecordedMessage | undefined =>
  line.msg === undefined ? undefined : (line.msg as RecordedMessage);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The response to the request on line `at`, which the other side sent later. */
export function answerTo(lines: Recording, at: number): RecordedMessage | undefined {
  const request = lines[at];
  const id = request && messageOf(request)?.id;
  if (request === undefined || id === undefined || id === null) return undefined;
  const back = request.dir === "c>a" ? "a>c" : "c>a";
  const answer = lines.slice(at + 1).find(line => {
    const message = messageOf(line);
    return line.dir === back && message !== undefined && message.method === undefined && message.id === id;
  });
  return answer && messageOf(answer);
}

/** A `session/update` with the session it belongs to. */
export interface SessionUpdate {
  readonly sessionId: string;
  readonly update: JsonObject;
}

/** The update of the line, if it is a `session/update` of the agent. */
export function updateOf(line: TrafficRecord): SessionUpdate | undefined {
  const message = line.dir === "a>c" ? messageOf(line) : undefined;
  if (message?.method !== "session/update") return undefined;
  const { sessionId, update } = message.params ?? {};
  return typeof sessionId === "string" && isObject(update) ? { sessionId, update } : undefined;
}
