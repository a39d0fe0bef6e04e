// Feeds facts to the records of files, as a window does: each to the turns first, then to the records that it concerns.
import type { Fact, FileFact } from "../../../src/history/facts.ts";
import { newRecord, type AttributedChange, type FileRecord, type Want } from "../../../src/history/fileRecord.ts";
import { turnsOfFile } from "../../../src/history/fileTurns.ts";
import { concerns, reduceFile } from "../../../src/history/reduceFile.ts";
import { RunningTurns } from "../../../src/history/runningTurns.ts";
import { emptySession, type SessionState, type TerminalState } from "../../../src/session/state.ts";
import type { SessionEvent } from "../../../src/session/events.ts";
import { FedEvents } from "./fedEvents.ts";

/** A change of a file with its author. */
export type ReducedChange = AttributedChange & { readonly path: string };

export interface ReducedHistoryOptions {
  /** The answer to what a record wants. It is fed at once. Undefined: it comes later, or never. */
  readonly answer?: (path: string, want: Want) => FileFact | undefined;
  /** A call that names no file runs from the beginning of each turn to its end. */
  readonly callInTurns?: boolean;
}

/** The call of {@link ReducedHistoryOptions.callInTurns}. */
const wholeTurn = "whole turn";

export class ReducedHistory {
  turns = new RunningTurns();
  readonly records = new Map<string, FileRecord>();
  readonly changes: ReducedChange[] = [];
  readonly wanted: { readonly path: string; readonly want: Want }[] = [];
  readonly #options: ReducedHistoryOptions;
  readonly #sessions = new Map<string, FedEvents<unknown>>();
  readonly #sessionOf = new Map<string, string>();
  /** The calls are facts, too. */
  #hasCalls = false;
  /** The terminals and the questions of sessions. */
  readonly #states = new Map<string, SessionState>();
  /** What the user did with files in this turn. */
  readonly #operations: Fact[] = [];
  #now = 0;

  constructor(options: ReducedHistoryOptions = {}) {
    this.#options = options;
  }

  /** Takes in a fact. Its time is in ms. */
  feed(fact: Fact): void {
    this.#now = fact.at;
    if (fact.type === "windowBegan") this.#beginWindow();
    this.#feedTurns(fact);
    this.#feedSession(fact);
    if ("path" in fact) this.#create(fact.path);
    if (fact.type === "userMoved") this.#create(fact.from);
    if (fact.type === "turnBegan" && !this.turns.isOverlap) this.#operations.length = 0;
    if (isOperation(fact)) this.#operations.push(fact);
    for (const [path, record] of this.records) if (concerns(path, fact)) this.#reduce(record, fact);
  }

  /** An agent's event at a time in ms. */
  report(session: string, event: SessionEvent, at = this.#now): void {
    this.#now = at;
    this.#session(session).feed(event);
  }

  /** A file's record. */
  record(path: string): FileRecord {
    return this.records.get(path) ?? newRecord(path);
  }

  /** A new record learns what the user did in this turn with a folder that contains the file. */
  #create(path: string): void {
    if (this.records.has(path)) return;
    this.records.set(path, newRecord(path));
    for (const one of this.#operations) if (concerns(path, one)) this.#reduce(this.record(path), one);
  }

  #reduce(record: FileRecord, fact: Fact): void {
    const { path } = record;
    const { record: after, wants, changes } = reduceFile(record, fact, turnsOfFile(this.turns, path, this.#now));
    this.records.set(path, after);
    this.changes.push(...changes.map(one => ({ path, ...one })));
    for (const want of wants) {
      this.wanted.push({ path, want });
      const answer = this.#options.answer?.(path, want);
      if (answer) this.#reduce(this.record(path), { at: this.#now, ...answer });
    }
  }

  #feedTurns(fact: Fact): void {
    if (fact.type === "turnBegan") {
      const { turn, session } = fact;
      this.turns.begin(turn, session, this.#now);
      this.#sessionOf.set(turn, session);
      this.#sessions.delete(session);
      if (this.#options.callInTurns && !this.#hasCalls)
        this.#tool(session, wholeTurn, { kind: "execute", status: "in_progress" });
    } else if (fact.type === "turnEnded") {
      const running = this.turns.of(this.#sessionOf.get(fact.turn) ?? "");
      running?.times.end(this.#now);
      running?.reports.turnEnded(this.#now);
    } else if (fact.type === "turnResumed") {
      this.turns.addEnded(fact.turn, fact.session, fact.began, fact.ended);
    } else if (fact.type === "toolNamed" && !this.#hasCalls) {
      const { path, session, toolCallId, title, kind, status } = fact;
      const known = { ...(title !== undefined && { title }), ...(kind !== undefined && { kind }) };
      this.#tool(session, toolCallId, {
        ...known,
        ...(status !== undefined && { status }),
        locations: [{ path }],
      });
    }
  }

  /** Nothing is known any more. */
  #beginWindow(): void {
    this.#hasCalls = true;
    this.turns = new RunningTurns();
    for (const known of [this.records, this.#sessions, this.#sessionOf, this.#states]) known.clear();
    this.#operations.length = 0;
  }

  /** What the agent of a session reports. */
  #feedSession(fact: Fact): void {
    if (fact.type === "toolReported") {
      const { session, toolCallId, parent, title, kind, status, paths, reported, isPart, namesGit } = fact;
      if (isPart)
        for (const content of reported ?? []) this.#session(session).feed({ type: "toolChunk", toolCallId, content });
      const patch = {
        ...(title !== undefined && { title }),
        ...(kind !== undefined && { kind }),
        ...(status !== undefined && { status }),
        ...(paths && { locations: paths.map(path => ({ path })) }),
        ...(reported && { content: reported }),
        ...(namesGit && { rawInput: { command: "git" } }),
      };
      const of = parent === undefined ? {} : { parent };
      if (!isPart) this.#session(session).feed({ type: "tool", toolCallId, patch, ...of });
    } else if (fact.type === "terminalChanged") {
      const { session, terminal, isRunning, namesGit } = fact;
      const before = this.#states.get(session) ?? emptySession;
      const now: TerminalState = {
        ...{ id: terminal, output: "", truncated: false },
        ...(namesGit && { command: "git" }),
        ...(!isRunning && { exit: {} }),
      };
      this.#stateChanged(session, { ...before, terminals: new Map([...before.terminals, [terminal, now]]) });
    } else if (fact.type === "questionsChanged") {
      const before = this.#states.get(fact.session) ?? emptySession;
      const questions = fact.open as unknown as SessionState["questions"];
      this.#stateChanged(fact.session, { ...before, questions });
    } else if (fact.type === "sessionEnded") this.turns.sessionEnded(fact.session, this.#now);
  }

  #stateChanged(session: string, state: SessionState): void {
    this.turns.stateChanged(this.#states.get(session) ?? emptySession, state, session, this.#now);
    this.#states.set(session, state);
  }

  #tool(session: string, toolCallId: string, patch: Extract<SessionEvent, { type: "tool" }>["patch"]): void {
    this.#session(session).feed({ type: "tool", toolCallId, patch });
  }

  #session(session: string): FedEvents<unknown> {
    const known = this.#sessions.get(session);
    if (known) return known;
    const fed = new FedEvents(() => ({
      stateChanged: (before, after) => {
        if (!this.#hasCalls) this.turns.stateChanged(before, after, session, this.#now);
      },
      observe: (event, _, after) => this.turns.observe(event, after, session, this.#now),
    }));
    this.#sessions.set(session, fed);
    return fed;
  }
}

const isOperation = ({ type }: Fact): boolean =>
  ["userBegan", "userMoved", "userDeleted", "userCreated"].includes(type);
