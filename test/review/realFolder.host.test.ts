// Random commands of an agent and of a user in a real folder, in the real editor, with git and without: Undo All brings
// every file back byte for byte, apart from the user's own edits, and so does every checkpoint.
//   SEED=7 CASES=20 node scripts/test.mjs host --grep="random commands"
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { applyRestore, currentFiles } from "../../src/checkpoints/vscode/applyRestore.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { normalizeText } from "../../src/base/text.ts";
import { currentTextOf } from "../../src/editor/openDocuments.ts";
import { isSameState, readFileState, type FileState } from "../../src/files/fileState.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { randomNumbers, type RandomNumbers } from "../support/fakes/randomNumbers.ts";
import { until } from "../support/fakes/until.ts";
import { useReviewedFolder } from "../support/host/reviewedFolder.ts";

/** The same cases each time, unless a seed is given. */
const firstSeed = Number(process.env["SEED"] ?? 1);
const cases = Number(process.env["CASES"] ?? 3);
const turns = 3;
const run = promisify(execFile);

type Folder = ReturnType<typeof useReviewedFolder>;
/** The files of the folder, by name. */
type Files = ReadonlyMap<string, FileState>;

/** Files in this folder are the user's: the agent leaves them alone. */
const own = "user/";

/** How long VS Code may take to load what is on disk into an editor (ms). */
const maxReloadTime = 10_000;

for (const git of [true, false]) {
  describe(`random commands of an agent and a user in a folder ${git ? "with" : "without"} git`, () => {
    const folder = useReviewedFolder(git ? { git } : { checkpoints: true });
    for (let i = 0; i < cases; i++) {
      it(`are undone and restored byte for byte, case ${i + 1}`, async function () {
        const scenario = new Scenario(folder, randomNumbers(firstSeed + i));
        try {
          await scenario.play(git);
        } catch (error) {
          const steps = scenario.steps.join("\n");
          throw new Error(`SEED=${firstSeed + i} CASES=1\n${steps}\n${String(error)}`, { cause: error });
        }
      });
    }
  });
}

class Scenario {
  readonly steps: string[] = [];
  readonly #folder: Folder;
  readonly #random: RandomNumbers;
  readonly #documents = new EditorDocuments(nodePaths());
  /** What Undo All leads to. */
  #expected = new Map<string, FileState>();
  /** The files that the user edited, and that the agent moved, since each turn began. */
  readonly #edited = new Map<number, Set<string>>();
  readonly #starts = new Map<number, Files>();
  readonly #moved = new Set<string>();
  #count = 0;

  constructor(folder: Folder, random: RandomNumbers) {
    this.#folder = folder;
    this.#random = random;
  }

  async play(git: boolean): Promise<void> {
    const { folder } = this.#folder;
    await this.#createFiles();
    if (git && this.#random.below(2) === 0) {
      await run("git", ["add", "."], { cwd: folder() });
      await run("git", ["-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-qm", "x"], {
        cwd: folder(),
      });
      this.steps.push("commit");
    }
    await this.#folder.noticed();
    for (let turn = 1; turn <= turns; turn++) await this.#turn(turn);
    for (let turn = turns; turn >= 1; turn--) await this.#restore(turn);
  }

  async #turn(turn: number): Promise<void> {
    const { prepare, end, watch, reviews, review } = this.#folder;
    this.steps.push(`turn ${turn}`);
    const start = await this.#files();
    if (review().files.length === 0) this.#expected = new Map(start);
    this.#starts.set(turn, start);
    const edited = new Set<string>();
    this.#edited.set(turn, edited);
    this.#moved.clear();
    // By the clock of the file system, what was written just before may belong to the turn.
    const before = Date.now();
    await until(() => Date.now() > before + 30);
    await prepare(`turn ${turn}`);
    const count = 3 + this.#random.below(6);
    for (let i = 0; i < count; i++) {
      if (this.#random.below(3) === 0) await this.#userStep();
      else await this.#agentStep();
      if (this.#random.below(3) === 0) await this.#folder.noticed();
    }
    end();
    await watch().settled();
    await reviews().settled();
    await this.#list();
    switch (this.#random.below(3)) {
      case 0:
        this.steps.push("nothing is decided");
        return;
      case 1:
        this.steps.push("Keep All");
        await review().keep({ kind: "all" });
        return;
      default:
        await this.#undoAll(edited);
    }
  }

  /** Adds the files under review to the steps, and the documents that are older than the disk. */
  async #list(): Promise<void> {
    for (const { path, changes, unknown, movedFrom } of this.#folder.review().files) {
      const what = unknown ?? (changes.base === null ? "new" : changes.text === null ? "deleted" : "changed");
      this.steps.push(`    ${path}: ${what}${movedFrom === undefined ? "" : `, moved from ${movedFrom}`}`);
    }
    for (const document of vscode.workspace.textDocuments) {
      const { fsPath, scheme } = document.uri;
      if (scheme !== "file" || document.isDirty || !(await currentTextOf(fsPath))) continue;
      if (normalizeText(document.getText()) !== (await currentTextOf(fsPath)))
        this.steps.push(`    ${fsPath} is older in the editor`);
    }
  }

  async #undoAll(edited: Set<string>): Promise<void> {
    this.steps.push("Undo All");
    const review = this.#folder.review();
    const before = await this.#files();
    await review.undo({ kind: "all" });
    const now = await this.#files();
    assertSame(now, this.#expected);
    // For checkpoints, an undo is a change by the user.
    for (const [name, state] of now) if (!isSame(state, before.get(name))) edited.add(name);
    for (const name of before.keys()) if (!now.has(name)) edited.add(name);
    assert.deepEqual(
      review.files.map(({ path }) => path),
      [],
    );
  }

  async #restore(turn: number): Promise<void> {
    this.steps.push(`restore turn ${turn}`);
    const checkpoints = this.#folder.checkpoints();
    const plan = await checkpoints.planRestore(
      `turn ${turn}`,
      currentFiles(this.#documents, () => [this.#folder.folder()]),
    );
    assert.deepEqual(plan.unknown, []);
    for (const { path, changedSince, to } of plan.files)
      this.steps.push(`    ${path}${changedSince ? ": changed by others since" : ""}: ${JSON.stringify(to)}`);
    const before = await this.#files();
    const chosen = plan.files.filter(one => !one.changedSince);
    if (chosen.length > 0)
      await applyRestore(checkpoints, this.#folder.reviews(), plan, chosen, () => [this.#folder.folder()]);
    const now = await this.#files();
    const edited = new Set([...this.#edited].flatMap(([of, names]) => (of >= turn ? [...names] : [])));
    const isUsers = (name: string): boolean => edited.has(name) || name.startsWith(own);
    assertSame(without(now, isUsers), without(this.#starts.get(turn) ?? new Map(), isUsers));
    // What the user typed stays in every file that exists.
    for (const [name, state] of now) {
      const lines = ownLines(before.get(name));
      const missing = lines.filter(line => !ownLines(state).includes(line));
      assert.deepEqual(missing, [], `${name} lost lines of the user`);
    }
  }

  async #createFiles(): Promise<void> {
    const texts = [
      "head\nb\nc\nd\ne\n",
      "head\r\nb\r\nc\r\n",
      "head\r\nb\nc\rd\n",
      "head\nno end",
      "\uFEFFhead\nbom\n",
    ];
    const names = ["a.txt", "b.txt", "pkg/c.txt", "pkg/in/d.txt", "pkg/in/e.txt", "lib/odd [na]me ü.txt"];
    for (const name of names) await this.#put(name, this.#random.of(texts) + `${name}\n`);
    await this.#put("latin1.txt", Buffer.from("head\nBl\xfcten\n", "latin1"));
    await this.#put("pkg/binary.bin", Buffer.from([0, 1, 2, 255]));
    await this.#put("run.sh", "#!/bin/sh\necho\n");
    await chmod(this.#path("run.sh"), 0o755);
    await symlink("a.txt", this.#path("link"));
    for (const name of ["1.txt", "2.txt"]) await this.#put(own + name, `${name}\nb\nc\n`);
    for (const name of names) if (this.#random.below(4) === 0) await this.#folder.show(name);
  }

  async #agentStep(): Promise<void> {
    const files = [...(await this.#files()).keys()].filter(name => !name.startsWith(own));
    const name = this.#random.of(files.length > 0 ? files : ["made.txt"]);
    const state = await this.#state(name);
    const note = (what: string): void => void this.steps.push(`  agent: ${what}`);
    const n = ++this.#count;
    const folders = [...new Set(files.filter(one => one.includes("/")).map(one => one.slice(0, one.indexOf("/"))))];
    const folder = this.#random.of([...folders, "made"]);
    switch (this.#random.below(13)) {
      case 0:
        note(`creates ${folder}/new${n}.txt`);
        return this.#put(`${folder}/new${n}.txt`, `head\nnew ${n}\n`);
      case 1:
        note(`creates new${n}/in/binary.bin`);
        return this.#put(`new${n}/in/binary.bin`, Buffer.from([0, n]));
      case 2:
        note(`replaces the content of ${name}`);
        if (state.kind === "link") await rm(this.#path(name));
        return this.#put(name, `head\nother ${n}\n`);
      case 3:
        note(`changes the line endings of ${name}`);
        return this.#rewrite(name, text => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : toCrLf(text)));
      case 4: {
        if (state.kind !== "file") return;
        note(`changes the mode of ${name}`);
        return chmod(this.#path(name), state.executable ? 0o644 : 0o755);
      }
      case 5: {
        const to = `${folder}/moved${n}.txt`;
        note(`moves ${name} to ${to}`);
        await mkdir(dirname(this.#path(to)), { recursive: true });
        await rename(this.#path(name), this.#path(to));
        return void this.#moved.add(to);
      }
      case 6: {
        if (!folders.includes(folder)) return;
        note(`moves the folder ${folder} to moved${n}`);
        for (const one of files) if (one.startsWith(`${folder}/`)) this.#moved.add(one.replace(folder, `moved${n}`));
        return rename(this.#path(folder), this.#path(`moved${n}`));
      }
      case 7:
        note(`deletes ${name}`);
        return rm(this.#path(name), { force: true });
      case 8:
        if (!folders.includes(folder)) return;
        note(`deletes the folder ${folder}`);
        return rm(this.#path(folder), { recursive: true });
      case 9: {
        if (state.kind !== "file" || state.bytes.includes(0) || state.bytes.some(byte => byte > 127)) return;
        note(`writes ${name} through the editor`);
        const text = edited(textOf(state), n);
        await this.#folder.write(name, text).catch(async (thrown: unknown) => {
          if (!String(thrown).includes("the editor has not reloaded it yet. Try again.")) throw thrown;
          await this.#reloaded(name);
          await this.#folder.write(name, text);
        });
        return;
      }
      case 10: {
        if (state.kind !== "file") return;
        note(`edits ${name} in a tool call that names it`);
        const { tool, watch, path } = this.#folder;
        tool({ kind: "edit", status: "in_progress", locations: [{ path: path(name) }] }, `call ${n}`);
        await watch().settled();
        await this.#rewrite(name, text => edited(text, n));
        return tool({ status: "completed" }, `call ${n}`);
      }
      default:
        if (state.kind !== "file") return;
        note(`edits ${name}`);
        return this.#rewrite(name, text => edited(text, n));
    }
  }

  async #userStep(): Promise<void> {
    const files = await this.#files();
    const n = ++this.#count;
    const note = (what: string): void => void this.steps.push(`  user: ${what}`);
    const mine = [...files.keys()].filter(name => name.startsWith(own));
    const name = this.#random.of(mine.length > 0 ? mine : [`${own}none.txt`]);
    const changes = new vscode.WorkspaceEdit();
    const uri = vscode.Uri.file(this.#path(name));
    const made = `${own}made${n}.txt`;
    switch (this.#random.below(5)) {
      case 0:
        note(`creates ${made}`);
        changes.createFile(vscode.Uri.file(this.#path(made)), { contents: Buffer.from(`user ${n}\n`) });
        break;
      case 1:
        if (!files.has(name)) return;
        note(`deletes ${name}`);
        changes.deleteFile(uri);
        break;
      case 2:
        if (!files.has(name)) return;
        note(`renames ${name} to ${made}`);
        changes.renameFile(uri, vscode.Uri.file(this.#path(made)));
        break;
      default:
        return this.#userTypes(files, n);
    }
    assert.ok(await vscode.workspace.applyEdit(changes));
    for (const one of mine) this.#expected.delete(one);
    for (const [one, state] of await this.#files()) if (one.startsWith(own)) this.#expected.set(one, state);
  }

  /** The user inserts a line at the start of a file, and saves it. */
  async #userTypes(files: Files, n: number): Promise<void> {
    const isPlain = (state: FileState | undefined): state is FileState & { kind: "file" } =>
      state?.kind === "file" && /^[\x20-\x7e\n]*$/.test(textOf(state));
    const fit = [...files].filter(
      ([name, state]) => isPlain(state) && isPlain(this.#expected.get(name)) && !this.#moved.has(name),
    );
    if (fit.length === 0) return;
    const [name] = this.#random.of(fit);
    const expected = this.#expected.get(name);
    assert.ok(isPlain(expected));
    this.steps.push(`  user: types into ${name}`);
    for (const names of this.#edited.values()) names.add(name);
    const disk = await readFile(this.#path(name), "utf8");
    const document = await vscode.workspace.openTextDocument(this.#path(name));
    await until(() => document.getText() === disk, maxReloadTime).catch(() => this.#reloaded(name));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), `user ${n}\n`);
    const typedAndSaved = async (): Promise<boolean> => {
      assert.ok(await vscode.workspace.applyEdit(edit));
      return document.save();
    };
    if (!(await typedAndSaved())) {
      // VS Code refuses to save over a file that it has not read, also if only its line endings have changed.
      await this.#reloaded(name);
      assert.ok(await typedAndSaved());
    }
    const bytes = Buffer.concat([Buffer.from(`user ${n}\n`), expected.bytes]);
    this.#expected.set(name, { ...expected, bytes });
  }

  /**
   * VS Code can miss changes: of a file in a new folder, or on a machine that is too busy. Parley reloads documents at the
   * end of the turn, but not that of the active editor, where the user may be typing. So the user shows the file and
   * reloads it, and what was tried before is tried again.
   */
  async #reloaded(name: string): Promise<void> {
    this.steps.push("    the editor missed the change, so the user reloads it");
    await this.#folder.show(name);
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.uri.fsPath, this.#path(name));
    const disk = await readFile(this.#path(name), "latin1");
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await until(() => document?.getText() === disk);
  }

  async #rewrite(name: string, change: (text: string) => string): Promise<void> {
    const state = await this.#state(name);
    if (state.kind !== "file" || state.bytes.includes(0)) return;
    await writeFile(this.#path(name), Buffer.from(change(textOf(state)), "latin1"));
  }

  async #put(name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(this.#path(name)), { recursive: true });
    await writeFile(this.#path(name), content);
  }

  #path(name: string): string {
    return this.#folder.path(name);
  }

  async #state(name: string): Promise<FileState> {
    const state = await readFileState(this.#path(name));
    assert.ok(state);
    return state;
  }

  async #files(): Promise<Files> {
    const files = new Map<string, FileState>();
    const walk = async (folder: string): Promise<void> => {
      for (const name of (await readdir(this.#path(folder))).sort()) {
        const each = join(folder, name);
        // The fixture writes this file to learn when changes are noticed.
        if (each === ".git" || each === "watched") continue;
        if ((await lstat(this.#path(each))).isDirectory()) await walk(each);
        else files.set(each, await this.#state(each));
      }
    };
    await walk("");
    return files;
  }
}

/** Every byte as one character, so that any encoding survives. */
const textOf = (state: FileState): string => (state.kind === "file" ? Buffer.from(state.bytes).toString("latin1") : "");
const toCrLf = (text: string): string => text.replaceAll("\n", "\r\n");
/** The lines that the user typed. */
const ownLines = (state: FileState | undefined): readonly string[] =>
  state === undefined ? [] : (textOf(state).match(/^user \d+$/gm) ?? []);

/** A line that the user types where the agent has removed others of the user can come back before or after them. */
const withSortedOwnLines = (text: string): string =>
  text.replace(/^(?:user \d+\n)+/, own =>
    own
      .split(/(?<=\n)/)
      .toSorted()
      .join(""),
  );

/** The text with another second line, and another line at its end. The first line stays, because the user types there. */
const edited = (text: string, n: number): string => {
  const [head = "", , ...rest] = text.split(/(?<=\n)/);
  return [head, `changed ${n}\n`, ...rest, ...(n % 2 === 0 ? [`added ${n}\n`] : [])].join("");
};

const isSame = (a: FileState, b: FileState | undefined): boolean => b !== undefined && isSameState(a, b);

const without = (files: Files, isLeftOut: (name: string) => boolean): Files =>
  new Map([...files].filter(([name]) => !isLeftOut(name)));

function assertSame(are: Files, were: Files): void {
  const shown = (files: Files): readonly string[] =>
    [...files]
      .map(([name, state]) =>
        state.kind === "file"
          ? `${name}: ${JSON.stringify(withSortedOwnLines(textOf(state)))}${state.executable ? " (executable)" : ""}`
          : `${name}: ${JSON.stringify(state)}`,
      )
      .sort();
  assert.deepEqual(shown(are), shown(were));
}
