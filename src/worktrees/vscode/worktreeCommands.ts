// Shows a worktree: its changes against its base, a terminal and a window.
import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { forEachLimited } from "../../base/async.ts";
import { asError, isNotFoundError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { createTerminal, openDiffs } from "../../editor/editorItems.ts";
import { showInformationMessage, withProgress } from "../../editor/editorUi.ts";
import type { ReadOnlyFiles } from "../../editor/readOnlyFiles.ts";
import { fileInCommit, type WorkTreeChange } from "../../git/workTreeChanges.ts";
import type { Git } from "../../git/gitProgram.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import { userChanges, type WorktreeRecord } from "../worktreeRecords.ts";

/** A larger file has no base side. Bytes. */
const maxFileBytes = 20 * 1024 * 1024;
/** VS Code becomes slow with more diffs in a tab. */
const maxDiffs = 300;
const maxConcurrentFiles = 16;

/** A worktree, and the folder of a session in it. */
export interface ShownWorktree {
  readonly record: WorktreeRecord;
  readonly folder: string;
  /** The branch that is checked out, as far as it is known. */
  readonly branch: string;
}

/** Opens the folder in a window of its own. */
export async function openWorktreeWindow({ folder }: ShownWorktree): Promise<void> {
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(folder), { forceNewWindow: true });
}

/** Opens a terminal in the folder. Rejects with a sentence. */
export async function openWorktreeTerminal({ folder, branch }: ShownWorktree): Promise<void> {
  await lstat(folder).catch((thrown: unknown) => {
    if (!isNotFoundError(thrown)) throw thrown;
    throw new Error(t("The folder “{0}” of the worktree no longer exists.", folder));
  });
  createTerminal({ name: branch, cwd: folder, iconPath: new vscode.ThemeIcon("git-branch") }).show();
}

/** Shows the diffs of all files that differ from the base. Rejects with a sentence. */
export async function showWorktreeChanges(
  { record, branch }: ShownWorktree,
  files: Pick<ReadOnlyFiles, "add">,
): Promise<void> {
  const git = gitOf(vscode.Uri.file(record.path));
  if (!git) throw new Error(t("Git was not found. Worktrees need it."));
  const changes = await withProgress(
    { location: vscode.ProgressLocation.Window, title: t("Comparing the worktree with its base…") },
    () =>
      userChanges(git, record).catch((thrown: unknown) => {
        throw new Error(t("The changes cannot be shown: {0}", asError(thrown).message));
      }),
  );
  const texts = changes.filter(({ isSubmodule }) => !isSubmodule);
  if (changes.length === 0)
    return void showInformationMessage(t("The worktree “{0}” has no changes since its base.", branch));
  if (texts.length > 0)
    await openDiffs(t("Changes of {0}", branch), await diffRows(git, record, texts.slice(0, maxDiffs), files));
  if (texts.length > maxDiffs)
    void showInformationMessage(t("The first {0} of {1} changed files are shown.", maxDiffs, texts.length));
  if (texts.length < changes.length)
    void showInformationMessage(
      t(
        "Changes of submodules are not shown: {0}",
        changes.flatMap(({ isSubmodule, path }) => (isSubmodule ? [path] : [])).join(", "),
      ),
    );
}

type DiffRow = readonly [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

async function diffRows(
  git: Git,
  { path: top, base }: WorktreeRecord,
  changes: readonly WorkTreeChange[],
  files: Pick<ReadOnlyFiles, "add">,
): Promise<readonly DiffRow[]> {
  const rows = new Map<string, DiffRow>();
  await forEachLimited(changes, maxConcurrentFiles, async ({ path, kind }) => {
    const absolute = join(top, path);
    const before = (): vscode.Uri =>
      files.add(absolute, () => fileInCommit(git, top, base, path, { maxBytes: maxFileBytes }));
    const file = vscode.Uri.file(absolute);
    // VS Code would show the file that a link leads to.
    const isLink = kind !== "deleted" && (await lstat(absolute).catch(ifMissing))?.isSymbolicLink();
    const after = isLink ? files.add(absolute, async () => Buffer.from(await readlink(absolute))) : file;
    rows.set(path, [file, kind === "added" ? undefined : before(), kind === "deleted" ? undefined : after]);
  });
  return changes.flatMap(({ path }) => [rows.get(path)].filter(row => row !== undefined));
}

function ifMissing(thrown: unknown): undefined {
  if (!isNotFoundError(thrown)) throw thrown;
}
