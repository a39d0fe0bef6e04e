// The open forms and web addresses of a session. The state has the record and only this map has the promise, as for
// permissions. Invariant: each is answered exactly once.
import type { Disposable } from "../../base/lifecycle.ts";
import type { SessionEvent } from "../events.ts";
import type { AgentSessionIds } from "../opening/agentSessionIds.ts";
import { isFinal, toolKey, type SessionState } from "../state.ts";
import {
  completeAnswers,
  loggedAnswers,
  type Form,
  type FormAnswer,
  type FormDecision,
  type FormRequest,
  type FormValue,
} from "./form.ts";
import { rememberSecretAnswers } from "./secretAnswers.ts";

interface FormBrokerOptions {
  /** Receives `askOpened`, `addressOpened` and `askClosed`. */
  readonly report: (event: SessionEvent) => void;
  readonly newId: () => string;
}

interface OpenForm {
  readonly request: Exclude<FormRequest, { type: "declined" }>;
  readonly settle: (answer: FormAnswer) => void;
  /** The user has opened the web address. The agent knows, and its answer is `accept`. */
  isOpened: boolean;
}

/** Asks the user for forms, and settles every promise it returns. */
export class FormBroker implements Disposable {
  readonly #options: FormBrokerOptions;
  readonly #open = new Map<string, OpenForm>();
  #disposed = false;

  constructor(options: FormBrokerOptions) {
    this.#options = options;
  }

  /** Resolves with the answer, or with `cancelled` once the signal aborts or if it is aborted already. */
  ask(request: FormRequest, signal?: AbortSignal): Promise<FormAnswer> {
    if (this.#disposed || signal?.aborted) return Promise.resolve("cancelled");
    const ask = this.#options.newId();
    if (request.type === "declined") {
      const { reason } = request;
      this.#options.report({ ...askEvent(ask, request), reason, answer: { action: "decline" } });
      return Promise.resolve({ action: "decline" });
    }
    return new Promise(resolve => {
      const abort = (): void => this.cancel(ask);
      signal?.addEventListener("abort", abort, { once: true });
      const settle = (answer: FormAnswer): void => {
        signal?.removeEventListener("abort", abort);
        resolve(answer);
      };
      this.#open.set(ask, { request, settle, isOpened: false });
      this.#options.report(askEvent(ask, request));
    });
  }

  /** An open form. */
  form(ask: string): Form | undefined {
    const request = this.#open.get(ask)?.request;
    return request?.type === "form" ? request.form : undefined;
  }

  /** The answers are sent to the agent. False, without effect, if the form is incomplete or no longer open. */
  accept(ask: string, answers: ReadonlyMap<string, FormValue>): boolean {
    const form = this.form(ask);
    const values = form && completeAnswers(form, answers);
    if (!form || !values) return false;
    rememberSecretAnswers(form, values);
    this.#close(ask, { action: "accept", answers: loggedAnswers(form, values) }, { action: "accept", values });
    return true;
  }

  decline(ask: string): void {
    this.#close(ask, { action: "decline" }, { action: "decline" });
  }

  cancel(ask: string): void {
    this.#close(ask, "cancelled", "cancelled");
  }

  /**
   * The user consents to open the web address, which is the agent's answer. Returns the address. The card stays until the
   * agent reports the end.
   */
  openAddress(ask: string): string | undefined {
    const open = this.#open.get(ask);
    if (open?.request.type !== "url") return undefined;
    if (!open.isOpened) {
      open.isOpened = true;
      this.#options.report({ type: "addressOpened", ask });
      open.settle({ action: "accept" });
    }
    return open.request.address.href;
  }

  /** The agent no longer needs the web address. Unknown ids are ignored (spec page "Elicitation"). */
  complete(elicitationId: string): void {
    this.#cancelWhere(({ request }) => request.type === "url" && request.elicitationId === elicitationId);
  }

  /** Cancels what is open and fits, because the work was stopped or the agent is gone. */
  cancelAll(fits: (ask: string) => boolean = () => true): void {
    for (const ask of [...this.#open.keys()]) if (fits(ask)) this.cancel(ask);
  }

  /** Cancels the forms of tool calls that have ended. */
  stateChanged({ entries }: SessionState): void {
    if (this.#open.size === 0) return;
    this.#cancelWhere(({ request: { toolCallId } }) => {
      const entry = toolCallId === undefined ? undefined : entries.get(toolKey(toolCallId));
      return entry?.kind === "tool" && (entry.closed === true || isFinal(entry.fields.status));
    });
  }

  dispose(): void {
    this.cancelAll();
    this.#disposed = true;
  }

  #cancelWhere(fits: (open: OpenForm) => boolean): void {
    for (const [ask, open] of [...this.#open]) if (fits(open)) this.cancel(ask);
  }

  #close(ask: string, decision: FormDecision | "cancelled", answer: FormAnswer): void {
    const open = this.#open.get(ask);
    if (!open) return;
    this.#open.delete(ask);
    try {
      // The user's consent stays the answer, whatever closes the card.
      this.#options.report({ type: "askClosed", ask, answer: open.isOpened ? { action: "accept" } : decision });
    } finally {
      open.settle(answer);
    }
  }
}

function askEvent(ask: string, request: FormRequest): Extract<SessionEvent, { type: "askOpened" }> {
  const { toolCallId } = request;
  return {
    type: "askOpened",
    ask,
    title: request.type === "form" ? request.form.message : request.message,
    ...(toolCallId !== undefined && { toolCallId }),
    options: [],
    ...(request.type === "url" ? { kind: "url", address: request.address } : { kind: "form" }),
    ...(request.type === "form" && { form: request.form }),
  };
}

/** The request with the id that its tool call has in the session. */
export const suffixedRequest = (request: FormRequest, ids: AgentSessionIds): FormRequest =>
  request.toolCallId === undefined ? request : { ...request, toolCallId: ids.suffixId(request.toolCallId) };
