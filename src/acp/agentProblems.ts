// What an agent did wrong, as problems for the user: its errors, its silence, and the end of its connection.
import { ConnectionError, ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import { untilAborted, withTimeout } from "../base/async.ts";
import { ProblemError, asError, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock } from "../base/log.ts";
import { errorReason } from "./errorReason.ts";
import { optionalField } from "./parse.ts";
import { signInProblem, signInVariables, type SignInOffer } from "./signInProblem.ts";
import { asSentence } from "../base/sentences.ts";

/** The problem for an agent's error. `failure` says what the agent did, without a period. */
export function agentProblem(error: Error, failure: (agentName: string) => string, agent: SignInOffer): Problem {
  if (error instanceof ProblemError) return error.problem;
  const { agentName } = agent;
  const next = ["retry", "showTraffic", "showLog"] as const;
  if (isConnectionClosed(error)) return { message: t("{0}: Its connection has ended.", failure(agentName)), next };
  const reason = errorReason(error, signInVariables(agent.signInMethods));
  if (reason.isAuthentication) return signInProblem(agent, reason);
  return {
    message: failureWithReason(failure(agentName), reason.sentence),
    ...optionalField("detail", reason.detail),
    next,
  };
}

/** Whether vscode-jsonrpc rejected the request itself, because a stream ended or could not be written to. */
export function isConnectionClosed(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ResponseError)) return false;
  return error.code === ErrorCodes.PendingResponseRejected || error.code === ErrorCodes.MessageWriteError;
}

/** What limits the wait for an agent's answer. */
export interface AnswerLimit {
  readonly agentName: string;
  /** Milliseconds. Absent: the user decides how long to wait. */
  readonly timeout?: number;
  /** Measures the time limit. Absent: the clock of the system. */
  readonly limitClock?: Clock;
  /** The agent waits for the user, so the time does not count. */
  readonly waitsForUser?: () => boolean;
}

/**
 * Sends a request, and settles as the agent's answer does. Rejects with a problem after the time limit, or when `signal`
 * aborts. The time limit also aborts the signal that `send` gets.
 */
export async function answerInTime<T>(
  send: (late: AbortSignal) => Promise<T>,
  limit: AnswerLimit,
  signal: AbortSignal,
  request: string,
): Promise<T> {
  const late = new AbortController();
  const unlessAborted = untilAborted(send(late.signal), [signal], (): never => {
    throw asError(signal.reason);
  });
  const { timeout } = limit;
  if (timeout === undefined) return unlessAborted;
  for (;;) {
    const timedOut = Symbol("timed out");
    const result = await withTimeout(unlessAborted, timeout, () => timedOut, limit.limitClock);
    if (result !== timedOut) return result as T;
    if (limit.waitsForUser?.() === true) continue;
    late.abort();
    throw new ProblemError(timeoutProblem(limit.agentName, timeout, request));
  }
}

/** The problem for an agent that does not answer a request. `request` is the object of the sentence. */
function timeoutProblem(agentName: string, timeout: number, request: string): Problem {
  const count = Math.round(timeout / 1000);
  const seconds = count === 1 ? t("1 second") : t("{0} seconds", count);
  return {
    message: t(
      "{0} did not answer {1} within {2}. It may be waiting for something, or it may not be an ACP agent. Check its output, then restart it.",
      agentName,
      request,
      seconds,
    ),
    next: ["restartAgent", "showTraffic", "showLog"],
  };
}

/**
 * Waits for the answer to a request that signs in or out. Rejects with a problem that does not offer to sign in.
 * `failure` says what the agent did, without a period. The last signal is that of the connection.
 */
export async function plainAnswer(
  answer: Promise<unknown>,
  failure: string,
  signals: readonly AbortSignal[],
): Promise<void> {
  try {
    await untilAborted(answer, signals, (): never => {
      throw new Error(signals.at(-1)?.aborted ? t("Its connection has ended.") : t("It was cancelled."));
    });
  } catch (error) {
    const { sentence, detail } = errorReason(asError(error));
    const message = failureWithReason(failure, sentence);
    throw new ProblemError({ message, ...optionalField("detail", detail), next: ["showTraffic"] });
  }
}

const failureWithReason = (failure: string, reason: string): string =>
  `${failure}: ${reason === "" ? t("It gave no reason.") : asSentence(reason)}`;
