// Progress of a call while it runs. Many clients end a call that has no answer after 60 s, unless they hear of progress, and
// the user can take longer to answer a question.
import type { Disposable } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";

/** Between two notifications (ms). */
const progressInterval = 10_000;
/** Each notification repeats the token, so a client with a longer one gets none (characters). */
const maxTokenLength = 1000;

const message = "The call is still running. It may be waiting for the user's answer.";

/** A notification of progress as MCP has it. */
interface ProgressNotification {
  readonly method: "notifications/progress";
  readonly params: { readonly progressToken: string | number; readonly progress: number; readonly message: string };
}

export interface CallProgressOptions {
  /** What the client has sent in `_meta.progressToken`. Undefined: it wants to hear nothing. */
  readonly token: string | number | undefined;
  readonly clock: Clock;
  /** Sends a notification to the client. */
  readonly notify: (notification: ProgressNotification) => Promise<void>;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly onWarning: (message: string) => void;
}

/** Notifies the client regularly that the call runs, until the result is disposed or the signal aborts. */
export function reportProgress({ token, clock, notify, signal, onWarning }: CallProgressOptions): Disposable {
  if (token === undefined || String(token).length > maxTokenLength) return { dispose() {} };
  let progress = 0;
  let timer: Disposable;
  const next = (): void => {
    timer = clock.after(progressInterval, () => {
      if (signal.aborted) return;
      // It must increase. There is no total.
      progress++;
      notify({ method: "notifications/progress", params: { progressToken: token, progress, message } }).catch(
        (error: unknown) => {
          if (!signal.aborted) onWarning(`The progress of a call could not be sent: ${String(error)}`);
        },
      );
      next();
    });
  };
  next();
  const stop = (): void => timer.dispose();
  signal.addEventListener("abort", stop);
  return {
    dispose: () => {
      signal.removeEventListener("abort", stop);
      stop();
    },
  };
}
