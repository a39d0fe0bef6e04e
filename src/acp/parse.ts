// Reads what agents send. The schema asks for leniency (malformed optional fields are treated as absent, malformed
// array items are dropped), so nothing here throws.
import { oneLine, withoutMiddle } from "../base/inertText.ts";
import type {
  AgentCommand,
  Annotations,
  QuestionOption,
  ContentBlock,
  FileLocation,
  OptionChoice,
  PlanEntry,
  SessionOption,
  ToolContent,
} from "../session/events.ts";
import { subAgentCard } from "./subAgentCard.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asString = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
/** A longer name of an agent would cover what stands beside it: buttons, the message box, the status bar. Characters. */
const maxNameLength = 80;
/** The name by which an agent introduces itself, on one line. Undefined without one. */
export function parseAgentName(agent: JsonObject): string | undefined {
  const name = asString(agent["title"]) ?? asString(agent["name"]);
  return name === undefined ? undefined : withoutMiddle(oneLine(name), maxNameLength);
}
export const asNumber = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** `{key: value}`, or `{}` if the value is undefined. For optional fields. */
export const optionalField = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };

/** A content block. Undefined only if the value is not an object. */
export function parseContent(value: unknown): ContentBlock | undefined {
  if (!isObject(value)) return undefined;
  const block = parseBareContent(value);
  const about = block.type === "other" ? undefined : annotations(value["annotations"]);
  return about ? { ...block, annotations: about } : block;
}

function annotations(value: unknown): Annotations | undefined {
  const about = asObject(value);
  const audience = asArray(about["audience"]).filter(each => typeof each === "string");
  const known: Annotations = {
    ...(audience.length > 0 && { audience }),
    ...optionalField("priority", asNumber(about["priority"])),
    ...optionalField("lastModified", asString(about["lastModified"])),
  };
  return Object.keys(known).length > 0 ? known : undefined;
}

function parseBareContent(value: JsonObject): ContentBlock {
  const kind = asString(value["type"]) ?? "unknown";
  const other: ContentBlock = { type: "other", kind, raw: value };
  switch (kind) {
    case "text": {
      const words = asString(value["text"]);
      return words === undefined ? other : { type: "text", text: words };
    }
    case "image":
    case "audio": {
      const data = asString(value["data"]);
      const mimeType = asString(value["mimeType"]);
      if (data === undefined || mimeType === undefined) return other;
      return kind === "audio"
        ? { type: kind, data, mimeType }
        : { type: kind, data, mimeType, ...optionalField("uri", asString(value["uri"])) };
    }
    case "resource_link": {
      const uri = asString(value["uri"]);
      if (uri === undefined) return other;
      return {
        type: "link",
        uri,
        name: asString(value["name"]) ?? uri,
        ...optionalField("title", asString(value["title"])),
        ...optionalField("description", asString(value["description"])),
        ...optionalField("mimeType", asString(value["mimeType"])),
        ...optionalField("size", asNumber(value["size"])),
      };
    }
    case "resource": {
      const resource = asObject(value["resource"]);
      const uri = asString(resource["uri"]);
      if (uri === undefined) return other;
      return {
        type: "resource",
        uri,
        ...optionalField("mimeType", asString(resource["mimeType"])),
        ...optionalField("text", asString(resource["text"])),
        ...optionalField("blob", asString(resource["blob"])),
      };
    }
    default:
      return other;
  }
}

/** The block in its wire format, which is the same in v1 and v2. */
export function contentToWire(block: ContentBlock): JsonObject {
  switch (block.type) {
    case "text":
    case "image":
    case "audio":
      return block;
    case "link": {
      const { type: _, ...rest } = block;
      return { type: "resource_link", ...rest };
    }
    case "resource": {
      const { type: _, annotations, ...resource } = block;
      return { type: "resource", resource, ...optionalField("annotations", annotations) };
    }
    case "other":
      return asObject(block.raw);
    default:
      return block satisfies never;
  }
}

/** A content item of a tool call. Some agents send a bare content block, which is accepted too. */
export function parseToolContent(value: unknown): ToolContent | undefined {
  if (!isObject(value)) return undefined;
  switch (value["type"]) {
    case "content": {
      const block = parseContent(value["content"]);
      return block && { type: "content", content: block };
    }
    case "diff": {
      const path = asString(value["path"]);
      const newText = asString(value["newText"]);
      if (Array.isArray(value["changes"])) return parseChanges(value);
      if (path === undefined || (newText === undefined && value["deleted"] !== true))
        return { type: "other", kind: "diff", raw: value };
      return {
        type: "diff",
        path,
        newText: newText ?? "",
        ...optionalField("oldText", asString(value["oldText"])),
        ...(value["deleted"] === true && { deleted: true as const }),
      };
    }
    case "terminal": {
      const terminalId = asString(value["terminalId"]);
      return terminalId === undefined
        ? { type: "other", kind: "terminal", raw: value }
        : { type: "terminal", terminalId };
    }
    case "session": {
      const sessionId = asString(value["sessionId"]);
      return sessionId === undefined
        ? { type: "other", kind: "session", raw: value }
        : { type: "session", toolCallId: subAgentCard(sessionId) };
    }
    case "text":
    case "image":
    case "audio":
    case "resource":
    case "resource_link": {
      const block = parseContent(value);
      return block && { type: "content", content: block };
    }
    default:
      return { type: "other", kind: asString(value["type"]) ?? "unknown", raw: value };
  }
}

/** A diff as in the v2 draft: files, and one patch for all of them. Some v1 agents send it already. */
function parseChanges(value: JsonObject): ToolContent {
  const patch =
    isObject(value["patch"]) && value["patch"]["format"] === "git_patch" ? value["patch"]["text"] : undefined;
  const files = asArray(value["changes"]).flatMap(change => {
    const path = isObject(change) ? asString(change["path"]) : undefined;
    if (!isObject(change) || path === undefined) return [];
    return [
      {
        operation: asString(change["operation"]) ?? "modify",
        path,
        ...optionalField("oldPath", asString(change["oldPath"])),
      },
    ];
  });
  return { type: "changes", changes: files, ...optionalField("patch", asString(patch)) };
}

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

export const parseToolContents = (value: unknown): readonly ToolContent[] =>
  asArray(value).map(parseToolContent).filter(isDefined);

export const parseLocations = (value: unknown): readonly FileLocation[] =>
  asArray(value)
    .filter(isObject)
    .map(item => {
      const path = asString(item["path"]);
      const line = asNumber(item["line"]);
      return path === undefined
        ? undefined
        : { path, ...optionalField("line", line === undefined ? undefined : Math.max(0, Math.floor(line))) };
    })
    .filter(isDefined);

export const parsePlanEntries = (value: unknown): readonly PlanEntry[] =>
  asArray(value)
    .filter(isObject)
    .map(item => ({
      content: asString(item["content"]) ?? "",
      priority: asString(item["priority"]) ?? "medium",
      status: asString(item["status"]) ?? "pending",
    }))
    .filter(entry => entry.content !== "");

export const parseAgentCommands = (value: unknown): readonly AgentCommand[] =>
  asArray(value)
    .filter(isObject)
    .map(item => {
      const name = asString(item["name"])?.replace(/^\//, "");
      if (name === undefined || name === "") return undefined;
      return {
        name,
        description: asString(item["description"]) ?? "",
        ...optionalField("hint", asString(asObject(item["input"])["hint"])),
      };
    })
    .filter(isDefined);

export const parseQuestionOptions = (value: unknown): readonly QuestionOption[] =>
  asArray(value)
    .filter(isObject)
    .map(item => {
      const id = asString(item["optionId"]);
      return id === undefined
        ? undefined
        : { id, name: asString(item["name"]) ?? id, kind: asString(item["kind"]) ?? "" };
    })
    .filter(isDefined);

/** Session options (`configOptions`). Options of unknown types are left out, as the spec asks. */
export const parseSessionOptions = (value: unknown): readonly SessionOption[] =>
  asArray(value).filter(isObject).map(parseSessionOption).filter(isDefined);

function parseSessionOption(item: JsonObject): SessionOption | undefined {
  const id = asString(item["id"]) ?? asString(item["configId"]);
  if (id === undefined) return undefined;
  const shared = {
    id,
    name: asString(item["name"]) ?? id,
    ...optionalField("description", asString(item["description"])),
    ...optionalField("category", asString(item["category"])),
  };
  const value = item["currentValue"];
  if (item["type"] === "boolean" && typeof value === "boolean") return { ...shared, type: "boolean", value };
  if (item["type"] === "select" && typeof value === "string") {
    return { ...shared, type: "select", value, choices: choices(item["options"]) };
  }
  return undefined;
}

function choices(value: unknown, group?: string): readonly OptionChoice[] {
  return asArray(value)
    .filter(isObject)
    .flatMap(item => {
      if (Array.isArray(item["options"]))
        return choices(item["options"], asString(item["name"]) ?? asString(item["group"]));
      const chosen = asString(item["value"]);
      if (chosen === undefined) return [];
      const name = asString(item["name"]) ?? chosen;
      return [
        {
          value: chosen,
          name,
          ...optionalField("description", asString(item["description"])),
          ...optionalField("group", group),
        },
      ];
    });
}
