// Fields next to a command or a path: a rule judges the whole input, not only the parts that it names.
import assert from "node:assert/strict";
import type { ToolFields } from "../../src/session/events.ts";
import { questionFacts } from "../../src/permissions/questionFacts.ts";
import { evaluateRules, narrowestRule, readRules, type Rule, type Verdict } from "../../src/permissions/rules.ts";
import { factsContext as here } from "../support/fakes/factsContext.ts";

const allowAll: readonly Rule[] = [
  { effect: "allow", command: ["git status", "git **"] },
  { effect: "allow", kind: ["read", "edit", "search", "execute", "other"], path: "**" },
];

async function verdict(tool: Partial<ToolFields>, rules = allowAll): Promise<Verdict> {
  return evaluateRules(readRules(rules), await questionFacts({ title: "Tool call", options: [], tool }, here));
}
const command = (beside: object): Promise<Verdict> =>
  verdict({ kind: "execute", rawInput: { command: "git status", ...beside } });

describe("a field next to a command", () => {
  for (const beside of [
    {},
    { description: "Show what changed in /etc", explanation: "x", reason: "y", justification: "z" },
    { timeout: 1000 },
    { timeout_ms: "1000" },
    { run_in_background: true },
    { is_background: false },
    { cwd: "/work/app/src" },
    { directory: "src" },
    { shell: "/bin/bash", login: true },
    { call_id: "c1", yield_time_ms: 10, max_output_tokens: 5 },
    { commands: ["git status"] },
    { commands: "git status" },
    { cmd: "git status" },
    { host: "", sudo: false, script: null, files: [], options: {} },
    { sandbox_permissions: "use_default" },
    { turn_id: "t1", call_id: "c", item_id: "i", approval_id: 3, request_id: "r", thread_id: "x" },
    { started_at_ms: 1764000000000, timestamp: "2026-11-27T10:00:00Z" },
    { available_decisions: ["approved", { approved_execpolicy_amendment: {} }, "abort"] },
    { proposed_execpolicy_amendment: ["git", "status"], proposedExecpolicyAmendment: ["git"] },
    { parsed_cmd: [{ type: "unknown", cmd: "git status" }] },
    {
      parsed_cmd: [
        { type: "list_files", cmd: "git", path: null },
        { type: "unknown", cmd: "status" },
      ],
    },
    { commandActions: [{ type: "unknown", command: "git 'status'" }] },
    { source: "agent" },
  ]) {
    it(`does not prevent a rule: ${JSON.stringify(beside)}`, async () => {
      assert.equal((await command(beside)).effect, "allow");
    });
  }

  for (const beside of [
    { host: "prod" },
    { sudo: true },
    { script: "rm -rf x" },
    { output_file: "src/a.ts" },
    { dangerouslyDisableSandbox: true },
    { commands: ["git status", "whoami"] },
    { commands: [{ command: "git status" }] },
    { Command: "whoami" },
    { COMMAND: "whoami" },
    { command_: "whoami" },
    { arguments: ["--x"] },
    { user: "root" },
    { container: "c" },
    { uid: 0 },
    { sandbox_permissions: "require_escalated" },
    { with_escalated_permissions: true },
    { input: "y" },
    { path: "/work/app" },
    { description: { command: "whoami" } },
    { timeout: "1; whoami" },
    { run_in_background: "whoami" },
    { nested: { host: "prod" } },
    { variables: { A: "b" } },
    { __proto: "x" },
    { turn_id: { command: "whoami" } },
    { started_at_ms: "1; whoami" },
    { available_decisions: "whoami" },
    { proposed_execpolicy_amendment: [{ command: "whoami" }] },
    { parsed_cmd: [{ type: "unknown", cmd: "whoami" }] },
    { parsed_cmd: [{ type: "unknown", cmd: "git status; whoami" }] },
    { parsed_cmd: [{ type: "unknown", cmd: "git status", run: "whoami" }] },
    { parsed_cmd: "whoami" },
    { parsed_cmd: ["whoami"] },
    { session_id: 3 },
    { process_id: "7" },
    { source: "user_shell" },
    { network_approval_context: { host: "example.com" } },
    { additional_permissions: { network: true } },
    { proposed_network_policy_amendments: [{ host: "example.com", action: "allow" }] },
  ]) {
    it(`leads to a question: ${JSON.stringify(beside)}`, async () => {
      const { effect, reason } = await command(beside);
      assert.equal(effect, "ask");
      assert.match(reason, /^No rule can allow this: it has a field that may change what runs: “\w+”\.$/);
    });
  }

  it("does not prevent a rule that denies", async () => {
    const tool = { kind: "execute", rawInput: { command: "rm x", host: "prod" } };
    assert.equal((await verdict(tool, [...allowAll, { effect: "deny", command: "rm" }])).effect, "deny");
  });

  it("prevents a proposed rule", async () => {
    const tool = { kind: "execute", rawInput: { command: "git status", host: "prod" } };
    assert.equal(narrowestRule(await questionFacts({ title: "x", options: [], tool }, here)), undefined);
  });

  it("leads to a question in a tool that states another kind", async () => {
    for (const kind of ["read", "other", "search"]) {
      const tool = { kind, rawInput: { command: "git status", host: "prod" } };
      assert.equal((await verdict(tool)).effect, "ask", kind);
    }
  });
});

describe("a path in a field next to a path", () => {
  for (const [kind, rawInput] of [
    ["read", { file_path: "a.ts", limit: 10, offset: 3, description: "Read /etc/hosts" }],
    ["read", { file_path: "a.ts", encoding: "utf-8", title: "a.ts" }],
    ["read", { fileName: "src/a.ts" }],
    ["edit", { file_path: "a.ts", old_string: "/etc/a", new_string: "../b" }],
    ["edit", { path: "a.ts", line: 3, before: "../a", after: "x.y" }],
    ["edit", { file_path: "a.ts", content: "/etc/passwd\n", replace_all: false }],
    ["edit", { changes: { "a.ts": { type: "update", unified_diff: "@@ /x @@", move_path: "b.ts" } } }],
    ["edit", { file: "a.ts", resource: "a.ts" }],
    ["search", { path: "src", pattern: "a/b.*", glob: "**/*.ts", output_mode: "content", "-n": true }],
    ["search", { path: "src", query: "/api/users" }],
    ["other", { path: "a.ts", docs: "https://example.com/x" }],
    ["edit", { path: "a.ts", cwd: "/work/app/src" }],
  ] as const) {
    it(`does not prevent a rule if it is text, a pattern or a repetition: ${kind} ${JSON.stringify(rawInput)}`, async () => {
      const { effect, reason } = await verdict({ kind, rawInput });
      assert.equal(effect, "allow", reason);
    });
  }

  for (const [kind, rawInput] of [
    ["read", { file_path: "a.ts", output: "/etc/passwd" }],
    ["read", { file_path: "a.ts", also: ["b.ts", "../../etc/passwd"] }],
    ["read", { file_path: "a.ts", also: { deep: [{ x: "~/.ssh/id_rsa" }] } }],
    ["read", { file_path: "a.ts", text: "/etc/passwd" }],
    ["read", { file_path: "a.ts", other: ".env" }],
    ["read", { file_path: "a.ts", other: "my notes/../../secret" }],
    ["edit", { path: "a.ts", backup: "C:\\x\\y" }],
    ["edit", { path: "a.ts", log: "out/log.txt" }],
    ["edit", { path: "a.ts", options: { cwd: "/etc" } }],
    ["edit", { path: "a.ts", cwd: ["/etc"] }],
    ["edit", { command: "create", path: "a.ts", file_text: "x", output_to: "/etc/x" }],
    ["search", { path: "src", pattern: "/etc/**" }],
    ["search", { path: "src", glob: "../**" }],
    ["search", { path: "src", root: "/" }],
    ["other", { path: "a.ts", where: "/etc" }],
  ] as const) {
    it(`leads to a question: ${kind} ${JSON.stringify(rawInput)}`, async () => {
      const { effect, reason } = await verdict({ kind, rawInput });
      assert.equal(effect, "ask", reason);
    });
  }

  it("is named in the reason", async () => {
    const { reason } = await verdict({ kind: "read", rawInput: { path: "a.ts", output: "/etc/passwd" } });
    assert.equal(reason, "No rule can allow this: it has a path in a field that Parley doesn't know: “output”.");
  });

  it("leads to a question if the input is only a text", async () => {
    const tool = { kind: "read", rawInput: "/etc/passwd", locations: [{ path: "/work/app/a.ts" }] };
    assert.equal((await verdict(tool)).effect, "ask");
  });
});
