// Decides which paths an agent may access. Pure rules for POSIX and Windows that can be tested on either. The result is
// a path with symbolic links resolved, and whether it is inside one of the session's roots.
import { Refusal, asError, errorCodeOf } from "../base/errors.ts";
import { hostPlatform, type Platform } from "../base/platform.ts";
import { quotePath } from "../base/text.ts";
import type { PathResolver } from "./ports.ts";

/** No file system supports longer paths. */
const maxPathLength = 32_000;

/**
 * The path in its normal form: absolute, without `.` and `..`, no doubled or trailing separators.
 * Throws a Refusal for a path that is not absolute, and on Windows for every name that is not a plain file or folder.
 * @example normalisePath("c:/work/../x/a.ts", "windows") // "C:\\x\\a.ts"
 */
export function normalisePath(path: string, platform: Platform): string {
  if (path === "") throw invalidPath("The path is empty. Send an absolute path.", path);
  if (path.length > maxPathLength)
    throw invalidPath(`The path is ${path.length} characters long. No file system supports that.`, path);
  if (path.includes("\0")) throw invalidPath(`${quotePath(path)} contains a NUL character. Send a plain path.`, path);
  if (/\p{Surrogate}/u.test(path)) throw invalidPath(`${quotePath(path)} is not valid Unicode.`, path);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path))
    throw invalidPath(`${quotePath(path)} is a URI. Send an absolute path.`, path);
  return platform === "windows" ? normaliseWindows(path) : normalisePosix(path);
}

/** Whether the normal path is the root or below it, compared segment by segment. */
export function isInside(path: string, root: string, platform: Platform, ignoresCase: boolean): boolean {
  return segmentsBelow(path, root, platform, ignoresCase) !== undefined;
}

/** A key for maps, equal for all spellings of the same path. */
export function pathKey(path: string, platform: Platform, ignoresCase: boolean): string {
  return segmentsOf(path, platform)
    .map(segment => foldCase(segment, platform, ignoresCase))
    .join("/");
}

/** A resolved path, and whether it is inside the session's roots. */
export interface LocatedPath {
  /** The path to use: resolved, but spelled with the root as it was given, so that the editor recognizes the file. */
  readonly path: string;
  readonly inside: boolean;
  /** The same for every path to this file. */
  readonly key: string;
}

/** The roots of a session. Every path of an agent is checked here. */
export class Confinement {
  readonly #resolver: PathResolver;
  readonly #platform: Platform;
  readonly #namedRoots: readonly string[];
  #roots: Promise<readonly Root[]> | undefined;

  constructor(resolver: PathResolver, roots: readonly string[], platform: Platform = hostPlatform) {
    this.#resolver = resolver;
    this.#platform = platform;
    this.#namedRoots = roots.map(root => normalisePath(root, platform));
  }

  /** The roots as they were given, in normal form. */
  get roots(): readonly string[] {
    return this.#namedRoots;
  }

  /** The roots as they were given and as resolved. A program that queries its folder gets the resolved one. */
  async namedAndRealRoots(): Promise<readonly string[]> {
    const real = await this.#resolvedRoots().catch(() => []);
    return [...new Set([...this.#namedRoots, ...real.map(root => root.real)])];
  }

  /** The Refusal for a path outside the roots. */
  outsideRefusal(path: string): Refusal {
    const roots = this.#namedRoots.map(quotePath).join(", ");
    return invalidPath(`${quotePath(path)} is outside this session's folders (${roots}).`, path);
  }

  /** Resolves a path. Rejects with a Refusal if it is not absolute or cannot be resolved. */
  async locate(path: string): Promise<LocatedPath> {
    const normal = normalisePath(path, this.#platform);
    const roots = await this.#resolvedRoots();
    if (this.#isForeignShare(normal, roots)) return { path: normal, inside: false, key: this.#key(normal) };
    const real = normalisePath(await this.#real(normal, path), this.#platform);
    const key = this.#key(real);
    for (const root of roots) {
      const rest = segmentsBelow(real, root.real, this.#platform, this.#resolver.ignoresCase);
      if (rest !== undefined) return { path: join(root.given, rest, this.#platform), inside: true, key };
    }
    return { path: real, inside: false, key };
  }

  // Invariant: the roots are resolved once. An agent cannot move them by replacing a root with a link.
  #resolvedRoots(): Promise<readonly Root[]> {
    this.#roots ??= Promise.all(
      this.#namedRoots.map(async given => ({
        given,
        real: normalisePath(await this.#real(given, given), this.#platform),
      })),
    ).then(roots => roots.sort((a, b) => b.real.length - a.real.length));
    this.#roots.catch(() => (this.#roots = undefined));
    return this.#roots;
  }

  /** Resolving a path on another machine connects to it and sends it the user's credentials. */
  #isForeignShare(normal: string, roots: readonly Root[]): boolean {
    if (this.#platform !== "windows" || !normal.startsWith("\\\\")) return false;
    const share = segmentsOf(normal, "windows").slice(0, 2).join("\\");
    return !roots.some(root => [root.given, root.real].some(one => isInside(one, share, "windows", true)));
  }

  #key(path: string): string {
    return pathKey(path, this.#platform, this.#resolver.ignoresCase);
  }

  async #real(normal: string, asSent: string): Promise<string> {
    try {
      return await this.#resolver.real(normal);
    } catch (thrown) {
      const code = errorCodeOf(thrown);
      if (code === "ELOOP")
        throw invalidPath(`${quotePath(asSent)} is a symbolic link that leads back to itself.`, asSent);
      if (code === "ENAMETOOLONG") throw invalidPath(`${quotePath(asSent)} has a name that is too long.`, asSent);
      if (code === "EACCES" || code === "EPERM") {
        throw new Refusal("failed", `${quotePath(asSent)} cannot be accessed: permission denied.`, { path: asSent });
      }
      throw new Refusal("failed", `${quotePath(asSent)} could not be resolved: ${asError(thrown).message}`, {
        path: asSent,
      });
    }
  }
}

interface Root {
  readonly given: string;
  readonly real: string;
}

function invalidPath(message: string, path: string): Refusal {
  return new Refusal("invalid", message, { path: path.slice(0, 1000) });
}

function normalisePosix(path: string): string {
  if (path.startsWith("~"))
    throw invalidPath(`${quotePath(path)} starts with “~”, which is not expanded. Send an absolute path.`, path);
  if (!path.startsWith("/")) throw invalidPath(`${quotePath(path)} is a relative path. Send an absolute one.`, path);
  return `/${foldDotSegments(path.split("/")).join("/")}`;
}

function normaliseWindows(given: string): string {
  const path = given.replaceAll("/", "\\");
  const { start, rest, verbatim } = windowsStart(path, given);
  const segments = rest.split("\\");
  if (verbatim && segments.some(segment => segment === "." || segment === "..")) {
    throw invalidPath(`${quotePath(given)} combines the \\\\?\\ prefix with “..”. Send a plain path.`, given);
  }
  for (const segment of segments) checkWindowsName(segment, given);
  const kept = foldDotSegments(segments);
  return start.endsWith(":") ? `${start}\\${kept.join("\\")}` : [start, ...kept].join("\\");
}

/** Splits off the part that `..` cannot leave: a drive (`C:`) or a share (`\\server\share`). */
function windowsStart(path: string, given: string): { start: string; rest: string; verbatim: boolean } {
  const verbatim = path.startsWith("\\\\?\\");
  const plain = verbatim ? path.slice(4).replace(/^UNC\\/i, "\\\\") : path;
  const drive = /^([a-z]):\\/i.exec(plain);
  if (drive) return { start: `${drive[1]?.toUpperCase()}:`, rest: plain.slice(3), verbatim };
  const share = /^\\\\([^\\]+)\\([^\\]+)(\\.*)?$/s.exec(plain);
  if (share && share[1] !== undefined && share[2] !== undefined && !/^[.?]$/.test(share[1])) {
    const names = [share[1], share[2]];
    for (const name of names) {
      if (name === "." || name === "..") throw invalidPath(`${quotePath(given)} is not a path to a share.`, given);
      checkWindowsName(name, given);
    }
    return { start: `\\\\${names.join("\\")}`, rest: share[3] ?? "", verbatim };
  }
  if (verbatim || /^\\\\[.?](\\|$)/.test(path) || path.startsWith("\\??\\")) {
    throw invalidPath(`${quotePath(given)} names a device, not a file.`, given);
  }
  if (/^[a-z]:/i.test(path)) {
    throw invalidPath(`${quotePath(given)} is relative to its drive. Send an absolute path.`, given);
  }
  throw invalidPath(`${quotePath(given)} is not absolute. Start it with a drive letter or \\\\server\\share.`, given);
}

const deviceNames = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;

const forbiddenCharacters = /[<>"|?*\u0000-\u001f]/;

/** Refuses names that Windows silently interprets as another file, a stream or a device. */
function checkWindowsName(name: string, path: string): void {
  if (name === "" || name === "." || name === "..") return;
  if (name.includes(":")) throw invalidPath(`${quotePath(path)} names an alternate data stream.`, path);
  if (forbiddenCharacters.test(name))
    throw invalidPath(`${quotePath(path)} contains a character that is not allowed in file names.`, path);
  if (/[. ]$/.test(name)) throw invalidPath(`${quotePath(path)} has a name that ends with a dot or a space.`, path);
  const stem = (name.split(".")[0] ?? "").trimEnd();
  if (deviceNames.test(stem)) throw invalidPath(`${quotePath(path)} names a device, not a file.`, path);
}

/** Removes `.`, `..` and empty segments. `..` at the top stays at the top, as in all file systems. */
function foldDotSegments(segments: readonly string[]): string[] {
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return kept;
}

/** The segments of a normal path. A drive is the first segment, a share the first two. */
function segmentsOf(path: string, platform: Platform): string[] {
  if (platform === "posix") return path.split("/").filter(segment => segment !== "");
  if (!path.startsWith("\\\\")) return path.split("\\").filter(segment => segment !== "");
  const [server = "", ...rest] = path.slice(2).split("\\");
  return [`\\\\${server}`, ...rest.filter(segment => segment !== "")];
}

/** The segments of `path` below `root`. Undefined if it is not below. */
function segmentsBelow(
  path: string,
  root: string,
  platform: Platform,
  ignoresCase: boolean,
): readonly string[] | undefined {
  const inner = segmentsOf(path, platform);
  const outer = segmentsOf(root, platform);
  const inside = outer.every((segment, index) => {
    const own = inner[index];
    return own !== undefined && foldCase(own, platform, ignoresCase) === foldCase(segment, platform, ignoresCase);
  });
  return inside ? inner.slice(outer.length) : undefined;
}

function join(root: string, rest: readonly string[], platform: Platform): string {
  const separator = platform === "windows" ? "\\" : "/";
  if (rest.length === 0) return root;
  return root.endsWith(separator) ? root + rest.join(separator) : [root, ...rest].join(separator);
}

/**
 * Only one-to-one case pairs count as equal. File systems know fewer pairs than Unicode. Treating different names as
 * equal would allow paths outside the roots, while missing a pair only refuses a path.
 */
function foldCase(segment: string, platform: Platform, ignoresCase: boolean): string {
  if (!ignoresCase) return segment;
  // macOS also ignores how accents are composed.
  const composed = platform === "posix" ? segment.normalize("NFC") : segment;
  return Array.from(composed, character => {
    const upper = character.toUpperCase();
    return upper.toLowerCase() === character ? upper : character;
  }).join("");
}
