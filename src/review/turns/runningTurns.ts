// The turns that overlap: those that run, and those that ended while another one ran. Finds the turn that made a change.
// Pure. All times are in ms since the epoch.
import type { SessionEvent } from "../../session/events.ts";
import type { SessionState } from "../../session/state.ts";
import { TurnReports } from "./turnReports.ts";
import { TurnTimes } from "./turnTimes.ts";

/** The turn of changes that no agent reported while several were working. */
export const unknownTurn = "unknown-agent";

/** What one knows of the times of the turns together. */
export type TimesOfTurns = Pick<TurnTimes, "isBusy" | "canBeReported" | "isBefore" | "includes">;

/** What the agents of the turns reported together. */
export type ReportsOfTurns = Pick<
  TurnReports,
  "isRunning" | "isLeft" | "isNamed" | "paths" | "ranAt" | "containsReportedEdit" | "before" | "setResolvedPath"
>;

interface RunningTurn {
  readonly turn: string;
  readonly session: string;
  readonly times: TurnTimes;
  readonly reports: TurnReports;
}

export class RunningTurns implements TimesOfTurns {
  /** Those that began first come first. */
  #turns: readonly RunningTurn[] = [];
  /** The last turn of each session. */
  readonly #last = new Map<string, string>();
  readonly reports: ReportsOfTurns;

  constructor() {
    const all = (): readonly TurnReports[] => this.#turns.map(({ reports }) => reports);
    this.reports = {
      isRunning: (path, now) => all().some(one => one.isRunning(path, now)),
      isLeft: path => all().some(one => one.isLeft(path)),
      isNamed: path => all().some(one => one.isNamed(path)),
      paths: () => [...new Set(all().flatMap(one => one.paths()))],
      ranAt: (path, time, now) => all().some(one => one.ranAt(path, time, now)),
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

  /** A turn begins. Returns whether it overlaps no other one, so that nothing is known of earlier ones any more. */
  begin(turn: string, session: string, now: number): boolean {
    const others = this.#turns.filter(one => one.session !== session);
    const overlap = others.some(({ times }) => times.isBusy);
    this.#turns = overlap ? others.filter(({ times }) => times.canBeReported(now)) : [];
    this.#add(turn, session).times.begin(now);
    return !overlap;
  }

  #add(turn: string, session: string): RunningTurn {
    const added = { turn, session, times: new TurnTimes(), reports: new TurnReports() };
    this.#turns = [...this.#turns, added];
    this.#last.set(session, turn);
    return added;
  }

  /** Adds a turn of an earlier window. */
  addEnded(turn: string, session: string, began: number, ended: number): void {
    const { times } = this.#add(turn, session);
    times.begin(began);
    times.end(ended);
  }

  /** Takes in an event of an agent, also of one that reports after its last turn. Returns {@link TurnReports.observe}. */
  observe(event: SessionEvent, after: SessionState, session: string, now: number): readonly string[] {
    const last = this.#last.get(session);
    const known = this.of(session);
    if (known) return known.reports.observe(event, after, now);
    if (last === undefined || (event.type !== "tool" && event.type !== "toolChunk")) return [];
    this.addEnded(last, session, now, now);
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

  /**
   * The turn that changed the file at that time: the one whose agent reported it, otherwise the only one that ran at the
   * time, otherwise {@link unknownTurn}. `time`: undefined if it is not known.
   */
  authorOf(path: string, time: number | undefined, now: number): string {
    const turns = this.#turns;
    if (turns.length < 2) return this.latest;
    const only = (some: readonly RunningTurn[]): string | undefined => (some.length === 1 ? some[0]?.turn : undefined);
    const ran = turns.filter(({ reports }) => time !== undefined && reports.ranAt(path, time, now));
    const within = turns.filter(({ times }) => (time === undefined ? times.isBusy : times.includes(time)));
    const named = within.filter(({ reports }) => reports.isNamed(path) && !reports.onlyReads(path));
    return only(ran) ?? (ran.length > 1 ? unknownTurn : (only(within) ?? only(named) ?? unknownTurn));
  }
}
