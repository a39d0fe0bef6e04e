// Files and folders that the user moves, deletes or creates in the editor. The disk may report these changes before the
// editor does. Pure.
import { sep } from "node:path";

/** The longest time between the announcement of a change and the report that it is done. Milliseconds. */
const maxChangeTime = 10_000;

export class UserMoves {
  readonly #moving = new Map<string, number>();
  readonly #done = new Set<string>();

  /** The user is about to move or delete the file or folder. */
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

  /** Whether the user is moving or deleting the file, or a folder that contains it. */
  includes(path: string, now: number): boolean {
    for (const [moving, since] of this.#moving) {
      if (now - since > maxChangeTime) this.#moving.delete(moving);
      else if (isAtOrBelow(path, moving)) return true;
    }
    return false;
  }

  /** Whether the user has moved, deleted or created the file in this turn, or a folder that contains it. */
  wasDone(path: string): boolean {
    return [...this.#done].some(one => isAtOrBelow(path, one));
  }
}

/** Whether the path is the folder, or at any depth in it. */
export const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}${sep}`);
