// Runs the handler of each intent. The panel has checked every intent against its schema before.
import * as vscode from "vscode";
import { asError, asProblem } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { IntentHandlers, IntentOf, IntentType } from "../panel/intentHandlers.ts";
import type { PanelAction, ReplyTarget } from "../panel/replyTarget.ts";
import { mergeTables, type CompleteTables } from "./handlerTables.ts";

/** Runs an intent. Never rejects: failures are shown to the user. */
export type IntentRunner = (intent: PanelAction, replyTarget: ReplyTarget) => Promise<void>;

/** A runner with the handlers of these tables, which together handle each type of intent exactly once. */
export function intentRunner<const Tables extends readonly object[]>(
  tables: CompleteTables<IntentType, Tables>,
  log: Log,
): IntentRunner {
  const handlers = mergeTables<IntentHandlers<IntentType>>(tables);
  return async (intent, replyTarget) => {
    try {
      await runIntent(handlers, intent, replyTarget);
    } catch (error) {
      const problem = asProblem(error);
      log.warn(problem.message, asError(error).stack);
      void vscode.window.showErrorMessage(problem.message);
    }
  };
}

function runIntent<Type extends IntentType>(
  handlers: IntentHandlers<Type>,
  intent: IntentOf<Type>,
  replyTarget: ReplyTarget,
): Promise<void> | void {
  return handlers[intent.type as Type](intent, replyTarget);
}
