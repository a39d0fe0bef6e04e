// What an agent does not report: a turn that ends without anything that the user can see, and a turn in which nothing
// arrives for a while.
import { t } from "../base/l10n.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import type { Problem } from "../base/errors.ts";
import type { SessionEvent } from "./events.ts";
import { isBusy, isFinal, openQuestions, type SessionState } from "./state.ts";

/** After this time without a report, the panel says that it waits for the agent. Milliseconds. */
const maxSilence = 10_000;

/** Reports of the agent, and whether the user can see them. Usage, the title and the lists of commands are no answer. */
const reports: { readonly [Type in SessionEvent["type"]]?: "shown" | "unseen" } = {
  ...{ message: "shown", messageChunk: "shown", tool: "shown", toolChunk: "shown", terminal: "shown" },
  ...{ terminalOutput: "shown", plan: "shown", planRemoved: "shown", options: "shown", option: "shown" },
  ...{ notice: "shown", compaction: "shown", compactionChunk: "shown", askOpened: "shown" },
  ...{ activity: "unseen", commands: "unseen", usage: "unseen", info: "unseen", unknown: "unseen" },
};

/** The state with what the event, which led from `before` to `after`, shows of the turn and its silence. */
export function trackSilence(before: SessionState, after: SessionState, event: SessionEvent): SessionState {
  const began = before.activity.state === "idle" && after.activity.state !== "idle";
  const isShown = reports[event.type] === "shown" && !isPromptOrBlank(event);
  const isTurnShown = isShown || (after.isTurnShown && !began);
  const isHeard = reports[event.type] !== undefined || event.type === "askClosed" || !isBusy(after) || after.cancelling;
  const silentSince = isHeard ? null : after.silentSince;
  if (isTurnShown === after.isTurnShown && silentSince === after.silentSince) return after;
  return { ...after, isTurnShown, silentSince };
}

/** Whether the event is an echo of a prompt, or a message without anything in it. */
function isPromptOrBlank(event: SessionEvent): boolean {
  if (event.type !== "message" && event.type !== "messageChunk") return false;
  const blocks = [event.content ?? []].flat();
  return event.author === "user" || blocks.every(block => block.type === "text" && block.text.trim() === "");
}

/** The problem of a turn that a prompt of the user began and that has ended without an answer. Undefined for any other turn. */
export function unansweredTurn(state: SessionState): Problem | undefined {
  if (state.isTurnShown || state.turnPrompt === null) return undefined;
  for (let i = state.turnStart; i < state.entries.length; i++) {
    const entry = state.entries.at(i);
    if (entry?.kind !== "message" || entry.author !== "user") return undefined;
  }
  const name = state.agent?.name ?? t("The agent");
  return { message: t("{0} ended the turn without an answer. The log may say why.", name), next: ["showLog", "retry"] };
}

/** Whether the agent has the turn, and neither the user nor a running call. */
function isAgentsTurn(state: SessionState): boolean {
  if (!isBusy(state) || state.cancelling || openQuestions(state).length > 0) return false;
  for (let i = state.turnStart; i < state.entries.length; i++) {
    const entry = state.entries.at(i);
    if (entry?.kind !== "tool" || entry.closed || entry.fields.subAgent || isFinal(entry.fields.status)) continue;
    if (entry.statusIsOld || entry.fields.status === "in_progress") return false;
  }
  return true;
}

/** Notices when an agent that works on a turn is silent. */
export class SilenceTimer implements Disposable {
  readonly #clock: Clock;
  readonly #onSilent: (since: number) => void;
  #state: SessionState | undefined;
  #timer: Disposable | undefined;
  #lastReport = 0;

  /** @param onSilent gets the time of the last report, in ms since the epoch. */
  constructor(clock: Clock, onSilent: (since: number) => void) {
    this.#clock = clock;
    this.#onSilent = onSilent;
  }

  /** The agent has reported something. Every chunk is a report, so the timer is not replaced for each of them. */
  reported(): void {
    this.#lastReport = this.#clock.now();
  }

  /** Call this after each change of the state. */
  stateChanged(state: SessionState): void {
    // The agent goes on when the user has answered.
    if (this.#state?.questions !== state.questions) this.reported();
    this.#state = state;
    if (!isBusy(state) || state.silentSince !== null) return this.dispose();
    if (this.#timer) return;
    this.reported();
    this.#timer = this.#clock.after(maxSilence, () => this.#check());
  }

  #check(): void {
    const rest = this.#lastReport + maxSilence - this.#clock.now();
    const isSilent = rest <= 0 && this.#state !== undefined && isAgentsTurn(this.#state);
    const wait = rest > 0 ? Math.min(rest, maxSilence) : maxSilence;
    this.#timer = isSilent ? undefined : this.#clock.after(wait, () => this.#check());
    if (isSilent) this.#onSilent(this.#lastReport);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}
