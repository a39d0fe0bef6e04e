// The sign-in message that users see when an agent requires authentication.
import assert from "node:assert/strict";
import { authenticationProblem } from "../../src/acp/authentication.ts";

const command = (method: Record<string, unknown>): string | undefined =>
  authenticationProblem("Robo", "npx --yes robo --acp", [method], "Authentication required").command;

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
    const problem = authenticationProblem(
      "Robo",
      "npx robo --acp",
      [{ id: "login", name: "Log in", description: "Run `robo auth login`." }, { id: "key" }, {}],
      "Authentication required",
    );
    assert.equal(problem.command, undefined);
    assert.equal(
      problem.message,
      "Robo needs you to sign in. Sign in with its command-line program, then restart the agent here. Sign-in methods: Log in (Run `robo auth login`), key.",
    );
  });

  it("keeps unusual details of the agent's message", () => {
    assert.equal(authenticationProblem("Robo", "robo", [], "Your key has expired").detail, "Your key has expired");
    assert.equal(authenticationProblem("Robo", "robo", [], "Authentication required").detail, undefined);
  });

  it("tolerates methods of the wrong shape", () => {
    assert.equal(command({ type: "terminal", args: 7, env: [1], name: 3, _meta: "x" }), "npx --yes robo --acp");
  });
});
