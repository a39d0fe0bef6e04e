// The files that an agent's tool calls named in one turn, and the edits that they report. Pure.
import type { SessionEvent } from "../session/events.ts";
import { emptySession, openQuestions, toolKey, type Question, type SessionState } from "../session/state.ts";
import { endsToolCall } from "../session/toolCalls.ts";
import { newPathsIn } from "../session/toolPaths.ts";
import { baseFromReports, containsEdit, editReportsOf, type EditReport } from "./baseFromReports.ts";
import type { CallEvidence } from "./author.ts";
import { namesGit } from "./namesGit.ts";
import { maxReportDelay, type Period } from "./turnTimes.ts";

/** The maximum number of files in one turn that are tracked by name. */
const maxNamedPaths = 500;

/** Calls of these kinds write nothing. */
const readingKinds: ReadonlySet<string> = new Set(["read", "search", "think", "fetch"]);

/** When a call ran, in ms since the epoch. */
interface CallTimes {
  readonly began: number;
  /** Undefined: it runs. */
  readonly ended?: number;
  /** The turn has ended, and the call has not reported since. */
  readonly isLeft: boolean;
  /** The end of that turn. */
  readonly leftAt?: number;
}

/** A call that can write. */
interface WritingCall {
  readonly id: string;
  readonly evidence: CallEvidence;
}

export class TurnReports {
  /** All paths that a call has named in this turn, as the agent gave them, by the call's id. */
  readonly #named = new Map<string, ReadonlySet<string>>();
  /** How many paths that are. */
  #namedCount = 0;
  /** The calls that named a path, by the path as the agent gave it. */
  readonly #callsByPath = new Map<string, Set<string>>();
  readonly #times = new Map<string, CallTimes>();
  /** When calls waited for the user. */
  readonly #waits = new Map<string, readonly Period[]>();
  /** The calls that wait for questions which name no call, by question. */
  readonly #asked = new Map<string, string>();
  /** The calls of sub-agents, which run nothing but other calls. */
  readonly #parents = new Set<string>();
  #writing: readonly WritingCall[] | undefined;
  /** The files, by the paths that the agent gave. */
  readonly #resolvedPaths = new Map<string, string>();
  #state: SessionState = emptySession;
  #questions = emptySession.questions;

  /**
   * Returns the paths, as the agent gave them, that the event has news of. `after`: the state after the event. `now`: in
   * ms since the epoch.
   */
  observe(event: SessionEvent, after: SessionState, now: number): readonly string[] {
    this.#state = after;
    if (event.type !== "tool" && event.type !== "toolChunk") return [];
    this.#writing = undefined;
    const entry = after.entries.get(toolKey(event.toolCallId));
    if (entry?.kind === "tool" && entry.parent !== undefined) this.#parents.add(entry.parent);
    const times = this.#times.get(event.toolCallId);
    // A call that reports again after its end may have written again.
    const began = times && times.ended === undefined ? times.began : now;
    this.#times.set(event.toolCallId, { began, isLeft: false, ...(endsToolCall(event) && { ended: now }) });
    const known = this.#named.get(event.toolCallId) ?? new Set();
    const newPaths = [...new Set(newPathsIn(event, "locations", "diffs", "moves"))]
      .filter(path => !known.has(path))
      .slice(0, Math.max(0, maxNamedPaths - this.#namedCount));
    this.#namedCount += newPaths.length;
    for (const path of newPaths) {
      const calls = this.#callsByPath.get(path) ?? new Set();
      this.#callsByPath.set(path, calls.add(event.toolCallId));
    }
    const named = new Set([...known, ...newPaths]);
    if (named.size > 0) this.#named.set(event.toolCallId, named);
    const hasContent = event.type === "toolChunk" || Boolean(event.patch.content);
    return hasContent ? [...named] : newPaths;
  }

  /** The state has changed: a call can wait for the user, or no longer. `now`: in ms since the epoch. */
  stateChanged(state: SessionState, now: number): void {
    if (state.questions === this.#questions) return;
    this.#questions = state.questions;
    this.#writing = undefined;
    const waiting = new Set(openQuestions(state).flatMap(one => this.#callOf(one) ?? []));
    for (const [id, waits] of this.#waits) {
      const last = waits.at(-1);
      if (last && last.to === undefined && !waiting.has(id))
        this.#waits.set(id, [...waits.slice(0, -1), { from: last.from, to: now }]);
    }
    for (const id of waiting) {
      const waits = this.#waits.get(id) ?? [];
      if (waits.length === 0 || waits.at(-1)?.to !== undefined) this.#waits.set(id, [...waits, { from: now }]);
    }
  }

  /**
   * The call that waits for the answer. Parley's own questions, such as whether a command may run, name no call: the
   * agent asks for what its latest call needs.
   */
  #callOf({ id, toolCallId }: Question): string | undefined {
    if (toolCallId !== undefined) return toolCallId;
    const known = this.#asked.get(id);
    if (known !== undefined) return known;
    const latest = [...this.#times].findLast(
      ([call, { ended }]) => ended === undefined && !this.#parents.has(call),
    )?.[0];
    if (latest !== undefined) this.#asked.set(id, latest);
    return latest;
  }

  /** The turn has ended. A call counts as ended until it reports again. */
  turnEnded(now: number): void {
    this.#writing = undefined;
    for (const [id, times] of this.#times) this.#times.set(id, { ...times, isLeft: true, leftAt: now });
  }

  /** The calls that can write, with whether they name the file. */
  callsFor(path: string): readonly CallEvidence[] {
    const naming = new Set(this.#namedBy(path));
    return this.#writingCalls().map(({ id, evidence }) =>
      naming.has(id) ? { ...evidence, namesFile: true } : evidence,
    );
  }

  /** Many files can change at once. */
  #writingCalls(): readonly WritingCall[] {
    return (this.#writing ??= [...this.#times].flatMap(([id, { began, ended, leftAt }]) => {
      if (this.#parents.has(id) || this.#isReading(id)) return [];
      const entry = this.#state.entries.get(toolKey(id));
      const to = ended ?? leftAt;
      const ran = { from: began, ...(to !== undefined && { to }) };
      const isGit = entry?.kind === "tool" && namesGit(entry.fields, this.#state.terminals);
      return [{ id, evidence: { ran, waited: this.#waits.get(id) ?? [], namesFile: false, namesGit: isGit } }];
    }));
  }

  #isReading(id: string): boolean {
    const entry = this.#state.entries.get(toolKey(id));
    const kind = entry?.kind === "tool" ? entry.fields.kind : undefined;
    return kind !== undefined && readingKinds.has(kind);
  }

  /** Whether a call that can write the file runs, or has just ended. */
  isRunning(path: string, now: number): boolean {
    return this.#callsOf(path).some(
      ({ ended, isLeft }) => !isLeft && (ended === undefined || now - ended < maxReportDelay),
    );
  }

  /** Whether a call that can write the file had not ended when the turn ended, and has not reported since. */
  isLeft(path: string): boolean {
    return this.#callsOf(path).some(({ ended, isLeft }) => isLeft && ended === undefined);
  }

  #callsOf(path: string): readonly CallTimes[] {
    return this.#namedBy(path).flatMap(id => {
      const times = this.#times.get(id);
      return !times || this.#isReading(id) ? [] : [times];
    });
  }

  /** Sets the file that an agent's path resolves to. */
  setResolvedPath(agentPath: string, path: string): void {
    this.#resolvedPaths.set(agentPath, path);
  }

  /** The paths that the event's tool call has named, as the agent gave them. */
  pathsOfCall(event: SessionEvent): readonly string[] {
    return event.type === "tool" ? [...(this.#named.get(event.toolCallId) ?? [])] : [];
  }

  /** All named paths, as the agent gave them. */
  paths(): readonly string[] {
    return [...this.#callsByPath.keys()];
  }

  /** Whether a tool call named the file. */
  isNamed(path: string): boolean {
    return this.#namedBy(path).length > 0;
  }

  /** The calls that named the file, in the order of their first reports. */
  #namedBy(path: string): readonly string[] {
    const calls = [...this.#callsByPath].filter(([given]) => this.#resolve(given) === path).map(([, ids]) => ids);
    const [first = new Set<string>(), ...others] = calls;
    if (others.length === 0) return [...first];
    const all = new Set(calls.flatMap(ids => [...ids]));
    return [...this.#named.keys()].filter(id => all.has(id));
  }

  /** Whether the text already contains an edit that was reported for the file. */
  containsReportedEdit(path: string, text: string | null): boolean {
    if (text === null) return false;
    for (const report of this.#reportsOf(path)) if (containsEdit(text, report)) return true;
    return false;
  }

  /** The file's text before the reported edits. Null: the file did not exist. Undefined: it cannot be determined. */
  before(path: string, after: string | null): string | null | undefined {
    return baseFromReports(after, [...this.#reportsOf(path)]);
  }

  /** The edits of the file that calls reported, the first one first. */
  *#reportsOf(path: string): Generator<EditReport, void> {
    for (const id of this.#namedBy(path)) {
      const entry = this.#state.entries.get(toolKey(id));
      if (entry?.kind !== "tool") continue;
      for (const [given, report] of (entry.fields.content ?? []).flatMap(editReportsOf))
        if (this.#resolve(given) === path) yield report;
    }
  }

  #resolve(given: string): string {
    return this.#resolvedPaths.get(given) ?? given;
  }
}
