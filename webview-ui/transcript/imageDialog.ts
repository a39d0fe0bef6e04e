// An image as large as the panel, in a dialog that Escape closes and that gives the focus back.
import { html, nothing, render } from "lit";
import { iconButton } from "../base/iconButton.ts";
import { t } from "../base/l10n.ts";

/** Shows the image over the panel. `open` opens it in an editor, where that is possible. */
export function showImageDialog(name: string, source: string, open: (() => void) | undefined): void {
  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.ariaLabel = name;
  const close = (): void => dialog.close();
  const openAndClose = (): void => {
    dialog.close();
    open?.();
  };
  render(
    html`<div class="enlarged-bar">
        <span class="ellipsis" title=${name}>${name}</span>
        ${open ? iconButton("go-to-file", { label: t("Open in Editor"), onClick: openAndClose }) : nothing}
        ${iconButton("close", { label: t("Close"), title: t("Close (Escape)"), onClick: close })}
      </div>
      <img alt=${name} src=${source} />`,
    dialog,
  );
  // Escape is spent on the dialog: it is not to stop the agent as well.
  dialog.addEventListener("keydown", event => event.stopPropagation());
  dialog.addEventListener("click", event => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  (document.getElementById("parley") ?? document.body).append(dialog);
  dialog.showModal();
  // Not by `autofocus`, which the frame of a webview may not use.
  dialog.querySelector<HTMLElement>("button:last-of-type")?.focus();
}
