// Checks the input of a tool of another extension against the JSON Schema that the extension declares, with a validator
// that the official SDK of MCP has. VS Code does not check it if an extension calls the tool.
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import type { ToolServerModule } from "../toolServer.ts";

const maxFaultLength = 1000;
/** A pattern can take any time on a text that an agent chooses, so patterns are left to the extension. */
const patterns = new Set(["pattern", "patternProperties", "propertyNames"]);
/** The validator compares each item with each other one, so this is left to the extension, too. */
const slow = new Set(["uniqueItems"]);
/** They accept something because a schema does not. Without its patterns, it accepts more, and they would accept less. */
const inverting = new Set([
  ...["not", "oneOf", "if", "then", "else", "maxContains", "unevaluatedProperties", "unevaluatedItems"],
]);

/** What is wrong with the input. Undefined: nothing, or the schema is none that can be checked. */
export const inputFault: ToolServerModule["toolServer"]["inputFault"] = (schema, input) => {
  try {
    const left = hasPattern(schema) ? new Set([...patterns, ...slow, ...inverting]) : slow;
    const check = new CfWorkerJsonSchemaValidator().getValidator(checkable(schema, left) as Record<string, unknown>);
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

/** Whether a pattern is anywhere in the schema. */
function hasPattern(schema: unknown, hasNames = false): boolean {
  if (Array.isArray(schema)) return schema.some(one => hasPattern(one));
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(
    ([key, value]) =>
      (!hasNames && patterns.has(key)) ||
      (!(!hasNames && values.has(key)) && hasPattern(value, !hasNames && namedSchemas.has(key))),
  );
}

/** The schema without the keywords that are `left` out. Which fields are additional depends on patterns of their names. */
function checkable(schema: unknown, left: ReadonlySet<string>, hasNames = false): unknown {
  if (Array.isArray(schema)) return schema.map(one => checkable(one, left));
  if (typeof schema !== "object" || schema === null) return schema;
  if (hasNames) return Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, checkable(one, left)]));
  const kept = Object.entries(schema).filter(
    ([key]) => !left.has(key) && !(key === "additionalProperties" && "patternProperties" in schema),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => [key, values.has(key) ? value : checkable(value, left, namedSchemas.has(key))]),
  );
}
