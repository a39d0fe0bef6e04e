// The review as the surfaces of the editor see it: a file that is opened through a symbolic link is the file behind it.
import { realpath } from "node:fs/promises";
import * as vscode from "vscode";
import { asError, errorCodeOf } from "../../base/errors.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { withLineFeeds } from "../../base/text.ts";
import { diskText } from "../../editor/diskText.ts";
import { maxReloadWait, openDocumentOf, waitForReload } from "../../editor/openDocuments.ts";
import type { Review, ReviewedFile, ReviewTarget, SharedTurn, UndoLoss } from "../review.ts";

type UndoOptions = Parameters<Review["undo"]>[1];

export class LinkedReview implements Review, Disposable {
  readonly #review: Review;
  readonly #log: Log;
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #store = new DisposableStore();
  #decisions = 0;
  /** The resolved paths of open documents whose own path has a link. */
  readonly #links = new Map<string, string>();
  /** The files behind links that were under review, and the links whose documents are being reloaded. */
  readonly #reviewed = new Set<string>();
  readonly #reloading = new Set<string>();

  constructor(review: Review, log: Log) {
    this.#review = review;
    this.#log = log;
    this.#store.add(this.#changed);
    this.#store.add(
      review.onDidChange(() => {
        this.#changed.fire();
        for (const [link, target] of this.#links) void this.#reloadIfStale(link, target);
      }),
    );
    this.#store.add(vscode.workspace.onDidOpenTextDocument(document => void this.#resolve(document)));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#links.delete(uri.fsPath)));
    // A link can lead elsewhere since its document was opened, or a file can have replaced it.
    this.#store.add(vscode.workspace.onDidChangeTextDocument(event => void this.#resolve(event.document)));
    const resolveVisible = (): void =>
      vscode.window.visibleTextEditors.forEach(editor => void this.#resolve(editor.document));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(resolveVisible));
    for (const document of vscode.workspace.textDocuments) void this.#resolve(document);
  }

  get files(): readonly ReviewedFile[] {
    return this.#review.files;
  }

  get turns(): Review["turns"] {
    return this.#review.turns;
  }

  markReviewed(path: string, isReviewed: boolean): void {
    this.#review.markReviewed(this.file(path)?.path ?? path, isReviewed);
  }

  get lastDecisionSize(): number {
    return this.#review.lastDecisionSize;
  }

  file(path: string): ReviewedFile | undefined {
    const target = this.#links.get(path);
    return this.#review.file(path) ?? (target === undefined ? undefined : this.#review.file(target));
  }

  /** The paths at which reviewed files can be open: their own, and those of links. */
  get openPaths(): readonly string[] {
    const links = [...this.#links].filter(([, target]) => this.#review.file(target) !== undefined);
    return [...this.files.map(({ path }) => path), ...links.map(([link]) => link)];
  }

  undoLosses(target: ReviewTarget): Promise<readonly UndoLoss[]> {
    return this.#review.undoLosses(target);
  }

  sharedTurn(...turns: readonly string[]): SharedTurn | undefined {
    return this.#review.sharedTurn(...turns);
  }

  /** Whether a decision is being applied. Its files may not be saved yet. */
  get isDeciding(): boolean {
    return this.#decisions > 0;
  }

  keep(target: ReviewTarget): Promise<void> {
    return this.#decide(() => this.#review.keep(target));
  }

  undo(target: ReviewTarget, options?: UndoOptions): Promise<void> {
    return this.#decide(() => this.#review.undo(target, options));
  }

  undoLast(options?: UndoOptions): Promise<boolean> {
    return this.#decide(() => this.#review.undoLast(options));
  }

  async #decide<T>(apply: () => Promise<T>): Promise<T> {
    this.#decisions++;
    try {
      return await apply();
    } finally {
      this.#decisions--;
      this.#changed.fire();
    }
  }

  dispose(): void {
    this.#store.dispose();
    this.#links.clear();
  }

  async #resolve({ uri }: vscode.TextDocument): Promise<void> {
    if (uri.scheme !== "file") return;
    const path = uri.fsPath;
    const target = await this.#targetOf(path);
    if (this.#store.isDisposed || target === this.#links.get(path)) return;
    const before = this.file(path);
    if (target === undefined) this.#links.delete(path);
    else this.#links.set(path, target);
    if (before !== this.file(path)) this.#changed.fire();
  }

  /** VS Code doesn't notice that the file behind a link has changed, so its marks would be at the wrong lines. */
  async #reloadIfStale(link: string, target: string): Promise<void> {
    if (this.#review.file(target)) this.#reviewed.add(target);
    else if (!this.#reviewed.has(target)) return;
    const document = openDocumentOf(link);
    if (!document || this.#reloading.has(link)) return;
    this.#reloading.add(link);
    try {
      await waitForReload(document, one => this.#isCurrent(one), maxReloadWait);
    } catch (thrown) {
      this.#log.warn(`${link} could not be reloaded.`, asError(thrown).message);
    } finally {
      this.#reloading.delete(link);
    }
  }

  /** Whether a document has unsaved text, or that of the disk. Reloads the active one, which is not reloaded otherwise. */
  async #isCurrent(document: vscode.TextDocument): Promise<boolean> {
    const isSame = async (): Promise<boolean> =>
      document.isDirty || withLineFeeds(document.getText()) === (await diskText(document.uri.fsPath));
    if (this.#store.isDisposed || (await isSame())) return true;
    if (vscode.window.activeTextEditor?.document !== document) return false;
    await vscode.commands.executeCommand("workbench.action.files.revert");
    return isSame();
  }

  /** The path behind a path with a link. Undefined if the path has none, or leads nowhere. */
  async #targetOf(path: string): Promise<string | undefined> {
    try {
      const target = await realpath(path);
      return target === path ? undefined : target;
    } catch (thrown) {
      // A document can be open although its file is gone.
      if (!["ENOENT", "ENOTDIR"].includes(String(errorCodeOf(thrown))))
        this.#log.warn(`${path} could not be resolved for the review.`, asError(thrown).message);
      return undefined;
    }
  }
}
