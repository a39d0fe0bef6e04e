// The answers to the question before a large conversation is resumed. No prompt is lost: it is sent, it is in the draft of
// the session that continues the conversation, or it is in the composer again.
import type { AgentDefinition } from "../agents/registry.ts";
import { t } from "../base/l10n.ts";
import { draftOfPrompt, type PromptDraft } from "../mentions/promptDraft.ts";
import { intentHandlers, type IntentHandlers } from "../panel/intentHandlers.ts";
import type { Session } from "../session/session.ts";
import { continueConversation, type ContinueConversationOptions } from "./continueConversation.ts";
import type { ResumeQuestions } from "./resumeQuestions.ts";

export interface AnswerResumeOptions extends ContinueConversationOptions {
  readonly questions: Pick<ResumeQuestions, "isAsking" | "allow" | "withdraw">;
  /** The agent of a session, as the settings define it now. */
  readonly agents: { of(session: Session): AgentDefinition | undefined };
}

/** Handlers of the answers. An answer to a question that is no longer open, or that is answered already, does nothing. */
export function answerResume(options: AnswerResumeOptions): IntentHandlers<"answerResume"> {
  const { questions, registry, chat, agents, newId } = options;
  /** The sessions that are being continued from their digest. */
  const continuing = new Set<string>();
  const continueFromDigest = async (session: Session, agent: AgentDefinition, surface: string): Promise<void> => {
    await continueConversation(options, session.id, () => Promise.resolve(agent));
    const { ids, draft } = waitingPrompts(session, newId);
    if (draft) await chat.reveal({ type: "draft", ...draft }, [surface]);
    for (const id of ids) session.queue.withdraw(id);
    questions.withdraw(session.id);
  };
  return intentHandlers({
    answerResume: async ({ session: id, answer }, target) => {
      const session = registry.open.get(id);
      if (!session || !questions.isAsking(session.id) || continuing.has(session.id)) return;
      switch (answer) {
        case "resume":
          questions.allow(session.id);
          return session.open();
        case "readOnly": {
          questions.withdraw(session.id);
          const { ids, draft } = waitingPrompts(session, newId);
          for (const prompt of ids) session.queue.withdraw(prompt);
          if (draft) target.reply({ type: "draft", ...draft });
          return;
        }
        case "digest": {
          const agent = agents.of(session);
          if (!agent) throw new Error(goneSentence());
          continuing.add(session.id);
          return continueFromDigest(session, agent, target.surface).finally(() => continuing.delete(session.id));
        }
        default:
          answer satisfies never;
      }
    },
  });
}

const goneSentence = (): string =>
  t("The agent of this session is no longer in your settings. Use “Continue With…” to continue with another agent.");

/**
 * The prompts that wait, by their ids and as one draft. Those on hold stay in the queue, and so do those that no draft can
 * have.
 */
function waitingPrompts(
  { state }: Session,
  newId: () => string,
): { readonly ids: readonly string[]; readonly draft?: PromptDraft } {
  const waiting = state.pendingPrompts.filter(
    prompt => prompt.messageId === undefined && !prompt.isSubmitted && !prompt.isOnHold,
  );
  const drafts = waiting.flatMap(({ id, content }) => {
    const draft = draftOfPrompt(content, newId);
    return draft ? [{ id, ...draft }] : [];
  });
  if (drafts.length === 0) return { ids: [] };
  const texts = drafts.map(({ text }) => text).filter(text => text !== "");
  const attachments = drafts.flatMap(draft => draft.attachments);
  return { ids: drafts.map(({ id }) => id), draft: { text: texts.join("\n\n"), attachments } };
}
