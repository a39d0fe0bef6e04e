// The review in a workspace with several folders, of which only the first is a repository.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { promisify } from "node:util";
import { lines, tenLines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

const run = promisify(execFile);
const edited = lines(1, "two", 3, 4, 5, 6, 7, 8, 9, 10);

describe("the review of several workspace folders", () => {
  const { path, onDisk, put, open, type, hunks, prepare, noticed, end, review, watch, folder } = useReviewedFolder({
    git: true,
    roots: ["one", "two"],
  });
  const sh = (command: string): Promise<unknown> => run("sh", ["-c", command], { cwd: folder() });
  const rows = (): readonly string[] =>
    review().files.map(one => `${one.movedFrom ?? ""} → ${one.path}`.replaceAll(`${folder()}/`, ""));
  const ended = async (): Promise<void> => {
    end();
    await watch().settled();
  };
  const putAll = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) await put(name, `${name}\n${tenLines}`);
    await noticed();
  };

  it("lists what an agent deletes, creates and edits in each folder, and Undo All restores it", async () => {
    const names = ["one/pkg/a.txt", "one/pkg/in/b.txt", "two/pkg/a.txt", "two/pkg/in/b.txt"];
    await putAll(...names, "one/work.txt", "two/work.txt");
    await prepare();
    for (const root of ["one", "two"]) await put(`${root}/work.txt`, `${root}/work.txt\n${edited}`);
    await sh("rm -r one/pkg two/pkg && mkdir -p two/new/in && echo new > two/new/in/new.txt");
    await ended();
    const all = [...names, "one/work.txt", "two/new/in/new.txt", "two/work.txt"].sort();
    assert.deepEqual(
      rows(),
      all.map(name => ` → ${name}`),
    );
    await type("two/work.txt", 9, "mine ");
    assert.ok(await (await open("two/work.txt")).save());
    for (const root of ["one", "two"]) assert.deepEqual(hunks(`${root}/work.txt`), ["line 2 → line two"]);
    await review().undo({ kind: "all" });
    for (const name of [...names, "one/work.txt"]) assert.equal(await onDisk(name), `${name}\n${tenLines}`);
    assert.equal(await onDisk("two/work.txt"), `two/work.txt\n${tenLines.replace("line 9", "mine line 9")}`);
    await assert.rejects(access(path("two/new")));
    assert.deepEqual(rows(), []);
  });

  it("moves a file back that an agent moved from one folder to the other", async () => {
    await putAll("one/a.txt", "two/b.txt");
    await prepare();
    await sh("mv one/a.txt two/a.txt && mv two/b.txt one/b.txt");
    await ended();
    assert.deepEqual(rows(), ["two/b.txt → one/b.txt", "one/a.txt → two/a.txt"]);
    await review().undo({ kind: "all" });
    for (const name of ["one/a.txt", "two/b.txt"]) assert.equal(await onDisk(name), `${name}\n${tenLines}`);
    for (const name of ["one/b.txt", "two/a.txt"]) await assert.rejects(access(path(name)));
    assert.deepEqual(rows(), []);
  });
});
