// Asks for the branch and the base of a worktree, makes it, and starts a session in it.
import { basename } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Clock } from "../../base/log.ts";
import { showInformationMessage, showInputBox, showQuickPick, withProgress } from "../../editor/editorUi.ts";
import {
  branchNameProblem,
  commitNamed,
  fetchRemoteBranch,
  findRepository,
  localBranches,
  namedCommits,
  remoteDefaultBranch,
  uncommittedFiles,
  WorktreeUnavailableError,
  type Repository,
} from "../../git/gitWorktrees.ts";
import type { Git } from "../../git/gitProgram.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import { branchNameFrom, firstWords } from "../branchNames.ts";
import { makeWorktree, type MadeWorktree, type WorktreeChoices } from "../makeWorktree.ts";
import type { WorktreeRecords } from "../worktreeRecords.ts";

export interface NewWorktreeSessionOptions {
  readonly registry: SessionRegistry;
  readonly folders: Pick<WorkspaceFolders, "choose">;
  readonly chat: ChatSurface;
  readonly records: WorktreeRecords;
  readonly clock: Pick<Clock, "now">;
  /** The ignored files that a worktree gets. */
  readonly copy: () => readonly string[];
  /** The folder in which worktrees are made. Undefined: beside the repository. Throws with a sentence. */
  readonly parent: () => string | undefined;
  /** What the user has written in the active chat and not sent. It names the branch. */
  readonly draft: () => Promise<string>;
}

/** The commit on which a worktree begins, and whether it gets what is not committed. */
type Base = Pick<WorktreeChoices, "base" | "takesUncommitted">;

/** A time limit for a fetch. Milliseconds. */
const maxFetchTime = 60_000;

/** Asks, makes the worktree and starts the session. Rejects with a sentence. Nothing is made if the user cancels. */
export async function newWorktreeSession(options: NewWorktreeSessionOptions): Promise<void> {
  const { registry, folders, chat, records, clock, copy, parent, draft } = options;
  const surface = registry.open.activeSurface;
  if (registry.obstacle) {
    // The chat shows it, with what to do.
    registry.start(undefined, surface);
    return chat.focus("composer", [surface]);
  }
  const folder = await folders.choose();
  if (folder === undefined) return;
  const git = gitOf(vscode.Uri.file(folder));
  if (!git) throw new WorktreeUnavailableError(t("Git was not found. Worktrees need it."));
  const repository = await findRepository(git, folder).catch((thrown: unknown) => {
    if (!(thrown instanceof WorktreeUnavailableError)) throw thrown;
    void showInformationMessage(thrown.message);
  });
  if (!repository) return;
  const under = parent();
  const branch = await askBranch(git, repository, await draft());
  if (branch === undefined) return;
  const base = await askBase(git, repository);
  if (!base) return;
  const made = await withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: t("Creating the worktree “{0}”…", branch),
      cancellable: true,
    },
    (_, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      const choices = { repository, branch, ...base, parent: under, copy: copy() };
      return makeWorktree(choices, { git, records, clock, signal: controller.signal }).catch((thrown: unknown) => {
        if (controller.signal.aborted) return undefined;
        throw new Error(t("The worktree could not be created: {0}", asError(thrown).message));
      });
    },
  );
  if (!made) return;
  startIn(made, registry, surface);
  await chat.focus("composer", [surface]);
}

/** Starts the session, and says in it where it works. */
function startIn({ record, folder, warnings }: MadeWorktree, registry: SessionRegistry, surface: string): void {
  const session = registry.start(undefined, surface, folder);
  if (!session) throw new Error(t("The worktree was created in “{0}”, but no session could start there.", folder));
  session.addNotice(
    t(
      "This session works in a worktree of {0}, on the new branch “{1}”: {2}",
      basename(record.origin),
      record.branch,
      folder,
    ),
  );
  for (const warning of warnings) session.addNotice(warning);
}

/** Asks for the name of the new branch. Undefined: cancelled. */
async function askBranch(git: Git, { top }: Repository, draft: string): Promise<string | undefined> {
  const branches = new Set(await localBranches(git, top));
  return showInputBox({
    title: t("New Session in Worktree (1 of 2)"),
    prompt: t("The name of the new branch"),
    value: branchNameFrom(firstWords(draft), name => branches.has(name)),
    validateInput: name => (name.trim() === "" ? t("Enter a name.") : branchNameProblem(git, top, name)),
  });
}

/** Asks for the commit on which the worktree begins. Undefined: cancelled. */
async function askBase(git: Git, repository: Repository): Promise<Base | undefined> {
  const { top, head, branch } = repository;
  const [{ changed, deleted }, remote] = await Promise.all([uncommittedFiles(git, top), remoteDefaultBranch(git, top)]);
  const uncommitted = changed.length + deleted.length;
  const current = branch ?? head.slice(0, 8);
  const files = uncommitted === 1 ? t("1 uncommitted file") : t("{0} uncommitted files", uncommitted);
  const picks = [
    {
      id: "head" as const,
      label: t("Last commit of {0}", current),
      description: head.slice(0, 8),
      ...(uncommitted > 0 && { detail: t("Without the {0} of this folder", files) }),
    },
    ...(uncommitted > 0
      ? [
          {
            id: "uncommitted" as const,
            label: t("Last commit of {0}, with the {1}", current, files),
            description: head.slice(0, 8),
            detail: t("They are copied, and stay here too"),
          },
        ]
      : []),
    ...(remote === undefined
      ? []
      : [{ id: "remote" as const, label: remote, description: t("the default branch of the remote, fetched first") }]),
    { id: "other" as const, label: t("Another branch, tag or commit…") },
  ];
  const picked = await showQuickPick(picks, {
    title: t("New Session in Worktree (2 of 2)"),
    placeHolder: t("Select where the new branch begins"),
    matchOnDescription: true,
  });
  switch (picked?.id) {
    case "head":
    case "uncommitted":
      return { base: head, takesUncommitted: picked.id === "uncommitted" };
    case "remote":
      return remote === undefined ? undefined : fetched(git, top, remote);
    case "other":
      return otherBase(git, top);
    default:
      return undefined;
  }
}

/** The commit of a branch of the remote, after a fetch. If that fails, the user decides about the branch as it was. */
async function fetched(git: Git, top: string, remote: string): Promise<Base | undefined> {
  const problem = await withProgress(
    { location: vscode.ProgressLocation.Notification, title: t("Fetching {0}…", remote), cancellable: true },
    (_, token) => {
      const controller = new AbortController();
      token.onCancellationRequested(() => controller.abort());
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(maxFetchTime)]);
      return fetchRemoteBranch(git, top, remote, signal).then(
        () => undefined,
        (thrown: unknown) => (controller.signal.aborted ? t("It was cancelled.") : asError(thrown).message),
      );
    },
  );
  if (problem !== undefined) {
    const use = { label: t("Use {0} as it was fetched last", remote), detail: problem };
    const picked = await showQuickPick([use], {
      title: t("{0} could not be fetched", remote),
      placeHolder: t("Select to continue, or press Escape to cancel"),
    });
    if (!picked) return undefined;
  }
  const base = await commitNamed(git, top, remote);
  if (base === undefined) throw new WorktreeUnavailableError(t("“{0}” names no commit.", remote));
  return { base, takesUncommitted: false };
}

async function otherBase(git: Git, top: string): Promise<Base | undefined> {
  const commits = (await namedCommits(git, top)).map(({ name, commit, age }) => ({
    ...{ label: name, description: `${commit.slice(0, 8)} · ${age}`, commit },
  }));
  const typed = { label: t("Type the name of a commit…"), description: "", commit: undefined };
  const picked = await showQuickPick([...commits, typed], {
    title: t("New Session in Worktree (2 of 2)"),
    placeHolder: t("Select where the new branch begins"),
    matchOnDescription: true,
  });
  if (!picked) return undefined;
  if (picked.commit !== undefined) return { base: picked.commit, takesUncommitted: false };
  const name = await showInputBox({
    title: t("New Session in Worktree (2 of 2)"),
    prompt: t("A branch, a tag or the id of a commit"),
    validateInput: async text =>
      (await commitNamed(git, top, text)) === undefined ? t("“{0}” names no commit.", text) : undefined,
  });
  const base = name === undefined ? undefined : await commitNamed(git, top, name);
  return base === undefined ? undefined : { base, takesUncommitted: false };
}
