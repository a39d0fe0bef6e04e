// Which programs of a sign-in the user must see first, and how they are shown.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import {
  isTooLong,
  programConcern,
  programKey,
  programTexts,
  refusedVariables,
  usesFilesOf,
  type ProgramConcern,
  type SignInProgram,
} from "../../src/agents/signInProgram.ts";

const definition = (command: string, args: readonly string[]): AgentDefinition => ({
  id: "a",
  name: "Agent",
  command,
  args,
  env: {},
  missingFiles: "error",
  startTimeout: 30,
});

const program = (
  agent: readonly [command: string, ...args: string[]],
  method: readonly [command: string, ...args: string[]],
  env: Readonly<Record<string, string>> = {},
): SignInProgram => {
  const [command, ...args] = method;
  const [own, ...ownArgs] = agent;
  return {
    method: { id: "m", name: "Log in", type: "terminal", command, args, env },
    agent: definition(own, ownArgs),
    cwd: "/start",
  };
};

const ordinary = ["npx", "--yes", "agent@1", "--acp"] as const;
const inSsh = ["ssh", "host"] as const;

const rows: readonly (readonly [what: string, program: SignInProgram, concern: ProgramConcern | undefined])[] = [
  ["the agent's program", program(ordinary, ordinary), undefined],
  ["the agent's program with further arguments", program(ordinary, [...ordinary, "--login"]), undefined],
  ["… and harmless variables", program(ordinary, [...ordinary, "--login"], { FLOW: "device" }), undefined],
  ["… and LD_PRELOAD", program(ordinary, [...ordinary, "--login"], { LD_PRELOAD: "/x.so" }), "variables"],
  ["… and DOCKER_HOST", program(ordinary, ordinary, { DOCKER_HOST: "tcp://x" }), "variables"],
  ["… and PATH", program(ordinary, ordinary, { PATH: "/tmp" }), "variables"],
  ["a shell", program(ordinary, ["/bin/sh", "-c", "x"]), "otherProgram"],
  ["a program of the same name elsewhere", program(ordinary, ["/tmp/npx", "--yes", "agent@1"]), "otherProgram"],
  ["other arguments before", program(ordinary, ["npx", "--call=x", ...ordinary.slice(1)]), "otherProgram"],
  ["fewer arguments", program(ordinary, ["npx", "--yes", "agent@1", "login"]), "otherProgram"],
  ["an argument of the agent replaced", program(ordinary, ["npx", "--yes", "evil@1", "--acp"]), "otherProgram"],
  ["the agent behind ssh", program(inSsh, inSsh), undefined],
  ["an option for ssh itself", program(inSsh, [...inSsh, "-oProxyCommand=x"]), "startsPrograms"],
  ["an option for ssh after env", program(["env", ...inSsh], ["env", ...inSsh, "-oProxyCommand=x"]), "startsPrograms"],
  [
    "an option for docker",
    program(["C:\\bin\\Docker.EXE", "run"], ["C:\\bin\\Docker.EXE", "run", "-v/:/host"]),
    "startsPrograms",
  ],
];

describe("the program of a sign-in", () => {
  for (const [what, one, concern] of rows)
    it(`${concern === undefined ? "runs without a question" : `is shown first (${concern})`}: ${what}`, () => {
      assert.equal(programConcern(one), concern);
    });

  const anyText = fc.oneof(fc.string(), fc.constantFrom(...ordinary, "/bin/sh", "-c", "ssh"));
  const anyProgram = fc
    .tuple(anyText, fc.array(anyText, { maxLength: 6 }), fc.dictionary(fc.stringMatching(/^\w+$/), fc.string()))
    .map(([command, args, env]) => program(ordinary, [command, ...args], env));

  it("runs without a question only if it begins as the agent in the settings does", () => {
    fc.assert(
      fc.property(anyProgram, one => {
        const { command, args } = one.method;
        const begins = command === "npx" && ordinary.slice(1).every((argument, i) => args[i] === argument);
        if (programConcern(one) === undefined) assert.ok(begins);
      }),
      { numRuns: 500 },
    );
  });

  it("has a key that differs for each other program", () => {
    const keyed = ({ method, cwd }: SignInProgram): unknown => [method.command, method.args, method.env, cwd];
    fc.assert(
      fc.property(anyProgram, anyProgram, (a, b) => {
        const isSame = JSON.stringify(keyed(a)) === JSON.stringify(keyed(b));
        if (!isSame && programKey(a) === programKey(b)) assert.deepEqual(keyed(a), keyed(b));
      }),
      { numRuns: 500 },
    );
    const one = program(ordinary, ["sh", "-c", "a b"]);
    for (const other of [
      program(ordinary, ["sh", "-c", "a", "b"]),
      program(ordinary, ["sh", "-c a b"]),
      program(ordinary, ["sh", "-c", "a b"], { A: "" }),
      { ...one, cwd: "/" },
    ])
      assert.notEqual(programKey(other), programKey(one));
  });

  it("is shown whole, in lines without invisible characters, or is too long", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 2000 }),
        fc.stringMatching(/^[a-z]{10}$/),
        fc.stringMatching(/^[a-z]{10}$/),
        (middle, head, tail) => {
          const one = program(ordinary, ["sh", "-c", `${middle}${head}${tail}${middle}`]);
          const texts = programTexts(one);
          const [, shown = ""] = texts.args;
          assert.doesNotMatch(shown, /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
          assert.ok(shown.includes(`${head}${tail}`), shown);
          assert.equal(isTooLong(one), [texts.program, ...texts.args, texts.cwd].join("").length > 2000);
        },
      ),
    );
  });

  it("is shown without the values that the settings put in the place of variables", () => {
    const resolved = { ...definition("agent", ["--key", "secret"]), argsInSettings: ["--key", "${env:KEY}"] };
    const method = { ...program(ordinary, ["agent", "--key", "secret", "login"]).method };
    assert.deepEqual(programTexts({ method, agent: resolved, cwd: "/" }).args, ["--key", "${env:KEY}", "login"]);
  });

  it("with more texts than a dialog shows is too long", () => {
    assert.ok(!isTooLong(program(ordinary, ["sh", ...Array<string>(40).fill("a")])));
    assert.ok(isTooLong(program(ordinary, ["sh", ...Array<string>(40).fill("a")], { A: "1" })));
    assert.ok(isTooLong(program(ordinary, ["sh", "-c", "ab".repeat(1000)])));
    assert.ok(isTooLong(program(ordinary, ["sh", "-c", "a".repeat(1_000_000)])));
    assert.ok(!isTooLong(program(ordinary, ["sh", "-c", "a".repeat(10_000)])));
  });

  it("is known to use files of an opened folder", () => {
    const folders = ["/srv/project"];
    for (const one of [
      program(ordinary, ["/srv/project/login.sh"]),
      program(ordinary, ["sh", "-c", ". /srv/project/login.sh"]),
      program(ordinary, ["node", "x.js"], { DATA: "/srv/project" }),
      { ...program(ordinary, ["./login.sh"]), cwd: "/srv/project" },
    ])
      assert.ok(usesFilesOf(one, folders));
    assert.ok(!usesFilesOf(program(ordinary, ["node", "x.js"]), folders));
  });

  it("by keys lists the variables that Parley does not ask for", () => {
    const variables = ["KEY", "PATH", "NODE_OPTIONS", "LD_PRELOAD"].map(name => ({
      name,
      label: "Key",
      secret: true,
      optional: false,
    }));
    const names = refusedVariables({ id: "m", name: "Key", type: "environment", variables });
    assert.deepEqual(names, ["PATH", "NODE_OPTIONS", "LD_PRELOAD"]);
  });
});
