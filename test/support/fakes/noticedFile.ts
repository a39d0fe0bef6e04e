// A file on disk and in the editor, whose changes a window notices in any order that VS Code allows: the watcher, the
// reload of the document, and what is read from disk can each be early or late. The order comes from the test.
import type { Fact, FactEdit, FactOrigin, FileFact, WindowFact } from "../../../src/history/facts.ts";
import type { FileRecord, Want } from "../../../src/history/fileRecord.ts";
import { WindowReview } from "../../../src/review/windowReview.ts";
import type { SessionEvent } from "../../../src/session/events.ts";
import { takeInChange } from "./comparedHistory.ts";
import { shownFiles } from "./recordedFacts.ts";
import { ReducedHistory } from "./reducedHistory.ts";

/** One step of what really happens. */
export type Step = (file: NoticedFile) => void;

/** The path of the file. */
const filePath = "/folder/a.txt";

/** How much time passes between steps: more than the inaccuracy of clocks, in ms. */
const stepTime = 100;

/** Notices are missed if the order has this number or a larger one. */
const missed = 9;

interface OnDisk {
  readonly text: string | null;
  readonly changedAt: number;
  readonly origin: FactOrigin;
}

/** The state at the end: the same in every order. */
export interface FinalState {
  readonly text: string | null | undefined;
  readonly hunks: readonly string[];
  /** What the record still waits for. */
  readonly waits: readonly string[];
}

export class NoticedFile {
  readonly #history = new ReducedHistory({ answer: (_, want) => this.#answer(want) });
  readonly #starts = new Map<string, string | null>();
  readonly #order: Iterator<number>;
  /** Notices that wait, in lanes that keep their order. */
  readonly #lanes = new Map<string, (() => void)[]>();
  #now = 1_000_000;
  #disk: OnDisk;
  /** The open document. Undefined: the file is not open. */
  #document: { readonly text: string; readonly isDirty: boolean } | undefined;

  /** `order`: which lane is next, see {@link FinalState}. */
  constructor(text: string | null, order: Iterable<number>) {
    this.#disk = { text, changedAt: this.#now - 10_000, origin: "neither" };
    this.#order = order[Symbol.iterator]();
  }

  /** Takes the steps, with notices in between and after them. Resolves with the state when nothing waits any more. */
  async run(steps: readonly Step[]): Promise<FinalState> {
    this.#lanes.set(
      "steps",
      steps.map(step => () => {
        this.#now += stepTime;
        step(this);
      }),
    );
    for (;;) {
      const waiting = [...this.#lanes.values()].filter(lane => lane.length > 0);
      const next = waiting[this.#pick() % Math.max(1, waiting.length)]?.shift();
      if (!next) return this.#state();
      next();
    }
  }

  /** Takes in all that waits, except for steps. */
  settle(): void {
    for (;;) {
      const waiting = [...this.#lanes].filter(([name, lane]) => name !== "steps" && lane.length > 0);
      const next = waiting[this.#pick() % Math.max(1, waiting.length)]?.[1].shift();
      if (!next) return;
      next();
    }
  }

  /** Time passes, in ms. */
  passes(time: number): void {
    this.#now += time;
  }

  turnBegan(turn: string, session = ""): void {
    this.#starts.set(turn, this.#disk.text);
    this.#fact({ type: "turnBegan", turn, title: turn, session, sessionTitle: "" });
    if (!this.#document) return;
    // The editor may not have loaded earlier changes by others yet.
    const { text } = this.#document.isDirty ? this.#document : this.#disk;
    this.#fact({ type: "textSeen", path: filePath, text });
  }

  turnEnded(turn: string): void {
    this.#fact({ type: "turnEnded", turn });
    const start = this.#starts.get(turn);
    this.#wait("comparison", () => {
      if (start === undefined || start === this.#disk.text) return;
      this.#fact({ type: "compared", path: filePath, turn, text: start, isGone: this.#disk.text === null });
    });
  }

  /** A call reports. `names`: it names the file. */
  call(
    id: string,
    status: "in_progress" | "completed",
    { names = false, session = "", old = "", text = "" } = {},
  ): void {
    const content =
      text === "" ? {} : { content: [{ type: "diff" as const, path: filePath, oldText: old, newText: text }] };
    const patch: Extract<SessionEvent, { type: "tool" }>["patch"] = {
      kind: names ? "edit" : "execute",
      status,
      ...content,
    };
    this.#history.report(session, { type: "tool", toolCallId: id, patch }, this.#now);
    if (names) this.#fact({ type: "toolNamed", path: filePath, session, toolCallId: id, kind: "edit", status });
  }

  /** A program writes the file, or deletes it. */
  written(text: string | null, origin: FactOrigin = "neither"): void {
    this.#disk = { text, changedAt: this.#now, origin };
    this.#changed();
  }

  /** The watcher and the editor notice a change on disk, in any order, or only one of them, or none. */
  #changed(): void {
    if (this.#pick() < missed) this.#read();
    if (this.#pick() < missed) this.#wait("editor", () => this.#reload());
  }

  /** Reads the disk, one read after the other. What was read arrives later. */
  #read(asked?: number): void {
    let seen: FileFact;
    this.#wait("disk", () => {
      seen = { ...this.#seen(), asked: asked ?? this.#history.record(filePath).revision };
    });
    this.#wait("disk", () => this.#fact(seen));
  }

  /** The watcher reports the file. */
  touched(): void {
    this.#read();
  }

  /** The agent writes through Parley, into the document if there is one. */
  writeBegins(turn: string, text: string): void {
    this.#fact({ type: "writeBegan", path: filePath, turn, text });
  }

  writeEnds(turn: string, text: string): void {
    this.#disk = { text, changedAt: this.#now, origin: "neither" };
    if (this.#document) {
      this.#document = { text, isDirty: false };
      this.#fact({ type: "documentChanged", path: filePath, text, edits: wholeText, isDirty: false, isAgents: true });
    }
    this.#fact({ type: "writeEnded", path: filePath, turn });
    this.#changed();
  }

  opens(): void {
    if (this.#disk.text === null) throw new Error("There is no file to open.");
    this.#document = { text: this.#disk.text, isDirty: false };
    this.seen();
  }

  /** The text is read because a turn begins, or a call names the file. */
  seen(): void {
    const { text, changedAt } = this.#disk;
    this.#fact({ type: "textSeen", path: filePath, text, changedAt });
  }

  /** The user inserts a line at the beginning of the document. */
  types(line: string): void {
    const { text: before = "", isDirty = false } = this.#document ?? {};
    const text = `${line}\n${before}`;
    this.#document = { text, isDirty: true };
    const start = { line: 0, character: 0 };
    const edits = [{ start, end: start, text: `${line}\n` }];
    this.#fact({ type: "documentChanged", path: filePath, text, edits, isDirty });
    if (!isDirty) this.#fact({ type: "documentDirtied", path: filePath });
  }

  saves(): void {
    const { text = "" } = this.#document ?? {};
    this.#document = { text, isDirty: false };
    this.#disk = { text, changedAt: this.#now, origin: "neither" };
    this.#read();
    this.#wait("saves", () => this.#fact({ type: "documentSaved", path: filePath, text }));
  }

  /** The user discards what is not saved. */
  reverts(): void {
    const { text } = this.#disk;
    if (text === null || this.#document?.text === text) return;
    this.#document = { text, isDirty: false };
    this.#fact({ type: "documentChanged", path: filePath, text, edits: wholeText, isDirty: false });
  }

  /** The user deletes the file in the editor. The disk can show it before VS Code reports it. */
  userDeletes(): void {
    this.#fact({ type: "userBegan", path: filePath });
    this.#disk = { text: null, changedAt: this.#now, origin: "neither" };
    this.#document = undefined;
    this.#read();
    this.#wait("user", () => this.#fact({ type: "userDeleted", path: filePath }));
  }

  /** The user undoes or keeps changes. `text`: after the decision. */
  decides(decision: "undo" | "keep", text: string): void {
    if (decision === "undo") {
      this.#fact({ type: "decisionBegan", path: filePath, text });
      this.#disk = { text, changedAt: this.#now, origin: "neither" };
      if (this.#document) this.#document = { text, isDirty: false };
      this.#read();
      if (this.#document)
        this.#fact({ type: "documentChanged", path: filePath, text, edits: wholeText, isDirty: false });
    }
    this.#fact({ type: "decided", path: filePath, decision });
  }

  /** The editor loads the disk, if nothing is unsaved. It keeps the text of a file that is gone. */
  #reload(): void {
    const { text } = this.#disk;
    if (!this.#document || this.#document.isDirty || text === null || this.#document.text === text) return;
    this.#document = { text, isDirty: false };
    this.#fact({ type: "documentChanged", path: filePath, text, edits: wholeText, isDirty: false });
  }

  /** Reads now, and hands in later what was read. */
  #answer(want: Want): FileFact | undefined {
    if (want.type === "readStart") {
      const { turn } = want;
      const text = this.#starts.get(turn);
      this.#wait("starts", () =>
        this.#fact({ type: "startKnown", path: filePath, turn, ...(text !== undefined && { text }) }),
      );
    } else this.#read(want.revision);
    return undefined;
  }

  #seen(): Extract<FileFact, { readonly type: "diskSeen" }> {
    return { type: "diskSeen", path: filePath, ...this.#disk };
  }

  #pick(): number {
    const { done, value } = this.#order.next();
    return done ? 0 : value;
  }

  #wait(lane: string, notice: () => void): void {
    this.#lanes.set(lane, [...(this.#lanes.get(lane) ?? []), notice]);
  }

  #fact(fact: FileFact | WindowFact): void {
    this.#history.feed({ at: this.#now, ...fact } as Fact);
  }

  async #state(): Promise<FinalState> {
    const review = new WindowReview({
      port: { apply: () => Promise.reject(new Error("Nothing is applied.")) } as never,
      schedule: () => {},
    });
    for (const turn of this.#starts.keys()) review.nameTurn(turn, turn);
    for (const one of this.#history.changes) await takeInChange(review, one);
    const record = this.#history.record(filePath);
    const [file] = shownFiles(review);
    return { text: record.text, hunks: file?.isUnknown ? ["unknown"] : (file?.hunks ?? []), waits: waitsOf(record) };
  }
}

const wholeText: readonly FactEdit[] = [
  { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 }, text: "" },
];

const waitsOf = ({ documents, pending, write, decided }: FileRecord): readonly string[] => [
  ...(documents.length > 0 ? ["documents"] : []),
  ...(pending ? ["pending"] : []),
  ...(write ? ["write"] : []),
  ...(decided ? ["decided"] : []),
];
