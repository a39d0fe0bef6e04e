// The rows of a tree view that a key acts on. VS Code's stable API names the selected rows, but not the focused one.
import * as vscode from "vscode";
import type { Clock } from "../base/log.ts";
import type { ShownRows } from "./lateTreeView.ts";

/** How long VS Code may take to report another selection. Milliseconds. */
const maxReportTime = 1000;

/** One look at a time, because a look changes the selection for a moment. */
let looks: Promise<unknown> = Promise.resolve();

/**
 * The focused row, or the selected rows if it is one of them, as VS Code's own keys in lists. Call this only for a key
 * that was pressed in the view, because VS Code takes the list that had the focus last. `idOf`: identifies a row, also
 * after the rows were made again. If VS Code reports nothing in time, these are the selected rows.
 */
export function rowsForKey<Row>(
  view: ShownRows<Row>,
  idOf: (row: Row) => string,
  clock: Clock,
): Promise<readonly Row[]> {
  const look = looks.then(() => lookAtRows(view, idOf, clock));
  looks = look.catch(() => {});
  return look;
}

async function lookAtRows<Row>(
  view: ShownRows<Row>,
  idOf: (row: Row) => string,
  clock: Clock,
): Promise<readonly Row[]> {
  const before = view.selection;
  const after = await toggleSelection(view, clock);
  if (!after) return before;
  const lacks = (rows: readonly Row[], row: Row): boolean => !rows.some(each => idOf(each) === idOf(row));
  const added = after.filter(row => lacks(before, row));
  const isSelected = before.some(row => lacks(after, row));
  await toggleSelection(view, clock);
  return isSelected ? before : added;
}

/** Selects the focused row, or no longer. Nothing opens. Resolves with the selection, or undefined if it stays. */
function toggleSelection<Row>(view: ShownRows<Row>, clock: Clock): Promise<readonly Row[] | undefined> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      listener.dispose();
      timer.dispose();
      settle();
    };
    const listener = view.onDidChangeSelection(({ selection }) => done(() => resolve(selection)));
    const timer = clock.after(maxReportTime, () => done(() => resolve(undefined)));
    vscode.commands
      .executeCommand("list.toggleSelection")
      .then(undefined, (error: unknown) => done(() => reject(error as Error)));
  });
}
