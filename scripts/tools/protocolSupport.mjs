// docs/PROTOCOL-SUPPORT.md: what the schema files of the official SDK define, with the code that handles it and the test
// that proves it. The source is scripts/protocol/support.json and requirements.json.
import fs from "node:fs";
import { formatted } from "./format.mjs";
import { inProject } from "./project.mjs";
import { namesInTest, testTitles } from "./testSubjects.mjs";

/** @typedef {Record<string, any>} Json */

/**
 * What handles a feature: `code` and `tests` ("folder/file: title"), or `no` with the reason why nothing does. `notProven`
 * takes the place of the tests: why none of them would fail without the feature.
 * @typedef {object} Support
 * @property {string} [code]
 * @property {readonly string[]} [tests]
 * @property {string | readonly string[]} [subject] see `subjectsOf`
 * @property {string} [no]
 * @property {string} [notProven]
 */

/**
 * @typedef {object} Feature
 * @property {string} key its name in support.json
 * @property {string} group
 * @property {string} name
 * @property {Map<number, boolean>} versions whether it is stable, by version
 */

const document = "docs/PROTOCOL-SUPPORT.md";
const schemas = inProject("node_modules", "@agentclientprotocol", "sdk", "schema");

/** @param {string} file */
const readJson = file => /** @type {Json} */ (JSON.parse(fs.readFileSync(file, "utf8")));

/** The four schema files. */
const schemaFiles = [1, 2].flatMap(version =>
  [true, false].map(isStable => {
    const file = `${schemas}/v${version}/schema${isStable ? "" : ".unstable"}.json`;
    return { version, isStable, defs: /** @type {Json} */ (readJson(file)["$defs"]) };
  }),
);

/** Definitions whose variants are features, with the group that they are shown in. */
const kinds = {
  SessionUpdate: "Updates",
  ContentBlock: "Content of messages and prompts",
  EmbeddedResourceResource: "Contents of resources",
  ToolCallContent: "Content of tool calls",
  PlanUpdateContent: "Content of plans",
  DiffChange: "Changes in a diff",
  RequestPermissionSubject: "Subjects of permission requests",
  CreateElicitationRequest: "Forms and web addresses",
  ElicitationPropertySchema: "Fields of forms",
  SessionConfigOption: "Session options",
  SessionConfigSelectOptions: "Values of session options",
  AuthMethod: "Ways to sign in",
  McpServer: "MCP servers",
  BackgroundWork: "Background work",
};

/** Enumerations. Their values have the entry of the enumeration in support.json if they have none of their own. */
const lists = [
  ...["ToolKind", "ToolCallStatus", "PermissionOptionKind", "RequestPermissionOutcome", "CreateElicitationResponse"],
  ...["StopReason", "IdleStateUpdate", "StateUpdate", "PlanEntryPriority", "PlanEntryStatus", "NoticeSeverity"],
  ...["CompactionStatus", "StringFormat", "MultiSelectItems", "SessionConfigOptionCategory", "ErrorCode", "Role"],
  ...["SetSessionConfigOptionRequest", "AvailableCommand", "AvailableCommandInput", "ReplayFrom", "DiffFileType"],
  ...["DiffPatchFormat", "AuthState", "LlmProtocol", "SessionStatus", "SystemPromptMode", "SessionArchiveFilter"],
  ...["IconTheme", "ElicitationSchemaType"],
];

/**
 * @param {Json} defs
 * @param {string} name
 */
function variantsOf(defs, name) {
  const { oneOf = [], anyOf = [] } = defs[name] ?? {};
  return /** @type {Json[]} */ ([...oneOf, ...anyOf]);
}

/**
 * The constant values of a variant.
 * @param {Json} variant
 * @returns {string[]}
 */
function constantsOf(variant) {
  const consts = Object.values(variant["properties"] ?? {}).map(property => property["const"]);
  return [variant["const"], ...consts].filter(value => value !== undefined).map(String);
}

/**
 * The names of the variants of a kind: their values, or the title of a variant that has none.
 * @param {Json} defs
 * @param {string} name
 * @returns {string[]}
 */
function kindsOf(defs, name) {
  return variantsOf(defs, name).flatMap(variant => {
    const values = constantsOf(variant);
    return values.length > 0 ? values : [String(variant["title"])];
  });
}

/**
 * The definitions of a schema file that have constant values, and are neither kinds nor enumerations.
 * @returns {string[]}
 */
export const unlistedDefinitions = () =>
  schemaFiles.flatMap(({ defs }) =>
    Object.keys(defs).filter(name => {
      const hasValues =
        defs[name]["enum"] !== undefined || variantsOf(defs, name).some(each => constantsOf(each).length);
      return hasValues && !(name in kinds) && !lists.includes(name);
    }),
  );

/**
 * The paths of the capabilities below a definition.
 * @param {Json} defs
 * @param {string} name
 * @returns {string[]}
 */
function capabilitiesOf(defs, name, prefix = "") {
  return Object.entries(/** @type {Json} */ (defs[name]["properties"] ?? {})).flatMap(([key, property]) => {
    if (key === "_meta") return [];
    const all = [property, ...(property["allOf"] ?? []), ...(property["anyOf"] ?? [])];
    const child = all.map(each => each["$ref"]?.split("/").at(-1)).find(ref => ref !== undefined && defs[ref]);
    const below = child && defs[child]["properties"] ? capabilitiesOf(defs, child, `${prefix}${key}.`) : [];
    return [prefix + key, ...below];
  });
}

/**
 * The features of one schema file, as [group, name].
 * @param {Json} defs
 * @returns {(readonly [string, string])[]}
 */
function featuresOf(defs) {
  const methods = Object.values(defs).flatMap(def => {
    const side = def["x-side"];
    const method = def["x-method"];
    if (method === undefined) return [];
    const group = { agent: "Methods of the agent", client: "Methods of the client" }[String(side)] ?? "Other methods";
    return [/** @type {const} */ ([group, method])];
  });
  const values = Object.entries(kinds).flatMap(([name, group]) =>
    kindsOf(defs, name).map(value => /** @type {const} */ ([group, value])),
  );
  const enumerations = lists.flatMap(name =>
    variantsOf(defs, name)
      .flatMap(constantsOf)
      .map(value => /** @type {const} */ (["Values", `${name}: ${value}`])),
  );
  const capabilities = [
    ...capabilitiesOf(defs, "AgentCapabilities").map(
      path => /** @type {const} */ (["Capabilities of the agent", path]),
    ),
    ...capabilitiesOf(defs, "ClientCapabilities").map(
      path => /** @type {const} */ (["Capabilities of the client", path]),
    ),
    ...["ToolCallCapabilities", "TerminalCapabilities", "SubagentSessionCapabilities"]
      .filter(name => defs[name])
      .flatMap(name =>
        capabilitiesOf(defs, name).map(path => /** @type {const} */ (["Capabilities of work", `${name}.${path}`])),
      ),
  ];
  return [...methods, ...values, ...enumerations, ...capabilities];
}

/**
 * All features of the four schema files.
 * @returns {Feature[]}
 */
export function protocolFeatures() {
  /** @type {Map<string, Feature>} */
  const features = new Map();
  for (const { version, isStable, defs } of schemaFiles) {
    for (const [group, name] of featuresOf(defs)) {
      const key = `${group}: ${name}`;
      const feature = features.get(key) ?? { key, group, name, versions: new Map() };
      if (!feature.versions.has(version)) feature.versions.set(version, isStable);
      features.set(key, feature);
    }
  }
  return [...features.values()];
}

/**
 * The entries of support.json: by the key of the feature, or by its key with " (v1)" or " (v2)".
 * @returns {Record<string, Support>}
 */
export const supportEntries = () => readJson(inProject("scripts", "protocol", "support.json"));

/**
 * The sentences with MUST and SHOULD of the documents, with their tests or with the reason why nothing is to be done.
 * @returns {{ readonly document: string, readonly source: string, readonly items: readonly (Support & { readonly text: string })[] }[]}
 */
export const requirementLists = () =>
  /** @type {any} */ (readJson(inProject("scripts", "protocol", "requirements.json")));

/**
 * @param {string} test "folder/file: title"
 * @returns {readonly [string, string]}
 */
function fileAndTitle(test) {
  const [, file = "", title = ""] = /^([^:]+): (.*)$/s.exec(test) ?? [];
  return [file, title];
}

/**
 * Whether a test exists.
 * @param {string} test "folder/file: title"
 */
export function testExists(test) {
  const [file, title] = fileAndTitle(test);
  return testTitles(file)?.includes(title) === true;
}

/**
 * What the tests of a row must name, as it goes over the wire: the name of the feature, or the path of a capability. A row
 * can state others; a requirement must. For an enumeration, it states the field, and its subjects are `field: value`.
 * @param {Support} support
 * @param {Feature} [feature]
 * @returns {readonly string[]}
 */
function subjectsOf({ subject }, feature) {
  const stated = subject === undefined ? [] : [subject].flat();
  if (feature?.group === "Values") {
    const value = feature.name.replace(/^\w+: /, "");
    return stated.length === 0 ? [value] : stated.map(field => `${field}: ${value}`);
  }
  if (stated.length > 0 || !feature) return stated;
  return [feature.name.replace(/^\w+Capabilities\.cancel$/, "capabilities.cancel")];
}

/**
 * The rows whose tests do not have their subjects, as sentences.
 * @returns {readonly string[]}
 */
export function unprovenRows() {
  const entries = supportEntries();
  /** @type {Map<string, { readonly support: Support, readonly subjects: string[] }>} */
  const rows = new Map();
  for (const feature of protocolFeatures()) {
    for (const [key, support] of supportOf(feature, entries)) {
      const row = rows.get(key) ?? { support, subjects: [] };
      row.subjects.push(...subjectsOf(support, feature));
      rows.set(key, row);
    }
  }
  const requirements = requirementLists().flatMap(({ items }) =>
    items.map(item => /** @type {const} */ ([item.text, { support: item, subjects: subjectsOf(item) }])),
  );
  return [...rows, ...requirements].flatMap(([name, { support, subjects }]) =>
    support.tests === undefined ? [] : unprovenSubjects(support.tests, subjects).map(why => `${name}: ${why}`),
  );
}

/**
 * Why the tests do not prove a row, as sentences: a subject that no test has, and a test that has no subject.
 * @param {readonly string[]} tests "folder/file: title"
 * @param {readonly string[]} subjects a path, such as `session.fork`, is in a test that has each name of it
 * @returns {readonly string[]}
 */
export function unprovenSubjects(tests, subjects) {
  if (subjects.length === 0) return ["no subject"];
  const found = tests.map(test => {
    const names = namesInTest(...fileAndTitle(test));
    const has = (/** @type {string} */ subject) =>
      names.has(subject) || (/^\w+(\.\w+)+$/.test(subject) && subject.split(".").every(name => names.has(name)));
    return { test, subjects: new Set(subjects.filter(has)) };
  });
  return [
    ...subjects.filter(subject => !found.some(each => each.subjects.has(subject))).map(each => `no test has ${each}`),
    ...found.filter(each => each.subjects.size === 0).map(({ test }) => `not in ${test}`),
  ];
}

/**
 * @param {Support} support
 * @param {Feature} [feature]
 */
function shownSupport(support, feature) {
  const { code, tests = [], no, notProven } = support;
  if (no !== undefined) return no;
  if (notProven !== undefined) return `${code === undefined ? "" : `\`${code}\`. `}**Not proven:** ${notProven}`;
  const named = tests.map(test => {
    const [, file, title] = /^([^:]+): (.*)$/s.exec(test) ?? [];
    return `_${(title ?? "").replace(/\$\{[^}]*\}/g, "…").replace(/[_*`<>]/g, "")}_ (${file})`;
  });
  const has =
    support.subject === undefined ? "" : `, with ${subjectsOf(support, feature).map(shownSubject).join(" and ")}`;
  return `${code === undefined ? "" : `\`${code}\`. `}${named.join(", ")}${has}`;
}

/** @param {string} subject */
const shownSubject = subject => `\`${JSON.stringify(subject).slice(1, -1)}\``;

/** @param {Feature} feature */
function shownVersions({ versions }) {
  const shown = [...versions].map(([version, isStable]) => `v${version}${isStable ? "" : " unstable"}`);
  return shown.join(", ");
}

/**
 * The entries of support.json for a feature: one for each version that has its own.
 * @param {Feature} feature
 * @param {Record<string, Support>} entries
 * @returns {(readonly [string, Support])[]}
 */
export function supportOf({ key, versions }, entries) {
  // The value of an enumeration without an entry of its own has that of the enumeration.
  const enumeration = /^Values: \w+/.exec(key)?.[0];
  for (const name of [key, ...(enumeration === undefined ? [] : [enumeration])]) {
    const own = [...versions.keys()].map(version => [`${name} (v${version})`, entries[`${name} (v${version})`]]);
    const found = own.filter(([, support]) => support !== undefined);
    if (found.length > 0) return /** @type {any} */ (found);
    const shared = entries[name];
    if (shared) return [[name, shared]];
  }
  return [];
}

/** The document as it should be. */
export function supportDocument() {
  const entries = supportEntries();
  const features = protocolFeatures();
  const groups = [...new Set(features.map(({ group }) => group))];
  const lines = [
    "# Support of the protocol",
    "",
    "`node scripts/protocol.mjs` writes this page from the schema files of the official SDK and from",
    "`scripts/protocol/support.json` and `requirements.json`. A test checks that it is current, that each feature of the",
    "schemas has an entry, that the named files and tests exist, and that each test has the subject of its row in its code:",
    "the text after _with_, or else the name of the feature: a method, field or value of the protocol, or a command. In parentheses: the file below `test/`. _Not proven_ means",
    "that no test would fail without the feature.",
  ];
  for (const group of groups) {
    lines.push("", `## ${group}`, "");
    for (const feature of features.filter(each => each.group === group)) {
      for (const [key, support] of supportOf(feature, entries)) {
        const only = / \((v[12])\)$/.exec(key)?.[1];
        const versions = only ?? shownVersions(feature);
        lines.push(`- **\`${feature.name}\`** (${versions}): ${shownSupport(support, feature)}`);
      }
    }
  }
  for (const { document: name, source, items } of requirementLists()) {
    lines.push("", `## ${name}`, "", source, "");
    for (const item of items) lines.push(`- “${item.text}” ${shownSupport(item)}`);
  }
  return formatted(`${lines.join("\n")}\n`, document);
}

/** The path of the document. */
export const supportDocumentPath = inProject(document);
