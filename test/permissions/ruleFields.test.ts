// The table of the fields of a rule: the manifest offers the same fields and values.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { ruleConditionNames, ruleEffects, toolKinds } from "../../src/permissions/ruleFields.ts";

interface Values {
  readonly enum?: readonly string[];
  readonly items?: Values;
  readonly anyOf?: readonly Values[];
}

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly {
      readonly properties: Readonly<
        Record<string, { readonly items?: { readonly properties?: Readonly<Record<string, Values>> } }>
      >;
    }[];
  };
}

describe("the schema of permission rules in the manifest", () => {
  const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const [setting] = contributes.configuration.flatMap(({ properties }) => properties["parley.permissions.rules"] ?? []);
  const fields = setting?.items?.properties ?? {};

  it("has the fields of the table", () => {
    assert.deepEqual(Object.keys(fields).sort(), ["effect", ...ruleConditionNames].sort());
  });

  it("has the effects and kinds of the table", () => {
    assert.deepEqual(fields["effect"]?.enum, ruleEffects);
    const [one, several] = fields["kind"]?.anyOf ?? [];
    assert.deepEqual([one?.enum, several?.items?.enum], [toolKinds, toolKinds]);
  });

  it("accepts one text or a list for every condition", () => {
    for (const name of ruleConditionNames) assert.equal(fields[name]?.anyOf?.length, 2, name);
  });
});
