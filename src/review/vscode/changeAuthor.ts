// Decides whether a change on disk is the agent's, by the time of the change.
import { dirname } from "node:path";
import { changeTime, folderChangeTime } from "../../editor/diskText.ts";
import { linkChangeTime, linkOnPath } from "../../files/standing.ts";
import type { TurnTexts } from "../turns/turnTexts.ts";
import { clockTick } from "../turns/turnTimes.ts";
import type { TimesOfTurns } from "../turns/runningTurns.ts";
import type { WindowReview } from "../windowReview.ts";

export interface ChangeAuthorOptions {
  readonly roots: () => readonly string[];
  readonly times: TimesOfTurns;
  readonly texts: TurnTexts;
  /** Whether the user moved or deleted the file in the editor, and the agent has not changed it since. */
  readonly isUsers: (path: string) => boolean;
  readonly review: Pick<WindowReview, "keptAt">;
  /** Whether a text of the file is known. A file that is known to be missing has none. */
  readonly isKnown: (path: string) => boolean;
}

export class ChangeAuthor {
  readonly #options: ChangeAuthorOptions;

  constructor(options: ChangeAuthorOptions) {
    this.#options = options;
  }

  /** Whether the last change of the file counts as the agent's. */
  async isAgent(path: string): Promise<boolean> {
    if (this.#options.isUsers(path) || (await this.#isKept(path))) return false;
    return (await this.#isOfTurn(path)) || this.isToolCall(path);
  }

  /**
   * The text when the turn began, if the agent has changed, created, moved or deleted a file since that is not known yet.
   * Otherwise the text now, `text`. Null: there is no file.
   */
  async textBefore(path: string, text: string | null): Promise<string | null> {
    if (!(await this.#isPlacedInTurn(path)) || !(await this.isAgent(path))) return text;
    const start = await this.#options.texts.startText(path);
    return start === undefined ? text : start;
  }

  /** Whether the file, or a folder that contains it, was changed in this turn. A move changes what is moved. */
  async #isPlacedInTurn(path: string): Promise<boolean> {
    const { roots, times } = this.#options;
    const tops = roots();
    const isMissing = (await changeTime(path)) === undefined;
    for (let at = path; at !== dirname(at); at = dirname(at)) {
      const isTop = tops.includes(at);
      // Files in the topmost folder are not moved with it.
      const time = isTop && !isMissing ? undefined : await changeTime(at);
      if (time !== undefined && times.includes(time)) return true;
      if (isTop) return false;
    }
    return false;
  }

  /** Whether the last change was made by a tool call that reports after the turn. */
  async isToolCall(path: string): Promise<boolean> {
    const { texts, times } = this.#options;
    if (!texts.reports.isNamed(path)) return false;
    const time = (await this.#timeOf(path)) ?? (await folderChangeTime(path));
    return time !== undefined && !times.isBefore(time) && texts.reports.ranAt(path, time, Date.now());
  }

  /** Whether the user has accepted the last change. File systems may use a clock that is behind. */
  async #isKept(path: string): Promise<boolean> {
    const keptAt = this.#options.review.keptAt(path);
    if (keptAt === undefined) return false;
    const time = await this.#timeOf(path);
    return time === undefined ? this.#options.texts.deleted.has(path) : time < keptAt - clockTick;
  }

  /** Whether the last change was made during the turn. */
  async #isOfTurn(path: string): Promise<boolean> {
    const { texts, times } = this.#options;
    if (!times.canBeReported(Date.now()) && !texts.differences.has(path)) return false;
    const time = await this.#timeOf(path);
    if (time !== undefined) {
      if (!times.isBefore(time)) return times.includes(time);
      // A folder that is moved does not change the times of its files.
      return !this.#options.isKnown(path) && (await texts.filesAt(path))?.length === 0;
    }
    const difference = texts.differences.get(path);
    // What existed at the end of the turn was deleted later.
    if (difference && difference.is === undefined) return true;
    const latest = await folderChangeTime(path);
    if (latest === undefined || times.isBefore(latest)) return false;
    return times.includes(latest) || texts.reports.isNamed(path);
  }
  /** When what stands at the path was last changed. A link has a time of its own. */
  async #timeOf(path: string): Promise<number | undefined> {
    const link = await linkOnPath(path, this.#options.roots());
    return link === undefined ? changeTime(path) : linkChangeTime(link);
  }
}
