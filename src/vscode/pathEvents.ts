// Which files changed on disk, gathered for a moment, without what git ignores; and which were committed.
import { join, relative } from "node:path";
import * as vscode from "vscode";
import { asError } from "../base/errors.ts";
import { DisposableStore, type Disposable } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { withLineFeeds } from "../workspace/edits.ts";
import { walkFiles } from "../workspace/fileWalk.ts";
import { gitIgnored, gitText } from "../workspace/git.ts";
import { gitOf } from "./fileIndexer.ts";

export interface PathEventsOptions {
  readonly roots: () => readonly string[];
  /** Asked at once, so that what nobody wants costs nothing. */
  readonly isWanted: (path: string) => boolean;
  /** Files that count also when git ignores them. */
  readonly isFollowed: (path: string) => boolean;
  readonly changed: (path: string) => void;
  /** A new commit has this text of a tracked file. */
  readonly committed: (path: string, text: string) => void;
  readonly tracked: () => readonly string[];
  readonly log: Log;
}

/** How long changes are gathered. Milliseconds. */
const quiet = 50;

export class PathEvents implements Disposable {
  readonly #options: PathEventsOptions;
  readonly #store = new DisposableStore();
  #watching = new DisposableStore();
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PathEventsOptions) {
    this.#options = options;
    this.#watch();
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#watch()));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watching.dispose();
    this.#store.dispose();
  }

  #watch(): void {
    this.#watching.dispose();
    this.#watching = new DisposableStore();
    for (const root of this.#options.roots()) {
      const uri = vscode.Uri.file(root);
      const files = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(uri, "**"));
      const note = ({ fsPath }: vscode.Uri): void => this.#note(root, fsPath);
      const heads = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(uri, ".git/logs/HEAD"));
      const look = (): void => {
        this.#lookAtCommit(root).catch((thrown: unknown) => this.#fault("A commit could not be looked at.", thrown));
      };
      const own = [
        files, heads, files.onDidChange(note), files.onDidCreate(note), files.onDidDelete(note),
        heads.onDidChange(look), heads.onDidCreate(look),
      ]; // prettier-ignore
      for (const one of own) this.#watching.add(one);
    }
  }

  #note(root: string, path: string): void {
    if (/[\\/]\.git(?:[\\/]|$)/.test(path.slice(root.length)) || !this.#options.isWanted(path)) return;
    this.#waiting.add(path);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const paths = [...this.#waiting];
      this.#waiting.clear();
      this.#hand(paths).catch((thrown: unknown) => this.#fault("Changed files could not be looked at.", thrown));
    }, quiet);
  }

  async #hand(paths: readonly string[]): Promise<void> {
    for (const root of this.#options.roots()) {
      const own = paths.filter(path => !relative(root, path).startsWith(".."));
      const [followed, others] = [
        own.filter(this.#options.isFollowed),
        own.filter(path => !this.#options.isFollowed(path)),
      ];
      for (const path of followed) this.#options.changed(path);
      const ignored = others.length > 0 ? await this.#ignored(root, others) : new Set<string>();
      for (const path of others) if (!ignored.has(path)) this.#options.changed(path);
    }
  }

  /** What git, or a .gitignore without git, leaves out. */
  async #ignored(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
    const git = gitOf(vscode.Uri.file(root));
    if (git) {
      try {
        return new Set(
          (
            await gitIgnored(
              git,
              root,
              paths.map(path => slashed(root, path)),
            )
          ).map(path => join(root, path)),
        );
      } catch (error) {
        this.#options.log.debug(`git knows nothing of ${root}.`, asError(error).message);
      }
    }
    const ignored = new Set<string>();
    for (const path of paths) {
      let found = false;
      const leavesOut = (one: string): boolean => /(?:^|\/)node_modules(?:\/|$)/.test(one);
      await walkFiles(root, { take: () => void (found = true), leavesOut, from: slashed(root, path) });
      // What is gone cannot be walked to.
      if (!found && (await exists(path))) ignored.add(path);
    }
    return ignored;
  }

  async #lookAtCommit(root: string): Promise<void> {
    const git = gitOf(vscode.Uri.file(root));
    if (!git) return;
    for (const path of this.#options.tracked()) {
      if (relative(root, path).startsWith("..")) continue;
      const text = await gitText(git, root, "HEAD", slashed(root, path));
      if (text !== undefined)
        this.#options.committed(path, withLineFeeds(text.startsWith("\uFEFF") ? text.slice(1) : text));
    }
  }

  #fault(words: string, thrown: unknown): void {
    this.#options.log.error(words, asError(thrown).stack);
  }
}

const slashed = (root: string, path: string): string => relative(root, path).replaceAll("\\", "/");

async function exists(path: string): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(vscode.Uri.file(path));
    return true;
  } catch {
    return false; // Gone: whether it was ignored is not to be known.
  }
}
