// The question before background work ends: an agent ends it when its session closes or its process restarts.
import { t } from "../../base/l10n.ts";
import { sessionTitle, type SessionState } from "../../session/state.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";

/**
 * Asks before the background work of these sessions ends. Resolves with true if the user agrees, or if there is none.
 * `action` is the label of the button.
 */
export async function confirmEndOfWork(states: readonly SessionState[], action: string): Promise<boolean> {
  const working = states.filter(({ background }) => background !== null);
  const [first] = working;
  if (!first) return true;
  const title = sessionTitle(first) || t("New session");
  const question =
    working.length === 1
      ? t("The agent still works in the background of “{0}”. This work will be stopped.", title)
      : t("Agents still work in the background of {0} sessions. This work will be stopped.", working.length);
  return (await showWarningMessage(question, { modal: true }, action)) === action;
}
