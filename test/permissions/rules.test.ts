// Rules: the table of command lines, paths and domains, precedence, validation, and properties of any line.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { QuestionOption } from "../../src/session/events.ts";
import { parseArguments, parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";
import {
  answerFromVerdict,
  evaluateRules,
  describeRule,
  readRules,
  narrowestRule,
} from "../../src/permissions/rules.ts";
import type { Effect } from "../../src/permissions/ruleFields.ts";
import type { QuestionFacts, Rule } from "../../src/permissions/rules.ts";
import type { Shell } from "../../src/permissions/commandLine/types.ts";

interface Row {
  readonly shell: Shell;
  /** The name of a rule set, or the rules. */
  readonly rules: string | readonly Rule[];
  readonly line: string;
  readonly verdict: Effect;
  readonly why: string;
  /** An attempt to bypass the rules. */
  readonly hostile?: true;
}

const table = JSON.parse(readFileSync("test/support/data/command-rules.json", "utf8")) as {
  readonly ruleSets: Readonly<Record<string, readonly Rule[]>>;
  readonly rows: readonly Row[];
};

const question: QuestionFacts = {
  agent: "demo",
  paths: [],
  urls: [],
  trusted: true,
  place: { roots: ["/work/app", "/work/lib"], platform: "posix", ignoresCase: false, home: "/home/me" },
};

const asks = (facts: Partial<QuestionFacts>): QuestionFacts => ({ ...question, ...facts });
const runs = (line: string, shell: Shell = "posix"): QuestionFacts =>
  asks({ kind: "execute", command: parseCommandLine(line, shell) });
const edits = (...paths: readonly string[]): QuestionFacts => asks({ kind: "edit", paths });
const fetches = (...urls: readonly string[]): QuestionFacts => asks({ kind: "fetch", urls });

/** The effect of valid rules. */
function effect(rules: readonly Rule[], facts: QuestionFacts): Effect {
  const set = readRules(rules);
  assert.deepEqual(set.problems, []);
  return evaluateRules(set, facts).effect;
}

describe("the table of command rules", () => {
  it("is large, and has a set for every name", () => {
    assert.ok(table.rows.length >= 120, `${table.rows.length} rows`);
    assert.ok(table.rows.filter(row => row.hostile).length >= 40);
    for (const { rules } of table.rows) assert.ok(typeof rules !== "string" || rules in table.ruleSets, String(rules));
    assert.equal(
      new Set(table.rows.map(row => JSON.stringify([row.shell, row.rules, row.line]))).size,
      table.rows.length,
    );
  });

  for (const { shell, rules, line, verdict, why } of table.rows) {
    it(`${verdict}: ${shell}: ${JSON.stringify(line)}: ${why}`, () => {
      const set = readRules(typeof rules === "string" ? table.ruleSets[rules] : rules);
      assert.deepEqual(set.problems, []);
      const decided = evaluateRules(set, runs(line, shell));
      assert.equal(decided.effect, verdict, decided.reason);
    });
  }
});

describe("evaluateRules", () => {
  const allow = (rule: Omit<Rule, "effect">): Rule => ({ effect: "allow", ...rule });
  const deny = (rule: Omit<Rule, "effect">): Rule => ({ effect: "deny", ...rule });
  const ask = (rule: Omit<Rule, "effect">): Rule => ({ effect: "ask", ...rule });

  it("gives deny precedence over ask, and ask over allow, in any order", () => {
    const rules = [allow({ command: "a" }), ask({ command: "a" }), deny({ command: "a" })];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const sorted = order.flatMap(i => rules[i] ?? []);
      assert.equal(effect(sorted, runs("a")), "deny");
      assert.equal(
        effect(
          sorted.filter(rule => rule.effect !== "deny"),
          runs("a"),
        ),
        "ask",
      );
    }
    assert.equal(effect(rules.slice(0, 1), runs("a")), "allow");
  });

  it("names the rule that decided, and the reason", () => {
    const set = readRules([allow({ command: "npm test", agent: "demo" }), deny({ command: "rm" })]);
    assert.deepEqual(evaluateRules(set, runs("npm test")), {
      effect: "allow",
      rule: set.rules[0],
      reason: "Allowed by allow command “npm test”, agent “demo”.",
    });
    assert.equal(evaluateRules(set, runs("rm x")).rule, set.rules[1]);
    assert.equal(evaluateRules(set, runs("npm ci")).reason, "No rule allows “npm ci”.");
    assert.equal(
      evaluateRules(set, runs("npm test > x")).reason,
      "No rule can allow this command line: it redirects output to a file.",
    );
  });

  it("shortens a long rule in the reason", () => {
    const many = Array.from({ length: 30 }, (_, index) => `a${index} **`);
    const { reason } = evaluateRules(readRules([allow({ command: many })]), runs("a1 x"));
    assert.equal(reason, "Allowed by allow command “a0 **”, “a1 **”, “a2 **” and 27 more.");
    const long = evaluateRules(
      readRules([allow({ command: `a ${"😀".repeat(500)}` }), deny({ command: "a" })]),
      runs("a"),
    );
    assert.equal(long.reason, "A rule forbids this: deny command “a”.");
    assert.equal(describeRule(allow({ command: `a ${"😀".repeat(500)}` })), `allow command “a ${"😀".repeat(77)}…”`);
    assert.equal(describeRule(allow({ path: "x".repeat(80) })), `allow path “${"x".repeat(80)}”`);
  });

  it("combines several rules for the parts of one line", () => {
    const rules = [allow({ command: "a" }), allow({ command: "b *" })];
    assert.equal(effect(rules, runs("a && b x")), "allow");
    assert.equal(effect(rules, runs("a && b x y")), "ask");
  });

  it("applies a rule to its agent and kind only", () => {
    const rules = [allow({ agent: ["other", "demo"], kind: "execute", command: "a" })];
    assert.equal(effect(rules, runs("a")), "allow");
    assert.equal(effect(rules, { ...runs("a"), agent: "third" }), "ask");
    assert.equal(effect(rules, { ...runs("a"), kind: "read" }), "ask");
  });

  it("does not treat a command as a harmless kind", () => {
    const reading = { ...runs("cat x"), kind: "read", paths: ["/work/app/x"] } as const;
    assert.equal(effect([allow({ kind: "read" })], reading), "ask");
    assert.equal(effect([allow({ path: "**" })], reading), "ask");
    assert.equal(effect([allow({ domain: "example.com" })], { ...reading, urls: ["https://example.com"] }), "ask");
    assert.equal(effect([deny({ kind: "execute" })], reading), "deny");
  });

  it("allows a whole kind if the question names its subject", () => {
    assert.equal(effect([allow({ kind: "execute" })], runs("a; b")), "allow");
    assert.equal(effect([allow({ kind: "execute" })], runs("a $(b)")), "ask");
    assert.equal(effect([allow({ kind: "execute" })], asks({ kind: "execute" })), "ask");
    assert.equal(effect([allow({ kind: "edit" })], edits()), "ask");
    assert.equal(effect([allow({ kind: "edit" })], edits("/work/app/a")), "allow");
    assert.equal(effect([allow({ kind: "edit" })], edits("/work/app/a", "/etc/hosts")), "ask");
    assert.equal(effect([allow({ kind: "think" })], asks({ kind: "think" })), "allow");
  });

  it("allows nothing in an untrusted workspace, and still denies", () => {
    assert.equal(effect([allow({ command: "a" })], { ...runs("a"), trusted: false }), "ask");
    assert.equal(effect([deny({ command: "a" })], { ...runs("a"), trusted: false }), "deny");
  });

  it("matches paths by segment, below each of the session's folders", () => {
    const rules = [allow({ kind: "edit", path: ["src/**", "*.{md,txt}", "a?/b"] })];
    for (const path of [
      "/work/app/src/x/y.ts",
      "/work/lib/src/x",
      "/work/app/a.md",
      "/work/app/b.txt",
      "/work/app/ax/b",
    ]) {
      assert.equal(effect(rules, edits(path)), "allow", path);
    }
    for (const path of [
      "/work/app/srcs/x",
      "/work/application/src/x",
      "/work/app/x/a.md",
      "/work/app/src/../package.json",
      "/src/x",
      "src/x",
      "/work/app/a/b",
    ]) {
      assert.equal(effect(rules, edits(path)), "ask", path);
    }
  });

  it("requires an allow rule for every path, and one deny rule is enough", () => {
    const rules = [allow({ kind: "edit", path: "src/**" }), allow({ path: "test/**" }), deny({ path: "**/.env*" })];
    assert.equal(effect(rules, edits("/work/app/src/a", "/work/app/test/b")), "allow");
    assert.equal(effect(rules, edits("/work/app/src/a", "/work/app/b")), "ask");
    assert.equal(effect(rules, edits("/work/app/src/a", "/work/app/src/.env.local")), "deny");
    assert.equal(effect(rules, edits("/elsewhere/.env")), "deny");
  });

  it("supports absolute globs and globs below the home folder", () => {
    const rules = [allow({ path: ["/opt/data/**", "~/notes/*"] }), deny({ path: "~/.ssh/**" })];
    assert.equal(effect(rules, edits("/opt/data/x/y")), "allow");
    assert.equal(effect(rules, edits("/home/me/notes/a")), "allow");
    assert.equal(effect(rules, edits("/home/you/notes/a")), "ask");
    assert.equal(effect(rules, edits("/home/me/.ssh/id")), "deny");
  });

  it("supports Windows paths, and ignores case where the system does", () => {
    const place = { roots: ["C:\\work\\app"], platform: "windows", ignoresCase: true } as const;
    const rules = [allow({ path: ["src/**", "d:/x/*"] }), deny({ path: "**/secret/**" })];
    assert.equal(effect(rules, { ...edits("c:/Work/APP/Src/a"), place }), "allow");
    assert.equal(effect(rules, { ...edits("D:\\X\\a"), place }), "allow");
    assert.equal(effect(rules, { ...edits("C:\\work\\app\\src\\SECRET\\a"), place }), "deny");
    assert.equal(effect(rules, { ...edits("C:\\work\\app\\src\\a:stream"), place }), "ask");
  });

  it("applies a rule's path to the working folder of a command", () => {
    const inFolder = (cwd: string): QuestionFacts => ({ ...runs("make"), cwd });
    assert.equal(effect([allow({ command: "make" })], inFolder("/work/app/x")), "allow");
    assert.equal(effect([allow({ command: "make" })], inFolder("/tmp")), "ask");
    assert.equal(effect([allow({ command: "make", path: "/tmp/**" })], inFolder("/tmp")), "allow");
    assert.equal(effect([allow({ command: "make", path: "sub/**" })], inFolder("/work/app/x")), "ask");
    assert.equal(effect([allow({ command: "make", path: "sub/**" })], runs("make")), "ask");
  });

  it("asks if the words of a command may be a denied file or host", () => {
    const rules = [allow({ command: "cat **" }), deny({ path: "**/.env" }), deny({ domain: "evil.example" })];
    assert.equal(effect(rules, runs("cat a.txt")), "allow");
    for (const line of ["cat .env", "cat x/../.env", "cat --file=.env", "cat /work/app/.env", "cat .e*", "cat $X"]) {
      assert.equal(effect(rules, runs(line)), "ask", line);
    }
    assert.equal(effect(rules, runs("cat https://sub.evil.example/x")), "ask");
  });

  it("matches domains at the dots", () => {
    const rules = [allow({ domain: ["example.com", "localhost", "127.0.0.1"] }), deny({ domain: "bad.example.com" })];
    for (const url of [
      "https://example.com",
      "http://a.b.example.com./x",
      "http://localhost:3000",
      "http://127.0.0.1/",
    ]) {
      assert.equal(effect(rules, fetches(url)), "allow", url);
    }
    for (const url of [
      "https://badexample.com",
      "https://example.com.evil.org",
      "https://example.com@evil.org",
      "file:///etc/example.com",
      "https://ex\u0430mple.com",
      "http://1.127.0.0.1.evil.org",
      "http://x.localhost",
      "no address",
    ]) {
      assert.equal(effect(rules, fetches(url)), "ask", url);
    }
    assert.equal(effect(rules, fetches("https://example.com", "https://evil.org")), "ask");
    assert.equal(effect(rules, fetches("https://example.com", "https://x.BAD.example.com")), "deny");
  });
});

describe("readRules", () => {
  const message = (rule: unknown): string =>
    readRules([rule])
      .problems.map(problem => problem.message)
      .join();

  it("reports the problem of an invalid rule", () => {
    for (const [rule, wrong] of [
      ["x", "must be an object"],
      [{ command: "a" }, "needs an effect: allow, ask or deny"],
      [{ effect: "permit", command: "a" }, "has an unknown effect “permit”. Use allow, ask or deny."],
      [{ effect: 3, command: "a" }, "has an invalid effect. Use allow, ask or deny."],
      [{ effect: "allow", comand: "a" }, "has an unknown field “comand”. Did you mean “command”?"],
      [{ effect: "allow", when: "a" }, "has an unknown field “when”. Known fields: effect, kind, command, path"],
      [{ effect: "allow", command: 3 }, "needs a text, or a list of texts, as its command"],
      [{ effect: "allow", command: [] }, "has an empty list as its command"],
      [{ effect: "allow", command: ["a", ""] }, "needs a text"],
      [{ effect: "allow", command: "npm run test:*" }, "inside the word “test:*”"],
      [{ effect: "allow", command: "a && b" }, "a pattern describes one command"],
      [{ effect: "allow", command: "a 'b" }, "has an unclosed quote"],
      [{ effect: "allow", command: "** a" }, "must start with the name of a program"],
      [{ effect: "allow", path: "src/**.ts" }, "“**” stands for whole folders"],
      [{ effect: "allow", path: "../x" }, "contains “.” or “..”"],
      [{ effect: "allow", path: "a{b" }, "has an unbalanced brace"],
      [{ effect: "allow", path: "a\\b" }, "Use “/” between folders"],
      [{ effect: "allow", path: "~you/x" }, "Only “~/” is supported"],
      [{ effect: "allow", path: "{a,b}".repeat(9) }, "more than 200 alternatives"],
      [{ effect: "allow", domain: "https://a.com" }, "is not a host name"],
      [{ effect: "allow", domain: "*.a.com" }, "is not a host name"],
      [{ effect: "allow", domain: "0.0.1" }, "is part of an address"],
      [{ effect: "allow", agent: "a" }, "must have at least one condition"],
      [{ effect: "deny" }, "must have at least one condition"],
    ] as const) {
      assert.match(message(rule), /^Permission rule 1 .*[.?]$/);
      assert.ok(message(rule).includes(wrong), message(rule));
    }
    assert.equal(readRules({}).problems.length, 1);
    assert.deepEqual(readRules(undefined), { rules: [], problems: [] });
  });

  it("names the rule, and suggests the name that was meant", () => {
    for (const [rule, expected] of [
      [
        { effect: "dney", command: "rm **" },
        "(dney, command “rm **”) has an unknown effect “dney”. Did you mean “deny”?",
      ],
      [{ effect: "Deny", path: ".env" }, "(Deny, path “.env”) has an unknown effect “Deny”. Did you mean “deny”?"],
      [
        { efect: "deny", path: ".env" },
        "(efect “deny”, path “.env”) has an unknown field “efect”. Did you mean “effect”?",
      ],
      [
        { effect: "deny", commands: ["rm", "mv"] },
        "(deny, commands “rm, mv”) has an unknown field “commands”. Did you mean “command”?",
      ],
      [{ effect: "deny", Path: ".env" }, "(deny, Path “.env”) has an unknown field “Path”. Did you mean “path”?"],
      [
        { effect: "deny", kind: ["edit", "exceute"] },
        "(deny, kind “edit, exceute”) has a kind “exceute” that is unknown. Did you mean “execute”?",
      ],
      [
        { effect: "ask", kind: "Fetch" },
        "(ask, kind “Fetch”) has a kind “Fetch” that is unknown. Did you mean “fetch”?",
      ],
    ] as const) {
      assert.equal(message(rule), `Permission rule 1 ${expected}`);
      assert.ok(readRules([rule]).problems[0]?.blocksAllow);
    }
    // Agents may have kinds of their own.
    assert.equal(message({ effect: "deny", kind: "dance" }), "");
    assert.ok(message({ effect: "deny", comand: "x".repeat(500) }).length < 300);
  });

  it("keeps the valid rules, but allows nothing while a rule that may deny is invalid", () => {
    const good = { effect: "allow", command: "a" };
    const withBadAllow = readRules([good, { effect: "allow", command: "'" }]);
    assert.equal(evaluateRules(withBadAllow, runs("a")).effect, "allow");
    for (const bad of [{ effect: "deny", command: "'" }, { efect: "deny", command: "b" }, null]) {
      const verdict = evaluateRules(readRules([good, bad]), runs("a"));
      assert.equal(verdict.effect, "ask");
      assert.match(verdict.reason, /Permission rule 2/);
    }
  });
});

describe("answerFromVerdict", () => {
  const options: readonly QuestionOption[] = ["allow_always", "allow_once", "reject_always", "reject_once"].map(
    kind => ({
      id: kind,
      name: kind,
      kind,
    }),
  );
  const verdict = (effect: Effect) => ({ effect, rule: { effect, command: "a" }, reason: "" });

  it("chooses the option for one time, and names the rule", () => {
    assert.deepEqual(answerFromVerdict(verdict("allow"), options), { option: "allow_once", by: "allow command “a”" });
    assert.deepEqual(answerFromVerdict(verdict("deny"), options), { option: "reject_once", by: "deny command “a”" });
  });

  it("rejects permanently only if rejecting once is not offered", () => {
    const lasting = options.filter(option => option.kind.endsWith("always"));
    assert.equal(answerFromVerdict(verdict("deny"), lasting)?.option, "reject_always");
  });

  it("asks the user if no rule decides, or if the option is not offered", () => {
    assert.equal(answerFromVerdict(verdict("ask"), options), undefined);
    assert.equal(answerFromVerdict({ effect: "allow", reason: "" }, options), undefined);
    const lasting = options.filter(option => option.kind.endsWith("always"));
    assert.equal(answerFromVerdict(verdict("allow"), lasting), undefined);
    assert.equal(answerFromVerdict(verdict("deny"), []), undefined);
  });
});

describe("narrowestRule", () => {
  it("proposes the exact words, file or host", () => {
    assert.deepEqual(narrowestRule(runs("npm run build")), {
      effect: "allow",
      agent: "demo",
      command: "npm run build",
    });
    assert.deepEqual(narrowestRule(runs("a && b 'c d'"))?.command, ["a", "b 'c d'"]);
    assert.deepEqual(narrowestRule(edits("/work/app/src/a.ts")), {
      effect: "allow",
      agent: "demo",
      kind: "edit",
      path: "src/a.ts",
    });
    assert.equal(narrowestRule(edits("/etc/hosts"))?.path, "/etc/hosts");
    assert.equal(narrowestRule(fetches("https://docs.example.com/x?y"))?.domain, "docs.example.com");
    assert.deepEqual(narrowestRule({ ...runs("make"), cwd: "/tmp/x" })?.path, "/tmp/x");
    assert.deepEqual(narrowestRule(runs("rm -rf x"), "deny"), { effect: "deny", agent: "demo", command: "rm -rf x" });
  });

  it("proposes nothing if no narrow rule is possible", () => {
    for (const facts of [runs("a $(b)"), runs("ls *.ts"), edits(), edits("/work/app/a*b"), fetches("x"), asks({})]) {
      assert.equal(narrowestRule(facts), undefined);
    }
  });

  it("matches the question that it was created for, and no other command", () => {
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."ab*'\" $;-=\\".split("")), maxLength: 5 }),
      fc.constantFrom("*", "**", "a", ""),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 3 }), fc.array(word, { maxLength: 3 }), (one, other) => {
        const facts = (words: readonly string[]): QuestionFacts =>
          asks({ kind: "execute", command: parseArguments(["npm", ...words]) });
        const rule = narrowestRule(facts(one));
        assert.ok(rule, JSON.stringify(one));
        assert.equal(effect([rule], facts(one)), "allow");
        const same = JSON.stringify(one) === JSON.stringify(other);
        assert.equal(effect([rule], facts(other)), same ? "allow" : "ask", describeRule(rule));
      }),
    );
  });
});

describe("any command line", () => {
  const allowed = table.rows.filter(row => row.verdict === "allow" && row.shell === "posix");
  const rules = readRules(table.ruleSets["project"]);

  it("is not allowed after a command that is not allowed is appended with any operator", () => {
    const others = fc.constantFrom("whoami", "rm -rf x", "PATH=x npm test", "npm test > x", "eval a", "sudo npm test");
    const operators = fc.constantFrom(
      ";", "&", "&&", "||", "|", "|&", "\n", "\n\n", "\r", "\r\n", ";\n", "&\n", "# \n", "\\\n;", "$(", "`", "<(", ">(", " \\\n& ",
    ); // prettier-ignore
    fc.assert(
      fc.property(fc.constantFrom(...allowed), operators, others, fc.boolean(), (row, operator, other, spaced) => {
        const set = readRules(typeof row.rules === "string" ? table.ruleSets[row.rules] : row.rules);
        const joint = spaced ? ` ${operator} ` : operator;
        const closing = operator === "`" ? "`" : operator.endsWith("(") ? ")" : "";
        for (const line of [row.line + joint + other + closing, other + joint + row.line + closing]) {
          assert.notEqual(evaluateRules(set, runs(line)).effect, "allow", line);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("is not allowed if it is a denied command in any quoting", () => {
    const dressed = (letter: string): fc.Arbitrary<string> =>
      fc.constantFrom(
        letter, `'${letter}'`, `"${letter}"`, `\\${letter}`, `''${letter}`, `""${letter}`, `$'${letter}'`, `$"${letter}"`, `\\\n${letter}`,
        `\u200b${letter}`, `{${letter},}`, `[${letter}]`, `$X${letter}`, `\${X}${letter}`, `$(echo ${letter})`, `"\\\n"${letter}`,
      ); // prettier-ignore
    const trusting = readRules([
      { effect: "allow", command: ["npm **", "chmod **", "env **", "time **", "bash **"] },
      { effect: "deny", command: ["chmod"] },
    ]);
    const name = fc.tuple(...[..."chmod"].map(dressed)).map(letters => letters.join(""));
    const frame = fc.constantFrom("%", "npm x; %", "env %", "time %", "nice %", "npm | %", "bash -c \"%\"", "/bin/%", "CI=1 %", "command %"); // prettier-ignore
    fc.assert(
      fc.property(name, frame, (name, frame) => {
        const line = `${frame.replace("%", () => `${name} +x y`)}`;
        assert.notEqual(evaluateRules(trusting, runs(line)).effect, "allow", line);
      }),
      { numRuns: 1000 },
    );
  });

  it("is not allowed unless it contains only allowed commands", () => {
    const pieces = fc.constantFrom("npm test", "git status", "whoami", ";", "&&", "|", "&", "\n", " ", "'", '"', "\\", "(", ")", "$", "`", "#", "2>&1", ">", "="); // prettier-ignore
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), all => {
        const line = all.join("");
        if (evaluateRules(rules, runs(line)).effect !== "allow") return;
        const quotes = line.replace(/["'\\]/g, "");
        assert.ok(!/whoami|[()$`#=]|>(?!&1)/.test(quotes), line);
      }),
      { numRuns: 1500 },
    );
  });
});
