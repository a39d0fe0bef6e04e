// The changes of a worktree's file that its main checkout lacks, as lines of that file. Pure.
import { changedHunks, hunkStates } from "../files/mergeHunks.ts";
import type { BringBackEntry } from "./bringBack.ts";

/** A change that can be brought back. Lines are 0-based. */
export interface OpenHunk {
  /** The number of the change among all of the file. Undefined: the file comes back as a whole. */
  readonly number: number | undefined;
  readonly from: number;
  /** Exclusive. Removed lines are at the line after them. */
  readonly to: number;
  /** The main checkout has other changes at this place. */
  readonly conflicts: boolean;
}

/** The open changes of a file, in order. None if the whole file conflicts, or has no lines. */
export function openHunks({ kind, base, local, theirs, plan }: BringBackEntry): readonly OpenHunk[] {
  if (plan.conflict !== undefined || typeof theirs.text !== "string") return [];
  if (kind !== "changed" || typeof base.text !== "string" || typeof local.text !== "string")
    return [{ number: undefined, from: 0, to: 1, conflicts: plan.places.length > 0 }];
  const states = hunkStates(base.text, local.text, theirs.text);
  return changedHunks(base.text, theirs.text).flatMap(({ line, after }, number) => {
    const state = states[number];
    if (state === "same") return [];
    return [{ number, from: line, to: line + Math.max(1, after.length), conflicts: state === "conflict" }];
  });
}

/** The changes that the lines touch, `first` and `last` inclusive. A file that comes back as a whole is touched by every line. */
export const hunksAt = (hunks: readonly OpenHunk[], first: number, last: number): readonly OpenHunk[] =>
  hunks.filter(({ number, from, to }) => number === undefined || (from <= last && first < to));
