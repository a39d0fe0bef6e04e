// Waiting for an agent with an end, and the words for when it comes.
import { ConnectionError, ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import { ProblemError, asError, type Problem } from "../base/errors.ts";

/** Settles with the promise, or rejects when time is up or the signal aborts. */
export function answerInTime<T>(
  promise: Promise<T>,
  ms: number,
  signal: AbortSignal,
  createProblem: () => Problem,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
    };
    const aborted = (): void => {
      done();
      reject(asError(signal.reason));
    };
    const timer = setTimeout(() => {
      done();
      reject(new ProblemError(createProblem()));
    }, ms);
    promise.then(
      value => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(asError(error));
      },
    );
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted);
  });
}

/** What vscode-jsonrpc answers in the agent's place when a stream ended or could not be written to. */
export function isConnectionClosed(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ResponseError)) return false;
  return error.code === ErrorCodes.PendingResponseRejected || error.code === ErrorCodes.MessageWriteError;
}

/** The problem of an agent that does not answer. `what` is in the accusative. */
export function timeoutProblem(
  options: { readonly agentName: string; readonly timeout: number },
  what: string,
): Problem {
  const count = Math.round(options.timeout / 1000);
  const seconds = count === 1 ? "1 second" : `${count} seconds`;
  return {
    message: `${options.agentName} did not answer ${what} within ${seconds}. It may be waiting for something, or it may not be an ACP agent. Look at what it printed, then restart it.`,
    next: ["restartAgent", "showTraffic", "showLog"],
  };
}

/** The words with a full stop behind them. */
export const asSentence = (words: string): string => (/[.!?]$/.test(words.trim()) ? words.trim() : `${words.trim()}.`);
