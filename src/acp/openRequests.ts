// Parley's requests that the agent has not answered. An agent can ask for a form on behalf of one, by its id.
import { isObject, type JsonObject } from "./parse.ts";

/** A request that waits for its answer. The signal aborts when it is answered. */
export interface OpenRequest {
  readonly params: JsonObject;
  readonly answered: AbortSignal;
}

/** Finds open requests by their ids. Fed with the messages of both directions. */
export class OpenRequests {
  readonly #open = new Map<unknown, { readonly params: JsonObject; readonly answered: AbortController }>();

  /** Handles a message to the agent. */
  sent(message: unknown): void {
    if (!isObject(message) || typeof message["method"] !== "string" || message["id"] === undefined) return;
    const { id, params } = message;
    if (isObject(params)) this.#open.set(id, { params, answered: new AbortController() });
  }

  /** Handles a message of the agent. */
  received(message: unknown): void {
    if (!isObject(message) || message["method"] !== undefined) return;
    const request = this.#open.get(message["id"]);
    this.#open.delete(message["id"]);
    request?.answered.abort(new Error("The request was answered."));
  }

  find(id: string | number): OpenRequest | undefined {
    const request = this.#open.get(id);
    return request && { params: request.params, answered: request.answered.signal };
  }
}
