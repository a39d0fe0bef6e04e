// Commands that an agent runs in terminals of Parley.
import assert from "node:assert/strict";
import type { Rule } from "../../src/permissions/rules.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { gate, type Setup } from "../support/fakes/accessGate.ts";

const once = [{ id: "y", name: "Yes", kind: "allow_once" }] as const;
const always = [{ id: "y", name: "Yes", kind: "allow_always" }] as const;

/** A gate after the user, or the rule `by`, has allowed a command that the agent asked about. */
function allowed(
  rawInput: Readonly<Record<string, unknown>>,
  {
    options = once,
    by,
    ...setup
  }: Setup & { readonly options?: typeof once | typeof always; readonly by?: string } = {},
) {
  const opened = gate(setup);
  const question = { title: "Run", options, tool: { kind: "execute", rawInput } };
  opened.access.rememberAnswer({ question, answer: { option: "y" }, ...(by !== undefined && { by }) });
  return opened;
}

describe("a command in a terminal of Parley", () => {
  it("requires permission without a matching rule", async () => {
    const { admit, asked } = gate({ rules: [{ effect: "allow", command: "git status" }] });
    assert.equal(await admit("run", "/ws", "npm test"), true);
    assert.equal(asked[0]?.title, "Bot wants to run a command in /ws");
    assert.deepEqual(asked[0]?.subject, { kind: "execute", cwd: "/ws", command: "npm test" });
    assert.deepEqual(
      asked[0]?.options.map(({ name }) => name),
      ["Allow Once", "Allow This Command for This Session", "Refuse"],
    );
    const refused = gate({ answer: { option: "refuse" } });
    await rejectsWithRefusal("failed", /did not allow this/, refused.admit("run", "/ws", "npm test"));
  });

  it("is allowed by a rule, with or without wildcards, and the transcript names the rule once", async () => {
    for (const command of ["npm test", "npm *"]) {
      const { admit } = gate({ rules: [{ effect: "allow", command }], answer: "cancelled" });
      assert.equal(await admit("run", "/ws", "npm test"), true);
      assert.equal(await admit("run", "/ws", "npm test"), false);
      await rejectsWithRefusal("cancelled", /was cancelled/, admit("run", "/ws", "npm run build"));
    }
  });

  it("is not named a second time if the rule answered the agent's own question, and needs the rule still", async () => {
    const rules: Rule[] = [{ effect: "allow", command: "npm test" }];
    const { admit, asked } = allowed({ command: "npm test" }, { rules, by: "allow command", answer: "cancelled" });
    assert.equal(await admit("run", "/ws", "npm test"), false);
    assert.equal(asked.length, 0);
    rules.length = 0;
    await rejectsWithRefusal("cancelled", /was cancelled/, admit("run", "/ws", "npm test"));
  });

  it("needs no second permission if the user allowed it when the agent asked, in any spelling", async () => {
    const inputs = [{ command: "npm test -- 'a b'" }, { command: ["npm", "test", "--", "a b"], cwd: "/ws" }];
    for (const input of inputs) {
      const line = allowed(input);
      assert.equal(await line.admit("run", "/ws", "npm test -- 'a b'"), false);
      const program = allowed(input);
      const argv = { argv: ["npm", "test", "--", "a b"] };
      assert.equal(await program.admit("run", "/ws", 'npm test -- "a b"', argv), false);
      assert.equal(line.asked.length + program.asked.length, 0);
    }
  });

  it("needs permission if it is not what the user allowed", async () => {
    const { admit, asked } = allowed({ command: "npm test" });
    await admit("run", "/ws", "npm test && rm -r src");
    await admit("run", "/ws/packages/a", "npm test");
    await admit("run", "/ws", "npm test", { env: [{ name: "NODE_OPTIONS", value: "--require ./evil.cjs" }] });
    await admit("run", "/ws", "npm test", { argv: ["npm test"] });
    assert.equal(asked.length, 4);
    assert.equal(await admit("run", "/ws", "npm test", { env: [{ name: "FORCE_COLOR", value: "1" }] }), false);
  });

  it("may run again until the turn ends if the user allowed it once", async () => {
    const { access, admit, asked } = allowed({ command: "npm test" });
    assert.deepEqual([await admit("run", "/ws", "npm test"), await admit("run", "/ws", "npm test")], [false, false]);
    access.endTurn();
    assert.equal(await admit("run", "/ws", "npm test"), true);
    assert.equal(asked.length, 1);
  });

  it("may run in later turns if the user always allows it", async () => {
    const { access, admit } = allowed({ command: "npm test" }, { options: always });
    access.endTurn();
    assert.equal(await admit("run", "/ws", "npm test"), false);
  });

  it("may run for the session if the user allows that: only this command, in this folder, with these variables", async () => {
    const { access, admit, asked } = gate({ answer: { option: "session" } });
    await admit("run", "/ws", "npm test");
    access.endTurn();
    assert.equal(await admit("run", "/ws", "npm test"), false);
    await admit("run", "/ws/a", "npm test");
    await admit("run", "/ws", "npm run build");
    await admit("run", "/ws", "npm test", { env: [{ name: "CI", value: "1" }] });
    assert.equal(asked.length, 4);
  });
});
