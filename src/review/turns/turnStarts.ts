// What is known of the workspace at the start of a turn: git's trees, the files that these omit, and the texts of folders
// without git.
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { folderLimits, folderTexts } from "./folderTexts.ts";
import { omittedFiles, type OmittedFiles } from "./omittedFiles.ts";
import { joinedStart, type TurnStart } from "./turnStart.ts";

export interface TurnStartsOptions {
  readonly roots: () => readonly string[];
  /** The trees that were taken at the start of a turn. */
  readonly treesOf: (turn: string) => Promise<TurnStart | undefined>;
  /** The total size of the ignored files to remember in a turn (bytes). */
  readonly maxIgnoredBytes: () => number;
  /** The maximum time to read texts, in milliseconds. Default: that of {@link folderTexts} and {@link omittedFiles}. */
  readonly readTime?: number;
  readonly log: Log;
}

/** The starts of the turns that run, and the trees of earlier ones. */
export class TurnStarts {
  readonly #options: TurnStartsOptions;
  /** The texts of folders without a tree, by turn. */
  readonly #texts = new Map<string, Promise<ReadTexts>>();
  /** What was read last, because most of it is the same in the next turn. */
  #omitted: OmittedFiles | undefined;

  constructor(options: TurnStartsOptions) {
    this.#options = options;
  }

  /** Reads the files of folders without a tree. Forgets all turns but those that `isKept` names. Never rejects. */
  async begin(turn: string, isKept: (turn: string) => boolean): Promise<void> {
    for (const one of this.#texts.keys()) if (!isKept(one)) this.#texts.delete(one);
    const texts = this.#read(turn);
    this.#texts.set(turn, texts);
    await texts;
  }

  /** A turn of an earlier window is about to be compared. Resolves with the folders whose start is not known. */
  async resume(turn: string): Promise<readonly string[]> {
    const { folders } = await this.of(turn);
    return this.#options.roots().filter(root => !folders.includes(root));
  }

  /** What is known of the start of a turn. Waits until it is read. Rejects if it cannot be read. */
  async of(turn: string): Promise<TurnStart> {
    const trees = await this.#options.treesOf(turn);
    const { omitted, texts } = (await this.#texts.get(turn)) ?? nothingRead;
    // A tree takes a folder that git ignores for a path where nothing was.
    return joinedStart([...(omitted ? [omitted] : []), ...(trees ? [trees] : []), ...texts]);
  }

  async #read(turn: string): Promise<ReadTexts> {
    const { treesOf, roots, maxIgnoredBytes, readTime, log } = this.#options;
    const time = readTime === undefined ? {} : { milliseconds: readTime };
    try {
      const trees = await treesOf(turn);
      const withTree = trees?.folders ?? [];
      const texts = await Promise.all(
        roots()
          .filter(root => !withTree.includes(root))
          .map(root => folderTexts(root, { ...folderLimits, ...time })),
      );
      const paths = [...(trees?.omitted ?? []), ...texts.flatMap(one => one.omitted)];
      this.#omitted = await omittedFiles(paths, { bytes: maxIgnoredBytes(), ...time }, this.#omitted);
      return { omitted: this.#omitted, texts };
    } catch (thrown) {
      log.warn("The texts of the folder could not be read.", asError(thrown).message);
      return nothingRead;
    }
  }
}

/** What was read at the start of a turn: what is in no tree, and the folders without one. */
interface ReadTexts {
  readonly omitted?: TurnStart;
  readonly texts: readonly TurnStart[];
}

const nothingRead: ReadTexts = { texts: [] };
