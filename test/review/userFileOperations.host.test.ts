// What the user moves and deletes in the editor counts as the user's until it is taken in.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { PathMap } from "../../src/files/pathMap.ts";
import { noFacts } from "../../src/history/facts.ts";
import { UserFileOperations, type UserFileOperationsOptions } from "../../src/review/vscode/userFileOperations.ts";
import { until } from "../support/fakes/until.ts";

describe("what the user does with files in the editor", () => {
  let folder = "";
  let operations: UserFileOperations;
  /** The work that waits behind other work on the same file. */
  let waiting: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(root);
    folder = await mkdtemp(join(await realpath(root), "operations-"));
    waiting = [];
    type Located = { readonly path: string; readonly inside: boolean };
    const located = (path: string): Located => ({ path, inside: true });
    const work = {
      enqueue: (path: string, begin: (located: Located) => Promise<void>) => {
        waiting.push(() => begin(located(path)));
        return Promise.resolve();
      },
      enqueueMove: (from: string, to: string, begin: (from: Located, to: Located) => Promise<void>) => {
        waiting.push(() => begin(located(from), located(to)));
        return Promise.resolve();
      },
      isFollowed: () => true,
    } as unknown as UserFileOperationsOptions["work"];
    const review = {
      tracked: new PathMap(),
      replacedFiles: { atOrBelow: () => [] },
    } as unknown as UserFileOperationsOptions["review"];
    operations = new UserFileOperations({ review, texts: { last: new Map() }, work, facts: noFacts });
  });
  afterEach(async () => {
    operations.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [what, change] of [
    ["a deletion", (edit: vscode.WorkspaceEdit, uri: vscode.Uri) => edit.deleteFile(uri)],
    [
      "a move",
      (edit: vscode.WorkspaceEdit, uri: vscode.Uri) => edit.renameFile(uri, uri.with({ path: `${uri.path}2` })),
    ],
  ] as const)
    it(`counts ${what} as the user's while earlier work on the file runs`, async () => {
      const path = join(folder, "a.txt");
      await writeFile(path, "a\n");
      const edit = new vscode.WorkspaceEdit();
      change(edit, vscode.Uri.file(path));
      assert.ok(await vscode.workspace.applyEdit(edit));
      await until(() => waiting.length > 0);
      assert.ok(operations.moves.includes(path, Date.now()), "it waits");
      for (const begin of waiting) await begin();
      assert.ok(!operations.moves.includes(path, Date.now()), "it is taken in");
    });
});
