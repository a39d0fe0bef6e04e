// Reads the info string of a code fence: the language, and the file that the code belongs to.
import { linkIntent } from "./links.ts";

/** `language` is "" if the info string names none. */
export interface FenceInfo {
  readonly language: string;
  /** A workspace file, as the agent wrote its path. */
  readonly path?: string;
}

const namedPathPattern = /(?:^|[\s{,])(?:title|file|filename|path)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'{},]+))/i;

/**
 * Reads a fence's info string: `ts`, `ts src/a.ts`, `ts title="src/a.ts"`, `ts:src/a.ts`, `src/a.ts`, or
 * `10:20:src/a.ts` for quoted code.
 */
export function fenceInfo(info: string): FenceInfo {
  const [first = "", ...rest] = info.trim().split(/\s+/);
  const language = /^[^\s{,:]*/.exec(first)?.[0] ?? "";
  const named = namedPathPattern
    .exec(info)
    ?.slice(1)
    .find(text => text !== undefined);
  const joined = /^(?![A-Za-z]:[\\/])(?:\d+:\d+|[\w+#-]+):(.+)$/.exec(first)?.[1];
  const path = [named, joined, first, ...rest].find(text => text !== undefined && isFilePath(text));
  if (path === undefined) return { language };
  const names = path !== first && !/^\d*$/.test(language);
  return { language: names ? language : endingOf(path), path };
}

/** Whether the text is only a path with a file extension. */
function isFilePath(text: string): boolean {
  return /^[^"'{}=<>|?*]*[^"'{}=<>|?*.\\/]\.\w{1,10}$/.test(text) && linkIntent(text)?.type === "openFile";
}

const endingOf = (path: string): string => path.split(".").at(-1) ?? "";
