// Arranges the flat list of entries: the entries of a sub-agent are nested in the card of its call, and runs of
// finished look-ups are folded into one line. No DOM.
import type { ViewQuestion, ViewEntry, ViewTool } from "../../src/panel/protocol.ts";

/** A line of the transcript: an entry, or look-ups folded into one line. */
export type OutlineItem =
  | { readonly type: "entry"; readonly id: string }
  /** The id derives from the id of the first entry, which can change. */
  | { readonly type: "run"; readonly id: string; readonly entries: readonly string[] };

/** Fewer look-ups than this are not folded. */
const minRunLength = 3;
const noItems: readonly OutlineItem[] = [];

/** The id of a run that starts with this entry. */
export const runId = (entry: string): string => `run:${entry}`;

/** The order and nesting of the entries. Entries are looked up by id, so none is stale. */
export class Outline {
  readonly #entries = new Map<string, ViewEntry>();
  #lines = new Map<string | undefined, readonly OutlineItem[]>();
  #questions = new Map<string, ViewQuestion>();
  #lastPrompt = -1;
  readonly #positions = new Map<string, number>();
  /** The id of the entry that text streams into. */
  live: string | null = null;
  /** Runs that are not folded yet, because the user is reading them. */
  readonly unfoldedRuns = new Set<string>();

  /** Arranges all entries again. */
  build(entries: readonly ViewEntry[]): void {
    this.#entries.clear();
    this.#positions.clear();
    const children = new Map<string | undefined, ViewEntry[]>();
    for (const [at, entry] of entries.entries()) {
      // Entries of an unknown call are not nested.
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

  /** Replaces an entry that changed in place. Returns true if the arrangement can differ now. */
  update(entry: ViewEntry): boolean {
    const old = this.#entries.get(entry.id);
    this.#entries.set(entry.id, entry);
    if (old?.turn !== entry.turn) return true;
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

  /** The lines nested in a tool card. */
  nested(id: string): readonly OutlineItem[] {
    return this.#lines.get(id) ?? noItems;
  }

  /** All entries nested in a tool card, at any depth. */
  descendants(id: string): readonly ViewEntry[] {
    return this.nested(id).flatMap(item =>
      entriesOf(item).flatMap(each => [this.#entries.get(each) ?? [], this.descendants(each)].flat()),
    );
  }

  /** Whether no later prompt follows the entry. */
  isCurrent(id: string): boolean {
    return (this.#positions.get(id) ?? -1) > this.#lastPrompt;
  }

  /** The cards that contain an entry, the outermost first. */
  parents(id: string): readonly string[] {
    const out: string[] = [];
    for (let at = this.#parent(id); at !== undefined; at = this.#parent(at)) out.unshift(at);
    return out;
  }

  /** The run that contains an entry. */
  runOf(id: string): Extract<OutlineItem, { type: "run" }> | undefined {
    const lines = this.#lines.get(this.#parent(id)) ?? noItems;
    return lines.find(item => item.type === "run" && item.entries.includes(id)) as
      | Extract<OutlineItem, { type: "run" }>
      | undefined;
  }

  /** The index of the line that contains an entry or run, or -1. */
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

/** Whether an entry is a finished read or search without notes. */
const isLookUp = (entry: ViewEntry): boolean =>
  entry.kind === "tool" &&
  entry.status === "done" &&
  (entry.toolKind === "read" || entry.toolKind === "search") &&
  entry.files === undefined;

/** How many files the tool calls read, and how often they searched. */
export function countLookUps(tools: readonly ViewTool[]): { readonly files: number; readonly searches: number } {
  const reads = tools.filter(tool => tool.toolKind === "read");
  const files = reads.flatMap(({ locations, title }) =>
    locations.length > 0 ? locations.map(({ path }) => path) : [title],
  );
  return { files: new Set(files).size, searches: tools.length - reads.length };
}
