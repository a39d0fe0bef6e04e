// The tabs that show the changes of all files, or of one turn, in one diff: finding them, and closing them after the last
// decision. The stable API doesn't describe these tabs, so their titles identify them.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import { hasTabTitle } from "../../editor/editorItems.ts";
import type { Review } from "../review.ts";
import type { LinkedReview } from "./linkedReview.ts";

type Turn = Review["turns"][number];

/** The title of the diff of all changes, or of those of a turn. VS Code appends the number of files. */
export function reviewTabTitle(turn?: Pick<Turn, "title">): string {
  return turn ? vscode.l10n.t("Changes: {0}", turn.title) : vscode.l10n.t("Changes to Review");
}

export class ReviewTabs implements Disposable {
  readonly #review: LinkedReview;
  readonly #log: Log;
  readonly #store = new DisposableStore();
  /** The titles of diffs that had changes to review at some time. */
  readonly #known = new Set<string>();
  readonly #closing = new Set<vscode.Tab>();

  constructor(review: LinkedReview, log: Log) {
    this.#review = review;
    this.#log = log;
    this.#store.add(review.onDidChange(() => this.#update()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#update()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabGroups(() => this.#update()));
    this.#update();
  }

  /** The turn whose changes the active tab shows. Undefined if several turns have its title. */
  get activeTurn(): Turn | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const turns = this.#review.turns.filter(turn => tab && hasTitle(tab, reviewTabTitle(turn)));
    return turns.length === 1 ? turns[0] : undefined;
  }

  dispose(): void {
    this.#store.dispose();
    setContextKey("parley.showsAllChanges", false);
    setContextKey("parley.showsTurn", false);
  }

  #update(): void {
    const all = reviewTabTitle();
    const open = [...(this.#review.files.length > 0 ? [all] : []), ...this.#review.turns.map(reviewTabTitle)];
    for (const title of open) this.#known.add(title);
    const reviewed = [...this.#known].filter(title => !open.includes(title));
    for (const tab of vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)) {
      if (reviewed.some(title => hasTitle(tab, title)) && !open.some(title => hasTitle(tab, title))) this.#close(tab);
    }
    const active = vscode.window.tabGroups.all.flatMap(({ activeTab }) => activeTab ?? []);
    setContextKey(
      "parley.showsAllChanges",
      active.some(tab => hasTitle(tab, all)),
    );
    const turnTitles = this.#review.turns.map(reviewTabTitle);
    setContextKey(
      "parley.showsTurn",
      active.some(tab => turnTitles.some(title => hasTitle(tab, title))),
    );
  }

  /** A tab with unsaved changes stays until they are saved, and so does one whose files are being changed. */
  #close(tab: vscode.Tab): void {
    if (tab.isDirty || this.#review.isDeciding || this.#closing.has(tab)) return;
    this.#closing.add(tab);
    vscode.window.tabGroups.close(tab, true).then(
      () => this.#closing.delete(tab),
      (thrown: unknown) => {
        this.#closing.delete(tab);
        this.#log.warn("The diff of reviewed changes could not be closed.", asError(thrown).message);
      },
    );
  }
}

/** Whether a tab is a diff of several files with this title. */
function hasTitle(tab: vscode.Tab, title: string): boolean {
  const known = [
    vscode.TabInputText,
    vscode.TabInputTextDiff,
    vscode.TabInputCustom,
    vscode.TabInputWebview,
    vscode.TabInputNotebook,
    vscode.TabInputNotebookDiff,
    vscode.TabInputTerminal,
  ];
  if (known.some(kind => tab.input instanceof kind)) return false;
  return hasTabTitle(tab, title);
}
