// The workspace folder of a new session. In a workspace with several folders, the user chooses it.
import * as vscode from "vscode";
import { sessionFolder } from "../../editor/folders.ts";
import { showQuickPick } from "../../editor/editorUi.ts";

const stateKey = "parley.lastFolder";

export class FolderChoice {
  readonly #state: vscode.Memento;

  constructor({ workspaceState }: Pick<vscode.ExtensionContext, "workspaceState">) {
    this.#state = workspaceState;
  }

  /** The preferred folder, or the one that the user chose last, otherwise that of the active editor or the first one. */
  usual(preferred?: string): string | undefined {
    const isListed = (path: unknown): path is string => localFolders().some(({ uri }) => uri.fsPath === path);
    return [preferred, this.#state.get<unknown>(stateKey)].find(isListed) ?? sessionFolder();
  }

  /** Asks for the folder if there are several, with the usual one first. Undefined: cancelled, or there is no folder. */
  async choose(): Promise<string | undefined> {
    const folders = localFolders();
    const usual = this.usual();
    if (folders.length < 2) return usual;
    const picks = folders
      .map(({ name, uri }) => ({ label: name, iconPath: vscode.ThemeIcon.Folder, description: uri.fsPath }))
      .sort((a, b) => Number(b.description === usual) - Number(a.description === usual));
    const picked = await showQuickPick(picks, {
      title: vscode.l10n.t("Folder of the New Session"),
      placeHolder: vscode.l10n.t("Select the folder in which the agent works"),
      matchOnDescription: true,
    });
    if (!picked) return undefined;
    await this.#state.update(stateKey, picked.description);
    return picked.description;
  }
}

/** The name of the folder in the workspace, if the workspace has several. */
export function folderName(path: string): string | undefined {
  const folders = localFolders();
  if (folders.length < 2) return undefined;
  return folders.find(({ uri }) => uri.fsPath === path)?.name ?? path;
}

const localFolders = (): readonly vscode.WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
