// What the user did in a panel → its effect. Everything the panel sends was checked against its schema before.
import { stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import * as vscode from "vscode";
import { asError, asProblem, type NextStep } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { nodePaths } from "../workspace/nodePaths.ts";
import { codeOf, Confinement } from "../workspace/paths.ts";
import type { AskOption } from "../session/events.ts";
import { find } from "./finds.ts";
import type { Asker, Wish } from "./chatPanel.ts";
import type { CurrentSession } from "./currentSession.ts";
import type { DiffDocuments } from "./diffDocuments.ts";
import { settleFile } from "./diskWatch.ts";
import type { EditorTerminals } from "./editorTerminals.ts";
import type { PermissionRules } from "./permissionRules.ts";
import { factsOf, sessionRoots } from "./room.ts";

export interface IntentContext {
  readonly current: CurrentSession;
  readonly rules: PermissionRules;
  readonly terminals: EditorTerminals;
  readonly diffs: DiffDocuments;
  readonly log: Log;
}

/** Carries out an intent. Never rejects: what fails is told to the user. */
export async function perform(intent: Wish, asker: Asker, context: IntentContext): Promise<void> {
  try {
    await effect(intent, asker, context);
  } catch (error) {
    const problem = asProblem(error);
    context.log.warn(problem.message, asError(error).stack);
    void vscode.window.showErrorMessage(problem.message);
  }
}

async function effect(intent: Wish, asker: Asker, context: IntentContext): Promise<void> {
  const { current, log } = context;
  const { session } = current;
  switch (intent.type) {
    case "send": {
      const text = intent.text.trimEnd();
      if (text.trim() === "") return;
      if (!session) current.start();
      current.session?.send([{ type: "text", text }]);
      return;
    }
    case "complete":
    case "attachItem":
    case "attachUris":
    case "pickAttachment":
      return asker.reply({ type: "refused", reason: vscode.l10n.t("Attachments are not supported yet.") });
    case "find":
      return find(intent, asker, current.view().entries);
    case "withdraw":
      return session?.withdraw(intent.submission);
    case "sendNow":
      return session?.sendNow(intent.submission);
    case "stop":
      return session?.stop();
    case "answer":
      return session?.answer(intent.ask, intent.option);
    case "always":
      return always(intent.ask, context);
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
    case "selectAgent":
      return current.start(intent.agent);
    case "setOption":
      return session?.setOption(intent.option, intent.value);
    case "openFile":
      return openFile(intent.path, intent.line, current.state.cwd);
    case "openDiff":
      return context.diffs.open(current.state, intent.entry, intent.part);
    case "openLink":
      return openLink(intent.href, current.state.cwd);
    case "copy":
      return vscode.env.clipboard.writeText(intent.text);
    case "nextStep":
      return nextStep(intent.step, context);
    case "report":
      return log.error(
        `The chat view reported ${intent.kind === "csp" ? "a policy violation" : "an error"}: ${intent.text}`,
      );
    default:
      return intent satisfies never;
  }
}

/** A rule of the user's choice, and this question answered as the rule would have. */
async function always(ask: string, { current, rules }: IntentContext): Promise<void> {
  const { session, agent } = current;
  const question = session?.question(ask);
  if (!session || !agent || !question) return;
  const effect = await rules.always(question, await factsOf(question, agent.id, session.state.cwd));
  const find = (kind: string): AskOption | undefined => question.options.find(offered => offered.kind === kind);
  const option = effect === "deny" ? (find("reject_once") ?? find("reject_always")) : effect && find("allow_once");
  if (option) session.answer(ask, option.id);
}

/**
 * Opens a file an agent named, at its line, only if it lies inside the session's folders, through symbolic links. Else
 * rejects with a sentence. Paths are asked about only where confinement allows: a Windows share would be contacted.
 */
export async function openFile(path: string, line: number | undefined, cwd: string): Promise<void> {
  // Before the first session there is no folder of its own.
  const roots = sessionRoots(cwd).filter(root => root !== "");
  const confinement = new Confinement(nodePaths(), roots);
  const located = await confinement.locate(isAbsolute(path) ? path : resolve(cwd, path));
  if (!located.inside) {
    throw new Error(vscode.l10n.t("{0} lies outside this workspace, so it is not opened from the chat.", path));
  }
  if (!(await isFile(located.path))) throw new Error(vscode.l10n.t("There is no file {0}.", path));
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  const options = line === undefined ? {} : { selection: new vscode.Range(at, at) };
  await vscode.window.showTextDocument(vscode.Uri.file(located.path), { preview: true, ...options });
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}

const openSchemes = new Set(["https", "http", "mailto"]);

/** Opens a link an agent wrote: web and mail outside, files in the editor. Rejects with a sentence for anything else. */
export async function openLink(href: string, cwd: string): Promise<void> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
  if (scheme === undefined) throw new Error(vscode.l10n.t("{0} is not a link that can be opened.", href));
  if (scheme !== "file" && !openSchemes.has(scheme)) {
    throw new Error(vscode.l10n.t("Links of the kind {0}: are not opened.", scheme));
  }
  const uri = vscode.Uri.parse(href, true).with({ scheme });
  if (scheme === "file") return openFile(uri.fsPath, lineOf(uri.fragment), cwd);
  await vscode.env.openExternal(uri);
}

function lineOf(fragment: string): number | undefined {
  const line = /^L(\d+)/.exec(fragment)?.[1];
  return line === undefined ? undefined : Number(line);
}

async function nextStep(step: NextStep, { current }: IntentContext): Promise<void> {
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
  const last = current.state.entries.findLast(entry => entry.kind === "message" && entry.author === "user");
  if (last?.kind === "message") current.session?.send(last.content);
}
