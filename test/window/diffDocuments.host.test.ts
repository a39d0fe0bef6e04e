// The diff of a tool call in the editor: within its file, with the numbers of the file's lines, or without numbers if
// nobody knows its place.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { DiffDocuments } from "../../src/window/code/diffDocuments.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { NodeDocuments } from "../support/fakes/nodeDocuments.ts";
import { until } from "../support/fakes/until.ts";

const lines = (thirtyFirst: string): string =>
  Array.from({ length: 40 }, (_, i) => `${i === 30 ? thirtyFirst : `line ${i + 1}`}\n`).join("");

describe("the diff of a tool call in the editor", () => {
  // The extension under test has registered its own scheme.
  const scheme = "parley-diff-test";
  let diffs: DiffDocuments;
  let folder: string;
  let root: string;
  before(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    root = await realpath(workspace);
    folder = await mkdtemp(join(root, "diff-"));
    diffs = new DiffDocuments(new NodeDocuments(), nullLog, scheme);
  });
  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));
  after(async () => {
    diffs.dispose();
    await rm(folder, { recursive: true });
  });

  /** A session with a tool call that changes these lines, which begin at `line` of the file. */
  function stateWith(oldText: string, newText: string, line?: number): SessionState {
    const diff = { type: "diff", path: join(folder, "long.txt"), oldText, newText } as const;
    const events: readonly SessionEvent[] = [
      { type: "opened", agent: "a", agentName: "A", cwd: root },
      { type: "tool", toolCallId: "one", patch: { title: "Edit", status: "completed", content: [diff] } },
      ...(line === undefined ? [] : [{ type: "diffLines", toolCallId: "one", lines: [{ item: 0, line }] } as const]),
    ];
    return logged(events).reduce(reduce, emptySession);
  }

  /** Opens the diff. Returns the texts of its sides and whether their lines have numbers. */
  async function open(state: SessionState): Promise<readonly (readonly [string, boolean])[]> {
    const entry = state.entries.at(0)?.id;
    assert.ok(entry, "there is a tool call");
    await diffs.open(state, entry, 0);
    const shown = (): readonly vscode.TextEditor[] =>
      vscode.window.visibleTextEditors.filter(({ document }) => document.uri.scheme === scheme);
    await until(() => shown().length === 2);
    const { input, label } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    assert.equal(label, "long.txt (agent's change)");
    assert.ok(input instanceof vscode.TabInputTextDiff);
    return [input.original, input.modified].map(uri => {
      const editor = shown().find(({ document }) => document.uri.toString() === uri.toString());
      assert.ok(editor);
      return [editor.document.getText(), editor.options.lineNumbers !== vscode.TextEditorLineNumbersStyle.Off];
    });
  }

  it("shows changed lines within their file, before and after the change", async () => {
    const texts = [
      [lines("line 31"), true],
      [lines("line thirty-one"), true],
    ] as const;
    for (const [now] of texts) {
      await writeFile(join(folder, "long.txt"), now);
      assert.deepEqual(await open(stateWith("line 31", "line thirty-one", 31)), texts);
    }
  });

  it("shows only the changed lines, without numbers, if their place is unknown or the file has changed since", async () => {
    await writeFile(join(folder, "long.txt"), lines("line 31"));
    const alone = [
      ["line", false],
      ["line ", false],
    ];
    assert.deepEqual(await open(stateWith("line", "line ")), alone);
    await writeFile(join(folder, "long.txt"), "another text\n");
    assert.deepEqual(await open(stateWith("line 31", "line thirty-one", 31)), [
      ["line 31", false],
      ["line thirty-one", false],
    ]);
  });
});
