// Checks the input of a tool of another extension against the JSON Schema that the extension declares, with a validator
// that the official SDK of MCP has. VS Code does not check it if an extension calls the tool.
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import type { ToolServerModule } from "../toolServer.ts";

const maxFaultLength = 1000;
/** A pattern can take any time on a text that an agent chooses, so patterns are left to the extension. */
const unchecked = new Set(["pattern", "patternProperties", "propertyNames"]);

/** What is wrong with the input. Undefined: nothing, or the schema is none that can be checked. */
export const inputFault: ToolServerModule["toolServer"]["inputFault"] = (schema, input) => {
  try {
    const check = new CfWorkerJsonSchemaValidator().getValidator(checkable(schema) as Record<string, unknown>);
    return check(input).errorMessage?.slice(0, maxFaultLength);
  } catch {
    // The schema has references that lead nowhere, or is of a draft that the validator does not know.
    return undefined;
  }
};

/** Their members have names, not keywords. */
const namedSchemas = new Set(["properties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
/** They have values, not schemas. */
const values = new Set(["const", "enum", "default", "examples"]);

/** The schema without patterns. Which fields are additional depends on patterns of their names. */
function checkable(schema: unknown, hasNames = false): unknown {
  if (Array.isArray(schema)) return schema.map(one => checkable(one));
  if (typeof schema !== "object" || schema === null) return schema;
  if (hasNames) return Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, checkable(one)]));
  const kept = Object.entries(schema).filter(
    ([key]) => !unchecked.has(key) && !(key === "additionalProperties" && "patternProperties" in schema),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => [key, values.has(key) ? value : checkable(value, namedSchemas.has(key))]),
  );
}
