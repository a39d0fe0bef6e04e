// Some agents first send a diff of the whole file, with a question, and when it is done one of the piece that changed. Both
// tell the same change; the card keeps the one that shows where it is.
import type { ToolContent } from "./events.ts";

type FileDiff = Extract<ToolContent, { type: "diff" }>;

/** A piece may stand in a file so often before the place that changed. */
const maxOccurrences = 50;

/** The new content, with the old diff of a file wherever the new one is the same change with less around it. */
export function withFullerDiffs(
  before: readonly ToolContent[] | undefined,
  content: readonly ToolContent[],
): readonly ToolContent[] {
  const known = (before ?? []).filter(item => item.type === "diff");
  if (known.length === 0) return content;
  let changed = false;
  const out = content.map(item => {
    const fuller = item.type === "diff" ? known.find(one => isFuller(one, item)) : undefined;
    changed ||= fuller !== undefined;
    return fuller ?? item;
  });
  return changed ? out : content;
}

/** The piece's change, made at one place of the whole old text, gives the whole new text. */
function isFuller(whole: FileDiff, piece: FileDiff): boolean {
  if (whole.path !== piece.path || whole.deleted || piece.deleted || !whole.oldText || !piece.oldText) return false;
  const [old, now] = [whole.oldText, whole.newText];
  if (old.length <= piece.oldText.length || old.length - now.length !== piece.oldText.length - piece.newText.length) {
    return false;
  }
  let at = old.indexOf(piece.oldText);
  for (let i = 0; i < maxOccurrences && at >= 0; i++, at = old.indexOf(piece.oldText, at + 1)) {
    if (!now.startsWith(piece.newText, at)) continue;
    if (old.slice(0, at) !== now.slice(0, at)) return false;
    if (old.slice(at + piece.oldText.length) === now.slice(at + piece.newText.length)) return true;
  }
  return false;
}
