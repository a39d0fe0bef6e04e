// Walks the files below a folder without git, and leaves out what .gitignore files exclude.
import { readdir, readFile } from "node:fs/promises";
import ignore, { type Ignore } from "ignore";
import { errorCodeOf } from "../base/errors.ts";

/** Decides which paths are excluded. Paths are relative to the folder it was made for, with slashes. */
export type PathExclusion = (path: string) => boolean;

/** The exclusion by settings like `files.exclude`. Ignores entries with conditions (`when`) and invalid globs. */
export function excludedBy(setting: Readonly<Record<string, unknown>>, ignoresCase: boolean): PathExclusion {
  const rules = ignore({ ignorecase: ignoresCase });
  for (const [glob, on] of Object.entries(setting)) {
    if (on === true) rules.add(ignoreRule(glob));
  }
  return path => rules.ignores(path);
}

/** A glob of the settings as a line of a .gitignore, where it is relative to the root only with a leading slash. */
function ignoreRule(glob: string): string[] {
  const expanded = expandBraces(glob);
  return expanded.map(one => (one.startsWith("**/") || one.startsWith("/") ? one : `/${one}`));
}

function expandBraces(glob: string): readonly string[] {
  const open = /\{([^{}]*)\}/.exec(glob);
  if (!open) return [glob];
  const [before, after] = [glob.slice(0, open.index), glob.slice(open.index + open[0].length)];
  return (open[1] ?? "").split(",").flatMap(one => expandBraces(`${before}${one}${after}`));
}

export interface WalkOptions {
  readonly take: (paths: readonly string[]) => Promise<void> | void;
  readonly isExcluded: PathExclusion;
  /** Receives what is left out. Folders end with a slash. */
  readonly omit?: (path: string) => void;
  /** Walk only this path and everything below it, relative to the folder. */
  readonly from?: string;
  readonly signal?: AbortSignal;
}

interface IgnoreRules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Walks the folder. Symbolic links are listed as files and not followed. Skips folders that cannot be read. */
export async function walkFiles(
  root: string,
  { take, isExcluded, omit, from = "", signal }: WalkOptions,
): Promise<void> {
  const layersAbove = async (path: string): Promise<readonly IgnoreRules[]> => {
    const layers: IgnoreRules[] = [];
    const parts = path.split("/");
    for (let i = 0; i < parts.length; i++) layers.push(...(await layerOf(root, parts.slice(0, i).join("/"))));
    return layers;
  };
  const isLeftOut = (path: string, folder: boolean, layers: readonly IgnoreRules[]): boolean =>
    /(?:^|\/)\.git$/.test(path) || isExcluded(path) || isIgnored(folder ? `${path}/` : path, layers);
  const walk = async (folder: string, above: readonly IgnoreRules[]): Promise<void> => {
    signal?.throwIfAborted();
    const entries = await entriesOf(root, folder);
    const layers = [
      ...above,
      ...(entries.some(({ name }) => name === ".gitignore") ? await layerOf(root, folder) : []),
    ];
    const files: string[] = [];
    const folders: string[] = [];
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile() && !entry.isSymbolicLink()) continue;
      if (!isLeftOut(path, isFolder, layers)) (isFolder ? folders : files).push(path);
      else omit?.(isFolder ? `${path}/` : path);
    }
    if (files.length > 0) await take(files);
    for (const one of folders) await walk(one, layers);
  };
  if (from === "") return walk("", []);
  const layers = await layersAbove(from);
  const parts = from.split("/");
  for (let i = 1; i < parts.length; i++) if (isLeftOut(parts.slice(0, i).join("/"), true, layers)) return;
  const parent = parts.slice(0, -1).join("/");
  const self = (await entriesOf(root, parent)).find(({ name }) => name === parts.at(-1));
  if (!self || isLeftOut(from, self.isDirectory(), layers)) return;
  if (self.isDirectory()) await walk(from, layers);
  else if (self.isFile() || self.isSymbolicLink()) await take([from]);
}

/** The nearest .gitignore with a matching rule decides. */
function isIgnored(path: string, layers: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of layers.toReversed()) {
    const below = folder === "" ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
    if (below === "") continue; // The rules of a folder apply only to its contents.
    const { ignored, unignored } = rules.test(below);
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function layerOf(root: string, folder: string): Promise<readonly IgnoreRules[]> {
  try {
    const text = await readFile(`${root}/${folder === "" ? "" : `${folder}/`}.gitignore`, "utf8");
    return [{ folder, rules: ignore().add(text) }];
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}

async function entriesOf(root: string, folder: string): Promise<Awaited<ReturnType<typeof list>>> {
  try {
    return await list(folder === "" ? root : `${root}/${folder}`);
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}
const list = (path: string) => readdir(path, { withFileTypes: true });

const isUnreadable = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "EISDIR", "ELOOP"].includes(errorCodeOf(error) ?? "");
