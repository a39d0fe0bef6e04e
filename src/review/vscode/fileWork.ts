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
  /** Whether something is known about what stands at the path itself, which a link can have replaced. */
  readonly isKnown: (path: string) => boolean;
  readonly facts: FactSink;
  readonly log: Log;
}

/** The maximum number of links to remember. */
const maxElsewhere = 10_000;

/** The maximum number of tasks that begin in an iteration of the event loop. With more, an iteration takes too long. */
const maxBegins = 4;

export class FileWork {
  readonly #options: FileWorkOptions;
  #confinement: Confinement;
  /** What must be done before a path is resolved again. */
  readonly #locating = new Map<string, Promise<unknown>>();
  /** Where the paths lead that do not lead to themselves, as noted last. */
  readonly #elsewhere = new Map<string, string>();
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
  }

  /**
   * Does the work when all earlier work on the file is done: on the file to which the path leads, and on the path itself if
   * a link has replaced a file there. A path that is not followed has no work.
   */
  enqueue(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    return this.#keep(this.#do(path, work));
  }

  /** Like {@link enqueue}, for a file that is moved to `to`. Later work on that path waits until this is done. */
  enqueueMove(
    from: string,
    to: string,
    work: (from: LocatedPath, to: LocatedPath | undefined) => Promise<void>,
  ): Promise<void> {
    const located = this.locate(to);
    const done = this.enqueue(from, async one => work(one, await located));
    this.#keepOrder(to, done);
    return done;
  }

  /**
   * Like {@link enqueue}, for a change of the file's document. What is read from disk before the work begins can contain
   * the change already, see {@link hasDocumentChange}.
   */
  enqueueDocumentChange(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    return this.#keep(this.#doDocumentChange(path, work));
  }

  async #doDocumentChange(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    this.#addDocumentChange(path);
    const located = await this.locate(path);
    const isFollowed = located !== undefined && this.isFollowed(located);
    if (isFollowed) this.#addDocumentChange(located.path);
    this.#removeDocumentChange(path);
    if (!isFollowed) return;
    await this.#queue(located.path, () => {
      this.#removeDocumentChange(located.path);
      return work(located);
    });
  }

  #addDocumentChange(path: string): void {
    this.#documentChanges.set(path, (this.#documentChanges.get(path) ?? 0) + 1);
  }

  #removeDocumentChange(path: string): void {
    const others = (this.#documentChanges.get(path) ?? 1) - 1;
    if (others > 0) this.#documentChanges.set(path, others);
    else this.#documentChanges.delete(path);
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
    if (!located) return;
    const isReplaced = located.path !== path && this.#options.isKnown(path);
    const places = [...(isReplaced ? [{ ...located, path }] : []), ...(this.isFollowed(located) ? [located] : [])];
    await Promise.all(places.map(one => this.#queue(one.path, () => work(one))));
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

  /**
   * Resolves the path, which can lead elsewhere than before: a link can replace a file, or a file a link. Resolves in the
   * order of the calls, so that reports about a file stay in order. Undefined if the path leads nowhere.
   */
  locate(path: string): Promise<LocatedPath | undefined> {
    const earlier = this.#locating.get(path);
    const located = earlier ? earlier.then(() => this.#resolve(path)) : this.#resolve(path);
    this.#keepOrder(path, located);
    return located;
  }

  /** The path is resolved again when this is done. */
  #keepOrder(path: string, earlier: Promise<unknown>): void {
    this.#locating.set(path, earlier);
    void earlier.finally(() => {
      if (this.#locating.get(path) === earlier) this.#locating.delete(path);
    });
  }

  #resolve(path: string): Promise<LocatedPath | undefined> {
    return this.#confinement.locate(path).then(
      found => this.#noted(path, found),
      // The path is not absolute, or files are being created and deleted there.
      () => undefined,
    );
  }

  /** Most paths lead to themselves. */
  #noted(path: string, located: LocatedPath): LocatedPath {
    const { path: leadsTo, inside: isInside } = located;
    const isElsewhere = leadsTo !== path || !isInside;
    if (isElsewhere ? this.#elsewhere.get(path) === leadsTo : !this.#elsewhere.has(path)) return located;
    this.#options.facts.note({ type: "located", path, leadsTo, isInside });
    if (!isElsewhere) this.#elsewhere.delete(path);
    else if (this.#elsewhere.size < maxElsewhere) this.#elsewhere.set(path, leadsTo);
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
