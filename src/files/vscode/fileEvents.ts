// The file watchers of the window: one per folder, shared by all listeners. Listeners filter for themselves.
import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { toDisposable, type Disposable } from "../../base/lifecycle.ts";

/** A change of a file or folder on disk. */
export interface FileEvent {
  readonly type: "created" | "changed" | "deleted";
  readonly path: string;
}

export type FileEventListener = (event: FileEvent) => void;

interface SharedWatcher {
  readonly watcher: vscode.FileSystemWatcher;
  readonly emitter: vscode.EventEmitter<FileEvent>;
  listeners: number;
}

/** One per window. Watches a folder from its first listener to its last. */
export class FileEvents implements Disposable {
  readonly #watchers = new Map<string, SharedWatcher>();

  /** Listens to everything in a folder, at any depth, except what `files.watcherExclude` excludes. */
  watchFolder(folder: string, listener: FileEventListener): Disposable {
    return this.#listen(folder, "**", listener);
  }

  /** Listens to one file, also if it is excluded or outside the workspace. It does not need to exist. */
  watchFile(path: string, listener: FileEventListener): Disposable {
    return this.#listen(dirname(path), basename(path), listener);
  }

  /** Listens to the files of a folder whose names match a pattern without a slash, also outside the workspace. */
  watchFiles(folder: string, pattern: string, listener: FileEventListener): Disposable {
    return this.#listen(folder, pattern, listener);
  }

  dispose(): void {
    for (const { watcher, emitter } of this.#watchers.values()) {
      watcher.dispose();
      emitter.dispose();
    }
    this.#watchers.clear();
  }

  #listen(folder: string, pattern: string, listener: FileEventListener): Disposable {
    const key = JSON.stringify([folder, pattern]);
    const shared = this.#watchers.get(key) ?? newWatcher(folder, pattern);
    this.#watchers.set(key, shared);
    shared.listeners++;
    const listening = shared.emitter.event(listener);
    return toDisposable(() => {
      listening.dispose();
      if (--shared.listeners > 0 || this.#watchers.get(key) !== shared) return;
      this.#watchers.delete(key);
      shared.watcher.dispose();
      shared.emitter.dispose();
    });
  }
}

function newWatcher(folder: string, pattern: string): SharedWatcher {
  const base = vscode.Uri.file(folder);
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(base, pattern));
  const emitter = new vscode.EventEmitter<FileEvent>();
  const fire =
    (type: FileEvent["type"]) =>
    ({ scheme, fsPath }: vscode.Uri): void => {
      // Watchers also report documents of other file systems, such as those of git, if their paths match.
      if (scheme === base.scheme) emitter.fire({ type, path: fsPath });
    };
  // Disposing the watcher also removes its listeners.
  watcher.onDidCreate(fire("created"));
  watcher.onDidChange(fire("changed"));
  watcher.onDidDelete(fire("deleted"));
  return { watcher, emitter, listeners: 0 };
}
