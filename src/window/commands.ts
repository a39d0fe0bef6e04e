// The table of commands: everything under "Parley:" in the palette.
import * as vscode from "vscode";
import { asProblem } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { conversationText } from "../panel/projection/conversationText.ts";
import { openAsks, sessionTitle } from "../session/state.ts";
import { addToChat, fixWithChat } from "../mentions/vscode/addToChat.ts";
import type { Attaching } from "../mentions/vscode/attachments.ts";
import type { ChatPanels } from "./chatPanels.ts";
import type { CheckpointUi } from "../checkpoints/vscode/checkpointController.ts";
import type { CurrentSession } from "./currentSession.ts";
import type { FollowUi } from "../follow/vscode/followController.ts";
import type { PermissionLog } from "../permissions/vscode/permissionLog.ts";
import type { PermissionRules } from "../permissions/vscode/permissionRules.ts";
import type { ReviewActions } from "../review/vscode/reviewActions.ts";
import { commands as reviewCommands } from "../review/vscode/reviewCommands.ts";
import type { Settings } from "./settings.ts";
import type { Traffic } from "./trafficDocument.ts";

export interface CommandContext {
  readonly current: CurrentSession;
  readonly chat: ChatPanels;
  readonly traffic: Traffic;
  readonly rules: PermissionRules;
  readonly permissionLog: PermissionLog;
  readonly attaching: Attaching;
  readonly reviewing: ReviewActions;
  readonly checkpoints: CheckpointUi;
  readonly follow: FollowUi;
  readonly settings: () => Settings;
  readonly log: Log & { show(): void };
}

/** How long the status bar says that something was done, ms. */
export const messageTime = 3000;

type Command = (context: CommandContext, args: readonly unknown[]) => Promise<void> | void;

/** Every command by its id. Each id stands in the manifest too; a test compares the two. */
export const commands = {
  "parley.newSession": async ({ current, chat }) => {
    current.start();
    await chat.focus("composer");
  },
  "parley.openChat": async ({ current, chat }) => {
    await chat.focus(openAsks(current.state).length > 0 ? "ask" : "composer");
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
    vscode.window.setStatusBarMessage(vscode.l10n.t("Copied the conversation."), messageTime);
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
    ...Object.entries(commands as Record<string, Command>).map(([id, run]) => register(id, args => run(context, args))),
    ...Object.entries(reviewCommands).map(([id, run]) => register(id, args => run(context.reviewing, args))),
  );
}
