// In-memory ports: an editor with open documents over a disk, a file system's links, and a clock.
import type { Clock } from "../../../src/base/log.ts";
import type { Disposable } from "../../../src/base/lifecycle.ts";
import { Refusal } from "../../../src/base/errors.ts";
import { applyEdits, smallestEdits } from "../../../src/files/textEdits.ts";
import { withLineFeeds } from "../../../src/base/text.ts";
import { rootsOnly } from "../../../src/files/gate.ts";
import { readLines, sliceLines } from "../../../src/files/lineWindow.ts";
import type { Confinement, LocatedPath } from "../../../src/files/paths.ts";
import { mergeTexts } from "../../../src/files/mergeTexts.ts";
import type { Documents, FileStat, KnownText, LineWindow, PathResolver } from "../../../src/files/ports.ts";
import { encodingRefusal } from "../../../src/files/refusals.ts";
import type { WriteResult } from "../../../src/session/agent.ts";

/** A clock that only advances when the test calls `advance`. */
export class FakeClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();
  now(): number {
    return this.#now;
  }
  after(ms: number, run: () => void): Disposable {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return { dispose: () => this.#timers.delete(timer) };
  }
  /** The number of pending timers. */
  get pendingTimers(): number {
    return this.#timers.size;
  }
  /** Advances the time, and runs the timers that are due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(timer => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#now = due.at;
      due.run();
    }
    this.#now = end;
  }
}

/** A file system that contains only links. All other paths count as existing. */
export class FakeResolver implements PathResolver {
  readonly ignoresCase: boolean;
  readonly links = new Map<string, string>();
  readonly requestedPaths: string[] = [];
  constructor(ignoresCase = false) {
    this.ignoresCase = ignoresCase;
  }
  async real(path: string): Promise<string> {
    this.requestedPaths.push(path);
    let current = path;
    for (let hops = 0; hops < 40; hops++) {
      const link = [...this.links.keys()].find(
        one => current === one || (/^[\\/]/.test(current.slice(one.length)) && current.startsWith(one)),
      );
      if (link === undefined) return current;
      current = `${this.links.get(link)}${current.slice(link.length)}`;
    }
    throw Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
  }
}

interface OpenText {
  text: string;
  unsaved: boolean;
}

const mark = Buffer.from("\uFEFF");

/** An in-memory editor: UTF-8 files, open documents, links, read-only files. POSIX paths. */
export class FakeDocuments implements Documents {
  readonly files = new Map<string, Buffer>();
  readonly folders = new Set<string>(["/"]);
  readonly readOnly = new Set<string>();
  readonly buffers = new Map<string, OpenText>();
  readonly resolver: FakeResolver;
  readonly #edits = new Map<string, number>();

  constructor(resolver: FakeResolver = new FakeResolver()) {
    this.resolver = resolver;
  }

  /** Writes a file to the disk, under the editor. */
  put(path: string, content: string | Uint8Array): void {
    this.#makeParents(path);
    this.files.set(path, Buffer.from(content));
  }

  /** Opens the file and replaces its text without saving, like a user. */
  type(path: string, text: string): void {
    this.buffers.set(path, { text, unsaved: true });
    this.#edits.set(path, (this.#edits.get(path) ?? 0) + 1);
  }

  /** Saves the open file, like a user. */
  save(path: string): void {
    const buffer = this.buffers.get(path);
    if (!buffer) throw new Error("The file is not open.");
    this.put(path, buffer.text);
    buffer.unsaved = false;
  }

  async userEdits(path: string): Promise<number> {
    const real = await this.resolver.real(path);
    let count = 0;
    for (const [open, edits] of this.#edits) if ((await this.resolver.real(open)) === real) count += edits;
    return count;
  }

  async stat(path: string): Promise<FileStat> {
    const buffer = await this.#buffer(path);
    if (buffer?.unsaved) return { kind: "file", size: buffer.text.length, unsaved: true };
    const real = await this.resolver.real(path);
    const file = this.files.get(real);
    if (file) return { kind: "file", size: file.length, unsaved: false };
    return { kind: this.folders.has(real) ? "folder" : "missing", size: 0, unsaved: false };
  }

  async read(path: string): Promise<string> {
    const buffer = await this.#buffer(path);
    if (buffer?.unsaved) return buffer.text;
    return decoded(path, await this.#bytes(path));
  }

  async readWindow(path: string, window: LineWindow, maxBytes: number): Promise<string> {
    const buffer = await this.#buffer(path);
    if (buffer?.unsaved) return sliceLines(buffer.text, window);
    const bytes = await this.#bytes(path);
    async function* chunks(): AsyncIterable<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
    }
    return readLines(chunks(), window, maxBytes);
  }

  async write(path: string, content: string, known?: KnownText): Promise<WriteResult> {
    const real = await this.resolver.real(path);
    const isEdited = known !== undefined && known.userEdits !== (await this.userEdits(path));
    const merged = isEdited ? mergeTexts(known.text, withLineFeeds(await this.read(path)), content) : undefined;
    if (merged?.kind === "conflict")
      throw new Refusal("failed", `“${path}” has changed since you read it: line ${merged.line}.`, { path });
    return this.#write(path, real, merged?.text ?? content);
  }

  async #write(path: string, real: string, content: string): Promise<WriteResult> {
    if (this.readOnly.has(real)) throw new Refusal("failed", `“${path}” is read-only.`, { path });
    const hasMark = content.startsWith("\uFEFF");
    const wanted = withLineFeeds(hasMark ? content.slice(1) : content);
    const buffer = await this.#buffer(path);
    if (buffer?.unsaved) {
      buffer.text = edited(buffer.text, wanted);
      return { saved: false };
    }
    const old = this.files.get(real);
    const before = old ? decoded(path, old) : "";
    const text = edited(before, wanted);
    this.#makeParents(real);
    const keepsMark = old ? old.subarray(0, 3).equals(mark) : hasMark;
    this.files.set(real, Buffer.concat([keepsMark ? mark : Buffer.alloc(0), Buffer.from(text)]));
    if (buffer) buffer.text = text;
    return { saved: true };
  }

  async #buffer(path: string): Promise<OpenText | undefined> {
    const real = await this.resolver.real(path);
    const same: OpenText[] = [];
    for (const [open, buffer] of this.buffers) if ((await this.resolver.real(open)) === real) same.push(buffer);
    return same.find(one => one.unsaved) ?? same[0];
  }

  async #bytes(path: string): Promise<Buffer> {
    const bytes = this.files.get(await this.resolver.real(path));
    if (!bytes) throw new Refusal("notFound", `“${path}” does not exist.`, { path });
    return bytes;
  }

  #makeParents(path: string): void {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (this.files.has(folder)) throw new Refusal("failed", `“${folder}” is not a folder.`);
      this.folders.add(folder);
    }
  }
}

function decoded(path: string, bytes: Buffer): string {
  if (bytes.includes(0)) throw new Refusal("invalid", `“${path}” is binary, not text.`, { path });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw encodingRefusal(path, "utf8");
  }
}

/** The new text with the old text's line ending. */
function edited(before: string, wanted: string): string {
  const old = withLineFeeds(before);
  const text = applyEdits(old, smallestEdits(old, wanted));
  return before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
}

/** The resolved path of a session in which no user can be asked. Rejects like its gate. */
export async function locateInRoots(fence: Confinement, path: string): Promise<LocatedPath> {
  const located = await fence.locate(path);
  await rootsOnly(fence).admit({ operation: "read", path, located });
  return located;
}
