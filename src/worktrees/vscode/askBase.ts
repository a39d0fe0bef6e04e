// Asks in which repository and on which commit worktrees begin.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { showInformationMessage, showInputBox, showQuickPick, withProgress } from "../../editor/editorUi.ts";
import {
  commitNamed,
  fetchRemoteBranch,
  findRepository,
  namedCommits,
  remoteDefaultBranch,
  uncommittedFiles,
  WorktreeUnavailableError,
  type Repository,
} from "../../git/gitWorktrees.ts";
import type { Git } from "../../git/gitProgram.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import type { WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { WorktreeChoices } from "../makeWorktree.ts";

/** The commit on which a worktree begins, and whether it gets what is not committed. */
type Base = Pick<WorktreeChoices, "base" | "takesUncommitted">;

/** A time limit for a fetch. Milliseconds. */
const maxFetchTime = 60_000;

/**
 * The repository of a folder of the workspace, which the user chooses if there are several. Undefined: cancelled, or the user
 * was shown why it can have no worktrees. Rejects with a sentence.
 */
export async function chooseRepository(
  folders: Pick<WorkspaceFolders, "choose">,
): Promise<{ readonly git: Git; readonly repository: Repository } | undefined> {
  const folder = await folders.choose();
  if (folder === undefined) return undefined;
  const git = gitOf(vscode.Uri.file(folder));
  if (!git) throw new WorktreeUnavailableError(t("Git was not found. Worktrees need it."));
  const repository = await findRepository(git, folder).catch((thrown: unknown) => {
    if (!(thrown instanceof WorktreeUnavailableError)) throw thrown;
    void showInformationMessage(thrown.message);
    return undefined;
  });
  return repository && { git, repository };
}

/** Asks for the commit on which worktrees begin, under this title. Undefined: cancelled. */
export async function askBase(git: Git, repository: Repository, title: string): Promise<Base | undefined> {
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
    title,
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
      return otherBase(git, top, title);
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

async function otherBase(git: Git, top: string, title: string): Promise<Base | undefined> {
  const commits = (await namedCommits(git, top)).map(({ name, commit, age }) => ({
    ...{ label: name, description: `${commit.slice(0, 8)} · ${age}`, commit },
  }));
  const typed = { label: t("Type the name of a commit…"), description: "", commit: undefined };
  const picked = await showQuickPick([...commits, typed], {
    title,
    placeHolder: t("Select where the new branch begins"),
    matchOnDescription: true,
  });
  if (!picked) return undefined;
  if (picked.commit !== undefined) return { base: picked.commit, takesUncommitted: false };
  const name = await showInputBox({
    title,
    prompt: t("A branch, a tag or the id of a commit"),
    validateInput: async text =>
      (await commitNamed(git, top, text)) === undefined ? t("“{0}” names no commit.", text) : undefined,
  });
  const base = name === undefined ? undefined : await commitNamed(git, top, name);
  return base === undefined ? undefined : { base, takesUncommitted: false };
}
