// Gathers the evidence of who made a change on disk. `history/author.ts` decides.
import { dirname } from "node:path";
import { changeTime, diskText, folderChangeTime } from "../../editor/diskText.ts";
import { linkChangeTime, linkOnPath } from "../../files/standing.ts";
import {
  authorOf,
  isReportedAt,
  meanwhileTurn,
  type Author,
  type ChangeEvidence,
  type TurnEvidence,
} from "../../history/author.ts";
import type { FactOrigin, FactSink } from "../../history/facts.ts";
import type { RunningTurns } from "../../history/runningTurns.ts";
import { clockTick } from "../../history/turnTimes.ts";
import type { GitChanges } from "../../history/vscode/gitChanges.ts";
import type { SavedElsewhere } from "../../history/vscode/savedElsewhere.ts";
import type { TurnTexts } from "../turns/turnTexts.ts";
import type { WindowReview } from "../windowReview.ts";

export interface ChangeAuthorOptions {
  readonly roots: () => readonly string[];
  readonly turns: RunningTurns;
  readonly texts: TurnTexts;
  /** Whether the user moved or deleted the file in the editor, and the agent has not changed it since. */
  readonly isUsers: (path: string) => boolean;
  readonly review: Pick<WindowReview, "decided" | "replacedFiles">;
  readonly git: Pick<GitChanges, "isGits">;
  readonly facts: FactSink;
  /** What other windows saved. */
  readonly elsewhere: Pick<SavedElsewhere, "includes"> | undefined;
  /** Whether a text of the file is known. A file that is known to be missing has none. */
  readonly isKnown: (path: string) => boolean;
}

/** Who made a change, and when it was made, if that is known. */
export type DatedAuthor = Author & { readonly time: number | undefined };

export class ChangeAuthor {
  readonly #options: ChangeAuthorOptions;

  constructor(options: ChangeAuthorOptions) {
    this.#options = options;
  }

  /** Who made the last change of the file. `at`: an earlier change, by its time. */
  async of(path: string, at?: number): Promise<DatedAuthor> {
    const found = await this.#evidence(path);
    const evidence = { ...found, time: at ?? found.time };
    const author = { ...authorOf(evidence), time: evidence.time };
    // Other windows and git are asked only if their answers matter.
    if (turnOf(author) === undefined) return this.#noted(path, author);
    if (await this.#isSavedElsewhere(path)) {
      const saved = { ...authorOf({ ...evidence, isSavedElsewhere: true }), time: evidence.time };
      return this.#noted(path, saved, "elsewhere");
    }
    const ifGit = authorOf({ ...evidence, isGits: true });
    const isGits = ifGit.kind === "git" && (await this.#isGits(path, evidence.turns));
    return isGits ? this.#noted(path, { ...ifGit, time: evidence.time }, "git") : this.#noted(path, author, "neither");
  }

  /** Notes the evidence, not the author. */
  #noted(path: string, author: DatedAuthor, origin?: FactOrigin): DatedAuthor {
    const { time } = author;
    const known = { ...(time !== undefined && { changedAt: time }), ...(origin && { origin }) };
    this.#options.facts.note({ type: "changeDated", path, ...known });
    return author;
  }

  /** Whether the user saved the file in another window. */
  async #isSavedElsewhere(path: string): Promise<boolean> {
    const { elsewhere } = this.#options;
    const time = elsewhere && (await changeTime(path));
    return time !== undefined && (await elsewhere?.includes(path, time)) === true;
  }

  /** Whether git put the file there. A text that git replaced earlier comes back with `git stash pop`. */
  async #isGits(path: string, turns: readonly TurnEvidence[]): Promise<boolean> {
    const { git, review } = this.#options;
    const isReplaced = review.replacedFiles.paths.includes(path);
    const text = isReplaced ? await diskText(path) : undefined;
    if (text !== undefined && review.replacedFiles.hasText(path, text)) return true;
    return git.isGits(path, Math.min(...turns.map(({ ran }) => ran.from)));
  }

  /** Whether the last change of the file waits for review: it is an agent's, or was made meanwhile. */
  async needsReview(path: string): Promise<boolean> {
    return turnOf(await this.of(path)) !== undefined;
  }

  /**
   * The text when the turn began, if a change was made since that needs a review and is not known yet: the file was
   * changed, created, moved or deleted. Otherwise the text now, `text`. Null: there was no file. Undefined: what was there
   * had no text.
   */
  async textBefore(path: string, text: string | null): Promise<string | null | undefined> {
    if ((await this.#placedAt(path)) === undefined || !(await this.needsReview(path))) return text;
    const { texts } = this.#options;
    const start = await texts.startText(path);
    return start === undefined && !(await texts.wasThere(path)) ? text : start;
  }

  /** Whether the last change was made by a tool call that names the file, which may report after the turn. */
  async isToolCall(path: string): Promise<boolean> {
    const { texts, turns } = this.#options;
    if (!texts.reports.isNamed(path)) return false;
    const time = (await this.#timeOf(path)) ?? (await folderChangeTime(path));
    if (time === undefined || turns.isBefore(time)) return false;
    return isReportedAt({ time, turns: turns.evidenceFor(path, Date.now()) });
  }

  async #evidence(path: string): Promise<ChangeEvidence> {
    const { turns, texts, isUsers } = this.#options;
    const difference = texts.differences.get(path);
    const own = await this.#timeOf(path);
    const time = own === undefined ? await folderChangeTime(path) : await this.#changedAt(path, own);
    const isGoneAtEnd = difference !== undefined && difference.is === undefined;
    return {
      time,
      isCompared: difference !== undefined,
      // The folder can have changed again since.
      isGone: own === undefined && (isGoneAtEnd || (texts.reports.isNamed(path) && !turns.isBefore(time))),
      isUsers: isUsers(path),
      isSavedElsewhere: false,
      isDecided: this.#isDecided(path, own),
      isGits: false,
      turns: turns.evidenceFor(path, Date.now()),
    };
  }

  /** When the file was changed. A folder that is moved does not change the times of its files. */
  async #changedAt(path: string, own: number): Promise<number | undefined> {
    const { turns, texts, isKnown } = this.#options;
    const canBeMoved = turns.canBeReported(Date.now()) || texts.differences.has(path);
    if (!turns.isBefore(own) || !canBeMoved || isKnown(path)) return own;
    return (await texts.filesAt(path))?.length === 0 ? this.#placedAt(path) : own;
  }

  /**
   * When the file, or a folder that contains it, was changed in a turn. A move changes what is moved. Undefined: not in a
   * turn.
   */
  async #placedAt(path: string): Promise<number | undefined> {
    const { roots, turns } = this.#options;
    const tops = roots();
    const isMissing = (await changeTime(path)) === undefined;
    for (let at = path; at !== dirname(at); at = dirname(at)) {
      const isTop = tops.includes(at);
      // Files in the topmost folder are not moved with it.
      const time = isTop && !isMissing ? undefined : await changeTime(at);
      if (time !== undefined && turns.includes(time)) return time;
      if (isTop) return undefined;
    }
    return undefined;
  }

  /** Whether the user has accepted or undone the last change. File systems may use a clock that is behind. */
  #isDecided(path: string, time: number | undefined): boolean {
    const decidedAt = this.#options.review.decided.decidedAt(path);
    if (decidedAt === undefined) return false;
    return time === undefined ? this.#options.texts.deleted.has(path) : time < decidedAt - clockTick;
  }

  /** When what stands at the path was last changed. A link has a time of its own. */
  async #timeOf(path: string): Promise<number | undefined> {
    const link = await linkOnPath(path, this.#options.roots());
    return link === undefined ? changeTime(path) : linkChangeTime(link);
  }
}

/** The turn under which a change waits for review. Undefined: it does not. */
export function turnOf(author: Author): string | undefined {
  if (author.kind === "agent") return author.turn;
  return author.kind === "meanwhile" ? meanwhileTurn : undefined;
}
