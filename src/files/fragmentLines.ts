// Finds where a fragment of a file is. Some agents send only the changed lines of a file as a diff. Works with line
// numbers and short comparisons, because a plain search for a large text of an agent could take very long.
import { normalizeText } from "../base/text.ts";

/** The change of a fragment. Both texts may lack the line feed at the end of their last line. */
export interface FragmentChange {
  readonly oldText: string;
  readonly newText: string;
}

/** Longer texts are only found if they begin and end where lines do. UTF-16 units. */
const maxPartialLength = 1000;

/** A text that is searched for several fragments. */
export class FragmentFinder {
  readonly #lines: readonly string[];
  /** Equal lines have equal IDs. */
  readonly #ids = new Map<string, number>();
  readonly #idAt: Int32Array;

  constructor(text: string) {
    this.#lines = linesOf(text);
    this.#idAt = Int32Array.from(this.#lines, line => {
      const id = this.#ids.get(line) ?? this.#ids.size;
      this.#ids.set(line, id);
      return id;
    });
  }

  /**
   * The 1-based line where the fragment begins. Undefined if the text doesn't contain it, or contains it more than once.
   * A fragment of whole lines is looked for first, then one that begins or ends within a line.
   * @example new FragmentFinder("a\nb\nc").lineOf("b\n") // 2
   */
  lineOf(fragment: string): number | undefined {
    const lines = linesOf(fragment);
    if (lines.length === 0) return undefined;
    const whole = this.#placesOf(lines);
    const places = whole.length > 0 ? whole : this.#partialPlacesOf(lines, fragment.endsWith("\n"));
    return places.length === 1 ? (places[0] as number) + 1 : undefined;
  }

  /** The indices where these lines begin, two at most. */
  #placesOf(lines: readonly string[]): readonly number[] {
    const ids: number[] = [];
    for (const line of lines) {
      const id = this.#ids.get(line);
      if (id === undefined) return [];
      ids.push(id);
    }
    return occurrences(this.#idAt, ids);
  }

  /** The indices of the lines where a fragment begins that is no run of whole lines, two at most. */
  #partialPlacesOf(lines: readonly string[], isLastWhole: boolean): readonly number[] {
    const [first = ""] = lines;
    const last = lines.at(-1) ?? "";
    if (first.length > maxPartialLength || last.length > maxPartialLength) return [];
    const fits = (at: number): boolean => {
      const line = this.#lines[at] as string;
      if (lines.length === 1) return isLastWhole ? line.endsWith(first) : line.includes(first);
      const end = this.#lines[at + lines.length - 1];
      if (end === undefined || !line.endsWith(first)) return false;
      return isLastWhole ? end === last : end.startsWith(last);
    };
    const between = lines.slice(1, -1);
    const ids = between.map(line => this.#ids.get(line) ?? -1);
    if (ids.includes(-1)) return [];
    const found: number[] = [];
    // Without lines between, every line can be the first one.
    const candidates = ids.length > 0 ? allOccurrences(this.#idAt, ids) : this.#idAt.keys();
    for (const at of candidates) {
      const start = ids.length > 0 ? at - 1 : at;
      if (start < 0 || !fits(start)) continue;
      found.push(start);
      // Twice is as bad as often.
      if (found.length === 2) break;
    }
    return found;
  }
}

/** The lines of a text without their line endings. A text that ends with a line feed has no empty line after it. */
function linesOf(text: string): readonly string[] {
  const lines = normalizeText(text).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function occurrences(ids: Int32Array, wanted: readonly number[]): readonly number[] {
  const found: number[] = [];
  for (const at of allOccurrences(ids, wanted)) {
    found.push(at);
    if (found.length === 2) break;
  }
  return found;
}

/** The indices where `wanted` occurs in `ids`, by the algorithm of Knuth, Morris and Pratt: in linear time. */
function* allOccurrences(ids: Int32Array, wanted: readonly number[]): Generator<number> {
  const retry = new Int32Array(wanted.length);
  for (let i = 1, matched = 0; i < wanted.length; i++) {
    while (matched > 0 && wanted[i] !== wanted[matched]) matched = retry[matched - 1] as number;
    if (wanted[i] === wanted[matched]) matched++;
    retry[i] = matched;
  }
  for (let i = 0, matched = 0; i < ids.length; i++) {
    while (matched > 0 && ids[i] !== wanted[matched]) matched = retry[matched - 1] as number;
    if (ids[i] === wanted[matched]) matched++;
    if (matched < wanted.length) continue;
    yield i - matched + 1;
    matched = retry[matched - 1] as number;
  }
}

/**
 * The 1-based line where the fragment of a change begins in a text. `done`: the edit has been made, so the text has the
 * new fragment. Undefined if the text doesn't say which line it is.
 */
export function fragmentLine(
  finder: FragmentFinder,
  { oldText, newText }: FragmentChange,
  done: boolean,
): number | undefined {
  if (done) return newText === "" ? undefined : finder.lineOf(newText);
  // An edit can be made before it is reported. Its new text can contain the old one, then begins earlier.
  const made = newText.includes(oldText) ? finder.lineOf(newText) : undefined;
  return made ?? finder.lineOf(oldText);
}

/**
 * The whole texts before and after a change of a fragment, from the text now, which has the change already or not yet.
 * Undefined if the fragment is not in the text at its line.
 */
export function wholeTexts(
  text: string,
  change: FragmentChange,
  line: number,
): { readonly before: string; readonly after: string } | undefined {
  const now = normalizeText(text);
  const [oldText, newText] = [normalizeText(change.oldText), normalizeText(change.newText)];
  const from = startOfLine(now, line);
  if (from === undefined) return undefined;
  const before = replacedAt(now, from, newText, oldText);
  const after = replacedAt(now, from, oldText, newText);
  // If both fit, one text contains the other, and the longer one is there.
  if (before !== undefined && (after === undefined || newText.length >= oldText.length)) return { before, after: now };
  if (after !== undefined) return { before: now, after };
  // Removed lines leave nothing to find.
  if (newText !== "" || !oldText.endsWith("\n") || now.includes(oldText)) return undefined;
  return { before: now.slice(0, from) + oldText + now.slice(from), after: now };
}

/** The text with a piece replaced that begins in the line at `from`. Undefined if it doesn't. */
function replacedAt(text: string, from: number, piece: string, by: string): string | undefined {
  // The last line of a file can lack the line feed that both pieces have.
  const isAtEnd =
    piece.endsWith("\n") && by.endsWith("\n") && !text.endsWith("\n") && text.endsWith(piece.slice(0, -1));
  const [old, fresh] = isAtEnd ? [piece.slice(0, -1), by.slice(0, -1)] : [piece, by];
  const at = old === "" ? -1 : text.indexOf(old, from);
  const end = text.indexOf("\n", from);
  if (at < 0 || (end >= 0 && at > end)) return undefined;
  return text.slice(0, at) + fresh + text.slice(at + old.length);
}

/** The offset where a 1-based line begins. Undefined beyond the end. */
function startOfLine(text: string, line: number): number | undefined {
  let at = 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf("\n", at);
    if (end < 0) return undefined;
    at = end + 1;
  }
  return at;
}
