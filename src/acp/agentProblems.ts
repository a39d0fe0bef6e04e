// What an agent did wrong, as problems for the user: its errors, its silence, and the end of its connection.
import { ConnectionError, ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import { untilAborted, withTimeout } from "../base/async.ts";
import { ProblemError, asError, type Problem } from "../base/errors.ts";
import type { Clock } from "../base/log.ts";
import { errorReason } from "./errorReason.ts";
import { optionalField } from "./parse.ts";
import { signInProblem, signInVariables, type SignInOffer } from "./signInProblem.ts";

/** The problem for an agent's error. `failure` completes a sentence that begins with the agent's name. */
export function agentProblem(error: Error, failure: string, agent: SignInOffer): Problem {
  if (error instanceof ProblemError) return error.problem;
  const { agentName } = agent;
  const next = ["retry", "showTraffic", "showLog"] as const;
  if (isConnectionClosed(error)) return { message: `${agentName} ${failure}: Its connection has ended.`, next };
  const reason = errorReason(error, signInVariables(agent.signInMethods));
  if (reason.isAuthentication) return signInProblem(agent, reason);
  return {
    message: `${agentName} ${failure}: ${reason.sentence === "" ? "It gave no reason." : asSentence(reason.sentence)}`,
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

/** Settles as the agent's answer does. Rejects with a problem after the time limit, or when the signal aborts. */
export async function answerInTime<T>(
  answer: Promise<T>,
  limit: AnswerLimit,
  signal: AbortSignal,
  request: string,
): Promise<T> {
  const unlessAborted = untilAborted(answer, [signal], (): never => {
    throw asError(signal.reason);
  });
  const { timeout } = limit;
  if (timeout === undefined) return unlessAborted;
  for (;;) {
    const timedOut = Symbol("timed out");
    const result = await withTimeout(unlessAborted, timeout, () => timedOut, limit.limitClock);
    if (result !== timedOut) return result as T;
    if (limit.waitsForUser?.() !== true) throw new ProblemError(timeoutProblem(limit.agentName, timeout, request));
  }
}

/** The problem for an agent that does not answer a request. `request` is the object of the sentence. */
function timeoutProblem(agentName: string, timeout: number, request: string): Problem {
  const count = Math.round(timeout / 1000);
  const seconds = count === 1 ? "1 second" : `${count} seconds`;
  return {
    message: `${agentName} did not answer ${request} within ${seconds}. It may be waiting for something, or it may not be an ACP agent. Check its output, then restart it.`,
    next: ["restartAgent", "showTraffic", "showLog"],
  };
}

/**
 * Waits for the answer to a request that signs in or out. Rejects with a problem that does not offer to sign in.
 * `failure` completes a sentence that begins with the agent's name. The last signal is that of the connection.
 */
export async function plainAnswer(
  answer: Promise<unknown>,
  agentName: string,
  failure: string,
  signals: readonly AbortSignal[],
): Promise<void> {
  try {
    await untilAborted(answer, signals, (): never => {
      throw new Error(signals.at(-1)?.aborted ? "Its connection has ended." : "It was cancelled.");
    });
  } catch (error) {
    const { sentence, detail } = errorReason(asError(error));
    const message = `${agentName} ${failure}: ${sentence === "" ? "It gave no reason." : asSentence(sentence)}`;
    throw new ProblemError({ message, ...optionalField("detail", detail), next: ["showTraffic"] });
  }
}

/** The text with a full stop at its end, unless it ends with a punctuation mark already. */
export const asSentence = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);
