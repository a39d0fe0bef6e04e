// Keeps the index of the workspace's files. It is filled in the background at first use, then updated by watchers.
import { basename, join, relative, sep } from "node:path";
import * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { FileIndex } from "../fileIndex.ts";
import { FileSearch, type FileHit, type FindOptions } from "../fileSearch.ts";
import { excludedBy, walkFiles, type PathExclusion } from "../../files/fileWalk.ts";
import type { FileEvent, FileEvents } from "../../files/vscode/fileEvents.ts";
import { gitFiles } from "../../git/gitQueries.ts";
import { type Git } from "../../git/gitProgram.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";

/** A workspace folder. */
interface Root {
  readonly uri: vscode.Uri;
  readonly path: string;
  /** The prefix of its paths in the index: its name if there are several folders, otherwise empty. */
  readonly prefix: string;
}

/** The time to collect changes before they are processed, in milliseconds. */
const batchDelay = 250;

/** If more paths than this change at once, everything is listed again. */
const maxSinglePaths = 200;

/** The maximum time that listing blocks the thread, in milliseconds. */
const maxSliceTime = 10;

/** The maximum number of files in a workspace. Further files are not offered. */
const maxFiles = 500_000;

/** The index of this window. It is inactive until it is started. */
export class FileIndexer implements Disposable {
  readonly #fileEvents: FileEvents;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  #watchers = new DisposableStore();
  #index = new FileIndex();
  #search = new FileSearch(this.#index);
  #roots: readonly Root[] = [];
  #started = false;
  #stop = new AbortController();
  #pending = 0;
  #idleResolvers: (() => void)[] = [];

  constructor(fileEvents: FileEvents, log: Log, clock: Clock) {
    this.#fileEvents = fileEvents;
    this.#log = log;
    this.#clock = clock;
  }

  /** Whether files are being listed, for the first time or again. */
  get isIndexing(): boolean {
    return this.#pending > 0;
  }
  /** The number of files in the index. */
  get size(): number {
    return this.#index.size;
  }

  /** Starts indexing, unless it has started already. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#restart()));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#restart()));
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration("files.exclude") || event.affectsConfiguration("git.path")) this.#restart();
      }),
    );
    this.#restart();
  }

  /** Resolves when no listing is in progress. */
  whenIdle(): Promise<void> {
    if (!this.isIndexing) return Promise.resolve();
    return new Promise(resolve => this.#idleResolvers.push(resolve));
  }

  find(query: string, options: FindOptions): Promise<readonly FileHit[]> {
    return this.#search.find(query, options);
  }

  has(path: string): boolean {
    return this.#index.has(path);
  }

  /** The path on disk of a path in the index. */
  absolutePath(path: string): string {
    const root = this.#roots.find(({ prefix }) => path.startsWith(prefix)) ?? this.#roots[0];
    return root ? join(root.path, path.slice(root.prefix.length)) : path;
  }

  /** The path in the index of a file on disk. Undefined outside the workspace. */
  indexPath(file: string): string | undefined {
    const root = this.#roots.find(({ path }) => file.startsWith(path.endsWith(sep) ? path : `${path}${sep}`));
    return root && root.prefix + relative(root.path, file).replaceAll("\\", "/");
  }

  dispose(): void {
    this.#stop.abort();
    this.#watchers.dispose();
    this.#store.dispose();
    this.#resolveIdle();
  }

  #restart(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#watchers.dispose();
    this.#watchers = new DisposableStore();
    this.#index = new FileIndex();
    this.#search = new FileSearch(this.#index);
    this.#roots = rootsOf(vscode.workspace.workspaceFolders ?? []);
    for (const root of this.#roots) {
      const lister = new FolderLister(root, this.#index, gitOf(root.uri), this.#log);
      this.#watch(root, lister);
      this.#run(signal => lister.listAll(signal));
    }
  }

  #run(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stop;
    this.#pending++;
    work(signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#log.warn("The files of the workspace could not be listed.", asError(error).message);
      })
      .finally(() => {
        if (--this.#pending === 0) this.#resolveIdle();
      });
  }

  #resolveIdle(): void {
    for (const resolve of this.#idleResolvers.splice(0)) resolve();
  }

  #watch(root: Root, lister: FolderLister): void {
    const changed = new Set<string>();
    let all = false;
    let timer: Disposable | undefined;
    const later = (): void => {
      timer ??= this.#clock.after(batchDelay, () => {
        timer = undefined;
        const paths = [...changed];
        changed.clear();
        if (all || paths.length > maxSinglePaths) this.#run(signal => lister.listAll(signal));
        else this.#run(signal => lister.listPaths(paths, signal));
        all = false;
      });
    };
    const note = (file: string): void => {
      const path = relative(root.path, file).replaceAll("\\", "/");
      if (path === "" || path.startsWith("..") || /(?:^|\/)\.git(?:\/|$)/.test(path)) return;
      changed.add(path);
      later();
    };
    const changedRules = (): void => {
      all = true;
      later();
    };
    const changedFile = ({ type, path }: FileEvent): void => {
      // When the content of a file changes, only ignore rules matter.
      if (type !== "changed") note(path);
      if (basename(path) === ".gitignore") changedRules();
    };
    this.#watchers.add(this.#fileEvents.watchFolder(root.path, changedFile));
    this.#watchers.add({ dispose: () => timer?.dispose() });
  }
}

/** Lists the files of one folder into the index, one listing after the other. */
class FolderLister {
  readonly #root: Root;
  readonly #index: FileIndex;
  readonly #git: Git | undefined;
  readonly #log: Log;
  readonly #isExcluded: PathExclusion;
  readonly #listings = new Sequencer();

  constructor(root: Root, index: FileIndex, git: Git | undefined, log: Log) {
    this.#root = root;
    this.#index = index;
    this.#git = git;
    this.#log = log;
    const excluded = vscode.workspace.getConfiguration("files", root.uri).get<Record<string, unknown>>("exclude") ?? {};
    this.#isExcluded = excludedBy(excluded, nodePaths().ignoresCase);
  }

  /** Lists everything again and removes files that no longer exist. */
  listAll(signal: AbortSignal): Promise<void> {
    return this.#listings.queue(async () => {
      const run = this.#index.beginListing();
      await this.#list(undefined, signal);
      this.#index.endListing(run, this.#root.prefix);
    });
  }

  /** Lists these paths, which were created or deleted. */
  listPaths(paths: readonly string[], signal: AbortSignal): Promise<void> {
    return this.#listings.queue(async () => {
      this.#index.remove(paths.map(path => this.#root.prefix + path));
      await this.#list(paths, signal);
    });
  }

  async #list(only: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
    const { path } = this.#root;
    let found = 0;
    const take = async (paths: readonly string[]): Promise<void> => {
      found += paths.length;
      await this.#take(paths, signal);
    };
    if (this.#git) {
      try {
        await gitFiles(this.#git, path, { take, signal, ...(only && { only }) });
        // A folder that its repository ignores completely still has files.
        if (found > 0 || only) return;
      } catch (error) {
        signal.throwIfAborted();
        this.#log.debug(`git did not list ${path}, so it is walked.`, asError(error).message);
      }
    }
    const isExcluded = this.#isExcluded;
    if (!only) return walkFiles(path, { take, isExcluded, signal });
    for (const from of only) await walkFiles(path, { take, isExcluded, from, signal });
  }

  async #take(paths: readonly string[], signal: AbortSignal): Promise<void> {
    let since = performance.now();
    for (const path of paths) {
      if (this.#index.size < maxFiles && !this.#isExcluded(path)) this.#index.add(this.#root.prefix + path);
      if (performance.now() - since < maxSliceTime) continue;
      await new Promise(resolve => setImmediate(resolve));
      signal.throwIfAborted();
      since = performance.now();
    }
    await new Promise(resolve => setImmediate(resolve));
    signal.throwIfAborted();
  }
}

function rootsOf(folders: readonly vscode.WorkspaceFolder[]): readonly Root[] {
  const local = folders.filter(({ uri }) => uri.scheme === "file");
  const names = local.map(({ uri, name }) => (name === "" ? basename(uri.fsPath) : name).replaceAll("/", "-"));
  return local.map(({ uri, index }, i) => {
    const name = names[i] ?? "";
    const isUnique = names.filter(other => other === name).length === 1;
    const prefix = local.length === 1 ? "" : `${isUnique ? name : `${name} (${index + 1})`}/`;
    return { uri, path: uri.fsPath, prefix };
  });
}
