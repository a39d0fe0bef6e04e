// Parses a command line for sh, bash, dash and zsh: accepts only syntax that all of them parse alike, also at an
// interactive prompt.
import { t } from "../../base/l10n.ts";
import { NotUnderstood, type Word } from "./types.ts";

/** A word, with the details that matter at the position of a command's name. */
export interface ScannedWord extends Word {
  /** Part of it was quoted, so it is not a reserved word. */
  readonly quoted: boolean;
  /** It starts like `NAME=`. */
  readonly assigns: boolean;
}

export type ScannedCommand = readonly ScannedWord[];

/** The word must end after a redirection: `>/dev/nullx` is a file. */
const redirection =
  /(?:>&[12]|>>?[ \t]*(?:\/dev\/(?:null|stderr|stdout)|'\/dev\/null'|"\/dev\/null")|<[ \t]*\/dev\/null)(?=[ \t\n;|&]|$)/y;
/** dash parses `&>` as `&` and `>`, which has the same effect only at the end of a command. */
const bothRedirected = /&>>?[ \t]*\/dev\/null(?=[ \t]*(?:[\n;|&]|$))/y;
/** A revision of git, such as `@{u}` and `stash@{0}`. */
const revision = /\{(?:[a-z]+|\d+)\}/y;
/** Text for all shells, except as a command. `xargs` and `find` replace it. */
const emptyBraces = /\{\}/y;
const alternatives = /\{[\w./-]*(?:,[\w./-]*)+\}/y;
/** Only with a quoted delimiter, so that the shell expands nothing in the text. */
const hereDocument = /<<[ \t]*(?:'(\w+)'|"(\w+)")(?=[ \t\n;|&]|$)/y;
const inputFile = /<[ \t]*(?=[\w./~'"-])/y;
/** Programs that show or count their input. Others may run it. */
const inputReaders = new Set("cat wc head tail grep sort jq nl tr cut rev tac".split(" "));
const variable = /\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|\?)(?!\[)/y;

/** The commands of a line. Throws {@link NotUnderstood}. */
export function scanPosix(line: string): readonly ScannedCommand[] {
  return new PosixScanner(line).commands();
}

class PosixScanner {
  readonly #line: string;
  #at = 0;
  /** The here-document that starts after this line. */
  #pending: { readonly delimiter: string; readonly from: number } | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  commands(): readonly ScannedCommand[] {
    const commands: ScannedCommand[] = [];
    let words: ScannedWord[] = [];
    /** `&&`, `||` and `|` require a command after them. A line may break there. */
    let expected = false;
    for (;;) {
      this.#skipBlanks();
      const end = this.#separator();
      if (end === undefined) {
        const reads = words[0]?.exact === true && inputReaders.has(words[0].text);
        if (reads && this.#hereDocument()) continue;
        // The file counts as a word, so that it is judged like one.
        const isFile = reads && this.#line[this.#at] === "<" && this.#isInputFile();
        if (!isFile && this.#redirection()) continue;
        const word = this.#word();
        if (isFile && !word) throw new NotUnderstood(t("reads its input from a file"));
        if (word) words.push(word);
        continue;
      }
      if (words.length > 0) {
        commands.push(words);
        words = [];
      } else if (end !== "\n" && (end !== "" || expected)) {
        throw new NotUnderstood(t("has an operator without a command"));
      } else if (end === "\n") {
        continue;
      }
      if (end === "") return commands;
      expected = end === "&&" || end === "||" || end === "|" || end === "|&";
    }
  }

  #skipBlanks(): void {
    while (this.#line[this.#at] === " " || this.#line[this.#at] === "\t") this.#at++;
  }

  /** Consumes the end of a command. `""` is the end of the line. Undefined: the command continues. */
  #separator(): string | undefined {
    const first = this.#line[this.#at];
    if (first === undefined) {
      if (this.#pending) throw new NotUnderstood(t("contains a here-document"));
      return "";
    }
    if (first === "\n") return this.#endOfLine();
    if (first === ";") return this.#consume(first);
    if (first !== "&" && first !== "|") return undefined;
    const second = this.#line[this.#at + 1];
    if (second === first) return this.#consume(first + second);
    // The output and the errors. A shell that doesn't know it runs nothing, or both commands.
    if (first === "|" && second === "&" && this.#line[this.#at + 2] === " ") return this.#consume("|&");
    if (first === "|" && second === "&") throw new NotUnderstood(t("has an operator that not every shell knows: |&"));
    if (first === "&" && second === ">") return undefined;
    return this.#consume(first);
  }

  #consume(text: string): string {
    this.#at += text.length;
    return text;
  }

  /** Skips the text of a here-document. */
  #endOfLine(): string {
    this.#at++;
    const pending = this.#pending;
    this.#pending = undefined;
    if (!pending) return "\n";
    const text = this.#line.slice(this.#at);
    const end = new RegExp(`^${pending.delimiter}(?=\n|$)`, "m").exec(text);
    const body = text.slice(0, end?.index ?? 0);
    const isOneLine = !this.#line.slice(pending.from, this.#at - 1).includes("\n");
    // A prompt may expand history in it.
    if (!end || !isOneLine || body.includes("!")) {
      throw new NotUnderstood(t("contains a here-document"));
    }
    this.#at += end.index + pending.delimiter.length;
    return "\n";
  }

  #hereDocument(): boolean {
    hereDocument.lastIndex = this.#at;
    const found = hereDocument.exec(this.#line);
    if (!found || this.#pending) return false;
    this.#at += found[0].length;
    this.#pending = { delimiter: found[1] ?? found[2] ?? "", from: this.#at };
    return true;
  }

  #isInputFile(): boolean {
    redirection.lastIndex = this.#at;
    return !redirection.test(this.#line) && this.#match(inputFile) !== undefined;
  }

  #redirection(): boolean {
    const first = this.#line[this.#at];
    if (first !== "<" && first !== ">" && first !== "&") return false;
    if (this.#match(redirection) !== undefined || this.#match(bothRedirected) !== undefined) return true;
    const next = this.#line[this.#at + 1];
    if (next === "(") throw new NotUnderstood(t("substitutes a process"));
    if (first === "<" && next === "<") throw new NotUnderstood(t("contains a here-document"));
    throw new NotUnderstood(first === "<" ? t("reads its input from a file") : t("redirects output to a file"));
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#line)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** The next word. Undefined if it was the number of a redirection, or only a continued line. */
  #word(): ScannedWord | undefined {
    const start = this.#at;
    const made = { text: [] as string[], exact: true, quoted: false };
    for (let c = this.#line[this.#at]; c !== undefined && !" \t\n;|&<>".includes(c); c = this.#line[this.#at]) {
      if (c === "'") this.#singleQuoted(made);
      else if (c === '"') this.#doubleQuoted(made);
      else if (c === "\\") this.#escaped(made);
      else if (c === "$") this.#variable(made);
      else this.#unquoted(c, made, made.text.length === 0 && !made.quoted);
    }
    const raw = this.#line.slice(start, this.#at);
    // Alone, they are no set of characters.
    if (raw === "[" || raw === "]") made.exact = true;
    const text = made.text.join("");
    const next = this.#line[this.#at];
    if (!made.quoted && /^\d+$/.test(text) && (next === "<" || next === ">")) {
      if (text.length > 1) throw new NotUnderstood(t("redirects a file descriptor above 9"));
      return undefined;
    }
    if (text === "" && made.exact && !made.quoted) return undefined;
    return { text, exact: made.exact, quoted: made.quoted, assigns: /^[A-Za-z_]\w*\+?=/.test(raw) };
  }

  #unquoted(c: string, made: WordBuilder, first: boolean): void {
    if (c === "`") throw new NotUnderstood(t("substitutes the output of another command"));
    if (c === "(" || c === ")")
      throw new NotUnderstood(t("contains a subshell, a function or a pattern in parentheses"));
    if (c === "{" && this.#braces(made)) return;
    const placeholder = c === "{" ? this.#match(emptyBraces) : undefined;
    if (placeholder !== undefined) {
      made.text.push(placeholder);
      return;
    }
    if (c === "{" || c === "}") throw new NotUnderstood(t("contains braces, which group or expand"));
    const isAlone = c === "!" && first && /^[ \t]$/.test(this.#line[this.#at + 1] ?? "");
    if (c === "!" && !isAlone) throw new NotUnderstood(t("contains “!”, which negates or recalls an earlier command"));
    if (c === "#" && first) throw new NotUnderstood(t("contains a comment, which not every shell skips"));
    if ("*?[]#".includes(c) || (c === "=" && first) || this.#expands(c, first)) made.exact = false;
    made.text.push(c);
    this.#at++;
  }

  /** Braces that expand to words, or that only git reads. Either way the word is not exact. */
  #braces(made: WordBuilder): boolean {
    const isRevision = made.text.at(-1) === "@";
    const found = this.#match(isRevision ? revision : alternatives);
    // `@{1}` alone is also the first of two names in some shells.
    if (found === undefined || (isRevision && made.text.length === 1 && /\d/.test(found))) {
      if (found !== undefined) this.#at -= found.length;
      return false;
    }
    made.exact = false;
    made.text.push(found);
    return true;
  }

  /**
   * `~` at the start of a word or a value. `^` except at the end, where git reads it as an ancestor and shells ignore
   * it.
   */
  #expands(c: string, first: boolean): boolean {
    if (c === "~") return first || ":=".includes(this.#line[this.#at - 1] ?? "");
    return c === "^" && !" \t\n;|&<>^".includes(this.#line[this.#at + 1] ?? " ");
  }

  #singleQuoted(made: WordBuilder): void {
    const end = this.#line.indexOf("'", this.#at + 1);
    if (end < 0) throw new NotUnderstood(t("has an unclosed quote"));
    made.quoted = true;
    made.text.push(this.#line.slice(this.#at + 1, end));
    this.#at = end + 1;
  }

  #doubleQuoted(made: WordBuilder): void {
    made.quoted = true;
    this.#at++;
    for (let c = this.#line[this.#at]; c !== '"'; c = this.#line[this.#at]) {
      if (c === undefined) throw new NotUnderstood(t("has an unclosed quote"));
      if (c === "`") throw new NotUnderstood(t("substitutes the output of another command"));
      if (c === "!" && !this.#isBeforeLastQuote()) {
        throw new NotUnderstood(t("contains “!”, which may recall an earlier command"));
      }
      if (c === "$") {
        this.#variable(made);
        continue;
      }
      const next = this.#line[this.#at + 1];
      const escapes = c === "\\" && next !== undefined && '$`"\\\n'.includes(next);
      if (escapes) this.#at++;
      if (!escapes || next !== "\n") made.text.push(escapes ? next : c);
      this.#at++;
    }
    this.#at++;
  }

  /** Before the last quote of the line, `!` is text, or the prompt waits for another quote and runs nothing. */
  #isBeforeLastQuote(): boolean {
    return this.#line[this.#at + 1] === '"' && !this.#line.includes('"', this.#at + 2);
  }

  #escaped(made: WordBuilder): void {
    const next = this.#line[this.#at + 1];
    if (next === undefined) throw new NotUnderstood(t("ends in a backslash"));
    this.#at += 2;
    // A continued line adds no character.
    if (next === "\n") return;
    made.quoted = true;
    made.text.push(next);
  }

  #variable(made: WordBuilder): void {
    const name = this.#match(variable);
    if (name === undefined) {
      const next = this.#line[this.#at + 1];
      if (next === "(") throw new NotUnderstood(t("substitutes the output of another command"));
      throw new NotUnderstood(t("contains a “$” that is more than a plain variable"));
    }
    made.exact = false;
    made.text.push(name);
  }
}

interface WordBuilder {
  readonly text: string[];
  exact: boolean;
  quoted: boolean;
}
