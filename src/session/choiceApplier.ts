// Sends the user's choices to the agent session, one after the other. Prompts wait for them.
import { withTimeout } from "../base/async.ts";
import { ProblemError, asProblem, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock } from "../base/log.ts";
import type { AgentSession } from "./agent.ts";
import {
  initialChoices,
  lastReportedChoices,
  nextChoice,
  optionOf,
  saysAlreadySet,
  type InitialChoices,
  type NextChoice,
} from "./choices.ts";
import type { SessionEvent } from "./events.ts";
import type { Choice, OptionValue, SessionState } from "./state.ts";

/** The agent gets this much time to accept a choice (ms). */
const maxAnswerTime = 30_000;

export interface ChoiceApplierOptions {
  readonly agentName: string;
  readonly clock: Clock;
  readonly state: () => SessionState;
  /** The open session at the agent; undefined while the agent is not connected. */
  readonly agentSession: () => AgentSession | undefined;
  readonly dispatch: (event: SessionEvent) => void;
  /** The choices that a new session begins with. */
  readonly initial?: (() => InitialChoices) | undefined;
  /** Called when every choice was sent. Prompts no longer wait for one, unless the agent refused it. */
  readonly onApplied: () => void;
}

/** A change by the user of an option of the connected agent, until the agent has answered. */
interface Change {
  /** The choice before it, to which a refusal returns. */
  readonly earlier: Choice | undefined;
  readonly settle: (refusal?: Problem) => void;
}

/** Applies the choices of one session to its agent, in every agent session. */
export class ChoiceApplier {
  readonly #options: ChoiceApplierOptions;
  readonly #changes = new Map<string, Change>();
  /** The agent session that choices are being sent to. */
  #running: AgentSession | undefined;

  constructor(options: ChoiceApplierOptions) {
    this.#options = options;
  }

  /** Makes the last reported values the choices, if the log does not record choices. */
  restore(): void {
    const state = this.#options.state();
    if (!state.recordsChoices) this.#options.dispatch(lastReportedChoices(state));
  }

  /** Makes the initial choices. Call this when the first session of the agent is open, before prompts are sent. */
  begin(): void {
    const { state, initial, dispatch } = this.#options;
    if (!initial) return;
    const chosen = initialChoices(state().options, initial());
    if (chosen) dispatch(chosen);
  }

  /**
   * Makes the value the user's choice, and sends it once the agent is connected. Resolves when the agent has it, or at
   * once if the agent is not connected. Rejects with a ProblemError if the agent refuses; the earlier choice remains.
   */
  async choose(id: string, value: OptionValue): Promise<void> {
    const { agentName, dispatch, state, agentSession } = this.#options;
    if (!optionOf(state().options, { id })) {
      throw new ProblemError({ message: t("{0} no longer offers this option.", agentName), next: [] });
    }
    const earlier = this.#changes.get(id)?.earlier ?? findChoice(state(), id);
    const chosen: SessionEvent = { type: "chosen", choices: [{ id, value }] };
    if (!agentSession()) return dispatch(chosen);
    const refusal = await new Promise<Problem | undefined>(resolve => {
      this.#changes.get(id)?.settle();
      this.#changes.set(id, { earlier, settle: resolve });
      dispatch(chosen);
      void this.apply();
    });
    if (refusal) throw new ProblemError(refusal);
  }

  /** Call after every change of the state. Sends choices if the change can require it. */
  stateChanged(before: SessionState, after: SessionState): void {
    const keys = ["choices", "options", "connection"] as const;
    // Not from within a dispatch, so that the events stay in order.
    if (keys.some(key => after[key] !== before[key])) queueMicrotask(() => void this.apply());
  }

  /** Sends the choices that the agent session lacks. Never rejects. Does nothing while an earlier call still runs. */
  async apply(): Promise<void> {
    const { state, agentSession, onApplied } = this.#options;
    const target = agentSession();
    if (!target || this.#running === target) return;
    this.#running = target;
    for (let next = nextChoice(state()); next; next = nextChoice(state())) {
      await this.#send(target, next);
      if (agentSession() !== target) return;
    }
    this.#running = undefined;
    for (const id of [...this.#changes.keys()]) this.#settle(id);
    onApplied();
  }

  /** Ends the wait for the agent's answers. The choices stay, for the next agent session. */
  agentGone(): void {
    this.#running = undefined;
    for (const id of [...this.#changes.keys()]) this.#settle(id);
  }

  async #send(target: AgentSession, { choice, option }: NextChoice): Promise<void> {
    const { agentName, clock, state, dispatch, agentSession } = this.#options;
    const { id, value } = choice;
    // The user can set a value that the agent does not list. Then the agent decides.
    const sent = option ?? (this.#changes.has(id) ? optionOf(state().options, choice) : undefined);
    if (!sent) return dispatch({ type: "choiceRefused", id, reason: "missing" });
    const message = t("{0} did not answer within {1} seconds.", agentName, maxAnswerTime / 1000);
    let refusal = await withTimeout(
      target.setOption(sent.id, value).then(() => undefined, asProblem),
      maxAnswerTime,
      (): Problem => ({ message, next: ["restartAgent", "showTraffic"] }),
      clock,
    );
    // The agent's own report was late or wrong, so the option has the value.
    if (refusal && agentSession() === target && saysAlreadySet(refusal.message, sent, value)) {
      refusal = undefined;
      dispatch({ type: "option", id: sent.id, value });
    }
    const now = findChoice(state(), id);
    // The agent is gone, or the user has chosen another value since.
    if (agentSession() !== target || now?.value !== value) return;
    const shown = optionOf(state().options, choice);
    if (this.#changes.has(id)) {
      // The agent decides what becomes of a value: it may have accepted an alias.
      if (refusal || now.status !== "set")
        this.#returnTo(refusal ? earlierValue(this.#changes.get(id)) : shown?.value, id);
      return this.#settle(id, refusal);
    }
    if (!refusal && shown && shown.value !== value) {
      refusal = { message: t("{0} kept another value.", agentName), next: [] };
    }
    if (refusal) dispatch({ type: "choiceRefused", id, reason: "refused", message: refusal.message });
    else if (now.status !== "set") dispatch({ type: "chosen", choices: [{ id, value, applied: true }] });
  }

  #returnTo(value: OptionValue | undefined, id: string): void {
    this.#options.dispatch({ type: "chosen", choices: [{ id, value: value ?? null, applied: true }] });
  }

  #settle(id: string, refusal?: Problem): void {
    const change = this.#changes.get(id);
    this.#changes.delete(id);
    change?.settle(refusal);
  }
}

const earlierValue = (change: Change | undefined): OptionValue | undefined => change?.earlier?.value;

const findChoice = ({ choices }: SessionState, id: string): Choice | undefined =>
  choices.find(choice => choice.id === id);
