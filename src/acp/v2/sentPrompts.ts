// The prompts that an agent has not accepted yet, and their echoes. Version 2 names the message of a prompt in the
// answer, before or after the agent repeats it. The first draft of version 2 (RFD "Prompt lifecycle") answered `{}`: then
// the next echo names the message. No I/O.
import type { AcceptedPrompt } from "../../session/agent.ts";
import type { ContentBlock } from "../../session/events.ts";
import { contentText } from "../../session/state.ts";

/** A prompt on its way. */
interface SentPrompt {
  readonly text: string;
  readonly resolve: (accepted: AcceptedPrompt) => void;
  readonly reject: (error: Error) => void;
  /** The agent worked on something else when the prompt was sent. */
  readonly isSteered: boolean;
  /** The agent has answered without an id. */
  isAnswered: boolean;
  /** The agent began to work since it can have had the prompt for that. */
  hasBegun: boolean;
}

/** A message of the user that the agent has reported, and no prompt is known for. */
interface Echo {
  readonly messageId: string;
  text: string;
  /** The agent has ended the work in which it reported the message. */
  isTurnOver: boolean;
}

/** At most this many reported messages are kept for prompts whose answers name none. */
const maxEchoes = 100;

/** Finds the message of each prompt. */
export class SentPrompts {
  readonly #sent: SentPrompt[] = [];
  #echoes: Echo[] = [];
  #isWorking = false;
  /** The agent repeats prompts. */
  #repeats = false;
  /** The last prompt with a known message. */
  #lastSettled: string | undefined;

  /** A prompt was sent. The promise resolves once the message of the prompt is known. */
  add(content: readonly ContentBlock[]): { readonly prompt: object; readonly accepted: Promise<AcceptedPrompt> } {
    if (this.#sent.length === 0) this.#echoes = [];
    let resolve: (accepted: AcceptedPrompt) => void = () => {};
    let reject: (error: Error) => void = () => {};
    const accepted = new Promise<AcceptedPrompt>((settle, fail) => {
      resolve = settle;
      reject = fail;
    });
    accepted.catch(() => {}); // The sender of a refused prompt does not wait for it.
    const isSteered = this.#isWorking;
    const prompt = { text: contentText(content), resolve, reject, isSteered, isAnswered: false, hasBegun: false };
    this.#sent.push(prompt);
    return { prompt, accepted };
  }

  /** The agent answered. Without an id, the echo of the prompt names it. */
  answered(prompt: object, messageId: string | undefined): void {
    const sent = this.#sent.find(each => each === prompt);
    if (!sent) return;
    if (messageId !== undefined) return this.#settle(sent, messageId);
    sent.isAnswered = true;
    const echo = this.#echoes.find(({ text }) => isEcho(text, sent.text));
    if (echo) this.#settle(sent, echo.messageId);
  }

  /** The agent refused the prompt. */
  remove(prompt: object): void {
    const at = this.#sent.findIndex(each => each === prompt);
    if (at >= 0) this.#sent.splice(at, 1);
  }

  /** The agent reported a message of the user, or a piece of it. */
  echoed(messageId: string, content: readonly ContentBlock[]): void {
    if (messageId === this.#lastSettled) this.#repeats = true;
    if (this.#sent.length === 0) return;
    const known = this.#echoes.find(echo => echo.messageId === messageId);
    const echo = known ?? { messageId, text: "", isTurnOver: false };
    echo.text += contentText(content);
    if (!known) this.#echoes = [...this.#echoes, echo].slice(-maxEchoes);
    const sent = this.#sent.find(each => each.isAnswered && isEcho(echo.text, each.text));
    if (sent) this.#settle(sent, messageId);
  }

  /** The agent reported that it works. */
  working(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (const sent of this.#sent) if (sent.isAnswered || !sent.isSteered) sent.hasBegun = true;
  }

  /**
   * The agent reported that it is idle. If it has worked, no echo follows of prompts that it answered: those whose message
   * is still unknown get other ids.
   */
  idle(newId: () => string): void {
    if (!this.#isWorking) return;
    this.#isWorking = false;
    for (const echo of this.#echoes) echo.isTurnOver = true;
    for (const sent of this.#sent.filter(each => each.isAnswered && each.hasBegun))
      this.#settle(sent, this.#echoes[0]?.messageId ?? newId(), true);
  }

  /** The session is closed. */
  dispose(): void {
    for (const sent of this.#sent.splice(0)) sent.reject(new Error("The session was closed."));
  }

  #settle(sent: SentPrompt, messageId: string, isOver?: boolean): void {
    this.remove(sent);
    this.#lastSettled = messageId;
    const echo = this.#echoes.find(each => each.messageId === messageId);
    if (echo) this.#repeats = true;
    this.#echoes = this.#echoes.filter(each => each !== echo);
    // Without an echo, the agent has not inserted the prompt, if it repeats prompts.
    const isTurnOver = isOver ?? echo?.isTurnOver ?? (this.#repeats ? false : undefined);
    sent.resolve({ messageId, ...(isTurnOver !== undefined && { isTurnOver }) });
  }
}

/** Whether the text is the prompt or its beginning. An agent can leave out attachments. */
const isEcho = (text: string, prompt: string): boolean => prompt.startsWith(text) || text.startsWith(prompt);
