// Forms and web addresses that an agent asks for, on behalf of a session or of a request of Parley that is still open.
import { Refusal } from "../base/errors.ts";
import type { FormClient } from "../session/agent.ts";
import type { FormAnswer } from "../session/forms/form.ts";
import type { OpenRequests } from "./openRequests.ts";
import { asString, type JsonObject } from "./parse.ts";
import type { Elicitation } from "./readElicitation.ts";

/** A session that can show a form. */
interface FormSession {
  readonly client: FormClient;
  /** The id of a tool call in the conversation. */
  shownId(sessionId: string | undefined, toolCallId: string): string;
}

/** Finds the client that shows a form. */
export class FormRequests {
  readonly #openRequests: OpenRequests;
  readonly #findSession: (sessionId: string) => Promise<FormSession | undefined>;
  /** The clients of requests that name no session, by their parameters. */
  readonly #clients = new WeakMap<object, FormClient>();
  /** The clients that show a web address, by its id. */
  readonly #addresses = new Map<string, FormClient>();
  #open = 0;

  constructor(openRequests: OpenRequests, findSession: (sessionId: string) => Promise<FormSession | undefined>) {
    this.#openRequests = openRequests;
    this.#findSession = findSession;
  }

  /** Whether the agent waits for the user. */
  get areOpen(): boolean {
    return this.#open > 0;
  }

  /**
   * The client shows what the agent asks for on behalf of the request with these parameters, until it is answered. The
   * recorded traffic has the parameters for longer.
   */
  setClient(params: JsonObject, client: FormClient, answer: Promise<unknown>): void {
    this.#clients.set(params, client);
    const forget = (): void => void this.#clients.delete(params);
    answer.then(forget, forget);
  }

  /** Shows a form or a web address. Rejects with a Refusal if no session or request has the id. */
  async ask({ scope, ...asked }: Elicitation, signal: AbortSignal): Promise<FormAnswer> {
    const request = "requestId" in scope ? this.#openRequests.find(scope.requestId) : undefined;
    const sessionId = "requestId" in scope ? asString(request?.params["sessionId"]) : scope.sessionId;
    const session = sessionId === undefined ? undefined : await this.#findSession(sessionId);
    const client = session?.client ?? (request && this.#clients.get(request.params));
    if (!client) throw new Refusal("notFound", "There is no open request or session with this id.", scope);
    if (asked.type === "url") this.#addresses.set(asked.elicitationId, client);
    const asker = "toolCallId" in scope ? scope.toolCallId : undefined;
    const toolCallId = asker === undefined ? undefined : (session?.shownId(sessionId, asker) ?? asker);
    this.#open++;
    try {
      const answer = await client.askForm(
        { ...asked, ...(toolCallId !== undefined && { toolCallId }) },
        request ? AbortSignal.any([signal, request.answered]) : signal,
      );
      // Nothing is shown any more, so the agent has nothing to complete.
      if (asked.type === "url" && (answer === "cancelled" || answer.action !== "accept"))
        this.#addresses.delete(asked.elicitationId);
      return answer;
    } finally {
      this.#open--;
    }
  }

  /** The agent no longer needs the web address with this id. */
  complete(elicitationId: string): void {
    this.#addresses.get(elicitationId)?.completeAddress(elicitationId);
    this.#addresses.delete(elicitationId);
  }
}
