// "Allow All Edits in This Session": which permission requests it answers, and which still ask.
import assert from "node:assert/strict";
import { AllEdits } from "../../src/permissions/allEdits.ts";
import type { PolicyDecision } from "../../src/permissions/permissionBroker.ts";
import type { Rule } from "../../src/permissions/rules.ts";
import type { PermissionQuestion } from "../../src/session/agent.ts";
import type { QuestionOption, ToolFields } from "../../src/session/events.ts";
import { gate, link, type Setup } from "../support/fakes/accessGate.ts";

const options: readonly QuestionOption[] = [
  { id: "always", name: "Always", kind: "allow_always" },
  { id: "y", name: "Yes", kind: "allow_once" },
  { id: "n", name: "No", kind: "reject_once" },
];
const asked = (tool: Partial<ToolFields>): PermissionQuestion => ({ title: "Edit", options, tool });
const edit = (...paths: readonly string[]): PermissionQuestion =>
  asked({ kind: "edit", locations: paths.map(path => ({ path })) });

/** The decision about a question in session 1, in which all edits are allowed, or in which they are not. */
async function decided(
  question: PermissionQuestion,
  { isOn = true, existing = [], ...setup }: Setup & { isOn?: boolean; existing?: readonly string[] } = {},
): Promise<PolicyDecision> {
  const { policy, documents } = gate(setup);
  link(documents, "/ws/out", "/etc");
  const allEdits = new AllEdits();
  allEdits.set("1", isOn);
  return allEdits.decide("1", question, policy, path => Promise.resolve(existing.includes(path)));
}

const answer = { decision: { option: "y", by: "all edits of the session" } };

describe("all edits of a session that the user allows", () => {
  for (const question of [
    edit("/ws/src/a.ts"),
    edit("/ws/a.ts", "/ws/new/b.md"),
    asked({ kind: "edit", rawInput: { path: "/ws/src/a.ts", content: "x" } }),
    asked({ kind: "edit", content: [{ type: "diff", path: "/ws/a.ts", newText: "a" }] }),
  ]) {
    it(`include an edit of files in the workspace, once: ${JSON.stringify(question.tool)}`, async () => {
      assert.deepEqual(await decided(question), answer);
    });
  }

  it("are offered on the questions that they would answer, and answer nothing until the user allows them", async () => {
    const decision = await decided(edit("/ws/a.ts"), { isOn: false });
    assert.equal(decision.edits, true);
    assert.equal(decision.decision, undefined);
    const other = await decided(edit("/etc/hosts"), { isOn: false });
    assert.equal(other.edits, undefined);
  });

  for (const path of [
    ...["/etc/hosts", "/ws/../etc/hosts", "/ws2/a.ts", "/ws/out/hosts"],
    ...["/ws/.env", "/ws/keys/id_rsa", "/home/me/.ssh/config"],
    ...["/ws/.git/hooks/pre-commit", "/ws/.git/config", "/ws/.husky/pre-commit", "/ws/.vscode/tasks.json"],
    ...["/ws/package.json", "/ws/Makefile", "/ws/.github/workflows/ci.yml", "/ws/sub/package.json"],
    ...["/ws/AGENTS.md", "/ws/CLAUDE.md", "/ws/.mcp.json", "/ws/.claude/settings.json"],
    "/ws/bare/hooks/update",
  ]) {
    it(`do not include ${path}, alone and beside another file`, async () => {
      const existing = ["HEAD", "objects", "refs"].map(name => `/ws/bare/${name}`);
      for (const question of [edit(path), edit("/ws/a.ts", path), asked({ kind: "edit", rawInput: { path } })]) {
        const decision = await decided(question, { existing });
        assert.equal(decision.decision, undefined);
        assert.equal(decision.edits, undefined);
      }
    });
  }

  for (const tool of [
    ...(["delete", "move", "read", "execute", "fetch", "other"] as const).map(kind => ({
      kind,
      locations: [{ path: "/ws/a.ts" }],
    })),
    { locations: [{ path: "/ws/a.ts" }] },
    { kind: "edit" },
    { kind: "edit", locations: [{ path: "/ws/a.ts" }], rawInput: { command: "rm -r x" } },
    { kind: "edit", locations: [{ path: "/ws/a.ts" }], rawInput: { url: "https://example.com" } },
    { kind: "edit", locations: [{ path: "/ws/a.ts" }], rawInput: { output: "/etc/x" } },
    { kind: "edit", locations: [{ path: "/ws/a.ts" }], rawInput: { file: "/etc/x" } },
  ] as const satisfies readonly Partial<ToolFields>[]) {
    it(`do not include ${JSON.stringify(tool)}`, async () => {
      const decision = await decided(asked(tool));
      assert.equal(decision.decision, undefined);
      assert.equal(decision.edits, undefined);
    });
  }

  it("yield to rules that ask or deny, and to an invalid rule that may deny", async () => {
    const rule = (text: object): readonly Rule[] => [text as Rule];
    const deny = await decided(edit("/ws/a.ts"), { rules: rule({ effect: "deny", path: "**" }) });
    assert.equal(deny.decision?.option, "n");
    for (const text of [
      { effect: "ask", path: "*.ts" },
      { effect: "dney", path: "*.ts" },
    ])
      assert.equal((await decided(edit("/ws/a.ts"), { rules: rule(text) })).decision, undefined);
  });

  it("include what the user took out of the lists of protected files", async () => {
    const protection = { overrides: [["**/package.json", false]] } as const;
    assert.deepEqual(await decided(edit("/ws/package.json"), { protection }), answer);
  });

  it("do not include instructions for agents, also after the user allowed them", async () => {
    const { policy } = gate();
    policy.allowInstructions();
    const allEdits = new AllEdits();
    allEdits.set("1", true);
    const decision = await allEdits.decide("1", edit("/ws/AGENTS.md"), policy, () => Promise.resolve(false));
    assert.equal(decision.decision, undefined);
  });

  it("need an option that allows once", async () => {
    const question = { ...edit("/ws/a.ts"), options: options.filter(({ kind }) => kind !== "allow_once") };
    assert.equal((await decided(question)).decision, undefined);
  });

  it("are those of one session, until it is switched off", () => {
    const allEdits = new AllEdits();
    let changes = 0;
    allEdits.onDidChange(() => changes++);
    allEdits.set("1", true);
    allEdits.set("1", true);
    assert.deepEqual([allEdits.has("1"), allEdits.has("2"), changes], [true, false, 1]);
    allEdits.set("1", false);
    assert.deepEqual([allEdits.has("1"), changes], [false, 2]);
  });
});
