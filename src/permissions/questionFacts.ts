// A question as the rules see it: commands, files and addresses, found by the shape of the agent's data. If two
// interpretations are possible, both count, or neither is understood. Rules must not allow anything they do not see.
import { t } from "../base/l10n.ts";
import { posix, win32 } from "node:path";
import { commandLineText } from "../base/commandLineText.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { quotePath } from "../base/text.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import type { ToolKind } from "../session/events.ts";
import { pathsOf } from "../session/toolPaths.ts";
import { parseArguments, parseCommandLine } from "./commandLine/parseCommandLine.ts";
import { pathsToResolve } from "./commandArguments.ts";
import { commandFolders } from "./commandFolders.ts";
import { unknownCommandField } from "./commandFields.ts";
import { isBaseKey, isFolderKey, isPathKey, PathsAndUrls } from "./pathsAndUrls.ts";
import type { QuestionFacts } from "./rules.ts";
import type { StatedCommand } from "./sameCommand.ts";
import { fragmentsOf } from "./commandLine/fragments.ts";
import { isInRoots, type PathContext } from "./pathGlob.ts";
import type { Command, CommandLine, Shell, StartFolder, Word } from "./commandLine/types.ts";
import { isHarmlessVariable } from "./harmlessVariables.ts";

/** The context of a question. */
export interface FactsContext {
  /** The agent's id in the settings. */
  readonly agent: string;
  /** The workspace folder of the session. */
  readonly workspaceFolder: string;
  readonly place: PathContext;
  /** The shells that may parse a command line here. A line that they parse differently is opaque. */
  readonly shells: readonly Shell[];
  readonly trusted: boolean;
  /** Resolves symbolic links in a path. May reject: then only the given path counts. */
  readonly resolve: (path: string) => Promise<string>;
  /** The workspace folders under all their names. Absent: those of `place`. */
  readonly roots?: () => Promise<readonly string[]>;
}

type Input = Readonly<Record<string, unknown>>;

/** Everything that rules use to judge a question. Never rejects. */
export async function questionFacts(question: PermissionQuestion, around: FactsContext): Promise<QuestionFacts> {
  const roots = (await around.roots?.()) ?? around.place.roots;
  const context: FactsContext = { ...around, place: { ...around.place, roots } };
  const { subject, tool } = question;
  const { agent, place, trusted } = context;
  const kind = subject?.kind ?? tool?.kind;
  const input = isInput(tool?.rawInput) ? tool.rawInput : {};

  const found = pathsAndUrlsIn(question, kind);
  const folders = [subject?.cwd, ...foldersIn(input)].filter(folder => folder !== undefined);
  const isWhole = found.isComplete && folders.length <= maxFolders;
  const readers: Readers = { shells: context.shells, start: await startFolder(folders[0], context) };
  const own = subject && subjectCommand(subject, readers);
  // A huge input is not parsed a second time.
  const command = combinedCommand([own, isWhole ? inputCommand(input, kind, readers) : undefined], isWhole, folders);
  const caveat =
    question.caveat ??
    (subject?.env?.some(each => !isHarmlessVariable(each)) === true
      ? setsVariables()
      : caveatOf(input, command, found));

  const resolver = new SymlinkResolver(context);
  const cwd = command && folders[0] !== undefined ? await resolver.resolveFolder(folders[0]) : undefined;
  const bases = (command ? folders : basesIn(input)).slice(0, maxFolders);
  const paths = [
    ...(await resolver.resolveAll(found.paths, [
      context.workspaceFolder,
      ...bases.flatMap(base => resolver.candidatePaths(base, [context.workspaceFolder])),
    ])),
    ...(await resolver.resolveAll(bases, [context.workspaceFolder])),
  ];
  const links = command?.kind === "commands" && (await resolver.linksIn(command.commands, cwd));
  return {
    agent,
    ...(kind !== undefined && { kind }),
    ...(command && { command }),
    ...(cwd !== undefined && { cwd }),
    paths: [...new Set(paths)],
    urls: [...found.urls],
    ...(links && links.size > 0 && { links }),
    ...((caveat !== undefined || links === undefined) && {
      caveat: caveat ?? t("names more files than can be checked"),
    }),
    trusted,
    place,
  };
}

/** The reason why no rule can allow this input, because it says more than Parley understands. Continues "it …". */
function caveatOf(input: Input, command: CommandLine | undefined, found: PathsAndUrls): string | undefined {
  if (command) {
    const field = unknownCommandField(input);
    return field === undefined ? undefined : t("has a field that may change what runs: {0}", quotePath(field));
  }
  const field = found.unknownPathField;
  return field === undefined ? undefined : t("has a path in a field that Parley doesn't know: {0}", quotePath(field));
}

function pathsAndUrlsIn({ subject, tool }: PermissionQuestion, kind: ToolKind | undefined): PathsAndUrls {
  const found = new PathsAndUrls(kind);
  for (const path of subject?.paths ?? []) found.addPath(path);
  for (const path of pathsOf(tool ?? {}, "locations", "diffs", "origins")) found.addPath(path);
  found.addValue(tool?.rawInput);
  return found;
}

const isInput = (value: unknown): value is Input =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Longer lines would take longer to parse than a user waits. */
const maxLineLength = 100_000;

/** What parses a command line. */
interface Readers {
  readonly shells: readonly Shell[];
  /** Absent: no change of the folder is neutral. */
  readonly start?: StartFolder | undefined;
}

/** The names of the session's folder, if a command starts there. The shells of Windows write folders in other ways. */
async function startFolder(
  cwd: string | undefined,
  { workspaceFolder, place, resolve }: FactsContext,
): Promise<StartFolder | undefined> {
  if (place.platform === "windows") return undefined;
  const names = new Set([workspaceFolder]);
  try {
    const folder = await resolve(workspaceFolder);
    for (const root of place.roots) if ((await resolve(root)) === folder) names.add(root);
  } catch {
    // Without its other names, a change to the folder needs a rule.
  }
  return cwd === undefined || names.has(cwd) ? names : undefined;
}

/** Parses a line for each of the shells. A line that they parse differently is opaque. Never throws. */
export function readCommandLine(line: string, shells: readonly Shell[], start?: StartFolder): CommandLine {
  if (line.length > maxLineLength) return opaqueLine(t("is too long to be checked"), line, shells);
  const [first, ...others] = shells.map(shell => parseCommandLine(line, shell, start));
  if (!first) return opaqueLine(t("is for an unknown shell"), line, ["posix"]);
  return commonReading(first, others, t("is parsed differently by the shells of this machine"));
}

/** The common result if all agree, otherwise an opaque one that rules may deny by any of them. */
function commonReading(first: CommandLine, others: readonly CommandLine[], reason: string): CommandLine {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const opaque = all.find(reading => reading.kind === "opaque");
  const isSame = all.every(
    one => one.kind === "commands" && first.kind === "commands" && jsonEqual(one.commands, first.commands),
  );
  if (isSame) return first;
  return { kind: "opaque", line: first.line, reason: opaque?.reason ?? reason, fragments: all.flatMap(formsOf) };
}

function formsOf(reading: CommandLine): readonly (readonly Word[])[] {
  if (reading.kind === "opaque") return reading.fragments;
  return reading.commands.flatMap(({ words, wrappers }) => [words, ...wrappers]);
}

const asOpaque = (reading: CommandLine, reason: string): CommandLine => ({
  kind: "opaque",
  line: reading.line,
  reason,
  fragments: formsOf(reading),
});

function opaqueLine(reason: string, line: string, shells: readonly Shell[]): CommandLine {
  return { kind: "opaque", line, reason, fragments: shells.flatMap(shell => fragmentsOf(line, shell)) };
}

/** Combines all statements about the command into one, unless they contradict each other. */
function combinedCommand(
  readings: readonly (CommandLine | undefined)[],
  isWhole: boolean,
  folders: readonly string[],
): CommandLine | undefined {
  const [first, ...others] = readings.filter(reading => reading !== undefined);
  if (!isWhole) {
    const all: CommandLine = first ?? { kind: "opaque", line: "", reason: "", fragments: [] };
    return asOpaque(all, t("contains more than can be checked"));
  }
  const command = first && commonReading(first, others, t("is given twice, and differently"));
  if (!command || command.kind === "opaque" || new Set(folders).size <= 1) return command;
  return asOpaque(command, t("names more than one folder to run in"));
}

type Subject = NonNullable<PermissionQuestion["subject"]>;

function subjectCommand({ command, argv }: Subject, readers: Readers): CommandLine | undefined {
  if (argv) return programCommand(argv, readers, command);
  return command === undefined ? undefined : readCommandLine(command, readers.shells, readers.start);
}

/** A program with its arguments. No shell parses them, so they stay separate. */
function programCommand(argv: readonly string[], { shells, start }: Readers, shown?: string): CommandLine {
  const [file = "", ...args] = argv;
  const line = shown ?? commandLineText(file, args);
  if (line.length > maxLineLength) return opaqueLine(t("is too long to be checked"), line, shells);
  return parseArguments(argv, line, start);
}

/** The command in the raw input of a tool call, found by its shape. */
function inputCommand(input: Input, kind: ToolKind | undefined, readers: Readers): CommandLine | undefined {
  const [command, other] = [input["command"], input["cmd"]].filter(isPresent);
  if (!isPresent(command) || isEditorCommand(input, kind)) return undefined;
  if (isPresent(other) && !jsonEqual(command, other)) {
    return opaqueLine(
      t("is given twice, and differently"),
      `${displayText(command)}\n${displayText(other)}`,
      readers.shells,
    );
  }
  const reading = readInput(command, input["args"], { ...readers, ...shellNamed(input["shell"]) });
  const reason = inputHazard(input);
  return reason === undefined || reading.kind === "opaque" ? reading : asOpaque(reading, reason);
}

/** The reason why the line alone is not all that an input states about its command. */
function inputHazard(input: Input): string | undefined {
  const folder = Object.keys(input).some(key => isFolderKey(key) && isPresent(input[key]) && !isText(input[key]));
  if (folder) return t("names its folder in an unsupported way");
  const named = shellNamed(input["shell"]);
  return named?.hazard ?? hazards.find(({ keys }) => keys.some(key => isNotEmpty(input[key])))?.reason();
}

/** The command in the raw input of a tool call, exactly as stated. Undefined: there is none, or the input states more. */
export function statedCommand({ tool }: PermissionQuestion): StatedCommand | undefined {
  const input = isInput(tool?.rawInput) ? tool.rawInput : {};
  const [command, other] = [input["command"], input["cmd"]].filter(isPresent);
  if (isEditorCommand(input, tool?.kind) || (isPresent(other) && !jsonEqual(command, other))) return undefined;
  const isForAnotherShell = shellNamed(input["shell"])?.shells?.includes("posix") === false;
  if (isForAnotherShell || inputHazard(input) !== undefined || new Set(foldersIn(input)).size > 1) return undefined;
  const { args } = input;
  if (isTexts(command) && !isNotEmpty(args)) return command;
  if (!isText(command)) return undefined;
  if (!isNotEmpty(args)) return command;
  return isTexts(args) ? [command, ...args] : undefined;
}

function readInput(command: unknown, args: unknown, readers: Readers): CommandLine {
  const { shells, start } = readers;
  if (isTexts(command) && !isNotEmpty(args)) return programCommand(command, readers);
  if (isText(command) && !isPresent(args)) return readCommandLine(command, shells, start);
  // Joined into one line, `-c` and `a; b` would be two commands.
  if (isText(command) && isTexts(args)) return programCommand([command, ...args], readers);
  return opaqueLine(t("is not given as text"), [command, args].filter(isPresent).map(displayText).join(" "), shells);
}

const setsVariables = (): string => t("sets variables that may change what a program does");

/** Fields that change the effect of a command. */
const hazards = [
  { keys: ["env", "environment"], reason: setsVariables },
  { keys: ["stdin"], reason: () => t("gives the program input text, which it may run") },
];

/** The only shell that parses the line, if the input names one. */
function shellNamed(value: unknown): { readonly shells?: readonly Shell[]; readonly hazard?: string } | undefined {
  if (!isText(value) || value === "") return undefined;
  if (/^(?:(?:\/usr)?\/bin\/)?(?:ba|da|z)?sh$/.test(value)) return { shells: ["posix"] };
  if (/^(?:pwsh|powershell)(?:\.exe)?$/i.test(value)) return { shells: ["powershell"] };
  if (/^cmd(?:\.exe)?$/i.test(value)) return { shells: ["cmd"] };
  return { hazard: t("names an unknown shell") };
}

/**
 * `command: "insert", path: "a.ts"` is a command for an editor, not for a shell. Such a question is about the file.
 * Accepted only if the tool's kind is read or edit, because the kind comes from the agent and not from the model.
 */
function isEditorCommand(input: Input, kind: ToolKind | undefined): boolean {
  const { command, cmd, args } = input;
  if ((kind !== "edit" && kind !== "read") || isPresent(cmd) || isPresent(args)) return false;
  if (!isText(command) || !/^[a-z]+(?:_[a-z]+)*$/.test(command)) return false;
  return Object.keys(input).some(key => isPathKey(key) && !isFolderKey(key) && isText(input[key]));
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const isNotEmpty = (value: unknown): boolean =>
  isPresent(value) &&
  value !== "" &&
  value !== false &&
  !(typeof value === "object" && Object.keys(value as object).length === 0);
const displayText = (value: unknown): string =>
  isText(value) ? value : isTexts(value) ? commandLineText(value[0] ?? "", value.slice(1)) : JSON.stringify(value);

const textsIn = (input: Input, isKey: (key: string) => boolean): readonly string[] =>
  Object.keys(input)
    .filter(isKey)
    .map(key => input[key])
    .filter(isText)
    .filter(text => text !== "")
    // It is unknown whether blanks around it belong to it.
    .flatMap(text => [...new Set([text, text.trim()])]);

const foldersIn = (input: Input): readonly string[] => textsIn(input, isFolderKey);
const basesIn = (input: Input): readonly string[] => textsIn(input, isBaseKey);

const maxFolders = 4;
/** The number of paths in command lines that are resolved. */
const maxResolvedPaths = 2000;
/** Each `cd` through a link needs another round. */
const maxLinkRounds = 10;
/** No file has a longer path. */
const maxPathLength = 32_000;
/** The number of parent steps to resolve. A path with more is not understood. */
const maxParentSteps = 40;
const parentStep = /[^/]\/+\.\.(?:\/|$)/;

/** Resolves paths from the folder of a question. */
class SymlinkResolver {
  readonly #context: FactsContext;
  readonly #resolvedPaths = new Map<string, Promise<string>>();

  constructor(context: FactsContext) {
    this.#context = context;
  }

  /**
   * The folder that a command runs in. A link must not hide the real folder: the resolved folder counts, and a name
   * outside the workspace folders counts even if it leads inside.
   */
  async resolveFolder(text: string): Promise<string> {
    const { workspaceFolder: workspaceFolder, place } = this.#context;
    const candidates = this.candidatePaths(text, [workspaceFolder]);
    const outside = candidates.find(path => !isInRoots(path, place));
    if (outside !== undefined) return outside;
    const targets = await Promise.all(candidates.map(path => this.#targetsOf(path)));
    return targets.flat().find(path => !isInRoots(path, place)) ?? (await this.#resolve(candidates[0] ?? text));
  }

  /** The given and the resolved paths, each once. */
  async resolveAll(texts: Iterable<string>, bases: readonly string[]): Promise<readonly string[]> {
    const candidates = [...new Set([...texts].flatMap(text => this.candidatePaths(text, bases)))];
    const targets = await Promise.all(candidates.map(path => this.#targetsOf(path)));
    return [...new Set([...candidates, ...targets.flat()])];
  }

  /** The targets of the links that commands name, also after `cd` through a link. Undefined: there are too many paths. */
  async linksIn(
    commands: readonly Command[],
    cwd: string | undefined,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const { place } = this.#context;
    const links = new Map<string, string>();
    const known = new Set<string>();
    for (let round = 0; round < maxLinkRounds; round++) {
      const context = { place, links, ...(cwd !== undefined && { cwd }) };
      const folders = commandFolders(commands, context);
      const start = cwd === undefined ? place.roots : [cwd];
      const more = new Set<string>();
      for (const [index, command] of commands.entries()) {
        const found = pathsToResolve(command, { ...context, folders: [...start, ...(folders[index] ?? [])] });
        for (const path of found ?? []) if (!known.has(path)) more.add(path);
        if (!found || known.size + more.size > maxResolvedPaths) return undefined;
      }
      // After a link, a program follows `..` from the target, which is the last of the two readings.
      const targets = await Promise.all(
        [...more].map(async path => [path, (await this.#targetsOf(path)).at(-1) ?? path] as const),
      );
      for (const [path, target] of targets) {
        known.add(path);
        if (target !== path) links.set(path, target);
      }
      if (more.size === 0) return links;
    }
    return undefined;
  }

  /** The absolute paths that a text may mean. An ambiguous text is kept as is, and no rule allows it. */
  candidatePaths(text: string, bases: readonly string[]): readonly string[] {
    const { platform, home } = this.#context.place;
    if (text.length > maxPathLength) return [text];
    if (/^file:/i.test(text)) return pathsOfFileUrl(text, platform);
    if (/^[a-z][a-z0-9+.-]+:/i.test(text)) return [text];
    const { join } = platform === "windows" ? win32 : posix;
    // Only the file system knows where `..` leads.
    const asTheyAre = platform === "posix" && parentStep.test(text) ? bases.map(base => `${base}/${text}`) : [];
    const joined = [...bases.map(base => join(base, text)), ...asTheyAre];
    if (/^~|^\$\{?\w+\}?[\\/]|^%\w+%/.test(text)) {
      const expanded = home !== undefined && /^~(?:[\\/]|$)/.test(text) ? [join(home, text.slice(1))] : [];
      return [text, ...expanded, ...joined];
    }
    if (platform === "posix") return text.startsWith("/") ? [text] : joined;
    if (/^[a-z]:|^[\\/]{2}/i.test(text)) return [text];
    // From the root of the drive, or `/c/…` as Git Bash writes it.
    if (/^[\\/]/.test(text)) return [text, ...bases.map(base => win32.resolve(base, text))];
    return joined;
  }

  async #targetsOf(path: string): Promise<readonly string[]> {
    const { place } = this.#context;
    const isDoubtful = place.platform === "posix" && parentStep.test(path);
    return isDoubtful ? [await this.#resolve(path), await this.#resolveStepwise(path)] : [await this.#resolve(path)];
  }

  /** After a link, `..` leaves the folder that the link leads to. */
  async #resolveStepwise(path: string): Promise<string> {
    const segments = path.split("/").filter(segment => segment !== "" && segment !== ".");
    if (segments.filter(segment => segment === "..").length > maxParentSteps) return segments.join("/");
    let at = "/";
    for (const segment of segments) {
      at = segment === ".." ? posix.dirname(await this.#resolve(at)) : posix.join(at, segment);
    }
    return this.#resolve(at);
  }

  #resolve(path: string): Promise<string> {
    if (path.length > maxPathLength) return Promise.resolve(path);
    const known = this.#resolvedPaths.get(path) ?? this.#resolveUncached(path);
    this.#resolvedPaths.set(path, known);
    return known;
  }

  async #resolveUncached(path: string): Promise<string> {
    try {
      return await this.#context.resolve(path);
    } catch {
      return path; // The path as given. The code that uses it reports the error.
    }
  }
}

/** The path of a local `file:` address, and the path for a program that only removes the prefix. */
function pathsOfFileUrl(address: string, platform: PathContext["platform"]): readonly string[] {
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  if (!parsed || !/^file:\/\//i.test(address) || parsed.host !== "" || /%2f|%5c/i.test(address)) return [address];
  const paths = [parsed.pathname, decoded(parsed.pathname), address.replace(/^file:\/\/(?:localhost)?/i, "")];
  const onWindows = (path: string): string => path.replace(/^\/(?=[a-z]:)/i, "").replaceAll("/", "\\");
  return [...new Set(platform === "windows" ? paths.map(onWindows) : paths)];
}

/** Decodes percent-encoding. Returns the text as is if that fails. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
