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
