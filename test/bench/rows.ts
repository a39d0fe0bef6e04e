// The floor for the Sessions view: a tree view with as many rows, which are ready.
import * as vscode from "vscode";

const count = 1000;
const perGroup = 250;

type Row = vscode.TreeItem & { readonly rows?: readonly Row[] };

/** Rows in groups, and one row that comes and goes. */
export class Rows implements vscode.TreeDataProvider<Row> {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #groups: readonly Row[];
  readonly #toggled = row("The toggled row");
  #isShown = false;

  constructor() {
    this.#groups = Array.from({ length: count / perGroup }, (_, group) =>
      Object.assign(new vscode.TreeItem(`Group ${group}`, vscode.TreeItemCollapsibleState.Expanded), {
        id: `group:${group}`,
        rows: Array.from({ length: perGroup }, (_, at) => row(`Row ${group * perGroup + at}`)),
      }),
    );
  }

  toggle(): void {
    this.#isShown = !this.#isShown;
    this.#changed.fire();
  }

  getChildren(parent?: Row): Row[] {
    if (!parent) return [...this.#groups];
    const isFirst = parent === this.#groups[0];
    return [...(isFirst && this.#isShown ? [this.#toggled] : []), ...(parent.rows ?? [])];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return row;
  }
}

function row(label: string): Row {
  const item = new vscode.TreeItem(label);
  item.id = `row:${label}`;
  item.description = "now · Agent";
  item.tooltip = `${label}\nAgent`;
  item.iconPath = new vscode.ThemeIcon("comment");
  item.command = { command: "parleyBench.flood", title: "Open", arguments: [label] };
  return item;
}
