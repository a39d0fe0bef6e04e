// The files of the workspace folders that the definition of a server over stdio names: the program, the script that an
// interpreter runs, and every other word that is a file. It finds too many rather than too few.
import { statSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { findProgram, type PathLookup } from "../base/program.ts";
import { hostPlatform, type Environment } from "../base/platform.ts";
import { choosesProgram } from "../base/programVariables.ts";
import { nodePaths } from "../files/nodePaths.ts";
import { Confinement, isInside } from "../files/paths.ts";
import { readRegularFile } from "../files/regularFile.ts";
import { mayOverlap } from "../permissions/pathGlob.ts";
import { argumentPaths } from "../permissions/commandArguments.ts";
import { definitionWords, mayBeCode } from "./definitionWords.ts";
import { parseJsonc } from "./jsonc.ts";
import type { ServerLaunch } from "./servers.ts";

/** A file in a workspace folder, by its own path or by the path that links lead to. */
export interface NamedFile {
  readonly path: string;
  /** With symbolic links resolved, spelled with the workspace folder as it was opened. */
  readonly real: string;
  /** `data`: a database or a log that the server changes itself. Its content decides nothing. */
  readonly use: "runs" | "data";
}

export interface NamedFiles {
  readonly files: readonly NamedFile[];
  /** Paths that the definition names, and where no file is yet. */
  readonly missing: readonly string[];
}

/** Where the words of a definition are looked up. */
export interface LookupPlace {
  /** The folder whose file configures the server. */
  readonly folder: string;
  /** All workspace folders. The agent starts the server in the folder of its session. */
  readonly roots: readonly string[];
  readonly env: Environment;
  /** The user's home folder. */
  readonly home: string;
}

type StdioLaunch = Extract<ServerLaunch, { type: "stdio" }>;

/** Looking at more paths takes longer than a user waits. */
const maxLookups = 6000;
const maxFiles = 500;
/** The command line and the values of variables together. */
const maxTextLength = 30_000;
const maxFolders = 20;
/** A larger file that names an entry point is not read (bytes). */
const maxPackageSize = 1_000_000;

/** Their first operand is a script. A folder in its place is a package. */
const interpreter =
  /^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|py|uv|ruby|perl|php)(?:\.exe|\.cmd)?$/i;
const shell = /^(?:(?:ba|da|z|k|fi|c|tc)?sh|cmd|powershell|pwsh|busybox|env|xargs|nohup|sudo|time)(?:\.exe)?$/i;
/** Options whose value is code that the program loads. */
const loaderOption =
  /^(?:-r|-e|-c|-f|-I|-S|-C|--(?:require|import|loader|experimental-loader|preload|init|eval|file|script|config|env-file)s?)(?:=|$)/;
/** What a runtime adds to a name that has no file. */
const endings = [".js", ".mjs", ".cjs", ".ts", ".json", ".node", ".py", ".sh", ".rb", ".exe", ".cmd", ".bat", ".ps1"];
const entryNames = ["index.js", "index.mjs", "index.cjs", "index.ts", "index.json", "index.node", "__main__.py"];
/** Files that a server writes while it runs. */
const dataFile = /\.(?:db3?|sqlite3?|duckdb|parquet|log|jsonl|ndjson|csv|tsv)(?:-(?:wal|shm|journal))?$/i;
/** They run programs of the packages of a folder, by the name of the package without its scope and version. */
const packageRunner = /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx)(?:\.cmd|\.exe)?$/i;
const wildcard = /[*?[]/;

/** Finds the files. Rejects with a reason if the definition names too many. */
export async function findNamedFiles(launch: StdioLaunch, place: LookupPlace): Promise<NamedFiles> {
  return new NamedFileFinder(launch, place).find();
}

class NamedFileFinder {
  readonly #launch: StdioLaunch;
  readonly #place: LookupPlace;
  readonly #confinement: Confinement;
  #roots: readonly string[] = [];
  #bases: readonly string[] = [];
  readonly #found = new Map<string, NamedFile>();
  readonly #missing = new Set<string>();
  readonly #kinds = new Map<string, Promise<"file" | "folder" | undefined>>();

  constructor(launch: StdioLaunch, place: LookupPlace) {
    this.#launch = launch;
    this.#place = place;
    this.#confinement = new Confinement(nodePaths(), place.roots);
  }

  async find(): Promise<NamedFiles> {
    const { folder, roots, env, home } = this.#place;
    const { command, args, cwd } = this.#launch;
    const values = Object.values(this.#launch.env);
    const length = [command, ...args, ...values].reduce((sum, text) => sum + text.length, 0);
    if (length > maxTextLength)
      throw new Error(`it has more than ${maxTextLength} characters that Parley has to check`);
    this.#roots = await this.#confinement.namedAndRealRoots();
    const start = cwd === undefined || folder === "" ? folder : resolve(folder, cwd);
    this.#bases = [...new Set([start, folder, ...roots])].filter(isAbsolute);
    await this.#addProgram(command, { ...env, ...this.#launch.env });
    const program = basename(command);
    const isLine = shell.test(program);
    await this.#addFolders([...args, ...values].flatMap(text => definitionWords(text, home)));
    if (interpreter.test(program)) await this.#addScript(args);
    for (const [at, arg] of args.entries()) {
      const before = args[at - 1] ?? "";
      const runs = isLine || mayBeCode(arg) || loaderOption.test(arg) || loaderOption.test(before);
      for (const word of definitionWords(arg, home)) {
        await this.#addWord(word, runs);
        if (runs) await this.#addCodeWord(word);
        if (packageRunner.test(program)) await this.#addPackageProgram(word);
      }
      await this.#addModule(before, arg);
    }
    for (const [name, value] of Object.entries(this.#launch.env)) {
      const runs = choosesProgram(name);
      for (const word of definitionWords(value, home)) await this.#addWord(word, runs);
    }
    return { files: [...this.#found.values()], missing: [...this.#missing] };
  }

  async #addProgram(command: string, env: Environment): Promise<void> {
    if (/[\\/]/.test(command)) {
      // The agent may start a relative program from the folder of its session.
      for (const base of this.#bases) {
        const path = resolve(base, command);
        await this.#add(path, true);
        await this.#addWithEnding(path);
        if ((await this.#kind(path)) === undefined) this.#addMissing(path);
      }
      return;
    }
    const look: PathLookup = path =>
      this.#isInRoots(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true ? "program" : undefined;
    const found = findProgram(command, { env, platform: hostPlatform, look });
    if ("path" in found) await this.#add(found.path, true);
  }

  /** A folder that the definition names may be where other words start: `--directory tools server.py`. */
  async #addFolders(words: readonly string[]): Promise<void> {
    for (let known = -1; known < this.#bases.length;) {
      known = this.#bases.length;
      const bases = new Set(this.#bases);
      for (const path of words.flatMap(word => this.#paths(word)))
        if ((await this.#kind(path)) === "folder") bases.add(resolve(path));
      if (bases.size > maxFolders) throw new Error("it names more folders than Parley can check");
      this.#bases = [...bases];
    }
  }

  /** The script of an interpreter: its first word that is neither an option nor the value of one that loads code. */
  async #addScript(args: readonly string[]): Promise<void> {
    for (const [at, arg] of args.entries()) {
      if (arg.startsWith("-") || loaderOption.test(args[at - 1] ?? "")) continue;
      const paths = this.#bases.map(base => resolve(base, arg));
      const kinds = await Promise.all(paths.map(path => this.#kind(path)));
      const isFound = kinds.some(kind => kind !== undefined);
      for (const path of paths) {
        await this.#add(path, true);
        await this.#addWithEnding(path);
        if ((await this.#kind(path)) === "folder") await this.#addEntries(path);
      }
      if (isFound) return;
    }
  }

  /** What runs if a folder is the script. */
  async #addEntries(folder: string): Promise<void> {
    for (const name of entryNames) await this.#add(join(folder, name), true);
    const main = await mainOf(join(folder, "package.json"));
    if (main === undefined) return;
    const path = resolve(folder, main);
    await this.#add(path, true);
    await this.#addWithEnding(path);
    for (const name of entryNames) await this.#add(join(path, name), true);
  }

  /** `-m tools.server` of Python. */
  async #addModule(before: string, arg: string): Promise<void> {
    const name = before === "-m" ? arg : /^-m(.+)$/s.exec(arg)?.[1];
    if (name === undefined || !/^\w+(?:\.\w+)*$/.test(name)) return;
    const parts = name.split(".");
    for (const base of this.#bases) {
      const path = join(base, ...parts);
      await this.#add(`${path}.py`, true);
      await this.#add(join(path, "__main__.py"), true);
      for (let depth = 1; depth <= parts.length; depth++)
        await this.#add(join(base, ...parts.slice(0, depth), "__init__.py"), true);
    }
  }

  async #addWord(word: string, runs: boolean): Promise<void> {
    for (const path of this.#paths(word)) await this.#add(path, runs || !dataFile.test(path));
    if (word.startsWith("-") || !/[\\/]|[^.]\.\w+$/.test(word)) return;
    const named = this.#bases.map(base => resolve(base, word));
    const kinds = await Promise.all(named.map(path => this.#kind(path)));
    for (const path of named) {
      await this.#addWithEnding(path);
      if (kinds.every(kind => kind === undefined)) this.#addMissing(path);
    }
  }

  /** A word of code: a folder is a package, and a shell replaces wildcards. */
  async #addCodeWord(word: string): Promise<void> {
    for (const base of this.#bases) {
      const path = resolve(base, word);
      if ((await this.#kind(path)) === "folder") await this.#addEntries(path);
      if (wildcard.test(word)) await this.#addMatches(base, word.split(/[\\/]+/));
    }
  }

  async #addMatches(folder: string, [segment = "", ...rest]: readonly string[]): Promise<void> {
    if ((await this.#kind(folder)) !== "folder") return;
    const isMatch = (name: string): boolean => mayOverlap([segment.toLowerCase()], [name.toLowerCase()]);
    const names = wildcard.test(segment) ? (await readdir(folder)).filter(isMatch) : [segment];
    for (const name of names) {
      const path = resolve(folder, name);
      if (rest.length > 0) await this.#addMatches(path, rest);
      else await this.#add(path, true);
    }
  }

  /** `tickets` and `@example/tickets@1.2` run `node_modules/.bin/tickets`. */
  async #addPackageProgram(word: string): Promise<void> {
    const name = /^(?:@[^/\\@]+\/)?([^/\\@]+)(?:@[^/\\]*)?$/.exec(word)?.[1];
    if (name === undefined || name.startsWith("-")) return;
    for (const base of this.#bases)
      for (const ending of ["", ".cmd", ".exe", ".ps1"])
        await this.#add(join(base, "node_modules", ".bin", name + ending), true);
  }

  /** Runtimes also accept the name of a script without its ending. */
  async #addWithEnding(path: string): Promise<void> {
    if (endings.some(ending => path.endsWith(ending))) return;
    for (const ending of endings) await this.#add(path + ending, true);
  }

  #addMissing(path: string): void {
    if (this.#isInRoots(path)) this.#missing.add(path);
  }

  /** The paths that a word may mean, as it is and with `..` removed, which differs behind links. */
  #paths(word: string): readonly string[] {
    const roots = this.#bases;
    const place = { roots, platform: hostPlatform, ignoresCase: nodePaths().ignoresCase };
    const paths = argumentPaths(word, { folders: this.#bases, place });
    if (paths === undefined) throw new Error("it names more files than Parley can check");
    return [...new Set(paths.flatMap(path => [resolve(path), ...(/[^\\/][\\/]+\.\./.test(path) ? [path] : [])]))];
  }

  async #add(path: string, runs: boolean): Promise<void> {
    if ((await this.#kind(path)) !== "file") return;
    const known = this.#found.get(path);
    // Spelled with the workspace folder as it was opened, as the permissions spell it.
    const target = await this.#confinement.locate(await realpath(path));
    const real = target.path;
    // Behind a link, `..` leads elsewhere than the path says.
    if (path !== resolve(path) && !target.inside) return;
    if (this.#found.size >= maxFiles) throw new Error("it names more files than Parley can check");
    this.#found.set(path, { path, real, use: runs || known?.use === "runs" ? "runs" : "data" });
  }

  #isInRoots(path: string): boolean {
    return this.#roots.some(root => isInside(path, root, hostPlatform, nodePaths().ignoresCase));
  }

  /** Only paths that begin in a workspace folder are looked at: looking at another machine connects to it. */
  #kind(path: string): Promise<"file" | "folder" | undefined> {
    const known = this.#kinds.get(path);
    if (known) return known;
    if (!this.#isInRoots(path) || path.includes("\0")) return Promise.resolve(undefined);
    if (this.#kinds.size >= maxLookups) throw new Error("it names more files than Parley can check");
    const kind = stat(path).then(
      info => (info.isFile() ? "file" : info.isDirectory() ? "folder" : undefined),
      () => undefined, // There is nothing, or nothing that can be read.
    );
    this.#kinds.set(path, kind);
    return kind;
  }
}

async function mainOf(file: string): Promise<string | undefined> {
  try {
    const { bytes } = await readRegularFile(file, maxPackageSize);
    const { main } = parseJsonc(new TextDecoder().decode(bytes)) as { readonly main?: unknown };
    return typeof main === "string" ? main : undefined;
  } catch {
    return undefined; // There is none, or none that a runtime could read.
  }
}
