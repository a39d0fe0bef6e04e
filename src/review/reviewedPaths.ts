// The paths that the review follows.
import type { WindowReview } from "./windowReview.ts";

/** The files under review, and those that can come back to it. */
export function reviewedPaths({ files, replacedFiles }: WindowReview): readonly string[] {
  return [...new Set([...files.map(({ path }) => path), ...replacedFiles.paths])];
}

/** The files at the path, or in the folder at the path, that are tracked or can come back to the review. */
export function trackedAt({ tracked, replacedFiles }: WindowReview, path: string): readonly string[] {
  return [...new Set([...tracked.atOrBelow(path), ...replacedFiles.atOrBelow(path)])];
}
