// src/inspector/protocolMethods.ts: the methods that the schema files of the official SDK define, with their required
// fields.
import fs from "node:fs";
import { formatted } from "./format.mjs";
import { inProject } from "./project.mjs";

/** @typedef {Record<string, any>} Json */

const file = "src/inspector/protocolMethods.ts";

/** The definitions of a version, those of the draft of its next release included. @param {number} version */
const definitions = version =>
  /** @type {Json} */ (
    JSON.parse(
      fs.readFileSync(
        inProject("node_modules", "@agentclientprotocol", "sdk", "schema", `v${version}`, "schema.unstable.json"),
        "utf8",
      ),
    )["$defs"]
  );

/** @param {Json} methods @param {string} name */
const methodIn = (methods, name) => (methods[name] ??= { sides: [] });

/** @param {number} version */
function methodsOf(version) {
  const defs = definitions(version);
  /** @type {Json} */
  const methods = {};
  for (const [name, definition] of Object.entries(defs)) {
    const side = definition["x-side"];
    if (definition["x-method"] === undefined || side === "proxy") continue;
    const method = methodIn(methods, definition["x-method"]);
    const sides = side === "protocol" ? ["agent", "client"] : [side];
    method.sides = [...new Set([...method.sides, ...sides])].sort();
    const required = [...(definition.required ?? [])].sort();
    if (name.endsWith("Response")) method.result = required;
    else method.params = required;
  }
  return Object.fromEntries(Object.entries(methods).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The kinds of session updates, with the fields that each requires. @param {number} version */
function updatesOf(version) {
  const defs = definitions(version);
  const { oneOf = [], anyOf = [] } = defs["SessionUpdate"];
  const kinds = [...oneOf, ...anyOf].flatMap(variant => {
    const kind = variant.properties?.sessionUpdate?.const;
    if (kind === undefined) return [];
    const parts = [
      variant,
      ...(variant.allOf ?? []).map((/** @type {Json} */ { $ref }) => defs[$ref.split("/").at(-1)]),
    ];
    const required = parts.flatMap(part => part.required ?? []).filter(field => field !== "sessionUpdate");
    return [[kind, [...new Set(required)].sort()]];
  });
  return Object.fromEntries(kinds);
}

/** The file as it should be. */
export function protocolMethodsText() {
  const versions = Object.fromEntries(
    [1, 2].map(version => [version, { methods: methodsOf(version), updates: updatesOf(version) }]),
  );
  const text = `// The methods of the protocol by version, and the kinds of session updates, with the fields that they require.
// \`node scripts/protocol.mjs\` writes this file from the schema files of the official SDK.

export interface ProtocolMethod {
  /** Who receives it. */
  readonly sides: readonly ("agent" | "client")[];
  readonly params?: readonly string[];
  /** Absent: it is a notification. */
  readonly result?: readonly string[];
}

export interface ProtocolShapes {
  readonly methods: Readonly<Record<string, ProtocolMethod>>;
  readonly updates: Readonly<Record<string, readonly string[]>>;
}

export const protocolMethods: Readonly<Record<string, ProtocolShapes>> = ${JSON.stringify(versions)};
`;
  return formatted(text, file);
}

/** The path of the file. */
export const protocolMethodsPath = inProject(file);
