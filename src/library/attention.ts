// Which sessions need the user first.
import { isWorking } from "../session/background/background.ts";
import { openQuestions, type SessionState } from "../session/state.ts";

/** What a session waits for: the user, the user after a failure, the agent, or nothing. */
export type Attention = "waiting" | "failed" | "working" | "idle";

/** What the session waits for. */
export function attentionOf(state: SessionState): Attention {
  if (openQuestions(state).length > 0) return "waiting";
  if (state.lost !== null || state.signIn !== null || state.activity.stopReason === "error") return "failed";
  return isWorking(state) ? "working" : "idle";
}

const ranks: Readonly<Record<Attention, number>> = { waiting: 0, failed: 1, working: 2, idle: 3 };

/** The sessions that need the user first come first. Sessions of the same kind keep their order. */
export const byAttention = <S extends { readonly state: SessionState }>(sessions: readonly S[]): readonly S[] =>
  [...sessions].sort((a, b) => ranks[attentionOf(a.state)] - ranks[attentionOf(b.state)]);

/** The next session that waits for the user, after this one in a circle. Undefined if none waits. */
export function nextWaiting<S extends { readonly state: SessionState }>(
  sessions: readonly S[],
  after: S | undefined,
): S | undefined {
  const from = after ? sessions.indexOf(after) + 1 : 0;
  const inCircle = [...sessions.slice(from), ...sessions.slice(0, from)];
  return inCircle.find(({ state }) => attentionOf(state) === "waiting");
}
