// The question before sessions are deleted.
import { t } from "../../base/l10n.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";
import { updateUserSetting, userSetting } from "../../editor/userSettings.ts";
import { isBusy, type SessionState } from "../../session/state.ts";
import type { ListedSession } from "../sessionGroups.ts";
import { titleOf } from "./sessionTexts.ts";

/** The setting that switches the question off, except for sessions whose agent works. */
const setting = "sessions.confirmDelete";

/**
 * Asks whether to delete these sessions. `stateOf`: the state of a session that is open in this window. States must not be
 * in `deleteSessions`, which waits as long as VS Code keeps the notification.
 */
export async function confirmDeletion(
  targets: readonly ListedSession[],
  stateOf: (id: string) => SessionState | undefined,
): Promise<boolean> {
  const [first] = targets;
  if (!first) return false;
  const working = targets.map(({ id }) => stateOf(id)).filter(state => state !== undefined && works(state)).length;
  if (working === 0 && userSetting(setting) === false) return true;
  const one = targets.length === 1;
  const question = one ? t("Delete the session “{0}”?", titleOf(first)) : t("Delete {0} sessions?", targets.length);
  const lost = one
    ? t("Its agent is working. This work will be stopped.")
    : t("Agents are working in {0} of them. This work will be stopped.", working);
  const back = t("You can restore deleted sessions for a week with “Parley: Restore Removed Sessions…”.");
  const remove = t("Delete");
  const neverAsk = t("Delete and Don't Ask Again");
  const pressed = await showWarningMessage(
    question,
    { modal: true, detail: working > 0 ? [lost, back] : [back] },
    remove,
    ...(working > 0 ? [] : [neverAsk]),
  );
  if (pressed === neverAsk) await updateUserSetting(setting, false);
  return pressed !== undefined;
}

const works = (state: SessionState): boolean => isBusy(state) || state.background !== null;
