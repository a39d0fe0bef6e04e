// Finds paths in a run of text without blanks. Delimiters divide the run into pieces, and a path is found only where a
// path may begin, so `/page.tsx` is never found in `app/<name>/page.tsx`. Shared with webview-ui.
import { isKnownEnding, looksLikeFile, positionAt, type PathPosition } from "./pathShape.ts";
import { followsName, sentenceLength } from "./spacelessScripts.ts";

/** A path in a text. */
export interface FoundPath extends PathPosition {
  /** The range in the text, including the position. UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** As written, without the position. Can be a `file:` URI. */
  readonly path: string;
  /**
   * The text directly before the path, if it may belong to it: a sentence that is written without blanks, or a folder
   * whose name contains a blank. Only the disk shows which.
   */
  readonly leading?: string;
}

/** `markdown`: before Markdown is rendered, so a backslash can be an escape. `output`: only paths with a line. */
export type TextSource = "markdown" | "output";

const escapePattern = /\\([[\]()#_*~])/g;

/** A path without the escapes of Markdown. In a path with slashes, a backslash is no separator. */
export function withoutEscapes(path: string): string {
  return path.includes("/") ? path.replace(escapePattern, "$1") : path;
}

/** The paths in a run, in order. `run` contains no blanks. */
export function pathsInRun(run: string, source: TextSource): readonly FoundPath[] {
  const plain = source === "markdown" ? withoutEscapes(run) : run;
  if (plain === run) return new RunScanner(run, source).scan();
  const offsets: number[] = [];
  for (let at = 0; at < run.length; at++) {
    offsets.push(at);
    if (run[at] !== plain[offsets.length - 1]) at++;
  }
  const offsetOf = (at: number): number => offsets[at] ?? run.length;
  return new RunScanner(plain, source)
    .scan()
    .map(path => ({ ...path, start: offsetOf(path.start), end: offsetOf(path.end) }));
}

/** Marks before a path that a path does not begin with: emphasis, quotes and arrows. Not the beginning of a pattern. */
const marksPattern = /^(?:\*+(?![\\/*])|\*+(?=[^*]*\*+[^\\/*]*$)|~~|>|[-=]+>|\p{Cf})+/u;
/** A path may begin after these: opening brackets and quotation marks, and punctuation of any script. */
const openers = new Set("([<|;,=!（［【「『《〈〔〖“‘„«‹，、；：。！？．｜،؛؟۔।॥།។።፣։—―→⇒⟶•");
/** A path may begin after these too, but not with a separator or dot, because they may belong to a folder's name. */
const softDelimiters = new Set("）］】」』》〉〕〗”’»›—―→⇒⟶•");
/** A path may only begin after these: they end names, but can also stand for a part of one. */
const closers = new Set(")]}>*?`…{\"'");
/** Ordinary in the folders of a path, delimiters elsewhere: `data/year=2024/a.json`, `file=src/a.ts`. */
const looseDelimiters = new Set(",=!");
const brackets: ReadonlyMap<string, string> = new Map([[")", "("], ["]", "["], ["）", "（"], ["］", "［"]]); // prettier-ignore
const urlEnd = /["<>`|。，、；：！？「」『』（）《》【】]/;

class RunScanner {
  readonly #run: string;
  readonly #source: TextSource;
  readonly #nameBrackets: ReadonlySet<number>;
  readonly #found: FoundPath[] = [];

  constructor(run: string, source: TextSource) {
    this.#run = run;
    this.#source = source;
    this.#nameBrackets = bracketsInNames(run);
  }

  scan(): readonly FoundPath[] {
    const run = this.#run;
    let at = marksPattern.exec(run)?.[0].length ?? 0;
    let canStart = true;
    while (at < run.length) {
      const start = at;
      at = this.#pieceEnd(start);
      if (canStart && at > start) at = this.#findInPiece(start, at);
      if (at >= run.length) break;
      if (run.startsWith("://", at)) {
        at = this.#skipUrl(start, at);
        canStart = false;
        continue;
      }
      canStart = this.#canStartAfter(at, at === start, canStart);
      at++;
    }
    return this.#found;
  }

  /** The end of the characters that a name or path can have. */
  #pieceEnd(start: number): number {
    const run = this.#run;
    let hasFolder = false;
    let at = start;
    for (; at < run.length; at++) {
      const char = run[at] ?? "";
      if (/[\w.@+\-~$%^&#]/.test(char)) continue;
      if (/[\\/]/.test(char)) hasFolder = true;
      else if (char === ":" ? !this.#isDrive(start, at) : !this.#isInName(char, at, start, hasFolder)) break;
    }
    return at;
  }

  #isDrive(start: number, at: number): boolean {
    const before = this.#run.slice(Math.max(start, at - 2), at);
    return (
      /^[\\/]/.test(this.#run.slice(at + 1)) && (at - 1 === start ? /[A-Za-z]/ : /[^\x00-\x7f][A-Za-z]$/).test(before)
    );
  }

  #isInName(char: string, at: number, start: number, hasFolder: boolean): boolean {
    if (this.#nameBrackets.has(at)) return true;
    if (char === "'" || char === "’") return at > start && isInWord(this.#run, at);
    if (looseDelimiters.has(char)) {
      const ending = /\.(\w{1,10})$/.exec(this.#run.slice(Math.max(start, at - 11), at))?.[1] ?? "";
      return hasFolder && !isKnownEnding(ending);
    }
    return !openers.has(char) && !softDelimiters.has(char) && !closers.has(char);
  }

  /** Finds the paths in a piece. Returns where the text goes on that is neither a path nor its position. */
  #findInPiece(start: number, end: number): number {
    for (let at = start; ;) {
      const piece = this.#run.slice(at, end);
      const ending = endingOf(piece);
      if (!ending) return end;
      const after = this.#addPath(at, piece.slice(0, ending.end), ending);
      if (!ending.isFirm) return Math.max(end, after);
      // The sentence goes on without a blank.
      at = after;
      if (at >= end) return at;
      if (!followsName(this.#run.slice(at, at + 2))) return end;
    }
  }

  /** Adds the path, if it is one. Returns its end. */
  #addPath(start: number, whole: string, { text: ending, end }: Ending): number {
    const position = positionAt(this.#run, start + end);
    const leading = whole.slice(0, sentenceLength(whole));
    const path = whole.slice(leading.length);
    if (!looksLikeFile(path, ending, position?.position.line !== undefined, this.#source === "output"))
      return start + end;
    const after = position?.end ?? start + end;
    this.#found.push({
      start: start + leading.length,
      end: after,
      path,
      ...position?.position,
      ...(leading !== "" && { leading }),
    });
    return after;
  }

  /** Skips a URL, of which no part is a path. A `file:` URI is a path. */
  #skipUrl(start: number, at: number): number {
    const uri = /(?<![A-Za-z0-9+.-])file$/i.test(this.#run.slice(start, at)) ? fileUri(this.#run, at - 4) : undefined;
    if (uri) this.#found.push(uri);
    const rest = this.#run.slice(at + 3).search(urlEnd);
    return uri?.end ?? (rest < 0 ? this.#run.length : at + 3 + rest);
  }

  /** Whether a path may begin after the delimiter. `isBare`: nothing is before it since the last delimiter. */
  #canStartAfter(at: number, isBare: boolean, couldStart: boolean): boolean {
    const char = this.#run[at] ?? "";
    if (char === ":") return /[^\x00-\x7f]$/.test(this.#run.slice(0, at));
    if (char === '"' || char === "'") return isBare;
    if (char === "{") return isBare && couldStart;
    if (softDelimiters.has(char)) return /[^\\/.]/.test(this.#run[at + 1] ?? "");
    return openers.has(char);
  }
}

const endsInWord = (text: string, at: number): boolean =>
  /[\p{L}\p{M}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at));

const isInWord = (text: string, at: number): boolean =>
  endsInWord(text, at) && /^[\p{L}\p{N}]/u.test(text.slice(at + 1, at + 3));

/** `isFirm`: the path ends here, whatever follows. */
interface Ending {
  readonly end: number;
  readonly text: string;
  readonly isFirm: boolean;
}

const endingPattern = /(?<=[^\\/.])\.([A-Za-z]\w{0,9})(?![\w\\/]|\p{M})/gu;

/** The extension at which the path of a piece ends. */
function endingOf(piece: string): Ending | undefined {
  let last: Ending | undefined;
  for (const { 0: match, 1: text = "", index } of piece.matchAll(endingPattern)) {
    const end = index + match.length;
    const next = piece.slice(end, end + 2);
    const isFirm = isKnownEnding(text) && (next.startsWith("#") || followsName(next));
    if (isFirm) return { end, text, isFirm };
    if (!/^\p{L}/u.test(next)) last = { end, text, isFirm };
  }
  return last && !/[\\/]/.test(piece.slice(last.end)) ? last : undefined;
}

/**
 * The brackets that belong to names: a pair in one segment of a path, which continues after it, as in `[id].ts` and
 * `app/(group)/a.ts`. Not `(src/a.ts)`.
 */
function bracketsInNames(run: string): ReadonlySet<number> {
  const names = new Set<number>();
  if (!/[)\]）］]/.test(run)) return names;
  const open: { readonly char: string; readonly at: number; readonly segment: number }[] = [];
  const pairs: { readonly start: number; readonly end: number }[] = [];
  let segment = 0;
  for (let at = 0; at < run.length; at++) {
    const char = run[at] ?? "";
    if (/[\\/:"<>|]/.test(char)) segment++;
    else if (/[([（［]/.test(char)) open.push({ char, at, segment });
    else if (open.at(-1)?.char === brackets.get(char) && open.length > 0) {
      const opened = open.pop();
      if (opened?.segment === segment) pairs.push({ start: opened.at, end: at });
    }
  }
  for (const { start, end } of pairs.sort((a, b) => b.end - a.end)) {
    const next = run.slice(end + 1, end + 3);
    // In Markdown, `](` is a link.
    const goesOn = names.has(end + 1) && !(run[end] === "]" && next.startsWith("("));
    if (!goesOn && !/^(?:[\p{L}\p{M}\p{N}_\\/$@+-]|\.[\p{L}\p{N}_])/u.test(next)) continue;
    if (/[（［]/.test(run[start] ?? "") && !endsInWord(run, start)) continue;
    names.add(start).add(end);
  }
  return names;
}

const fileUriPattern = /file:\/\/(?:localhost)?\/[^\s<>"'`{}|。，、；：！？「」『』（）《》【】]*/iy;

/** The `file:` URI of this machine at an offset. */
export function fileUri(text: string, at: number): FoundPath | undefined {
  fileUriPattern.lastIndex = at;
  const found = fileUriPattern.exec(text)?.[0];
  if (found === undefined) return undefined;
  let depth = 0;
  let length = 0;
  for (; length < found.length; length++) {
    const char = found[length] ?? "";
    if (/[([]/.test(char)) depth++;
    else if (/[)\]]/.test(char) && --depth < 0) break;
  }
  const uri = found.slice(0, length).replace(/[.,;:!?*)\]([]+$/, "");
  if (!/[^\\/]$/.test(uri) || /^file:\/\/(?:localhost)?\/[\\/]/i.test(uri)) return undefined;
  const position =
    /(?:#L\d{1,7}(?:C\d{1,7})?(?:-L?\d{1,7}(?:C\d{1,7})?)?|:\d{1,7}(?::\d{1,7})?(?:-\d{1,7})?)$/.exec(uri)?.[0] ?? "";
  const path = uri.slice(0, uri.length - position.length);
  return { start: at, end: at + uri.length, path, ...positionAt(position, 0)?.position };
}
