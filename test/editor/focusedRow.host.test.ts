// The rows that a click or a key is about, also while VS Code makes the rows of the view again and names no selection.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { systemClock } from "../../src/base/log.ts";
import { clickedRow, rowsForKey } from "../../src/editor/focusedRow.ts";

/** A view of rows. A selected row is a new object after the rows were made again. */
class View {
  readonly #changed = new vscode.EventEmitter<vscode.TreeViewSelectionChangeEvent<{ readonly id: string }>>();
  readonly onDidChangeSelection = this.#changed.event;
  selected: readonly string[] = [];
  focused: string | undefined;
  /** VS Code makes the rows again. */
  isRefreshing = false;

  get selection(): readonly { readonly id: string }[] {
    return this.isRefreshing ? [] : this.selected.map(id => ({ id }));
  }
  toggle(): void {
    const { focused, selected } = this;
    if (focused === undefined) return;
    this.selected = selected.includes(focused) ? selected.filter(id => id !== focused) : [...selected, focused];
    this.#changed.fire({ selection: this.selection });
  }
}

describe("the rows of a tree view", () => {
  const { executeCommand } = vscode.commands;
  let view: View;
  let toggles: number;
  beforeEach(() => {
    view = new View();
    toggles = 0;
    const run = (id: string): Promise<void> => {
      assert.equal(id, "list.toggleSelection");
      toggles++;
      view.toggle();
      return Promise.resolve();
    };
    Object.assign(vscode.commands, { executeCommand: run });
  });
  afterEach(() => Object.assign(vscode.commands, { executeCommand }));

  const forKey = async (): Promise<readonly string[]> =>
    (await rowsForKey(view, ({ id }) => id, systemClock)).map(({ id }) => id);

  it("that a key is about are the focused one, or all selected ones if it is one of them", async () => {
    view.selected = ["a", "b"];
    view.focused = "c";
    assert.deepEqual(await forKey(), ["c"]);
    view.focused = "b";
    assert.deepEqual([...(await forKey())].sort(), ["a", "b"]);
    assert.deepEqual([...view.selected].sort(), ["a", "b"]);
    assert.equal(toggles, 4);
  });

  it("that a key is about are the selected ones if no row has the focus", async () => {
    view.selected = ["a"];
    assert.deepEqual(await forKey(), ["a"]);
  });

  it("that a key is about are found once VS Code has made the rows again", async () => {
    view.selected = ["a", "b"];
    view.focused = "b";
    view.isRefreshing = true;
    const found = forKey();
    systemClock.after(250, () => (view.isRefreshing = false));
    assert.deepEqual([...(await found)].sort(), ["a", "b"]);
    assert.deepEqual([...view.selected].sort(), ["a", "b"]);
  });

  it("that a key is about are none if the focus moves before they are known", async () => {
    view.selected = ["a"];
    view.focused = "b";
    const toggle = view.toggle.bind(view);
    view.toggle = () => {
      toggle();
      view.focused = "c";
    };
    assert.deepEqual(await forKey(), []);
  });

  it("that was clicked is found once VS Code has made the rows again", async () => {
    view.selected = ["a"];
    view.isRefreshing = true;
    const found = clickedRow(view, systemClock);
    systemClock.after(250, () => (view.isRefreshing = false));
    assert.equal((await found)?.id, "a");
  });
});
