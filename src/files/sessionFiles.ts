// A session's files: what an agent may read and write, in order, inside the session's roots.
import { Sequencer, SequencerByKey } from "../base/async.ts";
import { Refusal, asError } from "../base/errors.ts";
import { sizeInMebibytes, sliceLines, tooLargeRefusal } from "./lineWindow.ts";
import { rootsOnly, type Gate, type Operation } from "./gate.ts";
import { type Confinement, type LocatedPath } from "./paths.ts";
import { KnownTexts } from "./knownTexts.ts";
import { mergeTexts } from "./mergeTexts.ts";
import { normalizeText, quotePath } from "../base/text.ts";
import type { WriteResult } from "../session/agent.ts";
import { isFormatted } from "./typedEdits.ts";
import type { Documents, FileStat, KnownText, LineWindow } from "./ports.ts";

export interface SessionFilesOptions {
  /** The result for a missing file. Some agents can only create a file if its text is reported as empty. */
  readonly missingFiles: "error" | "empty";
  /** The limit for the text of one response (bytes). */
  readonly maxBytes: number;
}

const defaultSessionFilesOptions: SessionFilesOptions = { missingFiles: "error", maxBytes: 8 * 1024 * 1024 };

export interface ReadRequest {
  readonly path: string;
  /** 1-based. 0 also means the first line. */
  readonly line?: number;
  readonly limit?: number;
}

export interface WriteRequest {
  readonly path: string;
  readonly content: string;
}

/** A change that was computed from the text `before`. */
export interface EditRequest {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The files of one session. Requests for the same file run in order, requests for different files in parallel. */
export class SessionFiles {
  readonly #documents: Documents;
  readonly #confinement: Confinement;
  readonly #options: SessionFilesOptions;
  readonly #accessGate: Gate;
  readonly #paths = new Sequencer();
  readonly #files = new SequencerByKey<string>();
  readonly #known = new KnownTexts();

  constructor(
    documents: Documents,
    confinement: Confinement,
    options: Partial<SessionFilesOptions> = {},
    access: Gate = rootsOnly(confinement),
  ) {
    this.#accessGate = access;
    this.#documents = documents;
    this.#confinement = confinement;
    this.#options = { ...defaultSessionFilesOptions, ...options };
  }

  /**
   * The whole text, or the requested lines with their line endings. Empty beyond the end. `shownLines` is the number of
   * lines of this text that the agent gets, if not all: what the user typed in the others stays unknown to it.
   */
  async read(request: ReadRequest, signal?: AbortSignal, shownLines?: (text: string) => number): Promise<string> {
    const window = windowOf(request);
    return this.#inOrder("read", request.path, signal, async located => {
      const stat = await this.#documents.stat(located.path);
      if (stat.kind === "missing" && this.#options.missingFiles === "empty") return "";
      this.#checkFile(stat, request.path);
      const text = await this.#readText(located, stat, window, shownLines);
      await this.#checkNotMoved(located, request.path);
      return text;
    });
  }

  /** Changes the file's text to `content`. Creates the file and its folders. Resolves after verifying the result. */
  async write(request: WriteRequest, signal?: AbortSignal): Promise<WriteResult> {
    refuseNonText(request);
    return this.#inOrder("write", request.path, signal, async located => {
      const stat = await this.#documents.stat(located.path);
      if (stat.kind !== "missing") this.#checkFile(stat, request.path);
      const known = this.#known.get(located.key);
      const userEdits = await this.#documents.userEdits(located.path);
      const outcome = await this.#documents.write(located.path, request.content, known);
      await this.#checkNotMoved(located, request.path);
      this.#wrote(located.key, normalizeText(request.content), outcome, { userEdits, known });
      return outcome;
    });
  }

  /**
   * Changes the file's text from `before` to `after`. Refuses if the file no longer has the text `before`. The agent then
   * knows the change, and nothing else that it did not know before.
   */
  async edit({ path, before, after }: EditRequest, signal?: AbortSignal): Promise<WriteResult> {
    refuseNonText({ path, content: after });
    return this.#inOrder("write", path, signal, async located => {
      this.#checkFile(await this.#documents.stat(located.path), path);
      const [from, to] = [normalizeText(before), normalizeText(after)];
      const userEdits = await this.#documents.userEdits(located.path);
      if (normalizeText(await this.#documents.read(located.path)) !== from)
        throw new Refusal("failed", `${quotePath(path)} has changed since the edit was computed. Call again.`, {
          path,
        });
      const outcome = await this.#documents.write(located.path, after, { text: from, userEdits });
      await this.#checkNotMoved(located, path);
      const known = this.#known.get(located.key);
      if (known) this.#known.set(located.key, withEdit(known, from, to));
      return outcome;
    });
  }

  /** Remembers what the agent knows after a write. What the user typed before it and the agent has not read stays unknown. */
  #wrote(
    key: string,
    text: string,
    { result }: WriteResult,
    before: { readonly userEdits: number; readonly known: KnownText | undefined },
  ): void {
    const known = before.known?.userEdits ?? before.userEdits;
    // A formatter's changes do not count as the user's.
    const isFormattedOnly = known === before.userEdits && result !== undefined && isFormatted(text, result.after);
    this.#known.set(key, { text: isFormattedOnly ? result.after : text, userEdits: known });
  }

  async #readText(
    { path, key }: LocatedPath,
    stat: FileStat,
    window: LineWindow | undefined,
    shownLines: ((text: string) => number) | undefined,
  ): Promise<string> {
    const { maxBytes } = this.#options;
    const userEdits = await this.#documents.userEdits(path);
    if (stat.size > maxBytes && !stat.unsaved) {
      if (window) return this.#documents.readWindow(path, window, maxBytes);
      const size = sizeInMebibytes(stat.size);
      throw new Refusal("invalid", `The file has ${size}. Read it in parts with “line” and “limit”.`, { path });
    }
    const text = await this.#documents.read(path);
    const wanted = window ? sliceLines(text, window) : text;
    if (Buffer.byteLength(wanted) > maxBytes) throw tooLargeRefusal(maxBytes);
    const shown = shownLines ? { line: window?.line ?? 1, limit: shownLines(wanted) } : window;
    this.#known.learn(key, { text: normalizeText(text), userEdits }, shown);
    return wanted;
  }

  #checkFile(stat: FileStat, path: string): void {
    switch (stat.kind) {
      case "file":
        return;
      case "missing":
        throw new Refusal("notFound", `${quotePath(path)} does not exist.`, { path });
      case "folder":
        throw new Refusal("invalid", `${quotePath(path)} is a folder, not a file.`, { path });
      case "other":
        throw new Refusal("invalid", `${quotePath(path)} is not a regular file.`, { path });
      default:
        stat.kind satisfies never;
    }
  }

  /** Rejects if the path now leads to another file: a link created in the meantime makes the result untrustworthy. */
  async #checkNotMoved(located: LocatedPath, path: string): Promise<void> {
    const now = await this.#confinement.locate(path);
    if (now.key === located.key && now.inside === located.inside) return;
    throw new Refusal(
      "failed",
      `${quotePath(path)} was moved, or replaced by a link to another place, during the request.`,
      { path },
    );
  }

  /**
   * Runs `serve` after all earlier requests for the same file. Paths are resolved one at a time, so that the order of
   * requests does not depend on how long resolving takes.
   */
  #inOrder<T>(
    operation: Operation,
    path: string,
    signal: AbortSignal | undefined,
    serve: (located: LocatedPath) => Promise<T>,
  ): Promise<T> {
    const queued = this.#paths.queue(async () => {
      const located = await this.#confinement.locate(path);
      const admitted = async (): Promise<T> => {
        const asked = await this.#accessGate.admit({ operation, path, located }, signal);
        if (asked) await this.#checkNotMoved(located, path);
        return serve(located);
      };
      return { served: this.#files.queue(located.key, () => this.#asRefusal(path, admitted)) };
    });
    return queued.then(({ served }) => served);
  }

  async #asRefusal<T>(path: string, serve: () => Promise<T>): Promise<T> {
    try {
      return await serve();
    } catch (thrown) {
      if (thrown instanceof Refusal) throw thrown;
      throw new Refusal("failed", `${quotePath(path)}: ${asError(thrown).message}`, { path });
    }
  }
}

/** What the agent knows after an edit of its own. A text that the edit does not fit is merged with the next write. */
function withEdit(known: KnownText, before: string, after: string): KnownText {
  const merged = mergeTexts(before, known.text, after);
  return merged.kind === "merged" ? { ...known, text: merged.text } : { ...known, userEdits: -1 };
}

/** Refuses a text that no encoding can store, or that would make the file binary. */
function refuseNonText({ path, content }: WriteRequest): void {
  const found = /\0|\p{Surrogate}/u.exec(content);
  if (!found) return;
  const line = content.slice(0, found.index).split("\n").length;
  const what =
    found[0] === "\0"
      ? `contains a NUL character in line ${line}, which makes a file binary`
      : `contains half of a character (a lone surrogate) in line ${line}, which no encoding can store`;
  throw new Refusal(
    "invalid",
    `${quotePath(path)} was not written, because the text ${what}. Send the text without it.`,
    {
      path,
      line,
    },
  );
}

function windowOf(request: ReadRequest): LineWindow | undefined {
  checkCount("line", request.line);
  checkCount("limit", request.limit);
  if (request.line === undefined && request.limit === undefined) return undefined;
  return { line: Math.max(1, request.line ?? 1), limit: request.limit ?? Number.POSITIVE_INFINITY };
}

function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return;
  throw new Refusal("invalid", `“${name}” must be a non-negative integer.`, { [name]: value });
}
