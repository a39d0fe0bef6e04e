// A change to the session's own folder changes nothing for rules, and a question says why a rule that is near does not
// apply to it.
import assert from "node:assert/strict";
import { whyNotAllowed } from "../../src/permissions/nearMiss.ts";
import { questionFacts, type FactsContext } from "../../src/permissions/questionFacts.ts";
import { evaluateRules, narrowestRule, readRules, type Rule } from "../../src/permissions/rules.ts";
import type { ToolFields } from "../../src/session/events.ts";
import { gate } from "../support/fakes/accessGate.ts";
import { factsContext } from "../support/fakes/factsContext.ts";

const options = [
  { id: "y", name: "Yes", kind: "allow_once" },
  { id: "n", name: "No", kind: "reject_once" },
] as const;
const allow = (rule: Omit<Rule, "effect">): Rule => ({ effect: "allow", ...rule });
const npm = [allow({ command: ["npm test", "npm run *", "./gradlew **"] })];

async function decided(tool: Partial<ToolFields>, rules: readonly Rule[] = npm): Promise<string | undefined> {
  const decision = await gate({ rules }).policy.decide({ title: "Run", options, tool: { kind: "execute", ...tool } });
  return decision.decision ? decision.decision.option : decision.reason;
}
const line = (command: unknown, rules?: readonly Rule[]): Promise<string | undefined> =>
  decided({ rawInput: { command } }, rules);

describe("a change to the session's own folder", () => {
  for (const command of [
    "cd /ws && npm test",
    "cd '/ws' && npm test",
    'cd "/ws/" && npm test && npm run lint',
    "cd -- /ws; npm test",
    "cd /ws\nnpm test",
    "cd /ws && ./gradlew build",
    ["/bin/bash", "-lc", "cd '/ws' && npm test"],
  ]) {
    it(`needs no rule: ${JSON.stringify(command)}`, async () => {
      assert.equal(await line(command), "y");
    });
  }

  for (const command of [
    "cd /ws/src && npm test",
    "cd / && npm test",
    "cd .. && npm test",
    "cd && npm test",
    "cd - && npm test",
    "cd /ws/../etc && npm test",
    "cd /ws /etc && npm test",
    "cd $X && npm test",
    "cd /ws* && npm test",
    "cd -P /ws && npm test",
    "cd /ws && cd /etc && npm test",
    "cd /ws && cd src && ./gradlew build",
    "cd /ws/src && ./gradlew build",
    "cd /ws && whoami",
    "pushd /ws && npm test",
    "cd '/ws' && npm test > out.txt",
    "/ws/cd /ws && npm test",
    ["/usrbash", "-c", "npm test"],
  ]) {
    it(`does not hide anything: ${JSON.stringify(command)}`, async () => {
      assert.notEqual(await line(command), "y");
    });
  }

  it("is neutral only if the command starts in this folder", async () => {
    assert.equal(await decided({ rawInput: { command: "cd /ws && npm test", cwd: "/ws" } }), "y");
    assert.notEqual(await decided({ rawInput: { command: "cd /ws && npm test", cwd: "/ws/src" } }), "y");
  });

  it("is still seen by rules that deny or ask", async () => {
    assert.equal(await line("cd /ws && npm test", [...npm, { effect: "deny", command: "cd" }]), "n");
    assert.notEqual(await line("cd /ws && npm test", [...npm, { effect: "ask", command: "cd **" }]), "y");
  });

  it("needs a rule if it is everything that runs", async () => {
    assert.notEqual(await line("cd /ws"), "y");
  });

  it("is no part of a proposed rule", async () => {
    const here: FactsContext = {
      ...factsContext,
      resolve: path => Promise.resolve(path.replace(/^\/real/, "/work")),
      roots: () => Promise.resolve(["/work/app", "/real/app", "/work/lib"]),
    };
    const facts = (command: string) =>
      questionFacts({ title: "x", options: [], tool: { kind: "execute", rawInput: { command } } }, here);
    assert.equal(narrowestRule(await facts("cd /work/app && npm test"))?.command, "npm test");
    const effect = async (command: string): Promise<string> =>
      evaluateRules(readRules(npm), await facts(command)).effect;
    assert.equal(await effect("cd /real/app && npm test"), "allow");
    assert.equal(await effect("cd /work/lib && npm test"), "ask");
  });
});

describe("a question that no rule allows although a rule nearly does", () => {
  const npmRule = "allow command “npm test”, “npm run *”, “./gradlew **”";

  for (const [rawInput, reason] of [
    [
      { command: "npm test", host: "prod" },
      `No rule can allow this: it has a field that may change what runs: “host”. The nearest rule is: ${npmRule}.`,
    ],
    [
      { command: "npm test > out.txt" },
      `No rule can allow this command line: it redirects output to a file. The nearest rule is: ${npmRule}.`,
    ],
    [
      { command: "npm test && rm -r src" },
      `No rule allows “rm -r src”. The nearest rule (${npmRule}) allows only another part of this.`,
    ],
    [
      { command: "cd src && npm test" },
      `No rule allows “cd src” in “/ws/src”. The nearest rule (${npmRule}) allows only another part of this.`,
    ],
    [
      { command: "npm test", cwd: "/etc" },
      `No rule allows “npm test” in “/etc”. The nearest rule (${npmRule}) is only for the workspace folders, and this runs in “/etc”.`,
    ],
    [{ command: "npm ci" }, `No rule allows “npm ci”. The nearest rule (${npmRule}) has “test” in the place of “ci”.`],
    [
      { command: "npm test --watch" },
      `No rule allows “npm test --watch”. The nearest rule (${npmRule}) doesn't match the additional word “--watch”.`,
    ],
    [{ command: "npm run" }, `No rule allows “npm run”. The nearest rule (${npmRule}) needs one more word: *.`],
    [{ command: "npm" }, `No rule allows “npm”. The nearest rule (${npmRule}) needs one more word: “test”.`],
    [
      { command: "/usr/bin/npm test" },
      `No rule allows “/usr/bin/npm test”. The nearest rule (${npmRule}) is for the program “npm”, not for “/usr/bin/npm”.`,
    ],
    [
      { command: "npm run $X" },
      `No rule allows “npm run '$X'”. The nearest rule (${npmRule}) can't match “$X”, because only the shell knows what it becomes.`,
    ],
    [
      { command: "whoami && npm ci && npm test" },
      `No rule allows “npm ci”. The nearest rule (${npmRule}) has “test” in the place of “ci”.`,
    ],
  ] as const) {
    it(`names the rule and why it does not apply to the command ${JSON.stringify(rawInput)}`, async () => {
      assert.equal(await decided({ rawInput }), reason);
    });
  }

  for (const [command, rule, why] of [
    [
      "git -c core.pager=x log",
      { command: "git **" },
      "has a wildcard that doesn't stand for “-c”, which may write or run something",
    ],
    [
      "npm run --unknown",
      { command: "npm run *" },
      "has a “*” that doesn't stand for “--unknown”, an option that Parley doesn't know",
    ],
    ["cat .env", { command: "cat **" }, "doesn't spell out “.env”, which may hold secrets"],
    ["cat .env", { kind: "execute" }, "doesn't spell out “.env”, which may hold secrets"],
    [
      "cp a.txt AGENTS.md",
      { command: "cp **" },
      "doesn't spell out the whole command, which names a file that programs run or agents follow",
    ],
    ["npm test", { command: "npm test", agent: "other" }, "is only for the agent “other”"],
    ["npm test", { command: "npm test", agent: ["one", "two"] }, "is only for the agents “one”, “two”"],
    ["npm test", { command: "npm test", kind: "read" }, "is only for the kind “read”, and the agent states “execute”"],
    ["npm test", { command: "npm test", path: "/srv/**" }, "is only for other folders, and this runs in “/ws”"],
    ["npm test", { kind: "execute", path: "**" }, "has a path, but no command"],
    [
      "cd $X && npm test",
      { command: ["cd **", "npm test"] },
      "needs a known folder, and only the shell knows where this runs",
    ],
  ] as const) {
    it(`says that the rule ${JSON.stringify(rule)} ${why}`, async () => {
      const reason = (await line(command, [allow(rule)])) ?? "";
      assert.ok(reason.startsWith("No rule allows “"), reason);
      assert.ok(reason.endsWith(`) ${why}.`), reason);
      assert.ok(reason.includes("The nearest rule (allow "), reason);
    });
  }

  for (const [kind, path, rule, why] of [
    ["edit", "/ws/src/a/b.ts", { kind: "edit", path: "src/*.ts" }, "is only for “src/*.ts”"],
    ["edit", "/ws/src/b/x.ts", { kind: "edit", path: "src/a/**" }, "is only for “src/a/**”"],
    ["edit", "/ws/docs/a.md", { kind: "edit", path: ["src/**", "*.md"] }, "is only for “*.md”"],
    ["read", "/etc/hosts", { kind: "read", path: "**" }, "is only for “**”"],
    ["read", "/etc/hosts", { kind: "read" }, "is only for files in the workspace folders"],
    ["read", "/home/me/notes/b/x", { path: "~/notes/a/**" }, "is only for “~/notes/a/**”"],
    ["read", "/ws/.env", { kind: "read", path: "**" }, "doesn't name this file, which may hold secrets"],
    ["read", "/ws/.env", { kind: "read" }, "doesn't name this file, which may hold secrets"],
  ] as const) {
    it(`says that the rule ${JSON.stringify(rule)} ${why}, about ${kind} ${path}`, async () => {
      const reason = (await decided({ kind, rawInput: { path } }, [allow(rule)])) ?? "";
      assert.ok(reason.startsWith(`No rule allows “${path}”. The nearest rule (allow `), reason);
      assert.ok(reason.endsWith(`) ${why}.`), reason);
    });
  }

  for (const [url, rule, why] of [
    ["https://example.com/a", { domain: "docs.example.com" }, "is only for “docs.example.com” and what is below it"],
    [
      "https://api.example.com/a",
      { domain: ["example.org", "docs.example.com"] },
      "is only for “docs.example.com” and what is below it",
    ],
    ["https://example.com/a", { domain: "example.com", path: "out/**" }, "has a path, but this names no file"],
    [
      "https://example.com/a",
      { domain: "example.com", kind: "read" },
      "is only for the kind “read”, and the agent states “fetch”",
    ],
  ] as const) {
    it(`says that the rule ${JSON.stringify(rule)} ${why}, about ${url}`, async () => {
      const reason = (await decided({ kind: "fetch", rawInput: { url } }, [allow(rule)])) ?? "";
      assert.ok(reason.startsWith(`No rule allows “${url}”. The nearest rule (allow `), reason);
      assert.ok(reason.endsWith(`) ${why}.`), reason);
    });
  }

  it("names the nearest of several rules, and of a long list the value that is near", async () => {
    const many = allow({ command: ["a", "b", "c", "d", "git log --oneline"] });
    const reason = await line("git log --stat", [
      allow({ command: "git status" }),
      many,
      allow({ command: "git log" }),
    ]);
    assert.equal(
      reason,
      "No rule allows “git log --stat”. The nearest rule (allow command “git log --oneline”, “a”, “b” and 2 more) has “--oneline” in the place of “--stat”.",
    );
  });

  it("names the rule that would allow it in a trusted workspace", () => {
    const facts = {
      agent: "bot",
      paths: ["/ws/a"],
      urls: [],
      trusted: false,
      kind: "read",
      place: { roots: ["/ws"], platform: "posix", ignoresCase: false },
    } as const;
    assert.equal(
      whyNotAllowed(readRules([allow({ kind: "read", path: "a" })]), facts),
      "Allow rules are ignored in untrusted workspaces. The nearest rule is: allow kind “read”, path “a”.",
    );
    assert.equal(whyNotAllowed(readRules([allow({ kind: "read", path: "b/*" })]), facts), undefined);
  });

  it("names a rule for the kind if the agent names no file", async () => {
    const rules = [allow({ kind: "edit", path: "src/**" })];
    assert.equal(
      await decided({ kind: "edit" }, rules),
      "The agent does not state what this is about. The nearest rule is: allow kind “edit”, path “src/**”.",
    );
    assert.equal(await decided({ kind: "delete" }, rules), undefined);
  });

  it("says that an invalid rule blocks the rule that allows it, and nothing if no rule is near", async () => {
    const broken = { effect: "dney", command: "rm" } as unknown as Rule;
    const blocked = (command: string) => line(command, [allow({ command: "npm test" }), broken]);
    assert.match((await blocked("npm test")) ?? "", /^Allow rules are ignored until this is fixed: Permission rule 2/);
    assert.equal(await blocked("whoami"), undefined);
  });

  it("names the field of a path that Parley does not know", async () => {
    const rules = [allow({ kind: "read", path: "**" })];
    const reason = await decided({ kind: "read", rawInput: { path: "/ws/a", output: "/etc/x" } }, rules);
    assert.match(
      reason ?? "",
      /a path in a field that Parley doesn't know: “output”\. The nearest rule is: allow kind/,
    );
  });

  it("cuts a long word of the command", async () => {
    const reason = (await line(`npm ${"x".repeat(50_000)}`)) ?? "";
    assert.match(reason, /x…”\. The nearest rule .* has “test” in the place of “x{79}…”\.$/);
  });

  it("is found for a command with hundreds of words", async () => {
    const words = Array.from({ length: 900 }, () => "a").join(" ");
    assert.match((await line(`./gradlew ${words} -I x`)) ?? "", /^No rule allows .* doesn't stand for “-I”/);
  });
});

describe("a question that no rule nearly allows", () => {
  for (const command of ["whoami", "whoami > x", "npx test", "echo npm test", "npm-check"]) {
    it(`has no reason: ${command}`, async () => {
      assert.equal(await line(command), undefined);
    });
  }

  for (const [command, rule] of [
    ["npm test > x", { effect: "deny", command: "rm" }],
    ["npm ci", { effect: "deny", command: "npm publish" }],
    ["npm test > x", { effect: "allow", command: "npm test", agent: "another" }],
    ["npm ci", { effect: "allow", command: "npm test", agent: "another" }],
    ["npm test", { effect: "allow", kind: "read" }],
    ["npm test", { effect: "allow", path: "**" }],
    ["npm test", { effect: "allow", domain: "example.org" }],
  ] as const) {
    it(`has no reason: ${command}, with the rule ${JSON.stringify(rule)}`, async () => {
      assert.equal(await line(command, [rule]), undefined);
    });
  }

  it("has no reason without rules, and with a field that Parley does not know", async () => {
    assert.equal(await line("npm test > x", []), undefined);
    assert.equal(await decided({ rawInput: { command: "whoami", host: "x" } }), undefined);
  });

  for (const [kind, path, rule] of [
    ["edit", "/ws/test/a.ts", { kind: "edit", path: "src/**" }],
    ["edit", "/ws/src/a/b.ts", { kind: "read", path: "src/*.ts" }],
    ["edit", "/ws/src/a.ts", { kind: "read" }],
    ["edit", "/etc/hosts", { kind: "edit", path: "src/**" }],
    ["read", "/home/me/other/x", { path: "~/notes/a/**" }],
    ["read", "/srv/c/x", { path: "/srv/a/b/c/**" }],
  ] as const) {
    it(`has no reason: ${kind} ${path}, with the rule ${JSON.stringify(rule)}`, async () => {
      assert.equal(await decided({ kind, rawInput: { path } }, [allow(rule)]), undefined);
    });
  }

  for (const [url, domain] of [
    ["https://example.com", "example.org"],
    ["https://a.co.uk", "b.co.uk"],
    ["https://10.0.0.2", "10.0.0.1"],
    ["https://one", "two"],
  ] as const) {
    it(`has no reason: ${url}, with a rule for ${domain}`, async () => {
      assert.equal(await decided({ kind: "fetch", rawInput: { url } }, [allow({ domain })]), undefined);
    });
  }

  it("still warns of a command that writes a file which agents follow", async () => {
    assert.equal(await line("cp a.txt AGENTS.md"), "The command names a file that programs run or agents follow.");
  });
});
