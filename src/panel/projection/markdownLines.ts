// Whether the lines of a text were written as Markdown. A configuration, a script or a log can have lines that look like a
// heading or a list. Markdown would join their other lines and drop their indentation, so one such line decides. No I/O.

/** A piece of the text that Markdown shows as one block or as one line of a block. */
type Block =
  | { readonly kind: "blank" | "rule" | "tag" | "fence" | "table" }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "item"; readonly marker: string; readonly indent: number; readonly text: string }
  | Paragraph;
interface Paragraph {
  readonly kind: "text" | "quote";
  readonly indent: number;
  readonly lines: string[];
}

/**
 * Whether most lines are Markdown or sentences, and no line contradicts: a shebang, `key:`, an assignment, a comment of a
 * programming language, columns, an indentation outside of a list, or a line feed that only an output has.
 */
export function isMostlyMarkdown(lines: readonly string[]): boolean {
  const blocks = new BlockReader().read(lines);
  if (!blocks || blocks.some((block, at) => contradicts(block, blocks[at - 1], blocks[at + 1]))) return false;
  let markdown = 0;
  let other = 0;
  for (const block of blocks) {
    if (block.kind === "text" || block.kind === "quote") {
      if (isProse(block)) markdown += block.lines.length;
      else other += block.lines.length;
    } else if (block.kind !== "blank" && block.kind !== "rule" && block.kind !== "tag") markdown++;
  }
  return markdown > other && !isStarredLog(blocks);
}

/** Whether the only Markdown is a list with stars, without a sentence. Many programs report their steps so. */
const isStarredLog = (blocks: readonly Block[]): boolean =>
  blocks.every(
    block =>
      block.kind === "blank" ||
      (block.kind === "item" && block.marker === "*") ||
      (block.kind === "text" && !isProse(block)),
  );

/** Divides lines into blocks. For one text. */
class BlockReader {
  readonly #blocks: Block[] = [];
  /** The fence that is open. */
  #fence: string | undefined;
  /** Where the texts of the open items of a list begin, in columns. */
  #offsets: number[] = [];
  #isTable = false;

  /** The blocks. Undefined if a line contradicts. */
  read(lines: readonly string[]): readonly Block[] | undefined {
    return lines.every((line, at) => this.#add(line, lines[at + 1] ?? "")) ? this.#blocks : undefined;
  }

  /** False if the line contradicts. */
  #add(line: string, next: string): boolean {
    if (this.#addFenced(line)) return true;
    const text = line.trim();
    if (text === "") return this.#push({ kind: "blank" });
    if (this.#isTable || (text.includes("|") && isDelimiter(next))) {
      this.#isTable = text.includes("|");
      if (this.#isTable) return this.#push({ kind: "table" });
    }
    const indent = columns(line);
    const [marked, marker] = /^([-*+]|\d{1,9}[.)])[ \t]+(?=\S)/.exec(text) ?? [];
    if (marker !== undefined && marked !== undefined && !isRule(text)) {
      if (indent > 0 && this.#offsets.length === 0) return false;
      this.#offsets = [...this.#offsets.filter(offset => offset <= indent), indent + marked.length];
      return this.#push({ kind: "item", marker, indent, text: text.slice(marked.length) });
    }
    if (!this.#fits(indent)) return false;
    if (indent === 0) this.#offsets = this.#isAfterItem() ? this.#offsets : [];
    return this.#push(this.#unlisted(text, indent));
  }

  /** Whether a line that is no item can have this indentation: only under the text of an item. */
  #fits(indent: number): boolean {
    if (indent === 0) return true;
    return this.#blocks.at(-1)?.kind === "blank"
      ? indent >= 2 && indent <= Math.max(0, ...this.#offsets)
      : this.#offsets.includes(indent);
  }

  #isAfterItem(): boolean {
    return this.#blocks.at(-1)?.kind === "item";
  }

  /** Adds a line of a fenced block. */
  #addFenced(line: string): boolean {
    const [, fence, info = ""] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (this.#fence === undefined) {
      const isOpening = fence !== undefined && !info.includes("`") && (columns(line) < 4 || this.#offsets.length > 0);
      if (!isOpening) return false;
      this.#fence = fence;
    } else if (fence?.startsWith(this.#fence) && info.trim() === "") this.#fence = undefined;
    return this.#push({ kind: "fence" });
  }

  #unlisted(text: string, indent: number): Block {
    const [, hashes, title = ""] = /^(#{1,6})(?:[ \t]+(.*))?$/.exec(text) ?? [];
    if (hashes !== undefined) return { kind: "heading", level: hashes.length, text: title };
    if (isRule(text)) return { kind: "rule" };
    if (/^<\/?[a-z][\w:-]*(?:\s[^<>]*)?>$/i.test(text)) return { kind: "tag" };
    const kind = text.startsWith(">") ? "quote" : "text";
    const line = kind === "quote" ? text.replace(/^[> ]+/, "") : text;
    const last = this.#blocks.at(-1);
    if (last?.kind !== kind) return { kind, indent, lines: [line] };
    this.#blocks.pop();
    // The list is extended in place, because a copy for each line would take quadratic time.
    last.lines.push(line);
    return last;
  }

  #push(block: Block): true {
    if (block.kind !== "table") this.#isTable = false;
    this.#blocks.push(block);
    return true;
  }
}

const columns = (line: string): number => (/^\s*/.exec(line)?.[0] ?? "").replaceAll("\t", "    ").length;
const isRule = (text: string): boolean => /^(?:[-*_]\s*){3,}$/.test(text) || /^={2,}$/.test(text);

/** Whether the line is the one between the head and the rows of a table. Long lines are none, to bound the time. */
export const isDelimiter = (line: string): boolean =>
  line.length < 1000 && line.includes("|") && /^[\s|:-]*-[\s|:-]*$/.test(line);

function contradicts(block: Block, before: Block | undefined, after: Block | undefined): boolean {
  switch (block.kind) {
    case "heading":
      // A comment of several lines, and a setting that is commented out.
      return (
        block.text === "" || isAssignment(block.text) || (before?.kind === "heading" && before.level === block.level)
      );
    case "item":
      // Both markers side by side are a diff.
      return (
        isCode(block.text) ||
        isKey(block.text) ||
        isAssignment(block.text) ||
        (before?.kind === "item" && before.indent === block.indent && isPlusMinus(before.marker, block.marker))
      );
    case "text":
      return (
        block.lines.some((line, at) => isCode(line) || (!isLong(block.lines[at - 1]) && isSetting(line))) ||
        isInItem(block, before) ||
        // A comment stands directly at the lines that it describes.
        ((before?.kind === "heading" || after?.kind === "heading") && !isProse(block))
      );
    case "quote":
      return before?.kind === "heading" && !isProse(block);
    default:
      return false;
  }
}

const isPlusMinus = (one: string, other: string): boolean => one !== other && /^[-+]{2}$/.test(one + other);

/** Markdown would show the first line as a part of the item before it. Only a long item may be continued so. */
function isInItem(text: Paragraph, before: Block | undefined): boolean {
  if (before?.kind !== "item" || text.indent > 0) return false;
  return !(isLong(before.text) && /^\p{Ll}/u.test(text.lines[0] ?? ""));
}

/** Lines of prose are wrapped from this length on, in characters. */
const minWrapped = 40;
const isLong = (line: string | undefined): boolean => line !== undefined && line.length >= minWrapped;
const isSetting = (line: string): boolean => isKey(line) || isAssignment(line);

const isKey = (text: string): boolean =>
  /^(["']?)(?:\.?[a-z_][\w.-]*|[A-Z0-9]+_[A-Z0-9_]*)\1\s{0,4}::?(?:\s|$)/.test(text);
const isAssignment = (text: string): boolean =>
  /^(?:(?:export|set|let|const|var|local)\s+)?[\w.$-]+(?:\[\w*\])?\s{0,20}[:+?!]?=(?![=>])/.test(text);

/** Beginnings and ends that no line of prose has. */
const codeLines: readonly RegExp[] = [
  // A shebang, a comment, a prompt, a hunk.
  /^(?:#!|--(?!-)|\/\/|\/\*|\*\/|;|[$%]\s|>>>\s|@@ -\d)/,
  // A section of a configuration, and a block of code.
  /^\[{1,2}[^\][]+\]{1,2}$|\{$|^[)\]}]+[;,]*$/,
  // The mode of a file, a time, a commit.
  /^[-dlbcps](?:[-r][-w][-xsStT]){3}[.+@]?\s|^\[?(?:\d{4}-\d\d-\d\d[T ]\d|\d\d:\d\d:\d\d)|^(?=[a-f]*\d)[\da-f]{7,40}\s/,
];

/** Whether the line, without its marker, is one of code or of an output, or has columns. */
const isCode = (text: string): boolean =>
  codeLines.some(pattern => pattern.test(text)) || /\S(?: {3,}|\t)/.test(withoutSpans(text));

/** The text with a word for each code span, link and address. */
const withoutSpans = (text: string): string =>
  text
    .replace(/`[^`]+`/g, "code")
    .replace(/\[([^\][]{1,500})\]\([^()\s]{0,2000}\)/g, "$1")
    .replace(/<?https?:\/\/[^\s<>]+>?/g, "link");

const judged = new WeakMap<Paragraph, boolean>();

/** Whether a complete paragraph is of words: a sentence, or a short line with a capital at its beginning. */
function isProse(paragraph: Paragraph): boolean {
  const known = judged.get(paragraph) ?? hasSentence(paragraph.lines);
  judged.set(paragraph, known);
  return known;
}

const punctuated = /^[^\s\p{L}\p{N}@$%&=+<>|\\/-]*\p{L}[\p{L}\p{M}'’-]*[^\s\p{L}\p{N}@$%&=+<>|\\/-]*$/u;

function hasSentence(lines: readonly string[]): boolean {
  const isWrapped = lines.every((line, at) => {
    const next = lines[at + 1];
    return next === undefined || ((isLong(line) || endsSentence(line)) && !/^\p{Lu}[\w -]{0,30}:\s/u.test(next));
  });
  if (!isWrapped) return false;
  const text = withoutSpans(lines.join(" "));
  if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(text)) return true;
  const words = text.split(/\s+/);
  if (words.filter(word => punctuated.test(word)).length * 2 <= words.length) return false;
  const isCapital = /^[^\s\p{L}\p{N}]{0,4}(?:\p{Lo}|\p{Lu}(?!\p{Lu}))/u.test(text);
  return endsSentence(text) || (words.length >= 3 && isCapital);
}

const endsSentence = (text: string): boolean => /[^\s/.][.!?:…]["'”’»)\]*_`]{0,4}$|[。！？：]$/u.test(text);
