// Requests and notifications that Parley sends to an agent.
import type { MessageConnection } from "vscode-jsonrpc/node";
import { asError } from "../base/errors.ts";
import type { JsonObject } from "./parse.ts";

/** Sends a request. Rejects with the agent's error, or when the connection ends. */
export async function sendRequest(connection: MessageConnection, method: string, params: JsonObject): Promise<unknown> {
  // Created before the request is sent so that its stack names the caller.
  const origin = new Error(`${method} failed`);
  try {
    return await connection.sendRequest<unknown>(method, params);
  } catch (error) {
    if (error instanceof Error) error.cause ??= origin;
    throw error;
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
