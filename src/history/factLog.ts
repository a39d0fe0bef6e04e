// The facts of a window that explain what happened to a file. Keeps no texts, and only the newest facts of each file.
import { Emitter, type Event } from "../base/lifecycle.ts";
import type { FactEdit, FactSink, FileFact, WindowFact } from "./facts.ts";

/** The most facts that are kept of one file, and the most files, turns and moves of HEAD. The oldest are dropped. */
const maxFactsPerFile = 200;
const maxFiles = 1000;
const maxTurns = 500;
const maxHeadMoves = 100;

/** Facts from which authors are found. They explain nothing by themselves. */
const unexplained: ReadonlySet<FileFact["type"]> = new Set([
  "textSeen",
  "documentChanged",
  "documentDirtied",
  "documentSaved",
  "diskSeen",
  "changeDated",
  "startKnown",
  "compared",
  "userBegan",
  "decisionBegan",
  "decisionFailed",
  "located",
  "fileRestored",
]);

/** A fact without its texts. `lines`: the lines that an edit changed, 1-based. `isMissing`: there is no file. */
export type LoggedFact = FactTime & WithoutTexts<FileFact>;

interface FactTime {
  /** In ms since the epoch. */
  readonly at: number;
  readonly lines?: readonly number[];
  readonly isMissing?: boolean;
}

type WithoutTexts<One> = One extends FileFact ? Omit<One, "text" | "edits" | "path"> : never;

/** A turn, as sentences name it. */
export interface LoggedTurn {
  readonly title: string;
  readonly session: string;
  readonly sessionTitle: string;
}

/** HEAD of a repository moved. */
export interface HeadMove {
  readonly at: number;
  readonly folder: string;
  readonly what: string;
}

/** One per window. */
export class FactLog implements FactSink {
  readonly #now: () => number;
  readonly #changed = new Emitter<void>();
  /** Fires when something is known about a file that was not known before. */
  readonly onDidChange: Event<void> = this.#changed.event;
  /** When the first fact can have been noted, in ms since the epoch. */
  readonly began: number;
  readonly #files = new Map<string, LoggedFact[]>();
  readonly #turns = new Map<string, LoggedTurn>();
  readonly #headMoves: HeadMove[] = [];

  constructor(now: () => number) {
    this.#now = now;
    this.began = now();
  }

  note(fact: FileFact | WindowFact): void {
    const at = this.#now();
    if ("path" in fact) {
      if (unexplained.has(fact.type)) return;
      for (const one of this.#withMoved(fact)) this.#noteFile(at, one);
    } else if (fact.type === "turnBegan") {
      const { turn, title, session, sessionTitle } = fact;
      this.#turns.set(turn, { title, session, sessionTitle });
      dropOldest(this.#turns, maxTurns);
    } else if (fact.type === "headMoved") {
      this.#headMoves.push({ at, folder: fact.folder, what: fact.what });
      if (this.#headMoves.length > maxHeadMoves) this.#headMoves.shift();
    } else return;
    this.#changed.fire();
  }

  /** The files with facts, those with the newest ones last. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** The facts of a file, the oldest first. */
  factsOf(path: string): readonly LoggedFact[] {
    return this.#files.get(path) ?? [];
  }

  turn(id: string): LoggedTurn | undefined {
    return this.#turns.get(id);
  }

  /** The last turn of a session, of those that are known. */
  turnOf(session: string): LoggedTurn | undefined {
    return [...this.#turns.values()].findLast(one => one.session === session);
  }

  get headMoves(): readonly HeadMove[] {
    return this.#headMoves;
  }

  /** The facts of a move follow the file. The move of a folder is one of each file in it. */
  #withMoved(fact: FileFact): readonly FileFact[] {
    if ((fact.type === "attributed" || fact.type === "decided") && fact.movedFrom !== undefined)
      this.#move(fact.movedFrom, fact.path);
    if (fact.type !== "userMoved") return [fact];
    const { from } = fact;
    const inside = this.paths.filter(path => path.startsWith(from) && /^(?:$|[\\/])/.test(path.slice(from.length)));
    const moved = inside.map((path): FileFact => ({ ...fact, from: path, path: fact.path + path.slice(from.length) }));
    for (const path of inside) this.#move(path, fact.path + path.slice(from.length));
    return moved.length > 0 ? moved : [fact];
  }

  #move(from: string, to: string): void {
    const facts = this.#files.get(from);
    if (!facts || from === to) return;
    this.#files.delete(from);
    const all = [...facts, ...(this.#files.get(to) ?? [])].sort((a, b) => a.at - b.at);
    this.#files.set(to, all.slice(-maxFactsPerFile));
  }

  #noteFile(at: number, fact: FileFact): void {
    const { path } = fact;
    const known = this.#files.get(path) ?? [];
    this.#files.delete(path);
    this.#files.set(path, known);
    known.push({ at, ...withoutTexts(fact) });
    if (known.length > maxFactsPerFile) known.shift();
    dropOldest(this.#files, maxFiles);
  }
}

function withoutTexts(fact: FileFact): WithoutTexts<FileFact> & Omit<FactTime, "at"> {
  const isMissing = "text" in fact && fact.text === null && { isMissing: true };
  const lines = "edits" in fact && fact.edits && { lines: linesOf(fact.edits) };
  const hidden: Readonly<Record<string, undefined>> = { path: undefined, text: undefined, edits: undefined };
  const kept = Object.fromEntries(Object.entries(fact).filter(([key]) => !(key in hidden)));
  return { ...(kept as WithoutTexts<FileFact>), ...lines, ...isMissing };
}

/** The 1-based lines on which edits begin. */
const linesOf = (edits: readonly FactEdit[]): readonly number[] =>
  [...new Set(edits.map(({ start }) => start.line + 1))].sort((a, b) => a - b);

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
