// The plans of the agent, which are the state of the session, and those of its sub-agents, which are in their cards.
import { jsonEqual } from "../base/jsonEqual.ts";
import type { Plan, SessionEvent } from "./events.ts";
import { toolKey, type SessionState, type SubAgentPlan, type ToolEntry } from "./state.ts";

/** At most this many plans of a sub-agent are in its card. A further one replaces the oldest. */
const maxPlansOfCard = 20;

/** Whether there is nothing to show of the plan. */
export const isEmptyPlan = ({ entries, markdown, uri, kind }: Plan): boolean =>
  entries.length === 0 && !markdown && !uri && !kind;

/** The state with the plan in place of the one with its id. */
export function putPlan(
  state: SessionState,
  { type: _, planId, parent, ...plan }: Extract<SessionEvent, { type: "plan" }>,
): SessionState {
  const card = cardOf(state, parent);
  if (card) {
    if (isEmptyPlan(plan)) return withoutPlanOf(state, card, planId);
    const known = card.plans ?? [];
    const next: SubAgentPlan = { id: planId, ...plan };
    const at = known.findIndex(({ id }) => id === planId);
    return withPlans(state, card, at < 0 ? [...known, next].slice(-maxPlansOfCard) : known.with(at, next));
  }
  if (jsonEqual(state.plans.get(planId), plan)) return state;
  return { ...state, plans: new Map(state.plans).set(planId, plan) };
}

/** The state without the plan. */
export function removePlan(
  state: SessionState,
  { planId, parent }: Extract<SessionEvent, { type: "planRemoved" }>,
): SessionState {
  const card = cardOf(state, parent);
  if (card) return withoutPlanOf(state, card, planId);
  if (!state.plans.has(planId)) return state;
  const plans = new Map(state.plans);
  plans.delete(planId);
  return { ...state, plans };
}

/** The card of the sub-agent. A plan of a sub-agent without a card is shown as one of the session. */
function cardOf(state: SessionState, parent: string | undefined): ToolEntry | undefined {
  const entry = parent === undefined ? undefined : state.entries.get(toolKey(parent));
  return entry?.kind === "tool" ? entry : undefined;
}

const withoutPlanOf = (state: SessionState, card: ToolEntry, planId: string): SessionState =>
  withPlans(
    state,
    card,
    (card.plans ?? []).filter(({ id }) => id !== planId),
  );

function withPlans(state: SessionState, card: ToolEntry, plans: readonly SubAgentPlan[]): SessionState {
  if (jsonEqual(card.plans ?? [], plans)) return state;
  const { plans: _, ...rest } = card;
  return { ...state, entries: state.entries.put({ ...rest, ...(plans.length > 0 && { plans }) }) };
}
