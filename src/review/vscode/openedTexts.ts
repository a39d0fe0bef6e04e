// The texts of documents that are open when a turn begins, or that the user opens and saves in it. Until the agent's
// first change, they are the texts before it.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import { withLineFeeds } from "../../base/text.ts";
import type { LocatedPath } from "../../files/paths.ts";
import { changeTime, diskText } from "../../editor/diskText.ts";
import type { ChangedStates } from "../changeListeners.ts";
import type { WindowReview } from "../windowReview.ts";
import type { FactSink } from "../../history/facts.ts";
import type { TurnTexts } from "../turns/turnTexts.ts";
import type { TimesOfTurns } from "../../history/runningTurns.ts";
import type { ChangeAuthor } from "./changeAuthor.ts";

export interface OpenedTextsOptions {
  readonly review: WindowReview;
  readonly times: TimesOfTurns;
  readonly texts: TurnTexts;
  readonly author: ChangeAuthor;
  /** Keeps the exact states of files. */
  readonly states?: ChangedStates;
  readonly facts: FactSink;
  /** The last text seen of a file. Undefined: unknown. */
  readonly known: (path: string) => string | null | undefined;
  /** Whether the text on disk must be known. */
  readonly isWanted: (path: string) => boolean;
  /** Whether the agent writes the file through Parley at this moment. */
  readonly isWriting: (path: string) => boolean;
  readonly attributeToAgent: (path: string, text: string) => Promise<void>;
  readonly enqueue: (path: string, work: (located: LocatedPath) => Promise<void>) => Promise<void>;
}

export class OpenedTexts implements Disposable {
  readonly #options: OpenedTextsOptions;
  readonly #store = new DisposableStore();

  constructor(options: OpenedTextsOptions) {
    this.#options = options;
    this.#store.add(vscode.workspace.onDidOpenTextDocument(document => this.#opened(document, true)));
    this.#store.add(vscode.workspace.onDidSaveTextDocument(document => this.#saved(document)));
  }

  /** A turn has begun. */
  turnBegan(): void {
    for (const document of vscode.workspace.textDocuments) this.#opened(document);
  }

  /** Remembers the latest text of a file that is not tracked. After the turn, the agent can still change those it saw. */
  remember(path: string, text: string | null): void {
    const { texts, times, review } = this.#options;
    if ((times.isBusy || texts.last.has(path)) && !review.tracked.has(path)) texts.last.set(path, text);
  }

  dispose(): void {
    this.#store.dispose();
  }

  #opened(document: vscode.TextDocument, isNew = false): void {
    const { times, texts, review, enqueue } = this.#options;
    if (!times.isBusy || document.uri.scheme !== "file") return;
    const text = withLineFeeds(document.getText());
    const clean = !document.isDirty;
    const { version } = document;
    const { turn } = texts;
    void enqueue(document.uri.fsPath, async ({ path }) => {
      let hadText = true;
      if (texts.last.has(path) || review.tracked.has(path)) this.#noted(path, text);
      else {
        const before = clean ? await this.#beforeTurn(path, text) : this.#noted(path, text);
        hadText = before !== undefined;
        // The turn can have ended meanwhile, or the user's move of the file is known now.
        const isCurrent = (times.isBusy || texts.turn === turn) && !review.tracked.has(path) && !texts.last.has(path);
        if (before !== undefined && isCurrent) texts.last.set(path, before);
      }
      // The user has edited this text since, or it is on disk. Otherwise the editor has an older text.
      const isShown = isNew && clean && (document.version !== version || (await diskText(path)) === text);
      if (isShown) await this.#attribute(path, text, hadText);
    });
  }

  /** Attributes a change of a closed file that nothing has reported yet, because the user can edit the file now. */
  async #attribute(path: string, text: string, hadText: boolean): Promise<void> {
    const { author, review, texts, known, isWriting, attributeToAgent } = this.#options;
    const last = known(path);
    if ((last === undefined && hadText) || last === text || isWriting(path)) return;
    if (review.file(path)?.changes.base === text || !(await author.needsReview(path)) || known(path) !== last) return;
    texts.onDisk.set(path, text);
    await attributeToAgent(path, text);
  }

  #saved(document: vscode.TextDocument): void {
    const { scheme, fsPath } = document.uri;
    if (scheme !== "file" || !this.#options.isWanted(fsPath)) return;
    const text = withLineFeeds(document.getText());
    this.#options.facts.note({ type: "documentSaved", path: fsPath, text });
    void this.#options.enqueue(fsPath, async ({ path }) => {
      this.#options.texts.onDisk.set(path, text);
      this.#options.states?.saved(path);
    });
  }

  /**
   * A saved document's text when the turn began, undefined if the file had none. The editor may not have loaded earlier
   * changes by others yet.
   */
  async #beforeTurn(path: string, opened: string): Promise<string | null | undefined> {
    const { times } = this.#options;
    const time = await changeTime(path);
    // The editor keeps the text of a deleted file.
    if (time === undefined) return this.#noted(path, null);
    if (!times.isBefore(time)) return this.#options.author.textBefore(path, this.#noted(path, opened));
    const disk = await diskText(path);
    const isOnDisk = typeof disk === "string" && times.isBefore(await changeTime(path));
    return this.#noted(path, isOnDisk ? disk : opened);
  }

  #noted<Text extends string | null>(path: string, text: Text): Text {
    this.#options.facts.note({ type: "textSeen", path, text });
    return text;
  }
}
