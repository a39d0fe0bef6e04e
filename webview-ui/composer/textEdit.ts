// Changes to a text box that its undo knows of.

/** Replaces a stretch of the box's text and puts the caret behind it. The box gets the focus and tells of it by `input`. */
export function replaceText(box: HTMLTextAreaElement, start: number, end: number, text: string): void {
  box.focus();
  box.setSelectionRange(start, end);
  if (start === end && text === "") return;
  // The only way into the undo stack that browsers have; it fires `input` itself.
  if (text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text)) return;
  box.setRangeText(text, start, end, "end");
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Replaces all of the box's text. */
export function replaceAllText(box: HTMLTextAreaElement, text: string): void {
  replaceText(box, 0, box.value.length, text);
}
