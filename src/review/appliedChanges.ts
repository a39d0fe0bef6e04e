// Changes that Parley makes to files for a session outside of its turns, such as those that come back from a worktree. They
// wait for review like those of an agent.
import type { FileTextStep } from "../files/ports.ts";
import { applyAgentEdit, applyReplacement, track } from "./fileChanges.ts";
import { maxHistory } from "./storedReview.ts";
import { awaitsReview, type TrackedFile } from "./trackedFile.ts";

/** A change of one file. */
export interface AppliedChange extends FileTextStep {
  /** What changes if that is not the text, as a sentence. */
  readonly what: string;
}

/** The file after the change. Undefined: it stays under review as it is, because it is decided on as a whole. */
export function changedFile(
  now: TrackedFile | undefined,
  { path, before, after, what }: AppliedChange,
  turn: string,
): TrackedFile | undefined {
  const isWaiting = now !== undefined && awaitsReview(now);
  const { movedFrom, mixed = false } = now ?? {};
  const history = now ? [...now.history, now.changes].slice(-maxHistory) : [];
  const file = { path, history, mixed: isWaiting && mixed, ...(isWaiting && movedFrom && { movedFrom }) };
  const nextId = now?.changes.nextId ?? 1;
  if (before === undefined || after === undefined)
    return { ...file, changes: { ...track(null, null, turn), nextId }, unknown: what };
  if (isWaiting && (now.unknown !== undefined || before === after)) return undefined;
  if (before === after)
    return { ...file, changes: { ...track(after, after, turn), nextId }, unknown: what, hasSameText: true };
  const known = isWaiting ? applyReplacement(now.changes, before) : { ...track(before, before, turn), nextId };
  return { ...file, changes: applyAgentEdit(known, after, turn) };
}
