// The button below the message box that attaches files.
import type { TemplateResult } from "lit";
import { iconButton } from "../base/iconButton.ts";
import { t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";

/** Lets the user choose files to attach. */
export function attachButton(): TemplateResult {
  return iconButton("attach", {
    label: t("Attach"),
    title: t("Attach Files… (hold Shift to drop files here)"),
    onClick: () => send({ type: "pickAttachment" }),
  });
}
