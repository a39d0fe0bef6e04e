// Path globs of rules, matched segment by segment. `**` is any number of segments, including none. `*` and `?` stay
// within one segment. `{a,b}` is either. Names that start with a dot are treated like all others.
import { t } from "../base/l10n.ts";
import { isInside, normalisePath } from "../files/paths.ts";
import { type Platform } from "../base/platform.ts";
import type { Fit } from "./commandLine/types.ts";

const maxAlternatives = 200;

/** A glob without braces, as segments. */
type Glob = readonly string[];

/** Expands the braces of a glob. A string result is a sentence that describes the error. */
export function expandGlob(glob: string): readonly Glob[] | string {
  if (glob === "") return t("is empty");
  const expanded = expandBraces(glob);
  if (typeof expanded === "string") return expanded;
  const globs = expanded.map(one => one.split("/").filter(segment => segment !== ""));
  if (globs.some(segments => segments.includes(".") || segments.includes(".."))) {
    return t("contains “.” or “..” as a folder; write the resolved path");
  }
  const mixed = globs.flat().find(segment => segment.includes("**") && segment !== "**");
  if (mixed !== undefined) return t("contains “{0}”; “**” stands for whole folders, as in “src/**”", mixed);
  return globs;
}

/** The alternatives of a text with braces. A string result is a sentence that describes the error. */
export function expandBraces(glob: string): readonly string[] | string {
  let done: string[] = [];
  let open = [glob];
  while (open.length > 0) {
    const next: string[] = [];
    for (const one of open) {
      // Expands the innermost braces first, so that braces may be nested.
      const braces = /\{([^{}]*)\}/.exec(one);
      if (!braces) {
        if (/[{}]/.test(one)) return t("has an unbalanced brace");
        done.push(one);
        continue;
      }
      for (const choice of (braces[1] ?? "").split(",")) {
        next.push(one.slice(0, braces.index) + choice + one.slice(braces.index + braces[0].length));
      }
    }
    if (done.length + next.length > maxAlternatives) return t("stands for more than {0} alternatives", maxAlternatives);
    open = next;
  }
  done = [...new Set(done)];
  return done;
}

/** Whether the glob matches the whole path. If case does not matter, both are in the same case. */
function globFits(glob: Glob, path: readonly string[]): boolean {
  return matchWildcards(glob, path, segment => segment === "**", segmentFits);
}

function segmentFits(pattern: string, segment: string): boolean {
  return segmentTest(pattern)(segment);
}

/** The same test of one pattern for many segments. */
function segmentTest(pattern: string): (segment: string) => boolean {
  if (!/[*?]/.test(pattern)) return segment => segment === pattern;
  const [start = "", end = "", more] = pattern.split("*");
  if (more === undefined && !pattern.includes("?"))
    return segment => segment.length >= start.length + end.length && segment.startsWith(start) && segment.endsWith(end);
  const characters = Array.from(pattern);
  return segment =>
    matchWildcards(
      characters,
      Array.from(segment),
      character => character === "*",
      (one, character) => one === "?" || one === character,
    );
}

/**
 * Whether a path with the wildcards of a shell may be a path that the glob matches. In a shell, a wildcard at the start of
 * a name doesn't stand for a dot. Both are in lower case.
 */
export function mayOverlap(shell: readonly string[], glob: readonly string[]): boolean {
  const isAnyFolder = (segment: string): boolean => segment === "**";
  return patternsOverlap(shell, glob, isAnyFolder, segmentsOverlap);
}

/** The product of two lengths up to which names are compared letter by letter. Longer ones may overlap. */
const maxOverlapWork = 4000;

function segmentsOverlap(shell: string, segment: string): boolean {
  if (/^[*?[]/.test(shell) && segment.startsWith(".")) return false;
  if (!/[*?[]/.test(shell)) return segmentFits(segment, shell);
  if (!sameUntilWildcard(shell, segment)) return false;
  // An unclosed set of characters reaches to the end.
  if (!shell.includes("[") && !sameUntilWildcard(reversed(shell), reversed(segment))) return false;
  if (shell.length * segment.length > maxOverlapWork) return true;
  // A set of characters stands for one of them. An unclosed one is not understood.
  const end = shell.lastIndexOf("]") + 1;
  const own = shell.slice(0, end).replace(/\[[!^]?\]?[^\]]*\]/g, "?") + shell.slice(end);
  const isAnyText = (character: string): boolean => character === "*";
  const fits = (a: string, b: string): boolean => a === b || a === "?" || b === "?";
  return patternsOverlap(Array.from(own.replace(/\[.*/, "*")), Array.from(segment), isAnyText, fits);
}

const reversed = (text: string): string => Array.from(text).reverse().join("");

/** Whether two patterns have the same characters until one of them has a wildcard. */
function sameUntilWildcard(one: string, other: string): boolean {
  const end = Math.min(...[one, other].map(text => /[*?[\]]|$/.exec(text)?.index ?? 0));
  return one.slice(0, end) === other.slice(0, end);
}

/** Whether something matches both of two patterns. */
function patternsOverlap(
  one: readonly string[],
  other: readonly string[],
  isAny: (element: string) => boolean,
  fits: (a: string, b: string) => boolean,
): boolean {
  // For each position in `other`: whether its rest overlaps with the rest of `one`.
  let after: boolean[] = [];
  for (let i = one.length; i >= 0; i--) {
    const here: boolean[] = [];
    for (let j = other.length; j >= 0; j--) {
      const a = one[i];
      const b = other[j];
      const skipsOther = (): boolean => here[j + 1] ?? false;
      const skipsOne = (): boolean => after[j] ?? false;
      if (a === undefined && b === undefined) here[j] = true;
      else if (a !== undefined && isAny(a)) here[j] = skipsOne() || (b !== undefined && skipsOther());
      else if (b !== undefined && isAny(b)) here[j] = skipsOther() || (a !== undefined && skipsOne());
      else here[j] = a !== undefined && b !== undefined && fits(a, b) && (after[j + 1] ?? false);
    }
    after = here;
  }
  return after[0] ?? false;
}

/** Matches wildcards that stand for any number of items, without exponential backtracking. */
function matchWildcards(
  pattern: readonly string[],
  items: readonly string[],
  isAny: (element: string) => boolean,
  fits: (element: string, item: string) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let any = -1;
  let resume = 0;
  while (i < items.length) {
    const element = pattern[p];
    if (element !== undefined && isAny(element)) {
      any = p++;
      resume = i;
    } else if (element !== undefined && fits(element, items[i] ?? "")) {
      p++;
      i++;
    } else if (any >= 0) {
      p = any + 1;
      i = ++resume;
    } else return false;
  }
  return pattern.slice(p).every(isAny);
}

/** The context in which paths are interpreted. */
export interface PathContext {
  readonly roots: readonly string[];
  readonly platform: Platform;
  readonly ignoresCase: boolean;
  /** The user's home folder, for globs that start with `~/`. */
  readonly home?: string;
}

/** A glob of a rule, and its starting point. */
export interface PathGlob {
  readonly from: "roots" | "home" | "top";
  readonly glob: Glob;
}

/** Parses a valid glob of a rule. */
export function pathGlobs(text: string): readonly PathGlob[] {
  const globs = expandGlob(text);
  if (typeof globs === "string") return [];
  if (text.startsWith("~/")) return globs.map(glob => ({ from: "home", glob: glob.slice(1) }));
  const top = text.startsWith("/") || /^[a-z]:\//i.test(text);
  return globs.map(glob => ({ from: top ? "top" : "roots", glob }));
}

/** A path from the root of the file system, as segments. Undefined: not a path that can be used. */
function segmentsOf(path: string, place: PathContext): readonly string[] | undefined {
  const normal = normalPath(path, place);
  if (normal === undefined) return undefined;
  return foldedSegments(
    normal.split(place.platform === "windows" ? "\\" : "/").filter(segment => segment !== ""),
    place,
  );
}

function normalPath(path: string, place: PathContext): string | undefined {
  try {
    return normalisePath(path, place.platform);
  } catch {
    // A Refusal: the path is malformed. The code that uses the path reports the reason.
    return undefined;
  }
}

function foldedSegments(segments: readonly string[], { ignoresCase }: PathContext): readonly string[] {
  return ignoresCase ? segments.map(segment => segment.normalize("NFC").toLowerCase()) : segments;
}

/**
 * The spellings of a path that some file systems treat as the same, such as `ſ` as `s`. For lists that must not miss a
 * file; two of them may also be different files.
 */
export function foldedSpellings(path: string): readonly string[] {
  const folded = path.normalize("NFKC").toUpperCase().toLowerCase();
  return folded === path.toLowerCase() ? [path] : [path, folded];
}

/** Whether the path is inside one of the workspace folders. */
export function isInRoots(path: string, place: PathContext): boolean {
  const normal = normalPath(path, place);
  if (normal === undefined) return false;
  return place.roots.some(root => {
    const outer = normalPath(root, place);
    return outer !== undefined && isInside(normal, outer, place.platform, place.ignoresCase);
  });
}

const isOnShare = (path: string, place: PathContext): boolean =>
  place.platform === "windows" && (normalPath(path, place)?.startsWith("\\\\") ?? false);

/** Whether a glob names a machine and its share, and not just any: `//server/share/**`. */
const namesShare = ([server, share]: Glob): boolean =>
  server !== undefined && share !== undefined && !/[*?]/.test(server + share);

/** Whether a glob of an allow rule matches the path. */
export function pathFits({ from, glob }: PathGlob, path: string, place: PathContext): boolean {
  const own = segmentsOf(path, place);
  if (!own || (from === "top" && isOnShare(path, place) && !namesShare(glob))) return false;
  const bases = from === "top" ? [[]] : basesOf(from, place);
  return bases.some(
    base =>
      base.every((segment, i) => own[i] === segment) && globFits(foldedSegments(glob, place), own.slice(base.length)),
  );
}

/**
 * How near a path is to a glob that does not match it: the number of folders that both have in common, at least 1. 0: they
 * have neither the same folder, one beside it, nor the same name in another folder.
 */
export function nearnessTo({ from, glob }: PathGlob, path: string, place: PathContext): number {
  const own = segmentsOf(path, place);
  if (!own) return 0;
  const folded = foldedSegments(glob, place);
  const isWild = (segment: string): boolean => /[*?]/.test(segment);
  const wildcard = folded.findIndex(isWild);
  const folder = folded.slice(0, wildcard < 0 ? -1 : wildcard);
  const name = folded.at(-1) ?? "";
  const namesFiles = /[^*?.]/.test(name) && segmentFits(name, own.at(-1) ?? "");
  const bases = (from === "top" ? [[]] : basesOf(from, place)).filter(base => base.every((one, i) => own[i] === one));
  // What a glob would match in the workspace is near to it outside, too.
  if (bases.length === 0) return from === "roots" && folded[0] === "**" && globFits(folded, own) ? 1 : 0;
  return Math.max(
    ...bases.map(base => {
      const rest = own.slice(base.length, -1);
      const end = folder.findIndex((one, i) => rest[i] !== one);
      const common = end < 0 ? folder.length : end;
      const isBeside = folder.length > 0 && common >= Math.max(1, folder.length - 1);
      return isBeside ? 1 + common : namesFiles && from === "roots" ? 1 : 0;
    }),
  );
}

function basesOf(from: "roots" | "home", place: PathContext): readonly (readonly string[])[] {
  const folders = from === "roots" ? place.roots : place.home === undefined ? [] : [place.home];
  return folders.flatMap(folder => {
    const segments = segmentsOf(folder, place);
    return segments ? [segments] : [];
  });
}

/** Whether a glob of a rule that denies or asks matches the path. */
export function pathRestricted(glob: PathGlob, path: string, place: PathContext): Fit {
  const own = segmentsOf(path, place);
  if (!own || (glob.from === "home" && place.home === undefined)) return "maybe";
  // A path that is forbidden anywhere in the workspace is forbidden everywhere.
  const anywhere = glob.from === "roots" && glob.glob[0] === "**" && globFits(foldedSegments(glob.glob, place), own);
  return anywhere || pathFits(glob, path, place) ? "yes" : "no";
}

/**
 * A test whether any of the globs may match, as in {@link pathRestricted}. Each glob is prepared once, for many paths.
 */
export function restrictionTest(globs: readonly PathGlob[], place: PathContext): (path: string) => boolean {
  const made = globs.map(({ from, glob }) => {
    const bases = from === "top" ? [[]] : basesOf(from, place);
    const folded = foldedSegments(glob, place);
    const last = folded.at(-1) ?? "**";
    // Most paths differ in their names already.
    const fitsName = last === "**" ? () => true : segmentTest(last);
    return { glob: folded, bases, anywhere: from === "roots" && glob[0] === "**", fitsName };
  });
  const unknown = place.home === undefined && globs.some(({ from }) => from === "home");
  // Most globs contain a name without wildcards. Only those whose name the path has are compared.
  const byName = new Map<string | undefined, (typeof made)[number][]>();
  for (const one of made) {
    const name = one.glob.find(segment => !/[*?]/.test(segment));
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  return path => {
    const own = segmentsOf(path, place);
    if (!own || unknown) return true;
    return [...new Set([undefined, ...own])].some(name =>
      byName
        .get(name)
        ?.some(
          ({ glob, bases, anywhere, fitsName }) =>
            fitsName(own.at(-1) ?? "") &&
            ((anywhere && globFits(glob, own)) ||
              bases.some(
                base => base.every((segment, i) => own[i] === segment) && globFits(glob, own.slice(base.length)),
              )),
        ),
    );
  };
}

/** The same for a path with the wildcards of a shell: whether it may stand for a path that a glob matches. */
export function overlapTest(globs: readonly PathGlob[], place: PathContext): (path: string) => boolean {
  const made = globs.flatMap(({ from, glob }) => {
    const own = foldedSegments(glob, place);
    const below = (from === "top" ? [[]] : basesOf(from, place)).map(base => [...base, ...own]);
    return from === "roots" && glob[0] === "**" ? [own, ...below] : below;
  });
  return path => {
    const own = segmentsOf(path, place);
    return !own || made.some(glob => mayOverlap(own, glob));
  };
}

/** The glob of exactly this path. Undefined if its name contains a wildcard character. */
export function globForPath(path: string, place: PathContext): string | undefined {
  const normal = normalPath(path, place);
  if (normal === undefined || /[*?{}]/.test(normal)) return undefined;
  const root = place.roots
    .map(one => normalPath(one, place) ?? "")
    .find(one => one !== "" && isInside(normal, one, place.platform, place.ignoresCase));
  const whole = normal.replaceAll("\\", "/");
  return root === undefined || root.length >= normal.length
    ? whole
    : whole.slice(root.replace(/[\\/]$/, "").length + 1);
}
