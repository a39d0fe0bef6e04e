// Handlers that pass intents on to their session, or start another one.
import * as vscode from "vscode";
import { withTimeout } from "../base/async.ts";
import type { NextStep } from "../base/errors.ts";
import { updateUserSetting, userSetting } from "../editor/userSettings.ts";
import type { McpFeature } from "../mcp/vscode/createMcp.ts";
import { heldFields } from "../panel/form/answerForm.ts";
import { intentHandlers, type IntentOf } from "../panel/intentHandlers.ts";
import type { ReplyTarget } from "../panel/replyTarget.ts";
import { isPrompt } from "../session/state.ts";
import type { Session } from "../session/session.ts";
import { runPanelCommand } from "./panelCommands.ts";
import type { StoredSessions } from "../sessions/storedSessions.ts";
import { openInSurface } from "./sessions/sessionListCommands.ts";
import type { WindowSessions } from "./sessions/windowSessions.ts";

/** Handlers for the session that each intent names. They do nothing if it is closed. */
export function sessionIntents(
  sessions: WindowSessions,
  stored: StoredSessions,
  mcp: Pick<McpFeature, "asks" | "answerForm">,
) {
  const of = ({ session }: { readonly session?: string }): Session | undefined => sessions.open.get(session);
  return intentHandlers({
    withdraw: intent => of(intent)?.withdraw(intent.submission),
    editQueued: intent => of(intent)?.editQueued(intent.submission, intent.text.trimEnd()),
    moveQueued: intent => of(intent)?.moveQueued(intent.submission, intent.before),
    sendNow: intent => of(intent)?.sendNow(intent.submission),
    sendWhileRunning: intent => of(intent)?.sendWhileRunning(intent.submission),
    resumeQueue: intent => of(intent)?.resumeQueue(),
    sendAnyway: intent => of(intent)?.sendAnyway(),
    stop: intent => of(intent)?.stop(),
    cancelConnecting: intent => of(intent)?.cancelConnecting(),
    answer: intent => of(intent)?.answer(intent.ask, intent.option),
    answerForm: (intent, replyTarget) =>
      mcp.asks.has(intent.ask) ? mcp.answerForm(intent, replyTarget) : answerForm(of(intent), intent, replyTarget),
    openAddress: async intent => {
      const href = of(intent)?.forms.openAddress(intent.ask);
      // As a string, because a Uri would decode and encode parts of the address that the user agreed to.
      if (href !== undefined) await vscode.commands.executeCommand("vscode.open", href);
    },
    signIn: async intent => {
      const session = of(intent);
      if (session) await sessions.signIn(session, intent.method);
    },
    cancelSignIn: intent => {
      const session = of(intent);
      if (session) sessions.cancelSignIn(session);
    },
    signOut: () => sessions.signOut(),
    killTerminal: intent => of(intent)?.killTerminal(intent.terminal),
    cancelTool: intent => of(intent)?.cancelTool(intent.toolCall),
    rename: intent => of(intent)?.rename(intent.title),
    setOption: async intent => {
      const session = of(intent);
      if (session) await sessions.setOption(session, intent.option, intent.value);
    },
    newSession: (_, replyTarget) => startSession(sessions, replyTarget),
    showSession: async ({ id }, replyTarget) => {
      if (await openInSurface({ sessions, stored }, id, replyTarget.surface))
        replyTarget.reply({ type: "focus", target: "composer" });
    },
    selectAgent: ({ agent }, replyTarget) => startSession(sessions, replyTarget, agent),
    nextStep: (intent, replyTarget) => runNextStep(sessions, of(intent), intent.step, replyTarget),
  });
}

function answerForm(
  session: Session | undefined,
  { ask, action, answers = [], unchecked }: IntentOf<"answerForm">,
  replyTarget: ReplyTarget,
): void {
  if (action === "decline") return session?.forms.decline(ask);
  if (action === "cancel") return session?.forms.cancel(ask);
  const form = session?.forms.form(ask);
  if (!session || !form) return;
  const values = new Map(answers.map(({ field, value }) => [field, value]));
  const held = heldFields(form, values, unchecked);
  if (held) replyTarget.reply({ type: "formHeld", ask, ...held });
  else session.forms.accept(ask, values);
}

/** Starts a session in the panel, and lets the user type its first prompt. */
async function startSession(sessions: WindowSessions, replyTarget: ReplyTarget, agent?: string): Promise<void> {
  await sessions.startInChosenFolder(replyTarget.surface, agent);
  replyTarget.reply({ type: "focus", target: "composer" });
}

function runNextStep(
  sessions: WindowSessions,
  session: Session | undefined,
  step: NextStep,
  replyTarget: ReplyTarget,
): Promise<void> | void {
  switch (step) {
    case "retry":
      if (!session) return void sessions.start(undefined, replyTarget.surface);
      session.offerSignIn();
      if (session.state.lost) return session.open();
      return retryLastPrompt(session);
    case "restartAgent":
      if (!session) return void sessions.start(undefined, replyTarget.surface);
      session.offerSignIn();
      return session.restart();
    case "newSession":
      return startSession(sessions, replyTarget);
    case "useDraftProtocol":
      return useDraftProtocol(session);
    default:
      return runPanelCommand(step);
  }
}

/** Sets the version in the settings of the agent, and starts it again. */
async function useDraftProtocol(session: Session | undefined): Promise<void> {
  const agent = session?.state.agent;
  if (!agent) return;
  const agents = userAgents();
  const changed = { ...agents, [agent.id]: { ...asRecord(agents[agent.id]), protocol: "2" } };
  // The update can resolve before the changed value is in effect.
  const inEffect = whenChanged(() => asRecord(userAgents()[agent.id])["protocol"] === "2");
  await updateUserSetting("agents", changed);
  await withTimeout(inEffect.done, maxSettingWait, () => undefined);
  inEffect.dispose();
  // A prompt of the meantime may have started the agent with the old settings.
  await session?.restart();
}

/** A changed setting is waited for at most this long (ms). */
const maxSettingWait = 5000;

const userAgents = (): Readonly<Record<string, unknown>> => asRecord(userSetting("agents"));

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** `done` resolves when a change of the settings meets the condition. */
function whenChanged(isMet: () => boolean): vscode.Disposable & { readonly done: Promise<void> } {
  let listener: vscode.Disposable | undefined;
  const done = new Promise<void>(resolve => {
    listener = vscode.workspace.onDidChangeConfiguration(() => {
      if (isMet()) resolve();
    });
  });
  return { done, dispose: () => listener?.dispose() };
}

/** Retry is offered beside a failed turn: it sends the same prompt again, as a new one. */
function retryLastPrompt(session: Session): void {
  const last = session.state.entries.findLast(isPrompt);
  if (last?.kind === "message") session.send(last.content);
}
