// Suggests the valid name that a user probably meant.

/** More edits than this make another word. Short names allow one edit per two characters. */
const maxEdits = 2;

/** In characters. A longer text is not a mistyped name. */
const maxLength = 40;

/** The name that differs least from the text: by case, or by at most two edits. Undefined if none is similar. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  if (text.length > maxLength) return undefined;
  const typed = text.trim().toLowerCase();
  const limit = Math.min(maxEdits, Math.floor(typed.length / 2));
  let nearest: string | undefined;
  let fewest = limit + 1;
  for (const name of names) {
    const edits = editCount(typed, name.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

/** How many insertions, deletions, replacements and swaps of neighbors turn one text into the other. */
function editCount(a: string, b: string): number {
  let twoAbove: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (twoAbove[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [twoAbove, above] = [above, row];
  }
  return above[b.length] ?? 0;
}
