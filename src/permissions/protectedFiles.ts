// Recognises the files of protectedRows.ts: files that programs run or obey without being started by the user, and files
// that agents follow. An agent writes them through Parley only with the user's permission, even inside the workspace folders.
import { posix, win32 } from "node:path";
import { t } from "../base/l10n.ts";
import { expandGlob, foldedSpellings, pathFits, pathGlobs, restrictionTest } from "./pathGlob.ts";
import type { PathContext, PathGlob } from "./pathGlob.ts";
import { protectedRows, type Protection } from "./protectedRows.ts";

/** The user's changes to the lists. */
export interface ProtectionSettings {
  /** Each glob puts its files in a list, or takes them out of all (`false`). The last glob that matches decides. */
  readonly overrides: readonly (readonly [glob: string, protection: Protection | false])[];
  /** Whether files that run with the next build are protected. */
  readonly askForBuildFiles: boolean;
  /** Folders in which repositories have their hooks, by their configuration. Absolute paths. */
  readonly hookFolders?: readonly string[];
  /** Further files that programs run or obey, such as the scripts of MCP servers. Absolute paths. */
  readonly files?: readonly string[];
}

/** Finds out how a file is protected. Undefined: it is not. False: the user has taken it out of the lists. */
export interface ProtectionTest {
  (path: string): Protection | false | undefined;
  /** The same for a folder that is moved to this path or away from it, with files by which it is in the lists: `.github`. */
  readonly ofFolder: (path: string) => Protection | false | undefined;
}

/** Nothing is protected. */
export const noProtection: ProtectionTest = Object.assign(() => undefined, { ofFolder: () => undefined });

const protections: readonly Protection[] = ["refuse", "ask", "askOnce", "askForBuild"];

/** The valid entries of the setting, and the errors in the others, as sentences. */
export function readProtectionSetting(
  setting: string,
  value: unknown,
): { readonly overrides: ProtectionSettings["overrides"]; readonly problems: readonly string[] } {
  if (value === undefined || value === null) return { overrides: [], problems: [] };
  if (typeof value !== "object" || Array.isArray(value)) {
    return { overrides: [], problems: [t("{0} must be an object with globs.", setting)] };
  }
  const overrides: (readonly [string, Protection | false])[] = [];
  const problems: string[] = [];
  for (const [glob, item] of Object.entries(value)) {
    const protection = item === false ? false : protections.find(one => one === item);
    const expanded = expandGlob(glob);
    if (typeof expanded === "string") problems.push(t("{0}: {1} {2}.", setting, JSON.stringify(glob), expanded));
    else if (protection === undefined)
      problems.push(
        t('{0}: {1} must be "refuse", "ask", "askOnce", "askForBuild" or false.', setting, JSON.stringify(glob)),
      );
    else overrides.push([glob, protection]);
  }
  return { overrides, problems };
}

/** Characters that some file systems ignore in names. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** The same test for many paths. In doubt a file is protected. */
export function protectionTest(settings: ProtectionSettings, place: PathContext): ProtectionTest {
  const anyCase = { ...place, ignoresCase: true };
  const spelled = (matches: (path: string) => boolean) => (path: string) => foldedSpellings(path).some(matches);
  const lists = protections.map(protection => {
    const globs = globsOf(protection);
    const listed = restrictionTest(globs, anyCase);
    const isHook = protection === "ask" ? hookTest(settings.hookFolders ?? [], place) : undefined;
    const named = protection === "ask" ? fileTest(settings.files ?? [], place) : undefined;
    const isFolder = restrictionTest(globs.flatMap(configurationFolders), anyCase);
    return {
      protection,
      matches: spelled(path => listed(path) || isHook?.(path) === true || named?.isFile(path) === true),
      matchesFolder: spelled(path => isFolder(path) || named?.isFolder(path) === true),
    };
  });
  const overrides = settings.overrides.map(([glob, protection]) => {
    const globs = pathGlobs(glob);
    // Only a glob that surely matches removes a protection.
    const matches =
      protection === false
        ? (path: string) => globs.some(one => pathFits(one, path, place))
        : spelled(restrictionTest(globs, anyCase));
    return { protection, matches };
  });
  const find = (path: string, isFolder: boolean): ReturnType<ProtectionTest> => {
    const plain = path.replace(ignoredCharacters, "");
    const found =
      overrides.findLast(({ matches }) => matches(plain)) ??
      lists.find(({ matches, matchesFolder }) => matches(plain) || (isFolder && matchesFolder(plain)));
    const protection = found?.protection;
    return protection === "askForBuild" && !settings.askForBuildFiles ? false : protection;
  };
  return Object.assign((path: string) => find(path, false), { ofFolder: (path: string) => find(path, true) });
}

const globsOf = (wanted: Protection): readonly PathGlob[] =>
  protectedRows.flatMap(({ protection, globs }) =>
    protection === wanted ? globs.flatMap(glob => pathGlobs(`**/${glob}`)) : [],
  );

/** The folders for configuration in a glob, such as `.github` in `.github/workflows/**`. */
function configurationFolders({ from, glob }: PathGlob): readonly PathGlob[] {
  return glob.flatMap((segment, index) =>
    segment.startsWith(".") && index < glob.length - 1 ? [{ from, glob: glob.slice(0, index + 1) }] : [],
  );
}

/** Whether a path is one of the files, or a folder below a workspace folder with one of them, in any case. */
function fileTest(
  files: readonly string[],
  { platform, roots }: PathContext,
): { readonly isFile: (path: string) => boolean; readonly isFolder: (path: string) => boolean } {
  const { dirname, normalize } = platform === "windows" ? win32 : posix;
  const normal = (path: string): string =>
    normalize(path)
      .normalize("NFC")
      .toLowerCase()
      .replace(/(?<=.)[\\/]$/, "");
  const all = new Set(files.map(normal));
  const tops = new Set(roots.map(normal));
  const folders = new Set<string>();
  for (const file of all)
    for (let at = dirname(file); !tops.has(at) && !folders.has(at) && at !== dirname(at); at = dirname(at))
      folders.add(at);
  return { isFile: path => all.has(normal(path)), isFolder: path => folders.has(normal(path)) };
}

/** Whether a path is in one of the folders. If the folder contains a whole workspace, only the files in it are hooks. */
function hookTest(folders: readonly string[], { platform, roots }: PathContext): (path: string) => boolean {
  const { dirname, normalize, relative } = platform === "windows" ? win32 : posix;
  const normal = (path: string): string => normalize(path).toLowerCase();
  const isWithin = (path: string, folder: string): boolean => {
    const rest = relative(folder, path);
    return rest !== path && !/^\.\.(?:[\\/]|$)/.test(rest);
  };
  const all = folders.map(folder => {
    const at = normal(folder).replace(/(?<=.)[\\/]$/, "");
    return { at, isWhole: roots.some(root => isWithin(normal(root), at)) };
  });
  return path => {
    const plain = normal(path);
    return all.some(({ at, isWhole }) => (isWhole ? dirname(plain) === at : isWithin(plain, at)));
  };
}

/** The strongest of several results. */
export const strongestProtection = (results: readonly ReturnType<ProtectionTest>[]): ReturnType<ProtectionTest> =>
  protections.find(protection => results.includes(protection)) ?? (results.includes(false) ? false : undefined);

/** When programs run the file, or whether agents follow it, for a mark on its changes. Undefined: it is in no list. */
export function runsOf(protection: ReturnType<ProtectionTest>): "byItself" | "withBuild" | "byAgents" | undefined {
  if (!protection) return undefined;
  return ({ refuse: "byItself", ask: "byItself", askOnce: "byAgents", askForBuild: "withBuild" } as const)[protection];
}

/** The settings with further files. The same object until one of them changes. */
export function withProtectedFiles(
  settings: () => ProtectionSettings,
  files: () => readonly string[],
): () => ProtectionSettings {
  let known:
    | { readonly of: ProtectionSettings; readonly files: readonly string[]; readonly all: ProtectionSettings }
    | undefined;
  return () => {
    const [of, more] = [settings(), files()];
    if (known?.of !== of || known.files !== more) known = { of, files: more, all: { ...of, files: more } };
    return known.all;
  };
}

/** The lists of Parley without changes of the user. */
export const defaultProtection: ProtectionSettings = { overrides: [], askForBuildFiles: true };
