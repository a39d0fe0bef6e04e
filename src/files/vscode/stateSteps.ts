// The exact state of a file after a step of a review or a restore, and the checks before it is written.
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isNotFoundError, Refusal } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { decodeUtf8, quotePath, withLineFeeds } from "../../base/text.ts";
import { encodeLike, rawTextOfBytes } from "../../editor/diskText.ts";
import { documentWithTextOf } from "../../editor/openDocuments.ts";
import { plainState, type FileState } from "../fileState.ts";
import { withLineEndsOf } from "../lineEnds.ts";
import type { Confinement } from "../paths.ts";
import type { FileTextStep } from "../ports.ts";

/** The state after the step. Rejects if the file is not in the state before the step. */
export async function stateAfter(step: FileTextStep, now: FileState): Promise<FileState> {
  const { path, before, after, state } = step;
  if (before === undefined) {
    if (state) return state;
    throw new Refusal("failed", t("{0} is not a text, and its earlier content is not known.", quotePath(path)));
  }
  if (before === null) {
    if (now.kind !== "missing") throw changedMeanwhile(path);
    return state ?? plainState(after ?? null);
  }
  if (now.kind !== "file") throw changedMeanwhile(path);
  const raw = await rawTextOfBytes(now.bytes, path);
  if (raw === undefined || withLineFeeds(raw) !== before) throw changedMeanwhile(path);
  if (state) return state;
  if (typeof after !== "string") return { kind: "missing" };
  return textState(path, now, raw, after);
}

/** The state after a step if the file's line endings are mixed, because a document has only one kind. */
export async function mixedStateAfter({ path, after }: FileTextStep, now: FileState): Promise<FileState | undefined> {
  if (now.kind !== "file" || typeof after !== "string") return undefined;
  const raw = await rawTextOfBytes(now.bytes, path);
  if (raw === undefined || !hasMixedLineEnds(raw)) return undefined;
  return textState(path, now, raw, after);
}

const hasMixedLineEnds = (raw: string): boolean => {
  const ends = new Set(raw.match(/\r\n|\r|\n/g));
  return ends.size > 1 || ends.has("\r");
};

/** The state of a text file with another text, in its encoding and with its line endings. Undefined if it is no text. */
export async function stateWithText(path: string, state: FileState, text: string): Promise<FileState | undefined> {
  if (state.kind !== "file") return undefined;
  const raw = await rawTextOfBytes(state.bytes, path);
  if (raw !== undefined) return textState(path, state, raw, text);
  // The editor shows no text of a file that is too large. A tree of git's knows it.
  return decodeUtf8(state.bytes) === text ? state : undefined;
}

async function textState(
  path: string,
  { bytes, executable }: Extract<FileState, { kind: "file" }>,
  raw: string,
  after: string,
): Promise<FileState> {
  const encoded = await encodeLike(bytes, raw, withLineEndsOf(after, raw), path);
  if (encoded) return { kind: "file", bytes: encoded, executable };
  // The user can reopen the document with another encoding at the same moment.
  if ((await rawTextOfBytes(bytes, path)) !== raw) throw changedMeanwhile(path);
  throw new Refusal("failed", t("{0} could not be written in its encoding.", quotePath(path)), { path });
}

/**
 * Rejects if the file is outside the roots and not allowed, or has become a link to another place since its path was
 * resolved. A step that replaces a link, or creates one, does not follow it.
 */
export async function checkInside(
  confinement: Confinement,
  step: FileTextStep,
  isAllowedOutside: (path: string) => boolean,
): Promise<void> {
  const { path } = step;
  const folder = await confinement.locate(dirname(path));
  const isLink = await isSymbolicLink(path);
  const replacesLink = step.before === undefined && step.state !== undefined;
  const isAllowed = folder.inside || isAllowedOutside(path);
  if (isAllowed && join(folder.path, basename(path)) === path && (!isLink || replacesLink)) return;
  throw new Refusal("failed", t("{0} is no longer in this session's folders, so nothing was changed.", path));
}

async function isSymbolicLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (thrown) {
    if (isNotFoundError(thrown)) return false;
    throw thrown;
  }
}

/** Rejects if the file has unsaved text in the editor. */
export function refuseUnsaved(path: string): void {
  if (!documentWithTextOf(path)?.isDirty) return;
  throw new Refusal("failed", t("{0} has unsaved changes. Save it first.", quotePath(path)), { path });
}

/** The refusal if a file no longer has the expected text. */
export function changedMeanwhile(path: string): Refusal {
  const words = t("{0} changed at the same moment, so it was not changed. Try again.", quotePath(path));
  return new Refusal("failed", words, { path });
}
