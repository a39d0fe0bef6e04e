// The files whose changes left the review because another program replaced their texts, as `git stash` does. When a file
// has its earlier text again, as after `git stash pop`, its changes wait for review again. Pure.
import { PathMap } from "../../files/pathMap.ts";
import type { TrackedFile } from "../trackedFile.ts";

/** The limits of what is remembered. The oldest states are forgotten first. */
const maxStates = 1000;
const maxCharacters = 16 * 1024 * 1024;

/** The states of files before their replacement, oldest first. */
export class ReplacedStates {
  #states: readonly TrackedFile[] = [];
  /** The files with remembered states, once they are needed. */
  #paths: PathMap<true> | undefined;

  /** The states, to store them. */
  get all(): readonly TrackedFile[] {
    return this.#states;
  }

  /** The files with remembered states. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** The files with remembered states at the path, or in the folder at the path. */
  atOrBelow(path: string): readonly string[] {
    return this.#files.atOrBelow(path);
  }

  get #files(): PathMap<true> {
    if (this.#paths) return this.#paths;
    this.#paths = new PathMap<true>();
    for (const { path } of this.#states) this.#paths.set(path, true);
    return this.#paths;
  }

  #set(states: readonly TrackedFile[]): void {
    this.#states = states;
    this.#paths = undefined;
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
    this.#set(first < 0 ? [] : states.slice(first));
  }

  /** Takes out the state in which the file had this text. */
  take(path: string, text: string | null): TrackedFile | undefined {
    const found = this.#states.findLast(one => one.path === path && one.changes.text === text);
    if (found) this.#set(this.#states.filter(one => one !== found));
    return found;
  }

  /** The user has accepted the file: no earlier state of it needs a review. */
  forget(path: string): void {
    if (this.has(path)) this.#set(this.#states.filter(one => one.path !== path));
  }
}

const sizeOf = ({ changes: { base, text } }: TrackedFile): number => (base?.length ?? 0) + (text?.length ?? 0);
