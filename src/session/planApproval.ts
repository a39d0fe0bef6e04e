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

/** An open question that asks to approve a plan, and the option with which the agent goes on planning. */
export interface PlanApproval {
  readonly plan: string;
  readonly question: string;
  readonly keepPlanning: QuestionOption;
}

/**
 * The plan that a question asks to approve. Agents ask with a tool call that switches the mode (kind `switch_mode`). Its
 * content is the plan, otherwise the only text or file that the session has as a plan. Undefined: it is another question, or
 * none of its options rejects once, so that no comments can reach the agent instead.
 */
export function planApproval(state: SessionState, question: Question): PlanApproval | undefined {
  const { id, kind, subject, toolCallId, options } = question;
  const keepPlanning = options.find(option => option.kind === "reject_once");
  if (kind !== undefined || !keepPlanning) return undefined;
  const fields = toolCallId === undefined ? undefined : fieldsOf(state, toolCallId);
  if ((subject?.kind ?? fields?.kind) !== "switch_mode") return undefined;
  const isOfTool = toolCallId !== undefined && toolPlan(state, toolCallId) !== undefined;
  const plan = isOfTool ? planOfTool(toolCallId) : onlyWrittenPlan(state);
  return plan === undefined ? undefined : { plan, question: id, keepPlanning };
}

/** The questions that wait for an answer to plans. */
export const planApprovals = (state: SessionState): readonly PlanApproval[] =>
  openQuestions(state).flatMap(question => planApproval(state, question) ?? []);

/** A list of steps is what the agent does, not what it asks about. */
function onlyWrittenPlan({ plans }: SessionState): string | undefined {
  const written = [...plans].filter(([, { markdown, path }]) => !!markdown || path !== undefined);
  return written.length === 1 ? written[0]?.[0] : undefined;
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
