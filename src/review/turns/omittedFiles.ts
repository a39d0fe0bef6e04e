// Reads files that no tree has at the start of a turn, mostly those that git ignores, so that they can be brought back if
// a command of the agent deletes them. Within limits on their number, their size and the time.
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { forEachLimited } from "../../base/async.ts";
import { asError, errorCodeOf, isNotFoundError } from "../../base/errors.ts";
import { decodeUtf8 } from "../../base/text.ts";
import { readFileState, type FileState } from "../../files/fileState.ts";
import type { FileDifference, TurnStart } from "./turnStart.ts";

export interface OmittedLimits {
  /** With more files, those in deep folders are not known. */
  readonly files: number;
  /** The content of further files is not known. */
  readonly bytes: number;
  readonly milliseconds: number;
}

const defaultLimits: OmittedLimits = { files: 2000, bytes: 16 * 1024 * 1024, milliseconds: 500 };

/** Larger files are only known to exist. */
const maxFileBytes = 8 * 1024 * 1024;

const maxConcurrentReads = 16;

/** Folders that programs fill and can fill again. Their files are not read. */
const isGeneratedFolder = (path: string): boolean =>
  /^(?:node_modules|bower_components|__pycache__)$/.test(basename(path));

/** Files in the top of a folder that a program fills: a cache (see bford.info/cachedir), or an environment of Python. */
const signsOfGenerated: ReadonlySet<string> = new Set(["CACHEDIR.TAG", "pyvenv.cfg"]);

interface OmittedFile {
  /** The same for a file that was moved. */
  readonly id: string;
  /** Differs if the content was written. */
  readonly version: string;
  readonly size: number;
  readonly isLink: boolean;
  /** Absent: it was not read. */
  readonly state?: FileState;
}

/** The start of a turn for the files that no tree has. */
export interface OmittedFiles extends TurnStart {
  readonly files: ReadonlyMap<string, OmittedFile>;
}

/**
 * Reads the files at these paths, and those in these folders, which end with a separator. Files near the top are read
 * first. `earlier`: what was read before, which is used for the files that have not changed.
 */
export async function omittedFiles(
  paths: readonly string[],
  options: Partial<OmittedLimits> = {},
  earlier?: OmittedFiles,
): Promise<OmittedFiles> {
  const limits = { ...defaultLimits, ...options };
  const until = Date.now() + limits.milliseconds;
  const files = new Map<string, OmittedFile>();
  /** The folders whose files are not known, or not all, with the path at which they were listed. */
  const unknown = new Map<string, string>();
  let bytes = 0;
  const isOver = (): boolean => files.size >= limits.files || Date.now() > until;
  const read = async (path: string): Promise<void> => {
    const found = await identify(path);
    if (!found) return;
    const before = earlier?.files.get(path);
    if (isOver() || found.size > maxFileBytes || bytes + found.size > limits.bytes) return void files.set(path, found);
    bytes += found.size;
    const state = before?.version === found.version ? before.state : undefined;
    files.set(path, { ...found, ...withState(state ?? (await readFileState(path, maxFileBytes))) });
  };
  /** Reads the files of a folder. Resolves with the folders in it. */
  const readFolder = async (folder: string, top: string): Promise<readonly string[]> => {
    const leave = (): readonly string[] => {
      unknown.set(folder, top);
      return [];
    };
    if (isOver() || limits.bytes === 0 || isGeneratedFolder(folder) || basename(folder) === ".git") return leave();
    const entries = await readdir(folder, { withFileTypes: true });
    if (entries.some(({ name }) => signsOfGenerated.has(name))) return leave();
    const names = entries.filter(one => one.isFile() || one.isSymbolicLink()).map(({ name }) => name);
    await forEachLimited(names, maxConcurrentReads, async name => {
      if (isOver()) unknown.set(folder, top);
      else await read(join(folder, name)).catch(ignoreUnreadable);
    });
    return entries.filter(one => one.isDirectory()).map(({ name }) => join(folder, name));
  };
  const tops = paths.filter(path => path.endsWith(sep)).map(path => path.slice(0, -1));
  await forEachLimited(
    paths.filter(path => !path.endsWith(sep)),
    maxConcurrentReads,
    path => read(path).catch(ignoreUnreadable),
  );
  let level = tops.map(top => ({ folder: top, top }));
  while (level.length > 0) {
    const next: { readonly folder: string; readonly top: string }[] = [];
    for (const { folder, top } of level) {
      const found = await readFolder(folder, top).catch((thrown: unknown) => {
        ignoreUnreadable(thrown);
        if (!isNotFoundError(thrown)) unknown.set(folder, top);
        return [];
      });
      next.push(...found.map(one => ({ folder: one, top })));
    }
    level = next;
  }
  const folders = await realFolders(files.keys());
  return {
    files,
    folders: [],
    omitted: [],
    textAt: path => Promise.resolve(textOf(files.get(path)?.state)),
    stateAt: path => Promise.resolve(files.get(path)?.state),
    filesAt: () => Promise.resolve(undefined),
    async differences(signal) {
      const differences: FileDifference[] = [];
      const moved = await movedFolders(folders);
      await forEachLimited([...files], maxConcurrentReads, async ([path, { id, isLink, state }]) => {
        signal.throwIfAborted();
        const now = moved.has(dirname(path)) ? undefined : await identify(path);
        // Git ignores the file, so a change of its text is not listed.
        if (now?.isLink === isLink) return;
        differences.push({ path, before: textOf(state), was: id, is: now?.id });
      });
      for (const path of await goneFolders(unknown, [...files.keys()]))
        differences.push({ path, before: undefined, was: `folder ${path}`, is: undefined, isFolder: true });
      return differences;
    },
  };
}

const withState = (state: FileState | undefined): { readonly state?: FileState } =>
  state && state.kind !== "missing" ? { state } : {};

/** The text of a file. Undefined if it is no text in UTF-8. */
const textOf = (state: FileState | undefined): string | undefined =>
  state?.kind === "file" ? decodeUtf8(state.bytes) : undefined;

/** The folders of the files, with where they are. A link in the place of a folder leads to other files. */
async function realFolders(files: Iterable<string>): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map([...files].map(path => [dirname(path), undefined as string | undefined]));
  await forEachLimited([...found.keys()], maxConcurrentReads, async folder => {
    found.set(folder, await realFolder(folder));
  });
  return found;
}

/** The folders that are gone, or that a link has replaced. */
async function movedFolders(folders: ReadonlyMap<string, string | undefined>): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await forEachLimited([...folders], maxConcurrentReads, async ([folder, real]) => {
    if ((await realFolder(folder)) !== real) found.add(folder);
  });
  return found;
}

async function realFolder(folder: string): Promise<string | undefined> {
  try {
    return await realpath(folder);
  } catch (thrown) {
    ignoreUnreadable(thrown);
    return undefined;
  }
}

/** The folders that are gone, each with the folders above it that are gone and had no known file. */
async function goneFolders(
  unknown: ReadonlyMap<string, string>,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  const withFiles = new Set<string>();
  for (const file of files)
    for (let folder = dirname(file); !withFiles.has(folder) && folder !== dirname(folder); folder = dirname(folder))
      withFiles.add(folder);
  const found = new Set<string>();
  for (const [folder, top] of unknown) {
    if (!(await isFolderGone(folder))) continue;
    let highest = folder;
    while (highest !== top && !withFiles.has(dirname(highest)) && (await isFolderGone(dirname(highest))))
      highest = dirname(highest);
    found.add(highest);
  }
  return found;
}

async function isFolderGone(folder: string): Promise<boolean> {
  try {
    return !(await lstat(folder)).isDirectory();
  } catch (thrown) {
    if (isNotFoundError(thrown)) return true;
    throw thrown;
  }
}

/** Undefined if there is no file and no link. */
async function identify(path: string): Promise<OmittedFile | undefined> {
  try {
    const found = await lstat(path);
    const isLink = found.isSymbolicLink();
    if (!found.isFile() && !isLink) return undefined;
    const { ino, birthtimeMs, mtimeMs, ctimeMs, size } = found;
    const id = `${ino} ${birthtimeMs}`;
    return { id, version: `${id} ${mtimeMs} ${ctimeMs} ${size}`, size, isLink };
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

/** What was deleted meanwhile, or cannot be read by this user, is left out. */
function ignoreUnreadable(thrown: unknown): void {
  if (isNotFoundError(thrown) || ["EACCES", "EPERM", "ELOOP"].includes(errorCodeOf(thrown) ?? "")) return;
  throw asError(thrown);
}
