// The test of the rules with a request that the user types.
import assert from "node:assert/strict";
import type { TestedRequest, TestResult } from "../../src/panel/rulesPage.ts";
import { PermissionPolicy } from "../../src/permissions/policy.ts";
import { defaultProtection } from "../../src/permissions/protectedFiles.ts";
import { questionFor, testRules } from "../../src/permissions/ruleTest.ts";
import { readRules, type Rule } from "../../src/permissions/rules.ts";
import { factsContext } from "../support/fakes/factsContext.ts";

const npmTest: Rule = { effect: "allow", command: "npm test" };
const noRm: Rule = { effect: "deny", command: "rm" };

/** The results of a request, with the index of the rule that decides as its row. */
async function tested(request: TestedRequest, text: string, ...all: readonly Rule[]): Promise<readonly TestResult[]> {
  const question = questionFor({ tested: request, text }, "/home/me");
  assert.ok(typeof question !== "string", String(question));
  const set = readRules(all);
  const policyOf = (agent: string) =>
    new PermissionPolicy({
      ...{ rules: () => set, sensitive: () => [], protection: () => defaultProtection },
      hookFolders: () => Promise.resolve([]),
      context: () => ({ ...factsContext, agent }),
    });
  return testRules(
    question,
    set,
    (asked, agent) => policyOf(agent).evaluate(asked),
    rule => String(all.indexOf(rule)),
  );
}

const npmTestAllowed = "You are not asked. Allowed by allow command “npm test”.";

describe("the test of the rules", () => {
  for (const [request, text, rules, expected] of [
    ["command", "npm test", [npmTest], { effect: "allow", text: npmTestAllowed, row: "0" }],
    ["command", "ls", [npmTest], { effect: "ask", text: "You are asked. No rule allows “ls”." }],
    [
      ...(["command", "npm test && rm x", [npmTest, noRm]] as const),
      { effect: "deny", text: "Parley denies the request. A rule forbids this: deny command “rm”.", row: "1" },
    ],
    [
      ...(["command", "cat .env", [{ effect: "allow", command: "cat **" }]] as const),
      {
        effect: "ask",
        text: "You are asked. No rule allows “cat .env”. The nearest rule (allow command “cat **”) doesn't spell out “.env”, which may hold secrets.",
      },
    ],
    [
      ...(["read", "~/notes/a.md", [{ effect: "allow", path: "~/notes/**", kind: "read" }]] as const),
      { effect: "allow", text: "You are not asked. Allowed by allow kind “read”, path “~/notes/**”.", row: "0" },
    ],
    [
      ...(["edit", "src/a.ts", [{ effect: "ask", path: "src/**" }]] as const),
      { effect: "ask", text: "You are asked. A rule asks about this: ask path “src/**”.", row: "0" },
    ],
    [
      ...(["fetch", "https://docs.example.com/a", [{ effect: "allow", domain: "example.com" }]] as const),
      { effect: "allow", text: "You are not asked. Allowed by allow domain “example.com”.", row: "0" },
    ],
  ] as const) {
    it(`says how they answer ${request} ${text}`, async () => {
      assert.deepEqual(await tested(request, text, ...rules), [expected]);
    });
  }

  it("gives one result for each agent that the rules distinguish", async () => {
    const own: Rule = { ...npmTest, agent: ["demo", "other"] };
    const allowed = {
      effect: "allow",
      text: "You are not asked. Allowed by allow command “npm test”, agent “demo”, “other”.",
      row: "0",
    };
    assert.deepEqual(await tested("command", "npm test", own, { ...noRm, agent: "third" }), [
      { ...allowed, agents: "Agent “demo”" },
      { ...allowed, agents: "Agent “other”" },
      {
        effect: "ask",
        text: "You are asked. No rule allows “npm test”. The nearest rule (allow command “npm test”, agent “demo”, “other”) is only for the agents “demo”, “other”.",
        agents: "Other agents",
      },
    ]);
  });

  it("says for each agent why it is asked, if the reasons differ", async () => {
    const results = await tested("command", "npm test; rm x", { ...npmTest, agent: "demo" });
    assert.deepEqual(
      results.map(({ agents, text }) => [agents, text]),
      [
        [
          "Agent “demo”",
          "You are asked. No rule allows “rm x”. The nearest rule (allow command “npm test”, agent “demo”) allows only another part of this.",
        ],
        [
          "Other agents",
          "You are asked. No rule allows “npm test”. The nearest rule (allow command “npm test”, agent “demo”) is only for the agent “demo”.",
        ],
      ],
    );
  });

  it("says what to type", () => {
    const asked = (request: TestedRequest, text: string) => questionFor({ tested: request, text }, "/home/me");
    assert.equal(asked("command", "  "), "Type a command line.");
    assert.equal(asked("read", ""), "Type what the agent asks for.");
    assert.equal(asked("fetch", "example"), "Type a whole address, such as “https://example.com”.");
  });
});
