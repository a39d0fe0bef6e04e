// Words of programs that are mostly used to read: with some of them they run, write, obey or show something else. An allow
// rule with wildcards doesn't stand for these words, and everyday commands of the same programs need no question.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { hazardRows, programHazards } from "../../src/permissions/commandLine/programHazards.ts";
import { parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";
import type { CommandLine } from "../../src/permissions/commandLine/types.ts";
import { evaluateRules, readRules, type Verdict } from "../../src/permissions/rules.ts";
import { secretMatcher } from "../../src/permissions/sensitiveFiles.ts";

const place = { roots: ["/work/app"], platform: "posix", ignoresCase: false, home: "/home/me" } as const;
const table = JSON.parse(readFileSync("test/permissions/data/program-hazards.json", "utf8")) as Readonly<
  Record<string, { readonly asked: readonly string[]; readonly allowed: readonly string[] }>
>;

const verdict = (line: string, ...commands: readonly string[]): Verdict =>
  judge(parseCommandLine(line, "posix"), ...commands);

function judge(command: CommandLine, ...commands: readonly string[]): Verdict {
  return evaluateRules(readRules([{ effect: "allow", command: commands }]), {
    agent: "demo",
    kind: "execute",
    command,
    cwd: "/work/app",
    paths: [],
    urls: [],
    trusted: true,
    place,
    isSensitive: secretMatcher([], place),
  });
}

const programOf = (line: string): string => line.split(" ")[0] ?? "";

for (const [group, { asked, allowed }] of Object.entries(table)) {
  describe(`a rule with ** for a program that is mostly used to read (${group})`, () => {
    for (const line of asked) {
      it(`leads to a question about ${JSON.stringify(line)}`, () => {
        const { effect, reason } = verdict(line, `${programOf(line)} **`);
        assert.equal(effect, "ask", reason);
      });
    }
    for (const line of allowed) {
      it(`allows ${JSON.stringify(line)}`, () => {
        const { effect, reason } = verdict(line, `${programOf(line)} **`);
        assert.equal(effect, "allow", reason);
      });
    }
  });
}

describe("a hazardous word", () => {
  it("is allowed by a rule that spells it out", () => {
    assert.equal(verdict("kubectl exec web -- ls", "kubectl exec web -- ls").effect, "allow");
    assert.equal(verdict("kubectl exec web -- ls", "kubectl exec **").effect, "allow");
    assert.equal(verdict("jq -f a.jq x.json", "jq -f a.jq *").effect, "allow");
    assert.equal(verdict("printenv", "printenv").effect, "allow");
  });

  it("is named in the reason of the question, with what it does", () => {
    assert.equal(
      verdict("kubectl exec web", "kubectl **").reason,
      "No rule allows “kubectl exec web”. A wildcard doesn't stand for “exec”, which runs a program or code that it names.",
    );
    assert.equal(
      verdict("printenv", "printenv **").reason,
      "No rule allows “printenv”. A wildcard doesn't stand for the rest of “printenv”, which shows all environment variables.",
    );
    assert.equal(verdict("kubectl exec web", "git **").reason, "No rule allows “kubectl exec web”.");
  });

  it("is not a field of jq with the name of a function", () => {
    for (const line of [
      "jq .env",
      "jq -r .scripts.env",
      "jq .env.PATH",
      "jq .environment",
      "jq 'del(.env)'",
      "yq .a.env",
    ]) {
      const read = parseCommandLine(line, "posix");
      assert.ok(read.kind === "commands");
      assert.deepEqual(
        programHazards(read.commands[0]?.words ?? []).filter(one => one !== undefined),
        [],
        line,
      );
    }
  });

  it("is found for every option and subcommand of the tables", () => {
    let count = 0;
    for (const { programs, words = "", except, why } of hazardRows) {
      for (const program of programs.split(" ")) {
        for (const entry of words.split(",").map(one => one.trim())) {
          if (entry === "" || entry === "." || entry === "*") continue;
          const line = `${program} ${entry.replace("<", "").replace(/=$/, entry.includes("--") ? "=../x y" : " ../x")}`;
          const read = parseCommandLine(line, "posix");
          if (read.kind === "opaque") continue;
          const [command] = read.commands;
          const hazards = programHazards(command?.words ?? []);
          assert.ok(hazards.some(hazard => hazard !== undefined) || except?.test("../x"), `${line}: ${why}`);
          count++;
        }
      }
    }
    assert.ok(count > 1500, String(count));
  });

  it("is found between any other options", () => {
    const lines = Object.values(table).flatMap(({ asked }) => asked);
    const option = fc.constantFrom("--zz=1", "--yy=a/b", "--xx-ww=");
    fc.assert(
      fc.property(fc.constantFrom(...lines), fc.array(option, { maxLength: 12 }), fc.nat(), (line, options, step) => {
        const read = parseCommandLine(line, "posix");
        if (read.kind === "opaque") return;
        // Not between an option and its value.
        const given = read.commands[0]?.words ?? [];
        const words = given.flatMap((word, index) => {
          const text = word.text.startsWith("-") ? undefined : options[(index + step) % 12];
          return text === undefined ? [word] : [word, { text, exact: true }];
        });
        const command = { kind: "commands", line, commands: [{ words, wrappers: [] }] } as const;
        assert.equal(judge(command, `${programOf(line)} **`).effect, "ask", words.map(({ text }) => text).join(" "));
      }),
      { numRuns: 3000 },
    );
  });

  it("has a reason, and rows have no program twice", () => {
    for (const row of hazardRows) {
      const programs = row.programs.split(" ");
      assert.equal(new Set(programs).size, programs.length, row.programs);
      assert.match(row.why(), /^[a-z]+ .*[^.]$/, row.programs);
      assert.ok(row.words ?? row.text ?? row.operand, row.programs);
    }
  });
});
