// The titles of tool calls. Agents send sentences, but also nothing, their arguments as JSON, or only a path. Then the
// kind of the call gives the verb.
import { commandLineText } from "../base/commandLineText.ts";
import { withoutFence } from "../base/fence.ts";
import { t } from "../base/l10n.ts";
import { relativeLabel } from "../base/pathLabel.ts";
import type { ToolFields } from "./events.ts";
import { pathsOf } from "./toolPaths.ts";

type Fields = Partial<ToolFields>;
type Values = Readonly<Record<string, unknown>>;

interface KindTitle {
  /** The title for a path or another object. */
  readonly of: (object: string) => string;
  /** The title for several files. */
  readonly ofFiles: (count: number) => string;
  /** The title if no object is known. */
  readonly alone: () => string;
}

const kindTitles: Readonly<Record<string, KindTitle>> = {
  read: {
    of: object => t("Read {0}", object),
    ofFiles: count => t("Read {0} files", count),
    alone: () => t("Read a file"),
  },
  edit: {
    of: object => t("Edit {0}", object),
    ofFiles: count => t("Edit {0} files", count),
    alone: () => t("Edit a file"),
  },
  delete: {
    of: object => t("Delete {0}", object),
    ofFiles: count => t("Delete {0} files", count),
    alone: () => t("Delete a file"),
  },
  move: {
    of: object => t("Move {0}", object),
    ofFiles: count => t("Move {0} files", count),
    alone: () => t("Move a file"),
  },
  search: {
    of: object => t("Search {0}", object),
    ofFiles: count => t("Search {0} files", count),
    alone: () => t("Search"),
  },
  execute: {
    of: object => t("Run {0}", object),
    ofFiles: count => t("Run {0} files", count),
    alone: () => t("Run a command"),
  },
  think: {
    of: object => t("Think about {0}", object),
    ofFiles: count => t("Think about {0} files", count),
    alone: () => t("Think"),
  },
  fetch: {
    of: object => t("Fetch {0}", object),
    ofFiles: count => t("Fetch {0} files", count),
    alone: () => t("Fetch a page"),
  },
  switch_mode: {
    of: object => t("Switch mode to {0}", object),
    ofFiles: count => t("Switch mode to {0} files", count),
    alone: () => t("Switch mode"),
  },
};
const otherKind: KindTitle = {
  of: object => t("Access {0}", object),
  ofFiles: count => t("Access {0} files", count),
  alone: () => t("Use a tool"),
};

/** In characters. Longer commands and queries are cut when they become a title. */
const maxObjectLength = 200;

/** The title of a tool call for its card: the agent's, unless it is empty, JSON, or only a path. */
export function toolTitle(fields: Fields, workspaceFolder: string): string {
  const { title = "" } = fields;
  if (title.trim() === "" || isJsonTitle(title)) return describedCall(fields, workspaceFolder);
  return pathTitle(title, fields, workspaceFolder) ?? title;
}

/**
 * The title of a permission request, wherever it is named: the agent's, unless it is empty, JSON, or only a path. Then it
 * is the title of the tool call in question. Without a call, it is a question of Parley's own, which has a title.
 */
export function permissionTitle(title: string, tool: Fields | undefined, workspaceFolder: string): string {
  const isEmpty = title.trim() === "";
  if (tool) return toolTitle({ ...tool, ...(!isEmpty && { title }) }, workspaceFolder);
  return isEmpty ? t("Permission requested") : title;
}

/**
 * The title of a question about a tool call. The question shows `command` itself, in full, so a title that repeats it
 * is replaced.
 */
export function questionTitle(title: string, command: string | undefined): string {
  if (command === undefined || !repeatsCommand(title, command)) return title;
  return descriptionAfter(title, command) ?? t("Run a command");
}

/** Whether a title contains the command, or is its end. Quotes, backticks and white space don't count. */
function repeatsCommand(title: string, command: string): boolean {
  const [inTitle, inCommand] = [lettersOf(title), lettersOf(command)];
  if (inTitle === "" || inCommand === "") return false;
  return inTitle.includes(inCommand) || inCommand.endsWith(inTitle);
}

/** Whether a text is the command and nothing else, possibly in a fence, with a prompt sign, or as inline code. */
export function isOnlyCommand(text: string, command: string): boolean {
  const bare = withoutFence(text).replace(/^\s*\$\s+/, "");
  return lettersOf(bare) === lettersOf(command);
}

/** Whether the title is the JSON of the arguments, possibly cut. */
export const isJsonTitle = (title: string): boolean => /^\s*(?:\{\s*["}]|\[\s*[\]"{[])/.test(title);

/** The command line in the raw input of a tool call, found by its shape: `command` as text or as a list of words. */
export function commandOf(rawInput: unknown): string | undefined {
  if (typeof rawInput !== "object" || rawInput === null) return undefined;
  const { cmd, command = cmd, args } = rawInput as Values;
  const words = Array.isArray(command)
    ? command
    : typeof command === "string"
      ? [command, ...(Array.isArray(args) ? args : [])]
      : [];
  const [program = "", ...rest] = words.filter(word => typeof word === "string");
  const line = commandLineText(program, rest).trim();
  return line === "" ? undefined : line;
}

/** What the call does, from its kind, paths and arguments. */
function describedCall(fields: Fields, workspaceFolder: string): string {
  const { kind = "other", name } = fields;
  const { of, ofFiles, alone } = titlesOf(kind);
  const values = argumentsOf(fields);
  const command = kind === "execute" || kind === "other" ? commandOf(values) : undefined;
  if (command !== undefined) return t("Run {0}", asCode(command));
  const query = textAt(values, ["query", "pattern", "regex", "glob"]);
  if (kind === "search" && query !== undefined) return t("Search for {0}", query);
  const url = textAt(values, ["url", "uri"]);
  if (kind === "fetch" && url !== undefined) return t("Fetch {0}", url);
  const path = textAt(values, ["path", "file_path", "filePath", "filename", "fileName"]);
  const known = [...new Set(pathsOf(fields, "locations", "diffs"))];
  const paths = known.length > 0 || path === undefined ? known : [path];
  const [first] = paths;
  if (first !== undefined && paths.length === 1 && Object.hasOwn(kindTitles, kind))
    return of(relativeLabel(first, workspaceFolder));
  if (paths.length > 1 && Object.hasOwn(kindTitles, kind)) return ofFiles(paths.length);
  if (fields.subAgent) return t("Sub-agent");
  return name === undefined || name.trim() === "" ? alone() : t("Use {0}", name);
}

const titlesOf = (kind: string): KindTitle => (Object.hasOwn(kindTitles, kind) && kindTitles[kind]) || otherKind;

/** The verb of the kind before a title that is only a path. Undefined for any other title. */
function pathTitle(title: string, fields: Fields, workspaceFolder: string): string | undefined {
  const { kind = "other" } = fields;
  // The path of a program is a command.
  if (kind === "execute") return undefined;
  const given = title.trim().replace(/^(["'`])(.*)\1$/, "$2");
  const [, path = given, lines = ""] = /^(.*?)(:\d+(?:[-:]\d+)?)?$/s.exec(given) ?? [];
  const known = pathsOf(fields, "locations", "diffs");
  const exact = known.find(one => one === path || relativeLabel(one, workspaceFolder) === path);
  if (exact === undefined && !looksLikePath(path, kind)) return undefined;
  // Relative to another folder, the same file has another path.
  const [alike, ...others] = new Set(known.filter(one => lastSegment(one) === lastSegment(path)));
  const same = exact ?? (others.length === 0 ? (alike ?? path) : path);
  return titlesOf(kind).of(`${relativeLabel(same, workspaceFolder)}${lines}`);
}

const fileKinds: readonly string[] = ["read", "edit", "delete", "move"];

function looksLikePath(text: string, kind: string): boolean {
  if (/^[a-z][a-z0-9+.-]+:\/\/\S+$/i.test(text)) return kind === "fetch" || fileKinds.includes(kind);
  if (/[\s*?|<>{}]/.test(text)) return false;
  if (/^(?:[\\/]|~[\\/]|\.{1,2}[\\/]|[a-z]:[\\/])./i.test(text)) return true;
  return fileKinds.includes(kind) && /[\\/]|\.\w{1,12}$/.test(text);
}

const lastSegment = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** The arguments of the call: its raw input, or a title that is JSON. */
function argumentsOf({ rawInput, title = "" }: Fields): Values {
  if (typeof rawInput === "object" && rawInput !== null && Object.keys(rawInput).length > 0) return rawInput as Values;
  try {
    const parsed: unknown = JSON.parse(title);
    return typeof parsed === "object" && parsed !== null ? (parsed as Values) : {};
  } catch {
    return {}; // Empty, or cut.
  }
}

function textAt(values: Values, keys: readonly string[]): string | undefined {
  const found = keys.map(key => values[key]).find(value => typeof value === "string" && value.trim() !== "");
  return found === undefined ? undefined : shortened(found as string);
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxObjectLength ? `${line.slice(0, maxObjectLength - 1)}…` : line;
}

const asCode = (text: string): string => (text.includes("`") ? shortened(text) : `\`${shortened(text)}\``);

const lettersOf = (text: string): string => text.replace(/[\s'"`\\]+/g, "");

/** The description that some agents append to the command, in parentheses. Undefined if it only repeats the command. */
function descriptionAfter(title: string, command: string): string | undefined {
  const [, description = ""] = /\(([^()]+)\)\s*$/.exec(title.replaceAll(command, "")) ?? [];
  const bare = description.replace(/^\s*(?:run|execute)\b/i, "").trim();
  const [inBare, inCommand] = [lettersOf(bare), lettersOf(command)];
  const repeats = inCommand.startsWith(inBare) || inBare.includes(inCommand.slice(0, 8));
  return repeats || !/[a-z]{3}/i.test(bare) ? undefined : description.trim();
}
