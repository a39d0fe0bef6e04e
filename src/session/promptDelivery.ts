// Sends the queued prompts of a session to its agent, one turn at a time.
import { ProblemError, asError, asProblem } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { turnBegan } from "./activity.ts";
import {
  PromptReturnedError,
  SessionGoneError,
  SignInNeededError,
  type AcceptedPrompt,
  type AgentSession,
} from "./agent.ts";
import { areChoicesOpen } from "./choices.ts";
import type { PageStore } from "./conversation/conversationPages.ts";
import { attachedConversation } from "./opening/openAgentSession.ts";
import type { ContentBlock, SessionEvent } from "./events.ts";
import type { AgentSessionIds } from "./opening/agentSessionIds.ts";
import type { Participants } from "./participant.ts";
import { nextPrompt } from "./promptQueue.ts";
import { promptContentForAgent, type PromptCapabilities } from "./promptContentForAgent.ts";
import { isBusy, type PendingPrompt, type SessionState } from "./state.ts";

/** The open session at the agent, as prompts need it. */
export interface PromptLink {
  readonly session: AgentSession;
  readonly accepts: PromptCapabilities;
  readonly ids: AgentSessionIds;
  /** Whether the connection to the agent has ended. */
  readonly hasEnded: () => boolean;
}

export interface PromptDeliveryOptions {
  readonly agentName: string;
  readonly state: () => SessionState;
  /** Undefined while there is none. */
  readonly link: () => PromptLink | undefined;
  readonly dispatch: (event: SessionEvent) => void;
  readonly participants: Participants;
  /** Keeps the pages of a conversation that is too long for a prompt. */
  readonly pages?: PageStore | undefined;
  readonly log: Log;
  /** Further prompts wait for the user. */
  readonly pause: () => void;
  /** The agent no longer has its session. */
  readonly onForgotten: () => void;
}

/** Decides when a prompt goes out. */
export class PromptDelivery {
  readonly #options: PromptDeliveryOptions;
  /** The prompt whose turn is being prepared. It is not sent yet, so it may still be edited or withdrawn. */
  #preparing: string | undefined;
  /** Ends the wait for the preparation. */
  #stopPreparing: (() => void) | undefined;
  /** The prompts that are being sent to the agent. */
  readonly #sending = new Set<string>();
  /** Ask the agent to give prompts back that it holds, by the ids of the prompts. */
  readonly #withdrawals = new Map<string, AbortController>();
  /** The prompt that the agent refused until the user signs in. It was not run. */
  #refused: Pick<PendingPrompt, "id" | "content"> | undefined;
  /** The number of turns that began and that no accepted prompt is known for. */
  #turns = 0;

  constructor(options: PromptDeliveryOptions) {
    this.#options = options;
  }

  get isPreparing(): boolean {
    return this.#preparing !== undefined;
  }

  /** Prompts that are neither sent nor being sent. */
  get queued(): readonly PendingPrompt[] {
    return this.#options.state().pendingPrompts.filter(s => s.messageId === undefined && !this.#sending.has(s.id));
  }

  /** The agent refused this prompt until the user signs in, and it is the first of the queue again. */
  refused(prompt: Pick<PendingPrompt, "id" | "content">): void {
    this.#refused = prompt;
  }

  /**
   * Whether the prompt that the agent refused until the user signs in is the next one, as the user wrote it. True only
   * once for each refusal, so that the prompt is sent once for each sign-in.
   */
  takeRefused(): boolean {
    const refused = this.#refused;
    this.#refused = undefined;
    const [next] = this.queued;
    return next !== undefined && next.id === refused?.id && next.content === refused.content;
  }

  /** Call this after each change of the state. */
  stateChanged(before: SessionState, after: SessionState): void {
    if (turnBegan(before, after) && after.turnPrompt === null) this.#turns++;
  }

  /**
   * Sends the next queued prompt if no turn is running: one turn at a time (spec page "Prompt Turn"). The prompt waits
   * until the agent has the user's choices, so that it never runs in another mode than the panel shows. `ready` is the
   * prompt whose turn has just been prepared.
   */
  sendNext(ready?: string): void {
    const { link, participants } = this.#options;
    const remote = link();
    const state = this.#options.state();
    const next = nextPrompt(state);
    if (!remote || !next || state.queuePaused || this.#sending.size > 0 || isBusy(state)) return;
    if (this.#preparing !== undefined || areChoicesOpen(state)) return;
    if (participants.preparesTurns && ready !== next.id) return void this.#prepareTurn(next.id);
    const attached = attachedConversation(state, next.content, remote.accepts);
    this.#send(next, remote, (content, withdrawn) => {
      if (!attached.makePages || !this.#options.pages)
        return remote.session.prompt(content, attached.content, withdrawn);
      return this.#writePages(attached.makePages).then(paths => {
        if (withdrawn.aborted) throw new PromptReturnedError();
        const context = attachedConversation(state, next.content, remote.accepts, paths).content;
        return remote.session.prompt(content, context, withdrawn);
      });
    });
  }

  /** Writes the pages of a conversation. Without them, the prompt goes out with the end of the conversation. Never rejects. */
  async #writePages(make: (pause: () => Promise<void>) => Promise<readonly string[]>): Promise<readonly string[]> {
    const { pages, log } = this.#options;
    try {
      const texts = await make(() => new Promise(resolve => setImmediate(resolve)));
      return (await pages?.write("conversation", texts)) ?? [];
    } catch (error) {
      log.warn("The pages of a conversation could not be written.", asError(error).message);
      return [];
    }
  }

  /** Sends a queued prompt into the running turn. Returns false if the agent accepts none. */
  sendWhileRunning(promptId: string): boolean {
    const remote = this.#options.link();
    const prompt = this.queued.find(({ id }) => id === promptId);
    const { session } = remote ?? {};
    if (!remote || !prompt || session?.sendWhileRunning === undefined || !isBusy(this.#options.state())) return false;
    if (prompt.isOnHold) this.#options.dispatch({ type: "promptOnHold", submission: promptId, onHold: false });
    this.#send(
      prompt,
      remote,
      (content, withdrawn) =>
        session.sendWhileRunning?.(content, withdrawn) ?? session.prompt(content, undefined, withdrawn),
    );
    return true;
  }

  /** The user withdraws a prompt that the agent holds: asks the agent to give it back. The agent can accept it instead. */
  withdrawHeld(promptId: string): void {
    this.#withdrawals.get(promptId)?.abort();
  }

  #send(
    prompt: PendingPrompt,
    remote: PromptLink,
    send: (content: readonly ContentBlock[], withdrawn: AbortSignal) => Promise<AcceptedPrompt>,
  ): void {
    const { agentName, dispatch, state } = this.#options;
    const { session, accepts, ids } = remote;
    const submission = prompt.id;
    const turns = this.#turns;
    this.#sending.add(submission);
    const withdrawal = new AbortController();
    this.#withdrawals.set(submission, withdrawal);
    if (session.holdsPrompts) dispatch({ type: "promptSubmitted", submission });
    const fitted = promptContentForAgent(prompt.content, accepts, agentName);
    const sent =
      "refused" in fitted
        ? Promise.reject(new ProblemError({ message: fitted.refused, next: [] }))
        : send(fitted.content, withdrawal.signal);
    sent
      .then(
        ({ messageId, isTurnOver = this.#turns !== turns }) => {
          const awaitsTurn = !isTurnOver && state().activity.state === "idle";
          const accepted = { submission, messageId: ids.suffixId(messageId) };
          dispatch({ type: "promptAccepted", ...accepted, ...(awaitsTurn && { awaitsTurn }) });
        },
        (error: unknown) => {
          if (!(error instanceof PromptReturnedError)) {
            // The agent may have the prompt, which stays submitted until the session opens again (promptsOfLostAgent.ts).
            if (session.holdsPrompts && (this.#options.link() !== remote || remote.hasEnded())) return;
            const forgotten = error instanceof SessionGoneError && ({ forgotten: true } as const);
            dispatch({ type: "promptFailed", submission, problem: asProblem(error), ...forgotten });
            if (forgotten) this.#options.onForgotten();
            return;
          }
          if (error instanceof SignInNeededError) this.refused(prompt);
          this.#sending.delete(submission);
          if (withdrawal.signal.aborted) return dispatch({ type: "promptWithdrawn", submission });
          // It is in the queue again, so a pause applies to it. Sending it again at once could go on for ever.
          if (!error.sendLater) this.#options.pause();
          dispatch({ type: "promptReturned", submission });
        },
      )
      .finally(() => {
        this.#sending.delete(submission);
        this.#withdrawals.delete(submission);
        this.sendNext();
      });
  }

  /** Lets the participants prepare a turn, then sends the prompt in any case. Never rejects. */
  async #prepareTurn(promptId: string): Promise<void> {
    this.#preparing = promptId;
    const stop = new Promise<void>(resolve => (this.#stopPreparing = resolve));
    await this.#options.participants.beforeTurn(promptId, stop);
    this.#stopPreparing = undefined;
    this.#preparing = undefined;
    this.sendNext(promptId);
  }

  dispose(): void {
    this.#stopPreparing?.();
  }
}
