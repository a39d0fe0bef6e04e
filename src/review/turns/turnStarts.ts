// What is known of the workspace at the start of a turn: git's trees, and the texts of folders without git.
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { folderTexts } from "./folderTexts.ts";
import { joinedStart, type TurnStart } from "./turnStart.ts";
import type { SessionOfTurn, UnfinishedTurn } from "./unfinishedTurn.ts";

export interface TurnStartsOptions {
  readonly roots: () => readonly string[];
  /** The trees that were taken at the start of a turn. Without a session, it is a turn of the current one. */
  readonly treesOf: (turn: string, session?: SessionOfTurn) => Promise<TurnStart | undefined>;
  readonly log: Log;
}

/** The start of the latest turn, and the trees of earlier ones. */
export class TurnStarts {
  readonly #options: TurnStartsOptions;
  #turn = "";
  #earlier: UnfinishedTurn | undefined;
  #texts: Promise<readonly TurnStart[]> = Promise.resolve([]);

  constructor(options: TurnStartsOptions) {
    this.#options = options;
  }

  /** Reads the files of folders without a tree. Never rejects. */
  async begin(turn: string): Promise<void> {
    this.#turn = turn;
    this.#texts = this.#read(turn);
    await this.#texts;
  }

  /** A turn of an earlier window is about to be compared. Resolves with the folders whose start is not known. */
  async resume(earlier: UnfinishedTurn): Promise<readonly string[]> {
    this.#earlier = earlier;
    const { folders } = await this.of(earlier.turn);
    return this.#options.roots().filter(root => !folders.includes(root));
  }

  /** What is known of the start of a turn. Rejects if it cannot be read. */
  async of(turn: string): Promise<TurnStart> {
    const session = this.#earlier?.turn === turn ? this.#earlier.session : undefined;
    const trees = await this.#options.treesOf(turn, session);
    const texts = turn === this.#turn ? await this.#texts : [];
    return joinedStart([...(trees ? [trees] : []), ...texts]);
  }

  async #read(turn: string): Promise<readonly TurnStart[]> {
    try {
      const withTree = (await this.#options.treesOf(turn))?.folders ?? [];
      const roots = this.#options.roots().filter(root => !withTree.includes(root));
      return await Promise.all(roots.map(root => folderTexts(root)));
    } catch (thrown) {
      this.#options.log.warn("The texts of the folder could not be read.", asError(thrown).message);
      return [];
    }
  }
}
