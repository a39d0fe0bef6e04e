// What the page that compares candidates lets the user do.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { showQuickPick } from "../../editor/editorUi.ts";
import { pathExists } from "../../files/nodePaths.ts";
import type { WorkTreeChange } from "../../git/workTreeChanges.ts";
import type { Git } from "../../git/gitProgram.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import type { WindowAgents } from "../../agents/vscode/windowAgents.ts";
import type { SessionRegistry } from "../../library/sessionRegistry.ts";
import type { StoredSessionsFeature } from "../../library/vscode/createStoredSessions.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import { showSession } from "../../library/vscode/showSession.ts";
import type { CandidateChecks } from "../candidates/candidateChecks.ts";
import type { Candidate, CandidateGroup, CandidateGroups } from "../candidates/candidateGroups.ts";
import { sendHeldPrompts } from "../candidates/candidateStart.ts";
import { userChanges, type WorktreeRecord, type WorktreeRecords } from "../worktreeRecords.ts";
import { compareCandidates, compareFile, type ChangedCandidate } from "./candidateDiffs.ts";
import type { CandidatesAction } from "./candidatesTab.ts";
import type { WorktreesFeature } from "./createWorktrees.ts";
import { removeWorktreeCommand, type RemoveWorktreeOptions } from "./removeWorktreeCommand.ts";
import { showWorktreeChanges } from "./worktreeCommands.ts";

export interface CandidateActionsOptions {
  readonly registry: SessionRegistry;
  readonly agents: WindowAgents;
  readonly storedSessions: StoredSessionsFeature;
  readonly chat: ChatSurface;
  readonly worktrees: WorktreesFeature;
  /** As for {@link removeWorktreeCommand}. */
  readonly openElsewhere: RemoveWorktreeOptions["openElsewhere"];
  readonly groups: CandidateGroups;
  readonly checks: CandidateChecks;
}

/** An action about one candidate. */
type OwnAction = Extract<CandidatesAction, { readonly session: string }>;

/** Does what the user wants on the page. Rejects with a sentence. */
export async function runCandidatesAction(
  options: CandidateActionsOptions,
  action: CandidatesAction,
  group: CandidateGroup,
): Promise<void> {
  if ("session" in action) {
    const candidate = group.candidates.find(({ session }) => session === action.session);
    return candidate && runOwnAction(options, action, group, candidate);
  }
  const { registry, worktrees, checks } = options;
  switch (action.type) {
    case "send":
      for (const { session } of group.candidates) {
        const started = registry.open.get(session);
        if (started) sendHeldPrompts(started);
      }
      return;
    case "runChecks":
      await Promise.all(group.candidates.map(candidate => checks.run(group, candidate)));
      return;
    case "compareFile": {
      const changed = await Promise.all(group.candidates.map(one => changedIn(group, worktrees.records, one)));
      return compareFile(gitFor(group.origin), changed, worktrees.files);
    }
    case "setCheckCommand":
      await vscode.commands.executeCommand("workbench.action.openSettings", "parley.worktrees.check");
      return;
    default:
      action satisfies never;
  }
}

async function runOwnAction(
  options: CandidateActionsOptions,
  action: OwnAction,
  group: CandidateGroup,
  candidate: Candidate,
): Promise<void> {
  const { registry, agents, storedSessions, chat, worktrees, checks } = options;
  const { open } = registry;
  const { records, files } = worktrees;
  const { stored } = storedSessions;
  const { session, worktree, branch } = candidate;
  switch (action.type) {
    case "setOption": {
      const started = open.get(session);
      if (started) await agents.setOption(started, action.option, action.value);
      return;
    }
    case "showChat":
      return showSession({ registry, stored, chat }, session, "list");
    case "bringBack":
      // The command takes an open session.
      await showSession({ registry, stored, chat }, session, "list");
      await vscode.commands.executeCommand("parley.bringBackChanges", session);
      return;
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
      return compareCandidates(
        await changedIn(group, records, candidate),
        await changedIn(group, records, other),
        files,
      );
    }
    case "runCheck":
      return checks.run(group, candidate);
    case "stopCheck":
      return checks.stop(session);
    case "removeOthers":
      return removeOthers(options, group, candidate);
    default:
      action satisfies never;
  }
}

/** Asks about each of the other worktrees. Those that are removed leave the group. */
async function removeOthers(
  { registry: { open }, worktrees: { records }, openElsewhere, groups, checks }: CandidateActionsOptions,
  group: CandidateGroup,
  candidate: Candidate,
): Promise<void> {
  const others = group.candidates.filter(one => one !== candidate);
  for (const other of others) {
    await checks.stop(other.session);
    if (records.of(other.worktree)) await removeWorktreeCommand({ open, records, openElsewhere, of: other.worktree });
  }
  const removed = others.filter(other => !records.of(other.worktree)).map(other => other.session);
  return groups.leaveOut(group.id, removed);
}

/** The changes of a candidate since its base, which is another one once it was updated. */
async function changedIn(
  { base }: CandidateGroup,
  records: WorktreeRecords,
  candidate: Candidate,
): Promise<ChangedCandidate> {
  const record = records.of(candidate.worktree);
  return { candidate, base: record?.base ?? base, changes: record ? await changesOf(candidate, record) : [] };
}

async function changesOf({ worktree, name }: Candidate, record: WorktreeRecord): Promise<readonly WorkTreeChange[]> {
  if (!(await pathExists(worktree))) return [];
  try {
    return await userChanges(gitFor(worktree), record);
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

/** The git for a folder. Throws with a sentence. */
export function gitFor(folder: string): Git {
  const git = gitOf(vscode.Uri.file(folder));
  if (git) return git;
  throw new Error(t("Git was not found. Worktrees need it."));
}
