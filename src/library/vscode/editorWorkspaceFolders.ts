// The folders of the workspace, for sessions. In a workspace with several folders, the user chooses that of a new session.
import { basename } from "node:path";
import * as vscode from "vscode";
import type { Problem } from "../../base/errors.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import { showQuickPick } from "../../editor/editorUi.ts";
import { sessionFolder, sessionRoots } from "../../editor/folders.ts";
import type { WorkspaceFolders } from "../sessionRegistry.ts";

const stateKey = "parley.lastFolder";

export class EditorWorkspaceFolders implements WorkspaceFolders, Disposable {
  readonly #state: vscode.Memento;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor({ workspaceState }: Pick<vscode.ExtensionContext, "workspaceState">) {
    this.#state = workspaceState;
    const change = (): void => this.#changed.fire();
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(change));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(change));
  }

  get obstacle(): Problem | undefined {
    if (!vscode.workspace.isTrusted) {
      const message = vscode.l10n.t(
        "Parley doesn't start agents in untrusted workspaces. Trust this workspace to work with agents.",
      );
      return { message, next: ["manageTrust"] };
    }
    if (sessionFolder() === undefined) {
      const scheme = vscode.workspace.workspaceFolders?.[0]?.uri.scheme;
      const message =
        scheme === undefined
          ? vscode.l10n.t("Open a folder for the agent to work in.")
          : vscode.l10n.t(
              "Agents work with files on a disk, and this workspace is virtual (“{0}”). Open a folder on a disk for the agent to work in.",
              scheme,
            );
      return { message, next: ["openFolder"] };
    }
    return undefined;
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

  additional(workspaceFolder: string): readonly string[] {
    return sessionRoots(workspaceFolder).filter(root => root !== workspaceFolder);
  }

  nameOf(path: string): string | undefined {
    const folders = localFolders();
    const listed = folders.find(({ uri }) => uri.fsPath === path);
    // A worktree, or a folder that is no longer in the workspace.
    if (!listed) return basename(path);
    return folders.length < 2 ? undefined : listed.name;
  }

  dispose(): void {
    this.#store.dispose();
  }
}

const localFolders = (): readonly vscode.WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
