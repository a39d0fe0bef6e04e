// The comments on lines of a window: they move with the texts of their documents, and are stored as they change.
import { Sequencer } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { applyEdits } from "../files/textEdits.ts";
import type { RangeEdit } from "../review/fileChanges.ts";
import { textLinesOf } from "../review/textLines.ts";
import { afterEdits, commentState, replacement, type LineComment } from "./lineComment.ts";
import { editsOfLines } from "./movedLines.ts";

/** The storage of comments, each by itself. */
export interface CommentFiles {
  read(): Promise<readonly LineComment[]>;
  write(comment: LineComment): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface LineCommentsOptions {
  readonly files: CommentFiles;
  readonly clock: Clock;
  readonly log: Log;
  /** A comment could not be stored. */
  readonly onNotStored: (reason: string) => void;
}

/** Changes are collected for so long before they are stored. Milliseconds. */
const storeDelay = 150;

export class LineComments implements Disposable {
  readonly #options: LineCommentsOptions;
  readonly #changed = new Emitter<readonly string[]>();
  /** Fires with the ids of comments that were added, changed or removed. */
  readonly onDidChange: Event<readonly string[]> = this.#changed.event;
  readonly #comments = new Map<string, LineComment>();
  /** The known texts of the documents with comments, by URI. */
  readonly #texts = new Map<string, string>();
  readonly #unstored = new Set<string>();
  readonly #writes = new Sequencer();
  #timer: Disposable | undefined;

  constructor(options: LineCommentsOptions) {
    this.#options = options;
  }

  /** All comments, in the order in which they were written. */
  get all(): readonly LineComment[] {
    return [...this.#comments.values()];
  }

  /** The comments with a remark that is not sent. */
  get collected(): readonly LineComment[] {
    return this.all.filter(one => commentState(one) === "collected");
  }

  get(id: string): LineComment | undefined {
    return this.#comments.get(id);
  }

  /** Takes in what an earlier window has stored. Rejects if it cannot be read. */
  async restore(): Promise<void> {
    const stored = await this.#options.files.read();
    const added = stored.filter(({ id }) => !this.#comments.has(id)).toSorted((a, b) => begin(a) - begin(b));
    for (const comment of added) this.#comments.set(comment.id, comment);
    this.#changed.fire(added.map(({ id }) => id));
  }

  /** Adds a comment. `text`: the text of its document, if it is known. */
  add(comment: LineComment, text?: string): void {
    if (text !== undefined) this.#texts.set(comment.uri, text);
    this.#comments.set(comment.id, comment);
    this.#noteChanges([comment.id]);
  }

  /**
   * Puts back a comment that was removed, at its lines in the text that its document has now. `before`: the text at that time, if
   * it is known. `text`: the text now. `null`: its file is gone. Undefined: the text is not known.
   */
  putBack(comment: LineComment, before: string | undefined, text: string | null | undefined): void {
    this.add(text === undefined ? comment : replacement(before, text)(comment), text ?? undefined);
  }

  /** The text of a document with comments, if it is known. */
  textOf(uri: string): string | undefined {
    return this.#texts.get(uri);
  }

  /** Changes a comment. Does nothing if there is no such comment, or if it stays the same object. */
  change(id: string, change: (comment: LineComment) => LineComment): void {
    this.#changeAll(
      this.all.filter(one => one.id === id),
      change,
    );
  }

  /** Changes all comments that need it. */
  changeAll(change: (comment: LineComment) => LineComment): void {
    this.#changeAll(this.all, change);
  }

  /** Removes a comment. Returns it, so that it can be put back. */
  remove(id: string): LineComment | undefined {
    const comment = this.#comments.get(id);
    if (!comment) return undefined;
    this.#comments.delete(id);
    if (!this.#hasComments(comment.uri)) this.#texts.delete(comment.uri);
    this.#noteChanges([id]);
    return comment;
  }

  /** The documents with comments, by their URIs. */
  get uris(): ReadonlySet<string> {
    return new Set(this.all.map(({ uri }) => uri));
  }

  /** A document was edited. Positions refer to its text before the edits. `after` has line feeds only. */
  edited(uri: string, edits: readonly RangeEdit[], after: string): void {
    const before = this.#texts.get(uri);
    if (before === undefined || textAfter(before, edits) !== after) return this.replaced(uri, after);
    this.#texts.set(uri, after);
    const lineEdits = editsOfLines(before, edits);
    this.#changeAll(this.#at(uri), comment => afterEdits(comment, lineEdits, after));
  }

  /** A document has another text, for example because its file changed on disk. `null`: its file is gone. */
  replaced(uri: string, after: string | null): void {
    const before = this.#texts.get(uri);
    if (before === after || !this.#hasComments(uri)) return;
    if (after === null) this.#texts.delete(uri);
    else this.#texts.set(uri, after);
    this.#changeAll(this.#at(uri), replacement(before, after));
  }

  /** A file has another name. */
  renamed(from: string, to: Pick<LineComment, "uri" | "path">): void {
    const text = this.#texts.get(from);
    const moved = this.#at(from);
    if (moved.length === 0) return;
    this.#texts.delete(from);
    if (text !== undefined) this.#texts.set(to.uri, text);
    this.#changeAll(moved, comment => ({ ...comment, ...to }));
  }

  /** Resolves when everything is stored, or its loss was reported. */
  async flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    const ids = [...this.#unstored];
    this.#unstored.clear();
    await this.#writes.queue(async () => {
      for (const id of ids) await this.#store(id);
    });
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#changed.dispose();
  }

  /** A resolved comment stays in sight until the window closes. */
  async #store(id: string): Promise<void> {
    const comment = this.#comments.get(id);
    const { files, log, onNotStored } = this.#options;
    try {
      if (!comment || comment.isResolved) await files.remove(id);
      else await files.write(comment);
    } catch (thrown) {
      const { message } = asError(thrown);
      log.error("A comment could not be stored.", message);
      onNotStored(message);
    }
  }

  #at(uri: string): readonly LineComment[] {
    return this.all.filter(one => one.uri === uri);
  }

  #hasComments(uri: string): boolean {
    return this.all.some(one => one.uri === uri);
  }

  #changeAll(comments: readonly LineComment[], change: (comment: LineComment) => LineComment): void {
    const changed: string[] = [];
    for (const comment of comments) {
      const next = change(comment);
      if (next === comment) continue;
      this.#comments.set(comment.id, next);
      changed.push(comment.id);
    }
    if (changed.length > 0) this.#noteChanges(changed);
  }

  #noteChanges(ids: readonly string[]): void {
    for (const id of ids) this.#unstored.add(id);
    this.#timer ??= this.#options.clock.after(storeDelay, () => void this.flush());
    this.#changed.fire(ids);
  }
}

const begin = ({ remarks }: LineComment): number => remarks[0]?.at ?? 0;

function textAfter(before: string, edits: readonly RangeEdit[]): string {
  const lines = textLinesOf(before);
  const offsets = edits
    .map(({ start, end, text }) => ({ start: lines.offset(start), end: lines.offset(end), text }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  return applyEdits(before, offsets);
}
