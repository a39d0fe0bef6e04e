// A tree view that exists before its rows: they are loaded when the view shows for the first time.
import * as vscode from "vscode";
import { inertText } from "../base/inertText.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import type { Disposable } from "../base/lifecycle.ts";

/** The parts of a view that show no text of their own. */
export type ShownRows<Row> = Pick<
  vscode.TreeView<Row>,
  "selection" | "visible" | "onDidChangeVisibility" | "onDidChangeSelection" | "reveal"
>;

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
  attach<Row>(rows: vscode.TreeDataProvider<Row>): ShownRows<Row> {
    this.#rows = rows as vscode.TreeDataProvider<unknown>;
    rows.onDidChangeTreeData?.(changed => this.#changed.fire(changed));
    this.#changed.fire(undefined);
    return this.#view as vscode.TreeView<Row>;
  }

  /** Shows a number at the view, also before there are rows. None for 0. */
  setBadge(value: number, tooltip: string): void {
    const badge = value === 0 ? undefined : { value, tooltip: inertText(tooltip) };
    // VS Code sends every assignment to its window.
    if (!jsonEqual(this.#view.badge ?? null, badge ?? null)) this.#view.badge = badge;
  }

  /** Shows a text beside the title of the view. */
  setDescription(text: string): void {
    this.#view.description = inertText(text);
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
