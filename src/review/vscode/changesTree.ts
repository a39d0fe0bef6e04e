// The Changes view: the changes to review, by file, and by turn if there are several. Also the badges of these files in
// the Explorer.
import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import { clickedRow, rowsForKey } from "../../editor/focusedRow.ts";
import type { LateTreeView, ShownRows } from "../../editor/lateTreeView.ts";
import { systemClock } from "../../base/log.ts";
import type { Review, ReviewedFile } from "../review.ts";
import {
  hunkRows,
  changeRows,
  type ChangeRow,
  type FileRow,
  type HunkRow,
  type SessionRow,
  type TurnRow,
} from "../reviewPresentation.ts";
import { fileBadge, treeItem } from "../../editor/editorItems.ts";

/** When programs run a file. Undefined: they do not. */
export type RunsOf = (path: string) => "byItself" | "withBuild" | "byAgents" | undefined;

/** Rows of another feature, above those of changes. Each has another `kind`. */
export interface OtherRows {
  readonly rows: (parent?: { readonly kind: string }) => readonly { readonly kind: string }[];
  readonly itemOf: (row: { readonly kind: string }) => vscode.TreeItem;
  readonly onDidChange: Event<void>;
}

/** A row of the view: of a change, or of another feature. */
export type ChangesViewRow = ChangeRow | { readonly kind: "other"; readonly row: { readonly kind: string } };

export class ChangesTree implements vscode.TreeDataProvider<ChangesViewRow>, Disposable {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #store = new DisposableStore();

  readonly #runsOf: RunsOf;
  #view: ShownRows<ChangesViewRow> | undefined;
  #others: OtherRows | undefined;

  /** `runsOf`: when programs run a file. */
  constructor(review: Review, runsOf: RunsOf) {
    this.#review = review;
    this.#runsOf = runsOf;
    this.#store.add(this.#changed);
    this.#store.add(review.onDidChange(() => this.#changed.fire()));
  }

  /** Shows the rows in the view. */
  show(late: LateTreeView): void {
    this.#view = late.attach(this);
    const update = (): void => {
      const { files } = this.#review;
      late.setDescription(files.length === 0 ? "" : viewDescription(files));
    };
    this.#store.add(this.#review.onDidChange(update));
    update();
  }

  /** The files of the rows for which a key was pressed in the view. */
  async filesForKey(): Promise<readonly ReviewedFile[]> {
    const idOf = (row: ChangesViewRow): string =>
      row.kind === "other" ? `other ${this.#others?.itemOf(row.row).id ?? ""}` : rowId(row);
    const rows = this.#view ? await rowsForKey(this.#view, idOf, systemClock) : [];
    return rows.flatMap(row => (row.kind === "file" || row.kind === "hunk" ? [row.file] : []));
  }

  /** Shows the rows of another feature, too. */
  showOthers(others: OtherRows): void {
    this.#others = others;
    this.#store.add(others.onDidChange(() => this.#changed.fire()));
    this.#changed.fire();
  }

  /** The row that was clicked. */
  async clickedRow(): Promise<ChangesViewRow | undefined> {
    return this.#view && clickedRow(this.#view, systemClock);
  }

  getChildren(row?: ChangesViewRow): ChangesViewRow[] {
    const others = (parent?: { readonly kind: string }): ChangesViewRow[] =>
      this.#others?.rows(parent).map(one => ({ kind: "other", row: one })) ?? [];
    if (row === undefined) return [...others(), ...changeRows(this.#review)];
    if (row.kind === "other") return others(row.row);
    if (row.kind === "session") return [...row.rows];
    if (row.kind === "turn") return [...row.files];
    return row.kind === "file" ? [...hunkRows(row)] : [];
  }

  getTreeItem(row: ChangesViewRow): vscode.TreeItem {
    switch (row.kind) {
      case "other":
        return this.#others?.itemOf(row.row) ?? {};
      case "session":
        return sessionItem(row);
      case "turn":
        return turnItem(row);
      case "file":
        return fileItem(row, this.#runsOf(row.file.path));
      case "hunk":
        return hunkItem(row);
      default:
        return row satisfies never;
    }
  }

  dispose(): void {
    this.#store.dispose();
  }
}

function viewDescription(files: readonly ReviewedFile[]): string {
  const reviewed = files.filter(({ isReviewed }) => isReviewed).length;
  const counts = countsLabel(total(files));
  return reviewed === 0 ? counts : `${counts} · ${vscode.l10n.t("{0} of {1} reviewed", reviewed, files.length)}`;
}

function rowId(row: ChangeRow): string {
  switch (row.kind) {
    case "session":
      return `session ${row.id ?? ""} ${row.isMeanwhile ?? false}`;
    case "turn":
      return `turn ${row.id}`;
    case "file":
      return `file ${row.turn ?? ""} ${row.file.path}`;
    case "hunk":
      return `hunk ${row.turn ?? ""} ${row.file.path} ${row.id}`;
    default:
      return row satisfies never;
  }
}

interface Counts {
  readonly added: number;
  readonly removed: number;
}

function total(files: readonly ReviewedFile[]): Counts {
  const sum = (each: (file: ReviewedFile) => number): number => files.reduce((all, file) => all + each(file), 0);
  return { added: sum(file => file.added), removed: sum(file => file.removed) };
}

const countsLabel = ({ added, removed }: Counts): string => `+${added} −${removed}`;
const accessibleCounts = ({ added, removed }: Counts): string =>
  vscode.l10n.t("{0} lines added, {1} removed", added, removed);

/** The title of a session, or of the changes that no agent reported. */
export function sessionRowTitle({ id, title, isMeanwhile }: SessionRow): string {
  if (isMeanwhile) return vscode.l10n.t("Changed meanwhile, perhaps by you");
  if (id === undefined) return vscode.l10n.t("Unknown agent");
  return title.trim() === "" ? vscode.l10n.t("Session") : title;
}

function sessionItem(row: SessionRow): vscode.TreeItem {
  const { isMeanwhile = false } = row;
  const isUnknown = row.id === undefined && !isMeanwhile;
  const title = sessionRowTitle(row);
  return treeItem({
    label: title,
    collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
    id: isMeanwhile ? "meanwhile" : `session:${row.id ?? ""}:${isUnknown}`,
    contextValue: isMeanwhile ? "changedMeanwhile" : "session",
    iconPath: new vscode.ThemeIcon(isMeanwhile ? "person" : isUnknown ? "question" : "comment-discussion"),
    description: countsLabel(row),
    tooltip: [
      isMeanwhile
        ? vscode.l10n.t(
            "These files changed while no tool call of an agent was running. “Undo All” leaves them as they are. You can undo each file.",
          )
        : isUnknown
          ? vscode.l10n.t("Several agents were working, and none of them reported these changes.")
          : title,
    ],
    accessibleLabel: `${title}, ${accessibleCounts(row)}`,
  });
}

function turnItem(row: TurnRow): vscode.TreeItem {
  const title = row.title.trim() === "" ? vscode.l10n.t("Turn") : row.title;
  return treeItem({
    label: title,
    collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
    id: `turn:${row.id}`,
    contextValue: "turn",
    iconPath: new vscode.ThemeIcon("comment"),
    description: countsLabel(row),
    tooltip: [title],
    accessibleLabel: `${title}, ${accessibleCounts(row)}`,
  });
}

function dangerLabel(runs: NonNullable<ReturnType<RunsOf>>): string {
  if (runs === "byAgents") return vscode.l10n.t("instructs agents");
  return runs === "byItself" ? vscode.l10n.t("runs by itself") : vscode.l10n.t("runs with the next build");
}

// Without arguments: VS Code forgets those of a row when it makes the row again, and the click would fail.
const openChange = (): vscode.Command => ({ command: "parley.openChange", title: vscode.l10n.t("Open Change") });

function fileItem(row: FileRow, runs: ReturnType<RunsOf>): vscode.TreeItem {
  const { path, unknown, changes, movedFrom, isOutside, isReviewed } = row.file;
  const uri = vscode.Uri.file(path);
  const folder = dirname(vscode.workspace.asRelativePath(uri));
  const state =
    unknown !== undefined
      ? unknown
      : changes.base === null
        ? vscode.l10n.t("new")
        : changes.text === null
          ? vscode.l10n.t("deleted")
          : movedFrom !== undefined
            ? vscode.l10n.t("moved from {0}", vscode.workspace.asRelativePath(movedFrom))
            : "";
  const hasHunks = unknown === undefined && row.hunks.length > 0;
  const place = folder === "." ? "" : folder;
  const outside = isOutside ? vscode.l10n.t("outside the workspace") : "";
  const size = unknown === undefined ? countsLabel(row) : "";
  const danger = runs === undefined ? "" : dangerLabel(runs);
  const reviewed = isReviewed ? vscode.l10n.t("reviewed") : "";
  const accessibleParts = [
    basename(path),
    reviewed,
    place,
    outside,
    danger,
    state,
    unknown === undefined ? accessibleCounts(row) : "",
  ];
  const collapsible = hasHunks ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
  return treeItem({
    label: basename(path),
    collapsibleState: collapsible,
    id: `${row.turn ?? ""}:file:${path}`,
    contextValue: unknown !== undefined ? "unknownFile" : isReviewed ? "reviewedFile" : "file",
    resourceUri: uri,
    iconPath: danger === "" ? vscode.ThemeIcon.File : new vscode.ThemeIcon("warning"),
    description: [reviewed, size, state, danger, outside, place].filter(each => each !== "").join(" · "),
    tooltip: [path, danger, outside, unknown ?? ""].filter(each => each !== ""),
    accessibleLabel: accessibleParts.filter(each => each !== "").join(", "),
    command: openChange(),
  });
}

function hunkItem(row: HunkRow): vscode.TreeItem {
  const words = row.words === "" ? vscode.l10n.t("Blank lines") : row.words;
  const line = vscode.l10n.t("line {0}", row.line + 1);
  return treeItem({
    label: words,
    id: `${row.turn ?? ""}:hunk:${row.file.path}:${row.id}`,
    contextValue: "hunk",
    description: `${line} · ${countsLabel(row)}`,
    accessibleLabel: `${line}, ${accessibleCounts(row)}, ${words}`,
    command: openChange(),
  });
}

/** Marks files with changes to review. */
export class ReviewBadges implements vscode.FileDecorationProvider, Disposable {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.#changed.event;
  readonly #store = new DisposableStore();
  /** The number of hunks of each file when its badge was last requested. */
  #known: ReadonlyMap<string, number> = new Map();

  constructor(review: Review) {
    this.#review = review;
    this.#store.add(this.#changed);
    this.#store.add(review.onDidChange(() => this.#update()));
    this.#store.add(vscode.window.registerFileDecorationProvider(this));
    this.#update();
  }

  provideFileDecoration({ scheme, fsPath }: vscode.Uri): vscode.FileDecoration | undefined {
    const file = scheme === "file" ? this.#review.file(fsPath) : undefined;
    if (!file) return undefined;
    const { length } = file.changes.hunks;
    const tooltip = file.isMeanwhile
      ? vscode.l10n.t("Changed meanwhile, perhaps by you, not reviewed")
      : length === 0
        ? vscode.l10n.t("Changed by the agent, not reviewed")
        : length === 1
          ? vscode.l10n.t("Changed by the agent, 1 change to review")
          : vscode.l10n.t("Changed by the agent, {0} changes to review", length);
    return fileBadge("±", tooltip);
  }

  #update(): void {
    const before = this.#known;
    this.#known = new Map(this.#review.files.map(({ path, changes }) => [path, changes.hunks.length]));
    const paths = new Set([...before.keys(), ...this.#known.keys()]);
    const changed = [...paths].filter(path => before.get(path) !== this.#known.get(path));
    if (changed.length > 0) this.#changed.fire(changed.map(path => vscode.Uri.file(path)));
  }

  dispose(): void {
    this.#store.dispose();
  }
}
