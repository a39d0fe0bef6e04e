// The rows of other folders in the Sessions view: a row for each folder, with its sessions and the files that could not be
// read below it. Their sessions can only be looked at: the window of a folder changes and deletes them.
import * as vscode from "vscode";
import { visibleName } from "../../base/inertText.ts";
import type { TreeRow } from "../../editor/editorItems.ts";
import type { DamagedFile } from "../folderSessions.ts";
import type { ListedFolder } from "../otherFolders.ts";
import type { ListedConversation, ListedSession } from "../sessionGroups.ts";

/** A longer name of a folder is cut (characters). */
const maxFolderName = 40;

export type FolderRow =
  | { readonly kind: "folder"; readonly folder: ListedFolder }
  /** `isOpen`: a window has the session open. `isAmongOwn`: it stands among the sessions of this window. */
  | {
      readonly kind: "folderSession";
      readonly folder: ListedFolder;
      readonly session: ListedSession;
      readonly isOpen: boolean;
      readonly isAmongOwn?: true;
    }
  | { readonly kind: "damagedFile"; readonly folder: ListedFolder; readonly damaged: DamagedFile };

/** The folders that have rows. Done sessions are left out unless `showsDone`. */
export function foldersShown(folders: readonly ListedFolder[], showsDone: boolean): readonly ListedFolder[] {
  const shown = folders.map(folder => ({
    ...folder,
    sessions: folder.sessions.filter(({ session, isOpen }) => showsDone || !session.isDone || isOpen),
  }));
  return shown.filter(({ sessions, damaged }) => sessions.length + damaged.length > 0);
}

/** The rows below a folder. */
export const rowsOfFolder = (folder: ListedFolder): FolderRow[] => [
  ...folder.sessions.map((one): FolderRow => ({ kind: "folderSession", folder, ...one })),
  ...folder.damaged.map((damaged): FolderRow => ({ kind: "damagedFile", folder, damaged })),
];

/** Identifies a row. */
export function folderRowId(row: FolderRow): string {
  const { uri } = row.folder;
  switch (row.kind) {
    case "folder":
      return `folder:${uri}`;
    case "folderSession":
      return `folderSession:${row.session.id}:${uri}`;
    case "damagedFile":
      return `damagedFile:${row.damaged.file}:${uri}`;
  }
}

/** The row. `sessionRow`: how a session of this window is shown. */
export function folderItem(row: FolderRow, sessionRow: (conversation: ListedConversation) => TreeRow): TreeRow {
  const id = folderRowId(row);
  switch (row.kind) {
    case "folder": {
      const { name, label } = row.folder;
      return {
        ...{ id, label: name, description: label, tooltip: [label], contextValue: "folder" },
        iconPath: new vscode.ThemeIcon("folder"),
        collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
        accessibleLabel: vscode.l10n.t("Folder {0}, {1}", name, label),
      };
    }
    case "folderSession": {
      const {
        description = "",
        tooltip = [],
        accessibleLabel = "",
        ...rest
      } = sessionRow({
        session: row.session,
        branches: [],
      });
      const open = row.isOpen ? [vscode.l10n.t("open in another window")] : [];
      const place = row.isAmongOwn ? [vscode.l10n.t("in {0}", visibleName(row.folder.name, maxFolderName))] : [];
      const { worktree } = row.session;
      return {
        ...{ ...rest, id, contextValue: worktree ? "otherSession.worktree" : "otherSession" },
        description: [...place, description, ...open].join(" · "),
        tooltip: [...tooltip, ...open, row.folder.label],
        accessibleLabel: [accessibleLabel, ...place, ...open].join(", "),
      };
    }
    case "damagedFile": {
      const { file, reason } = row.damaged;
      return {
        ...{ id, label: file, description: reason, tooltip: [file, reason], contextValue: "damagedFile" },
        iconPath: new vscode.ThemeIcon("warning"),
        accessibleLabel: `${file}, ${reason}`,
      };
    }
  }
}
