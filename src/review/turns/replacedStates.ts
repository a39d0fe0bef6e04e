// The files whose changes left the review because another program replaced their texts, as `git stash` does. When a file
// has its earlier text again, as after `git stash pop`, its changes wait for review again. Pure.
import type { TrackedFile } from "../trackedFile.ts";

/** The limits of what is remembered. The oldest states are forgotten first. */
const maxStates = 1000;
const maxCharacters = 16 * 1024 * 1024;

/** The states of files before their replacement, oldest first. */
export class ReplacedStates {
  #states: readonly TrackedFile[] = [];

  /** The states, to store them. */
  get all(): readonly TrackedFile[] {
    return this.#states;
  }

  /** The files with remembered states. */
  get paths(): readonly string[] {
    return [...new Set(this.#states.map(({ path }) => path))];
  }

  has(path: string): boolean {
    return this.#states.some(one => one.path === path);
  }

  /** Whether {@link take} finds a state. */
  hasText(path: string, text: string | null): boolean {
    return this.#states.some(one => one.path === path && one.changes.text === text);
  }

  /** A file was replaced. Remembers its state if hunks, or the whole file, left the review. */
  replaced(before: TrackedFile | undefined, after: TrackedFile | undefined): void {
    if (!before || before === after || before.unknown !== undefined) return;
    // After a decision of the user, the state before it must not come back.
    if (after && after.changes.kept.length !== before.changes.kept.length) return;
    const left = new Set(after?.changes.hunks.map(({ id }) => id));
    const isGone = before.movedFrom !== undefined && after?.movedFrom === undefined;
    if (isGone || before.changes.hunks.some(({ id }) => !left.has(id))) this.remember(before);
  }

  remember(file: TrackedFile): void {
    const others = this.#states.filter(one => one.path !== file.path || one.changes.text !== file.changes.text);
    // Earlier states of the file have no use without the file.
    const states = [...others, { ...file, history: [] }].slice(-maxStates);
    let characters = states.reduce((sum, one) => sum + sizeOf(one), 0);
    const first = states.findIndex(one => {
      if (characters <= maxCharacters) return true;
      characters -= sizeOf(one);
      return false;
    });
    this.#states = first < 0 ? [] : states.slice(first);
  }

  /** Takes out the state in which the file had this text. */
  take(path: string, text: string | null): TrackedFile | undefined {
    const found = this.#states.findLast(one => one.path === path && one.changes.text === text);
    if (found) this.#states = this.#states.filter(one => one !== found);
    return found;
  }

  /** The user has accepted the file: no earlier state of it needs a review. */
  forget(path: string): void {
    if (this.has(path)) this.#states = this.#states.filter(one => one.path !== path);
  }
}

const sizeOf = ({ changes: { base, text } }: TrackedFile): number => (base?.length ?? 0) + (text?.length ?? 0);
