// The warning that VS Code has forgotten the secrets of an earlier start.
import { t } from "../base/l10n.ts";
import type { WatchedSecrets } from "../base/secrets/watchedSecrets.ts";
import { showWarningMessage } from "../editor/editorUi.ts";

/** Checks the secret storage, and warns once if it has lost secrets. `hasSecrets`: whether Parley has stored some. */
export async function warnOfForgottenSecrets(
  secrets: Pick<WatchedSecrets, "check">,
  hasSecrets: boolean,
): Promise<void> {
  if (!(await secrets.check(hasSecrets))) return;
  await showWarningMessage(
    t(
      "VS Code has forgotten the keys, values and sign-ins that Parley stored. Enter them again when an agent or an MCP server asks for them. To keep them, VS Code needs the keyring of your system: on Linux, install and unlock GNOME Keyring or KWallet, and start VS Code again.",
    ),
  );
}
