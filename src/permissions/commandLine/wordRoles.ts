// What each word of a command is to its program, for the wildcards of allow patterns: `*` stands for operands and
// harmless options, and `**` for everything that writes and runs nothing.
import { mayBeFindAction, programName } from "./programs.ts";
import { programOptions, type ProgramOptions } from "./programOptions.ts";
import type { Word } from "./types.ts";

/** `unknown`: an option that may be harmful. `harmful`: it makes the program write or run something. */
export type WordRole = "operand" | "harmless" | "unknown" | "harmful";

interface KnownOption {
  readonly role: WordRole;
  readonly takesValue: boolean;
}

interface OptionTable {
  readonly known: ReadonlyMap<string, KnownOption>;
  readonly harmfulNames: readonly string[];
  /** The role of an option that the table doesn't list. */
  readonly other: "harmless" | "unknown";
  readonly options: ProgramOptions;
}

const noOptions: ProgramOptions = { harmless: "" };
const tables = new Map<ProgramOptions, OptionTable>();

function tableOf(options: ProgramOptions): OptionTable {
  const made = tables.get(options) ?? compileTable(options);
  tables.set(options, made);
  return made;
}

function compileTable(options: ProgramOptions): OptionTable {
  const known = new Map<string, KnownOption>();
  const lists = [
    ["harmless", options.harmless],
    ["unknown", options.doubtful],
    ["harmful", options.harmful],
  ] as const;
  for (const [role, list] of lists) {
    for (const text of (list ?? "").split(" ").filter(one => one.startsWith("-"))) {
      known.set(text.replace(/=$/, ""), { role, takesValue: text.endsWith("=") });
    }
  }
  return {
    known,
    harmfulNames: [...known].filter(([, { role }]) => role === "harmful").map(([name]) => name),
    other: options.harmless === "any" ? "harmless" : "unknown",
    options,
  };
}

const rolesOfWords = new WeakMap<readonly Word[], readonly WordRole[]>();

/** The role of each word of a command. */
export function wordRoles(words: readonly Word[]): readonly WordRole[] {
  const made = rolesOfWords.get(words) ?? new RoleReader(words).roles();
  rolesOfWords.set(words, made);
  return made;
}

/** Written and executed by nothing. */
const nullDevice = "/dev/null";
/** A `sed` script that only selects lines by number or by a simple expression: `1,20p`, `$p`, `/a b/p`. */
const selectsLines =
  /^(?:(?:^|;)\s*(?:(?:\d+|\$|\/[^/\\[\n]*\/)(?:,(?:\+?\d+|\$|\/[^/\\[\n]*\/))?\s*!?\s*)?[pdq=]\s*)+$/;

class RoleReader {
  readonly #words: readonly Word[];
  readonly #program: string;
  #table: OptionTable;
  readonly #roles: WordRole[] = [];
  readonly #operands: string[] = [];
  /** The options are over. */
  #ended = false;
  /** The option whose value is the next word. */
  #pending: { readonly name: string; readonly at: number } | undefined;
  /** `sed` and `awk` have received a script by an option. */
  #hasScript = false;

  constructor(words: readonly Word[]) {
    this.#words = words;
    this.#program = programName(words[0]?.text ?? "");
    const known = Object.hasOwn(programOptions, this.#program) ? programOptions[this.#program] : undefined;
    this.#table = tableOf(known ?? noOptions);
  }

  roles(): readonly WordRole[] {
    for (const [index, word] of this.#words.entries()) {
      this.#roles.push(index === 0 ? "operand" : this.#roleOf(word, index));
    }
    return this.#roles;
  }

  #roleOf(word: Word, index: number): WordRole {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) {
      const role = this.#valueRole(pending, word);
      if (role !== undefined) return role;
    }
    const { text } = word;
    if (!this.#ended && text === "--" && this.#program !== "find") {
      this.#ended = true;
      return "harmless";
    }
    const bundled = this.#program === "tar" && index === 1 && /^[A-Za-z]+$/.test(text);
    if (!this.#ended && ((text.startsWith("-") && text !== "-") || bundled)) {
      return bundled ? this.#bundleRole(text) : this.#optionRole(word, index);
    }
    return this.#operandRole(word);
  }

  /** The value of the option before it. Undefined: it may be an option itself. */
  #valueRole({ name, at }: { readonly name: string; readonly at: number }, word: Word): WordRole | undefined {
    if (this.#isScriptOption(name)) return this.#scriptRole(word);
    if (word.exact && word.text === nullDevice && this.#roles[at] === "harmful") this.#roles[at] = "harmless";
    if (word.text.startsWith("-") && word.text !== "-") return undefined;
    return this.#isSpecial(word) ? "harmful" : "operand";
  }

  #optionRole(word: Word, at: number): WordRole {
    const { text, exact } = word;
    const { singleDash } = this.#table.options;
    if (exact && /^-\d+(?:\.\d+)?$/.test(text)) return "harmless";
    if (this.#program === "go" && /^--?args$/.test(text)) this.#ended = true;
    const isLong = singleDash === true || text.startsWith("--");
    return isLong ? this.#longRole(word, at) : this.#clusterRole(word, at);
  }

  #longRole({ text, exact }: Word, at: number): WordRole {
    const { known, harmfulNames, other, options } = this.#table;
    const equals = text.indexOf("=");
    const given = equals < 0 ? text : text.slice(0, equals);
    const value = equals < 0 ? undefined : text.slice(equals + 1);
    if (!exact && /[*?[${~]/.test(given)) return this.#doubt(text);
    // node accepts `_` for `-`.
    const dashed = this.#program === "node" ? given.replaceAll("_", "-") : given;
    const name = options.singleDash ? dashed.replace(/^--/, "-") : dashed;
    const option = known.get(name);
    const isScript = this.#isScriptOption(name);
    if ((option?.takesValue || isScript) && value === undefined) this.#pending = { name, at };
    if (isScript) return value === undefined ? "harmless" : this.#scriptRole({ text: value, exact });
    if (option?.role === "harmful") return value === nullDevice ? "harmless" : "harmful";
    if (option) return option.role;
    // Programs accept abbreviations: `--outp=x`.
    if (!options.singleDash && harmfulNames.some(one => one.startsWith("--") && one.startsWith(name))) return "harmful";
    return other;
  }

  /** Letters after one dash: `-la`, `-n5`, `-ofile`. */
  #clusterRole({ text, exact }: Word, at: number): WordRole {
    const { known, other } = this.#table;
    let role: WordRole = "harmless";
    for (let i = 1; i < text.length; i++) {
      const letter = text.charAt(i);
      if (/\d/.test(letter) && !known.has(`-${letter}`)) continue;
      if (!exact && /[*?[${~]/.test(letter)) return this.#doubt(text);
      const name = `-${letter}`;
      const option = known.get(name);
      const value = text.slice(i + 1);
      if (option?.takesValue && value === "") this.#pending = { name, at };
      if (option && this.#isScriptOption(name)) {
        return value === "" ? role : worst(role, this.#scriptRole({ text: value, exact }));
      }
      if (option?.role === "harmful") return option.takesValue && value === nullDevice ? role : "harmful";
      role = worst(role, option?.role ?? other);
      if (option?.takesValue) return this.#isSpecial({ text: value, exact }) ? "harmful" : role;
    }
    return role;
  }

  /** The first word of `tar`, without a dash. The values of its letters follow as words. */
  #bundleRole(letters: string): WordRole {
    const { known, other } = this.#table;
    return [...letters].map(letter => known.get(`-${letter}`)?.role ?? other).reduce(worst);
  }

  #operandRole(word: Word): WordRole {
    const { text, exact } = word;
    const isFirst = this.#operands.length === 0;
    this.#operands.push(text);
    if (this.#isSpecial(word)) return "harmful";
    // A name that starts with a wildcard or a variable may become an option.
    if (!exact && !this.#ended && /^[*?[${]/.test(text)) return this.#doubt(text);
    const { subcommands, endsAtOperand } = this.#table.options;
    if (isFirst && subcommands) {
      const known = Object.hasOwn(subcommands, text) ? subcommands[text] : subcommands["*"];
      this.#table = tableOf(known ?? noOptions);
    }
    if (endsAtOperand) {
      // From here on, options are those of the script, about which nothing is known.
      this.#table = tableOf(noOptions);
    }
    const isScript = this.#program === "sed" || this.#program === "awk";
    return isScript && isFirst && !this.#hasScript ? this.#scriptRole(word) : "operand";
  }

  /** Operands that make some programs write or run something. */
  #isSpecial({ text, exact }: Word): boolean {
    const [subcommand, second] = this.#operands;
    const isCounted = ["make", "uniq", "xxd", "tar"].includes(this.#program);
    // The shell decides how many words this becomes, and which.
    if (!exact && (isCounted || (this.#program === "git" && gitRunners.has(subcommand ?? "")))) return true;
    switch (this.#program) {
      case "make":
        return text.includes("=");
      case "node":
      case "python":
      case "perl":
      case "ruby":
      case "php":
      case "bun":
        // The script is the input.
        return text === "-" && this.#operands.length === 1;
      case "uniq":
      case "xxd":
        return this.#operands.length > 1;
      case "tar":
        return /^[^/]*:/.test(text);
      case "curl":
        return text.includes("%output{");
      case "npm":
      case "pnpm":
      case "yarn":
        // Settings such as `script-shell` decide what runs later.
        return text === "set" && (subcommand === "set" || subcommand === "config" || subcommand === "c");
      case "git":
        if (text === "filter-branch" && subcommand === text) return true;
        if (subcommand === "bisect") return text === "run";
        if (subcommand === "submodule") return text === "foreach";
        // `git config a.b` shows a value, and `git config a.b c` sets one.
        return subcommand === "config" && this.#operands.length > 2 && second !== "get" && second !== "list";
      default:
        return false;
    }
  }

  #isScriptOption(name: string): boolean {
    return this.#program === "sed" && (name === "-e" || (name.startsWith("--e") && "--expression".startsWith(name)));
  }

  #scriptRole({ text, exact }: Word): WordRole {
    this.#hasScript = true;
    return this.#program === "sed" && exact && selectsLines.test(text) ? "operand" : "harmful";
  }

  /** The role of a word that may become any option. */
  #doubt(text: string): WordRole {
    if (this.#program === "find" && !mayBeFindAction(text)) return "operand";
    return this.#table.harmfulNames.length > 0 ? "harmful" : "operand";
  }
}

/** Subcommands of git that run or set what an operand names. */
const gitRunners = new Set(["bisect", "submodule", "config", "filter-branch"]);
const order: readonly WordRole[] = ["operand", "harmless", "unknown", "harmful"];
const worst = (a: WordRole, b: WordRole): WordRole => (order.indexOf(a) > order.indexOf(b) ? a : b);
