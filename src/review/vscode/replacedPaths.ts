// Attributes what is no change of a text: binary files, links in the place of files, and folders that are gone with
// files that are not known. What stands at a path counts, not where it leads.
import { isFile, isFolder, settledDiskText } from "../../editor/diskText.ts";
import { isPlainFolder } from "../../files/standing.ts";
import type { FactSink } from "../../history/facts.ts";
import { binarySentence, factAuthorOf, goneFolderSentence, linkSentence } from "../changeSentences.ts";
import type { ChangedStates, TouchListener } from "../changeListeners.ts";
import type { WindowReview } from "../windowReview.ts";
import type { ChangeTurns } from "./changeTurns.ts";

export interface ReplacedPathsOptions {
  readonly review: WindowReview;
  readonly touches: TouchListener;
  readonly states?: ChangedStates;
  readonly turns: ChangeTurns;
  readonly facts: FactSink;
  /** The last text of the file that is known. */
  readonly known: (path: string) => string | null | undefined;
  /** The turn of the last change, as `touch` returns it. Undefined: no agent made the change. */
  readonly turnOfAgent: (path: string, touch: () => Promise<string>) => Promise<string | undefined>;
}

export class ReplacedPaths {
  readonly #options: ReplacedPathsOptions;
  /** The folders that are gone and wait for review. */
  readonly #folders = new Set<string>();

  constructor(options: ReplacedPathsOptions) {
    this.#options = options;
  }

  /** A folder is gone whose files are not all known. */
  async folderGone(path: string): Promise<void> {
    const { review, touches, turns, facts, turnOfAgent } = this.#options;
    let isGone = true;
    const turn = await turnOfAgent(path, async () => {
      const found = await turns.of(path);
      isGone = !(await isFolder(path));
      return found;
    });
    // A decision can have brought the folder back. Nothing is awaited between this check and the listing.
    if (turn === undefined || !isGone) return;
    facts.note({ type: "attributed", path, author: factAuthorOf(turn), text: null });
    this.#folders.add(path);
    touches.touched({ turn, path, before: undefined });
    review.agentChangedWithoutBase(path, null, turn, goneFolderSentence(turn));
  }

  /** Whether the path is a folder that is gone and waits for review. One that is there again does not. */
  async isGoneFolder(path: string): Promise<boolean> {
    if (!this.#folders.has(path)) return false;
    const { review } = this.#options;
    if (review.tracked.has(path) && !(await isFolder(path))) return true;
    this.#folders.delete(path);
    review.vanished(path);
    return false;
  }

  /** The file is binary, or too large to be read as text. */
  async binaryChanged(path: string): Promise<void> {
    if (!(await isFile(path))) return;
    const { review, states, turns, facts, turnOfAgent } = this.#options;
    let isThere = true;
    const turn = await turnOfAgent(path, async () => {
      const found = await turns.touchNow(path, undefined);
      isThere = await isFile(path);
      return found;
    });
    // A decision can have moved or deleted the file. Nothing is awaited between this check and the listing.
    if (turn === undefined || !isThere) return;
    facts.note({ type: "attributed", path, author: factAuthorOf(turn) });
    if (!review.tracked.has(path)) review.agentChangedWithoutBase(path, null, turn, binarySentence(turn));
    states?.written(turn, path);
  }

  /** A link stands at the path. It is new, or leads elsewhere. */
  async linkChanged(path: string): Promise<void> {
    const { review, states, turns, facts, known, turnOfAgent } = this.#options;
    const turn = await turnOfAgent(path, () => turns.touchNow(path, known(path)));
    if (turn === undefined) return;
    facts.note({ type: "attributed", path, author: factAuthorOf(turn) });
    const file = review.file(path);
    // The text of another file is no text of this one, so the whole file is reviewed.
    if (file && file.unknown === undefined) review.agentChangedWithoutBase(path, null, turn, linkSentence(turn));
    states?.written(turn, path);
  }
}

/**
 * The text of the file that stands at the path, as in {@link settledDiskText}. Null also if the path leads through
 * `link`, and if a folder is now where a file was.
 */
export async function standingText(
  path: string,
  link: string | undefined,
  wasFile: boolean,
): Promise<string | null | undefined> {
  if (link !== undefined) return null;
  const text = await settledDiskText(path);
  return text === undefined && wasFile && (await isPlainFolder(path)) ? null : text;
}
