// Finds the lines where the diffs of a session's tool calls begin, because many agents send only the changed lines of a
// file. The line is reported as an event, so that a restored session shows the same.
import { asError } from "../base/errors.ts";
import type { Clock, Log } from "../base/log.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";
import type { SessionParticipant } from "../session/participant.ts";
import { emptySession, toolKey, type FileDiff, type SessionState, type ToolEntry } from "../session/state.ts";
import { FragmentFinder, fragmentLine } from "./fragmentLines.ts";
import type { Confinement } from "./paths.ts";
import type { Documents } from "./ports.ts";

export interface DiffLocatorOptions {
  readonly documents: Pick<Documents, "stat" | "read">;
  readonly confinement: Confinement;
  /** Receives `diffLines`. */
  readonly report: (event: SessionEvent) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Larger files are read only for a diff of at least their size, which is that of a whole file. Bytes. */
const maxFileBytes = 1_000_000;
/** The texts to keep for several diffs, because calls can arrive faster than files can be read. Bytes of files. */
const maxKeptBytes = 4_000_000;
/** The limit of diffs of one call. */
const maxDiffs = 200;
/** The searches before other work of the extension host gets its turn. */
const searchesPerTurn = 10;
/** After this many reads, calls are collected for a moment, because one reading of a file is enough for all of them. */
const readsBeforePause = 20;
/** The pause after these reads (ms). */
const pauseTime = 100;

/** A diff of a tool call whose line is not known, with its index in the content. */
interface WantedDiff {
  readonly item: number;
  readonly diff: FileDiff & { readonly oldText: string };
}

/** The files that were read for some calls, by the paths that the agent gave. */
interface SearchedFiles {
  readonly finders: Map<string, FragmentFinder>;
  bytes: number;
}

/**
 * Looks for a diff when its call arrives or asks a question, then for its old text; and when the call is done, then for
 * its new text. Only files inside the session's folders are read.
 */
export class DiffLocator implements SessionParticipant {
  readonly #options: DiffLocatorOptions;
  /** The ids of the calls whose diffs are to be looked for, in the order of their reports. */
  readonly #waiting = new Set<string>();
  #state: SessionState = emptySession;
  #searching = false;
  #searches = 0;
  #reads = 0;
  #endPause: (() => void) | undefined;
  #disposed = false;

  constructor(options: DiffLocatorOptions) {
    this.#options = options;
  }

  stateChanged(_before: SessionState, after: SessionState): void {
    this.#state = after;
  }

  observe(event: SessionEvent): void {
    if (event.type === "tool") {
      const { status, content } = event.patch;
      if (status === "completed" || content?.some(({ type }) => type === "diff")) this.#lookFor(event.toolCallId);
    } else if (event.type === "toolChunk" && event.content.type === "diff") this.#lookFor(event.toolCallId);
  }

  beforeQuestion({ toolCallId }: PermissionQuestion): void {
    if (toolCallId !== undefined) this.#lookFor(toolCallId);
  }

  dispose(): void {
    this.#disposed = true;
    this.#waiting.clear();
    this.#endPause?.();
  }

  #lookFor(toolCallId: string): void {
    if (wantedDiffs(this.#toolOf(toolCallId)).length === 0) return;
    this.#waiting.add(toolCallId);
    if (this.#searching) return;
    this.#searching = true;
    void this.#search().finally(() => (this.#searching = false));
  }

  /** Never rejects. */
  async #search(): Promise<void> {
    while (this.#waiting.size > 0) {
      if (this.#reads >= readsBeforePause) {
        this.#reads = 0;
        await this.#pause();
      }
      const calls = [...this.#waiting];
      this.#waiting.clear();
      // The texts are read after these calls were reported, so one reading of a file is enough for all of them.
      const files: SearchedFiles = { finders: new Map(), bytes: 0 };
      for (const toolCallId of calls) {
        try {
          await this.#searchCall(toolCallId, files);
        } catch (error) {
          this.#options.log.error("The lines of a diff could not be found.", asError(error).stack);
        }
      }
    }
  }

  /** Ends early when the session ends. */
  #pause(): Promise<void> {
    return new Promise(resolve => {
      const timer = this.#options.clock.after(pauseTime, resolve);
      this.#endPause = () => {
        timer.dispose();
        resolve();
      };
    });
  }

  async #searchCall(toolCallId: string, files: SearchedFiles): Promise<void> {
    const tool = this.#toolOf(toolCallId);
    const lines: { readonly item: number; readonly line: number }[] = [];
    const found: FileDiff[] = [];
    for (const { item, diff } of wantedDiffs(tool).slice(0, maxDiffs)) {
      const line = await this.#lineOf(diff, tool?.fields.status === "completed", files);
      if (line === undefined) continue;
      lines.push({ item, line });
      found.push(diff);
    }
    // The call may have sent other content in the meantime. Then it waits for another search.
    const content = this.#toolOf(toolCallId)?.fields.content;
    const current = lines.filter(({ item }, i) => content?.[item] === found[i]);
    if (current.length > 0 && !this.#disposed) this.#options.report({ type: "diffLines", toolCallId, lines: current });
  }

  async #lineOf(diff: WantedDiff["diff"], done: boolean, files: SearchedFiles): Promise<number | undefined> {
    if (++this.#searches % searchesPerTurn === 0) await new Promise(resolve => setImmediate(resolve));
    try {
      const finder = await this.#finderFor(diff, files);
      return finder && fragmentLine(finder, diff, done);
    } catch (error) {
      // A binary file, or one that is gone. The diff is shown without line numbers.
      this.#options.log.debug("A diff could not be looked for in its file.", asError(error).message);
      return undefined;
    }
  }

  async #finderFor({ path, oldText }: WantedDiff["diff"], files: SearchedFiles): Promise<FragmentFinder | undefined> {
    const { documents, confinement } = this.#options;
    const known = files.finders.get(path);
    if (known) return known;
    const located = await confinement.locate(path);
    if (!located.inside) return undefined;
    const { kind, size } = await documents.stat(located.path);
    if (kind !== "file" || (size > maxFileBytes && Buffer.byteLength(oldText) < size - 1)) return undefined;
    this.#reads++;
    const text = await documents.read(located.path);
    const now = await confinement.locate(path);
    // The path leads to another file now, perhaps outside the folders.
    if (now.key !== located.key || !now.inside) return undefined;
    if (files.bytes + size > maxKeptBytes) {
      files.finders.clear();
      files.bytes = 0;
    }
    const finder = new FragmentFinder(text);
    files.finders.set(path, finder);
    files.bytes += size;
    return finder;
  }

  #toolOf(toolCallId: string): ToolEntry | undefined {
    const entry = this.#state.entries.get(toolKey(toolCallId));
    return entry?.kind === "tool" ? entry : undefined;
  }
}

/** The diffs with unknown lines. A new file begins at its first line, and a deleted file is shown whole. */
function wantedDiffs(tool: ToolEntry | undefined): readonly WantedDiff[] {
  return (tool?.fields.content ?? []).flatMap((diff, item) => {
    if (diff.type !== "diff" || diff.deleted || diff.line !== undefined) return [];
    const { oldText } = diff;
    return oldText === undefined || oldText === "" ? [] : [{ item, diff: diff as WantedDiff["diff"] }];
  });
}
