// The files that a tool changed, each with its part of the patch.
import type { ToolContent } from "../../session/events.ts";
import { computingDiff } from "./diffHunks.ts";
import type { PatchedFile } from "./patchText.ts";
import type { ChangedFile, ToolPart } from "../protocol.ts";

type ChangesItem = Extract<ToolContent, { type: "changes" }>;

/** The characters of a raw patch that are sent to the panel. */
const maxPatchLength = 200_000;

/**
 * The list of changes is authoritative and the patch adds to it. The raw patch is shown if some of it belongs to no
 * listed file.
 */
export function filesPart(
  item: ChangesItem,
  patched: readonly PatchedFile[] | "computing" | undefined,
  label: (path: string) => string,
): Extract<ToolPart, { type: "files" }> {
  const unplaced = new Map((patched === "computing" ? [] : (patched ?? [])).map(file => [patchedName(file), file]));
  const files = item.changes.map(({ operation, path, oldPath }): ChangedFile => {
    // Paths in a patch are absolute, but git drops the first slash, and many agents write them relative to the folder.
    const name = [path, label(path)].map(comparablePath).find(each => unplaced.has(each));
    const found = name === undefined ? undefined : unplaced.get(name);
    if (name !== undefined) unplaced.delete(name);
    return {
      operation,
      path,
      label: label(path),
      ...(oldPath !== undefined && { from: label(oldPath) }),
      ...(patched === "computing" && { diff: computingDiff }),
      ...(found && shownFields(found)),
    };
  });
  const { patch } = item;
  if (patch === undefined || patched === "computing" || (patched && unplaced.size === 0))
    return { type: "files", files };
  const cut = patch.length - maxPatchLength;
  return { type: "files", files, patch: patch.slice(0, maxPatchLength), ...(cut > 0 && { cut }) };
}

function shownFields({ binary, mode, diff }: PatchedFile): Pick<ChangedFile, "binary" | "mode" | "diff"> {
  // A binary file or a file that only moved has no lines to show.
  return { ...(binary && { binary }), ...(mode && { mode }), ...(diff.hunks.length > 0 && { diff }) };
}

const patchedName = ({ path, oldPath }: PatchedFile): string => comparablePath(path ?? oldPath ?? "");
const comparablePath = (path: string): string => path.replaceAll("\\", "/").replace(/^\//, "");
