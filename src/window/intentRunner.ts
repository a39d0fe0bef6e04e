// Runs the handler of each intent. The panel has checked every intent against its schema before.
import { asError, asProblem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Log } from "../base/log.ts";
import type { IntentHandlers, IntentOf, IntentType } from "../panel/intentHandlers.ts";
import type { PanelAction, ReplyTarget } from "../panel/replyTarget.ts";
import { showErrorMessage } from "../editor/editorUi.ts";
import { mergeTables, type CompleteTables } from "./handlerTables.ts";

/** Runs an intent. Never rejects: failures are shown to the user. */
export type IntentRunner = (intent: PanelAction, replyTarget: ReplyTarget) => Promise<void>;

export interface IntentRunnerOptions {
  /** Whether the session with this id is open. */
  readonly isOpen: (session: string) => boolean;
  readonly log: Log;
}

/**
 * A runner with the handlers of these tables, which together handle each type of intent exactly once. An intent about a
 * session that is no longer open does not reach its handler.
 */
export function intentRunner<const Tables extends readonly object[]>(
  tables: CompleteTables<IntentType, Tables>,
  { isOpen, log }: IntentRunnerOptions,
): IntentRunner {
  const handlers = mergeTables<IntentHandlers<IntentType>>(tables);
  return async (intent, replyTarget) => {
    try {
      if (intent.session !== undefined && !isOpen(intent.session) && intent.type !== "send")
        return answerEnded(intent, replyTarget, log);
      await runIntent(handlers, intent, replyTarget);
    } catch (error) {
      const problem = asProblem(error);
      log.warn(problem.message, asError(error).stack);
      void showErrorMessage(problem.message);
    }
  };
}

/**
 * Answers an intent about a session that has ended: the text of a prompt goes back to the composer, and a search finds
 * nothing. `send` has its own answer, because prompts wait for the attachments of earlier prompts.
 */
function answerEnded(intent: PanelAction, replyTarget: ReplyTarget, log: Log): void {
  log.info(`Ignored the panel's intent "${intent.type}" because its session has ended.`);
  if (intent.type === "find") replyTarget.reply({ type: "found", request: intent.request, total: 0, hits: [] });
  if (intent.type === "editQueued") {
    const reason = t("The queued message was not changed because its session has ended.");
    replyTarget.reply({ type: "unsent", text: intent.text, attachments: [], reason });
  }
}

function runIntent<Type extends IntentType>(
  handlers: IntentHandlers<Type>,
  intent: IntentOf<Type>,
  replyTarget: ReplyTarget,
): Promise<void> | void {
  return handlers[intent.type as Type](intent, replyTarget);
}
