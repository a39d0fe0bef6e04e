// The Sessions view: the sessions in groups, what waits for the user first. Its badge shows also before the chat is open.
import * as vscode from "vscode";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import type { LateTreeView, ShownRows } from "../../editor/lateTreeView.ts";
import type { ListedFolder } from "../otherFolders.ts";
import {
  needsAttention,
  sessionAge,
  sessionGroups,
  type ListedConversation,
  type ListedSession,
  type SessionFolder,
  type SessionGroup,
} from "../sessionGroups.ts";
import { visibleName } from "../../base/inertText.ts";
import { localDay } from "../../base/localDay.ts";
import { worktreeCommits, worktreeSentences } from "../../panel/worktreeTexts.ts";
import { treeItem, type TreeRow } from "../../editor/editorItems.ts";
import { clickedRow, rowsForKey } from "../../editor/focusedRow.ts";
import { folderItem, folderRowId, foldersShown, rowsOfFolder, type FolderRow } from "./folderRows.ts";
import { ageText, badgeTooltip, sessionIcon, statusText, titleOf, usageText } from "./sessionTexts.ts";

/** The sessions to list. */
export interface SessionListSource {
  readonly sessions: () => readonly ListedSession[];
  readonly onDidChange: Event<void>;
}

/** The other folders whose sessions stand below those of this window. None while the user does not list them. */
export interface FolderListSource {
  readonly folders: () => readonly ListedFolder[];
  /** The folders whose sessions stand among those of this window, such as worktrees of its repository. */
  readonly related: () => readonly ListedFolder[];
  readonly onDidChange: Event<void>;
}

export interface SessionsTreeOptions {
  readonly source: SessionListSource;
  readonly others?: FolderListSource;
  /** The folders of the workspace. */
  readonly folders?: () => readonly SessionFolder[];
  readonly view: LateTreeView;
  readonly clock: Clock;
  /** The view has become visible. */
  readonly onVisible?: () => void;
  /** Receives the number of unread sessions. */
  readonly onUnread?: (count: number) => void;
}

export type SessionsRow =
  | { readonly kind: "group"; readonly group: SessionGroup }
  | ({ readonly kind: "session" } & ListedConversation)
  | FolderRow;

/** A longer title of another session is cut (characters). */
const maxOrigin = 60;
/** A longer name of a folder is cut (characters). */
const maxFolderName = 60;
/** A longer name of a branch is cut (characters). */
const maxBranch = 40;
/** The ages are shown in minutes. Milliseconds. */
const ageInterval = 60_000;

export class SessionsTree implements vscode.TreeDataProvider<SessionsRow>, Disposable {
  readonly #options: SessionsTreeOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #store = new DisposableStore();
  readonly #view: ShownRows<SessionsRow>;
  #showsDone = false;
  #isByFolder = false;
  /** The rows that VS Code has, to notify it only of changes: the source changes very often. */
  #shown = "";
  #timer: Disposable | undefined;

  constructor(options: SessionsTreeOptions) {
    this.#options = options;
    this.#store.add(this.#changed);
    this.#view = options.view.attach(this);
    this.#store.add(options.source.onDidChange(() => this.#update()));
    if (options.others) this.#store.add(options.others.onDidChange(() => this.#update()));
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#update()));
    const showed = (): void => {
      if (this.#view.visible) options.onVisible?.();
      this.#update();
    };
    this.#store.add(this.#view.onDidChangeVisibility(showed));
    showed();
  }

  getChildren(row?: SessionsRow): SessionsRow[] {
    switch (row?.kind) {
      case "session":
        return row.branches.map(session => ({ kind: "session", session, branches: [] }));
      case "group": {
        const related = this.#related();
        return row.group.conversations.map(conversation => {
          const elsewhere = related.get(conversation.session.id);
          return elsewhere ?? { kind: "session", ...conversation };
        });
      }
      case "folder":
        return rowsOfFolder(row.folder);
      case "folderSession":
      case "damagedFile":
        return [];
      case undefined:
        return [
          ...this.#groups().map((group): SessionsRow => ({ kind: "group", group })),
          ...this.#folders().map((folder): SessionsRow => ({ kind: "folder", folder })),
        ];
    }
  }

  getParent(row: SessionsRow): SessionsRow | undefined {
    if (row.kind === "group" || row.kind === "folder") return undefined;
    const groups = this.getChildren();
    const parents = [...groups, ...groups.flatMap(group => this.getChildren(group))];
    return parents.find(parent => this.getChildren(parent).some(each => idOf(each) === idOf(row)));
  }

  getTreeItem(row: SessionsRow): vscode.TreeItem {
    if (row.kind === "group") return groupItem(row.group, this.#usageOf(row.group.id));
    return treeItem(row.kind === "session" ? this.#sessionRow(row) : folderItem(row, one => this.#sessionRow(one)));
  }

  /**
   * Shows the view with the focus on the row of the session, or on the first one. The command of VS Code that focuses a
   * view leaves no focus in one that was collapsed, because it has no rows yet.
   */
  async focus(session: string | undefined): Promise<void> {
    const heads = this.getChildren().flatMap(group => this.getChildren(group));
    const rows = heads.flatMap(head => [head, ...this.getChildren(head)]);
    const row = rows.find(each => each.kind === "session" && each.session.id === session) ?? rows[0];
    if (row) await this.#view.reveal(row, { focus: true, select: false });
    else await vscode.commands.executeCommand("parley.sessions.focus");
  }

  /** The row that was clicked. */
  clickedRow(): Promise<SessionsRow | undefined> {
    return clickedRow(this.#view, this.#options.clock);
  }

  /** The rows that a key acts on, which was pressed in the view. */
  rowsForKey(): Promise<readonly SessionsRow[]> {
    return rowsForKey(this.#view, idOf, this.#options.clock);
  }

  /** Whether the view also lists sessions that the user is done with. */
  showDone(shows: boolean): void {
    this.#showsDone = shows;
    this.#update();
  }

  /** Groups the sessions by the folders of the workspace, if it has several, or by day. */
  groupByFolder(isByFolder: boolean): void {
    this.#isByFolder = isByFolder;
    this.#update();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
  }

  #groups(): readonly SessionGroup[] {
    const { source, clock, folders } = this.#options;
    const several = this.#isByFolder ? (folders?.() ?? []) : [];
    const by = several.length > 1 ? several : undefined;
    const related = [...this.#related().values()].map(({ session }) => session);
    return sessionGroups([...source.sessions(), ...related], clock.now(), this.#showsDone, by);
  }

  /** The rows of sessions that stand among those of this window, by their ids. A branch has a row of its own. */
  #related(): ReadonlyMap<string, Extract<FolderRow, { readonly kind: "folderSession" }>> {
    const own = new Set(this.#options.source.sessions().map(({ id }) => id));
    const folders = this.#options.others?.related() ?? [];
    return new Map(
      folders.flatMap(folder =>
        folder.sessions
          .filter(({ session }) => !own.has(session.id))
          .map(({ session: { branchOf: _, ...session }, isOpen }) => [
            session.id,
            { kind: "folderSession", folder, session, isOpen, isAmongOwn: true },
          ]),
      ),
    );
  }

  #folders(): readonly ListedFolder[] {
    return foldersShown(this.#options.others?.folders() ?? [], this.#showsDone);
  }

  /** What all sessions have used on the day of a group. Empty for groups that are no day. */
  #usageOf(group: SessionGroup["id"]): string {
    const { clock, source } = this.#options;
    if (group !== "today" && group !== "yesterday") return "";
    const day = localDay(clock.now(), group === "today" ? 0 : 1);
    return usageText(source.sessions().flatMap(({ usage = [] }) => usage.filter(row => row.day === day)));
  }

  #update(): void {
    this.#updateBadge();
    // VS Code asks again when the view shows.
    if (this.#view.visible) this.#updateLater();
    const rows = this.#groups().map(({ id, folder, conversations }) => [
      [id, folder],
      conversations.map(({ session, branches }) => [session, ...branches].map(one => this.#rowText(one))),
    ]);
    const folders = this.#folders().map(({ sessions, ...folder }) => [
      folder,
      sessions.map(({ session, isOpen }) => [this.#rowText(session), isOpen]),
    ]);
    const elsewhere = [...this.#related().values()].map(({ folder, isOpen }) => [folder.label, isOpen]);
    const shown = JSON.stringify([rows, folders, elsewhere]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#changed.fire();
  }

  /** Everything that a row shows, as one text. */
  #rowText({ updated, ...session }: ListedSession): unknown {
    return [session, updated === undefined ? null : sessionAge(updated, this.#options.clock.now())];
  }

  #updateLater(): void {
    this.#timer ??= this.#options.clock.after(ageInterval, () => {
      this.#timer = undefined;
      this.#update();
    });
  }

  #updateBadge(): void {
    const counted = this.#options.source.sessions().filter(needsAttention);
    const waiting = counted.filter(({ status }) => status === "waiting").length;
    const value = counted.length;
    this.#options.onUnread?.(counted.filter(({ isUnread }) => isUnread).length);
    this.#options.view.setBadge(value, value === 0 ? "" : badgeTooltip(waiting, value - waiting));
  }

  #sessionRow({ session, branches }: ListedConversation): TreeRow {
    const { agentName, changes, updated, isDone, worktree } = session;
    const title = titleOf(session);
    const used = usageText(session.usage ?? []);
    const age = updated === undefined ? "" : ageText(updated, this.#options.clock.now());
    const status = statusText(session);
    const origin = session.continues
      ? vscode.l10n.t("continues {0}", visibleName(session.continues.title, maxOrigin))
      : "";
    const others =
      branches.length === 0 ? "" : vscode.l10n.t("{0} branches", new Intl.NumberFormat().format(branches.length + 1));
    const lines = changes && changes.added + changes.removed > 0 ? `+${changes.added} −${changes.removed}` : "";
    const branch = worktree ? visibleName(worktree.branch, maxBranch) : "";
    const commits = worktree ? worktreeCommits(worktree) : "";
    const sentences = worktree ? worktreeSentences({ ...worktree, branch }) : [];
    return {
      label: title,
      id: sessionRowId(session),
      ...(branches.length > 0 && { collapsibleState: vscode.TreeItemCollapsibleState.Collapsed }),
      description: joined([
        age,
        lines,
        [branch, commits].filter(part => part !== "").join(" "),
        agentName,
        origin,
        others,
      ]),
      tooltip: [
        title,
        joined([agentName, status, age, lines]),
        ...[used, origin, ...sentences].filter(line => line !== ""),
      ],
      iconPath: sessionIcon(session),
      contextValue: [
        "session",
        ...(isDone ? ["done"] : []),
        ...(session.isUnread ? ["unread"] : []),
        ...(session.isPinned ? ["pinned"] : []),
        ...(session.canFork ? ["fork"] : []),
        ...(session.continues ? ["continues"] : []),
        ...(worktree ? ["worktree"] : []),
      ].join("."),
      // Without arguments: VS Code forgets those of a row when it makes the row again, and the click would fail.
      command: { command: "parley.openSession", title: vscode.l10n.t("Show Session") },
      accessibleLabel: [title, agentName, status, age, lines, ...sentences, origin, others]
        .filter(text => text !== "")
        .join(", "),
    };
  }
}

function idOf(row: SessionsRow): string {
  if (row.kind === "group") return `group:${row.group.id}`;
  return row.kind === "session" ? sessionRowId(row.session) : folderRowId(row);
}

const sessionRowId = ({ id }: ListedSession): string => `session:${id}`;

const joined = (parts: readonly string[]): string => parts.filter(part => part !== "").join(" · ");

function groupItem(group: SessionGroup, used: string): vscode.TreeItem {
  const { folder, conversations } = group;
  return treeItem({
    label: groupLabel(group),
    collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
    id: idOf({ kind: "group", group }),
    contextValue: "group",
    description: String(conversations.length),
    ...(used !== "" && { tooltip: [groupLabel(group), used] }),
    ...(folder && { iconPath: new vscode.ThemeIcon("folder"), tooltip: [folder.path] }),
  });
}

function groupLabel({ id, folder }: SessionGroup): string {
  switch (id) {
    case "pinned":
      return vscode.l10n.t("Pinned");
    case "waiting":
      return vscode.l10n.t("Waiting for You");
    case "working":
      return vscode.l10n.t("Working");
    case "today":
      return vscode.l10n.t("Today");
    case "yesterday":
      return vscode.l10n.t("Yesterday");
    case "week":
      return vscode.l10n.t("Last 7 Days");
    case "older":
      return vscode.l10n.t("Older");
    default:
      return visibleName(folder?.name ?? "", maxFolderName) || vscode.l10n.t("Unknown Folder");
  }
}
