// The item in the status bar: the session that has waited for the user the longest, or else the active one. A click goes
// there, and the tooltip counts the sessions that need the user or work.
import { t } from "../base/l10n.ts";
import type { StatusItem } from "../editor/editorItems.ts";
import { isListed, type ListedSession } from "../library/sessionGroups.ts";
import { isBusy, type SessionState } from "../session/state.ts";
import { commaSeparated } from "../base/sentences.ts";

/** The session that the item shows. */
export interface StatusBarSession {
  readonly state: SessionState;
  /** Whether it waits for the user. */
  readonly isWaiting: boolean;
  /** The name of its agent in the settings. The item is hidden if there is none, and the session has none. */
  readonly agentName: string | undefined;
  /** The title of a session that is perhaps not in sight. Empty for others. */
  readonly title: string;
}

/** How many sessions wait for the user, work, and are unread. */
export interface SessionCounts {
  readonly waiting: number;
  readonly working: number;
  readonly unread: number;
}

export class StatusBar {
  readonly #item: Pick<StatusItem, "show" | "hide">;
  #shown = "";

  constructor(item: Pick<StatusItem, "show" | "hide">) {
    this.#item = item;
  }

  /** Shows the session. This is called often, and each setter makes VS Code paint again, so equal texts are not set. */
  update({ state, isWaiting, agentName, title }: StatusBarSession, counts: SessionCounts): void {
    const name = state.agent?.name ?? agentName;
    if (name === undefined) {
      this.#shown = "";
      return this.#item.hide();
    }
    const { icon, words } = isWaiting ? waitingStatus() : sessionStatus(state);
    const tooltip = [words, ...(title === "" ? [] : [title]), ...countLines(counts)];
    const shown = JSON.stringify([icon, name, tooltip]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#item.show(icon, name, tooltip, `${name}: ${commaSeparated(tooltip)}`);
  }
}

/** The counts of these sessions. A session that waits or works can also be unread. */
export function sessionCounts(sessions: readonly ListedSession[]): SessionCounts {
  const listed = sessions.filter(isListed);
  return {
    waiting: listed.filter(({ status }) => status === "waiting").length,
    working: listed.filter(({ status }) => status === "working").length,
    unread: listed.filter(({ isUnread }) => isUnread).length,
  };
}

const countLines = ({ waiting, working, unread }: SessionCounts): readonly string[] => [
  ...(waiting > 0 ? [t("Sessions waiting for you: {0}", waiting)] : []),
  ...(working > 0 ? [t("Sessions working: {0}", working)] : []),
  ...(unread > 0 ? [t("Sessions unread: {0}", unread)] : []),
];

/** What the item shows of a session. */
interface SessionStatus {
  /** A codicon. */
  readonly icon: string;
  readonly words: string;
}

const waitingStatus = (): SessionStatus => ({ icon: "bell-dot", words: t("Waiting for you") });

/** What the item shows of a session that does not wait for the user. */
function sessionStatus(state: SessionState): SessionStatus {
  if (state.lost) return { icon: "error", words: state.lost.message };
  if (isBusy(state)) return { icon: "loading~spin", words: t("Working") };
  if (state.background) return { icon: "loading~spin", words: t("Working in the background") };
  switch (state.connection?.state) {
    case "starting":
    case "connecting":
    case "opening":
      return { icon: "loading~spin", words: t("Starting") };
    case "ready":
      return { icon: "comment-discussion", words: t("Ready") };
    default:
      return { icon: "comment-discussion", words: t("Not started") };
  }
}
