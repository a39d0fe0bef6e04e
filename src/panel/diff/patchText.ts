// Parses a patch in git's format into the diff of each file.
import { parsePatch, type StructuredPatch } from "diff";
import type { Work } from "../../base/lineDiff.ts";
import { limitHunks } from "./diffHunks.ts";
import type { ChangedFile, DiffBody, DiffHunk, DiffLine } from "../protocol.ts";
import { withWordMarks } from "./hunkWordMarks.ts";

/** Larger patches are not parsed, because parsing cannot be divided into slices. */
const maxPatchLength = 1_000_000;
const maxFiles = 200;

/**
 * The part of a patch about one file. Paths have no `a/` and `b/` prefix, and are undefined if there is no such file.
 */
export interface PatchedFile extends Pick<ChangedFile, "binary" | "mode"> {
  readonly oldPath?: string;
  readonly path?: string;
  readonly diff: DiffBody;
}

/** The files of a patch, in its order. Undefined if the text is too large or cannot be parsed as a patch. */
export function* parsePatchWork(text: string): Work<readonly PatchedFile[] | undefined> {
  if (text.length > maxPatchLength) return undefined;
  const patches = parseOrUndefined(text);
  yield Math.ceil(text.length / 50);
  if (!patches || patches.length > maxFiles) return undefined;
  const files: PatchedFile[] = [];
  for (const patch of patches) files.push(yield* fileOf(patch));
  return files;
}

function parseOrUndefined(text: string): readonly StructuredPatch[] | undefined {
  try {
    // Git's binary patches have no readable lines in either format.
    const patches = parsePatch(text.replace(/^GIT binary patch$/gm, "Binary files differ"));
    const files = patches.filter(
      ({ oldFileName, newFileName }) => oldFileName !== undefined || newFileName !== undefined,
    );
    return files.length > 0 && files.length === patches.filter(hasContent).length && files.every(hasLineNumbers)
      ? files
      : undefined;
  } catch {
    // The text is not a patch. It is shown as is.
    return undefined;
  }
}

const hasContent = ({ hunks, oldFileName }: StructuredPatch): boolean => hunks.length > 0 || oldFileName !== undefined;

const hasLineNumbers = ({ hunks }: StructuredPatch): boolean =>
  hunks.every(({ oldStart, newStart }) => Number.isSafeInteger(oldStart) && Number.isSafeInteger(newStart));

function* fileOf(patch: StructuredPatch): Work<PatchedFile> {
  const { hunks, more } = yield* limitHunks(patch.hunks.map(hunkOf));
  const count = (sign: string): number =>
    patch.hunks.reduce((sum, hunk) => sum + hunk.lines.filter(line => line.startsWith(sign)).length, 0);
  const oldPath = patch.isCreate ? undefined : pathOf(patch.oldFileName, "a/");
  const path = patch.isDelete ? undefined : pathOf(patch.newFileName, "b/");
  const { oldMode, newMode } = patch;
  return {
    ...(oldPath !== undefined && { oldPath }),
    ...(path !== undefined && { path }),
    ...(patch.isBinary && { binary: true }),
    ...(oldMode !== undefined && newMode !== undefined && { mode: [oldMode, newMode] as const }),
    diff: {
      hunks: yield* withWordMarks(hunks),
      added: count("+"),
      removed: count("-"),
      ...(more !== undefined && { more }),
    },
  };
}

function pathOf(name: string | undefined, prefix: string): string | undefined {
  if (name === undefined || name === "/dev/null") return undefined;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function hunkOf({ oldStart, newStart, lines }: StructuredPatch["hunks"][number]): DiffHunk {
  const out: DiffLine[] = [];
  for (const line of lines) {
    const last = out.at(-1);
    if (line.startsWith("\\")) {
      if (last) out[out.length - 1] = { ...last, noEnd: true };
      continue;
    }
    const op = line[0] === "+" ? "add" : line[0] === "-" ? "del" : "same";
    out.push({ op, text: line.slice(1).replace(/\r$/, "") });
  }
  return { oldStart, newStart, lines: out };
}
