// Writes the message of a commit with an agent: the commands of the Source Control view, and what they show.
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import type { WindowAgents } from "../../agents/vscode/windowAgents.ts";
import { t } from "../../base/l10n.ts";
import { hostPlatform } from "../../base/platform.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import { showInformationMessage, showQuickPick, withProgress } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { findGit, type Git } from "../../git/gitProgram.ts";
import { gitApi, type EditorRepository, type GitExtensionApi } from "../../git/vscode/gitExtension.ts";
import type { OpenSessions } from "../../library/openSessions.ts";
import { offeringHelp, type AgentSessionsOptions } from "../../library/vscode/agentSessions.ts";
import { secretMatcher } from "../../permissions/sensitiveFiles.ts";
import { changesToCommit, type ChangesToCommit } from "../changesToCommit.ts";
import { CommitMessageUsage } from "../commitMessageUsage.ts";
import { EndedSessions } from "../endedSessions.ts";
import { commitPrompt } from "../commitPrompt.ts";
import { commitText } from "../commitText.ts";
import { MessageBox } from "../messageBox.ts";
import { runMessageSession, type EndedMessageSession } from "../messageSession.ts";
import { repositoryRules, type RepositoryRules } from "../repositoryRules.ts";
import { editorBox } from "./editorBox.ts";
import { leftOutSentence } from "../leftOutSentence.ts";

export interface CommitMessageSources {
  readonly agents: WindowAgents;
  readonly open: OpenSessions;
  /** The user's globs of files that look like secrets. */
  readonly sensitive: () => readonly string[];
}

export interface CommitMessageFeature {
  readonly usage: CommitMessageUsage;
  commands(
    help: Pick<AgentSessionsOptions, "registry" | "chat">,
  ): CommandHandlers<"parley.writeCommitMessage" | "parley.cancelCommitMessage">;
  /** Ends what is being written. Resolves when everything is stored, after about 1 s at the latest. Never rejects. */
  close(): Promise<void>;
}

/** A message that is being written. */
interface Run {
  readonly repository: EditorRepository;
  /** Ends it, and shows what was there before. */
  readonly cancel: () => void;
}

/** The user has cancelled the writing, or typed. */
class EndedByUser extends Error {}

/** Creates the feature. */
export function createCommitMessage(platform: ExtensionPlatform, sources: CommitMessageSources): CommitMessageFeature {
  const { store, storage, log } = platform;
  const usage = store.add(new CommitMessageUsage(storage, log));
  const runs = new Map<string, Run>();
  const ended = new EndedSessions(usage, platform.clock, log);
  // The menus cannot know of which repository: in a remote window, a menu's URI differs from the extension's.
  const showRuns = (): void => setContextKey("parley.writesCommitMessage", runs.size > 0);

  const write = async (help: Pick<AgentSessionsOptions, "registry" | "chat">, target: unknown): Promise<void> => {
    const definition = sources.agents.of(sources.open.active);
    if (!definition) {
      return inform(
        vscode.l10n.t("There is no agent that can write the message. Add one in Settings (parley.agents)."),
      );
    }
    const found = await repositoryToWrite(target);
    if (!found) return;
    // The notification of a problem can stay open for long, and the message is no longer written then.
    await offeringHelp({ ...help, log }, definition.id, async () => {
      const sentence = await runIn(found, definition);
      if (sentence !== undefined) inform(sentence);
    });
  };

  /** Resolves with what the user has to know. */
  const runIn = async (
    { repository, git }: RepositoryToWrite,
    definition: AgentDefinition,
  ): Promise<string | undefined> => {
    const key = repository.rootUri.toString();
    if (runs.has(key)) return undefined;
    const stop = new AbortController();
    const cancel = (): void => stop.abort(new EndedByUser());
    const box = new MessageBox(editorBox(repository), platform.clock, cancel);
    runs.set(key, { repository, cancel });
    showRuns();
    try {
      // Escape works in the view. The button that had the focus is replaced.
      await vscode.commands.executeCommand("workbench.scm.focus");
      return await withProgress({ location: vscode.ProgressLocation.SourceControl }, () =>
        writeInto(box, { repository, git, definition, signal: stop.signal }),
      );
    } finally {
      box.restore();
      box.dispose();
      runs.delete(key);
      showRuns();
    }
  };

  /** Resolves with what the user has to know. */
  const writeInto = async (
    box: MessageBox,
    { repository, git, definition, signal }: WritingOptions,
  ): Promise<string | undefined> => {
    try {
      const top = repository.rootUri.fsPath;
      const isSecret = secretTest(top, sources.sensitive());
      const withUntracked = includesUntracked(repository.rootUri);
      const changes = await changesToCommit(git, top, { isSecret, withUntracked, signal });
      const refusal = noChanges(changes, top);
      if (refusal !== undefined) return refusal;
      const rules = await repositoryRules(git, top, { isSecret, log, signal });
      const prompt = commitPrompt({ changes, rules, hint: hintOf(box.before, rules) });
      const text = await askAgent(platform, sources, definition, {
        ...{ prompt, signal, onText: written => box.write(commitText(written, true)) },
        onEnded: whenEnded => {
          const remove = async (id: string): Promise<void> => sources.agents.sessionStoreOf(definition.id).delete?.(id);
          ended.settle({ name: definition.name, remove }, whenEnded);
        },
      });
      const message = commitText(text);
      // The answer was only an introduction.
      if (message === "") throw new Error(t("{0} wrote no message.", definition.name));
      if (!box.finish(message)) return undefined;
      return leftOutSentence(changes);
    } catch (error) {
      if (error instanceof EndedByUser) return undefined;
      box.restore();
      throw error;
    }
  };

  return {
    usage,
    commands: help => ({
      "parley.writeCommitMessage": target => write(help, target),
      "parley.cancelCommitMessage": target => runToCancel(runs, target)?.cancel(),
    }),
    async close() {
      for (const { cancel } of runs.values()) cancel();
      await ended.close();
    },
  };
}

interface RepositoryToWrite {
  readonly repository: EditorRepository;
  readonly git: Git;
}

interface WritingOptions extends RepositoryToWrite {
  readonly definition: AgentDefinition;
  readonly signal: AbortSignal;
}

function inform(sentence: string): void {
  void showInformationMessage(sentence);
}

/** The repository of the button, the only one, or the one that the user chooses. Undefined, after a message, if there is none. */
async function repositoryToWrite(target: unknown): Promise<RepositoryToWrite | undefined> {
  if (!vscode.workspace.isTrusted) {
    inform(vscode.l10n.t("Parley writes commit messages only in a trusted workspace."));
    return undefined;
  }
  const api = await gitApi();
  if (!api) {
    inform(vscode.l10n.t("Parley needs VS Code's Git extension to write a commit message. Turn on git.enabled."));
    return undefined;
  }
  const git = findGit(api.git.path);
  if (!git) {
    inform(vscode.l10n.t("Git was not found. Commit messages need it."));
    return undefined;
  }
  const repository = await chooseRepository(api, target);
  return repository && { repository, git };
}

/** Undefined: the user has cancelled, or after a message. */
async function chooseRepository(
  { repositories }: GitExtensionApi,
  target: unknown,
): Promise<EditorRepository | undefined> {
  if (repositories.length === 0) {
    inform(vscode.l10n.t("No Git repository is open in the Source Control view."));
    return undefined;
  }
  const root = rootOf(target);
  if (root) {
    const found = repositories.find(({ rootUri }) => rootUri.toString() === root.toString());
    if (!found)
      inform(vscode.l10n.t("The repository “{0}” is no longer open in the Source Control view.", basename(root.path)));
    return found;
  }
  const picks = repositories.map(repository => {
    const path = repository.rootUri.fsPath;
    return { label: basename(path), description: path, iconPath: new vscode.ThemeIcon("repo"), repository };
  });
  const placeHolder = vscode.l10n.t("Select the repository of the commit");
  return (picks.length <= 1 ? picks[0] : await showQuickPick(picks, { placeHolder }))?.repository;
}

/** The folder of the source control that the button of the view passes. */
function rootOf(target: unknown): vscode.Uri | undefined {
  const { rootUri } = (typeof target === "object" && target !== null ? target : {}) as { readonly rootUri?: unknown };
  return rootUri instanceof vscode.Uri ? rootUri : undefined;
}

/** The message of the button's repository, otherwise that of the selected repository, otherwise the latest. */
function runToCancel(runs: ReadonlyMap<string, Run>, target: unknown): Run | undefined {
  const root = rootOf(target);
  const own = root && runs.get(root.toString());
  const all = [...runs.values()];
  return own ?? all.find(({ repository }) => repository.ui.selected) ?? all.at(-1);
}

function secretTest(top: string, sensitive: readonly string[]): (path: string) => boolean {
  const place = { roots: [top], platform: hostPlatform, ignoresCase: true, home: homedir() };
  const isSecret = secretMatcher(sensitive, place);
  return path => isSecret(join(top, path));
}

/** Whether the git extension commits files that git does not track, if nothing is staged. */
function includesUntracked(root: vscode.Uri): boolean {
  const git = vscode.workspace.getConfiguration("git", root);
  return git.get("untrackedChanges") !== "hidden" && git.get("smartCommitChanges") !== "tracked";
}

/** Why there is nothing to write. */
function noChanges({ files, leftOut }: ChangesToCommit, top: string): string | undefined {
  if (files.length > 0) return undefined;
  if (leftOut.length === 0) return vscode.l10n.t("There are no changes to commit in “{0}”.", basename(top));
  return leftOut.every(({ reason }) => reason === "conflict")
    ? vscode.l10n.t("All changes in “{0}” are in conflict. Resolve the conflicts first.", basename(top))
    : undefined;
}

/** During a merge, the box has the text that git proposes, which is part of the prompt anyway. */
const hintOf = (text: string, { merge }: RepositoryRules): string => (text.trim() === merge?.text ? "" : text);

interface AgentRequest {
  readonly prompt: string;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
  readonly onEnded: (ended: Promise<EndedMessageSession>) => void;
}

/** Rejects with a ProblemError, and with the reason of the signal when it aborts. */
async function askAgent(
  { context, clock, log }: ExtensionPlatform,
  { agents }: CommitMessageSources,
  definition: AgentDefinition,
  { prompt, signal, onText, onEnded }: AgentRequest,
): Promise<string> {
  // Agents read rules and permissions from the folder of a session, and list sessions by it.
  const folder = join(context.globalStorageUri.fsPath, "commit-message");
  await mkdir(folder, { recursive: true });
  signal.throwIfAborted();
  const { text, ended } = runMessageSession(
    {
      ...{ folder, clock, log, newId: () => randomUUID() },
      agent: { id: definition.id, name: definition.name },
      connection: {
        connect: onProgress => agents.connect(definition, ({ state, detail }) => onProgress(state, detail)),
        restart: () => agents.stop(definition.id),
      },
      choices: agents.initialChoices(definition),
    },
    { prompt, signal, onText },
  );
  onEnded(ended);
  return text;
}
