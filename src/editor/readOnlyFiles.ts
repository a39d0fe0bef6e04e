// Read-only files with contents that are read on demand, such as the sides of diffs. One is read at a time, and only the
// newest files are kept.
import * as vscode from "vscode";
import { Sequencer } from "../base/async.ts";
import type { Disposable } from "../base/lifecycle.ts";
import { ReadOnlyProvider } from "./readOnlyProvider.ts";

export interface ReadOnlyFilesOptions {
  readonly scheme: string;
  /** How many files to keep for open editors. The oldest are removed first. */
  readonly maxFiles: number;
}

/** The contents of this many files stay in memory. VS Code asks for the size of a file before it reads the file. */
const maxContents = 20;

type Read = () => Promise<Uint8Array>;

export class ReadOnlyFiles extends ReadOnlyProvider implements Disposable {
  readonly #options: ReadOnlyFilesOptions;
  readonly #files = new Map<string, Read>();
  readonly #contents = new Map<string, Promise<Uint8Array>>();
  readonly #reads = new Sequencer();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registration: vscode.Disposable;
  #count = 0;

  constructor(options: ReadOnlyFilesOptions) {
    super();
    this.#options = options;
    this.#registration = vscode.workspace.registerFileSystemProvider(options.scheme, this, {
      isReadonly: true,
      isCaseSensitive: true,
    });
  }

  /** Adds a file. The editor derives the language from the path. `read` rejects with a sentence. */
  add(path: string, read: Read): vscode.Uri {
    const { scheme, maxFiles } = this.#options;
    const key = `${++this.#count}`;
    this.#files.set(key, read);
    removeOldest(this.#files, maxFiles);
    return vscode.Uri.file(path).with({ scheme, query: key });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: (await this.readFile(uri)).length };
  }
  readFile({ query }: vscode.Uri): Promise<Uint8Array> {
    const known = this.#contents.get(query);
    if (known) return known;
    const read = this.#files.get(query);
    if (!read) return Promise.reject(vscode.FileSystemError.FileNotFound());
    const content = this.#reads.queue(read);
    this.#contents.set(query, content);
    removeOldest(this.#contents, maxContents);
    // It can be read again.
    content.catch(() => this.#contents.delete(query));
    return content;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
    this.#files.clear();
    this.#contents.clear();
  }
}

function removeOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) break;
    map.delete(key);
  }
}
