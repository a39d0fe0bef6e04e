// Brings changes of a worktree back into its main checkout, in real repositories. The steps are written to disk as the review
// writes those of files that are not open.
import assert from "node:assert/strict";
import { chmod, lstat, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readFileState, type FileState } from "../../src/files/fileState.ts";
import {
  basesOfKept,
  isOpen,
  listBringBack,
  stepsOf,
  withBases,
  type BringBackEntry,
} from "../../src/worktrees/bringBack.ts";
import type { WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";
import { applyToDisk, mergedTexts } from "../support/fakes/broughtBack.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";

const lines = (count: number, change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, i) => change[i + 1] ?? `${i + 1}\n`).join("");

describe("changes of a worktree that are brought back", () => {
  let real: RealRepository;
  let record: WorktreeRecord;
  /** Unsaved texts by path. */
  const unsaved = new Map<string, string>();
  beforeEach(async () => {
    unsaved.clear();
    real = await RealRepository.create({
      "a.txt": lines(9),
      "b.txt": "b\n",
      "sub/c.txt": lines(9),
      "d.txt": "d1\nd2\nd3\n",
      ".gitignore": "*.log\n",
    });
    ({ record } = await real.makeWorktree({ branch: "one" }));
  });
  afterEach(() => real.remove());

  const texts = mergedTexts(unsaved);
  const options = (): Parameters<typeof listBringBack>[1] => ({ git: real.git, records: real.records, texts });
  const here = (path: string): string => join(real.app, path);
  const there = (path: string): string => join(record.path, path);
  const textHere = (path: string): Promise<string> => readFile(here(path), "utf8");
  const write = (files: Readonly<Record<string, string>>): Promise<void> => real.write(files, record.path);
  const isMissing = async (path: string): Promise<boolean> => (await readFileState(here(path)))?.kind === "missing";

  const list = async (): Promise<readonly BringBackEntry[]> =>
    (await listBringBack(record, options())).entries.filter(isOpen);
  /** What the user sees of the entries. */
  const listed = async (): Promise<readonly string[]> =>
    (await list()).map(({ path, from, kind, plan }) => {
      const moved = from === undefined ? "" : `${from} → `;
      const conflict = plan.conflict ?? (plan.places.length > 0 ? `${plan.places.length} places` : "");
      return `${moved}${path}: ${kind} +${plan.added} −${plan.removed} ${conflict}`.trimEnd();
    });

  const apply = async (entry: BringBackEntry, isChosen?: (hunk: number) => boolean): Promise<void> =>
    void (await applyToDisk(entry, { real, record, unsaved, isChosen }));
  const bringBack = async (): Promise<void> => {
    for (const entry of await list()) await apply(entry);
  };
  const state = async (path: string): Promise<FileState | undefined> => readFileState(path);

  it("come from commits and from files that are not committed or not tracked, but not from ignored ones", async () => {
    await write({ "a.txt": lines(9, { 2: "two\n" }) });
    real.commit(record.path);
    await write({ "b.txt": "changed\n", "sub/new/x.txt": "x\ny\n", "out.log": "ignored\n" });
    await rm(there("sub/c.txt"));
    const index = await readFile(join(real.app, ".git/index"));
    assert.deepEqual(await listed(), [
      "a.txt: changed +1 −1",
      "b.txt: changed +1 −1",
      "sub/c.txt: deleted +0 −9",
      "sub/new/x.txt: new +2 −0",
    ]);
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "two\n" }));
    assert.equal(await textHere("b.txt"), "changed\n");
    assert.equal(await textHere("sub/new/x.txt"), "x\ny\n");
    assert.ok(await isMissing("sub/c.txt"));
    assert.ok(await isMissing("out.log"));
    assert.deepEqual(await readFile(join(real.app, ".git/index")), index, "nothing is written to the index");
    assert.deepEqual(await listed(), []);
  });

  it("are merged with local edits elsewhere in the file, also with unsaved text", async () => {
    await real.write({ "a.txt": lines(9, { 8: "local\n" }) });
    await write({ "a.txt": lines(9, { 2: "two\n" }), "b.txt": "theirs\n" });
    unsaved.set(here("b.txt"), "b\nunsaved\n");
    unsaved.set(here("sub/c.txt"), lines(9, { 1: "typed\n" }));
    await write({ "sub/c.txt": lines(9, { 9: "nine\n" }) });
    assert.deepEqual(await listed(), [
      "a.txt: changed +1 −1",
      "b.txt: changed +0 −0 1 places",
      "sub/c.txt: changed +1 −1",
    ]);
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "two\n", 8: "local\n" }));
    assert.equal(unsaved.get(here("sub/c.txt")), lines(9, { 1: "typed\n", 9: "nine\n" }));
    assert.equal(await textHere("sub/c.txt"), lines(9), "the disk stays");
    assert.equal(unsaved.get(here("b.txt")), "b\nunsaved\n");
  });

  it("are not listed if the local file has them already", async () => {
    await write({ "a.txt": lines(9, { 2: "two\n" }), "new.txt": "same\n" });
    await real.write({ "a.txt": lines(9, { 2: "two\n" }), "new.txt": "same\n" });
    await rm(there("b.txt"));
    await rm(here("b.txt"));
    assert.deepEqual(await listed(), []);
    // With a local change elsewhere, the same change is still the same.
    await real.write({ "a.txt": lines(9, { 2: "two\n", 7: "local\n" }) });
    assert.deepEqual(await listed(), []);
  });

  it("leave the local lines where both changed them, without markers, and stay listed", async () => {
    await real.write({ "a.txt": lines(9, { 2: "mine\n" }) });
    await write({ "a.txt": lines(9, { 2: "theirs\n", 6: "six\n" }) });
    assert.deepEqual(await listed(), ["a.txt: changed +1 −1 1 places"]);
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "mine\n", 6: "six\n" }));
    assert.deepEqual(await listed(), ["a.txt: changed +0 −0 1 places"]);
    await real.write({ "a.txt": lines(9, { 2: "theirs\n", 6: "six\n" }) });
    assert.deepEqual(await listed(), [], "the user solved it");
  });

  it("keep the line endings of the local file", async () => {
    await real.write({ "a.txt": lines(9, { 8: "local\n" }).replaceAll("\n", "\r\n") });
    await write({ "a.txt": lines(9, { 2: "two\n" }) });
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "two\n", 8: "local\n" }).replaceAll("\n", "\r\n"));
    assert.deepEqual(await listed(), []);
  });

  it("bring other line endings only to a file that is unchanged", async () => {
    const crlf = lines(9).replaceAll("\n", "\r\n");
    await write({ "a.txt": crlf, "sub/c.txt": crlf });
    await real.write({ "sub/c.txt": lines(9, { 1: "local\n" }) });
    assert.deepEqual(await listed(), ["a.txt: mode +0 −0", "sub/c.txt: mode +0 −0 changedTwice"]);
    await bringBack();
    assert.equal(await textHere("a.txt"), crlf);
    assert.equal(await textHere("sub/c.txt"), lines(9, { 1: "local\n" }));
  });

  it("keep a file that was created on both sides", async () => {
    await write({ "new.txt": "theirs\n", bin: "\0theirs" });
    await real.write({ "new.txt": "mine\n", bin: "\0mine" });
    assert.deepEqual(await listed(), ["bin: binary +0 −0 createdTwice", "new.txt: new +0 −0 1 places"]);
    await bringBack();
    assert.equal(await textHere("new.txt"), "mine\n");
    assert.equal(await textHere("bin"), "\0mine");
  });

  it("leave a file that one side deleted and the other changed", async () => {
    await rm(here("a.txt"));
    await write({ "a.txt": lines(9, { 2: "two\n" }) });
    await rm(there("b.txt"));
    await real.write({ "b.txt": "mine\n" });
    await rm(there("sub/c.txt"));
    unsaved.set(here("sub/c.txt"), "typed\n");
    assert.deepEqual(await listed(), [
      "a.txt: changed +0 −0 deletedHere",
      "b.txt: deleted +0 −0 deletedThere",
      "sub/c.txt: deleted +0 −0 unsaved",
    ]);
    await bringBack();
    assert.ok(await isMissing("a.txt"));
    assert.equal(await textHere("b.txt"), "mine\n");
    assert.equal(await textHere("sub/c.txt"), lines(9));
    assert.equal((await list()).length, 3, "the conflicts stay listed");
  });

  it("move files, with local edits, and leave a file that stands at the new path", async () => {
    await real.write({ "a.txt": lines(9, { 8: "local\n" }) });
    await rename(there("a.txt"), there("sub/moved.txt"));
    await write({ "sub/moved.txt": lines(9, { 2: "two\n" }) });
    await real.write({ "taken.txt": "mine\n" });
    await rename(there("d.txt"), there("taken.txt"));
    assert.deepEqual(await listed(), ["a.txt → sub/moved.txt: moved +1 −1", "d.txt → taken.txt: moved +0 −0 taken"]);
    await bringBack();
    assert.ok(await isMissing("a.txt"));
    assert.equal(await textHere("sub/moved.txt"), lines(9, { 2: "two\n", 8: "local\n" }));
    assert.equal(await textHere("taken.txt"), "mine\n");
    assert.equal(await textHere("d.txt"), "d1\nd2\nd3\n");
    // Further edits of the moved file.
    await write({ "sub/moved.txt": lines(9, { 2: "two\n", 5: "five\n" }) });
    assert.deepEqual(await listed(), ["sub/moved.txt: changed +1 −1", "d.txt → taken.txt: moved +0 −0 taken"]);
    await bringBack();
    assert.equal(await textHere("sub/moved.txt"), lines(9, { 2: "two\n", 5: "five\n", 8: "local\n" }));
  });

  it("have binary files, links and modes", async () => {
    await real.write({ "x.bin": "\0one", "y.bin": "\0one" });
    real.commit();
    ({ record } = await real.makeWorktree({ branch: "two" }));
    await write({ "x.bin": "\0two", "y.bin": "\0two", "n.bin": "\0new" });
    await real.write({ "y.bin": "\0mine", "a.txt": lines(9, { 1: "local\n" }) });
    await symlink("a.txt", there("link"));
    await rm(there("b.txt"));
    await symlink("a.txt", there("b.txt"));
    await chmod(there("a.txt"), 0o755);
    await chmod(there("sub/c.txt"), 0o755);
    await write({ "sub/c.txt": lines(9, { 3: "three\n" }) });
    await real.write({ "sub/c.txt": lines(9, { 7: "local\n" }) });
    assert.deepEqual(await listed(), [
      "a.txt: mode +0 −0",
      "b.txt: link +0 −0",
      "link: link +0 −0",
      "n.bin: binary +0 −0",
      "sub/c.txt: changed +1 −1",
      "x.bin: binary +0 −0",
      "y.bin: binary +0 −0 changedTwice",
    ]);
    await bringBack();
    assert.deepEqual(await state(here("x.bin")), await state(there("x.bin")));
    assert.equal(await textHere("y.bin"), "\0mine");
    assert.equal(await textHere("n.bin"), "\0new");
    assert.equal(await readlink(here("link")), "a.txt");
    assert.equal(await readlink(here("b.txt")), "a.txt");
    assert.equal(await textHere("a.txt"), lines(9, { 1: "local\n" }));
    assert.equal(await textHere("sub/c.txt"), lines(9, { 3: "three\n", 7: "local\n" }));
    for (const path of ["a.txt", "sub/c.txt"]) assert.equal((await lstat(here(path))).mode & 0o111, 0o111, path);
    assert.deepEqual(await listed(), ["y.bin: binary +0 −0 changedTwice"]);
  });

  it("become the base of the file, so that a second time brings only what is new", async () => {
    await write({ "a.txt": lines(9, { 2: "two\n" }), "new.txt": "n\n", "x.bin": "\0one" });
    await rm(there("b.txt"));
    await bringBack();
    // The user changes what came back, and the agent goes on.
    await real.write({ "a.txt": lines(9, { 2: "reviewed\n" }) });
    await write({ "a.txt": lines(9, { 2: "two\n", 7: "seven\n" }), "x.bin": "\0two", "b.txt": "again\n" });
    assert.deepEqual(await listed(), ["a.txt: changed +1 −1", "b.txt: new +1 −0", "x.bin: binary +0 −0"]);
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "reviewed\n", 7: "seven\n" }));
    assert.equal(await textHere("b.txt"), "again\n");
    // A commit of the agent changes nothing.
    real.commit(record.path);
    assert.deepEqual(await listed(), []);
    // What the agent takes back is taken back here, too.
    await write({ "a.txt": lines(9, { 2: "two\n" }) });
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "reviewed\n" }));
    await rm(there("new.txt"));
    assert.deepEqual(await listed(), ["new.txt: deleted +0 −1"]);
  });

  it("are found in a file of the same size that changed in the same moment as the index", async () => {
    for (let round = 0; round < 10; round++) {
      await write({ "b.txt": "x\n" });
      real.run(record.path, "checkout", "-q", "--", "b.txt");
      await write({ "b.txt": "c\n" });
      assert.deepEqual(await listed(), ["b.txt: changed +1 −1"]);
    }
  });

  it("come hunk by hunk, and the others later", async () => {
    await write({ "a.txt": lines(9, { 2: "two\n", 8: "eight\n" }) });
    const [entry] = await list();
    assert.ok(entry);
    await apply(entry, hunk => hunk === 1);
    assert.equal(await textHere("a.txt"), lines(9, { 8: "eight\n" }));
    assert.deepEqual(await listed(), ["a.txt: changed +1 −1"]);
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "two\n", 8: "eight\n" }));
    assert.deepEqual(await listed(), []);
  });

  it("keep a last line without a line ending", async () => {
    await write({ "a.txt": lines(9).slice(0, -1), "b.txt": "b\nend", "new.txt": "no end" });
    await real.write({ "a.txt": lines(9, { 1: "local\n" }) });
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 1: "local\n" }).slice(0, -1));
    assert.equal(await textHere("b.txt"), "b\nend");
    assert.equal(await textHere("new.txt"), "no end");
  });

  it("begin with the uncommitted files that were copied", async () => {
    await real.write({ "a.txt": lines(9, { 2: "uncommitted\n" }), "mine.txt": "m\n" });
    await rm(here("b.txt"));
    ({ record } = await real.makeWorktree({ branch: "two", takesUncommitted: true }));
    assert.deepEqual(await listed(), []);
    await write({ "a.txt": lines(9, { 2: "uncommitted\n", 3: "three\n" }), "mine.txt": "theirs\n" });
    assert.deepEqual(await listed(), ["a.txt: changed +1 −1", "mine.txt: changed +1 −1"]);
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "uncommitted\n", 3: "three\n" }));
    assert.ok(await isMissing("b.txt"));
  });

  it("leave out later commits of the main checkout that its branch got", async () => {
    await write({ "a.txt": lines(9, { 2: "two\n" }) });
    real.commit(record.path);
    await bringBack();
    await real.write({ "a.txt": lines(9, { 2: "two\n", 8: "main\n" }), "b.txt": "main\n" });
    real.commit();
    real.run(record.path, "merge", "-q", "--no-edit", "main");
    assert.deepEqual(await listed(), []);
    await write({ "a.txt": lines(9, { 2: "two\n", 5: "five\n", 8: "main\n" }) });
    assert.deepEqual(await listed(), ["a.txt: changed +1 −1"]);
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "two\n", 5: "five\n", 8: "main\n" }));
  });

  /** The user keeps the local version of everything that conflicts. */
  const keepMine = async (): Promise<void> => {
    const { entries, bases } = await listBringBack(record, options());
    const kept = new Map(entries.flatMap(entry => [...basesOfKept(entry)]));
    await real.records.bases.write(record.path, withBases(bases, kept));
  };

  it("are not offered again where the user keeps the local lines, while the other hunks are", async () => {
    await real.write({ "a.txt": lines(9, { 2: "mine\n" }) });
    await write({ "a.txt": lines(9, { 2: "theirs\n", 6: "six\n" }), "b.txt": "theirs\n" });
    assert.deepEqual(await listed(), ["a.txt: changed +1 −1 1 places", "b.txt: changed +1 −1"]);
    await keepMine();
    assert.deepEqual(await listed(), ["a.txt: changed +1 −1", "b.txt: changed +1 −1"]);
    await bringBack();
    assert.equal(await textHere("a.txt"), lines(9, { 2: "mine\n", 6: "six\n" }));
    assert.deepEqual(await listed(), []);
    // A later change of the worktree there is offered.
    await write({ "a.txt": lines(9, { 2: "other\n", 6: "six\n" }) });
    assert.deepEqual(await listed(), ["a.txt: changed +0 −0 1 places"]);
  });

  it("are not offered again if the user keeps a whole file that conflicts", async () => {
    await rm(here("a.txt"));
    await write({ "a.txt": lines(9, { 2: "two\n" }), bin: "\0theirs", "new.txt": "theirs\n" });
    await rm(there("b.txt"));
    await real.write({ "b.txt": "mine\n", bin: "\0mine", "new.txt": "mine\n", "taken.txt": "mine\n" });
    await rename(there("d.txt"), there("taken.txt"));
    assert.equal((await list()).length, 5);
    await keepMine();
    assert.deepEqual(await listed(), []);
    await bringBack();
    assert.ok(await isMissing("a.txt"));
    assert.equal(await textHere("b.txt"), "mine\n");
    assert.equal(await textHere("d.txt"), "d1\nd2\nd3\n");
    assert.equal(await textHere("taken.txt"), "mine\n");
    await write({ "a.txt": lines(9, { 2: "again\n" }) });
    assert.deepEqual(await listed(), ["a.txt: changed +0 −0 deletedHere"]);
  });

  it("leave submodules and other repositories in the worktree", async () => {
    real.run(record.path, "init", "-q", "nested");
    await write({ "nested/x": "1\n" });
    real.run(record.path, "submodule", "add", "-q", real.app, "module");
    const { entries, left } = await listBringBack(record, options());
    assert.deepEqual(left, ["module", "nested"]);
    assert.deepEqual(
      entries.map(({ path }) => path),
      [".gitmodules"],
    );
  });

  it("are found in paths with special characters", async () => {
    await write({ "with space/ü*[x].txt": "1\n", ":(top)y": "2\n", 'quote"s': "3\n" });
    await bringBack();
    assert.equal(await textHere("with space/ü*[x].txt"), "1\n");
    assert.equal(await textHere(":(top)y"), "2\n");
    assert.equal(await textHere('quote"s'), "3\n");
  });

  it("are not read if the agent has made the folder part of another repository, whose programs git would run", async () => {
    const other = join(real.base, "other");
    await real.write({ "x.txt": "x\n" }, other);
    real.run(other, "init", "-q");
    real.run(other, "config", "filter.f.clean", `touch '${join(real.base, "ran")}'; cat`);
    await write({ ".gitattributes": "* filter=f\n", "a.txt": "changed\n" });
    await writeFile(there(".git"), `gitdir: ${join(other, ".git")}\n`);
    await assert.rejects(list(), /is no longer a worktree of/);
    assert.ok((await readFileState(join(real.base, "ran")))?.kind === "missing");
  });

  it("are not brought back through a link in the main checkout", async () => {
    const outside = join(real.base, "outside");
    await real.write({ "secret.txt": "s\n" }, outside);
    await rm(here("sub"), { recursive: true });
    await symlink(outside, here("sub"));
    await write({ "sub/c.txt": lines(9, { 1: "x\n" }) });
    assert.deepEqual(await listed(), ["sub/c.txt: changed +0 −0 deletedHere"]);
    await writeFile(there("sub/secret.txt"), "theirs\n");
    const [, entry] = await list();
    // The review refuses the step, because its folder is outside.
    assert.deepEqual((await stepsOf(record, entry as BringBackEntry, texts)).steps[0]?.before, null);
  });
});
