// Requests and notifications that Parley sends to an agent.
import { CancellationTokenSource, type MessageConnection } from "vscode-jsonrpc/node";
import { asError } from "../base/errors.ts";
import type { JsonObject } from "./parse.ts";

/**
 * Sends a request. Rejects with the agent's error, or when the connection ends. When `cancelled` aborts, the agent is asked
 * to end the request (spec page "Cancellation"), and its answer still settles the request.
 */
export async function sendRequest(
  connection: MessageConnection,
  method: string,
  params: JsonObject,
  cancelled?: AbortSignal,
): Promise<unknown> {
  // Created before the request is sent so that its stack names the caller.
  const origin = new Error(`${method} failed`);
  const source = new CancellationTokenSource();
  const cancel = (): void => source.cancel();
  cancelled?.addEventListener("abort", cancel);
  try {
    const answer = connection.sendRequest<unknown>(method, params, source.token);
    if (cancelled?.aborted) cancel();
    return await answer;
  } catch (error) {
    if (error instanceof Error) error.cause ??= origin;
    throw error;
  } finally {
    cancelled?.removeEventListener("abort", cancel);
    source.dispose();
  }
}

/** Sends a notification. Never throws: `onFailed` gets the error if it cannot be sent. */
export function sendNotification(
  connection: MessageConnection,
  method: string,
  params: JsonObject,
  onFailed: (error: Error) => void,
): void {
  const failed = (error: unknown): void => onFailed(asError(error));
  try {
    connection.sendNotification(method, params).catch(failed);
  } catch (error) {
    failed(error); // A connection that has ended throws synchronously.
  }
}
