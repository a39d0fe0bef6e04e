// Small guards for what agents send. The schema asks for leniency (PROTOCOL: malformed optional fields are treated as
// absent, bad array items are dropped), so nothing here throws.
import type {
  AgentCommand,
  Annotations,
  AskOption,
  Content,
  Location,
  OptionChoice,
  PlanEntry,
  SessionOption,
  ToolContent,
} from "../session/events.ts";

export type Wire = Readonly<Record<string, unknown>>;

export const isWire = (value: unknown): value is Wire =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const wire = (value: unknown): Wire => (isWire(value) ? value : {});
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
export const finite = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** `{key: value}`, or nothing when the value is undefined: for optional fields. */
export const given = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };

/** A content block. Undefined only for what is no object at all. */
export function content(value: unknown): Content | undefined {
  if (!isWire(value)) return undefined;
  const block = bareContent(value);
  const about = block.type === "other" ? undefined : annotations(value["annotations"]);
  return about ? { ...block, annotations: about } : block;
}

function annotations(value: unknown): Annotations | undefined {
  const about = wire(value);
  const audience = list(about["audience"]).filter(each => typeof each === "string");
  const known: Annotations = {
    ...(audience.length > 0 && { audience }),
    ...given("priority", finite(about["priority"])),
    ...given("lastModified", text(about["lastModified"])),
  };
  return Object.keys(known).length > 0 ? known : undefined;
}

function bareContent(value: Wire): Content {
  const kind = text(value["type"]) ?? "unknown";
  const other: Content = { type: "other", kind, raw: value };
  switch (kind) {
    case "text": {
      const words = text(value["text"]);
      return words === undefined ? other : { type: "text", text: words };
    }
    case "image":
    case "audio": {
      const data = text(value["data"]);
      const mimeType = text(value["mimeType"]);
      if (data === undefined || mimeType === undefined) return other;
      return kind === "audio"
        ? { type: kind, data, mimeType }
        : { type: kind, data, mimeType, ...given("uri", text(value["uri"])) };
    }
    case "resource_link": {
      const uri = text(value["uri"]);
      if (uri === undefined) return other;
      return {
        type: "link",
        uri,
        name: text(value["name"]) ?? uri,
        ...given("title", text(value["title"])),
        ...given("description", text(value["description"])),
        ...given("mimeType", text(value["mimeType"])),
        ...given("size", finite(value["size"])),
      };
    }
    case "resource": {
      const resource = wire(value["resource"]);
      const uri = text(resource["uri"]);
      if (uri === undefined) return other;
      return {
        type: "resource",
        uri,
        ...given("mimeType", text(resource["mimeType"])),
        ...given("text", text(resource["text"])),
        ...given("blob", text(resource["blob"])),
      };
    }
    default:
      return other;
  }
}

/** The block as it goes over the wire (v1 and v2 agree on these). */
export function wireContent(block: Content): Wire {
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
      return { type: "resource", resource, ...given("annotations", annotations) };
    }
    case "other":
      return wire(block.raw);
    default:
      return block satisfies never;
  }
}

/** A tool call's content item; a bare content block is taken as one (some agents send it). */
export function toolContent(value: unknown): ToolContent | undefined {
  if (!isWire(value)) return undefined;
  switch (value["type"]) {
    case "content": {
      const block = content(value["content"]);
      return block && { type: "content", content: block };
    }
    case "diff": {
      const path = text(value["path"]);
      const newText = text(value["newText"]);
      if (Array.isArray(value["changes"])) return changes(value);
      if (path === undefined || (newText === undefined && value["deleted"] !== true))
        return { type: "other", kind: "diff", raw: value };
      return {
        type: "diff",
        path,
        newText: newText ?? "",
        ...given("oldText", text(value["oldText"])),
        ...(value["deleted"] === true && { deleted: true as const }),
      };
    }
    case "terminal": {
      const terminalId = text(value["terminalId"]);
      return terminalId === undefined
        ? { type: "other", kind: "terminal", raw: value }
        : { type: "terminal", terminalId };
    }
    case "text":
    case "image":
    case "audio":
    case "resource":
    case "resource_link": {
      const block = content(value);
      return block && { type: "content", content: block };
    }
    default:
      return { type: "other", kind: text(value["type"]) ?? "unknown", raw: value };
  }
}

/** A diff in the shape of the version 2 draft, which agents ahead of their version send too: files, and one patch for all. */
function changes(value: Wire): ToolContent {
  const patch = isWire(value["patch"]) && value["patch"]["format"] === "git_patch" ? value["patch"]["text"] : undefined;
  const files = list(value["changes"]).flatMap(change => {
    const path = isWire(change) ? text(change["path"]) : undefined;
    if (!isWire(change) || path === undefined) return [];
    return [{ operation: text(change["operation"]) ?? "modify", path, ...given("oldPath", text(change["oldPath"])) }];
  });
  return { type: "changes", changes: files, ...given("patch", text(patch)) };
}

const defined = <T>(value: T | undefined): value is T => value !== undefined;

export const toolContents = (value: unknown): readonly ToolContent[] => list(value).map(toolContent).filter(defined);

export const locations = (value: unknown): readonly Location[] =>
  list(value)
    .filter(isWire)
    .map(item => {
      const path = text(item["path"]);
      const line = finite(item["line"]);
      return path === undefined
        ? undefined
        : { path, ...given("line", line === undefined ? undefined : Math.max(0, Math.floor(line))) };
    })
    .filter(defined);

export const planEntries = (value: unknown): readonly PlanEntry[] =>
  list(value)
    .filter(isWire)
    .map(item => ({
      content: text(item["content"]) ?? "",
      priority: text(item["priority"]) ?? "medium",
      status: text(item["status"]) ?? "pending",
    }))
    .filter(entry => entry.content !== "");

export const commands = (value: unknown): readonly AgentCommand[] =>
  list(value)
    .filter(isWire)
    .map(item => {
      const name = text(item["name"])?.replace(/^\//, "");
      if (name === undefined || name === "") return undefined;
      return {
        name,
        description: text(item["description"]) ?? "",
        ...given("hint", text(wire(item["input"])["hint"])),
      };
    })
    .filter(defined);

export const askOptions = (value: unknown): readonly AskOption[] =>
  list(value)
    .filter(isWire)
    .map(item => {
      const id = text(item["optionId"]);
      return id === undefined ? undefined : { id, name: text(item["name"]) ?? id, kind: text(item["kind"]) ?? "" };
    })
    .filter(defined);

/** Session options (`configOptions`); a type we do not know is left out, as the spec asks. */
export const sessionOptions = (value: unknown): readonly SessionOption[] =>
  list(value).filter(isWire).map(sessionOption).filter(defined);

function sessionOption(item: Wire): SessionOption | undefined {
  const id = text(item["id"]) ?? text(item["configId"]);
  if (id === undefined) return undefined;
  const shared = {
    id,
    name: text(item["name"]) ?? id,
    ...given("description", text(item["description"])),
    ...given("category", text(item["category"])),
  };
  const value = item["currentValue"];
  if (item["type"] === "boolean" && typeof value === "boolean") return { ...shared, type: "boolean", value };
  if (item["type"] === "select" && typeof value === "string") {
    return { ...shared, type: "select", value, choices: choices(item["options"]) };
  }
  return undefined;
}

function choices(value: unknown, group?: string): readonly OptionChoice[] {
  return list(value)
    .filter(isWire)
    .flatMap(item => {
      if (Array.isArray(item["options"])) return choices(item["options"], text(item["name"]) ?? text(item["group"]));
      const chosen = text(item["value"]);
      if (chosen === undefined) return [];
      const name = text(item["name"]) ?? chosen;
      return [{ value: chosen, name, ...given("description", text(item["description"])), ...given("group", group) }];
    });
}
