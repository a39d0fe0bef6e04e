// The table of commands: everything under "Parley:" in the palette.
import * as vscode from "vscode";
import { asProblem } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { conversationText } from "../panel/projection/conversationText.ts";
import { openQuestions, sessionTitle } from "../session/state.ts";
import { addToChat, fixWithChat } from "../mentions/vscode/addToChat.ts";
import type { Attachments } from "../mentions/vscode/attachments.ts";
import type { ChatPanels } from "./chatPanels.ts";
import type { CheckpointController } from "../checkpoints/vscode/checkpointController.ts";
import type { CurrentSession } from "./currentSession.ts";
import type { FollowController } from "../follow/vscode/followController.ts";
import type { PermissionLog } from "../permissions/vscode/permissionLog.ts";
import type { PermissionRules } from "../permissions/vscode/permissionRules.ts";
import type { ReviewActions } from "../review/vscode/reviewActions.ts";
import { reviewCommands } from "../review/vscode/reviewCommands.ts";
import type { Settings } from "./settings.ts";
import type { TrafficDocument } from "./trafficDocument.ts";

export interface CommandContext {
  readonly current: CurrentSession;
  readonly chat: ChatPanels;
  readonly traffic: TrafficDocument;
  readonly rules: PermissionRules;
  readonly permissionLog: PermissionLog;
  readonly attaching: Attachments;
  readonly reviewing: ReviewActions;
  readonly checkpoints: CheckpointController;
  readonly follow: FollowController;
  readonly settings: () => Settings;
  readonly log: Log & { show(): void };
}

/** How long the status bar says that something was done, ms. */
export const statusMessageDuration = 3000;

type Command = (context: CommandContext, args: readonly unknown[]) => Promise<void> | void;

/** Every command by its id. Each id stands in the manifest too; a test compares the two. */
export const windowCommands = {
  "parley.newSession": async ({ current, chat }) => {
    current.start();
    await chat.focus("composer");
  },
  "parley.openChat": async ({ current, chat }) => {
    await chat.focus(openQuestions(current.state).length > 0 ? "ask" : "composer");
  },
  "parley.openChatInEditor": ({ chat }) => chat.openEditor(),
  "parley.toggleFollow": ({ follow }) => follow.toggle(),
  "parley.find": ({ chat }) => chat.focus("find"),
  "parley.stop": ({ current }) => current.session?.stop(),
  "parley.selectAgent": async ({ current, chat, settings }) => {
    const picks = settings().agents.map(agent => ({
      label: agent.name,
      description: agent.id === current.agent?.id ? vscode.l10n.t("current") : "",
      detail: agent.description ?? "",
      id: agent.id,
    }));
    const picked = await vscode.window.showQuickPick(picks, {
      title: vscode.l10n.t("Select Agent"),
      placeHolder: vscode.l10n.t("A new session starts with the agent you choose"),
      matchOnDetail: true,
    });
    if (!picked) return;
    current.start(picked.id);
    await chat.focus("composer");
  },
  "parley.restartAgent": async ({ current, chat }) => {
    await chat.focus("composer");
    if (current.session) await current.session.restart();
    else current.start();
  },
  "parley.addToChat": ({ chat, attaching }, args) => addToChat(chat, attaching, args),
  "parley.fixWithChat": ({ chat, attaching }, args) => fixWithChat(chat, attaching, args),
  "parley.renameSession": async ({ current }) => {
    const { session, state } = current;
    if (!session) return;
    const title = await vscode.window.showInputBox({
      title: vscode.l10n.t("Rename Session"),
      prompt: vscode.l10n.t("Leave it empty for the agent's own title."),
      value: sessionTitle(state),
    });
    if (title !== undefined) session.rename(title);
  },
  "parley.copyConversation": async ({ current }) => {
    await vscode.env.clipboard.writeText(conversationText(current.state));
    vscode.window.setStatusBarMessage(vscode.l10n.t("Copied the conversation."), statusMessageDuration);
  },
  "parley.restoreCheckpoint": ({ checkpoints }) => checkpoints.restore(),
  "parley.undoRestore": ({ checkpoints }) => checkpoints.undo(),
  "parley.deleteCheckpoints": ({ checkpoints }) => checkpoints.delete(),
  "parley.showLog": ({ log }) => log.show(),
  "parley.showTraffic": async ({ traffic, current }) => {
    const { agent } = current;
    if (agent) await traffic.show(current.state.agent?.id ?? agent.id, current.state.agent?.name ?? agent.name);
  },
  "parley.managePermissionRules": ({ rules }) => rules.manage(),
  "parley.showPermissionLog": ({ permissionLog }) => permissionLog.show(),
  "parley.saveTranscript": async ({ traffic, current }) => {
    const { agent } = current;
    if (agent) await traffic.save(current.state.agent?.id ?? agent.id);
  },
} satisfies Record<string, Command>;

/** Registers every command. A command that fails says so. */
export function registerCommands(context: CommandContext): vscode.Disposable {
  const register = (id: string, run: (args: readonly unknown[]) => Promise<void> | void): vscode.Disposable =>
    vscode.commands.registerCommand(id, async (...args: readonly unknown[]) => {
      try {
        await run(args);
      } catch (error) {
        const problem = asProblem(error);
        context.log.error(problem.message, problem.detail);
        void vscode.window.showErrorMessage(problem.message);
      }
    });
  return vscode.Disposable.from(
    ...Object.entries(windowCommands as Record<string, Command>).map(([id, run]) =>
      register(id, args => run(context, args)),
    ),
    ...Object.entries(reviewCommands).map(([id, run]) => register(id, args => run(context.reviewing, args))),
  );
}
