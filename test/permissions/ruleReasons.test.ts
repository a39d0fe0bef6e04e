// A change to the session's own folder changes nothing for rules, and a question says why a rule does not apply to it.
import assert from "node:assert/strict";
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

describe("a question to which no rule applies although a rule is for its command", () => {
  for (const [rawInput, reason] of [
    [
      { command: "npm test", host: "prod" },
      /^No rule can allow this: it has a field that may change what runs: “host”\.$/,
    ],
    [{ command: "npm test > out.txt" }, /^No rule can allow this command line: it redirects output to a file\.$/],
    [{ command: "npm test $(whoami)" }, /^No rule can allow this command line: it substitutes the output/],
    [{ command: "npm test", env: { A: "b" } }, /^No rule can allow this command line: it sets variables/],
    [{ command: "npm test && rm -r src" }, /^No rule allows “rm -r src”\.$/],
    [{ command: "cd src && npm test" }, /^No rule allows “cd src”\.$/],
    [{ command: "npm test", cwd: "/etc" }, /^No rule allows “npm test” in “\/etc”\.$/],
  ] as const) {
    it(`says why: ${JSON.stringify(rawInput)}`, async () => {
      assert.match((await decided({ rawInput })) ?? "", reason);
    });
  }

  it("names the word for which no wildcard stands", async () => {
    const reason = await line("git -c core.pager=x log", [allow({ command: "git **" })]);
    assert.match(reason ?? "", /A wildcard doesn't stand for “-c”, which may write or run something\.$/);
  });

  it("names the field of a path that Parley does not know", async () => {
    const rules = [allow({ kind: "read", path: "**" })];
    const reason = await decided({ kind: "read", rawInput: { path: "/ws/a", output: "/etc/x" } }, rules);
    assert.match(reason ?? "", /a path in a field that Parley doesn't know: “output”/);
  });

  it("says nothing if no rule is for it", async () => {
    assert.equal(await line("whoami"), undefined);
    assert.equal(await line("whoami > x"), undefined);
    assert.equal(await line("npm test > x", []), undefined);
    assert.equal(await line("npm test > x", [{ effect: "deny", command: "rm" }]), undefined);
    assert.equal(await decided({ rawInput: { command: "whoami", host: "x" } }), undefined);
    assert.equal(await line("npm test > x", [allow({ command: "npm test", agent: "another" })]), undefined);
  });
});
