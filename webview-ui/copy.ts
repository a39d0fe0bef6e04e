// Copy buttons: the text goes to the host, which owns the clipboard; the button says that it was done.
import { send } from "./host.ts";
import { t } from "./l10n.ts";

const SHOWN = 1500;

/** Copies `text` and shows a tick on the button for a moment. */
export function copyFrom(button: HTMLElement, text: string): void {
  send({ type: "copy", text });
  const glyph = button.querySelector(".codicon");
  glyph?.classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => glyph?.classList.replace("codicon-check", "codicon-copy"), SHOWN);
}

/** A copy button made outside a template. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "icon-button";
  button.ariaLabel = t(label);
  button.title = t(label);
  const glyph = document.createElement("span");
  glyph.className = "codicon codicon-copy";
  glyph.ariaHidden = "true";
  button.append(glyph);
  button.addEventListener("click", () => copyFrom(button, text()));
  return button;
}
