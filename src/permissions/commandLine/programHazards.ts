// Finds the words of a command that a wildcard of an allow rule doesn't stand for, by the tables in hazards/: options and
// subcommands with which a program runs, writes, obeys or shows something else. An option may come at any position, and a
// word after an unknown option may be its value or a subcommand: both count.
import { defaultProtection, protectionTest } from "../protectedFiles.ts";
import { cloudGrammar, cloudHazards } from "./hazards/cloudHazards.ts";
import { developerGrammar, developerHazards } from "./hazards/developerHazards.ts";
import { namesConfiguration, type HazardGrammar, type HazardRow } from "./hazards/hazardRow.ts";
import { systemGrammar, systemHazards } from "./hazards/systemHazards.ts";
import { programName } from "./programs.ts";
import type { Word } from "./types.ts";

/** All rows of the tables. */
export const hazardRows: readonly HazardRow[] = [...developerHazards, ...cloudHazards, ...systemHazards];
const grammars: readonly HazardGrammar[] = [...developerGrammar, ...cloudGrammar, ...systemGrammar];

/** For each word, what it does. Undefined: nothing. The first word stands for the whole command. */
export type WordHazards = readonly (string | undefined)[];

/** A position in the subcommands of a program. */
interface Node {
  readonly children: Map<string, Node>;
  /** The subcommand itself is a hazard. */
  row?: HazardRow;
  /** Options that are a hazard after this subcommand, at any position or only before the next subcommand. */
  readonly options: Map<string, HazardRow[]>;
  readonly optionsBefore: Map<string, HazardRow[]>;
}

interface ProgramTable {
  readonly root: Node;
  /** Texts in words. */
  readonly texts: readonly { readonly row: HazardRow; readonly text: RegExp; readonly of?: ReadonlySet<string> }[];
  /** Rows about operands. */
  readonly operands: readonly HazardRow[];
  /** The program without an operand is a hazard. */
  readonly alone?: HazardRow;
  /** Options with a value, without `=`, and those without one. Some are both, by subcommand. */
  readonly withValue: ReadonlySet<string>;
  readonly withoutValue: ReadonlySet<string>;
  /** All known long options. */
  readonly known: ReadonlySet<string>;
  readonly singleDash: boolean;
  readonly abbreviates: boolean;
  readonly skipped: ReadonlySet<string>;
  /** The number of operands after which no more options are read. */
  readonly endsAfter: number;
}

const listOf = (text: string | undefined, separator = " "): readonly string[] =>
  (text ?? "").split(separator).flatMap(one => (one.trim() === "" ? [] : [one.trim()]));

const newNode = (): Node => ({ children: new Map(), options: new Map(), optionsBefore: new Map() });

function addTo(map: Map<string, HazardRow[]>, key: string, row: HazardRow): void {
  map.set(key, [...(map.get(key) ?? []), row]);
}

function compileTable(rows: readonly HazardRow[], grammar: readonly HazardGrammar[]): ProgramTable {
  const root = newNode();
  const withValue = new Set<string>();
  const withoutValue = new Set<string>();
  const known = new Set<string>();
  let alone: HazardRow | undefined;
  const option = (text: string): string => {
    const name = text.replace(/=$/, "");
    known.add(name);
    (text.endsWith("=") ? withValue : withoutValue).add(name);
    return name;
  };
  for (const one of grammar) for (const text of listOf(one.values)) option(text);
  for (const row of rows) {
    for (const text of listOf(row.of)) option(text);
    for (const entry of listOf(row.words, ",")) {
      if (entry === ".") {
        alone = row;
        continue;
      }
      let node = root;
      for (const word of listOf(entry)) {
        const isBefore = word.startsWith("<");
        const name = word.replace("<", "");
        if (name.startsWith("-") && name !== "-") {
          addTo(isBefore ? node.optionsBefore : node.options, option(name), row);
          break;
        }
        const child = node.children.get(name) ?? newNode();
        node.children.set(name, child);
        node = child;
        if (entry.endsWith(name) && listOf(entry).at(-1) === word) node.row = row;
      }
    }
  }
  return {
    root,
    texts: rows.flatMap(row =>
      row.text
        ? [{ row, text: row.text, ...(row.of !== undefined && { of: new Set(listOf(row.of.replaceAll("=", ""))) }) }]
        : [],
    ),
    operands: rows.filter(row => row.operand),
    ...(alone && { alone }),
    withValue,
    withoutValue,
    known,
    singleDash: grammar.some(one => one.singleDash),
    abbreviates: grammar.some(one => one.abbreviates),
    skipped: new Set(grammar.flatMap(one => listOf(one.skipped))),
    endsAfter: Math.min(...grammar.map(one => one.endsAfter ?? Infinity), Infinity),
  };
}

const namesOf = ({ programs }: HazardRow | HazardGrammar): readonly string[] => listOf(programs);
const tables: ReadonlyMap<string, ProgramTable> = new Map(
  [...new Set(hazardRows.flatMap(namesOf))].map(name => [
    name,
    compileTable(
      hazardRows.filter(row => namesOf(row).includes(name)),
      grammars.filter(row => namesOf(row).includes(name)),
    ),
  ]),
);

/** Programs that run the program that one of their first operands names. */
const runners = new Set(
  "npx bunx uvx npm pnpm yarn bun python pipx uv poetry pipenv pdm hatch rye conda bundle mise deno dotnet go".split(
    " ",
  ),
);
const maxRunnerWords = 8;

const found = new WeakMap<readonly Word[], WordHazards>();

/** The hazards of the words of a command, also of a command in it: `npx eslint --config x`. */
export function programHazards(words: readonly Word[]): WordHazards {
  const made = found.get(words) ?? findHazards(words);
  found.set(words, made);
  return made;
}

function findHazards(words: readonly Word[]): WordHazards {
  const name = programName(words[0]?.text ?? "");
  const own = tables.get(name);
  const hazards = own ? new HazardReader(own, words).hazards() : words.map(() => undefined);
  if (!runners.has(name)) return hazards;
  const all = [...hazards];
  for (let at = 1; at < Math.min(words.length, maxRunnerWords); at++) {
    const { text = "", exact = false } = words[at] ?? {};
    // `eslint@8`, `npm:eslint`.
    const inner =
      exact && !text.startsWith("-") ? tables.get(programName(text.replace(/^npm:|(?<=.)@.*$/g, ""))) : undefined;
    if (!inner) continue;
    const more = new HazardReader(inner, words.slice(at), true).hazards();
    for (const [index, hazard] of more.entries()) all[at + index] ??= hazard;
  }
  return all;
}

interface ReadOption {
  readonly index: number;
  readonly names: readonly { readonly name: string; readonly value?: Word }[];
  /** Where the option is among the subcommands. */
  readonly at: ReadonlySet<Node>;
  readonly exact: boolean;
  readonly text: string;
}

class HazardReader {
  readonly #table: ProgramTable;
  readonly #words: readonly Word[];
  readonly #hazards: (string | undefined)[];
  readonly #options: ReadOption[] = [];
  readonly #reached = new Set<Node>();
  readonly #values = new Map<number, string>();
  /** All options of the tables of the reached subcommands. Set when the words are read. */
  #hasOptions = false;

  /** A program before this one removes `--`. */
  readonly #ignoresEnd: boolean;

  constructor(table: ProgramTable, words: readonly Word[], ignoresEnd = false) {
    this.#ignoresEnd = ignoresEnd;
    this.#table = table;
    this.#words = words;
    this.#hazards = words.map(() => undefined);
  }

  hazards(): WordHazards {
    const pathRows = this.#readWords();
    for (const { index, row } of pathRows) if (!this.#isExcepted(row, index)) this.#hazards[index] ??= row.why();
    for (const option of this.#options) this.#hazards[option.index] ??= this.#optionHazard(option);
    this.#readTexts();
    return this.#hazards;
  }

  /** Follows the subcommands, and collects the options. */
  #readWords(): readonly { readonly index: number; readonly row: HazardRow }[] {
    const { root, alone, withValue, withoutValue, skipped, endsAfter } = this.#table;
    this.#hasOptions = root.options.size > 0;
    const rows: { index: number; row: HazardRow }[] = [];
    let live: ReadonlySet<Node> = new Set([root]);
    this.#reached.add(root);
    let ended = false;
    let pending: string | undefined;
    let mayBeValue = false;
    let operands = 0;
    let certain = 0;
    for (const [index, word] of this.#words.entries()) {
      if (index === 0) continue;
      const { text, exact } = word;
      const valueOf = pending;
      pending = undefined;
      if (valueOf !== undefined) {
        this.#values.set(index, valueOf);
        // Braces make several words.
        if (!exact && /\{|^[*?[]/.test(text)) this.#hazards[index] = "may become a subcommand of any kind";
        // An option all the same, if the option before it has no value after all.
        if (ended || !text.startsWith("-") || text === "-" || text === "--") continue;
      }
      if (!ended && text === "--") {
        ended = !this.#ignoresEnd;
        continue;
      }
      if (!ended && text.startsWith("-") && text !== "-") {
        const option = this.#readOption(word, index, live);
        this.#options.push(option);
        const last = option.names.at(-1);
        mayBeValue = valueOf !== undefined;
        if (last && last.value === undefined) {
          const isBoth = withValue.has(last.name) && withoutValue.has(last.name);
          if (withValue.has(last.name) && !isBoth) pending = last.name;
          else mayBeValue ||= isBoth || !this.#table.known.has(last.name);
        }
        continue;
      }
      operands++;
      const risky = this.#table.operands.find(row => row.operand?.test(text));
      if (risky) this.#hazards[index] = risky.why();
      if (!ended && !exact && mayBecomeOption(text) && this.#hasOptions) {
        this.#hazards[index] = "may become an option of any kind";
      }
      if (skipped.has(text)) continue;
      const next = new Set<Node>(mayBeValue ? live : []);
      if (!mayBeValue && ++certain >= endsAfter) ended = true;
      mayBeValue = false;
      for (const node of live) {
        for (const key of exact ? [text.toLowerCase(), text, "*"] : []) {
          const child = node.children.get(key);
          if (!child) continue;
          next.add(key === "*" ? node : child);
          this.#reached.add(child);
          if (child.row) rows.push({ index, row: child.row });
        }
        if (!exact && node.children.size > 0) this.#hazards[index] ??= "may become a subcommand of any kind";
      }
      live = next;
    }
    if (alone && operands === 0 && this.#options.every(({ text }) => text !== "--version" && text !== "--help")) {
      this.#hazards[0] = alone.why();
    }
    return rows;
  }

  #readOption({ text, exact }: Word, index: number, at: ReadonlySet<Node>): ReadOption {
    const { withValue, singleDash } = this.#table;
    const names: { name: string; value?: Word }[] = [];
    const equals = text.indexOf("=");
    const isLong = text.startsWith("--");
    const isWhole = text.length > 2 && this.#table.known.has(equals < 0 ? text : text.slice(0, equals));
    if (isLong || singleDash || isWhole) {
      const name = equals < 0 ? text : text.slice(0, equals);
      const own = singleDash && isLong && !this.#table.known.has(name) ? name.slice(1) : name;
      names.push({ name: own, ...(equals >= 0 && { value: { text: text.slice(equals + 1), exact } }) });
    }
    if (!isLong && !isWhole) {
      // With long names, only the first letter can be an option with its value attached.
      const letters = singleDash ? 2 : text.length;
      for (let i = 1; i < letters; i++) {
        const name = `-${text.charAt(i)}`;
        const rest = text.slice(i + 1).replace(/^=/, "");
        const takesRest = withValue.has(name) && rest !== "";
        names.push({ name, ...(takesRest && { value: { text: rest, exact } }) });
        if (withValue.has(name)) break;
      }
    }
    return { index, names, at, exact, text };
  }

  #optionHazard({ index, names, at, exact, text }: ReadOption): string | undefined {
    const { abbreviates, known } = this.#table;
    if (!exact && this.#hasOptions && /[*?[${~]/.test(text.split("=")[0] ?? ""))
      return "may become an option of any kind";
    for (const { name, value } of names) {
      const rows = [...this.#reached].flatMap(node => [
        ...(node.options.get(name) ?? []),
        ...(at.has(node) ? (node.optionsBefore.get(name) ?? []) : []),
        ...(abbreviates && name.startsWith("--") && name.length > 2 && !known.has(name) ? abbreviated(node, name) : []),
      ]);
      const given = value ?? this.#words[index + 1];
      const row = rows.find(one => !isHarmlessValue(one, given));
      if (row) return row.why();
    }
    return undefined;
  }

  /** Whether other words make a subcommand harmless. */
  #isExcepted({ except, words = "" }: HazardRow, at: number): boolean {
    if (!except) return false;
    if (listOf(words, ",").includes("*")) return except.test(this.#words[at]?.text ?? "");
    const others = this.#words.slice(at + 1).filter(({ text }) => !/^(?:-f|--format)$/.test(text));
    const decisive = others.filter(({ text }) => text.startsWith("-") || text.includes("{{"));
    return decisive.length > 0 && decisive.every(({ text, exact }) => exact && except.test(text));
  }

  #readTexts(): void {
    for (const { row, text, of } of this.#table.texts) {
      for (const [index, word] of this.#words.entries()) {
        if (index === 0 || this.#hazards[index] !== undefined) continue;
        const isValue = of === undefined || of.has(this.#values.get(index) ?? "");
        const attached = of && this.#options.find(one => one.index === index)?.names.at(-1);
        const own = isValue ? word.text : attached?.value && of.has(attached.name) ? attached.value.text : undefined;
        if (own === undefined || /^--(?:slurpfile|rawfile|arg|argjson)$/.test(this.#words[index - 1]?.text ?? ""))
          continue;
        if (text.test(withoutPlainStrings(own)) && row.except?.test(own) !== true) this.#hazards[index] = row.why();
      }
    }
  }
}

/** The folder of the user and of the workspace start with a slash. */
const mayBecomeOption = (text: string): boolean => /^[*?[${]/.test(text) && !/^\$\{?(?:HOME|PWD)\}?(?:\/|$)/.test(text);

function abbreviated({ options }: Node, name: string): readonly HazardRow[] {
  return [...options].flatMap(([option, rows]) => (option.startsWith(name) ? rows : []));
}

/** Strings of a script, unless they contain code or may contain the end of a comment. */
function withoutPlainStrings(text: string): string {
  return text.includes("\\(") || text.includes("#") ? text : text.replace(/"(?:[^"\\]|\\[^(])*"/g, '""');
}

const isListed = protectionTest(defaultProtection, { roots: ["/"], platform: "posix", ignoresCase: true });

function isHarmlessValue({ except, why }: HazardRow, value: Word | undefined): boolean {
  if (!value?.exact) return false;
  if (except?.test(value.text)) return true;
  // Parley asks before an agent writes such a file, and the program reads it anyway.
  return (
    why === namesConfiguration &&
    /^[\w@-][\w./@-]*$|^\.\w[\w./@-]*$/.test(value.text) &&
    !value.text.includes("..") &&
    Boolean(isListed(`/${value.text}`))
  );
}
