// Some agents send a diff of the whole file with the question, and a diff of only the changed piece when the edit is done.
// Both describe the same change. The card keeps the one of the whole file, which shows where the change is. It also keeps
// a diff that is sent again, because its line may be known. Others send a diff while the call runs, and only a sentence
// when it is done.
import type { ToolContent } from "./events.ts";

type FileDiff = Extract<ToolContent, { type: "diff" }>;

/** A piece may occur this many times in a file before the place that changed. */
const maxOccurrences = 50;

/** The new content, with the old diff of a file where the new one is the same change with no more context. */
export function withFullerDiffs(
  before: readonly ToolContent[] | undefined,
  content: readonly ToolContent[],
): readonly ToolContent[] {
  const known = (before ?? []).filter(item => item.type === "diff");
  if (known.length === 0) return content;
  let changed = false;
  const out = content.map(item => {
    const fuller = item.type === "diff" ? known.find(one => isSame(one, item) || isFuller(one, item)) : undefined;
    changed ||= fuller !== undefined;
    return fuller ?? item;
  });
  return changed ? out : content;
}

/** The content of a call that is done, with the diffs from before if it has none. */
export function withLastDiffs(
  before: readonly ToolContent[] | undefined,
  content: readonly ToolContent[],
): readonly ToolContent[] {
  if (content.some(isDiff)) return content;
  const diffs = (before ?? []).filter(isDiff);
  return diffs.length === 0 ? content : [...diffs, ...content];
}

const isDiff = ({ type }: ToolContent): boolean => type === "diff" || type === "changes";

const isSame = (a: FileDiff, b: FileDiff): boolean =>
  a.path === b.path && a.oldText === b.oldText && a.newText === b.newText && a.deleted === b.deleted;

/** Whether the piece's change, made at one place in the whole old text, results in the whole new text. */
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
