// Edits of a text box that its undo can revert.

/** Replaces a range of the box's text and puts the caret after it. Focuses the box, which fires `input`. */
export function replaceText(box: HTMLTextAreaElement, start: number, end: number, text: string): void {
  box.focus();
  box.setSelectionRange(start, end);
  if (start === end && text === "") return;
  // Browsers offer no other access to the undo stack. This also fires `input`.
  if (text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text)) return;
  box.setRangeText(text, start, end, "end");
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Replaces the whole text of the box. */
export function replaceAllText(box: HTMLTextAreaElement, text: string): void {
  replaceText(box, 0, box.value.length, text);
}

/**
 * Removes parts of the box's text as one edit, each with the blank after it unless that would join two words. The
 * selection stays at its place in the rest.
 */
export function removeRanges(
  box: HTMLTextAreaElement,
  ranges: readonly { readonly start: number; readonly end: number }[],
): void {
  const { value, selectionStart, selectionEnd } = box;
  const removed = ranges.map(({ start, end }) => {
    const leavesBlank = value[end] === " " && (start === 0 || /\s/.test(value[start - 1] ?? ""));
    return { start, end: leavesBlank ? end + 1 : end };
  });
  const [first] = removed;
  const last = removed.at(-1);
  if (!first || !last) return;
  const rest = (from: number, to: number): string =>
    removed.reduceRight(
      (text, { start, end }) => {
        const [a, b] = [Math.max(start, from) - from, Math.min(end, to) - from];
        return a < b ? text.slice(0, a) + text.slice(b) : text;
      },
      value.slice(from, to),
    );
  const place = (offset: number): number => rest(0, offset).length;
  const selection = [place(selectionStart), place(selectionEnd)] as const;
  replaceText(box, first.start, last.end, rest(first.start, last.end));
  box.setSelectionRange(...selection);
}
