// The folder of a session. File names come from the disk, and every text comes through the client, so that it includes
// unsaved changes of the user.
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { isAbsolute, join, posix, relative, resolve, sep } from "node:path";
import { extensionOf, importsOf, isScript, isTest, outline } from "./outline.ts";
import { textContent, type Turn } from "./turn.ts";

const skipped = new Set(["node_modules", "dist", "out", "build", "coverage", "vendor"]);
const mostFiles = 2000;
const mostScripts = 200;

/** A file and its text. */
export interface TextFile {
  /** Relative to the folder of the session, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A folder that is read through the client. Texts are cached for the turn. */
export class Workspace {
  readonly cwd: string;
  readonly #turn: Turn;
  readonly #read = new Map<string, string>();
  #files: readonly string[] | undefined;
  #imports: ReadonlyMap<string, readonly string[]> | undefined;
  readonly #shownToPerson = new Set<string>();
  #saidDisk = false;

  constructor(turn: Turn) {
    this.#turn = turn;
    this.cwd = turn.session.cwd;
  }

  /** The sorted relative paths of all files, except those of tools and packages. */
  async files(): Promise<readonly string[]> {
    if (this.#files) return this.#files;
    const found: string[] = [];
    const folders = [""];
    for (let folder = folders.shift(); folder !== undefined && found.length < mostFiles; folder = folders.shift()) {
      this.#turn.check();
      const entries = await this.#entries(folder);
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (entry.name.startsWith(".") || skipped.has(entry.name)) continue;
        const path = posix.join(folder, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else if (entry.isFile()) found.push(path);
      }
    }
    this.#files = found.sort();
    return this.#files;
  }

  async #entries(folder: string): Promise<Dirent[]> {
    try {
      return await readdir(join(this.cwd, folder), { withFileTypes: true });
    } catch (error) {
      throw new UnreadableFile(folder === "" ? this.cwd : folder, reasonOf(error));
    }
  }

  /** The source files without tests that this agent understands. */
  async sources(): Promise<readonly string[]> {
    const files = await this.files();
    return files.filter(file => /^(?:[cm]?[jt]sx?|py)$/.test(extensionOf(file)) && !isTest(file) && !isSetup(file));
  }

  /** The absolute path of a file. */
  absolute(path: string): string {
    return isAbsolute(path) ? path : resolve(this.cwd, path);
  }

  /** The path as a user would write it in this folder. */
  shown(path: string): string {
    const inside = relative(this.cwd, this.absolute(path));
    return inside.startsWith("..") || isAbsolute(inside) ? path : inside.split(sep).join("/");
  }

  /** Reads a file as a tool call that the user sees. */
  async read(path: string): Promise<TextFile> {
    const shown = this.shown(path);
    const known = this.#read.get(shown);
    if (known !== undefined && this.#shownToPerson.has(shown)) return { path: shown, text: known };
    this.#shownToPerson.add(shown);
    const locations = [{ path: this.absolute(path) }];
    const tool = await this.#turn.startTool({ title: `Read ${shown}`, kind: "read", locations });
    await this.#turn.pause(120);
    try {
      const text = known ?? (await this.readNow(path));
      this.#read.set(shown, text);
      const { fence, language } = outline(shown, text);
      const content = [textContent(fenced(fence, text))];
      const rawOutput = { lines: lineCount(text), language };
      await this.#turn.changeTool(tool, { status: "completed", content, rawOutput });
      await this.#turn.count(text);
      return { path: shown, text };
    } catch (error) {
      this.#turn.check();
      await this.#turn.changeTool(tool, { status: "failed", content: [textContent(reasonOf(error))] });
      throw new UnreadableFile(shown, reasonOf(error));
    }
  }

  /** The current text of a file, without a tool call. */
  async readNow(path: string): Promise<string> {
    const absolute = this.absolute(path);
    if (this.#turn.capabilities.fs?.readTextFile === true) {
      const { content } = await this.#turn.request("fs/read_text_file", {
        sessionId: this.#turn.session.id,
        path: absolute,
      });
      return content;
    }
    if (!this.#saidDisk) {
      this.#saidDisk = true;
      await this.#turn.say(
        "Your editor does not allow agents to read files, so I read from the disk, without your unsaved changes.\n\n",
      );
    }
    return readFile(absolute, "utf8");
  }

  /** Whether this agent can write files. */
  get canWrite(): boolean {
    return this.#turn.capabilities.fs?.writeTextFile === true;
  }

  /** Writes a file through the client. */
  async write(path: string, content: string): Promise<void> {
    const absolute = this.absolute(path);
    await this.#turn.request("fs/write_text_file", { sessionId: this.#turn.session.id, path: absolute, content });
    this.#read.set(this.shown(path), content);
  }

  /** The relative imports between all scripts of the folder, read once as one search. */
  async imports(): Promise<ReadonlyMap<string, readonly string[]>> {
    if (this.#imports) return this.#imports;
    const files = await this.files();
    const scripts = files.filter(isScript).slice(0, mostScripts);
    const title = `Search the imports of ${scripts.length} ${scripts.length === 1 ? "file" : "files"}`;
    const tool = await this.#turn.startTool({ title, kind: "search" });
    const found = new Map<string, readonly string[]>();
    const unreadable: string[] = [];
    const all = new Set(files);
    for (const path of scripts) {
      try {
        const text = this.#read.get(path) ?? (await this.readNow(path));
        this.#read.set(path, text);
        found.set(path, relativeImports({ path, text }, all));
      } catch (error) {
        this.#turn.check();
        unreadable.push(`${path}: ${reasonOf(error)}`);
      }
    }
    const list = [...found].map(([path, names]) => `- \`${path}\`${names.map(name => ` → \`${name}\``).join("")}`);
    const content = [textContent([...list, ...unreadable].join("\n"))];
    await this.#turn.changeTool(tool, { status: "completed", content, rawOutput: { files: found.size } });
    this.#imports = found;
    return found;
  }

  /** The tests that import a script directly or indirectly. Direct imports come first. */
  async testsOf(path: string): Promise<readonly string[]> {
    const graph = await this.imports();
    const tests = [...graph.keys()].filter(isTest).filter(test => reachable(graph, test).has(path));
    const direct = (test: string): number => (graph.get(test)?.includes(path) ? 0 : 1);
    return tests.sort((a, b) => direct(a) - direct(b));
  }

  /** Reads a script and all of its relative imports. The script itself comes first. */
  async withImports(path: string): Promise<readonly TextFile[]> {
    const graph = await this.imports();
    const found: TextFile[] = [];
    for (const file of reachable(graph, path)) found.push(await this.read(file));
    return found;
  }
}

/** A script and all of its imports, direct imports first. */
function reachable(graph: ReadonlyMap<string, readonly string[]>, from: string): ReadonlySet<string> {
  const found = new Set([from]);
  for (const path of found) for (const next of graph.get(path) ?? []) found.add(next);
  return found;
}

/** The workspace files that a script imports by a relative path. */
export function relativeImports(file: TextFile, files: ReadonlySet<string>): readonly string[] {
  const folder = posix.dirname(file.path);
  return importsOf(file.text)
    .filter(name => name.startsWith("."))
    .flatMap(name => {
      const path = posix.join(folder, name);
      const endings = ["", ".js", ".mjs", ".cjs", ".ts", "/index.js"];
      return endings
        .map(ending => path + ending)
        .filter(candidate => files.has(candidate))
        .slice(0, 1);
    });
}

/** A file that could not be read. The agent reports it and continues. */
export class UnreadableFile extends Error {
  constructor(path: string, reason: string) {
    super(`I could not read \`${path}\`: ${reason}`);
    this.name = "UnreadableFile";
  }
}

/** The message of an error for the user. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Text in a Markdown fence that is longer than every fence inside it. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^\s*(`{3,})/gm)].map(match => match[1]?.length ?? 0));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** The number of lines of a text. */
export function lineCount(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

function isSetup(file: string): boolean {
  return /(?:^|\/)[^/]*\.config\.[^/]+$/.test(file);
}
