// The prompts that an agent has not accepted yet, and their echoes. Version 2 names the message of a prompt in the
// answer, before or after the agent repeats it. The first draft of version 2 (RFD "Prompt lifecycle") answered `{}`: then
// the next echo names the message. No I/O.
import type { ContentBlock } from "../../session/events.ts";

/** A prompt on its way. */
interface SentPrompt {
  readonly text: string;
  readonly resolve: (messageId: string) => void;
  readonly reject: (error: Error) => void;
  /** The agent has answered without an id. */
  isAnswered: boolean;
}

/** A message of the user that the agent has reported, and no prompt is known for. */
interface Echo {
  readonly messageId: string;
  text: string;
}

const textOf = (content: readonly ContentBlock[]): string =>
  content.map(block => (block.type === "text" ? block.text : "")).join("");

/** At most this many reported messages are kept for prompts whose answers name none. */
const maxEchoes = 100;

/** Finds the message of each prompt. */
export class SentPrompts {
  readonly #sent: SentPrompt[] = [];
  #echoes: Echo[] = [];

  /** A prompt was sent. The promise resolves with the id of its message once it is known. */
  add(content: readonly ContentBlock[]): { readonly prompt: object; readonly messageId: Promise<string> } {
    if (this.#sent.length === 0) this.#echoes = [];
    let resolve: (messageId: string) => void = () => {};
    let reject: (error: Error) => void = () => {};
    const messageId = new Promise<string>((settle, fail) => {
      resolve = settle;
      reject = fail;
    });
    messageId.catch(() => {}); // The sender of a refused prompt does not wait for it.
    const prompt: SentPrompt = { text: textOf(content), resolve, reject, isAnswered: false };
    this.#sent.push(prompt);
    return { prompt, messageId };
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
    if (this.#sent.length === 0) return;
    const known = this.#echoes.find(echo => echo.messageId === messageId);
    const echo = known ?? { messageId, text: "" };
    echo.text += textOf(content);
    if (!known) this.#echoes = [...this.#echoes, echo].slice(-maxEchoes);
    const sent = this.#sent.find(each => each.isAnswered && isEcho(echo.text, each.text));
    if (sent) this.#settle(sent, messageId);
  }

  /** The turn is over, so no echo follows: prompts whose message is still unknown get other ids. */
  turnEnded(newId: () => string): void {
    for (const sent of this.#sent.filter(each => each.isAnswered))
      this.#settle(sent, this.#echoes[0]?.messageId ?? newId());
  }

  /** The session is closed. */
  dispose(): void {
    for (const sent of this.#sent.splice(0)) sent.reject(new Error("The session was closed."));
  }

  #settle(sent: SentPrompt, messageId: string): void {
    this.remove(sent);
    this.#echoes = this.#echoes.filter(echo => echo.messageId !== messageId);
    sent.resolve(messageId);
  }
}

/** Whether the text is the prompt or its beginning. An agent can leave out attachments. */
const isEcho = (text: string, prompt: string): boolean => prompt.startsWith(text) || text.startsWith(prompt);
