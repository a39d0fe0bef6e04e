// Makes an index contain files byte for byte. Git converts files that attributes or settings name: line endings,
// encodings, keywords and filters such as LFS. A restore needs what is on disk.
import { lstat, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimited } from "../base/async.ts";
import { isNotFoundError } from "../base/errors.ts";
import { gitList, gitOutput, type Git, type GitRunOptions } from "./gitProgram.ts";

/** With more files that git may convert, they stay converted. */
const maxCandidates = 20_000;

/** The most bytes of files that are stored unconverted. */
const maxExactBytes = 64 * 1024 * 1024;

const maxConcurrentFiles = 64;

const attributes = ["text", "eol", "filter", "ident", "working-tree-encoding"];

/** A folder under git, and the folder of our own index. */
interface IndexLocation {
  readonly git: Git;
  readonly folder: string;
  /** The folder's path in its repository, ending with a slash. Empty at the top. */
  readonly prefix: string;
  readonly privateFolder: string;
  /** The repository's own attributes, a file that need not exist. */
  readonly attributes: string;
}

/** An entry of the index. The path is relative to the folder. */
interface IndexEntry {
  readonly mode: string;
  readonly object: string;
  readonly path: string;
}

/** What an unconverted file was when its object was stored. */
interface KnownFile {
  readonly stat: string;
  readonly object: string;
}

/** The files that git converts: none, those that attributes name, or every text. */
export type Conversion = "nothing" | "some" | "everything";

/**
 * Replaces converted files in our index by their bytes on disk. Resolves with whether the index now has all files as
 * they are on disk.
 */
export async function addExactFiles(
  place: IndexLocation,
  maxFileBytes: number,
  converts: Conversion,
  options: GitRunOptions,
): Promise<boolean> {
  const { git, folder } = place;
  if (converts === "nothing") return true;
  const entries = await indexEntries(place, options);
  if (entries.length > maxCandidates) return false;
  const kinds = await conversionsByPath(place, entries, converts === "everything", options);
  const candidates = entries.filter(({ path }) => kinds.has(path));
  const sizes = await objectSizes(place, candidates, options);
  const known = await readKnown(place);
  const next: Record<string, KnownFile> = {};
  const exact: IndexEntry[] = [];
  const unhashed: { readonly entry: IndexEntry; readonly stat: string }[] = [];
  let bytes = 0;
  let isComplete = true;
  await forEachLimited(candidates, maxConcurrentFiles, async entry => {
    const found = await lstat(join(folder, entry.path)).catch(ifMissing);
    if (!found?.isFile()) return;
    // A filter can keep the size. All other conversions change it.
    if (kinds.get(entry.path) === "size" && sizes.get(entry.object) === found.size) return;
    if (found.size > maxFileBytes || (bytes += found.size) > maxExactBytes || entry.path.includes("\n"))
      return void (isComplete = false);
    const stat = `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
    const before = known[entry.path];
    if (before?.stat !== stat) return void unhashed.push({ entry, stat });
    next[entry.path] = before;
    exact.push({ ...entry, object: before.object });
  });
  if (unhashed.length > 0) {
    const input = unhashed.map(({ entry }) => `${entry.path}\n`).join("");
    const args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
    const objects = (await gitOutput(git, folder, args, { ...options, input })).split("\n");
    unhashed.forEach(({ entry, stat }, i) => {
      const object = objects[i] ?? entry.object;
      next[entry.path] = { stat, object };
      exact.push({ ...entry, object });
    });
  }
  await writeFile(knownFile(place), JSON.stringify(next));
  const input = exact.map(({ mode, object, path }) => `${mode} ${object}\t${place.prefix}${path}\0`).join("");
  if (input !== "") await gitOutput(git, folder, ["update-index", "-z", "--index-info"], { ...options, input });
  return isComplete;
}

/** What git converts, as our index is now. `settings`: those of the repository, with lower-case names. */
export async function conversionOf(
  { git, folder, attributes: own }: IndexLocation,
  settings: ReadonlyMap<string, string>,
  options: GitRunOptions,
): Promise<Conversion> {
  if (["true", "input"].includes(settings.get("core.autocrlf")?.toLowerCase() ?? "")) return "everything";
  if ((settings.get("core.attributesfile") ?? "") !== "") return "some";
  if ((await lstat(own).catch(ifMissing)) !== undefined) return "some";
  const args = ["--no-literal-pathspecs", "ls-files", "-z", "--full-name", "--", ":(top,glob)**/.gitattributes"];
  return (await gitList(git, folder, args, options)).length > 0 ? "some" : "nothing";
}

async function indexEntries({ git, folder }: IndexLocation, options: GitRunOptions): Promise<readonly IndexEntry[]> {
  const items = await gitList(git, folder, ["ls-files", "-z", "-s"], options);
  return items.flatMap(item => {
    const tab = item.indexOf("\t");
    const [mode = "", object = "", stage] = item.slice(0, tab).split(" ");
    return mode.startsWith("100") && stage === "0" ? [{ mode, object, path: item.slice(tab + 1) }] : [];
  });
}

/** The paths that git may convert. "size": every conversion of the file changes its size. */
async function conversionsByPath(
  { git, folder }: IndexLocation,
  entries: readonly IndexEntry[],
  every: boolean,
  { signal }: GitRunOptions,
): Promise<ReadonlyMap<string, "size" | "content">> {
  const kinds = new Map<string, "size" | "content">();
  if (every) for (const { path } of entries) kinds.set(path, "size");
  const input = entries.map(({ path }) => `${path}\0`).join("");
  if (input === "") return kinds;
  const items = await gitList(git, folder, ["check-attr", "-z", "--stdin", ...attributes], { signal, input });
  for (let i = 0; i + 2 < items.length; i += 3) {
    const [path = "", name = "", value = ""] = items.slice(i, i + 3);
    if (value === "unspecified" || value === "unset") continue;
    if (name === "filter") kinds.set(path, "content");
    else if (!kinds.has(path)) kinds.set(path, "size");
  }
  return kinds;
}

async function objectSizes(
  { git, folder }: IndexLocation,
  entries: readonly IndexEntry[],
  options: GitRunOptions,
): Promise<ReadonlyMap<string, number>> {
  if (entries.length === 0) return new Map();
  const input = entries.map(({ object }) => `${object}\n`).join("");
  const lines = await gitOutput(git, folder, ["cat-file", "--batch-check"], { ...options, input });
  return new Map(
    lines.split("\n").flatMap((line): [string, number][] => {
      const [, object, size] = /^(\S+) blob (\d+)$/.exec(line) ?? [];
      return object === undefined ? [] : [[object, Number(size)]];
    }),
  );
}

/** Forgets the objects of unconverted files, because they may be deleted. */
export const forgetExactFiles = (place: IndexLocation): Promise<void> => rm(knownFile(place), { force: true });

const knownFile = ({ privateFolder }: IndexLocation): string => join(privateFolder, "exact-files.json");

async function readKnown(place: IndexLocation): Promise<Readonly<Record<string, KnownFile>>> {
  try {
    return JSON.parse(await readFile(knownFile(place), "utf8")) as Readonly<Record<string, KnownFile>>;
  } catch (thrown) {
    // The window may have been killed while it wrote. All files are then read again.
    if (isNotFoundError(thrown) || thrown instanceof SyntaxError) return {};
    throw thrown;
  }
}

function ifMissing(thrown: unknown): undefined {
  if (!isNotFoundError(thrown)) throw thrown;
}
