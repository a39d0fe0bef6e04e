// Which documents can have comments, and which of them show that beside their line numbers. Pure.
import { planScheme } from "../session/planAddress.ts";
import type { LineComments } from "./lineComments.ts";
import type { CommentedReview } from "./reviewedComments.ts";
import { isAtOrBelow } from "../files/nodePaths.ts";

/** The URI of a document. */
export interface DocumentUri {
  readonly scheme: string;
  readonly query: string;
  readonly fsPath: string;
  toString(): string;
}

/** The files that show it: those with changes or comments, all of the workspace, or none. */
export type GutterSetting = "changes" | "always" | "never";

/** Whether the line numbers of a document offer comments. In every file, VS Code's mark of that would be in the way. */
export function showsGutter(
  uri: DocumentUri,
  gutter: GutterSetting,
  { review, comments }: { readonly review: CommentedReview; readonly comments: Pick<LineComments, "uris"> },
): boolean {
  if (gutter === "changes")
    return uri.scheme !== "file" || review.file(uri.fsPath) !== undefined || comments.uris.has(uri.toString());
  return gutter === "always";
}

/**
 * Whether the document can have comments: a file in these folders or under review, the text before changes in a diff, or a plan.
 * No diff shows the text of a peek, and the empty document in place of a missing file has no lines.
 */
export function isCommentable(
  { scheme, query, fsPath }: DocumentUri,
  roots: readonly string[],
  review: Pick<CommentedReview, "file">,
): boolean {
  if (scheme === "parley-base") return query === "" || query.startsWith("turn=");
  if (scheme === planScheme) return true;
  if (scheme !== "file") return false;
  return roots.some(root => isAtOrBelow(fsPath, root)) || review.file(fsPath) !== undefined;
}
