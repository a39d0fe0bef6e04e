// The list of what to bring back while the user keeps the local version of a conflict.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { BringBackEntry } from "../../src/worktrees/bringBack.ts";
import { planFile, type FileSides } from "../../src/worktrees/planFile.ts";
import { pickChanges, type PickedChanges } from "../../src/worktrees/vscode/pickChanges.ts";

type Item = vscode.QuickPickItem & { readonly entry: BringBackEntry };

describe("the list of what to bring back", () => {
  const { createQuickPick } = vscode.window;
  const conflict = (path: string): BringBackEntry => {
    const side = (text: string) =>
      ({ state: { kind: "file", bytes: Buffer.from(text), executable: false }, text }) as const;
    const sides: FileSides = { base: side("a\n"), local: { ...side("b\n"), isUnsaved: false }, theirs: side("c\n") };
    const plan = planFile(sides);
    assert.equal(plan?.places.length, 1);
    return { ...sides, path, kind: "changed", plan };
  };
  const entries = [conflict("a.txt"), conflict("b.txt")];

  /** The list as VS Code shows it. */
  class Pick {
    readonly accepted = new vscode.EventEmitter<void>();
    readonly hidden = new vscode.EventEmitter<void>();
    readonly pressed = new vscode.EventEmitter<vscode.QuickPickItemButtonEvent<Item>>();
    readonly onDidAccept = this.accepted.event;
    readonly onDidHide = this.hidden.event;
    readonly onDidTriggerItemButton = this.pressed.event;
    items: readonly Item[] = [];
    selectedItems: readonly Item[] = [];
    show(): void {}
    hide(): void {
      this.hidden.fire();
    }
    dispose(): void {}
  }
  let pick: Pick;
  /** Settles **Keep Mine**. */
  let settle: { readonly resolve: (rest: readonly BringBackEntry[]) => void; readonly reject: (error: Error) => void };
  beforeEach(() => Object.assign(vscode.window, { createQuickPick: () => (pick = new Pick()) }));
  afterEach(() => Object.assign(vscode.window, { createQuickPick }));

  /** Opens the list, and presses **Keep Mine** of its first file. */
  const keepFirst = (): Promise<PickedChanges | undefined> => {
    const keepMine = (): Promise<readonly BringBackEntry[]> =>
      new Promise((resolve, reject) => (settle = { resolve, reject }));
    const picked = pickChanges(entries, { title: "", placeHolder: "" }, { showSides: () => {}, keepMine });
    const [item] = pick.items;
    const button = item?.buttons?.find(({ tooltip }) => tooltip === "Keep Mine");
    assert.ok(item && button);
    pick.pressed.fire({ item, button });
    return picked;
  };
  const paths = (picked: PickedChanges | undefined): readonly string[] | undefined =>
    picked?.entries.map(({ path }) => path);

  it("brings back only what is left if the user presses Enter before that is done", async () => {
    const picked = keepFirst();
    pick.accepted.fire();
    await Promise.resolve();
    settle.resolve(entries.slice(1));
    assert.deepEqual(paths(await picked), ["b.txt"]);
  });

  it("brings back nothing if nothing is left", async () => {
    const picked = keepFirst();
    pick.accepted.fire();
    await Promise.resolve();
    settle.resolve([]);
    assert.deepEqual(paths(await picked), []);
  });

  it("reports a failure also after Enter or Escape", async () => {
    for (const key of ["accepted", "hidden"] as const) {
      const picked = keepFirst();
      pick[key].fire();
      await Promise.resolve();
      settle.reject(new Error("a.txt has changed"));
      await assert.rejects(picked, /a\.txt has changed/);
    }
  });
});
