// The diffs of candidates: two against each other, and one file of all of them against the base.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { t } from "../../base/l10n.ts";
import { openDiffs } from "../../editor/editorItems.ts";
import { showInformationMessage, showQuickPick } from "../../editor/editorUi.ts";
import type { ReadOnlyFiles } from "../../editor/readOnlyFiles.ts";
import { fileInCommit, type WorkTreeChange } from "../../git/workTreeChanges.ts";
import type { Git } from "../../git/gitProgram.ts";
import { standsIn } from "../candidates/candidatePrompt.ts";
import type { Candidate } from "../candidates/candidateGroups.ts";

/** VS Code becomes slow with more diffs in a tab. */
const maxDiffs = 300;

/** A larger file has no base side. Bytes. */
const maxFileBytes = 20 * 1024 * 1024;

/** A candidate, and the files that it has changed. */
export interface ChangedCandidate {
  readonly candidate: Candidate;
  /** The id of the commit that it is compared with. */
  readonly base: string;
  readonly changes: readonly WorkTreeChange[];
}

/** Shows how the files of two candidates differ. */
export async function compareCandidates(
  left: ChangedCandidate,
  right: ChangedCandidate,
  files: Pick<ReadOnlyFiles, "add">,
): Promise<void> {
  const paths = allPaths([left, right]);
  const differing: string[] = [];
  for (const path of paths) if (!(await isSame(left.candidate, right.candidate, path))) differing.push(path);
  const [a, b] = [left.candidate.name, right.candidate.name];
  if (differing.length === 0) return void showInformationMessage(t("{0} and {1} have the same files.", a, b));
  const rows = await Promise.all(
    differing.slice(0, maxDiffs).map(async path => {
      const absolute = join(right.candidate.worktree, path);
      const after = await fileOf(right.candidate, path);
      // With another path, VS Code would show that the file was renamed.
      const isThere = (await standsIn(left.candidate.worktree, path)) === "file";
      const before = isThere ? files.add(absolute, () => readFile(join(left.candidate.worktree, path))) : undefined;
      return [vscode.Uri.file(absolute), before, after] as const;
    }),
  );
  await openDiffs(t("{0} and {1}", a, b), rows);
  if (differing.length > maxDiffs)
    void showInformationMessage(t("The first {0} of {1} files that differ are shown.", maxDiffs, differing.length));
}

/** Asks for a file that a candidate has changed. Shows it in each of them, against the base. */
export async function compareFile(
  git: Git,
  candidates: readonly ChangedCandidate[],
  files: Pick<ReadOnlyFiles, "add">,
): Promise<void> {
  const all = allPaths(candidates);
  const changersOf = (path: string): readonly ChangedCandidate[] =>
    candidates.filter(({ changes }) => changes.some(file => file.path === path));
  if (all.length === 0) return void showInformationMessage(t("No agent has changed a file yet."));
  const picks = all.map(path => ({
    label: path,
    description: changersOf(path)
      .map(({ candidate }) => candidate.name)
      .join(", "),
  }));
  const picked = await showQuickPick(picks, {
    title: t("One File of All"),
    placeHolder: t("Select the file to compare"),
    matchOnDescription: true,
  });
  if (!picked) return;
  const path = picked.label;
  const rows = await Promise.all(
    changersOf(path).map(async ({ candidate, base, changes }) => {
      const absolute = join(candidate.worktree, path);
      const read = (): Promise<Uint8Array> =>
        fileInCommit(git, candidate.worktree, base, path, { maxBytes: maxFileBytes });
      const isNew = changes.some(file => file.path === path && file.kind === "added");
      return [
        vscode.Uri.file(absolute),
        isNew ? undefined : files.add(absolute, read),
        await fileOf(candidate, path),
      ] as const;
    }),
  );
  await openDiffs(t("{0} of all agents", path), rows);
}

const allPaths = (candidates: readonly ChangedCandidate[]): readonly string[] =>
  [...new Set(candidates.flatMap(({ changes }) => changes.map(({ path }) => path)))].sort();

/** The file of a candidate. Undefined: it has none, or a link leads out of its worktree. */
async function fileOf({ worktree }: Candidate, path: string): Promise<vscode.Uri | undefined> {
  return (await standsIn(worktree, path)) === "file" ? vscode.Uri.file(join(worktree, path)) : undefined;
}

async function isSame(left: Candidate, right: Candidate, path: string): Promise<boolean> {
  const [a, b] = await Promise.all([left, right].map(one => sizeOf(one, path)));
  if (a !== b || a === undefined) return a === b;
  if (a > maxFileBytes) return false;
  const [before, after] = await Promise.all([left, right].map(one => readFile(join(one.worktree, path))));
  return before !== undefined && after?.equals(before) === true;
}

/** The size of a file. Undefined: the candidate has none there. */
async function sizeOf({ worktree }: Candidate, path: string): Promise<number | undefined> {
  return (await standsIn(worktree, path)) === "file" ? (await stat(join(worktree, path))).size : undefined;
}
