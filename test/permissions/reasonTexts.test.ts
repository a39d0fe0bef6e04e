// The reasons for permission requests are in the language of the user, who decides by them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { setTranslator } from "../../src/base/l10n.ts";
import { cloudHazards } from "../../src/permissions/commandLine/hazards/cloudHazards.ts";
import { developerHazards } from "../../src/permissions/commandLine/hazards/developerHazards.ts";
import { systemHazards } from "../../src/permissions/commandLine/hazards/systemHazards.ts";
import { parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";
import { evaluateRules, readRules, type QuestionFacts } from "../../src/permissions/rules.ts";
import { inProject } from "../../scripts/tools/project.mjs";

const inCapitals = <T>(read: () => T): T => {
  const reset = setTranslator((text, ...args) =>
    text.toUpperCase().replace(/\{(\d)\}/g, (_, index: string) => String(args[Number(index)])),
  );
  try {
    return read();
  } finally {
    reset();
  }
};

describe("the reasons for permission requests", () => {
  it("are translated for each word that a wildcard doesn't stand for", () => {
    const all = [...cloudHazards, ...developerHazards, ...systemHazards];
    const reasons = inCapitals(() => all.map(({ why }) => why()));
    assert.deepEqual(
      reasons.filter(reason => reason !== reason.toUpperCase()),
      [],
    );
  });

  it("are translated for each command line that Parley doesn't understand", () => {
    const folder = inProject("src", "permissions", "commandLine");
    const untranslated = readdirSync(folder)
      .filter(name => name.endsWith(".ts"))
      .flatMap(name => readFileSync(`${folder}/${name}`, "utf8").match(/new NotUnderstood\(\s*["`].*/g) ?? []);
    assert.deepEqual(untranslated, []);
  });

  it("are translated as a whole, except for the one that an agent gets", () => {
    const list = ["a", "b", "c", "d"].map(name => `${name} **`);
    const reasonOf = (effect: string, line: string): string =>
      inCapitals(() => evaluateRules(readRules([{ effect, command: list }]), runs(line)).reason);
    assert.equal(reasonOf("allow", "a > b"), "NO RULE CAN ALLOW THIS COMMAND LINE: IT REDIRECTS OUTPUT TO A FILE.");
    assert.match(reasonOf("allow", "a x"), /^ALLOWED BY .* AND 1 MORE\.$/);
    assert.match(reasonOf("deny", "a x"), /^A rule forbids this: deny command .* and 1 more\.$/);
  });
});

const runs = (line: string): QuestionFacts => ({
  agent: "demo",
  kind: "execute",
  command: parseCommandLine(line, "posix"),
  paths: [],
  urls: [],
  trusted: true,
  place: { platform: "posix", roots: ["/work"], ignoresCase: false },
});
