// The Sessions view below the chat: the open session and its state. The badge is on this view so that it shows even
// before the chat was first opened.
import * as vscode from "vscode";
import type { Disposable } from "../base/lifecycle.ts";
import { openQuestions, sessionTitle, type SessionState } from "../session/state.ts";
import { sessionStatus } from "./statusBar.ts";

interface SessionRow {
  readonly title: string;
  readonly agent: string;
  readonly icon: string;
  readonly words: string;
}

export class SessionsTree implements vscode.TreeDataProvider<SessionRow>, Disposable {
  static readonly id = "parley.sessions";
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view = vscode.window.createTreeView(SessionsTree.id, { treeDataProvider: this });
  #row: SessionRow | undefined;
  #waiting = 0;

  /** Shows this state. Notifies VS Code only if the row looks different, because this is called very often. */
  update(state: SessionState, agentName: string | undefined): void {
    const agent = state.agent?.name ?? agentName;
    const { icon, words } = sessionStatus(state);
    const title = sessionTitle(state) || vscode.l10n.t("New Conversation");
    const row = agent === undefined || state.agent === null ? undefined : { title, agent, icon, words };
    if (JSON.stringify(row) !== JSON.stringify(this.#row)) {
      this.#row = row;
      this.#changed.fire();
    }
    this.#badge(openQuestions(state).length);
  }

  getChildren(parent?: SessionRow): SessionRow[] {
    return parent === undefined && this.#row ? [this.#row] : [];
  }

  getTreeItem({ title, agent, icon, words }: SessionRow): vscode.TreeItem {
    const item = new vscode.TreeItem(title);
    item.id = "current";
    item.description = `${agent} · ${words}`;
    item.tooltip = `${title}\n${agent} · ${words}`;
    item.iconPath = new vscode.ThemeIcon(icon);
    item.command = { command: "parley.openChat", title: vscode.l10n.t("Open Chat") };
    item.accessibilityInformation = { label: `${title}, ${agent}, ${words}` };
    return item;
  }

  #badge(waiting: number): void {
    if (waiting === this.#waiting) return;
    this.#waiting = waiting;
    const tooltip =
      waiting === 1
        ? vscode.l10n.t("A permission request is waiting for you")
        : vscode.l10n.t("{0} permission requests are waiting for you", waiting);
    this.#view.badge = waiting > 0 ? { value: waiting, tooltip } : undefined;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}
