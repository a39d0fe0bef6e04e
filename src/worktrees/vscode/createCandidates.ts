// Creates what asks several agents the same and compares what they did.
import * as vscode from "vscode";
import type { WindowAgents } from "../../agents/vscode/windowAgents.ts";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage, showQuickPick } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { nodePaths, pathExists } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import { changedSince, type WorkTreeChange } from "../../git/workTreeChanges.ts";
import type { Git } from "../../git/gitProgram.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { StoredSessionsFeature } from "../../library/vscode/createStoredSessions.ts";
import { hasSession, rememberedSession, showSession } from "../../library/vscode/showSession.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import { SessionTerminals } from "../../terminals/sessionTerminals.ts";
import type { TerminalsFeature } from "../../terminals/vscode/createTerminals.ts";
import { userTerminalVariables } from "../../terminals/vscode/userTerminalVariables.ts";
import { CandidateChanges } from "../candidates/candidateChanges.ts";
import { CandidateChecks } from "../candidates/candidateChecks.ts";
import { CandidateGroups, type Candidate, type CandidateGroup } from "../candidates/candidateGroups.ts";
import { sendHeldPrompts } from "../candidates/candidateStart.ts";
import { askSeveralAgents, type DraftedPrompts } from "./askSeveralAgents.ts";
import { compareCandidates, compareFile, type ChangedCandidate } from "./candidateDiffs.ts";
import { CandidatesTab, type CandidatesAction } from "./candidatesTab.ts";
import type { WorktreeRecords } from "../worktreeRecords.ts";
import { parentFolder, type WorktreeSettings, type WorktreesFeature } from "./createWorktrees.ts";
import { removeWorktreeCommand, type RemoveWorktreeOptions } from "./removeWorktreeCommand.ts";
import { showWorktreeChanges } from "./worktreeCommands.ts";

export interface CandidatesOptions {
  /** The folder of the groups of candidates. */
  readonly path: string;
  readonly settings: () => WorktreeSettings;
  readonly records: WorktreeRecords;
  readonly environment: WindowEnvironment;
}

/** What the commands need of the window. */
export interface CandidateSessions {
  readonly registry: SessionRegistry;
  readonly agents: WindowAgents;
  readonly folders: Pick<WorkspaceFolders, "choose">;
  readonly storedSessions: StoredSessionsFeature;
  readonly chat: ChatSurface;
  readonly prompts: DraftedPrompts;
  readonly worktrees: WorktreesFeature;
  readonly terminals: TerminalsFeature;
  /** As for {@link removeWorktreeCommand}. */
  readonly openElsewhere: RemoveWorktreeOptions["openElsewhere"];
  /** Shows the page in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
}

export interface CandidatesFeature {
  /** Ends all checks. Resolves when no process is left. */
  close(): Promise<void>;
  /** The commands, with the sessions that they start and compare. */
  commands(sessions: CandidateSessions): CommandHandlers<"parley.askSeveralAgents" | "parley.compareCandidates">;
}

/** Creates the feature. */
export function createCandidates(
  { store, log, clock }: ExtensionPlatform,
  { path, settings, records, environment }: CandidatesOptions,
): CandidatesFeature {
  const groups = new CandidateGroups(path, log);
  const checks = new CandidateChecks({
    ...{ groups, settings, clock },
    // The command is in the user's settings, so nobody is asked.
    terminalsIn: folder =>
      new SessionTerminals({
        ...{ confinement: new Confinement(nodePaths(), [folder]), workspaceFolder: folder, environment },
        ...{ changes: userTerminalVariables, shell: vscode.env.shell, report: () => {} },
      }),
  });
  const changes = store.add(
    new CandidateChanges({
      compare: async ({ worktree }, base, signal) => {
        if (!(await pathExists(worktree))) return undefined;
        // The base of a worktree that was updated is another one.
        return changedSince(gitFor(worktree), worktree, records.of(worktree)?.base ?? base, { signal });
      },
      clock,
    }),
  );
  return {
    close: () => checks.close(),
    commands: sessions => {
      const { registry, agents, folders, storedSessions, chat, prompts, terminals, openPage } = sessions;
      const { stored } = storedSessions;
      const tab = store.add(
        new CandidatesTab({
          ...{ groups, changes, checks, stored, openPage, clock, log, open: registry.open },
          command: () => settings().check,
          run: (action, group) => run(action, group),
        }),
      );
      const act = candidateActions({ ...sessions, groups, checks });
      const run = async (action: CandidatesAction, group: CandidateGroup): Promise<void> => {
        await act(action, group);
        tab.refreshFiles();
      };
      return {
        "parley.askSeveralAgents": async () => {
          await askSeveralAgents({
            ...{ registry, folders, chat, prompts, records, groups, clock, agents: agents.definitions() },
            settings: () => {
              const { copy, folder, maxCandidates } = settings();
              return { copy, maxCandidates, parent: parentFolder(folder) };
            },
            deleteStored: session => stored.delete(session),
            whenEnded: () => terminals.whenEnded(),
            compare: group => tab.show(group),
          }).finally(() => tab.refresh());
        },
        "parley.compareCandidates": async () => {
          await Promise.all([records.read(), storedSessions.refresh()]);
          const group = await chooseGroup(await shownGroups(groups, sessions));
          if (!group) return;
          for (const { name, session } of group.candidates)
            await openClosed(session, sessions).catch((thrown: unknown) => {
              log.warn(`The session of ${name} is shown as closed.`, asError(thrown).message);
            });
          tab.show(group.id);
        },
      };
    },
  };
}

/** Opens the session of a candidate, so that its state is known. Another window may have it open. */
async function openClosed(id: string, { registry, storedSessions: { stored } }: CandidateSessions): Promise<void> {
  if (registry.open.get(id)) return;
  const remembered = rememberedSession({ registry, stored }, id);
  if (remembered) await registry.openUnshown(remembered);
}

/** The groups of this workspace. Those of which no worktree is left are removed. */
async function shownGroups(
  groups: CandidateGroups,
  { registry, storedSessions: { stored }, worktrees }: CandidateSessions,
): Promise<readonly CandidateGroup[]> {
  const all = await groups.read();
  const own = all.filter(({ candidates }) =>
    candidates.some(({ session }) => hasSession({ registry, stored }, session)),
  );
  const isLeft = ({ worktree }: Candidate): boolean => worktrees.records.of(worktree) !== undefined;
  for (const { id, candidates } of own)
    if (!candidates.some(isLeft))
      await groups.leaveOut(
        id,
        candidates.map(({ session }) => session),
      );
  return own.filter(({ candidates }) => candidates.some(isLeft));
}

/** Asks for the group if there are several. Undefined: there is none, or the user cancelled. */
async function chooseGroup(groups: readonly CandidateGroup[]): Promise<CandidateGroup | undefined> {
  if (groups.length === 0) {
    void showInformationMessage(t("There is nothing to compare. Use “Ask Several Agents…” first."));
    return undefined;
  }
  if (groups.length === 1) return groups[0];
  const picks = groups.map(group => ({
    label: group.title,
    description: new Date(group.created).toLocaleString(),
    detail: group.candidates.map(({ name }) => name).join(", "),
    group,
  }));
  const placeHolder = t("Select the prompt whose results you want to compare");
  return (await showQuickPick(picks, { title: t("Compare Candidates"), placeHolder, matchOnDetail: true }))?.group;
}

interface ActionOptions extends CandidateSessions {
  readonly groups: CandidateGroups;
  readonly checks: CandidateChecks;
}

/** Does what the user wants on the page. The result rejects with a sentence. */
function candidateActions(options: ActionOptions): (action: CandidatesAction, group: CandidateGroup) => Promise<void> {
  const { registry, agents, storedSessions, chat, worktrees, groups, checks, openElsewhere } = options;
  const { open } = registry;
  const { records, files } = worktrees;
  const { stored } = storedSessions;
  return async (action, group) => {
    switch (action.type) {
      case "send":
        for (const { session } of group.candidates) {
          const started = open.get(session);
          if (started) sendHeldPrompts(started);
        }
        return;
      case "runChecks":
        await Promise.all(group.candidates.map(candidate => checks.run(group, candidate)));
        return;
      case "compareFile":
        return compareFile(gitFor(group.origin), await Promise.all(changedIn(group, records)), files);
      case "setCheckCommand":
        await vscode.commands.executeCommand("workbench.action.openSettings", "parley.worktrees.check");
        return;
    }
    const candidate = group.candidates.find(({ session }) => session === action.session);
    if (!candidate) return;
    const { session, worktree, branch } = candidate;
    switch (action.type) {
      case "setOption": {
        const started = open.get(session);
        if (started) await agents.setOption(started, action.option, action.value);
        return;
      }
      case "showChat":
        return showSession({ registry, stored, chat }, session, "list");
      case "goOn":
        await showSession({ registry, stored, chat }, session);
        return chat.focus("composer", [open.activeSurface]);
      case "showChanges": {
        const record = records.of(worktree) ?? noWorktree(candidate);
        return showWorktreeChanges({ record, folder: worktree, branch }, files);
      }
      case "compareWith": {
        const other = await chooseOther(group, candidate);
        if (!other) return;
        const [left, right] = await Promise.all([candidate, other].flatMap(one => changedIn(group, records, one)));
        return left && right && compareCandidates(left, right, files);
      }
      case "runCheck":
        return checks.run(group, candidate);
      case "stopCheck":
        return checks.stop(session);
      case "removeOthers": {
        const others = group.candidates.filter(one => one !== candidate);
        for (const other of others) {
          checks.stop(other.session);
          if (records.of(other.worktree))
            await removeWorktreeCommand({ open, records, openElsewhere, of: other.worktree });
        }
        const removed = others.filter(other => !records.of(other.worktree)).map(other => other.session);
        return groups.leaveOut(group.id, removed);
      }
      default:
        action satisfies never;
    }
  };
}

/** The changes of each candidate, or of one. */
const changedIn = (
  { candidates, base }: CandidateGroup,
  records: WorktreeRecords,
  only?: Candidate,
): readonly Promise<ChangedCandidate>[] =>
  (only ? [only] : candidates).map(async candidate => {
    const own = records.of(candidate.worktree)?.base ?? base;
    return { candidate, base: own, changes: await changesOf(candidate, own) };
  });

async function changesOf({ worktree, name }: Candidate, base: string): Promise<readonly WorkTreeChange[]> {
  if (!(await pathExists(worktree))) return [];
  try {
    // The user asked for it.
    return await changedSince(gitFor(worktree), worktree, base, { isUsers: true });
  } catch (thrown) {
    throw new Error(t("The changes of {0} are not known: {1}", name, asError(thrown).message));
  }
}

/** Asks for the other candidate if there are several. Undefined: cancelled. */
async function chooseOther({ candidates }: CandidateGroup, candidate: Candidate): Promise<Candidate | undefined> {
  const others = candidates.filter(one => one !== candidate);
  if (others.length < 2) return others[0];
  const picks = others.map(other => ({ label: other.name, description: other.branch, other }));
  const title = t("Compare {0} With", candidate.name);
  return (await showQuickPick(picks, { title, placeHolder: t("Select the other agent") }))?.other;
}

function noWorktree({ name }: Candidate): never {
  throw new Error(t("The worktree of {0} no longer exists.", name));
}

function gitFor(folder: string): Git {
  const git = gitOf(vscode.Uri.file(folder));
  if (git) return git;
  throw new Error(t("Git was not found. Worktrees need it."));
}
