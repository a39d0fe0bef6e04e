// Finds the paths of files in text that people and programs write: in Markdown, as a whole text (between backticks) and
// in the output of commands. Linear in the length of the text. Shared with webview-ui.
import { canHaveBlanks, isKnownEnding, lineWordAt, looksLikeFile, positionAt } from "./pathShape.ts";
import { fileUri, pathsInRun, type FoundPath, type TextSource } from "./pathsInRun.ts";
import { startsSpaceless } from "./spacelessScripts.ts";

/** A path without a place in a text. */
export type WrittenPath = Omit<FoundPath, "start" | "end">;

const runPattern = /[^\s\p{Z}\p{Cc}]+/gu;
/** Text in quotation marks, without the marks. */
const quotedPattern =
  /(?<![\p{L}\p{N}])(?:"([^"\n]{3,300})"|'([^'\n]{3,300})'|“([^“”\n]{3,300})”|‘([^‘’\n]{3,300})’|„([^„“”\n]{3,300})[“”]|«([^«»\n]{3,300})»|「([^「」\n]{3,300})」|『([^『』\n]{3,300})』|《([^《》\n]{3,300})》)/gu;

/** The paths in a text, in order. They don't overlap. */
export function findPaths(text: string, source: TextSource): readonly FoundPath[] {
  if (!/\.[A-Za-z]/.test(text)) return [];
  const found: FoundPath[] = [];
  let from = 0;
  for (const quoted of quotedPaths(text)) {
    addRuns(text, from, quoted.start, source, found);
    found.push(quoted);
    from = quoted.end;
  }
  addRuns(text, from, text.length, source, found);
  return source === "output" ? found.filter(({ line }) => line !== undefined) : found;
}

/** The path that is the whole text, with its position. It may contain blanks. For code between backticks. */
export function wholePath(text: string): WrittenPath | undefined {
  const uri = /^file:/i.test(text) ? fileUri(text, 0) : undefined;
  if (uri) return uri.end === text.length ? withoutPlace(uri) : undefined;
  const match = /^(.*[^\\/.\s])\.([A-Za-z]\w{0,9})((?:[#:(][L\d][\dLC:,-]*\)?)?)$/.exec(text);
  if (!match) return undefined;
  const [, stem = "", ending = "", suffix = ""] = match;
  const position = positionAt(suffix, 0);
  if (suffix !== "" && position?.end !== suffix.length) return undefined;
  const path = `${stem}.${ending}`;
  if (/["<>|*?`\p{Cc}]|^\s|^.:(?![\\/])|..:/u.test(path) || hasEndWithin(stem)) return undefined;
  if (!looksLikeFile(path, ending, position?.position.line !== undefined) || !canHaveBlanks(path)) return undefined;
  return { path, ...position?.position };
}

/** Whether a list of paths is joined by commas. */
const hasEndWithin = (stem: string): boolean =>
  [...stem.matchAll(/\.(\w{1,10})[,;]/g)].some(([, ending = ""]) => isKnownEnding(ending));

/** Letters before a path that can be a sentence instead. */
const maxSentenceLetters = 40;

/**
 * The paths that a written path can stand for, the longest first: with the text before it, and without the beginning of
 * a sentence that is written without blanks. File names can be stored with composed or decomposed letters.
 */
export function pathCandidates(path: string, leading = ""): readonly string[] {
  const candidates = leading === "" ? [path] : [leading + path, path];
  for (let rest = path; startsSpaceless(rest) && candidates.length < maxSentenceLetters;) {
    rest = rest.slice((rest.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
    if (/^[\\/.]/.test(rest)) break;
    candidates.push(rest);
  }
  return [...new Set(candidates.flatMap(one => [one, one.normalize("NFC"), one.normalize("NFD")]))];
}

const withoutPlace = ({ start: _start, end: _end, ...rest }: FoundPath): WrittenPath => rest;

/** Paths with blanks in quotation marks. Others are found without the marks. */
function quotedPaths(text: string): readonly FoundPath[] {
  const found: FoundPath[] = [];
  for (const match of text.matchAll(quotedPattern)) {
    const content = match.slice(1).find(group => group !== undefined) ?? "";
    const path = /[\s\p{Z}]/u.test(content) ? wholePath(content) : undefined;
    if (!path) continue;
    const start = match.index + 1;
    const end = start + content.length;
    found.push({ start, end, ...path, ...(path.line === undefined && lineWordAt(text, end)) });
  }
  return found;
}

/** Adds the paths between two offsets, run by run. */
function addRuns(text: string, from: number, to: number, source: TextSource, found: FoundPath[]): void {
  for (const { 0: run, index } of text.slice(from, to).matchAll(runPattern)) {
    if (!run.includes(".")) continue;
    const start = from + index;
    for (const path of pathsInRun(run, source)) {
      const end = start + path.end;
      const word = path.line === undefined ? lineWordAt(text, end) : {};
      const leading =
        path.start === 0 && path.leading === undefined ? folderBefore(text.slice(from, start), path.path) : "";
      found.push({ ...path, ...word, ...(leading !== "" && { leading }), start: start + path.start, end });
    }
  }
}

/** A folder's name can have this many blanks, and this many letters with its path. */
const maxBlanks = 4;
const maxFolderLength = 200;

/** The beginning of a path whose folder contains blanks: `/w/My ` before `Project/a.ts`. "" if there is none. */
function folderBefore(before: string, path: string): string {
  if (!before.endsWith(" ") || /^(?:[\\/~.]|[A-Za-z]:)/.test(path)) return "";
  const words =
    before
      .slice(-maxFolderLength)
      .split(/[\n\r]/)
      .at(-1)
      ?.split(" ")
      .slice(0, -1) ?? [];
  for (let count = 1; count <= Math.min(maxBlanks, words.length); count++) {
    const word = words.at(-count) ?? "";
    const [, name = ""] = /^[("'[“‘«「]*(.*)$/.exec(word) ?? [];
    if (/^[\\/]{2}/.test(name) || name === "" || /["'`<>|*?;,=…。，、]|[.!)\]]$|:(?![\\/])|:\/\//.test(name)) return "";
    if ([...name.matchAll(/\.(\w{1,10})/g)].some(([, ending = ""]) => isKnownEnding(ending))) return "";
    if (/[\\/]/.test(name)) return [name, ...words.slice(words.length - count + 1), ""].join(" ");
    if (name !== word) return "";
  }
  return "";
}
