// How the flat list of entries is laid out: what a sub-agent does stands in its call's card, and runs of finished
// look-ups fold into one line. No DOM.
import type { ViewQuestion, ViewEntry, ViewTool } from "../../src/panel/protocol.ts";

/** A line of the transcript: an entry, or look-ups that fold into one line. */
export type OutlineItem =
  | { readonly type: "entry"; readonly id: string }
  /** Its id is made of its first entry's, whichever that is by now. */
  | { readonly type: "run"; readonly id: string; readonly entries: readonly string[] };

/** Fewer look-ups than these stay as they are. */
const minRunLength = 3;
const noItems: readonly OutlineItem[] = [];

/** The id of the run that would begin with this entry. */
export const runId = (entry: string): string => `run:${entry}`;

/** The entries as they stand below each other and in each other. Entries are looked up by id, so none is ever stale. */
export class Outline {
  readonly #entries = new Map<string, ViewEntry>();
  #lines = new Map<string | undefined, readonly OutlineItem[]>();
  #questions = new Map<string, ViewQuestion>();
  #lastPrompt = -1;
  readonly #positions = new Map<string, number>();
  /** The id of the entry that is being streamed into. */
  live: string | null = null;
  /** Runs that are not folded yet, since the reader looks at them. */
  readonly unfoldedRuns = new Set<string>();

  /** Lays all entries out anew. */
  build(entries: readonly ViewEntry[]): void {
    this.#entries.clear();
    this.#positions.clear();
    const children = new Map<string | undefined, ViewEntry[]>();
    for (const [at, entry] of entries.entries()) {
      // A card that is not there cannot hold anything.
      const parent = parentOf(entry);
      const known = parent !== undefined && this.#entries.has(parent) ? parent : undefined;
      this.#entries.set(entry.id, entry);
      this.#positions.set(entry.id, at);
      const siblings = children.get(known);
      if (siblings) siblings.push(entry);
      else children.set(known, [entry]);
    }
    this.#lines = new Map([...children].map(([parent, each]) => [parent, this.#foldLookUps(each, children)]));
    this.#lastPrompt = entries.findLastIndex(entry => entry.kind === "user" && entry.parent === undefined);
  }

  /** Takes in an entry that changed in its place. True if the layout may be another now. */
  update(entry: ViewEntry): boolean {
    const old = this.#entries.get(entry.id);
    this.#entries.set(entry.id, entry);
    return entry.kind === "tool" && old?.kind === "tool" && isLookUp(old) !== isLookUp(entry);
  }

  setQuestions(questions: readonly ViewQuestion[]): void {
    this.#questions = new Map(
      questions.flatMap(question => (question.entry === undefined ? [] : [[question.entry, question] as const])),
    );
  }

  entry(id: string): ViewEntry | undefined {
    return this.#entries.get(id);
  }

  /** The open question about a tool call. */
  question(id: string): ViewQuestion | undefined {
    return this.#questions.get(id);
  }

  get roots(): readonly OutlineItem[] {
    return this.#lines.get(undefined) ?? noItems;
  }

  /** What stands in a tool card. */
  nested(id: string): readonly OutlineItem[] {
    return this.#lines.get(id) ?? noItems;
  }

  /** Every entry in a tool card, however deep. */
  descendants(id: string): readonly ViewEntry[] {
    return this.nested(id).flatMap(item =>
      entriesOf(item).flatMap(each => [this.#entries.get(each) ?? [], this.descendants(each)].flat()),
    );
  }

  /** No later prompt stands below the entry. */
  isCurrent(id: string): boolean {
    return (this.#positions.get(id) ?? -1) > this.#lastPrompt;
  }

  /** The cards an entry stands in, from the outermost in. */
  parents(id: string): readonly string[] {
    const out: string[] = [];
    for (let at = this.#parent(id); at !== undefined; at = this.#parent(at)) out.unshift(at);
    return out;
  }

  /** The run an entry belongs to. */
  runOf(id: string): Extract<OutlineItem, { type: "run" }> | undefined {
    const lines = this.#lines.get(this.#parent(id)) ?? noItems;
    return lines.find(item => item.type === "run" && item.entries.includes(id)) as
      Extract<OutlineItem, { type: "run" }> | undefined;
  }

  /** Which of the lines an entry or run stands in, or -1. */
  rootIndexOf(id: string): number {
    const [outermost = id] = this.parents(id);
    return this.roots.findIndex(item => item.id === outermost || entriesOf(item).includes(outermost));
  }

  #parent(id: string): string | undefined {
    const entry = this.#entries.get(id);
    const parent = entry && parentOf(entry);
    return parent !== undefined && this.#entries.has(parent) ? parent : undefined;
  }

  #foldLookUps(
    entries: readonly ViewEntry[],
    children: ReadonlyMap<string | undefined, unknown>,
  ): readonly OutlineItem[] {
    const out: OutlineItem[] = [];
    let run: string[] = [];
    const flush = (): void => {
      const [first] = run;
      if (first !== undefined && run.length >= minRunLength) out.push({ type: "run", id: runId(first), entries: run });
      else out.push(...run.map(id => ({ type: "entry" as const, id })));
      run = [];
    };
    for (const entry of entries) {
      if (isLookUp(entry) && !children.has(entry.id)) run.push(entry.id);
      else {
        flush();
        out.push({ type: "entry", id: entry.id });
      }
    }
    flush();
    return out;
  }
}

/** The entries of a line. */
export const entriesOf = (item: OutlineItem): readonly string[] => (item.type === "run" ? item.entries : [item.id]);

const parentOf = (entry: ViewEntry): string | undefined => ("parent" in entry ? entry.parent : undefined);

/** A finished read or search that nothing needs to be said about. */
const isLookUp = (entry: ViewEntry): boolean =>
  entry.kind === "tool" &&
  entry.status === "done" &&
  (entry.toolKind === "read" || entry.toolKind === "search") &&
  entry.files === undefined;

/** How many files a run read, and how often it searched. */
export function countLookUps(tools: readonly ViewTool[]): { readonly files: number; readonly searches: number } {
  const reads = tools.filter(tool => tool.toolKind === "read");
  const files = reads.flatMap(({ locations, title }) =>
    locations.length > 0 ? locations.map(({ path }) => path) : [title],
  );
  return { files: new Set(files).size, searches: tools.length - reads.length };
}
