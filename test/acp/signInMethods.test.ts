// The ways to sign in, in the shapes that agents send.
import assert from "node:assert/strict";
import { signInMethods } from "../../src/acp/signInMethods.ts";

const agent = { command: "/bin/agent", args: ["--fast", "--acp"] };
const base = { id: "m", name: "Sign in" };

const rows: readonly (readonly [what: string, method: unknown, read: unknown])[] = [
  ["a method without a type asks the agent", { ...base, description: "Why" }, { ...base, description: "Why", type: "agent" }], // prettier-ignore
  ["a method of type agent asks the agent", { ...base, type: "agent" }, { ...base, type: "agent" }],
  ["a method without a name has its id as name", { id: "m" }, { id: "m", name: "m", type: "agent" }],
  [
    "a terminal method appends its arguments to the agent's",
    { ...base, type: "terminal", args: ["login", 7, "a b; rm"], env: { A: "1", B: 2 } },
    {
      ...base,
      type: "terminal",
      command: "/bin/agent",
      args: ["--fast", "--acp", "login", "a b; rm"],
      env: { A: "1" },
    },
  ],
  [
    "a terminal method in `_meta` replaces the argument that starts the ACP agent",
    { ...base, _meta: { type: "terminal", args: ["login"] } },
    { ...base, type: "terminal", command: "/bin/agent", args: ["--fast", "login"], env: {} },
  ],
  [
    "a complete program in `_meta` precedes the other shapes",
    { ...base, type: "agent", _meta: { "terminal-auth": { command: "node", args: ["cli.js", "/login"], env: { A: "1" } } } }, // prettier-ignore
    { ...base, type: "terminal", command: "node", args: ["cli.js", "/login"], env: { A: "1" } },
  ],
  [
    "a terminal method of the specification precedes another program in `_meta`",
    { ...base, type: "terminal", args: ["login"], _meta: { "terminal-auth": { command: "/bin/sh", args: ["-c", "x"] } } }, // prettier-ignore
    { ...base, type: "terminal", command: "/bin/agent", args: ["--fast", "--acp", "login"], env: {} },
  ],
  [
    "a variable of a terminal whose name would set another one is left out",
    { ...base, type: "terminal", env: { "LD_PRELOAD=/tmp/x.so:": "1", "": "1", "A\0": "1", B: "2" } },
    { ...base, type: "terminal", command: "/bin/agent", args: ["--fast", "--acp"], env: { B: "2" } },
  ],
  [
    "variables are secret unless the agent denies it",
    { ...base, type: "env_var", vars: [{ name: "KEY" }, { name: "URL", label: "Address", secret: false, optional: true }] }, // prettier-ignore
    {
      ...base,
      type: "environment",
      variables: [
        { name: "KEY", label: "KEY", secret: true, optional: false },
        { name: "URL", label: "Address", secret: false, optional: true },
      ],
    },
  ],
  [
    "a variable with an impossible name is left out",
    { ...base, type: "env_var", vars: [{ name: "A=B" }, 7] },
    undefined,
  ],
  ["a method of an unknown type is left out", { ...base, type: "retina" }, undefined],
  ["a method without an id is left out", { name: "Sign in" }, undefined],
  ["a method that is no object is left out", "login", undefined],
];

describe("a way to sign in", () => {
  for (const [what, method, read] of rows) {
    it(what, () => {
      assert.deepEqual(signInMethods([method], agent), read === undefined ? [] : [read]);
    });
  }

  it("is offered once for each id, in the agent's order", () => {
    const ids = signInMethods([{ id: "b" }, { id: "a" }, { id: "b", type: "terminal" }], agent).map(({ id }) => id);
    assert.deepEqual(ids, ["b", "a"]);
  });

  it("leaves the arguments of the agent alone if they do not end with the one that starts ACP", () => {
    const program = { command: "x", args: ["acp", "--debug"] };
    const [read] = signInMethods([{ id: "m", _meta: { type: "terminal", args: ["login"] } }], program);
    assert.ok(read?.type === "terminal");
    assert.deepEqual(read.args, ["acp", "--debug", "login"]);
  });
});
