// A tree view that exists before its rows: they are loaded when the view shows for the first time.
import * as vscode from "vscode";
import type { Disposable } from "../base/lifecycle.ts";

export class LateTreeView implements vscode.TreeDataProvider<unknown>, Disposable {
  readonly #changed = new vscode.EventEmitter<unknown>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #load: () => Promise<unknown>;
  readonly #view: vscode.TreeView<unknown>;
  #rows: vscode.TreeDataProvider<unknown> | undefined;

  /** `load` must call {@link attach}. */
  constructor(id: string, load: () => Promise<unknown>, options: { readonly canSelectMany?: boolean } = {}) {
    this.#load = load;
    this.#view = vscode.window.createTreeView(id, { treeDataProvider: this, ...options });
  }

  /** Shows these rows from now on. Returns the view, which stays the property of this object. */
  attach<Row>(rows: vscode.TreeDataProvider<Row>): vscode.TreeView<Row> {
    this.#rows = rows as vscode.TreeDataProvider<unknown>;
    rows.onDidChangeTreeData?.(changed => this.#changed.fire(changed));
    this.#changed.fire(undefined);
    return this.#view as vscode.TreeView<Row>;
  }

  /** Shows a badge before there are rows. */
  setBadge(badge: vscode.ViewBadge): void {
    this.#view.badge = badge;
  }

  async getChildren(row?: unknown): Promise<unknown[]> {
    if (!this.#rows) await this.#load();
    return (await this.#rows?.getChildren(row)) ?? [];
  }

  getTreeItem(row: unknown): vscode.TreeItem | Thenable<vscode.TreeItem> {
    return this.#rows?.getTreeItem(row) ?? {};
  }

  getParent(row: unknown): unknown {
    return this.#rows?.getParent?.(row);
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}
