// Diffs of the two sides of a file: that of a worktree, read-only, and the local one, which can be edited.
import { join } from "node:path";
import * as vscode from "vscode";
import { t } from "../../base/l10n.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import { hasTabTitle, openDiff, openDiffs } from "../../editor/editorItems.ts";
import { ReadOnlyTexts } from "../../editor/readOnlyTexts.ts";
import type { BringBackEntry } from "../bringBack.ts";
import { hasConflict } from "../planFile.ts";
import type { WorktreeRecord } from "../worktreeRecords.ts";

const scheme = "parley-worktree";

/** More sides are not kept for open diffs. */
const maxTexts = 200;

/** Whether both sides are texts, or missing. */
export const canShowSides = ({ local, theirs }: BringBackEntry): boolean =>
  local.text !== undefined && theirs.text !== undefined;

/** A file that was shown in a diff. */
export interface ShownSides {
  readonly record: WorktreeRecord;
  readonly entry: BringBackEntry;
}

interface OpenedSides extends ShownSides {
  readonly left: vscode.Uri;
  readonly right: vscode.Uri;
  /** The title of the tab, if it has the diffs of several files. */
  readonly tab: string | undefined;
}

/** Opens the diffs, and knows which conflict the active one shows. */
export class BothSides implements Disposable {
  readonly #store = new DisposableStore();
  readonly #texts: ReadOnlyTexts;
  /** The newest last. */
  #opened: readonly OpenedSides[] = [];

  constructor() {
    const placeholder = t("This text is no longer available. Open the diff again.");
    this.#texts = this.#store.add(new ReadOnlyTexts({ scheme, maxTexts, placeholder }));
    const update = (): void => this.#update();
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(update));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabGroups(update));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(update));
  }

  /** Opens the diffs of these files, as one tab if they are several. What is no text is left out. */
  async show(
    record: WorktreeRecord,
    entries: readonly BringBackEntry[],
    options: vscode.TextDocumentShowOptions = {},
  ): Promise<void> {
    const shown = entries.filter(canShowSides);
    const tab = shown.length > 1 ? t("Worktree ↔ Local Files: {0}", record.branch) : undefined;
    const sides = shown.map((entry): OpenedSides => {
      const { path, from, local, theirs } = entry;
      const at = join(record.origin, from ?? path);
      // A file with unsaved text can be shown although it is gone.
      const isThere = local.state.kind !== "missing" || local.isUnsaved;
      return {
        ...{ record, entry, tab },
        left: this.#texts.add(join(record.origin, path), theirs.text ?? ""),
        right: isThere ? vscode.Uri.file(at) : this.#texts.add(at, ""),
      };
    });
    this.#opened = [...this.#opened, ...sides].slice(-maxTexts);
    const [first] = sides;
    if (first && tab === undefined)
      await openDiff(first.left, first.right, t("{0} (Worktree ↔ Local File)", first.entry.path), options);
    else if (tab !== undefined)
      await openDiffs(
        tab,
        sides.map(({ entry: { path, from }, left, right }) => [
          vscode.Uri.file(join(record.origin, from ?? path)),
          left,
          right,
        ]),
      );
    this.#update();
  }

  /** The conflict that the active diff shows. In a tab with several diffs, that of the file with the cursor. */
  activeConflict(): ShownSides | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const { input } = tab ?? {};
    const isIn = ({ left, right, tab: title }: OpenedSides): boolean => {
      if (input instanceof vscode.TabInputTextDiff) return `${input.original}` === `${left}`;
      const uri = vscode.window.activeTextEditor?.document.uri;
      if (!tab || title === undefined || !uri || !hasTabTitle(tab, title)) return false;
      return [left, right].some(side => `${side}` === `${uri}`);
    };
    return this.#opened.findLast(one => hasConflict(one.entry.plan) && isIn(one));
  }

  /** The file of the worktree conflicts no more. */
  settled({ path }: WorktreeRecord, file: string): void {
    this.#opened = this.#opened.filter(({ record, entry }) => record.path !== path || entry.path !== file);
    this.#update();
  }

  #update(): void {
    setContextKey("parley.conflictInDiff", this.activeConflict() !== undefined);
  }

  dispose(): void {
    this.#store.dispose();
    setContextKey("parley.conflictInDiff", false);
  }
}
