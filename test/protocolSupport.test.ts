// docs/PROTOCOL-SUPPORT.md: each feature of the protocol's schemas and each requirement names code and tests that exist.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import {
  protocolFeatures,
  requirementLists,
  supportDocument,
  supportDocumentPath,
  supportEntries,
  supportOf,
  testExists,
  unlistedDefinitions,
  unprovenRows,
  unprovenSubjects,
} from "../scripts/tools/protocolSupport.mjs";
import { protocolMethodsPath, protocolMethodsText } from "../scripts/tools/protocolMethods.mjs";
import { namesInSource } from "../scripts/tools/testSubjects.mjs";

describe("the support of the protocol", () => {
  const entries = supportEntries();
  const features = protocolFeatures();
  const requirements = requirementLists().flatMap(({ items }) => items);

  it("has an entry for each feature of the four schema files, and no other", () => {
    assert.ok(features.length > 250, `${features.length} features`);
    const used = features.map(feature => ({ feature, found: supportOf(feature, entries) }));
    const missing = used.filter(({ feature, found }) => {
      const isSplit = found.some(([key]) => / \(v[12]\)$/.test(key));
      return found.length === 0 || (isSplit && found.length < feature.versions.size);
    });
    assert.deepEqual(
      missing.map(({ feature }) => feature.key),
      [],
    );
    const known = new Set(used.flatMap(({ found }) => found.map(([key]) => key)));
    assert.deepEqual(
      Object.keys(entries).filter(key => !known.has(key)),
      [],
    );
  });

  it("has a feature for each constant value that the schema files define", () => {
    assert.deepEqual(unlistedDefinitions(), []);
  });

  it("names code and tests that exist, or a reason", () => {
    const named = [...Object.entries(entries), ...requirements.map(item => [item.text, item] as const)];
    const faults = named.flatMap(([name, { code, tests = [], no, notProven }]) => {
      const reason = no ?? notProven;
      if (reason !== undefined) {
        const isAlone = tests.length === 0 && (no === undefined || (code === undefined && notProven === undefined));
        return reason.trim() === "" || !isAlone ? [`${name}: ${reason}`] : [];
      }
      const files = code?.split("` and `") ?? [];
      const unknown = tests.filter(test => !testExists(test));
      return [
        ...(tests.length === 0 ? [`${name}: no test`] : []),
        ...[...files.filter(file => !existsSync(file)), ...unknown].map(fault => `${name}: ${fault}`),
      ];
    });
    assert.deepEqual(faults, []);
  });

  it("names tests that have the subject of the row: a method, a field or a value", () => {
    assert.deepEqual(unprovenRows(), []);
  });

  it("does not accept a test without the subject", () => {
    const test = "acp/wireValues: titles a tool call of the kind ${kind}";
    assert.deepEqual(unprovenSubjects([test], ["kind: move"]), []);
    assert.deepEqual(unprovenSubjects([test], ["kind: hologram"]), ["no test has kind: hologram", `not in ${test}`]);
    assert.deepEqual(unprovenSubjects([test], ["session/fork"]), ["no test has session/fork", `not in ${test}`]);
    assert.deepEqual(unprovenSubjects([test], ["kind: move", "status: failed"]), ["no test has status: failed"]);
    assert.deepEqual(unprovenSubjects([test], []), ["no subject"]);
  });

  it("looks for the subject in what a test runs, and neither in its title nor in other tests", () => {
    const source = `
      const send = (method: string) => agent.request(prefix + method, { cancel: {} });
      const prefix = "session/";
      const rows = [{ kind: "read" }, { kind: "edit" }];
      describe("a", () => {
        beforeEach(() => ready({ loadSession: true }));
        for (const { kind } of rows) it(\`maps \${kind}\`, () => update({ kind, line: '{"id":"quoted"}' }));
        it("session/load", () => send("fork"));
        it("other", () => assert.equal(-32601, other));
      });`;
    const names = (title: string): readonly string[] => [...namesInSource(source, title)];
    for (const name of ["kind", "kind: read", "kind: edit", "loadSession", "quoted"])
      assert.ok(names("maps ${kind}").includes(name), name);
    for (const name of ["session/", "fork", "cancel", "loadSession"])
      assert.ok(names("session/load").includes(name), name);
    assert.ok(names("other").includes("-32601"));
    for (const name of ["session/load", "kind", "read", "-32601", "send"])
      assert.ok(!names("session/load").includes(name), name);
    assert.deepEqual(names("no such test"), []);
  });

  it("is of one exact version of the SDK, because the names of the draft change", () => {
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { readonly dependencies: object };
    const version = new Map(Object.entries(manifest.dependencies)).get("@agentclientprotocol/sdk") as unknown;
    assert.match(String(version), /^\d+\.\d+\.\d+$/);
  });

  it("lists the requirements of the documents", () => {
    assert.ok(requirements.length > 80, `${requirements.length} requirements`);
  });

  it("is described by a current document", () => {
    assert.equal(
      readFileSync(supportDocumentPath, "utf8"),
      supportDocument(),
      "Run `node scripts/protocol.mjs` and commit the document.",
    );
  });

  it("is the base of the current list of methods with their required fields", () => {
    assert.equal(
      readFileSync(protocolMethodsPath, "utf8"),
      protocolMethodsText(),
      "Run `node scripts/protocol.mjs` and commit the list.",
    );
  });
});
