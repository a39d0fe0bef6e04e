// The sign-in message that users see when an agent requires authentication.
import assert from "node:assert/strict";
import type { Problem } from "../../src/base/errors.ts";
import { authenticationProblem } from "../../src/acp/authentication.ts";

type Methods = readonly Record<string, unknown>[];
const problem = (methods: Methods, sentence = "Authentication required", variables: readonly string[] = []): Problem =>
  authenticationProblem(
    { agentName: "Robo", commandLine: "npx --yes robo --acp", authMethods: methods },
    { sentence, variables },
  );
const command = (method: Record<string, unknown>): string | undefined => problem([method]).command;

describe("the sign-in command", () => {
  it("is the agent's own command with the method's arguments and variables, quoted", () => {
    assert.equal(command({ id: "a", type: "terminal", args: ["--login"] }), "npx --yes robo --acp --login");
    assert.equal(
      command({ id: "a", type: "terminal", args: ["--as", "me too"], env: { HOW: "web $x" } }),
      'HOW="web \\$x" npx --yes robo --acp --as "me too"',
    );
  });

  it("is the ready-made command, if the agent provides one", () => {
    const ready = { command: "/usr/bin/robo", args: ["auth", "login"], label: "Log in" };
    assert.equal(command({ id: "a", _meta: { "terminal-auth": ready } }), "/usr/bin/robo auth login");
  });

  it("is absent if no command is known: the agent in a terminal would only wait", () => {
    const waiting = problem([
      { id: "login", name: "Log in", description: "Run `robo auth login`." },
      { id: "key" },
      {},
    ]);
    assert.equal(waiting.command, undefined);
    assert.equal(
      waiting.message,
      "Robo needs you to sign in. Sign in with its command-line program, then restart the agent here. Sign-in methods: Log in (Run `robo auth login`), key.",
    );
  });

  it("leaves out the switch for ACP if the arguments of a method in `_meta` replace it", () => {
    assert.equal(command({ id: "a", _meta: { type: "terminal", args: ["--login"] } }), "npx --yes robo --login");
  });

  it("keeps unusual details of the agent's message", () => {
    assert.equal(problem([], "Your key has expired").detail, "Your key has expired");
    assert.equal(problem([]).detail, undefined);
  });

  it("tolerates methods of the wrong shape", () => {
    assert.equal(command({ type: "terminal", args: 7, env: [1], name: 3, _meta: "x" }), "npx --yes robo --acp");
  });
});

describe("the environment variables for signing in", () => {
  it("are named, with the settings to put them into", () => {
    const method = { type: "env_var", id: "k", name: "Use a key", vars: [{ name: "ROBO_KEY" }, { name: "ROBO_ORG" }] };
    const { message, next } = problem([method]);
    assert.equal(
      message,
      "Robo needs you to sign in. Set ROBO_KEY and ROBO_ORG in the agent's `env` in Settings, then restart the agent here. Sign-in methods: Use a key (set ROBO_KEY and ROBO_ORG).",
    );
    assert.deepEqual(next, ["restartAgent", "openSettings", "showTraffic"]);
  });

  it("are alternatives to each other and to a sign-in command", () => {
    const methods = [
      { type: "env_var", id: "a", name: "Use A_KEY", vars: [{ name: "A_KEY" }, { name: "A_HOST", optional: true }] },
      { type: "terminal", id: "b", name: "Log in" },
    ];
    assert.equal(
      problem(methods, "", ["A_KEY", "B_KEY"]).message,
      "Robo needs you to sign in. Run its sign-in command in a terminal, or set A_KEY or B_KEY in the agent's `env` in Settings, then restart the agent here. Sign-in methods: Use A_KEY, Log in.",
    );
  });

  it("tolerate any shape", () => {
    for (const vars of [undefined, 3, [3, null, { name: 3 }]])
      assert.doesNotMatch(problem([{ type: "env_var", id: "k", vars }]).message, /env/);
  });
});
