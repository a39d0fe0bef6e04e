// The user's changes to the prompts of a session that are not sent yet.
import type { SessionEvent } from "./events.ts";
import type { PromptDelivery } from "./promptDelivery.ts";
import { nextPrompt, withPromptText } from "./promptQueue.ts";
import type { SessionState } from "./state.ts";

export interface QueueEditorOptions {
  readonly prompts: PromptDelivery;
  readonly state: () => SessionState;
  readonly dispatch: (event: SessionEvent) => void;
  /** Sends the next prompt, if the queue is not paused. */
  readonly sendNext: () => void;
}

/** Changes the queue. Prompts that the agent has, and prompts that are being sent, do not change. */
export class QueueEditor {
  readonly #options: QueueEditorOptions;

  constructor(options: QueueEditorOptions) {
    this.#options = options;
  }

  /** Removes a prompt that is not sent yet, or asks the agent to give it back. */
  withdraw(promptId: string): void {
    if (!this.#has(promptId)) return this.#options.prompts.withdrawHeld(promptId);
    this.#change({ type: "promptWithdrawn", submission: promptId });
  }

  /** Changes the text of a prompt. If nothing is left of the prompt, it is withdrawn. */
  edit(promptId: string, text: string): void {
    const edited = this.#options.prompts.queued.find(s => s.id === promptId);
    if (!edited) return;
    if (withPromptText(edited.content, text).length === 0) return this.withdraw(promptId);
    this.#change({ type: "promptEdited", submission: promptId, text });
  }

  /** Moves a prompt before another one, or to the end of the queue. */
  move(promptId: string, before?: string): void {
    if (!this.#has(promptId) || (before !== undefined && !this.#has(before))) return;
    this.#change({ type: "promptMoved", submission: promptId, ...(before !== undefined && { before }) });
  }

  /** Puts a prompt on hold: neither it nor the prompts behind it are sent when a turn ends. */
  hold(promptId: string): void {
    if (this.#has(promptId)) this.#change({ type: "promptOnHold", submission: promptId, onHold: true });
  }

  /** Lets a prompt on hold go out when its turn comes. */
  release(promptId: string): void {
    if (this.#has(promptId)) this.#change({ type: "promptOnHold", submission: promptId, onHold: false });
  }

  #has(promptId: string): boolean {
    return this.#options.prompts.queued.some(s => s.id === promptId);
  }

  /** A change can leave a prompt first that is not on hold. Then nothing else would send it. */
  #change(event: SessionEvent): void {
    const { state, dispatch, sendNext } = this.#options;
    const wasOnHold = nextPrompt(state()) === undefined;
    dispatch(event);
    if (wasOnHold && nextPrompt(state()) !== undefined) sendNext();
  }
}
