// Handlers that pass intents on to the session, or replace it.
import type { NextStep } from "../base/errors.ts";
import type { IntentHandlers } from "../panel/intentHandlers.ts";
import { isPrompt } from "../session/state.ts";
import type { CurrentSession } from "./currentSession.ts";
import { runPanelCommand } from "./panelCommands.ts";

type SessionIntents = IntentHandlers<
  | "withdraw"
  | "editQueued"
  | "moveQueued"
  | "sendNow"
  | "stop"
  | "answer"
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
  stop: () => current.session?.stop(),
  answer: ({ ask, option }) => current.session?.answer(ask, option),
  killTerminal: ({ terminal }) => current.session?.killTerminal(terminal),
  rename: ({ title }) => current.session?.rename(title),
  setOption: ({ option, value }) => current.session?.setOption(option, value),
  newSession: () => current.start(),
  selectAgent: ({ agent }) => current.start(agent),
  nextStep: ({ step }) => runNextStep(current, step),
});

function runNextStep(current: CurrentSession, step: NextStep): Promise<void> | void {
  switch (step) {
    case "retry":
      if (!current.session) return current.start();
      if (current.state.lost) return current.session.open();
      return retryLastPrompt(current);
    case "restartAgent":
      return current.session ? current.session.restart() : current.start();
    case "newSession":
      return current.start();
    default:
      return runPanelCommand(step);
  }
}

/** Retry is offered beside a failed turn: it sends the same prompt again, as a new one. */
function retryLastPrompt(current: CurrentSession): void {
  const last = current.state.entries.findLast(isPrompt);
  if (last?.kind === "message") current.session?.send(last.content);
}
