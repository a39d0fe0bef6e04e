// The titles of tool calls. Agents send sentences, but also nothing, their arguments as JSON, or only a path. Then the
// kind of the call gives the verb.
import { commandLineText } from "../base/commandLineText.ts";
import { withoutFence } from "../base/fence.ts";
import { readJsonPrefix } from "../base/jsonPrefix.ts";
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

/**
 * The title of a tool call for its card: the agent's, unless it is empty, JSON, or only a path. A title that is only the
 * name of a tool gets the file or the command. Paths in it are relative to the folder, and long ones lose their middle.
 */
export const toolTitle = (fields: Fields, workspaceFolder: string): string =>
  withShortPaths(fullTitle(fields, workspaceFolder), fields);

/**
 * The title of a permission request, wherever it is named: like {@link toolTitle}, but with whole paths, because the user
 * decides on them. Without a call, it is a question of Parley's own, which has a title.
 */
export function permissionTitle(title: string, tool: Fields | undefined, workspaceFolder: string): string {
  const isEmpty = title.trim() === "";
  if (tool) return fullTitle({ ...tool, ...(!isEmpty && { title }) }, workspaceFolder);
  return isEmpty ? t("Permission requested") : title;
}

function fullTitle(fields: Fields, workspaceFolder: string): string {
  const { title = "" } = fields;
  if (title.trim() === "" || isJsonTitle(title)) return describedCall(fields, workspaceFolder);
  return (
    pathTitle(title, fields, workspaceFolder) ??
    namedTool(title, fields, workspaceFolder) ??
    (isCommandTitle(fields) ? title : withRelativePaths(title, workspaceFolder))
  );
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
  const { command, query, url, paths } = objectsOf(fields);
  if (command !== undefined) return t("Run {0}", asCode(command));
  if (query !== undefined) return t("Search for {0}", query);
  if (url !== undefined) return t("Fetch {0}", url);
  const [first] = paths;
  if (first !== undefined && paths.length === 1 && Object.hasOwn(kindTitles, kind))
    return of(relativeLabel(first, workspaceFolder));
  if (paths.length > 1 && Object.hasOwn(kindTitles, kind)) return ofFiles(paths.length);
  if (fields.subAgent) return t("Sub-agent");
  return name === undefined || name.trim() === "" ? alone() : t("Use {0}", name);
}

interface Objects {
  readonly command: string | undefined;
  readonly query: string | undefined;
  readonly url: string | undefined;
  readonly paths: readonly string[];
}

/** What the call is about, as far as its kind says that it is. */
function objectsOf(fields: Fields): Objects {
  const { kind = "other" } = fields;
  const values = argumentsOf(fields);
  const path = textAt(values, ["path", "file_path", "filePath", "filename", "fileName"]);
  const known = [...new Set(pathsOf(fields, "locations", "diffs"))];
  return {
    command: kind === "execute" || kind === "other" ? commandOf(values) : undefined,
    query: kind === "search" ? textAt(values, ["query", "pattern", "regex", "glob"]) : undefined,
    url: kind === "fetch" ? textAt(values, ["url", "uri"]) : undefined,
    paths: known.length > 0 || path === undefined ? known : [path],
  };
}

/** The name of a tool, if the title is only that. */
export const toolName = (title: string): string | undefined =>
  /^([\p{L}][\p{L}\d_-]{0,39}):?$/u.exec(title.trim())?.[1];

/** The name of a tool with what the call is about. Undefined for any other title, and if that is not known. */
function namedTool(title: string, fields: Fields, workspaceFolder: string): string | undefined {
  const tool = toolName(title);
  if (tool === undefined) return undefined;
  const { kind = "other" } = fields;
  const { command, query, url, paths } = objectsOf(fields);
  if (command !== undefined) {
    // The command without the shell around it.
    if (lettersOf(command).endsWith(tool)) return undefined;
    const isProgram = lettersOf(command).toLowerCase().includes(tool.toLowerCase());
    return isProgram ? t("Run {0}", asCode(command)) : t("{0}: {1}", tool, asCode(command));
  }
  const object = query ?? url;
  if (object !== undefined) return t("{0}: {1}", tool, object);
  const [first] = paths;
  if (first === undefined || (kind !== "other" && !fileKinds.includes(kind))) return undefined;
  if (paths.length > 1) return kind === "other" ? undefined : titlesOf(kind).ofFiles(paths.length);
  const label = relativeLabel(first, workspaceFolder);
  return lastSegment(label) === tool ? titlesOf(kind).of(label) : t("{0} {1}", tool, label);
}

/** Whether the title is, or contains, a command. The paths in it count from the folder of the command. */
const isCommandTitle = (fields: Fields): boolean =>
  fields.kind === "execute" || commandOf(argumentsOf(fields)) !== undefined;

/** In characters. Longer titles keep whole paths. */
const maxRelativeTitle = 4000;

/** The title with paths in the folder relative to it. */
function withRelativePaths(title: string, workspaceFolder: string): string {
  const folder = workspaceFolder.replace(/[\\/]+$/, "");
  if (title.length > maxRelativeTitle || !/[^\\/:]/.test(folder) || !title.includes(folder)) return title;
  const escaped = folder.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return title.replace(new RegExp(`(?<=^|[\\s"'\`(<[{:=,])${escaped}[\\\\/](?=[^\\s\\\\/])`, "g"), "");
}

/** In characters. Longer paths in the title of a card lose their middle, so that the name of the file is in view. */
const maxPathLength = 50;

function withShortPaths(title: string, fields: Fields): string {
  if (title.length <= maxPathLength || isCommandTitle(fields)) return title;
  return title.replace(/(?<=^|[\s"'`(<[{=,])(?:~?\/|[A-Za-z]:[\\/])(?![\\/])[^\s"'`()<>[\]{},;*?|]+/g, shortPath);
}

/** The root, the last folder and the name of the file. */
function shortPath(path: string): string {
  if (path.length <= maxPathLength) return path;
  const separator = path.includes("\\") ? "\\" : "/";
  const segments = path.split(separator);
  if (segments.length <= 4) return path;
  const [root = "", first = ""] = segments;
  return [root, first, "…", ...segments.slice(-2)].join(separator);
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

/** The arguments of the call: its raw input, or a title that is JSON, as far as they have arrived. */
export function argumentsOf({ rawInput, title = "" }: Fields): Values {
  if (typeof rawInput === "object" && rawInput !== null && Object.keys(rawInput).length > 0) return rawInput as Values;
  return readJsonPrefix(typeof rawInput === "string" ? rawInput : "") ?? readJsonPrefix(title) ?? {};
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
