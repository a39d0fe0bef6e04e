// Handlers that pass intents on to their session, or start another one.
import * as vscode from "vscode";
import { setAgentProtocol } from "../agents/vscode/agentSettings.ts";
import type { NextStep } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { McpFeature } from "../mcp/vscode/createMcp.ts";
import type { ChatSurface } from "../panel/chatSurface.ts";
import { intentHandlers } from "../panel/intentHandlers.ts";
import { answerAgentForm, openSessionIntents, runSessionStep } from "../panel/openSessionIntents.ts";
import type { ReplyTarget } from "../panel/replyTarget.ts";
import type { Session } from "../session/session.ts";
import { runPanelCommand, showFailingMessage } from "./panelCommands.ts";
import type { StoredSessions } from "../library/storedSessions.ts";
import type { WindowAgents } from "../agents/vscode/windowAgents.ts";
import type { SessionRegistry } from "../library/sessionRegistry.ts";
import type { WorktreeSetUp } from "../worktrees/setUpWorktree.ts";
import { hasSession, showSession } from "../library/vscode/showSession.ts";

/** Handlers for the session that each intent names. They do nothing if it is closed. */
export function sessionIntents({
  registry,
  agents,
  stored,
  chat,
  mcp,
  setUp,
  startInWorktree,
}: {
  readonly registry: SessionRegistry;
  readonly agents: WindowAgents;
  readonly stored: StoredSessions;
  readonly chat: ChatSurface;
  readonly mcp: Pick<McpFeature, "questions" | "answerForm">;
  readonly setUp: Pick<WorktreeSetUp, "skip">;
  /** Starts a new session in a worktree. Resolves with false if new sessions don't start in worktrees. */
  readonly startInWorktree: () => Promise<boolean>;
}) {
  const newSession = async (replyTarget: ReplyTarget): Promise<void> => {
    if (!(await startInWorktree())) await startSession(registry, replyTarget);
  };
  const of = ({ session }: { readonly session?: string }): Session | undefined => registry.open.get(session);
  return intentHandlers({
    ...openSessionIntents(id => registry.open.get(id)),
    answerForm: (intent, replyTarget) =>
      mcp.questions.has(intent.question)
        ? mcp.answerForm(intent, replyTarget)
        : answerAgentForm(of(intent), intent, replyTarget),
    openAddress: async intent => {
      const { question } = intent;
      const href = mcp.questions.openAddress(question) ?? of(intent)?.forms.openAddress(question);
      // As a string, because a Uri would decode and encode parts of the address that the user agreed to.
      if (href !== undefined) await vscode.commands.executeCommand("vscode.open", href);
    },
    signIn: async intent => {
      const session = of(intent);
      if (session) await agents.signIn(session, intent.method);
    },
    cancelSignIn: intent => {
      const session = of(intent);
      if (session) agents.cancelSignIn(session);
    },
    signOut: async () => {
      if (!registry.obstacle) await agents.signOut(registry.open.active);
    },
    setOption: async intent => {
      const session = of(intent);
      if (session) await agents.setOption(session, intent.option, intent.value);
    },
    newSession: (_, replyTarget) => newSession(replyTarget),
    showSession: async ({ id }) => {
      // The stored sessions can be read later than the changes that name them.
      if (!hasSession({ registry, stored }, id)) await stored.load();
      if (!hasSession({ registry, stored }, id)) throw new Error(t("This session was deleted, so it cannot be shown."));
      await showSession({ registry, stored, chat }, id);
    },
    selectAgent: ({ agent }, replyTarget) => startSession(registry, replyTarget, agent),
    nextStep: (intent, replyTarget) =>
      intent.step === "startAnyway"
        ? startAnyway(of(intent), setUp)
        : intent.step === "newSession"
          ? newSession(replyTarget)
          : runNextStep(registry, of(intent), intent.step, replyTarget),
  });
}

/** Starts a session in the panel, and lets the user type its first prompt. */
async function startSession(registry: SessionRegistry, replyTarget: ReplyTarget, agent?: string): Promise<void> {
  await registry.startInChosenFolder(replyTarget.surface, agent);
  replyTarget.reply({ type: "focus", target: "composer" });
}

function runNextStep(
  registry: SessionRegistry,
  session: Session | undefined,
  step: Exclude<NextStep, "startAnyway" | "newSession">,
  replyTarget: ReplyTarget,
): Promise<void> | void {
  switch (step) {
    case "retry":
    case "restartAgent":
      if (!session) return void registry.start(undefined, replyTarget.surface);
      return runSessionStep(session, step);
    case "showTraffic":
      return showFailingMessage(session?.id);
    case "useDraftProtocol":
      return useDraftProtocol(session);
    default:
      return runPanelCommand(step);
  }
}

/** Starts the agent in a worktree whose set-up failed. */
async function startAnyway(session: Session | undefined, setUp: Pick<WorktreeSetUp, "skip">): Promise<void> {
  if (!session) return;
  await setUp.skip(session.state.workspaceFolder);
  await session.open();
}

/** Sets the version in the settings of the agent, and starts it again. */
async function useDraftProtocol(session: Session | undefined): Promise<void> {
  const agent = session?.state.agent;
  if (!agent) return;
  await setAgentProtocol(agent.id, "2");
  // A prompt of the meantime may have started the agent with the old settings.
  await session?.restart();
}
