// Copy buttons. The host writes the clipboard; the button confirms with a tick.
import type { TemplateResult } from "lit";
import { iconButton } from "../base/iconButton.ts";
import { send } from "../base/vscodeApi.ts";

/** How long the tick is shown. Milliseconds. */
const feedbackTime = 1500;

/** A button that copies what `textOf` returns; nothing if that is undefined. `label` is in the user's language. */
export function copyButton(label: string, textOf: (button: HTMLElement) => string | undefined): TemplateResult {
  return iconButton("copy", {
    label,
    onClick: event => {
      const button = event.currentTarget as HTMLElement;
      const text = textOf(button);
      if (text !== undefined) copyText(button, text);
    },
  });
}

function copyText(button: HTMLElement, text: string): void {
  send({ type: "copy", text });
  const glyph = button.querySelector(".codicon");
  glyph?.classList.replace("codicon-copy", "codicon-check");
  setTimeout(() => glyph?.classList.replace("codicon-check", "codicon-copy"), feedbackTime);
}
