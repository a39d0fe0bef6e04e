// The review of this window: made, fed, and kept across reloads.
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import type { SessionParticipant } from "../../session/participant.ts";
import type { TextStorage } from "../../session/sessionStore.ts";
import { emptySession, promptTitle } from "../../session/state.ts";
import { pathsOf } from "../../session/toolPaths.ts";
import { WindowReview, type StoredReview } from "../windowReview.ts";
import { type ReviewPort } from "../../files/ports.ts";
import { currentTextOf } from "../../editor/openDocuments.ts";
import { editorReviewPort } from "../../files/vscode/textFile.ts";
import { folderTexts, type FolderTexts } from "../folderTexts.ts";
import { ChangeAttribution, type ChangeAttributionOptions } from "./changeAttribution.ts";

export interface ReviewStoreOptions extends Omit<ChangeAttributionOptions, "review"> {
  /** Takes trees of the folders before a turn, where it can. Returns the folders that have one. Must not reject. */
  readonly treesOf: (turn: string) => Promise<ReadonlySet<string>>;
  readonly storage: TextStorage;
  readonly clock: Clock;
  readonly log: Log;
}

const fileName = "review.json";
/** The time to collect changes before they are stored, in milliseconds. */
const storeDelay = 500;
/** Reviews with more text than this are not stored, because they would slow down every save. */
const maxStoredLength = 32 * 1024 * 1024;

/** One for all sessions of the window. Changes still need a review when a new session starts. */
export class ReviewStore implements Disposable {
  readonly review: WindowReview;
  readonly attribution: ChangeAttribution;
  readonly edits: ReviewPort;
  readonly #options: ReviewStoreOptions;
  readonly #store = new DisposableStore();
  /** The texts of folders without git, at the start of the turn. */
  #texts: readonly FolderTexts[] = [];
  #timer: Disposable | undefined;
  #restored = false;
  readonly #writes = new Sequencer();
  /** Settles when what was stored is taken back in. */
  readonly ready: Promise<void>;

  constructor(options: ReviewStoreOptions) {
    this.#options = options;
    this.edits = editorReviewPort(options.roots);
    this.review = this.#store.add(new WindowReview({ port: this.edits, schedule: run => void setImmediate(run) }));
    const textAt = async (turn: string, path: string): Promise<string | null | undefined> => {
      const known = await options.textAt(turn, path);
      if (known !== undefined) return known;
      for (const texts of this.#texts) {
        const found = await texts.textAt(path);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    this.attribution = this.#store.add(new ChangeAttribution({ ...options, textAt, review: this.review }));
    this.#store.add(this.review.onDidChange(() => this.#storeLater()));
    this.ready = this.#restore();
  }

  /** The review's part in a session that begins. */
  startSession(): SessionParticipant {
    const { attribution } = this;
    let state = emptySession;
    return {
      observe: (event, _, after) => attribution.observe(event, after),
      stateChanged: (_, after) => {
        state = after;
        attribution.stateChanged(after);
      },
      beforeTurn: turn => this.turnBegan(turn, promptTitle(state, turn)),
      beforeQuestion: ({ tool = {}, subject }) => {
        const paths = [...pathsOf(tool, "locations", "diffs", "moves"), ...(subject?.paths ?? [])];
        attribution.snapshotFiles([...new Set(paths)]);
      },
      aroundWrite: (path, text, next) => attribution.aroundWrite(path, text, next),
      dispose: () => attribution.turnEnded(),
    };
  }

  /**
   * A turn is about to start: reads the contents of the files, as far as that is fast. Folders of which `treesOf` took a
   * tree need not be read. Never rejects.
   */
  async turnBegan(turn: string, title: string): Promise<void> {
    const trees = this.#options.treesOf(turn);
    await this.ready;
    this.attribution.turnBegan(turn, title);
    this.#texts = [];
    try {
      const withTree = await trees;
      const roots = this.#options.roots().filter(root => !withTree.has(root));
      const texts = await Promise.all(roots.map(root => folderTexts(root)));
      // Another turn may have started meanwhile.
      if (this.attribution.turn === turn) this.#texts = texts;
    } catch (thrown) {
      this.#options.log.warn("The texts of the folder could not be read.", asError(thrown).message);
    }
  }

  /** Resolves when everything is stored, or its loss was logged. */
  async flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    // Nothing is written over what was not read yet.
    if (!this.#restored) return this.#writes.whenIdle();
    const text = JSON.stringify(this.review.stored());
    if (text.length > maxStoredLength) {
      this.#options.log.warn("The changes to review are too large to be stored for the next window.");
      return this.#writes.whenIdle();
    }
    return this.#writes
      .queue(() => this.#options.storage.write(fileName, text))
      .catch((thrown: unknown) =>
        this.#options.log.error("The changes to review could not be stored.", asError(thrown).message),
      );
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
  }

  #storeLater(): void {
    this.#timer ??= this.#options.clock.after(storeDelay, () => void this.flush());
  }

  async #restore(): Promise<void> {
    const { storage, log } = this.#options;
    try {
      const text = await storage.read(fileName);
      if (text === undefined) return;
      const dropped = await this.review.restore(JSON.parse(text) as StoredReview, currentTextOf);
      for (const path of dropped) log.warn(`${path} changed while the window was closed, so its review starts again.`);
    } catch (thrown) {
      log.error("The changes to review could not be read.", asError(thrown).message);
    } finally {
      this.#restored = true;
    }
  }
}
