// The Sessions view under the chat: the open session and its state. It carries the badge, which shows also before the
// chat was ever opened.
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

  /** The state that is shown has changed. Called for every chunk: VS Code hears of it only when a row looks different. */
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
      waiting === 1 ? vscode.l10n.t("A question waits for you") : vscode.l10n.t("{0} questions wait for you", waiting);
    this.#view.badge = waiting > 0 ? { value: waiting, tooltip } : undefined;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}
