// The prompts that an agent has not named yet, and their echoes. Version 2 names the message of a prompt in the answer,
// before or after the agent repeats it. The first draft of version 2 (RFD "Prompt lifecycle") answered `{}`: then the echo
// names the message. It can come after the turn of the prompt, which is in the conversation by then. No I/O.
import type { AcceptedPrompt, UnnamedPrompt } from "../../session/agent.ts";
import type { ContentBlock } from "../../session/events.ts";
import { EchoProgress } from "../echoProgress.ts";

/** The message of a prompt. */
export interface SettledPrompt extends AcceptedPrompt {
  /** Parley has created the id, because the agent has not named the message. */
  readonly isUnnamed?: true;
}

/** A prompt without an id of the agent. */
interface SentPrompt {
  /** What the user wrote, without context that Parley attached. */
  readonly content: readonly ContentBlock[];
  /** The agent got more than text with it. */
  readonly hasOther: boolean;
  readonly resolve: (settled: SettledPrompt) => void;
  readonly reject: (error: Error) => void;
  /** The agent worked on something else when the prompt was sent. */
  readonly isSteered: boolean;
  /** The agent has answered without an id. */
  isAnswered: boolean;
  /** The agent began to work after its answer, or before it: then it can have begun to work on something else. */
  begun: "after" | "before" | undefined;
  /** The id of its message in the conversation, which Parley created. */
  shownAs?: string;
}

/** A message of the user that the agent reports, and the prompts that it can be the echo of. */
interface Echo {
  readonly messageId: string;
  /** In the order in which the prompts were sent. */
  readonly candidates: readonly { readonly prompt: SentPrompt; readonly progress: EchoProgress }[];
  hasText: boolean;
  hasOther: boolean;
  /** The pieces that are not in the conversation, because they may repeat a prompt that is. */
  held: ContentBlock[];
  /** The agent has begun to work since the latest piece. */
  isQuiet: boolean;
  /** The agent has ended the work in which it reported the message. */
  isTurnOver: boolean;
}

/**
 * What a message of the user is. `own`: the repetition of a prompt that is in the conversation already. `held`: it may
 * become one. `other`: anything else. `pieces`: all pieces that were held, with this one.
 */
export type EchoOutcome =
  | { readonly type: "own"; readonly prompt: UnnamedPrompt; readonly pieces: readonly ContentBlock[] }
  | { readonly type: "held" }
  | { readonly type: "other"; readonly pieces: readonly ContentBlock[] };

/** A message whose pieces were held. */
export interface ReleasedMessage {
  readonly messageId: string;
  readonly outcome: EchoOutcome;
}

/** At most this many reported messages are compared with prompts. */
const maxEchoes = 100;
/** At most this many prompts in the conversation wait for their names. */
const maxUnnamed = 100;
/** At most this many pieces of a message are held. */
const maxHeld = 10_000;

/** Finds the message of each prompt. */
export class SentPrompts {
  /** In the order in which they were sent. */
  #prompts: readonly SentPrompt[];
  #echoes: readonly Echo[] = [];
  #isWorking = false;
  /** The user pressed Stop since the agent began to work. */
  #isStopped = false;
  /** The agent repeats prompts. */
  #repeats = false;
  /** The last prompt with a known message. */
  #lastSettled: string | undefined;

  /** `unnamed`: prompts of an earlier connection that are in the conversation, and that the agent has not named. */
  constructor(unnamed: readonly UnnamedPrompt[] = []) {
    this.#prompts = unnamed.slice(-maxUnnamed).map(({ messageId, content }): SentPrompt => ({
      ...{ content, hasOther: hasOther(content), shownAs: messageId, isSteered: false, isAnswered: true },
      ...{ begun: undefined, resolve: () => {}, reject: () => {} },
    }));
  }

  /**
   * A prompt was sent. The promise resolves once the message of the prompt is known. `context`: what Parley attached to the
   * content.
   */
  add(
    content: readonly ContentBlock[],
    context: readonly ContentBlock[] = [],
  ): { readonly prompt: object; readonly accepted: Promise<SettledPrompt> } {
    if (this.#waiting.length === 0) this.#echoes = this.#echoes.filter(({ held }) => held.length > 0);
    let resolve: (settled: SettledPrompt) => void = () => {};
    let reject: (error: Error) => void = () => {};
    const accepted = new Promise<SettledPrompt>((settle, fail) => {
      resolve = settle;
      reject = fail;
    });
    accepted.catch(() => {}); // The sender of a refused prompt does not wait for it.
    const prompt: SentPrompt = {
      ...{ content, hasOther: hasOther(content) || context.length > 0, resolve, reject },
      ...{ isSteered: this.#isWorking, isAnswered: false, begun: undefined },
    };
    this.#prompts = [...this.#prompts, prompt];
    return { prompt, accepted };
  }

  /** The prompts that are not in the conversation yet. */
  get #waiting(): readonly SentPrompt[] {
    return this.#prompts.filter(({ shownAs }) => shownAs === undefined);
  }

  /** The agent answered. Without an id, the echo of the prompt names it. */
  answered(prompt: object, messageId: string | undefined): void {
    const sent = this.#prompts.find(each => each === prompt);
    if (!sent) return;
    if (messageId !== undefined) return this.#settle(sent, messageId);
    sent.isAnswered = true;
    const echo = this.#echoes.find(each => each.held.length === 0 && repeated(each, false) === sent);
    if (echo) this.#settle(sent, echo.messageId);
  }

  /** The agent refused the prompt. */
  remove(prompt: object): void {
    this.#prompts = this.#prompts.filter(each => each !== prompt);
  }

  /**
   * The agent reported a message of the user, or a piece of it. `isNew`: the message was not known before. `isEarlier`: it
   * is known from an earlier connection. `isWhole`: it is all of the message.
   */
  echoed(
    messageId: string,
    content: readonly ContentBlock[],
    { isNew, isEarlier, isWhole }: { readonly isNew: boolean; readonly isEarlier: boolean; readonly isWhole: boolean },
  ): EchoOutcome {
    if (messageId === this.#lastSettled || isEarlier) this.#repeats = true;
    const echo = this.#echoes.find(each => each.messageId === messageId) ?? (isNew && this.#begin(messageId));
    if (!echo) return { type: "other", pieces: content };
    if (isWhole) restart(echo);
    const pieces = [...echo.held, ...content];
    advance(echo, content);
    const prompt = repeated(this.#withOpen(echo), isWhole);
    if (prompt) return this.#named(echo, prompt, pieces);
    // A whole message that is shorter than a prompt is not its beginning.
    if (isWhole) for (const { progress } of echo.candidates) if (!progress.isComplete) progress.stop();
    const isHeld = !isWhole && pieces.length <= maxHeld && this.#withOpen(echo).candidates.some(mayBeShown);
    echo.held = isHeld ? pieces : [];
    return isHeld ? { type: "held" } : { type: "other", pieces };
  }

  /** The message can be the echo of any prompt that was sent before. */
  #begin(messageId: string): Echo | undefined {
    if (this.#prompts.length === 0) return undefined;
    const others =
      this.#echoes.length < maxEchoes
        ? this.#echoes
        : this.#echoes.filter((each, at) => each.held.length > 0 || at !== this.#echoes.findIndex(isNotHeld));
    if (others.length >= maxEchoes) return undefined;
    const candidates = this.#prompts.map(prompt => ({ prompt, progress: new EchoProgress(prompt.content) }));
    const echo: Echo = {
      ...{ messageId, candidates, hasText: false, hasOther: false, held: [], isQuiet: false, isTurnOver: false },
    };
    restart(echo);
    this.#echoes = [...others, echo];
    return echo;
  }

  /** The echo with the candidates that still have no name. */
  #withOpen(echo: Echo): Echo {
    return { ...echo, candidates: echo.candidates.filter(({ prompt }) => this.#prompts.includes(prompt)) };
  }

  #named(echo: Echo, prompt: SentPrompt, pieces: readonly ContentBlock[]): EchoOutcome {
    const { content, shownAs } = prompt;
    echo.held = [];
    if (shownAs === undefined) {
      this.#settle(prompt, echo.messageId);
      return { type: "other", pieces };
    }
    this.remove(prompt);
    this.#repeats = true;
    this.#echoes = this.#echoes.filter(each => each !== echo);
    return { type: "own", prompt: { messageId: shownAs, content }, pieces };
  }

  /** The agent reported that it works. */
  working(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (const echo of this.#echoes) echo.isQuiet = true;
    for (const sent of this.#waiting) {
      if (sent.isAnswered) sent.begun = "after";
      else if (!sent.isSteered) sent.begun = "before";
    }
  }

  /**
   * The agent reported that it is idle. If it has worked, prompts that it answered before get ids of Parley, which their
   * echoes replace. Returns held messages that the agent does not continue.
   */
  idle(newId: () => string): readonly ReleasedMessage[] {
    if (!this.#isWorking) return [];
    this.#isWorking = false;
    for (const echo of this.#echoes) echo.isTurnOver = true;
    const released = this.#release(({ isQuiet }) => isQuiet);
    for (const sent of this.#waiting) {
      if (!sent.isAnswered) continue;
      if (sent.begun === undefined && !this.#isStopped) continue;
      // An agent that repeats prompts may have worked on something else, so the turn of the prompt can be still to come.
      const isOver = sent.begun !== "before" || !this.#repeats || this.#isStopped;
      this.#settleWithoutName(sent, isOver, newId);
    }
    this.#isStopped = false;
    return released;
  }

  /** The user pressed Stop. An idle agent does not begin to work on prompts that it answered before. */
  stopped(newId: () => string): void {
    this.#isStopped = this.#isWorking;
    if (this.#isWorking) return;
    for (const sent of this.#waiting) if (sent.isAnswered) this.#settleWithoutName(sent, true, newId);
  }

  /** Returns all messages that are held. */
  releaseAll(): readonly ReleasedMessage[] {
    return this.#release(() => true);
  }

  #release(isOver: (echo: Echo) => boolean): readonly ReleasedMessage[] {
    return this.#echoes.filter(isOver).flatMap((echo): readonly ReleasedMessage[] => {
      const { messageId, held } = echo;
      const prompt = repeated(this.#withOpen(echo), true);
      if (prompt) return [{ messageId, outcome: this.#named(echo, prompt, held) }];
      echo.held = [];
      return held.length > 0 ? [{ messageId, outcome: { type: "other", pieces: held } }] : [];
    });
  }

  /** The message of the prompt is one that the agent has begun to repeat, or a new one. */
  #settleWithoutName(sent: SentPrompt, isOver: boolean, newId: () => string): void {
    const echo = this.#echoes.find(({ candidates, held, hasText }) =>
      candidates.some(({ prompt, progress }) => {
        return prompt === sent && progress.isBegun && hasText && held.length === 0;
      }),
    );
    if (echo) return this.#settle(sent, echo.messageId, true);
    const messageId = newId();
    sent.shownAs = messageId;
    this.#lastSettled = messageId;
    const unnamed = this.#prompts.filter(({ shownAs }) => shownAs !== undefined);
    if (unnamed.length > maxUnnamed) this.#prompts = this.#prompts.filter(each => each !== unnamed[0]);
    sent.resolve({ messageId, isTurnOver: isOver, isUnnamed: true });
  }

  /** The session is closed. */
  dispose(): void {
    for (const sent of this.#waiting) sent.reject(new Error("The session was closed."));
    this.#prompts = [];
  }

  #settle(sent: SentPrompt, messageId: string, isOver?: boolean): void {
    this.remove(sent);
    this.#lastSettled = messageId;
    const echo = this.#echoes.find(each => each.messageId === messageId);
    if (echo || this.#echoes.some(each => repeatsOther(each, sent))) this.#repeats = true;
    this.#echoes = this.#echoes.filter(each => each !== echo);
    // Without an echo, the agent has not inserted the prompt, if it repeats prompts.
    const isTurnOver = isOver ?? echo?.isTurnOver ?? (this.#repeats ? false : undefined);
    sent.resolve({ messageId, ...(isTurnOver !== undefined && { isTurnOver }) });
  }
}

type Candidate = Echo["candidates"][number];

const hasOther = (content: readonly ContentBlock[]): boolean => content.some(({ type }) => type !== "text");

const isNotHeld = ({ held }: Echo): boolean => held.length === 0;

/** Whether a message can become the repetition of a prompt that is in the conversation. */
const mayBeShown = ({ prompt, progress }: Candidate): boolean => prompt.shownAs !== undefined && progress.isBegun;

function restart(echo: Echo): void {
  for (const { progress } of echo.candidates) progress.restart();
  [echo.hasText, echo.hasOther, echo.held] = [false, false, []];
}

function advance(echo: Echo, content: readonly ContentBlock[]): void {
  echo.isQuiet = false;
  for (const block of content) {
    if (block.type !== "text") {
      echo.hasOther = true;
      for (const { prompt, progress } of echo.candidates) if (!prompt.hasOther) progress.stop();
      continue;
    }
    echo.hasText ||= block.text.trim() !== "";
    for (const { progress } of echo.candidates) progress.advance(block.text);
  }
}

/**
 * The prompt that the message repeats, as far as the agent has answered it. `isWhole`: the message has no further pieces.
 * Otherwise it can still become the repetition of a longer prompt.
 */
function repeated(echo: Echo, isWhole: boolean): SentPrompt | undefined {
  const open = echo.candidates.filter(({ prompt }) => prompt.isAnswered);
  const found = open.find(each => isRepetition(echo, each)) ?? open.find(isWithMore);
  if (!found) return undefined;
  const goesOn = ({ progress }: Candidate): boolean => progress.isBegun && !progress.isComplete;
  return isWhole || !echo.candidates.some(goesOn) ? found.prompt : undefined;
}

/** An agent can leave out attachments if there is a text. */
const isRepetition = ({ hasOther: hasMore }: Echo, { progress }: Candidate): boolean =>
  progress.isComplete && (progress.texts.length > 0 || hasMore);

/** The message has the text of another prompt than this one, or its beginning. */
const repeatsOther = ({ candidates, hasText }: Echo, sent: SentPrompt): boolean =>
  hasText && candidates.some(({ prompt, progress }) => prompt !== sent && progress.isBegun);

/** An agent can repeat attachments as lines after the text. */
const isWithMore = ({ prompt, progress }: Candidate): boolean =>
  progress.isPast && prompt.hasOther && progress.texts.length > 0;
