// Shows an image at the size of the panel, in a dialog. Escape closes it and returns the focus.
import { html, nothing, render } from "lit";
import { iconButton } from "../base/iconButton.ts";
import { t } from "../base/l10n.ts";

/** Shows the image over the panel. `open` opens it in an editor, if that is possible. */
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
        <span class="ellipsis" dir="auto" title=${name}>${name}</span>
        ${open ? iconButton("go-to-file", { label: t("Open in Editor"), onClick: openAndClose }) : nothing}
        ${iconButton("close", { label: t("Close"), title: t("Close (Escape)"), onClick: close })}
      </div>
      <img alt=${name} src=${source} />`,
    dialog,
  );
  // Escape only closes the dialog and must not also stop the agent.
  dialog.addEventListener("keydown", event => event.stopPropagation());
  dialog.addEventListener("click", event => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  (document.getElementById("parley") ?? document.body).append(dialog);
  dialog.showModal();
  // `autofocus` is not allowed in the frame of a webview.
  dialog.querySelector<HTMLElement>("button:last-of-type")?.focus();
}
