// Which sessions need the user first.
import type { Event } from "../base/lifecycle.ts";
import { isWorking } from "../session/background/background.ts";
import { notificationBetween, type SessionNotification } from "../session/notifications.ts";
import { openQuestions, sessionTitle, type SessionState } from "../session/state.ts";
import type { OpenSession } from "./openSessions.ts";

/** What a session waits for: the user, the user after a failure, the agent, or nothing. */
export type Attention = "waiting" | "failed" | "working" | "idle";

/** The open sessions about which Parley itself asks the user. The questions of agents are in the states. */
export interface AskedSessions {
  /** Whether the panel of the session with this id shows a question of Parley. */
  isAsking(id: string): boolean;
  /** Fires when a question is asked or ends. */
  readonly onDidChange: Event<void>;
}

/** What the session waits for. */
export function attentionOf(
  { id, state }: Pick<OpenSession, "id" | "state">,
  asked: Pick<AskedSessions, "isAsking">,
): Attention {
  if (openQuestions(state).length > 0 || asked.isAsking(id)) return "waiting";
  if (state.lost !== null || state.signIn !== null || state.activity.stopReason === "error") return "failed";
  return isWorking(state) ? "working" : "idle";
}

/** What notifications depend on. */
export interface NotifiedState {
  readonly state: SessionState;
  /** Whether Parley asks the user about the session. */
  readonly isAsked: boolean;
}

/** The notification for a change of one session: the question of Parley, or what {@link notificationBetween} finds. */
export function notificationOf(before: NotifiedState, after: NotifiedState): SessionNotification | undefined {
  if (after.isAsked && !before.isAsked) return { kind: "resumeQuestion", title: sessionTitle(after.state) };
  return notificationBetween(before.state, after.state);
}
