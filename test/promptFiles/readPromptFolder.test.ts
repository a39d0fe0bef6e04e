// Prompt files on disk: what is read, what is not, and why.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type { FoundPrompt, PromptFolder } from "../../src/promptFiles/foundPrompt.ts";
import { PromptFiles, type PromptFilePlace } from "../../src/promptFiles/promptFiles.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";
import { maxPromptFiles, maxPromptFileSize, readPromptFolder } from "../../src/promptFiles/readPromptFolder.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-prompt-files-")));
after(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
/** A workspace folder with these files. */
function workspace(files: Readonly<Record<string, string>> = {}): PromptFolder {
  const folder = join(root, `folder-${++count}`);
  const path = join(folder, ".github", "prompts");
  mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { source: "workspace", path, root: folder, origin: "workspace", label: "Workspace" };
}

const read = (folder: PromptFolder): Promise<readonly FoundPrompt[]> => readPromptFolder(folder, path => path);
/** Each prompt by its name, with its text or its problem. */
const rows = (found: readonly FoundPrompt[]): Readonly<Record<string, string>> =>
  Object.fromEntries(found.map(one => ("file" in one ? [one.file.name, one.file.body] : [one.name, one.problem])));

describe("a folder of prompt files", () => {
  it("has the prompts of its files, sorted, and no other files", async () => {
    const folder = workspace({ "b.prompt.md": "B", "a.prompt.md": "A", "notes.md": "N", "c.prompt.md": "" });
    mkdirSync(join(folder.path, "d.prompt.md"));
    assert.deepEqual(Object.entries(rows(await read(folder))), [
      ["a", "A"],
      ["b", "B"],
      ["c", "The file has no text for the agent."],
      ["d", "The file could not be read: it is not a file."],
    ]);
  });

  it("need not exist in a workspace, but the user has named theirs", async () => {
    const missing = { ...workspace(), path: join(root, "missing"), root: join(root, "missing") };
    assert.deepEqual(await read(missing), []);
    assert.deepEqual(rows(await read({ ...missing, source: "user", origin: "user" })), {
      user: "There is no such folder.",
    });
    const relative = { ...missing, source: "user" as const, origin: "user", path: "prompts", root: "prompts" };
    assert.deepEqual(rows(await read(relative)), {
      user: "The setting needs a full path, or one that begins with “~/”.",
    });
  });

  it("never gives what links lead to outside of the folder, and of other files only Markdown", async () => {
    const folder = workspace({ "own.prompt.md": "Own" });
    const outside = join(root, "outside.md");
    writeFileSync(outside, "Outside");
    writeFileSync(join(folder.root, ".env"), "KEY=1");
    writeFileSync(join(folder.root, "inside.md"), "Inside");
    symlinkSync(outside, join(folder.path, "outside.prompt.md"));
    symlinkSync(join(folder.root, ".env"), join(folder.path, "secret.prompt.md"));
    symlinkSync(join(folder.root, "inside.md"), join(folder.path, "inside.prompt.md"));
    symlinkSync(join(folder.root, "gone.md"), join(folder.path, "gone.prompt.md"));
    symlinkSync("loop.prompt.md", join(folder.path, "loop.prompt.md"));
    const found = rows(await read(folder));
    assert.match(found["loop"] ?? "", /^The file could not be read: /);
    assert.deepEqual(
      { ...found, loop: "" },
      {
        gone: "The file does not exist any more.",
        inside: "Inside",
        loop: "",
        outside: "The file is a link that leads outside of the folder.",
        own: "Own",
        secret: "The file is a link to a file that is not Markdown.",
      },
    );
  });

  it("is not read if it is a link that leads outside of the workspace folder", async () => {
    const other = workspace({ "a.prompt.md": "A" });
    const folder = { ...workspace(), path: join(root, "linked", ".github", "prompts"), root: join(root, "linked") };
    mkdirSync(folder.root);
    symlinkSync(join(other.root, ".github"), join(folder.root, ".github"));
    assert.deepEqual(rows(await read(folder)), {
      workspace: "The folder is a link that leads outside of the workspace folder.",
    });
  });

  it("has limits on the size and on the number of files, and says so", async () => {
    const folder = workspace({
      "a-large.prompt.md": "x".repeat(maxPromptFileSize + 1),
      "a-largest.prompt.md": "x".repeat(maxPromptFileSize),
    });
    writeFileSync(join(folder.path, "a-bytes.prompt.md"), Buffer.from([0x61, 0xff, 0xfe]));
    for (let n = 0; n < maxPromptFiles; n++) writeFileSync(join(folder.path, `p${n}.prompt.md`), "P");
    const found = await read(folder);
    assert.equal(found.length, maxPromptFiles + 1);
    const named = rows(found);
    assert.equal(named["a-large"], "The file could not be read: it has more than 0.1 MB.");
    assert.equal(named["a-largest"]?.length, maxPromptFileSize);
    assert.equal(named["a-bytes"], "The file is not UTF-8 text.");
    assert.equal(named["workspace"], "Only the first 200 prompt files of a folder are read.");
  });

  it("says why a file cannot be read", async function () {
    // Root may read every file.
    if (process.getuid?.() === 0 || process.platform === "win32") return this.skip();
    const folder = workspace({ "a.prompt.md": "A" });
    chmodSync(join(folder.path, "a.prompt.md"), 0);
    assert.match(rows(await read(folder))["a"] ?? "", /^The file could not be read: EACCES/);
  });
});

describe("the prompt files of a window", () => {
  /** Folders that a test can change. */
  function place(
    folders: () => readonly PromptFolder[],
  ): PromptFilePlace & { change(what: "folders" | "files"): void } {
    const changed = new Emitter<"folders" | "files">();
    return {
      onDidChange: changed.event,
      folders,
      labelOf: path => path,
      values: () => Promise.reject(new Error("No prompt is used.")),
      show: () => Promise.resolve(),
      change: what => changed.fire(what),
    };
  }

  it("are read when they are first asked for, and the list is the same until a file changes", async () => {
    const folder = workspace({ "a.prompt.md": "A" });
    const files = new PromptFiles(
      place(() => [folder]),
      nullLog,
    );
    let changes = 0;
    files.onDidChange(() => changes++);
    assert.deepEqual(files.list("/w"), []);
    await files.refresh();
    const list = files.list("/w");
    assert.deepEqual(rows(list), { a: "A" });
    assert.equal(changes, 1);
    await files.refresh();
    assert.equal(files.list("/w"), list);
    assert.equal(changes, 1);
    writeFileSync(join(folder.path, "a.prompt.md"), "B");
    await files.refresh();
    assert.deepEqual(rows(files.list("/w")), { a: "B" });
    assert.equal(changes, 2);
  });

  it("are those of other folders as soon as the folders change, and never those of an earlier reading", async () => {
    const [one, two] = [workspace({ "a.prompt.md": "A" }), workspace({ "b.prompt.md": "B" })];
    let folders = [one];
    const source = place(() => folders);
    const files = new PromptFiles(source, nullLog);
    files.list(undefined);
    const reading = files.refresh();
    folders = [];
    source.change("folders");
    assert.deepEqual(files.list(undefined), []);
    await reading;
    assert.deepEqual(files.list(undefined), []);
    folders = [two];
    source.change("folders");
    files.list(undefined);
    await files.refresh();
    assert.deepEqual(rows(files.list(undefined)), { b: "B" });
  });

  it("change with their files, without being asked for", async () => {
    const folder = workspace({ "a.prompt.md": "A" });
    const source = place(() => [folder]);
    const files = new PromptFiles(source, nullLog);
    files.list(undefined);
    await files.refresh();
    writeFileSync(join(folder.path, "b.prompt.md"), "B");
    const changed = new Promise<void>(resolve => files.onDidChange(resolve));
    source.change("files");
    await changed;
    assert.deepEqual(rows(files.list(undefined)), { a: "A", b: "B" });
  });

  it("of a folder that does not answer are named, and appear once it does, without holding up other folders", async () => {
    const [slow, quick] = [workspace({ "slow.prompt.md": "S" }), workspace({ "quick.prompt.md": "Q" })];
    const gates: (() => void)[] = [];
    const clock = new FakeClock();
    const files = new PromptFiles(
      place(() => [slow, quick]),
      nullLog,
      {
        clock,
        read: async (folder, labelOf) => {
          if (folder === slow) await new Promise<void>(resolve => gates.push(resolve));
          return readPromptFolder(folder, labelOf);
        },
      },
    );
    files.list(undefined);
    const reading = files.refresh();
    await until(() => rows(files.list(undefined))["quick"] === "Q");
    clock.advance(10_000);
    await reading;
    const problem = Object.values(rows(files.list(undefined))).find(row => row !== "Q");
    assert.equal(problem, "The folder was not read within 10 s.");
    await files.refresh();
    assert.equal(gates.length, 1);
    for (const open of gates) open();
    await until(() => rows(files.list(undefined))["slow"] === "S");
    await until(() => gates.length === 2);
  });

  it("of a folder that does not answer are not read again each time the folders change", async () => {
    const slow = workspace({ "slow.prompt.md": "S" });
    let folders = [slow];
    const source = place(() => folders);
    const gates: (() => void)[] = [];
    const readings: PromptFolder[] = [];
    const clock = new FakeClock();
    const files = new PromptFiles(source, nullLog, {
      clock,
      read: async (folder, labelOf) => {
        readings.push(folder);
        if (folder === slow) await new Promise<void>(resolve => gates.push(resolve));
        return readPromptFolder(folder, labelOf);
      },
    });
    files.list(undefined);
    await until(() => gates.length === 1);
    clock.advance(10_000);
    await files.refresh();
    const renamed = { ...slow, origin: "renamed" };
    folders = [renamed];
    source.change("folders");
    files.list(undefined);
    await files.refresh();
    assert.deepEqual(rows(files.list(undefined)), { renamed: "The folder was not read within 10 s." });
    assert.deepEqual(readings, [slow]);
    for (const open of gates) open();
    await until(() => rows(files.list(undefined))["slow"] === "S");
    assert.deepEqual(readings, [slow, renamed]);
    assert.equal(files.list(undefined)[0]?.folder, renamed);
  });
});
