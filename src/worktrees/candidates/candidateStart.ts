// Waits until the sessions of candidates can work, and sends the prompts that wait in them.
import type { OpenSession, OpenSessions } from "../../library/openSessions.ts";
import { t } from "../../base/l10n.ts";
import type { Session } from "../../session/session.ts";
import type { SessionState } from "../../session/state.ts";

/** A session that cannot work, and why, as a sentence. */
export interface FailedStart {
  readonly session: string;
  readonly reason: string;
}

/**
 * Resolves with the sessions that failed to start once each of these is ready, has failed or was closed. One whose agent needs
 * a sign-in is ready, because its prompt waits for that. `onProgress` gets the number of those that are done. Rejects when the
 * signal aborts.
 */
export function whenStarted<S extends OpenSession>(
  open: Pick<OpenSessions<S>, "get" | "onDidChange">,
  sessions: readonly string[],
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<readonly FailedStart[]> {
  return new Promise((resolve, reject) => {
    let shown = -1;
    const check = (): void => {
      const starts = sessions.map(session => startOf(open.get(session)?.state));
      const done = starts.filter(start => start !== "starting").length;
      if (done !== shown) onProgress((shown = done));
      if (done < sessions.length) return;
      end();
      resolve(
        sessions.flatMap((session, at) => {
          const start = starts[at];
          return typeof start === "object" ? [{ session, reason: start.reason }] : [];
        }),
      );
    };
    const abort = (): void => {
      end();
      reject(signal.reason as Error);
    };
    const listener = open.onDidChange(check);
    const end = (): void => {
      listener.dispose();
      signal.removeEventListener("abort", abort);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    check();
  });
}

function startOf(state: SessionState | undefined): "starting" | "ready" | { readonly reason: string } {
  if (!state) return { reason: t("Its session was closed.") };
  if ((state.signIn ?? state.lost)?.signIn !== undefined) return "ready";
  if (state.lost) return { reason: state.lost.message };
  return state.connection?.state === "ready" ? "ready" : "starting";
}

/** Sends the prompts of the session that wait for the user. */
export function sendHeldPrompts(session: Pick<Session, "state" | "queue" | "resumeQueue">): void {
  const held = session.state.pendingPrompts.filter(({ isOnHold }) => isOnHold);
  for (const { id } of held) session.queue.release(id);
  // After a reload of the window, the queue is paused.
  if (held.length > 0) session.resumeQueue();
}
