// The sign-in message that users see when an agent requires authentication.
import assert from "node:assert/strict";
import type { Problem } from "../../src/base/errors.ts";
import { signInMethods } from "../../src/acp/signInMethods.ts";
import { signInProblem } from "../../src/acp/signInProblem.ts";

const problem = (
  methods: readonly object[],
  sentence = "Authentication required",
  variables: readonly string[] = [],
): Problem =>
  signInProblem(
    { agentName: "Robo", signInMethods: signInMethods(methods, { command: "robo", args: [] }) },
    { sentence, variables },
  );
const key = { id: "k", type: "env_var", name: "Use a key", vars: [{ name: "ROBO_KEY" }] };

describe("the problem of an agent that requires a sign-in", () => {
  it("offers each method by its name, with its description", () => {
    const { message, signIn } = problem([
      { id: "a", name: "Log in", description: "Opens the browser" },
      { id: "b" },
      key,
    ]);
    assert.equal(message, "Robo needs you to sign in.");
    assert.deepEqual(signIn, [
      { id: "a", name: "Log in", description: "Opens the browser" },
      { id: "b", name: "b" },
      { id: "k", name: "Use a key" },
    ]);
  });

  it("does not propose to set a variable that chooses programs", () => {
    const { message, next } = problem([], "No key", ["LD_PRELOAD", "NODE_OPTIONS"]);
    assert.doesNotMatch(message, /LD_PRELOAD|NODE_OPTIONS/);
    assert.ok(!next.includes("openSettings"));
  });

  it("says what to do without methods, and names variables that no method asks for", () => {
    assert.match(problem([]).message, /Sign in with its command-line program, then restart the agent here\./);
    assert.match(
      problem([], "No key", ["ROBO_KEY"]).message,
      /sign in\. Set ROBO_KEY in the agent's `env` in Settings/,
    );
    assert.equal(problem([key], "No key", ["ROBO_KEY"]).message, "Robo needs you to sign in.");
    const other = problem([key], "No key", ["OTHER_KEY"]);
    assert.match(other.message, /Or set OTHER_KEY in the agent's `env`/);
    assert.ok(other.next.includes("openSettings"));
  });

  it("keeps the agent's words, except the title of the error code", () => {
    assert.equal(problem([], "Your key has expired").detail, "Your key has expired");
    assert.equal(problem([]).detail, undefined);
  });

  it("tolerates methods of the wrong shape", () => {
    assert.deepEqual(
      problem([{ type: "terminal", args: 7 }, { id: 7 }, { id: "x", type: "env_var", vars: 3 }]).signIn,
      [],
    );
  });
});
