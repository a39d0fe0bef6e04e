// The record of a decision of the user, what it needs to bring files back byte for byte, and the sentences for files
// that it could not change.
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Event } from "../base/lifecycle.ts";
import { quotePath } from "../base/text.ts";
import type { FileState } from "../files/fileState.ts";
import type { AppliedSteps, FileTextStep } from "../files/ports.ts";
import type { LineRange } from "./hunk.ts";
import type { DecidedFile } from "./revertDecision.ts";
import type { MoveOrigin, TrackedFile } from "./trackedFile.ts";

/** The exact states of files before the agent's first change that waits for review. */
export interface EarlierFileStates {
  /** Resolves when no state is being read. */
  settled(): Promise<void>;
  has(path: string): boolean;
  /** Whether there was no file then. */
  wasMissing(path: string): boolean;
  /** The state with this text: undefined for a file that is no text. Undefined if the state is not known. */
  stateFor(path: string, text: string | null | undefined): Promise<FileState | undefined>;
  /** Whether the file has this text, but other bytes or another mode than its state. */
  isChanged(path: string, text: string | null): Promise<boolean>;
  /** The user moved the file. */
  moved(from: string, to: string): void;
  /** An agent deleted the file that it moved away from this path earlier. */
  movedIsGone(path: string): void;
  /** Fires when a state becomes known. */
  readonly onDidChange: Event<void>;
}

/** The most decisions that can be undone. */
export const maxDecisions = 50;

/** The record of a decision, to undo it. */
export interface ReviewDecision {
  readonly kind: "keep" | "undo";
  readonly files: readonly DecidedFile[];
  /** Files that are known to have changed, without a known earlier text. */
  readonly unknown: readonly TrackedFile[];
  /** The exact states that the decision replaced, if the texts do not determine them. */
  readonly replaced: ReadonlyMap<string, FileState>;
  /** Files whose move was kept or undone, as they were before. */
  readonly moved: readonly MovedFile[];
}

/** A file that an agent moved. */
export type MovedFile = TrackedFile & { readonly movedFrom: MoveOrigin };

/** Whether an agent moved the file, and the move waits for review. */
export const isMoved = (file: TrackedFile): file is MovedFile => file.movedFrom !== undefined;

/** A step of the port. `state`: the exact state after it, if it is known. */
export const step = (
  path: string,
  before: string | null | undefined,
  after: string | null | undefined,
  state: FileState | undefined,
): FileTextStep => ({ path, before, after, ...(state && { state }) });

/** The result of a decision that changes no file. */
export const nothingApplied: AppliedSteps = { failed: new Map(), replaced: new Map() };

/** What happened to the files of a decision. */
export interface AppliedDecision extends AppliedSteps {
  /** The files that still have their text. */
  readonly unchanged: ReadonlySet<string>;
  /** The files of unknown changes in whose place nothing is left. */
  readonly gone: ReadonlySet<string>;
}

/** The most reasons that one message contains. */
const maxReasons = 3;

/** Throws one sentence about all failures, if there are any. */
export function throwFailures(failed: ReadonlyMap<string, Error>): void {
  const errors = [...failed.values()];
  const [first] = errors;
  if (!first) return;
  if (errors.length === 1) throw first;
  // One reason is enough for the files that were never attempted.
  const cancelled = errors.filter(error => error instanceof Refusal && error.kind === "cancelled");
  const others = errors.filter(error => !cancelled.includes(error));
  const more = others.length - maxReasons;
  const sentences = [
    ...others.slice(0, maxReasons).map(error => error.message),
    ...(more > 0 ? [t("{0} more files could not be changed.", more)] : []),
    ...(cancelled.length > 0 ? [t("You cancelled before {0} files were changed.", cancelled.length)] : []),
  ];
  throw new Refusal(others.length > 0 ? "failed" : "cancelled", sentences.join(" "), { paths: [...failed.keys()] });
}

/** A created file with edits of the user is not deleted. */
export const ownEditsRefusal = (path: string): Refusal =>
  new Refusal(
    "failed",
    t(
      "{0} was created by the agent and contains your edits too, so it was not deleted. Keep it or delete it yourself.",
      quotePath(path),
    ),
    { path },
  );

/** Lines that the agent and the user wrote are not undone. They stay changes under review. */
export function sharedLinesRefusal(path: string, lines: readonly LineRange[]): Refusal {
  const [first] = lines;
  const count = lines.reduce((sum, { from, to }) => sum + to - from, 0);
  const line = (first?.from ?? 0) + 1;
  return new Refusal(
    "failed",
    count === 1
      ? t(
          "Line {0} of {1} has your text and the agent's, and stays under review. Keep it, or change it yourself.",
          line,
          quotePath(path),
        )
      : t(
          "{0} lines, from line {1} on, of {2} have your text and the agent's, and stay under review. Keep them, or change them yourself.",
          count,
          line,
          quotePath(path),
        ),
    { path },
  );
}

/** The lines of a decision were changed since. */
export const changedTooMuch = (path: string): Refusal =>
  new Refusal("failed", t("{0} has changed too much to undo the decision about it.", quotePath(path)), { path });
