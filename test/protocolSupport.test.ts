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
  testTitles,
  unlistedDefinitions,
} from "../scripts/tools/protocolSupport.mjs";

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
    const faults = named.flatMap(([name, { code, tests = [], no }]) => {
      if (no !== undefined) return no.trim() === "" || code !== undefined || tests.length > 0 ? [`${name}: ${no}`] : [];
      const files = code?.split("` and `") ?? [];
      const unknown = tests.filter(test => {
        const [, file = "", title = ""] = /^([^:]+): (.*)$/s.exec(test) ?? [];
        return testTitles(file)?.includes(title) !== true;
      });
      return [
        ...(tests.length === 0 ? [`${name}: no test`] : []),
        ...[...files.filter(file => !existsSync(file)), ...unknown].map(fault => `${name}: ${fault}`),
      ];
    });
    assert.deepEqual(faults, []);
  });

  it("is of one exact version of the SDK, because the names of the draft change", () => {
    const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { readonly devDependencies: object };
    const version = new Map(Object.entries(manifest.devDependencies)).get("@agentclientprotocol/sdk") as unknown;
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
});
