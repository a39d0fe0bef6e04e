// The quick picks of what to bring back from a worktree: files, or some hunks of one file.
import * as vscode from "vscode";
import { t } from "../../base/l10n.ts";
import { createQuickPick, setItems, showQuickPicks } from "../../editor/editorUi.ts";
import { changedHunks } from "../../files/mergeHunks.ts";
import type { BringBackEntry } from "../bringBack.ts";
import { hasConflict, planFile, type FilePlan, type WholeConflict } from "../planFile.ts";
import { canShowSides } from "./bothSides.ts";

/** What the user selected. `hunks`: some of the changes of the only entry are wanted. */
export interface PickedChanges {
  readonly entries: readonly BringBackEntry[];
  readonly picksHunks?: true;
}

interface EntryItem extends vscode.QuickPickItem {
  readonly entry: BringBackEntry;
}

/** More hunks are not listed one by one. */
const maxHunks = 200;

/** What the buttons of a row do. */
export interface RowActions {
  /** Opens the diff of both sides. */
  readonly showSides: (entry: BringBackEntry) => void;
  /** Keeps the local version of what conflicts. Resolves with what can be brought back then. Rejects with a sentence. */
  readonly keepMine: (entry: BringBackEntry) => Promise<readonly BringBackEntry[]>;
}

/** Lets the user select files, all of them by default. Undefined: cancelled, or nothing is left. */
export async function pickChanges(
  entries: readonly BringBackEntry[],
  texts: { readonly title: string; readonly placeHolder: string },
  { showSides, keepMine }: RowActions,
): Promise<PickedChanges | undefined> {
  const showButton = { iconPath: new vscode.ThemeIcon("diff"), tooltip: t("Show Both Sides") };
  const hunksButton = { iconPath: new vscode.ThemeIcon("list-selection"), tooltip: t("Select Hunks…") };
  const keepButton = { iconPath: new vscode.ThemeIcon("pass"), tooltip: t("Keep Mine") };
  const pick = createQuickPick<EntryItem>({ ...texts, matchOnDescription: true });
  pick.canSelectMany = true;
  // The diff of a file opens behind it.
  pick.ignoreFocusOut = true;
  const list = (listed: readonly BringBackEntry[], isSelected: (path: string) => boolean): void => {
    setItems(
      pick,
      listed.map(entry => ({
        label: entry.path,
        description: descriptionOf(entry),
        buttons: [
          ...(hasHunks(entry) ? [hunksButton] : []),
          ...(hasConflict(entry.plan) ? [keepButton] : []),
          ...(canShowSides(entry) ? [showButton] : []),
        ],
        entry,
      })),
    );
    pick.selectedItems = pick.items.filter(({ entry }) => isSelected(entry.path));
  };
  list(entries, () => true);
  const keep = async (kept: BringBackEntry): Promise<void> => {
    pick.busy = true;
    const rest = await keepMine(kept);
    pick.busy = false;
    const unselected = new Set(
      pick.items.filter(item => !pick.selectedItems.includes(item)).map(item => item.entry.path),
    );
    list(rest, path => !unselected.has(path));
    if (rest.length === 0) pick.hide();
  };
  /** Settles once the conflicts of which the user keeps the local version are settled. */
  let keeping = Promise.resolve();
  try {
    return await new Promise<PickedChanges | undefined>((resolve, reject) => {
      // What is kept is no longer selected, and a failure is reported.
      const end = (picked: () => PickedChanges | undefined): void =>
        void keeping.then(() => resolve(picked())).catch(reject);
      pick.onDidAccept(() => end(() => ({ entries: pick.selectedItems.map(({ entry }) => entry) })));
      pick.onDidHide(() => end(() => undefined));
      pick.onDidTriggerItemButton(({ item: { entry }, button }) => {
        if (button.tooltip === showButton.tooltip) return showSides(entry);
        if (button.tooltip === hunksButton.tooltip) return end(() => ({ entries: [entry], picksHunks: true }));
        keeping = keeping.then(() => keep(entry));
        keeping.catch(reject);
      });
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

/** Whether some of the hunks of a file can be wanted, but not all. */
function hasHunks({ kind, base, theirs }: BringBackEntry): boolean {
  if (kind !== "changed" || typeof base.text !== "string" || typeof theirs.text !== "string") return false;
  const { length } = changedHunks(base.text, theirs.text);
  return length > 1 && length <= maxHunks;
}

/** Lets the user select hunks of a file. Resolves with the test for their numbers. Undefined: cancelled. */
export async function pickHunks(
  { path, base, local, theirs }: BringBackEntry,
  title: string,
): Promise<((hunk: number) => boolean) | undefined> {
  const items = changedHunks(base.text ?? "", theirs.text ?? "").map(({ line, before, after }, number) => {
    const plan = planFile({ base, local, theirs }, hunk => hunk === number);
    const words = [...after, ...before].map(one => one.trim()).find(one => one !== "") ?? t("Blank lines");
    const conflict = plan && plan.places.length > 0 ? [t("conflict")] : [];
    const counts = `+${after.length} −${before.length}`;
    return {
      label: words.slice(0, 100),
      description: [t("line {0}", line + 1), counts, ...conflict].join(" · "),
      picked: true,
      number,
    };
  });
  const picked = await showQuickPicks(items, { title, placeHolder: t("Select hunks of {0}", path) });
  if (!picked || picked.length === 0) return undefined;
  const numbers = new Set(picked.map(({ number }) => number));
  return hunk => numbers.has(hunk);
}

/** What an entry would change, such as `+12 −3 · conflict in 2 places`. */
function descriptionOf({ kind, from, plan, local }: BringBackEntry): string {
  const { added, removed, after } = plan;
  const counts = added + removed > 0 ? [`+${added} −${removed}`] : [];
  const what = kindLabel(kind, from);
  const unsaved = local.isUnsaved && after ? [t("with your unsaved changes")] : [];
  return [...counts, ...(what === "" ? [] : [what]), ...conflictLabels(plan), ...unsaved].join(" · ");
}

function kindLabel(kind: BringBackEntry["kind"], from: string | undefined): string {
  switch (kind) {
    case "changed":
      return "";
    case "new":
      return t("new");
    case "deleted":
      return t("deleted");
    case "moved":
      return t("moved from {0}", from ?? "");
    case "binary":
      return t("binary");
    case "link":
      return t("link");
    case "mode":
      return t("only mode, line endings or encoding");
  }
}

function conflictLabels({ conflict, places }: FilePlan): readonly string[] {
  if (conflict !== undefined) return [t("conflict: {0}", conflictLabel(conflict))];
  if (places.length === 0) return [];
  return [places.length === 1 ? t("conflict in 1 place") : t("conflict in {0} places", places.length)];
}

function conflictLabel(conflict: WholeConflict): string {
  switch (conflict) {
    case "deletedThere":
      return t("deleted in the worktree, changed here");
    case "deletedHere":
      return t("deleted here, changed in the worktree");
    case "createdTwice":
      return t("created on both sides");
    case "changedTwice":
      return t("changed on both sides, and cannot be merged");
    case "unsaved":
      return t("unsaved changes here");
    case "taken":
      return t("another file is at the new path");
  }
}
