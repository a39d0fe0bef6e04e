// Undo All names the files that it deletes, because the agent created them, before it does.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import { BaseDocuments } from "../../src/review/vscode/baseDocuments.ts";
import { ReviewActions } from "../../src/review/vscode/reviewActions.ts";
import { until } from "../support/fakes/until.ts";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

describe("the question before Undo All", () => {
  const folder = useReviewedFolder({ git: true });
  const { path, put, prepare, end, onDisk, review, watch } = folder;
  let questions: (readonly string[])[];
  let agrees: boolean;
  let bases: BaseDocuments;
  let actions: ReviewActions;
  beforeEach(async () => {
    [questions, agrees] = [[], false];
    bases = new BaseDocuments(review(), nullLog);
    const confirm = (question: string, _: string, detail: readonly string[]): Promise<boolean> => {
      questions.push([question, ...detail]);
      return Promise.resolve(agrees);
    };
    actions = new ReviewActions({ review: review(), bases, announce: () => {}, confirm });
    await put("old.txt", tenLines);
    await folder.noticed();
    await prepare();
  });
  afterEach(() => bases.dispose());

  const label = (name: string): string => vscode.workspace.asRelativePath(path(name));
  /** The agent writes the files, and its turn ends. */
  const wrote = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(files)) await put(name, text);
    end();
    await watch().settled();
    await until(() => review().files.length === Object.keys(files).length);
  };

  it("is not asked if no file is deleted, nor for a single file or a turn", async () => {
    await wrote({ "old.txt": lines(1), "new.txt": "new\n" });
    await actions.decide("undo", { kind: "file", path: path("old.txt") });
    assert.equal(await onDisk("old.txt"), tenLines);
    await actions.decide("undo", { kind: "turn", turn: "turn 1" });
    assert.equal(review().files.length, 0);
    await review().undoLast();
    await actions.decide("keep", { kind: "file", path: path("new.txt") });
    await review().undoLast();
    assert.deepEqual(questions, []);
  });

  it("names text and binary files that the agent created, and deletes them only if the user agrees", async () => {
    await wrote({ "old.txt": lines(1), "new.txt": "new\n", "data.bin": "\0\u0001" });
    await actions.decide("undo", { kind: "all" });
    const [question] = questions;
    assert.match(question?.[0] ?? "", /in 3 files\?/);
    assert.deepEqual(question?.slice(1), [
      "The agent created these files. They will be deleted:",
      label("data.bin"),
      label("new.txt"),
    ]);
    assert.equal(await onDisk("new.txt"), "new\n");
    agrees = true;
    await actions.decide("undo", { kind: "all" });
    assert.equal(review().files.length, 0);
    assert.equal(await onDisk("old.txt"), tenLines);
    await assert.rejects(onDisk("new.txt"));
    await assert.rejects(onDisk("data.bin"));
  });

  it("names ten of very many files", async () => {
    await wrote(Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`new-${at}.txt`, "new\n"])));
    await actions.decide("undo", { kind: "all" });
    const [question] = questions;
    assert.equal(question?.length, 13);
    assert.equal(question?.at(-1), "and 3 more");
  });
});
