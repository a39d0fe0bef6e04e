// Signing in to an agent: the ways that it offers, and what a session does with its refusals.
import type { Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { SessionEvent } from "./events.ts";
import type { PendingPrompt, SessionState } from "./state.ts";

/** How the agent itself is started. */
export interface AgentProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** A variable that signs in when the agent's process has it. */
export interface SignInVariable {
  readonly name: string;
  readonly label: string;
  readonly secret: boolean;
  readonly optional: boolean;
}

/** One way to sign in. `terminal` runs a program, `agent` calls `authenticate`, `environment` needs variables. */
export type SignInMethod = { readonly id: string; readonly name: string; readonly description?: string } & (
  | ({ readonly type: "terminal"; readonly env: Readonly<Record<string, string>> } & AgentProgram)
  | { readonly type: "agent" }
  | { readonly type: "environment"; readonly variables: readonly SignInVariable[] }
);

/** Offers to sign in only once. If the agent still refuses afterwards, the user gets its words instead of a loop. */
export class SignInOffers {
  readonly #agentName: string;
  #isTried = false;

  constructor(agentName: string) {
    this.#agentName = agentName;
  }

  /** The user has signed in, or wants to be asked again. */
  set isTried(isTried: boolean) {
    this.#isTried = isTried;
  }

  /** The problem without its offer, if the user has signed in already. */
  problem(problem: Problem): Problem {
    if (problem.signIn === undefined || !this.#isTried) return problem;
    const [words = t("It gave no reason.")] = (problem.detail ?? "").split("\n").filter(line => line !== "");
    const { detail } = problem;
    return {
      message: t("{0} still refuses after you signed in: {1}", this.#agentName, words),
      ...(detail !== undefined && detail !== words && { detail }),
      next: ["retry", "restartAgent", "showTraffic"],
    };
  }

  /** The problem of an agent that was lost. If its start failed, the user can also check the agent. */
  lost(problem: Problem, { connection }: SessionState): Problem {
    const shown = this.problem(problem);
    const isSetUp = shown.next.includes("startAnyway");
    const isStart = connection?.state !== "ready" && shown.signIn === undefined && !isSetUp;
    return isStart ? { ...shown, next: [...shown.next, "checkAgent"] } : shown;
  }

  /** The event with the problem that the user sees. */
  event(event: SessionEvent): SessionEvent {
    if (event.type === "signInNeeded") return { ...event, problem: this.problem(event.problem) };
    if (event.type !== "activity" || event.state !== "idle") return event;
    if (event.problem?.signIn === undefined) this.#isTried = false;
    if (!event.problem) return event;
    const problem = this.problem(event.problem);
    // Another refusal is an error of the turn.
    const { unsent: _, ...rest } = event;
    return problem === event.problem ? event : { ...rest, problem };
  }
}

/** If the agent refused the turn until the user signs in, its prompt is the first of the queue again. */
export function returnedPrompt(
  state: SessionState,
  first: PendingPrompt | undefined,
  newId: () => string,
): readonly SessionEvent[] {
  const { signIn, turnPrompt, activity } = state;
  if (signIn === null || turnPrompt === null || activity.stopReason !== "error") return [];
  const prompt = state.entries.findLast(entry => entry.kind === "message" && entry.submission === turnPrompt);
  if (prompt?.kind !== "message" || !prompt.excluded) return [];
  const submission = newId();
  const sent: SessionEvent = { type: "promptSent", submission, content: prompt.content };
  return first ? [sent, { type: "promptMoved", submission, before: first.id }] : [sent];
}
