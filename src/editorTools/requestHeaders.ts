// The headers of a request to an MCP server over HTTP that repeat parts of its message, as the revision 2026-07-28 wants.

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields in which methods name what they are about. */
const nameFields: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

const versionField = "io.modelcontextprotocol/protocolVersion";

/** The revision of MCP that the message names. Undefined: it names none, as before 2026-07-28. */
export function namedRevision({ params }: JsonObject): string | undefined {
  const meta = isObject(params) && isObject(params["_meta"]) ? params["_meta"] : {};
  const revision = meta[versionField];
  return typeof revision === "string" && /^[\w.-]{1,40}$/.test(revision) ? revision : undefined;
}

/** The headers for the message. `revision`: the one that the client agreed on, if the message names none. */
export function requestHeaders(message: JsonObject, revision: string | undefined): Readonly<Record<string, string>> {
  const named = namedRevision(message);
  const version = named ?? revision;
  const { method, params } = message;
  const field = typeof method === "string" && Object.hasOwn(nameFields, method) ? nameFields[method] : undefined;
  const name = field !== undefined && isObject(params) ? params[field] : undefined;
  return {
    ...{ "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    ...(version !== undefined && { "MCP-Protocol-Version": version }),
    ...(named !== undefined && typeof method === "string" && isHeader(method) && { "Mcp-Method": method }),
    // Encoded, because a name can have characters that no header has.
    ...(named !== undefined &&
      typeof name === "string" && { "Mcp-Name": `=?base64?${Buffer.from(name).toString("base64")}?=` }),
  };
}

/** Whether the text can be the value of a header as it is. */
export const isHeader = (text: string): boolean => /^[\x21-\x7e]{1,200}$/.test(text);
