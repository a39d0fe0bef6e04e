// Copy buttons and others made outside a template. The text goes to the host, which owns the clipboard; the button says that it was done.
import { send } from "../base/vscodeApi.ts";

const feedbackTime = 1500;

/** Copies `text` and shows a tick on the button for a moment. */
export function copyText(button: HTMLElement, text: string): void {
  send({ type: "copy", text });
  const glyph = button.querySelector(".codicon");
  glyph?.classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => glyph?.classList.replace("codicon-check", "codicon-copy"), feedbackTime);
}

/** A button with a codicon, made outside a template. `label` is in the user's language. */
export function iconButton(
  glyph: string,
  label: string,
  onClick: (button: HTMLButtonElement) => void,
): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon-button";
  button.ariaLabel = label;
  button.title = label;
  const shown = document.createElement("span");
  shown.className = `codicon codicon-${glyph}`;
  shown.ariaHidden = "true";
  button.append(shown);
  button.addEventListener("click", () => onClick(button));
  return button;
}
