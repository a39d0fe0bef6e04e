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
import { changedSince } from "../../git/workTreeChanges.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { StoredSessionsFeature } from "../../library/vscode/createStoredSessions.ts";
import { hasSession, rememberedSession } from "../../library/vscode/showSession.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import { SessionTerminals } from "../../terminals/sessionTerminals.ts";
import type { TerminalsFeature } from "../../terminals/vscode/createTerminals.ts";
import { userTerminalVariables } from "../../terminals/vscode/userTerminalVariables.ts";
import { CandidateChanges } from "../candidates/candidateChanges.ts";
import { CandidateChecks } from "../candidates/candidateChecks.ts";
import { CandidateGroups, type Candidate, type CandidateGroup } from "../candidates/candidateGroups.ts";
import { askSeveralAgents, type DraftedPrompts } from "./askSeveralAgents.ts";
import { gitFor, runCandidatesAction } from "./candidateActions.ts";
import { CandidatesTab, type CandidatesAction } from "./candidatesTab.ts";
import type { WorktreeRecords } from "../worktreeRecords.ts";
import { parentFolder, type WorktreeSettings, type WorktreesFeature } from "./createWorktrees.ts";
import type { RemoveWorktreeOptions } from "./removeWorktreeCommand.ts";

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
      const run = async (action: CandidatesAction, group: CandidateGroup): Promise<void> => {
        await runCandidatesAction({ ...sessions, groups, checks }, action, group);
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
