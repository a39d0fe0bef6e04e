// The rows of a tree view that a click or a key is about. VS Code's stable API names the selected rows, but not the focused
// one. While VS Code makes the rows again, which takes some hundred milliseconds, it names none.
import * as vscode from "vscode";
import { Sequencer } from "../base/async.ts";
import type { Clock } from "../base/log.ts";
import type { ShownRows } from "./lateTreeView.ts";

/** How long VS Code may take to report another selection. Milliseconds. */
const maxReportTime = 1000;
/** How often to look while VS Code makes the rows again, and after which time. Milliseconds. */
const maxLooks = 20;
const lookInterval = 100;

type Selectable<Row> = Pick<ShownRows<Row>, "selection" | "onDidChangeSelection">;

/** The row that was clicked: a click selects it alone. */
export async function clickedRow<Row>(view: Selectable<Row>, clock: Clock): Promise<Row | undefined> {
  for (let looks = 0; view.selection.length === 0 && looks < maxLooks; looks++) await wait(clock, lookInterval);
  return view.selection[0];
}

/** One at a time, because it changes the selection for a moment. */
const keys = new Sequencer();

/**
 * The focused row, or the selected rows if it is one of them, as VS Code's own keys in lists. Call this only for a key
 * that was pressed in the view, because VS Code takes the list that had the focus last. `idOf`: identifies a row, also
 * after the rows were made again. Empty if the focus moves meanwhile.
 */
export function rowsForKey<Row>(
  view: Selectable<Row>,
  idOf: (row: Row) => string,
  clock: Clock,
): Promise<readonly Row[]> {
  return keys.queue(async () => {
    for (let looks = 0; looks < maxLooks; looks++) {
      const before = view.selection;
      const toggled = await toggleSelection(view, clock);
      // No row has the focus.
      if (!toggled) return view.selection;
      const selected = (await toggleSelection(view, clock)) ?? view.selection;
      const [first, ...others] = differences(before, toggled, idOf);
      const [row, ...more] = differences(toggled, selected, idOf);
      if (first && row && others.length + more.length === 0) {
        if (idOf(first) !== idOf(row)) return [];
        return before.some(each => idOf(each) === idOf(row)) ? before : [row];
      }
      // VS Code makes the rows again.
      await wait(clock, lookInterval);
    }
    return [];
  });
}

/** The rows that only one of the lists has. */
function differences<Row>(some: readonly Row[], others: readonly Row[], idOf: (row: Row) => string): readonly Row[] {
  const lacks = (rows: readonly Row[], row: Row): boolean => !rows.some(each => idOf(each) === idOf(row));
  return [...some.filter(row => lacks(others, row)), ...others.filter(row => lacks(some, row))];
}

/** Selects the focused row, or no longer. Nothing opens. Resolves with the selection, or undefined if it stays. */
function toggleSelection<Row>(view: Selectable<Row>, clock: Clock): Promise<readonly Row[] | undefined> {
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

const wait = (clock: Clock, ms: number): Promise<void> => new Promise(resolve => void clock.after(ms, resolve));
