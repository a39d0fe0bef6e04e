// Handlers for intents that need nothing but their session: the queue, Stop, answers, and next steps of a problem.
import type { NextStep } from "../base/errors.ts";
import type { Session } from "../session/session.ts";
import { isPrompt } from "../session/state.ts";
import { heldFields } from "./form/answerForm.ts";
import { intentHandlers, type IntentOf } from "./intentHandlers.ts";
import type { ReplyTarget } from "./replyTarget.ts";

/** Handlers for the session that each intent names. `open` finds it; they do nothing if it is closed. */
export function openSessionIntents(open: (id: string | undefined) => Session | undefined) {
  const of = ({ session }: { readonly session?: string }): Session | undefined => open(session);
  return intentHandlers({
    withdraw: intent => of(intent)?.queue.withdraw(intent.prompt),
    editQueued: intent => of(intent)?.queue.edit(intent.prompt, intent.text.trimEnd()),
    moveQueued: intent => of(intent)?.queue.move(intent.prompt, intent.before),
    holdQueued: intent => of(intent)?.queue.hold(intent.prompt),
    releaseQueued: intent => of(intent)?.queue.release(intent.prompt),
    sendNow: intent => of(intent)?.sendNow(intent.prompt),
    sendWhileRunning: intent => of(intent)?.sendWhileRunning(intent.prompt),
    resumeQueue: intent => of(intent)?.resumeQueue(),
    sendAnyway: intent => of(intent)?.sendAnyway(),
    stop: intent => of(intent)?.stop(),
    cancelConnecting: intent => of(intent)?.cancelConnecting(),
    answer: intent => of(intent)?.answer(intent.question, intent.option),
    killTerminal: intent => of(intent)?.killTerminal(intent.terminal),
    cancelTool: intent => of(intent)?.cancelTool(intent.toolCall),
    rename: intent => of(intent)?.rename(intent.title),
  });
}

/** Answers a form or a web address of the agent of this session. */
export function answerAgentForm(
  session: Session | undefined,
  { question, action, answers = [], unchecked }: IntentOf<"answerForm">,
  replyTarget: ReplyTarget,
): void {
  if (action === "decline") return session?.forms.decline(question);
  if (action === "cancel") return session?.forms.cancel(question);
  const form = session?.forms.form(question);
  if (!session || !form) return;
  const values = new Map(answers.map(({ field, value }) => [field, value]));
  const held = heldFields(form, values, unchecked);
  if (held) replyTarget.reply({ type: "formHeld", question, ...held });
  else session.forms.accept(question, values);
}

/** Retries or restarts the agent of a session. */
export function runSessionStep(session: Session, step: NextStep & ("retry" | "restartAgent")): Promise<void> | void {
  session.offerSignIn();
  if (step === "restartAgent") return session.restart();
  if (session.state.lost) return session.open();
  retryLastPrompt(session);
}

/** Retry is offered beside a failed turn: it sends the same prompt again, as a new one. */
function retryLastPrompt(session: Session): void {
  const last = session.state.entries.findLast(isPrompt);
  if (last?.kind === "message") session.send(last.content);
}
