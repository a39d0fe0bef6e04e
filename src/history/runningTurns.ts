// The turns that overlap: those that run, and those that ended while another one ran, with the evidence of who made a
// change. Pure. All times are in ms since the epoch.
import { sep } from "node:path";
import type { SessionEvent } from "../session/events.ts";
import { isBusy, type SessionState } from "../session/state.ts";
import { AgentTerminals } from "./agentTerminals.ts";
import type { TurnEvidence } from "./author.ts";
import { TurnReports } from "./turnReports.ts";
import { TurnTimes } from "./turnTimes.ts";

/** What one knows of the times of the turns together. */
export type TimesOfTurns = Pick<TurnTimes, "isBusy" | "canBeReported" | "isBefore" | "includes">;

/** What the agents of the turns reported together. */
export type ReportsOfTurns = Pick<
  TurnReports,
  "isRunning" | "isLeft" | "isNamed" | "paths" | "containsReportedEdit" | "before" | "setResolvedPath"
>;

interface RunningTurn {
  readonly turn: string;
  readonly session: string;
  readonly times: TurnTimes;
  readonly reports: TurnReports;
  /** The turn is of an earlier window. */
  readonly isEarlier: boolean;
  /** The folder to which the session is confined, such as a worktree. Undefined: it works in all folders of the workspace. */
  readonly folder: string | undefined;
}

/**
 * Whether the agent of the session works, or its prompt for the turn still waits to be sent, for example while the turn is
 * prepared. A prompt that the user puts on hold is not sent, so its turn is over.
 */
export const isTurnRunning = (state: SessionState, turn: string): boolean =>
  isBusy(state) || state.pendingPrompts.some(({ id, isOnHold }) => id === turn && !isOnHold);

export class RunningTurns implements TimesOfTurns {
  /** Those that began first come first. */
  #turns: readonly RunningTurn[] = [];
  /** The last turn of each session. */
  readonly #last = new Map<string, string>();
  /** The terminals of each session. */
  readonly #terminals = new Map<string, AgentTerminals>();
  readonly reports: ReportsOfTurns;

  constructor() {
    const all = (): readonly TurnReports[] => this.#turns.map(({ reports }) => reports);
    this.reports = {
      isRunning: (path, now) => all().some(one => one.isRunning(path, now)),
      isLeft: path => all().some(one => one.isLeft(path)),
      isNamed: path => all().some(one => one.isNamed(path)),
      paths: () => [...new Set(all().flatMap(one => one.paths()))],
      containsReportedEdit: (path, text) => all().some(one => one.containsReportedEdit(path, text)),
      before: (path, after) =>
        all().reduce<string | null | undefined>((before, one) => before ?? one.before(path, after), undefined),
      setResolvedPath: (agentPath, path) => all().forEach(one => one.setResolvedPath(agentPath, path)),
    };
  }

  /** The turn that began last. */
  get latest(): string {
    return this.#turns.at(-1)?.turn ?? "";
  }

  /** The turn that began first. */
  get first(): string {
    return this.#turns[0]?.turn ?? "";
  }

  /** The turn that began first of those that can have changed the file. */
  firstOf(path: string): string {
    return this.#turns.find(one => this.#canChange(one, path))?.turn ?? this.first;
  }

  /** Whether several turns can have made a change. */
  get isOverlap(): boolean {
    return this.#turns.length > 1;
  }

  /** The turns that run. */
  get busy(): readonly string[] {
    return this.#turns.filter(({ times }) => times.isBusy).map(({ turn }) => turn);
  }

  /** The last turn of the session, also if it is not known any more. */
  lastOf(session: string): string | undefined {
    return this.#last.get(session);
  }

  has(turn: string): boolean {
    return this.#turns.some(one => one.turn === turn);
  }

  /** The last turn of the session. Undefined if it began before the others that are known. */
  of(session: string): RunningTurn | undefined {
    return this.#turns.findLast(one => one.session === session);
  }

  /**
   * A turn begins. Returns whether it overlaps no other one, so that nothing is known of earlier ones any more. `folder`: the
   * only folder of the session, if it is confined to one.
   */
  begin(turn: string, session: string, now: number, folder?: string): boolean {
    const others = this.#turns.filter(one => one.session !== session);
    const overlap = others.some(({ times }) => times.isBusy);
    this.#turns = overlap ? others.filter(({ times }) => times.canBeReported(now)) : [];
    this.#add(turn, session, false, folder).times.begin(now);
    return !overlap;
  }

  #add(turn: string, session: string, isEarlier: boolean, folder?: string): RunningTurn {
    const added = { turn, session, times: new TurnTimes(), reports: new TurnReports(), isEarlier, folder };
    this.#turns = [...this.#turns, added];
    this.#last.set(session, turn);
    return added;
  }

  /** Adds a turn of an earlier window. */
  addEnded(turn: string, session: string, began: number, ended: number, isEarlier = true): void {
    const { times } = this.#add(turn, session, isEarlier);
    times.begin(began);
    times.end(ended);
  }

  /** The state of the session changed. */
  stateChanged(before: SessionState, state: SessionState, session: string, now: number): void {
    const terminals = this.#terminals.get(session) ?? new AgentTerminals();
    this.#terminals.set(session, terminals);
    terminals.stateChanged(before, state, now);
    this.of(session)?.reports.stateChanged(state, now);
  }

  /** The session has ended. */
  sessionEnded(session: string, now: number): void {
    this.#terminals.get(session)?.ended(now);
  }

  /**
   * What is known of the turns, as evidence of who changed the file. An agent that is confined to another folder can have
   * changed it only if one of its calls names it.
   */
  evidenceFor(path: string, now: number): readonly TurnEvidence[] {
    const turns = this.#turns.filter(one => this.#canChange(one, path));
    return turns.map(({ turn, session, times, reports, isEarlier }) => ({
      turn,
      ran: times.period,
      calls: [...reports.callsFor(path), ...(this.#terminals.get(session)?.calls ?? [])],
      isEarlier,
      canBeReported: times.canBeReported(now),
    }));
  }

  #canChange({ folder, reports }: RunningTurn, path: string): boolean {
    const isIn = (one: string): boolean => path === one || path.startsWith(one + sep);
    if (folder !== undefined) return isIn(folder) || reports.isNamed(path);
    // Nobody else works in the folder of a session that works there alone.
    const isOthers = this.#turns.some(one => one.folder !== undefined && isIn(one.folder));
    return !isOthers || reports.isNamed(path);
  }

  /** Takes in an event of an agent, also of one that reports after its last turn. Returns {@link TurnReports.observe}. */
  observe(event: SessionEvent, after: SessionState, session: string, now: number): readonly string[] {
    const last = this.#last.get(session);
    const known = this.of(session);
    if (known) return known.reports.observe(event, after, now);
    if (last === undefined || (event.type !== "tool" && event.type !== "toolChunk")) return [];
    this.addEnded(last, session, now, now, false);
    return this.of(session)?.reports.observe(event, after, now) ?? [];
  }

  /** The paths that the tool call of the event has named. */
  pathsOfCall(event: SessionEvent, session: string): readonly string[] {
    return this.of(session)?.reports.pathsOfCall(event) ?? [];
  }

  get isBusy(): boolean {
    return this.#turns.some(({ times }) => times.isBusy);
  }
  canBeReported(now: number): boolean {
    return this.#turns.some(({ times }) => times.canBeReported(now));
  }
  isBefore(time: number | undefined): boolean {
    return this.#turns.every(({ times }) => times.isBefore(time));
  }
  includes(time: number): boolean {
    return this.#turns.some(({ times }) => times.includes(time));
  }
}
