// Reads the front matter of a prompt file: the few forms of YAML that it has. Pure, and never throws.
import { t } from "../base/l10n.ts";

/** A text with what stands between two `---` lines before it. */
export interface FrontMatter {
  /** The texts of the keys. A key without a text, such as one with a list, has the value undefined. */
  readonly fields: ReadonlyMap<string, string | undefined>;
  /** The text after the front matter. Its lines end with "\n". */
  readonly body: string;
}

/** Of a key in a sentence (characters). */
const maxShownKey = 60;

const lineEnd = /\r\n|\r|\n/;
const fieldLine = /^(?:"([^"]*)"|'([^']*)'|([\p{L}_][\p{L}\p{N}_.-]*))\s*:(?:\s+(.*))?$/u;
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/;
const singleQuoted = /^'((?:[^']|'')*)'\s*(?:#.*)?$/;
const blockScalar = /^([|>])[+-]?\d?[+-]?\s*(?:#.*)?$/;
const isIgnored = (line: string): boolean => /^\s*(?:#.*)?$/.test(line);

/** Divides a text. `problem`: why the front matter cannot be read, as a sentence. */
export function readFrontMatter(text: string): FrontMatter | { readonly problem: string } {
  const lines = text.replace(/^\ufeff/, "").split(lineEnd);
  if (lines[0]?.trimEnd() !== "---") return { fields: new Map(), body: lines.join("\n") };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end < 0) return { problem: t("The front matter has no second line with “---”.") };
  const fields = new Map<string, string | undefined>();
  for (let at = 1; at < end;) {
    const line = lines[at] ?? "";
    if (isIgnored(line)) {
      at++;
      continue;
    }
    const [, double, single, plain, value = ""] = fieldLine.exec(line) ?? [];
    const key = double ?? single ?? plain;
    if (key === undefined) return { problem: t("Line {0} of the front matter is not “key: value”.", at + 1) };
    if (fields.has(key))
      return { problem: t("Line {0} of the front matter repeats “{1}”.", at + 1, key.slice(0, maxShownKey)) };
    // A list may stand below its key without an indentation, and comments anywhere.
    let next = at + 1;
    while (next < end && /^(?:\s|-\s|-$|#|$)/.test(lines[next] ?? "")) next++;
    const read = readScalar(value.trim(), lines.slice(at + 1, next));
    if (read === "unclosed")
      return { problem: t("Line {0} of the front matter has a quotation mark without its counterpart.", at + 1) };
    fields.set(key, read.text);
    at = next;
  }
  return { fields, body: lines.slice(end + 1).join("\n") };
}

/** The text of a value. `below`: the lines that belong to it. */
function readScalar(value: string, below: readonly string[]): { readonly text: string | undefined } | "unclosed" {
  const block = blockScalar.exec(value)?.[1];
  if (block !== undefined) {
    const lines = below.filter(line => !line.startsWith("#")).map(line => line.trim());
    return { text: lines.join(block === "|" ? "\n" : " ").trim() };
  }
  const whole = [value, ...below.map(line => line.trim())].join(" ").trim();
  if (value.startsWith('"')) {
    const quoted = doubleQuoted.exec(whole)?.[1];
    return quoted === undefined ? "unclosed" : { text: unescaped(quoted) };
  }
  if (value.startsWith("'")) {
    const quoted = singleQuoted.exec(whole)?.[1];
    return quoted === undefined ? "unclosed" : { text: quoted.replaceAll("''", "'") };
  }
  const plain = value.replace(/(?:^|\s)#.*$/, "").trim();
  const more = below.filter(line => !isIgnored(line)).map(line => line.trim());
  // A list, or keys below the key. Without quotation marks, only a line with neither continues the text.
  if (plain === "" && more.length > 0) return { text: undefined };
  const text = [plain, ...more].join(" ");
  return { text: text === "" || text === "~" || text === "null" ? undefined : text };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0" };

const unescaped = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gsu, (_, wide?: string, short?: string, char = "") => {
    const code = wide ?? short;
    return code === undefined ? (escapes[char as string] ?? (char as string)) : String.fromCharCode(parseInt(code, 16));
  });
