// The content of an agent's updates, read from the recording alone: the texts that a golden must contain, and the
// updates whose absence must change the golden.
import { stringsOf } from "./normalise.ts";
import { isObject, messageOf, updateOf, type Recording, type JsonObject } from "./transcript.ts";

/** A text of an update, and its location. */
export interface CarriedText {
  readonly where: string;
  readonly text: string;
}

/** A tool call truncates raw input and output after this many characters. */
const rawLimit = 20_000;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const field = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/**
 * The texts of an update that a golden must contain. Exceptions: names of tools and kinds of options (wire names),
 * unchanged lines of a diff (tool calls show three around a change), and raw input after the truncation.
 */
export function carriedTexts(update: JsonObject): readonly CarriedText[] {
  const kind = String(update["sessionUpdate"]);
  const found = (where: string, value: unknown): readonly CarriedText[] =>
    typeof value === "string" && value.trim() !== "" ? [{ where: `${kind} ${where}`, text: value }] : [];
  switch (kind) {
    case "user_message_chunk":
    case "agent_message_chunk":
    case "agent_thought_chunk":
      return blockTexts(update["content"]).flatMap(text => found("content", text));
    case "tool_call":
    case "tool_call_update":
      return [
        ...stringsOf(update["title"]).flatMap(title => found("title", withoutParentFolders(title))),
        ...list(update["content"]).flatMap(item =>
          toolTexts(item)
            .filter(text => !isReport(text, update["rawOutput"]))
            .flatMap(asInput)
            .flatMap(text => found("content", text)),
        ),
        ...list(update["locations"]).flatMap(place => found("location", field(place, "path"))),
        ...(["rawInput", "rawOutput"] as const).flatMap(name =>
          rawTexts(update[name]).flatMap(text => found(name, text)),
        ),
        ...stringsOf([
          field(field(update["_meta"], "terminal_output"), "data"),
          field(field(update["_meta"], "terminal_output_delta"), "data"),
        ]).flatMap(text => found("output", text)),
      ];
    case "plan":
      return list(update["entries"]).flatMap(entry => found("entry", field(entry, "content")));
    case "plan_update": {
      const plan = update["plan"];
      const entries = list(field(plan, "entries")).flatMap(entry => found("entry", field(entry, "content")));
      return [...entries, ...found("content", field(plan, "content")), ...found("uri", field(plan, "uri"))];
    }
    case "subagent_update":
      return [...found("title", update["title"]), ...found("description", update["description"])];
    case "session_message":
    case "session_message_chunk":
      return [update["content"]]
        .flat()
        .flatMap(blockTexts)
        .flatMap(text => found("content", text));
    case "available_commands_update":
      return list(update["availableCommands"]).flatMap(command => [
        ...found("name", field(command, "name")),
        ...found("description", field(command, "description")),
        ...found("hint", field(field(command, "input"), "hint")),
      ]);
    case "config_option_update":
      return list(update["configOptions"]).flatMap(option => [
        ...found("name", field(option, "name")),
        ...found("value", field(option, "currentValue")),
        ...list(field(option, "options")).flatMap(choice => found("choice", field(choice, "name"))),
      ]);
    case "session_info_update":
      return found("title", update["title"]);
    case "notice":
      return [...found("title", update["title"]), ...found("description", update["description"])];
    case "usage_update":
    case "current_mode_update":
      return []; // Numbers and a wire name, which the mutation test covers.
    default:
      // Updates that Parley does not know are in the golden unchanged.
      return stringsOf(update).flatMap(text => found("anything", text));
  }
}

function blockTexts(block: unknown): readonly string[] {
  if (field(block, "type") === "text") return stringsOf(field(block, "text"));
  return stringsOf([field(block, "uri"), field(field(block, "resource"), "uri")]);
}

/**
 * A title that is only a path relative to another folder is replaced by the path of the location. A path after a verb is
 * relative to the folder of the session.
 */
const withoutParentFolders = (title: string): string =>
  title.replace(/^(?:\.\.\/)+(?=\S+$)/, "").replace(/^([A-Z][a-z]+(?: [a-z]+)? '?)\/w\//, "$1");

function toolTexts(item: unknown): readonly string[] {
  if (field(item, "type") === "content") return blockTexts(field(item, "content")).map(unfenced);
  if (field(item, "type") !== "diff") return stringsOf(field(item, "terminalId"));
  const lines = (name: string): readonly string[] => stringsOf(field(item, name)).flatMap(text => text.split("\n"));
  const before = new Set(lines("oldText"));
  const after = new Set(lines("newText"));
  return [
    ...stringsOf(field(item, "path")),
    ...[...before].filter(line => !after.has(line)),
    ...[...after].filter(line => !before.has(line)),
  ];
}

/** A report about a command, around the output that raw output has without it. A terminal shows the latter. */
function isReport(text: string, rawOutput: unknown): boolean {
  const output = field(rawOutput, "output");
  return typeof output === "string" && /^Command: [^]*\nExit Code: /.test(text) && text.includes(output.trim());
}

/** A command's output may arrive in a fence, which a terminal does not show. */
const unfenced = (text: string): string => /^\s*(`{3,})[^\n`]*\n([^]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;

/** A text that is a JSON object can be the input of the call, which is formatted. */
function asInput(text: string): readonly string[] {
  if (!/^\{.*\}$/s.test(text)) return [text];
  try {
    return rawTexts(JSON.parse(text));
  } catch {
    return [text]; // It only looks like JSON.
  }
}

function rawTexts(raw: unknown): readonly string[] {
  if (typeof raw === "string") return [raw.slice(0, rawLimit)];
  const shown = (JSON.stringify(raw, null, 2) ?? "").slice(0, rawLimit);
  // As it appears inside the pretty-printed JSON of a tool call.
  return stringsOf(raw)
    .map(text => JSON.stringify(text).slice(1, -1))
    .filter(text => shown.includes(text));
}

/**
 * The lines of updates whose absence must change a golden: all of a process, for open sessions, except chunks without
 * text and a mode that is reported in addition to config options (the spec says to use the latter).
 */
export function significantLines(lines: Recording): readonly number[] {
  const asked = new Map<unknown, JsonObject>();
  const open = new Set<unknown>();
  return lines.flatMap((line, at) => {
    const message = messageOf(line);
    if (line.dir === "c>a" && message?.method?.startsWith("session/")) asked.set(message.id, message.params ?? {});
    if (line.dir === "a>c" && message?.method === undefined && message?.result !== undefined) {
      open.add(field(message.result, "sessionId") ?? asked.get(message.id)?.["sessionId"]);
    }
    const given = updateOf(line);
    if (!given || !open.has(given.sessionId) || given.update["sessionUpdate"] === "current_mode_update") return [];
    return field(given.update["content"], "text") === "" ? [] : [at];
  });
}
