// Moves comments with the texts of their documents: as the user and agents edit them, and as files change on disk.
import * as vscode from "vscode";
import { SequencerByKey } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { normalizeText, withLineFeeds } from "../../base/text.ts";
import { currentTextOf, openDocumentOf } from "../../editor/openDocuments.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";
import type { LineComments } from "../lineComments.ts";
import type { CommentedReview } from "../reviewedComments.ts";
import { isAtOrBelow, pathExists } from "../../files/nodePaths.ts";

export interface CommentedDocumentsOptions {
  readonly comments: LineComments;
  readonly fileEvents: FileEvents;
  readonly review: CommentedReview;
  readonly roots: () => readonly string[];
  readonly onDidChangeRoots: Event<void>;
  readonly log: Log;
}

export class CommentedDocuments implements Disposable {
  readonly #options: CommentedDocumentsOptions;
  readonly #store = new DisposableStore();
  readonly #reads = new SequencerByKey<string>();
  #watchers = new DisposableStore();
  /** The moves in the review: earlier paths, by the paths now. */
  #moves: ReadonlyMap<string, string> = new Map();

  constructor(options: CommentedDocumentsOptions) {
    this.#options = options;
    const { comments } = options;
    this.#store.add(vscode.workspace.onDidChangeTextDocument(event => this.#changed(event)));
    this.#store.add(vscode.workspace.onDidOpenTextDocument(document => this.#opened(document)));
    this.#store.add(
      vscode.workspace.onDidRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) this.#renamed(oldUri.fsPath, newUri.fsPath);
      }),
    );
    this.#store.add(options.onDidChangeRoots(() => this.#watch()));
    this.#watch();
    for (const uri of comments.uris) void this.#read(uri);
  }

  /** Resolves when the texts of all files with comments are read. */
  whenRead(): Promise<void> {
    return this.#reads.whenIdle();
  }

  /** Moves comments with the files that agents move from now on. */
  followMoves(): void {
    const { review } = this.#options;
    this.#moves = movesOf(review);
    this.#store.add(
      review.onDidChange(() => {
        const before = this.#moves;
        this.#moves = movesOf(review);
        // The review has a move until the decision on it, and another file can be at the earlier path by then.
        for (const [to, from] of this.#moves) if (before.get(to) !== from) this.#renamed(from, to);
        for (const [to, from] of before) if (this.#moves.get(to) !== from) void this.#movedBack(to, from);
      }),
    );
  }

  dispose(): void {
    this.#watchers.dispose();
    this.#store.dispose();
  }

  #changed({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const { comments } = this.#options;
    const uri = document.uri.toString();
    if (contentChanges.length === 0 || !comments.uris.has(uri)) return;
    const edits = contentChanges.map(({ range: { start, end }, text }) => ({ start, end, text: withLineFeeds(text) }));
    comments.edited(uri, edits, withLineFeeds(document.getText()));
  }

  #opened(document: vscode.TextDocument): void {
    const { comments } = this.#options;
    const uri = document.uri.toString();
    if (comments.uris.has(uri)) comments.replaced(uri, normalizeText(document.getText()));
  }

  #renamed(from: string, to: string): void {
    const { comments } = this.#options;
    for (const { path, uri } of comments.all) {
      if (path === undefined || !isAtOrBelow(path, from)) continue;
      const next = `${to}${path.slice(from.length)}`;
      // The text before changes has the path of its file.
      const moved = vscode.Uri.parse(uri, true).with({ path: vscode.Uri.file(next).path });
      comments.renamed(uri, { uri: moved.toString(), path: next });
      // The watcher can have reported before that the file is gone.
      if (comments.all.some(one => one.uri === moved.toString() && one.gone !== undefined))
        void this.#read(moved.toString());
    }
  }

  /** The move of a file was decided. If it was undone, the file and its comments are at the earlier path again. */
  async #movedBack(to: string, from: string): Promise<void> {
    if ((await pathExists(to)) || !(await pathExists(from)) || this.#store.isDisposed) return;
    this.#renamed(to, from);
  }

  #watch(): void {
    // The watchers that go on watch before the others end, so that no change is missed.
    const before = this.#watchers;
    this.#watchers = new DisposableStore();
    for (const root of this.#options.roots()) {
      this.#watchers.add(
        this.#options.fileEvents.watchFolder(root, ({ path }) => {
          const uri = vscode.Uri.file(path).toString();
          if (this.#options.comments.uris.has(uri)) void this.#read(uri);
        }),
      );
    }
    before.dispose();
  }

  /** Reads a file that no document shows. An open document reports its changes by itself. */
  async #read(uri: string): Promise<void> {
    const { comments, log } = this.#options;
    const { scheme, fsPath } = vscode.Uri.parse(uri, true);
    if (scheme !== "file") return;
    try {
      await this.#reads.queue(uri, async () => {
        const document = openDocumentOf(fsPath);
        if (document) return comments.replaced(uri, normalizeText(document.getText()));
        const text = await currentTextOf(fsPath);
        if (text !== undefined && !this.#store.isDisposed) comments.replaced(uri, text);
      });
    } catch (thrown) {
      log.warn(`${fsPath} could not be read for its comments.`, asError(thrown).message);
    }
  }
}

const movesOf = ({ files }: CommentedReview): ReadonlyMap<string, string> =>
  new Map(files.flatMap(({ path, movedFrom }) => (movedFrom === undefined ? [] : [[path, movedFrom] as const])));
