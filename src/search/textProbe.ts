// Tells from the bytes of a text that it has no hit, which is much faster than to decode and to search it. Most texts have
// none.
import type { FindQuery } from "../panel/find/findProtocol.ts";

/** False: the text from this byte on has no hit. True: it may have one. */
export type TextProbe = (bytes: Buffer, from: number, end: number) => boolean;

/** UTF-8 cannot have it. */
const loneSurrogate = /\p{Cs}/u;
/** A shorter run of letters is in most texts. Characters. */
const minRun = 2;

/** The probe for a search. Undefined if no text can be left out. */
export function textProbe({ query, matchCase, regex }: FindQuery): TextProbe | undefined {
  const literals = regex ? requiredLiterals(query) : [query];
  if (matchCase) {
    const needle = longest(literals);
    if (needle === "" || loneSurrogate.test(needle)) return undefined;
    const encoded = Buffer.from(needle);
    return (bytes, from, end) => bytes.subarray(0, end).indexOf(encoded, from) >= 0;
  }
  const run = longest(literals.flatMap(literal => literal.match(/[\x20-\x7e]+/g) ?? []));
  if (run.length < minRun) return undefined;
  const pattern = new RegExp(run.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "i");
  const others = otherForms.filter(([letter]) => letter.test(run)).map(([, form]) => form);
  // A byte below 128 stands for itself in UTF-8, and is never a part of another character.
  return (bytes, from, end) =>
    pattern.test(bytes.toString("latin1", from, end)) ||
    others.some(form => bytes.subarray(0, end).indexOf(form, from) >= 0);
}

/** The letters of ASCII that have a form outside of it, by Unicode's simple case folding. */
const otherForms: readonly (readonly [RegExp, Buffer])[] = [
  [/k/i, Buffer.from("\u212a")],
  [/s/i, Buffer.from("\u017f")],
];

const longest = (texts: readonly string[]): string =>
  texts.reduce((best, text) => (text.length > best.length ? text : best), "");

/** Texts that each hit of a regular expression contains: runs of letters and digits outside of all groups. */
export function requiredLiterals(source: string): readonly string[] {
  const literals: string[] = [];
  let run = "";
  let depth = 0;
  const end = (): void => {
    if (run !== "") literals.push(run);
    run = "";
  };
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i);
    if (char === "|" && depth === 0) return [];
    if (depth === 0 && /[\p{ASCII}]/u.test(char) && /[\w \-:;,<>=!@#%&'"~/]/.test(char)) {
      run += char;
      continue;
    }
    // These repeat the last character, perhaps zero times.
    if (/[?*{]/.test(char)) run = run.slice(0, -1);
    end();
    if (char === "\\") {
      // An escape such as \u{61} or \k<name> has more characters than two.
      if (/[ukxcpP\d]/.test(source.charAt(i + 1))) return [];
      i++;
    } else if (char === "[") {
      for (i++; i < source.length && source.charAt(i) !== "]"; i++) if (source.charAt(i) === "\\") i++;
    } else if (char === "{") {
      const close = source.indexOf("}", i);
      if (close >= 0) i = close;
    } else if (char === "(") depth++;
    else if (char === ")") depth--;
  }
  end();
  return literals;
}
