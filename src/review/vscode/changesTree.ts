// The Changes view: the changes to review, by file, and by turn if there are several. Also the badges of these files in
// the Explorer.
import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { LateTreeView } from "../../editor/lateTreeView.ts";
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

/** When programs run a file. Undefined: they do not. */
export type RunsOf = (path: string) => "byItself" | "withBuild" | undefined;

export class ChangesTree implements vscode.TreeDataProvider<ChangeRow>, Disposable {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #store = new DisposableStore();

  readonly #runsOf: RunsOf;

  /** `runsOf`: when programs run a file. */
  constructor(review: Review, runsOf: RunsOf) {
    this.#review = review;
    this.#runsOf = runsOf;
    this.#store.add(this.#changed);
    this.#store.add(review.onDidChange(() => this.#changed.fire()));
  }

  /** Shows the rows in the view. */
  show(late: LateTreeView): void {
    const view = late.attach(this);
    const update = (): void => {
      const { files } = this.#review;
      view.description = files.length === 0 ? "" : countsLabel(total(files));
      view.message = files.length === 0 ? vscode.l10n.t("There are no changes to review.") : "";
    };
    this.#store.add(this.#review.onDidChange(update));
    update();
  }

  getChildren(row?: ChangeRow): ChangeRow[] {
    if (row === undefined) return [...changeRows(this.#review)];
    if (row.kind === "session") return [...row.rows];
    if (row.kind === "turn") return [...row.files];
    return row.kind === "file" ? [...hunkRows(row)] : [];
  }

  getTreeItem(row: ChangeRow): vscode.TreeItem {
    switch (row.kind) {
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
export function sessionRowTitle({ id, title }: SessionRow): string {
  if (id === undefined) return vscode.l10n.t("Unknown agent");
  return title.trim() === "" ? vscode.l10n.t("Session") : title;
}

function sessionItem(row: SessionRow): vscode.TreeItem {
  const isUnknown = row.id === undefined;
  const title = sessionRowTitle(row);
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `session:${row.id ?? ""}:${isUnknown}`;
  item.contextValue = "session";
  item.iconPath = new vscode.ThemeIcon(isUnknown ? "question" : "comment-discussion");
  item.description = countsLabel(row);
  item.tooltip = isUnknown
    ? vscode.l10n.t("Several agents were working, and none of them reported these changes.")
    : title;
  item.accessibilityInformation = { label: `${title}, ${accessibleCounts(row)}` };
  return item;
}

function turnItem(row: TurnRow): vscode.TreeItem {
  const title = row.title.trim() === "" ? vscode.l10n.t("Turn") : row.title;
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `turn:${row.id}`;
  item.contextValue = "turn";
  item.iconPath = new vscode.ThemeIcon("comment");
  item.description = countsLabel(row);
  item.tooltip = title;
  item.accessibilityInformation = { label: `${title}, ${accessibleCounts(row)}` };
  return item;
}

function fileItem(row: FileRow, runs: ReturnType<RunsOf>): vscode.TreeItem {
  const { path, unknown, changes, movedFrom, isOutside } = row.file;
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
  const item = new vscode.TreeItem(
    basename(path),
    hasHunks ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  item.id = `${row.turn ?? ""}:file:${path}`;
  item.contextValue = unknown === undefined ? "file" : "unknownFile";
  item.resourceUri = uri;
  item.iconPath = vscode.ThemeIcon.File;
  const place = folder === "." ? "" : folder;
  const outside = isOutside ? vscode.l10n.t("outside the workspace") : "";
  const size = unknown === undefined ? countsLabel(row) : "";
  const danger =
    runs === undefined
      ? ""
      : runs === "byItself"
        ? vscode.l10n.t("runs by itself")
        : vscode.l10n.t("runs with the next build");
  if (danger !== "") item.iconPath = new vscode.ThemeIcon("warning");
  item.description = [size, state, danger, outside, place].filter(each => each !== "").join(" · ");
  item.tooltip = [path, danger, outside, unknown ?? ""].filter(each => each !== "").join("\n");
  const accessibleParts = [
    basename(path),
    place,
    outside,
    danger,
    state,
    unknown === undefined ? accessibleCounts(row) : "",
  ];
  item.accessibilityInformation = { label: accessibleParts.filter(each => each !== "").join(", ") };
  item.command = { command: "parley.openChange", title: vscode.l10n.t("Open Change"), arguments: [row] };
  return item;
}

function hunkItem(row: HunkRow): vscode.TreeItem {
  const words = row.words === "" ? vscode.l10n.t("Blank lines") : row.words;
  const item = new vscode.TreeItem(words);
  item.id = `${row.turn ?? ""}:hunk:${row.file.path}:${row.id}`;
  item.contextValue = "hunk";
  item.description = `${vscode.l10n.t("line {0}", row.line + 1)} · ${countsLabel(row)}`;
  item.accessibilityInformation = {
    label: `${vscode.l10n.t("line {0}", row.line + 1)}, ${accessibleCounts(row)}, ${words}`,
  };
  item.command = { command: "parley.openChange", title: vscode.l10n.t("Open Change"), arguments: [row] };
  return item;
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
    const tooltip =
      length === 0
        ? vscode.l10n.t("Changed by the agent, not reviewed")
        : length === 1
          ? vscode.l10n.t("Changed by the agent, 1 change to review")
          : vscode.l10n.t("Changed by the agent, {0} changes to review", length);
    return new vscode.FileDecoration("±", tooltip);
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
