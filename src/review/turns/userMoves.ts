// Files and folders that the user moves, deletes or creates in the editor. The disk may report these changes before the
// editor does. Pure.
import { isAtOrBelow } from "../../files/nodePaths.ts";

/** The longest time between the announcement of a change and the report that it is done. Milliseconds. */
const maxChangeTime = 10_000;

export class UserMoves {
  readonly #moving = new Map<string, number>();
  readonly #done = new Set<string>();

  /** The user is about to move, delete or create the file or folder, or to move something there. */
  begin(path: string, now: number): void {
    this.#moving.set(path, now);
  }

  /** The user has moved, deleted or created the file or folder. */
  end(path: string): void {
    this.#moving.delete(path);
    this.#done.add(path);
  }

  /** Forgets what was done before the turn. */
  turnBegan(): void {
    this.#done.clear();
  }

  /** Whether the user is moving, deleting or creating the file, or a folder that contains it. */
  includes(path: string, now: number): boolean {
    for (const [moving, since] of this.#moving) {
      if (now - since > maxChangeTime) this.#moving.delete(moving);
      else if (isAtOrBelow(path, moving)) return true;
    }
    return false;
  }

  /** Whether the user moves, deletes or creates the file or a folder that contains it, now or earlier in this turn. */
  isUsers(path: string, now: number): boolean {
    return this.includes(path, now) || [...this.#done].some(one => isAtOrBelow(path, one));
  }
}
