// The plans that wait for the approval of the user: a plan can be the content of the tool call that a question is about. Pure.
import type { Plan, QuestionOption, ToolFields } from "./events.ts";
import { isEmptyPlan } from "./plans.ts";
import { openQuestions, toolKey, type Question, type SessionState } from "./state.ts";

/** The plan with this id: one of the session, or the content of a tool call. Undefined: there is none. */
export function planOf(state: SessionState, id: string): Plan | undefined {
  const toolCallId = toolCallOf(id);
  const markdown = toolCallId === undefined ? undefined : toolPlan(state, toolCallId);
  if (markdown !== undefined) return { entries: [], markdown };
  const plan = state.plans.get(id);
  return plan && !isEmptyPlan(plan) ? plan : undefined;
}

/**
 * The id of the plan that a question asks to approve. Agents ask with a tool call that switches the mode (kind
 * `switch_mode`). Its content is the plan, or the plan of the session if there is only one. Undefined: it is another question.
 */
export function planToApprove(state: SessionState, { kind, subject, toolCallId }: Question): string | undefined {
  if (kind !== undefined) return undefined;
  const fields = toolCallId === undefined ? undefined : fieldsOf(state, toolCallId);
  if ((subject?.kind ?? fields?.kind) !== "switch_mode") return undefined;
  if (toolCallId !== undefined && toolPlan(state, toolCallId) !== undefined) return planOfTool(toolCallId);
  const plans = [...state.plans].filter(([, plan]) => !isEmptyPlan(plan));
  return plans.length === 1 ? plans[0]?.[0] : undefined;
}

/** An open question that asks to approve a plan, and the option with which the agent goes on planning. */
export interface PlanApproval {
  readonly question: string;
  readonly keepPlanning: QuestionOption;
}

/** The question that waits for an answer to this plan. Undefined: there is none, or it cannot be rejected once. */
export function planApproval(state: SessionState, plan: string): PlanApproval | undefined {
  for (const question of openQuestions(state)) {
    if (planToApprove(state, question) !== plan) continue;
    const keepPlanning = question.options.find(({ kind }) => kind === "reject_once");
    if (keepPlanning) return { question: question.id, keepPlanning };
  }
  return undefined;
}

const planOfTool = (toolCallId: string): string => `tool:${toolCallId}`;
const toolCallOf = (plan: string): string | undefined => /^tool:(.*)$/s.exec(plan)?.[1];

/** The text of a plan in a tool call: its content, otherwise the argument `plan`. */
function toolPlan(state: SessionState, toolCallId: string): string | undefined {
  const fields = fieldsOf(state, toolCallId);
  if (fields?.kind !== "switch_mode") return undefined;
  const texts = (fields.content ?? []).flatMap(item =>
    item.type === "content" && item.content.type === "text" ? [item.content.text] : [],
  );
  const text = texts.join("\n\n").trim();
  return text === "" ? argumentOf(fields.rawInput) : `${text}\n`;
}

function argumentOf(raw: unknown): string | undefined {
  const plan = typeof raw === "object" && raw !== null && "plan" in raw ? raw.plan : undefined;
  return typeof plan === "string" && plan.trim() !== "" ? `${plan.trim()}\n` : undefined;
}

function fieldsOf(state: SessionState, toolCallId: string): Partial<ToolFields> | undefined {
  const entry = state.entries.get(toolKey(toolCallId));
  return entry?.kind === "tool" ? entry.fields : undefined;
}
