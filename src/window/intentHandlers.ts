// What the user did in a panel → its effect. Everything the panel sends was checked against its schema before.
import * as vscode from "vscode";
import { asError, asProblem, type NextStep } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { QuestionOption } from "../session/events.ts";
import { findInConversation } from "./findInConversation.ts";
import { isPrompt } from "../session/state.ts";
import type { ReviewTarget } from "../review/review.ts";
import type { ReplyTarget, PanelAction } from "../panel/replyTarget.ts";
import type { CheckpointController } from "../checkpoints/vscode/checkpointController.ts";
import { applyCode, insertCode } from "./code/codeBlocks.ts";
import type { ContentDocuments } from "./code/contentDocuments.ts";
import type { CurrentSession } from "./currentSession.ts";
import type { DiagramPanels } from "./code/diagramPanel.ts";
import type { DiffDocuments } from "./code/diffDocuments.ts";
import { settleFile } from "../files/vscode/settleFile.ts";
import type { EditorTerminals } from "../terminals/vscode/editorTerminals.ts";
import { openFile, openLink } from "./code/openFile.ts";
import type { PermissionRules } from "../permissions/vscode/permissionRules.ts";
import type { Mentions } from "../mentions/vscode/mentions.ts";
import { factsOf } from "../permissions/vscode/questionContext.ts";
import type { ReviewActions } from "../review/vscode/reviewActions.ts";
import type { FollowController } from "../follow/vscode/followController.ts";
import type { PromptSender } from "./promptSender.ts";

export interface IntentContext {
  readonly current: CurrentSession;
  readonly rules: PermissionRules;
  readonly terminals: EditorTerminals;
  readonly diffs: DiffDocuments;
  readonly contents: ContentDocuments;
  readonly diagrams: DiagramPanels;
  readonly mentions: Mentions;
  readonly sender: PromptSender;
  readonly reviewing: ReviewActions;
  readonly checkpoints: CheckpointController;
  readonly follow: FollowController;
  readonly log: Log;
}

/** Carries out an intent. Never rejects: what fails is told to the user. */
export async function handleIntent(
  intent: PanelAction,
  replyTarget: ReplyTarget,
  context: IntentContext,
): Promise<void> {
  try {
    await runIntent(intent, replyTarget, context);
  } catch (error) {
    const problem = asProblem(error);
    context.log.warn(problem.message, asError(error).stack);
    void vscode.window.showErrorMessage(problem.message);
  }
}

async function runIntent(intent: PanelAction, replyTarget: ReplyTarget, context: IntentContext): Promise<void> {
  const { current, log } = context;
  const { session } = current;
  switch (intent.type) {
    case "send":
      return context.sender.send(intent, replyTarget);
    case "complete":
      return context.mentions.complete(replyTarget, intent.request, intent.query);
    case "attachItem":
      return context.mentions.attachItem(replyTarget, intent.request, intent.key);
    case "attachUris":
      return context.mentions.attachUris(replyTarget, intent.uris);
    case "pickAttachment":
      return context.mentions.pick(replyTarget);
    case "find":
      return findInConversation(intent, replyTarget, current.view().entries);
    case "withdraw":
      return session?.withdraw(intent.submission);
    case "editQueued":
      return session?.editQueued(intent.submission, intent.text.trimEnd());
    case "moveQueued":
      return session?.moveQueued(intent.submission, intent.before);
    case "sendNow":
      return session?.sendNow(intent.submission);
    case "stop":
      return session?.stop();
    case "answer":
      return session?.answer(intent.ask, intent.option);
    case "always":
      return createRule(intent.ask, context);
    case "manageRules":
      return context.rules.manage(intent.decision);
    case "killTerminal":
      return session?.killTerminal(intent.terminal);
    case "openTerminal":
      return session && context.terminals.open(session, intent.terminal);
    case "settleFile":
      return settleFile(intent.path, intent.how);
    case "newSession":
      return current.start();
    case "rename":
      return session?.rename(intent.title);
    case "openInEditor":
      return void (await vscode.commands.executeCommand("parley.openChatInEditor"));
    case "follow":
      return context.follow.follow(intent.on);
    case "copyConversation":
      return void (await vscode.commands.executeCommand("parley.copyConversation"));
    case "saveTranscript":
      return void (await vscode.commands.executeCommand("parley.saveTranscript"));
    case "restoreCheckpoint":
      return context.checkpoints.restore(intent.entry);
    case "reviewChanges":
      return context.reviewing.review();
    case "keepChanges":
      return context.reviewing.decide("keep", reviewTarget(intent.path));
    case "undoChanges":
      return context.reviewing.decide("undo", reviewTarget(intent.path));
    case "selectAgent":
      return current.start(intent.agent);
    case "setOption":
      return session?.setOption(intent.option, intent.value);
    case "openFile":
      return openFile(intent.path, intent.line, current.state.workspaceFolder, intent);
    case "openContent":
      return context.contents.open(current.state, intent.entry, intent.part);
    case "saveContent":
      return context.contents.save(current.state, intent.entry, intent.part);
    case "insertCode":
      return insertCode(intent.text);
    case "applyCode":
      return applyCode(intent.text, intent.path, { cwd: current.state.workspaceFolder, contents: context.contents });
    case "openDiagram":
      return context.diagrams.open(intent.text);
    case "openDiff":
      return context.diffs.open(current.state, intent.entry, intent.part);
    case "openLink":
      return openLink(intent.href, current.state.workspaceFolder);
    case "copy":
      return vscode.env.clipboard.writeText(intent.text);
    case "nextStep":
      return runNextStep(intent.step, context);
    case "report":
      return log.error(
        `The chat view reported ${intent.kind === "csp" ? "a policy violation" : "an error"}: ${intent.text}`,
      );
    default:
      return intent satisfies never;
  }
}

const reviewTarget = (path: string | undefined): ReviewTarget =>
  path === undefined ? { kind: "all" } : { kind: "file", path };

/** A rule of the user's choice, and this question answered as the rule would have. */
async function createRule(questionId: string, { current, rules }: IntentContext): Promise<void> {
  const { session, agent } = current;
  const question = session?.question(questionId);
  if (!session || !agent || !question) return;
  const ruleEffect = await rules.createRule(question, await factsOf(question, agent.id, session.state.workspaceFolder));
  const optionOfKind = (kind: string): QuestionOption | undefined =>
    question.options.find(offered => offered.kind === kind);
  const option =
    ruleEffect === "deny"
      ? (optionOfKind("reject_once") ?? optionOfKind("reject_always"))
      : ruleEffect && optionOfKind("allow_once");
  if (option) session.answer(questionId, option.id);
}

async function runNextStep(step: NextStep, { current }: IntentContext): Promise<void> {
  switch (step) {
    case "retry":
      if (!current.session) return current.start();
      if (current.state.lost) return current.session.open();
      return retryLastPrompt(current);
    case "restartAgent":
      return current.session ? current.session.restart() : current.start();
    case "selectAgent":
      return void (await vscode.commands.executeCommand("parley.selectAgent"));
    case "openSettings":
      return void (await vscode.commands.executeCommand("workbench.action.openSettings", "parley.agents"));
    case "showLog":
      return void (await vscode.commands.executeCommand("parley.showLog"));
    case "showTraffic":
      return void (await vscode.commands.executeCommand("parley.showTraffic"));
    case "manageTrust":
      return void (await vscode.commands.executeCommand("workbench.trust.manage"));
    case "openFolder":
      return void (await vscode.commands.executeCommand("workbench.action.files.openFolder"));
    case "newSession":
      return current.start();
    default:
      return step satisfies never;
  }
}

/** Retry stands beside a turn that failed: the same prompt goes out again, as a new one. */
function retryLastPrompt(current: CurrentSession): void {
  const last = current.state.entries.findLast(isPrompt);
  if (last?.kind === "message") current.session?.send(last.content);
}
