// Reports the files that changed on disk, in batches and without ignored files, and the files that were committed.
import { join, relative } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { normalizeText } from "../../base/text.ts";
import { DroppedDeletions } from "../droppedDeletions.ts";
import { walkFiles } from "../fileWalk.ts";
import { gitIgnored, gitPath, gitText } from "../../git/gitQueries.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import { isFile, isFolder } from "../../editor/diskText.ts";
import type { FileEvent, FileEvents } from "./fileEvents.ts";

export interface ChangedFilesOptions {
  readonly fileEvents: FileEvents;
  readonly roots: () => readonly string[];
  readonly onDidChangeRoots: Event<void>;
  /** Called immediately for each event, so that unwanted paths cost nothing. */
  readonly isWanted: (path: string) => boolean;
  /** Files to report even if git ignores them. */
  readonly isFollowed: (path: string) => boolean;
  readonly onChanged: (path: string) => void;
  /** A new commit has this text of a tracked file. */
  readonly onCommitted: (path: string, text: string) => void;
  readonly trackedPaths: () => readonly string[];
  readonly log: Log;
}

/** How long changes are collected for one batch (ms). */
const batchDelay = 50;

export class ChangedFiles implements Disposable {
  readonly #options: ChangedFilesOptions;
  readonly #store = new DisposableStore();
  #watchers = new DisposableStore();
  readonly #pendingPaths = new Set<string>();
  /** Paths created since the turn began. VS Code starts to watch new folders late and may miss files in them. */
  readonly #created = new Set<string>();
  readonly #everCreated = new Set<string>();
  readonly #dropped: DroppedDeletions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ChangedFilesOptions) {
    this.#options = options;
    this.#dropped = this.#store.add(new DroppedDeletions({ onGone: path => this.#goneUnreported(path) }));
    this.#watch();
    this.#store.add(options.onDidChangeRoots(() => this.#watch()));
  }

  turnStarted(): void {
    this.#created.clear();
    this.#everCreated.clear();
  }

  /** Whether the creation of the file or folder was reported since the turn began. */
  wasCreated(path: string): boolean {
    return this.#everCreated.has(path);
  }

  /** Reports the files in folders created since the turn began, because VS Code may have missed some. */
  turnEnded(): void {
    if (this.#created.size === 0) return;
    for (const path of this.#created) this.#pendingPaths.add(path);
    this.#scheduleBatch();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watchers.dispose();
    this.#store.dispose();
  }

  #watch(): void {
    // The watchers that go on watch before the others end, so that no change is missed.
    const before = this.#watchers;
    this.#watchers = new DisposableStore();
    for (const root of this.#options.roots()) {
      this.#watchers.add(this.#options.fileEvents.watchFolder(root, event => this.#pathChanged(root, event)));
      // The repository may be created later.
      const usual = join(root, ".git", "logs", "HEAD");
      this.#watchCommits(root, usual, this.#watchers);
      this.#watchRepository(root, usual, this.#watchers).catch((thrown: unknown) =>
        this.#options.log.debug(`${root} is not in a repository.`, asError(thrown).message),
      );
    }
    before.dispose();
  }

  /** Watches the HEAD log of a repository whose top is another folder, or of which this is a worktree. */
  async #watchRepository(root: string, usual: string, watching: DisposableStore): Promise<void> {
    const git = gitOf(vscode.Uri.file(root));
    const head = git && (await gitPath(git, root, "logs/HEAD"));
    if (head !== undefined && head !== usual) this.#watchCommits(root, head, watching);
  }

  #watchCommits(root: string, head: string, watching: DisposableStore): void {
    const headChanged = ({ type }: FileEvent): void => {
      if (type === "deleted") return;
      this.#reportCommit(root).catch((thrown: unknown) => this.#logError("A commit could not be read.", thrown));
    };
    watching.add(this.#options.fileEvents.watchFile(head, headChanged));
  }

  #pathChanged(root: string, { type, path }: FileEvent): void {
    if (/[\\/]\.git(?:[\\/]|$)/.test(path.slice(root.length)) || !this.#options.isWanted(path)) return;
    this.#pendingPaths.add(path);
    if (type === "deleted") this.#dropped.deleted(path);
    else this.#dropped.exists(path);
    if (type === "created") {
      this.#created.add(path);
      this.#everCreated.add(path);
    }
    this.#scheduleBatch();
  }

  /** Only of files that somebody may have read between the two deletions. */
  #goneUnreported(path: string): void {
    if (!this.#options.isFollowed(path)) return;
    this.#pendingPaths.add(path);
    this.#scheduleBatch();
  }

  #scheduleBatch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const paths = [...this.#pendingPaths];
      this.#pendingPaths.clear();
      this.#reportBatch(paths).catch((thrown: unknown) => this.#logError("Changed files could not be read.", thrown));
    }, batchDelay);
  }

  async #reportBatch(paths: readonly string[]): Promise<void> {
    for (const root of this.#options.roots()) {
      const pathsInRoot = paths.filter(path => !relative(root, path).startsWith(".."));
      const own = [...new Set([...pathsInRoot, ...(await this.#filesInNewFolders(root, pathsInRoot))])];
      const [followed, others] = [
        own.filter(this.#options.isFollowed),
        own.filter(path => !this.#options.isFollowed(path)),
      ];
      for (const path of followed) this.#options.onChanged(path);
      const ignored = others.length > 0 ? await this.#ignored(root, others) : new Set<string>();
      for (const path of others) if (!ignored.has(path)) this.#options.onChanged(path);
    }
  }

  /** The files in those paths that are new folders. Other paths are no longer tracked as created. */
  async #filesInNewFolders(root: string, paths: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const path of paths) {
      if (!this.#created.has(path)) continue;
      if (!(await isFolder(path))) {
        this.#created.delete(path);
        continue;
      }
      const take = (names: readonly string[]): void => void found.push(...names.map(name => join(root, name)));
      await walkFiles(root, { take, isExcluded, from: relativePath(root, path) });
    }
    return found;
  }

  /** The paths that git ignores. Without git, those that .gitignore files exclude. */
  async #ignored(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
    const git = gitOf(vscode.Uri.file(root));
    if (git) {
      try {
        const names = paths.map(path => relativePath(root, path));
        return new Set((await gitIgnored(git, root, names)).map(name => join(root, name)));
      } catch (error) {
        this.#options.log.debug(`git has no information about ${root}.`, asError(error).message);
      }
    }
    const ignored = new Set<string>();
    for (const path of paths) {
      let found = false;
      await walkFiles(root, { take: () => void (found = true), isExcluded, from: relativePath(root, path) });
      // A deleted file is not found either, but it is not ignored.
      if (!found && (await isFile(path))) ignored.add(path);
    }
    return ignored;
  }

  async #reportCommit(root: string): Promise<void> {
    const git = gitOf(vscode.Uri.file(root));
    if (!git) return;
    for (const path of this.#options.trackedPaths()) {
      if (relative(root, path).startsWith("..")) continue;
      const text = await gitText(git, root, "HEAD", relativePath(root, path));
      if (text !== undefined) this.#options.onCommitted(path, normalizeText(text));
    }
  }

  #logError(message: string, thrown: unknown): void {
    this.#options.log.error(message, asError(thrown).stack);
  }
}

const isExcluded = (name: string): boolean => /(?:^|\/)node_modules(?:\/|$)/.test(name);
const relativePath = (root: string, path: string): string => relative(root, path).replaceAll("\\", "/");
