// The writes of an agent through Parley: reads the text before each, and reports what it changed.
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { normalizeText } from "../../base/text.ts";
import type { FactSink } from "../../history/facts.ts";
import { changeTime } from "../../editor/diskText.ts";
import { currentTextOf, openTextOf } from "../../editor/openDocuments.ts";
import type { WindowReview } from "../windowReview.ts";
import type { ChangedStates, TouchListener } from "../changeListeners.ts";
import type { OutsideFiles } from "../turns/outsideFiles.ts";
import { PendingWrites } from "../turns/pendingWrites.ts";
import type { TurnTexts } from "../turns/turnTexts.ts";
import type { ChangeAuthor } from "./changeAuthor.ts";
import type { FileWork } from "./fileWork.ts";

export interface AgentWritesOptions {
  readonly review: WindowReview;
  readonly work: FileWork;
  readonly outside: OutsideFiles;
  readonly texts: TurnTexts;
  readonly states?: ChangedStates;
  readonly facts: FactSink;
  readonly touches: TouchListener;
  /** The last text seen. Undefined: none. */
  readonly known: (path: string) => string | null | undefined;
  /** The agent changes the file for the first time in the turn, or again. */
  readonly touch: (path: string, before: string | null, turn: string) => void;
  /** Takes in what is on disk. */
  readonly diskChanged: (path: string) => Promise<void>;
  readonly author: Pick<ChangeAuthor, "needsReview" | "textBefore">;
  readonly attributeToAgent: (path: string, after: string | null, turn: string) => Promise<void>;
  readonly log: Log;
}

export class AgentWrites {
  readonly #options: AgentWritesOptions;
  readonly pending = new PendingWrites();
  /** The texts before the writes that have begun. */
  readonly #before = new Map<string, string | null>();
  /** The turns of those writes. */
  readonly #turns = new Map<string, string>();
  /** The texts and turns of writes outside the folders that the user has not allowed yet. */
  readonly #asked = new Map<string, { readonly content: string; readonly turn: string }>();

  constructor(options: AgentWritesOptions) {
    this.#options = options;
  }

  /** The turn of the write of the file that has begun. */
  turnOf(path: string): string | undefined {
    return this.#turns.get(path);
  }

  /** Runs the write of an agent in the turn, and attributes its changes. */
  async around<T>(path: string, content: string, turn: string, run: () => Promise<T>): Promise<T> {
    const { work } = this.#options;
    const located = await work.locate(path);
    if (!located) return run();
    // A file outside the folders is not read before the user allows the write.
    if (!work.isFollowed(located)) this.#asked.set(located.path, { content, turn });
    else if (!(await this.#begin(located.path, content, turn))) return run();
    try {
      return await run();
    } finally {
      this.#asked.delete(located.path);
      await work.enqueue(path, () => this.#end(located.path, turn));
    }
  }

  /**
   * The user allowed the agent to write a file outside the folders, through Parley or by itself. Reads its text before
   * the write. Never rejects.
   */
  async allowedOutside(path: string): Promise<void> {
    const { outside, work, states, texts, review, known } = this.#options;
    outside.allow(path);
    const asked = this.#asked.get(path);
    if (asked !== undefined) return void (await this.#begin(path, asked.content, asked.turn));
    await work.enqueue(path, async () => {
      await states?.beforeWrite(path);
      const before = await this.#read(path);
      if (before !== undefined) this.#options.facts.note({ type: "textSeen", path, text: before });
      if (before !== undefined && known(path) === undefined && !review.tracked.has(path)) texts.last.set(path, before);
    });
  }

  /** Resolves with whether the file is followed. */
  async #begin(path: string, content: string, turn: string): Promise<boolean> {
    const { review, work, states, texts, touch, diskChanged, author } = this.#options;
    // After everything that was reported before. A command of the agent can have changed the file, unreported so far.
    await work.enqueue(path, async () => {
      const isUnknown = this.#options.known(path) === undefined && (await changeTime(path)) !== undefined;
      if (review.tracked.has(path) || (isUnknown && (await author.needsReview(path)))) await diskChanged(path);
    });
    const before = await this.#read(path);
    await states?.beforeWrite(path);
    if (before === undefined) return false;
    this.#options.facts.note({ type: "textSeen", path, text: before });
    // Some agents write to disk first and send the request afterwards: the text known before counts.
    const isUnknown = this.#options.known(path) === undefined && !review.tracked.has(path);
    const earlier = isUnknown ? await author.textBefore(path, before) : undefined;
    if (earlier !== undefined) texts.last.set(path, earlier);
    const known = this.#options.known(path);
    touch(path, known === undefined ? before : known, turn);
    this.#before.set(path, before);
    this.#turns.set(path, turn);
    const text = normalizeText(content);
    this.pending.begin(path, text, before);
    this.#options.facts.note({ type: "writeBegan", path, turn, text });
    return true;
  }

  async #end(path: string, turn: string): Promise<void> {
    const { touches, texts } = this.#options;
    const before = this.#before.get(path);
    this.#before.delete(path);
    this.#turns.delete(path);
    this.pending.end(path);
    if (before === undefined) return;
    this.#options.facts.note({ type: "writeEnded", path, turn });
    const after = await currentTextOf(path);
    if (after !== undefined) touches.written(path, after, turn);
    const last = this.#options.known(path);
    // Of unsaved text, VS Code reports every edit, with what the user types at this moment.
    if (openTextOf(path)?.dirty) return;
    if (after !== undefined) this.#options.facts.note({ type: "diskSeen", path, text: after, written: turn });
    if (after !== undefined) texts.onDisk.set(path, after);
    if (after !== undefined && after !== (last === undefined ? before : last))
      await this.#options.attributeToAgent(path, after, turn);
  }

  /** A file that cannot be read is not followed. If the write fails too, its error tells the agent why. */
  #read(path: string): Promise<string | null | undefined> {
    return currentTextOf(path).catch((thrown: unknown) => {
      this.#options.log.warn(`${path} could not be read before a write.`, asError(thrown).message);
      return undefined;
    });
  }
}
