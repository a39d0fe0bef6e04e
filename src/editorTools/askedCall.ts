// A call of a tool that acts: a tool card in the chat, the question to the user, and then the action. It belongs to the
// turn that runs, so its changes are reviewed with those of the agent.
import { randomUUID } from "node:crypto";
import { asError, Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { isWorking } from "../session/background/background.ts";
import type { FileLocation, QuestionOption, ToolContent, ToolKind } from "../session/events.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import type { AgentActions } from "../session/participant.ts";
import type { ToolContext } from "./tool.ts";

/** What the user sees of a call. */
export interface AskedCall {
  /** What happens, such as "Rename a to b". */
  readonly title: string;
  readonly kind: ToolKind;
  readonly content?: readonly ToolContent[];
  readonly locations?: readonly FileLocation[];
  /** The arguments, if rules have to see them. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** What the user should know before the answer. */
  readonly description?: string;
  /** Why no rule can allow it. Continues "it …". */
  readonly caveat?: string;
  /** The name of the answer that allows this for the session. Absent: it is not offered. */
  readonly forSession?: string;
}

const refusal = "refuse";
const forSessionOption = "session";

/** The user or a rule refused. The card of the call shows who did. */
class NotAllowed extends Refusal {
  constructor(title: string) {
    super("failed", `The user, or a rule of the user, did not allow this: ${title}. Nothing was changed.`);
  }
}

/** What the user answered. */
interface CallAnswer {
  /** Such calls are allowed for the session. */
  readonly isForSession: boolean;
}

/** What the tool does in the session. Throws a Refusal if it cannot act now. */
export function currentActions({ access: { actions } }: ToolContext): AgentActions {
  if (!actions) throw new Refusal("failed", "This session has no tools that act. Work without them.");
  const state = actions.state();
  if (state.cancelling)
    throw new Refusal("cancelled", "The user has stopped the turn, so nothing more is changed. End the turn.");
  if (!isWorking(state))
    throw new Refusal(
      "failed",
      "No turn of this session is running, so nothing can be changed or shown now. Do it after the next prompt of the user.",
    );
  return actions;
}

/**
 * Shows the call in the chat, asks the user, and then runs `act`. Rejects with a Refusal if the user or a rule refuses, and
 * if the call is cancelled while the user is asked.
 */
export async function askedCall<T>(
  call: AskedCall,
  context: ToolContext,
  { signal, act }: { readonly signal: AbortSignal; readonly act: (answer: CallAnswer) => Promise<T> },
): Promise<T> {
  return shownCall(call, context, async (toolCallId, actions) => {
    const { title, description, caveat, forSession } = call;
    const question: PermissionQuestion = {
      ...{ title, toolCallId, options: answerOptions(forSession) },
      ...(description !== undefined && { description }),
      ...(caveat !== undefined && { caveat }),
    };
    const answer = await actions.requestPermission(question, signal);
    if (answer === "cancelled" || signal.aborted)
      throw new Refusal("cancelled", "The permission request was cancelled, so nothing was changed.");
    if (answer.option === refusal) throw new NotAllowed(title);
    currentActions(context);
    actions.report({ type: "tool", toolCallId, patch: { status: "in_progress" } });
    return act({ isForSession: answer.option === forSessionOption });
  });
}

/** Shows the call in the chat while `act` runs, and how it ended. Asks nothing. Throws a Refusal if it cannot act now. */
export async function shownCall<T>(
  { title, kind, content = [], locations = [], input }: AskedCall,
  context: ToolContext,
  act: (toolCallId: string, actions: AgentActions) => Promise<T>,
): Promise<T> {
  const actions = currentActions(context);
  const toolCallId = `editor_${randomUUID()}`;
  const patch = { title, kind, status: "pending", content, locations, ...(input && { rawInput: input }) } as const;
  actions.report({ type: "tool", toolCallId, patch });
  try {
    const result = await act(toolCallId, actions);
    actions.report({ type: "tool", toolCallId, patch: { status: "completed" } });
    return result;
  } catch (thrown) {
    const isCancelled = thrown instanceof NotAllowed || (thrown instanceof Refusal && thrown.kind === "cancelled");
    const words = { type: "content", content: { type: "text", text: asError(thrown).message } } as const;
    actions.report({
      type: "tool",
      toolCallId,
      patch: isCancelled ? { status: "cancelled" } : { status: "failed", content: [...content, words] },
    });
    throw thrown;
  }
}

const answerOptions = (forSession: string | undefined): readonly QuestionOption[] => [
  { id: "allow", name: t("Allow Once"), kind: "allow_once" },
  ...(forSession === undefined ? [] : [{ id: forSessionOption, name: forSession, kind: "allow_always" } as const]),
  { id: refusal, name: t("Refuse"), kind: "reject_once" },
];
