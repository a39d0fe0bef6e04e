// Handlers that pass intents on to the session, or replace it.
import * as vscode from "vscode";
import type { NextStep } from "../base/errors.ts";
import { faultyFields } from "../panel/form/answerForm.ts";
import type { IntentHandlers, IntentOf } from "../panel/intentHandlers.ts";
import type { ReplyTarget } from "../panel/replyTarget.ts";
import { isPrompt } from "../session/state.ts";
import type { CurrentSession } from "./currentSession.ts";
import { runPanelCommand } from "./panelCommands.ts";

type SessionIntents = IntentHandlers<
  | "withdraw"
  | "editQueued"
  | "moveQueued"
  | "sendNow"
  | "resumeQueue"
  | "sendAnyway"
  | "stop"
  | "cancelConnecting"
  | "answer"
  | "answerForm"
  | "openAddress"
  | "signIn"
  | "cancelSignIn"
  | "killTerminal"
  | "rename"
  | "setOption"
  | "newSession"
  | "selectAgent"
  | "nextStep"
>;

/** Handlers for the session that the window shows. They do nothing if there is none. */
export const sessionIntents = (current: CurrentSession): SessionIntents => ({
  withdraw: ({ submission }) => current.session?.withdraw(submission),
  editQueued: ({ submission, text }) => current.session?.editQueued(submission, text.trimEnd()),
  moveQueued: ({ submission, before }) => current.session?.moveQueued(submission, before),
  sendNow: ({ submission }) => current.session?.sendNow(submission),
  resumeQueue: () => current.session?.resumeQueue(),
  sendAnyway: () => current.session?.sendAnyway(),
  stop: () => current.session?.stop(),
  cancelConnecting: () => current.session?.cancelConnecting(),
  answer: ({ ask, option }) => current.session?.answer(ask, option),
  answerForm: (intent, replyTarget) => answerForm(current, intent, replyTarget),
  openAddress: async ({ ask }) => {
    const href = current.session?.forms.openAddress(ask);
    // As a string, because a Uri would decode and encode parts of the address that the user agreed to.
    if (href !== undefined) await vscode.commands.executeCommand("vscode.open", href);
  },
  signIn: ({ method }) => current.signIn(method),
  cancelSignIn: () => current.cancelSignIn(),
  killTerminal: ({ terminal }) => current.session?.killTerminal(terminal),
  rename: ({ title }) => current.session?.rename(title),
  setOption: ({ option, value }) => current.session?.setOption(option, value),
  newSession: (_, replyTarget) => replaceSession(current, replyTarget),
  selectAgent: ({ agent }, replyTarget) => replaceSession(current, replyTarget, agent),
  nextStep: ({ step }, replyTarget) => runNextStep(current, step, replyTarget),
});

function answerForm(
  { session }: CurrentSession,
  { ask, action, answers = [] }: IntentOf<"answerForm">,
  replyTarget: ReplyTarget,
): void {
  if (action === "decline") return session?.forms.decline(ask);
  if (action === "cancel") return session?.forms.cancel(ask);
  const form = session?.forms.form(ask);
  if (!session || !form) return;
  const values = new Map(answers.map(({ field, value }) => [field, value]));
  const fields = faultyFields(form, values);
  if (fields.length > 0) replyTarget.reply({ type: "formRefused", ask, fields });
  else session.forms.accept(ask, values);
}

/** Starts a session with this agent, and lets the user type its first prompt. */
async function replaceSession(current: CurrentSession, replyTarget: ReplyTarget, agent?: string): Promise<void> {
  await current.replace(agent);
  replyTarget.reply({ type: "focus", target: "composer" });
}

function runNextStep(current: CurrentSession, step: NextStep, replyTarget: ReplyTarget): Promise<void> | void {
  switch (step) {
    case "retry":
      if (!current.session) return current.start();
      current.session.offerSignIn();
      if (current.state.lost) return current.session.open();
      return retryLastPrompt(current);
    case "restartAgent":
      current.session?.offerSignIn();
      return current.session ? current.session.restart() : current.start();
    case "newSession":
      return replaceSession(current, replyTarget);
    default:
      return runPanelCommand(step);
  }
}

/** Retry is offered beside a failed turn: it sends the same prompt again, as a new one. */
function retryLastPrompt(current: CurrentSession): void {
  const last = current.state.entries.findLast(isPrompt);
  if (last?.kind === "message") current.session?.send(last.content);
}
