// Work on files: one piece at a time for each file, in the order of the reports, by the path with links resolved.
import { BeginLimit, SequencerByKey } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { FactSink } from "../../history/facts.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement, type LocatedPath } from "../../files/paths.ts";

export interface FileWorkOptions {
  readonly roots: () => readonly string[];
  /** Whether the file outside the folders, by its resolved path, is followed too. */
  readonly isFollowedOutside?: (path: string) => boolean;
  readonly facts: FactSink;
  readonly log: Log;
}

/** The maximum number of resolved paths to remember. */
const maxLocated = 10_000;

/** The maximum number of tasks that begin in an iteration of the event loop. With more, an iteration takes too long. */
const maxBegins = 4;

export class FileWork {
  readonly #options: FileWorkOptions;
  #confinement: Confinement;
  readonly #located = new Map<string, Promise<LocatedPath | undefined>>();
  readonly #files = new SequencerByKey<string>();
  readonly #begins = new BeginLimit(maxBegins);
  /** The work on files that has not begun, see {@link enqueueOnce}. */
  readonly #waiting = new Set<string>();
  /** The numbers of changes of documents that wait, by path. */
  readonly #documentChanges = new Map<string, number>();
  /** All work that is not done. */
  readonly #pending = new Set<Promise<void>>();
  #ended = false;

  constructor(options: FileWorkOptions) {
    this.#options = options;
    this.#confinement = new Confinement(nodePaths(), options.roots());
  }

  /** The workspace has other folders now. */
  rootsChanged(): void {
    this.#confinement = new Confinement(nodePaths(), this.#options.roots());
    this.#located.clear();
  }

  /** Does the work when all earlier work on the file is done. A path that is not followed has no work. */
  enqueue(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    return this.#keep(this.#do(path, work));
  }

  /**
   * Like {@link enqueue}, for a change of the file's document. What is read from disk before the work begins can contain
   * the change already, see {@link hasDocumentChange}.
   */
  enqueueDocumentChange(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    return this.#keep(this.#doDocumentChange(path, work));
  }

  async #doDocumentChange(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    const located = await this.locate(path);
    if (!located || !this.isFollowed(located)) return;
    const key = located.path;
    this.#documentChanges.set(key, (this.#documentChanges.get(key) ?? 0) + 1);
    await this.#queue(key, () => {
      const others = (this.#documentChanges.get(key) ?? 1) - 1;
      if (others > 0) this.#documentChanges.set(key, others);
      else this.#documentChanges.delete(key);
      return work(located);
    });
  }

  /** Whether a change of the file's document waits for its work. */
  hasDocumentChange(path: string): boolean {
    return this.#documentChanges.has(path);
  }

  /** Like {@link enqueue}, for what stands at a path in one of the folders, which can be a link to another place. */
  enqueueAt(path: string, work: () => Promise<void>): Promise<void> {
    return this.#keep(this.#queue(path, work));
  }

  #keep(done: Promise<void>): Promise<void> {
    this.#pending.add(done);
    return done.finally(() => this.#pending.delete(done));
  }

  async #do(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    const located = await this.locate(path);
    if (located && this.isFollowed(located)) await this.#queue(located.path, () => work(located));
  }

  async #queue(key: string, work: () => Promise<void>): Promise<void> {
    if (this.#ended) return;
    const begin = async (): Promise<void> => {
      await this.#begins.next();
      if (!this.#ended) await work();
    };
    await this.#files.queue(key, begin).catch((thrown: unknown) => {
      this.#options.log.error(`The changes in ${key} could not be attributed.`, asError(thrown).stack);
    });
  }

  /**
   * Like {@link enqueue}, unless the same work waits already: it begins later and sees all that this work would see.
   * Tool calls can arrive faster than files can be read.
   */
  enqueueOnce(
    name: "snapshot" | "disk" | "explain",
    path: string,
    work: (located: LocatedPath) => Promise<void>,
  ): void {
    const key = `${name} ${path}`;
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    const begin = (located: LocatedPath): Promise<void> => {
      this.#waiting.delete(key);
      return work(located);
    };
    // A path that leads nowhere has no work.
    void this.enqueue(path, begin).finally(() => this.#waiting.delete(key));
  }

  /** Whether the file is in one of the folders, or followed outside of them. */
  isFollowed({ path, inside }: LocatedPath): boolean {
    return inside || (this.#options.isFollowedOutside?.(path) ?? false);
  }

  /** Resolves the path. Cached, so that reports about a file stay in order. */
  locate(path: string): Promise<LocatedPath | undefined> {
    const known = this.#located.get(path);
    if (known) return known;
    const located = this.#confinement.locate(path).then(
      found => this.#noted(path, found),
      () => {
        // The path is not absolute, or files are being created and deleted there.
        this.#located.delete(path);
        return undefined;
      },
    );
    this.#located.set(path, located);
    if (this.#located.size > maxLocated) this.#located.clear();
    return located;
  }

  /** Most paths lead to themselves. */
  #noted(path: string, located: LocatedPath): LocatedPath {
    const { path: leadsTo, inside: isInside } = located;
    if (leadsTo !== path || !isInside) this.#options.facts.note({ type: "located", path, leadsTo, isInside });
    return located;
  }

  /** Resolves when all work is done, also the work that other work adds. */
  async whenIdle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** No work begins any more. */
  end(): void {
    this.#ended = true;
  }
}
