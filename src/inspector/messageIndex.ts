// The messages of a connection as rows: what each is, the request or answer that belongs to it, and its faults. Rows are made
// in slices, so that a long recording never blocks the extension host.
import { asObject, asString, isObject, type JsonObject } from "../acp/parse.ts";
import type { SizedRecord, TrafficRecord, TrafficRecorder } from "../acp/trafficRecorder.ts";
import type { InspectorRow } from "../panel/inspectorPage.ts";
import { answerFaults, callFaults, maxNameLength } from "./messageFaults.ts";

/** How many methods and sessions a filter offers. */
const maxNames = 200;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** What the index reads. */
type RecordedMessages = Pick<TrafficRecorder, "recordAt" | "count" | "dropped" | "isClosed" | "protocolVersion">;

export class MessageIndex {
  readonly #recorder: RecordedMessages;
  #rows: (Writable<InspectorRow> | undefined)[] = [];
  /** The number of the first row. */
  #first: number;
  /** The requests that wait for their answers. */
  readonly #open = new Map<string, Writable<InspectorRow>>();
  readonly #changed = new Set<number>();
  readonly #methods = new Set<string>();
  readonly #sessions = new Set<string>();
  /** The version that the sides agreed on, once that message has a row. */
  #agreed: number | undefined;
  #isEnded = false;

  constructor(recorder: RecordedMessages) {
    this.#recorder = recorder;
    this.#first = recorder.dropped;
  }

  /** The number of the first row that is kept. */
  get first(): number {
    return Math.max(this.#first, this.#recorder.dropped);
  }
  /** The number after that of the last row. */
  get end(): number {
    return this.#first + this.#rows.length;
  }
  /** Whether all records have rows. */
  get isComplete(): boolean {
    return this.end >= this.#recorder.count && this.#recorder.isClosed === this.#isEnded;
  }

  /** Whether the connection has ended, and all records have rows. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The methods of the messages so far, at most {@link maxNames}. */
  get methods(): ReadonlySet<string> {
    return this.#methods;
  }
  /** The agent's IDs of the sessions so far, at most {@link maxNames}. */
  get sessions(): ReadonlySet<string> {
    return this.#sessions;
  }

  rowAt(number: number): InspectorRow | undefined {
    return number < this.first ? undefined : this.#rows[number - this.#first];
  }

  recordAt(number: number): TrafficRecord | undefined {
    return this.#recorder.recordAt(number)?.record;
  }

  /** The rows that changed since the last call, because their answer arrived or never will. */
  takeChanged(): ReadonlySet<number> {
    const changed = new Set(this.#changed);
    this.#changed.clear();
    return changed;
  }

  /** Makes rows until `isTimeOver`. Returns whether all records have rows. */
  advance(isTimeOver: () => boolean): boolean {
    this.#forget();
    while (this.end < this.#recorder.count) {
      const number = this.end;
      const sized = this.#recorder.recordAt(number);
      const row = sized && this.#rowOf(number, sized);
      this.#rows.push(row);
      if (row) this.#note(row);
      if (isTimeOver()) return this.isComplete;
    }
    if (this.#recorder.isClosed && !this.#isEnded) this.#end();
    return this.isComplete;
  }

  /** The messages with the version can be among the dropped records. */
  get #version(): number | undefined {
    return this.#agreed ?? (this.#recorder.dropped > 0 ? this.#recorder.protocolVersion : undefined);
  }

  #note({ method, session }: InspectorRow): void {
    if (method !== "" && this.#methods.size < maxNames) this.#methods.add(method);
    if (session !== undefined && this.#sessions.size < maxNames) this.#sessions.add(session);
  }

  /** Drops the rows of dropped records, many at once. */
  #forget(): void {
    const old = this.#recorder.dropped - this.#first;
    if (old < Math.max(1000, this.#rows.length / 4)) return;
    this.#rows = this.#rows.slice(old);
    this.#first += old;
    for (const [key, row] of this.#open) if (row.number < this.#first) this.#open.delete(key);
  }

  /** No answer arrives after the end of the connection. */
  #end(): void {
    this.#isEnded = true;
    for (const row of this.#open.values()) {
      row.faults = [...(row.faults ?? []), { kind: "noAnswer" }];
      this.#changed.add(row.number);
    }
    this.#open.clear();
  }

  #rowOf(number: number, { record, bytes }: SizedRecord): Writable<InspectorRow> {
    const { t: time, dir, msg } = record;
    const row: Writable<InspectorRow> = { number, time, dir, bytes, kind: "text", method: "" };
    if (isObject(msg)) {
      const id = shownId(msg["id"]);
      if (id !== undefined) row.id = id;
      if (typeof msg["method"] === "string") this.#call(row, { ...msg, method: msg["method"] });
      else this.#answer(row, msg);
    } else if (dir === "out") row.faults = [{ kind: "notMessage" }];
    return row;
  }

  #call(row: Writable<InspectorRow>, message: JsonObject & { readonly method: string }): void {
    const { id, method } = message;
    const params = asObject(message["params"]);
    row.method = method.slice(0, maxNameLength);
    row.kind = id === undefined || id === null ? "notification" : "request";
    const session = asString(params["sessionId"]);
    if (session !== undefined) row.session = session.slice(0, maxNameLength);
    const update = asString(asObject(params["update"])["sessionUpdate"]);
    if (update !== undefined) row.update = update.slice(0, maxNameLength);
    const faults = [...callFaults(message, row.dir, this.#version)];
    if (row.kind === "request") {
      const key = requestKey(row.dir, id);
      const open = this.#open.get(key);
      if (open) {
        faults.push({ kind: "duplicateId" });
        open.faults = [...(open.faults ?? []), { kind: "noAnswer" }];
        this.#changed.add(open.number);
      }
      this.#open.set(key, row);
    }
    if (faults.length > 0) row.faults = faults;
  }

  #answer(row: Writable<InspectorRow>, message: JsonObject): void {
    row.kind = "answer";
    if (message["error"] !== undefined && message["error"] !== null) row.isError = true;
    const key = requestKey(row.dir === "c>a" ? "a>c" : "c>a", message["id"]);
    const request = this.#open.get(key);
    if (!request) {
      // The request can be among the dropped records.
      if (this.#first === 0) row.faults = [{ kind: "noRequest" }];
      return;
    }
    this.#open.delete(key);
    row.method = request.method;
    row.other = request.number;
    request.other = row.number;
    row.wait = request.wait = Math.max(0, Math.round((row.time - request.time) * 10) / 10);
    this.#changed.add(request.number);
    const result = asObject(message["result"]);
    const session = request.session ?? asString(result["sessionId"])?.slice(0, maxNameLength);
    if (session !== undefined) row.session = request.session = session;
    if (request.method === "initialize" && request.dir === "c>a" && typeof result["protocolVersion"] === "number")
      this.#agreed = result["protocolVersion"];
    const faults = answerFaults(message, request.method, this.#version);
    if (faults.length > 0) row.faults = faults;
  }
}

/** A request is identified by its sender and its ID. The ID 1 is not the ID "1". */
const requestKey = (sender: TrafficRecord["dir"], id: unknown): string => `${sender} ${typeof id} ${String(id)}`;

const shownId = (id: unknown): string | undefined =>
  typeof id === "string" ? JSON.stringify(id.slice(0, maxNameLength)) : typeof id === "number" ? String(id) : undefined;
