// The question whether a server may start: everything that the user has to know, in lines that nothing can hide in.
import { relative } from "node:path";
import { withoutMiddle, exactLine, visibleName } from "../base/inertText.ts";
import { t } from "../base/l10n.ts";
import { maskVariable } from "../base/mask.ts";
import type { ServerContent } from "./serverContent.ts";
import { serverDetail } from "./serverDetail.ts";
import type { McpServer } from "./servers.ts";

/** Limits of parts of the question, so that it fits on a screen (characters). */
const maxName = 80;
const maxCommand = 1500;
const maxLine = 500;
/** At the start and at the end of the list of values. */
const maxValues = 10;

/** The texts of the question. */
export interface ConsentQuestion {
  readonly message: string;
  readonly detail: readonly string[];
  /** Something is left out. */
  readonly isShortened: boolean;
}

/**
 * The question whether a server may start. `changes` are the files that the user allowed with other content. Undefined:
 * the user has not allowed this definition. `isKnown`: but another one of this name. Values of the workspace are not
 * masked: the folder contains them, and a mask could hide what runs.
 */
export function consentQuestion(
  server: McpServer,
  content: ServerContent,
  changes: readonly string[] | undefined,
  isKnown: boolean,
): ConsentQuestion {
  let isShortened = false;
  const shorten = (text: string, max = maxLine): string => {
    const short = withoutMiddle(text, max);
    isShortened ||= short !== text;
    return short;
  };
  const line = (text: string): string => shorten(exactLine(text));
  const list = (texts: readonly string[]): string => shorten(texts.map(line).join(", "), maxCommand);
  const nameOf = (path: string): string => nameIn(server.folder, path);
  const isProgram = server.type === "stdio";
  const ofWorkspace = server.source === "workspace";
  const oauth = isProgram ? {} : { ...server.oauth };
  const given = { ...(isProgram ? server.env : server.headers), ...prefixed("oauth.", oauth) };
  const values = Object.entries(given).map(([name, value]) =>
    line(`${name}=${ofWorkspace ? value : maskVariable(name, value)}`),
  );
  const shownValues = withoutMiddleLines(values);
  isShortened ||= shownValues !== values;
  const changed = (changes ?? []).map(nameOf);
  const files = ofWorkspace ? [...content.digests.keys()].map(nameOf) : [];
  const detail = [
    ...(changed.length > 0 ? [t("Changed since you allowed it: {0}", list(changed)), ""] : []),
    ...(changes === undefined && isKnown ? [t("You allowed another definition of this name before."), ""] : []),
    shorten(serverDetail(server), maxCommand),
    ...(isProgram && server.cwd !== undefined ? [t("in {0}", line(server.cwd))] : []),
    ...shownValues,
    ...(isProgram && server.envFile !== undefined ? envFileLines(server.envFile, content, line, list) : []),
    ...(files.length > 0 ? [t("It runs or reads these files of the workspace: {0}", list(files))] : []),
    ...(ofWorkspace && content.problem !== undefined ? [line(content.problem)] : []),
    "",
    isProgram
      ? t("Parley starts it to offer its prompts, and the agent starts it to use its tools.")
      : t("Parley connects to it to offer its prompts, and the agent connects to it to use its tools."),
    ...(files.length > 0 ? [t("If one of these files changes, Parley asks again before the next start.")] : []),
  ];
  return { message: messageOf(server, changed.length > 0), detail, isShortened };
}

function messageOf({ name, source }: McpServer, isChanged: boolean): string {
  const shown = visibleName(name, maxName);
  if (source !== "workspace") return t("Allow Parley to start the MCP server “{0}”?", shown);
  return isChanged
    ? t("Allow the changed MCP server “{0}” of this workspace?", shown)
    : t("Allow the MCP server “{0}” of this workspace?", shown);
}

/** The file of variables, and their names. Their values can be secrets. */
function envFileLines(
  envFile: string,
  { variables }: ServerContent,
  line: (text: string) => string,
  list: (texts: readonly string[]) => string,
): readonly string[] {
  const names = Object.keys(variables);
  const file = t("with the variables of the file {0}", line(envFile));
  return [names.length === 0 ? file : `${file}: ${list(names)}`];
}

/** The values as texts, with the prefix before their names. */
const prefixed = (prefix: string, values: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, String(value)]));

/** The first and the last lines with the number of those between. The same list if it is short. */
function withoutMiddleLines(lines: readonly string[]): readonly string[] {
  if (lines.length <= 2 * maxValues) return lines;
  const leftOut = t("… [{0} variables] …", lines.length - 2 * maxValues);
  return [...lines.slice(0, maxValues), leftOut, ...lines.slice(-maxValues)];
}

/** The path from the folder, if the file is in it. */
function nameIn(folder: string | undefined, path: string): string {
  const name = folder === undefined ? path : relative(folder, path);
  return name.startsWith("..") || name === "" ? path : name;
}
