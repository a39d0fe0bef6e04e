// The state of the session as text, so that the user always sees what the panel is waiting for.
import type { ViewHead } from "../../src/panel/protocol.ts";
import { t } from "../base/l10n.ts";

/** The connection state as text; undefined if the session is ready, or if there is none. */
export function connectionText(head: ViewHead): string | undefined {
  const name = head.agent?.name ?? t("the agent");
  switch (head.connection?.state) {
    case "starting":
      return t("Starting {0}…", name);
    case "connecting":
      return isDownload(head.connection.detail) ? t("Downloading {0} with npm…", name) : t("Connecting to {0}…", name);
    case "opening":
      return t("Opening the session…");
    case "closed":
      if (head.problem || head.resumeQuestion) return undefined;
      // After a reload of the window. The agent of a session that can only be read never starts.
      return head.isReadOnly ? t("{0} is not running.", name) : t("{0} starts with your next message.", name);
    default:
      return undefined;
  }
}

/** The agent's activity as text; undefined if it is idle. */
export function activityText(head: ViewHead): string | undefined {
  const { state, cancelling, stopIgnored, background, silentSince, isRetrying } = head.activity;
  if (state === "idle" && background === undefined) return undefined;
  if (cancelling && stopIgnored) return t("{0} has not stopped yet.", head.agent?.name ?? t("The agent"));
  if (cancelling) return t("Stopping…");
  if (head.questions.length > 0 || state === "requires_action") return t("Waiting for you");
  if (silentSince !== undefined && state !== "idle")
    return isRetrying ? t("Waiting for the model") : t("Waiting for {0}", head.agent?.name ?? t("the agent"));
  return background === undefined ? t("Working…") : t("Working in the background…");
}

/** Whether the last line of the start is npm's, while npx installs the package of the agent. */
const isDownload = (detail: string | undefined): boolean =>
  detail !== undefined && /^npm (?:http fetch|warn exec .*will be installed)/i.test(detail);
