// The Sessions view below the chat: the open sessions and their states. The badge is on this view so that it shows even
// before the chat was first opened.
import * as vscode from "vscode";
import type { Disposable } from "../base/lifecycle.ts";
import type { LateTreeView } from "../editor/lateTreeView.ts";
import type { Session } from "../session/session.ts";
import { openQuestions, sessionTitle } from "../session/state.ts";
import { sessionStatus } from "./statusBar.ts";

interface SessionRow {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly icon: string;
  readonly words: string;
}

export class SessionsTree implements vscode.TreeDataProvider<SessionRow>, Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<SessionRow>;
  #rows: readonly SessionRow[] = [];
  #waiting = 0;

  constructor(view: LateTreeView) {
    this.#view = view.attach(this);
  }

  /** Shows these sessions. Notifies VS Code only if a row looks different, because this is called very often. */
  update(sessions: readonly Session[]): void {
    const rows = sessions.map(({ id, state }) => {
      const { icon, words } = sessionStatus(state);
      const title = sessionTitle(state) || vscode.l10n.t("New Conversation");
      return { id, title, agent: state.agent?.name ?? "", icon, words };
    });
    if (JSON.stringify(rows) !== JSON.stringify(this.#rows)) {
      this.#rows = rows;
      this.#changed.fire();
    }
    this.#badge(sessions.reduce((sum, { state }) => sum + openQuestions(state).length, 0));
  }

  getChildren(parent?: SessionRow): SessionRow[] {
    return parent === undefined ? [...this.#rows] : [];
  }

  getTreeItem({ id, title, agent, icon, words }: SessionRow): vscode.TreeItem {
    const item = new vscode.TreeItem(title);
    item.id = id;
    item.description = `${agent} · ${words}`;
    item.tooltip = `${title}\n${agent} · ${words}`;
    item.iconPath = new vscode.ThemeIcon(icon);
    item.command = { command: "parley.switchSession", title: vscode.l10n.t("Show Session"), arguments: [id] };
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
    this.#changed.dispose();
  }
}
