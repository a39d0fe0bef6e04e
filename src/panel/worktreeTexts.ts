// How a worktree is put into words, in the panel and in lists.
import { t } from "../base/l10n.ts";
import type { ViewWorktree } from "./protocol.ts";

/** The commits ahead and behind, such as `↑2 ↓1`. Empty if there are none, or if they are not known. */
export function worktreeCommits({ state }: ViewWorktree): string {
  const { ahead = 0, behind = 0 } = state ?? {};
  return [...(ahead > 0 ? [`↑${ahead}`] : []), ...(behind > 0 ? [`↓${behind}`] : [])].join(" ");
}

/** The changed lines, such as `+12 −3`. Empty if no file has changed, or if they are not known. */
export const worktreeLines = ({ state }: ViewWorktree): string =>
  state && state.files > 0 ? `+${state.added} −${state.removed}` : "";

/** What is known of the worktree, as short sentences. */
export function worktreeSentences({ branch, state, problem }: ViewWorktree): readonly string[] {
  const about = t("Worktree on {0}", branch);
  if (problem !== undefined) return [about, problem];
  if (!state) return [about];
  return [about, ...commitSentences(state), changeSentence(state)];
}

function commitSentences({ ahead, behind, comparedWith }: NonNullable<ViewWorktree["state"]>): readonly string[] {
  if (ahead === 0 && behind === 0) return [t("The same commits as {0}", comparedWith)];
  return [
    ...(ahead === 1 ? [t("1 commit ahead of {0}", comparedWith)] : []),
    ...(ahead > 1 ? [t("{0} commits ahead of {1}", ahead, comparedWith)] : []),
    ...(behind === 1 ? [t("1 commit behind {0}", comparedWith)] : []),
    ...(behind > 1 ? [t("{0} commits behind {1}", behind, comparedWith)] : []),
  ];
}

function changeSentence({ files, added, removed }: NonNullable<ViewWorktree["state"]>): string {
  if (files === 0) return t("No files changed since the base");
  return files === 1
    ? t("1 file changed since the base, +{0} −{1} lines", added, removed)
    : t("{0} files changed since the base, +{1} −{2} lines", files, added, removed);
}
