// The button below the message box that opens the Attach menu.
import type { TemplateResult } from "lit";
import { iconButton } from "../base/iconButton.ts";
import { t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";

/** Lets the user choose files, a conversation and other items to attach. */
export function attachButton(): TemplateResult {
  return iconButton("attach", {
    label: t("Attach"),
    title: t("Attach… (hold Shift to drop files here)"),
    onClick: () => send({ type: "pickAttachment" }),
  });
}
