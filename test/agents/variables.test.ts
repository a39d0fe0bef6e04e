// Variables in the settings of an agent: their values, and the sentence if there is none.
import assert from "node:assert/strict";
import { agentCommandLine } from "../../src/agents/launch.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { resolveAgentVariables, startsInWorkspace, type AgentVariableValues } from "../../src/agents/variables.ts";
import { asProblem } from "../../src/base/errors.ts";

const agent = (fields: Partial<AgentDefinition>): AgentDefinition => ({
  id: "mine",
  name: "Mine",
  command: "mine",
  args: [],
  env: {},
  missingFiles: "error",
  startTimeout: 60,
  ...fields,
});
const values: AgentVariableValues = { env: { A: "one", EMPTY: "" }, userHome: "/home/me", workspaceFolder: "/work" };
const problemOf = (definition: AgentDefinition, given = values): string => {
  try {
    resolveAgentVariables(definition, given);
  } catch (error) {
    return asProblem(error).message;
  }
  return "no problem";
};

describe("the variables of an agent", () => {
  it("have their values in args, env and cwd", () => {
    const resolved = resolveAgentVariables(
      agent({
        args: ["--key=${env:A}", "${userHome}/x", "${env:EMPTY}"],
        env: { B: "${env:A}-${env:A}" },
        cwd: "${userHome}/agents",
      }),
      values,
    );
    assert.deepEqual(resolved.args, ["--key=one", "/home/me/x", ""]);
    assert.deepEqual(resolved.env, { B: "one-one" });
    assert.equal(resolved.cwd, "/home/me/agents");
  });

  it("refuse the start if an environment variable is not set, and name it", () => {
    const message = (field: string): string =>
      `Could not start Mine: the environment variable NOT_SET, which parley.agents → ${field} uses, is not set. ` +
      "Set it and restart VS Code, or change the setting.";
    assert.equal(problemOf(agent({ args: ["${env:NOT_SET}"] })), message("args"));
    assert.equal(problemOf(agent({ env: { B: "${env:NOT_SET}" } })), message("env → B"));
    assert.equal(problemOf(agent({ cwd: "${env:NOT_SET}" })), message("cwd"));
  });

  it("include the workspace folder in cwd only", () => {
    const inFolder = agent({ cwd: "${workspaceFolder}/tools" });
    assert.equal(resolveAgentVariables(inFolder, values).cwd, "/work/tools");
    assert.ok(startsInWorkspace(inFolder) && !startsInWorkspace(agent({ cwd: "/work" })));
    assert.match(problemOf(agent({ args: ["${workspaceFolder}"] })), /parley.agents → args .* allowed in cwd only/);
    assert.match(problemOf(agent({ env: { B: "${workspaceFolder}" } })), /parley.agents → env → B .* in cwd only/);
    assert.match(problemOf(inFolder, { ...values, workspaceFolder: undefined }), /no folder is open\. Open a folder/);
  });

  it("leave other texts as they are, and insert values as they are", () => {
    const odd = { ...values, env: { A: "$& ${userHome} $1" } };
    const resolved = resolveAgentVariables(agent({ args: ["${PATH}", "$A", "${env:A}"] }), odd);
    assert.deepEqual(resolved.args, ["${PATH}", "$A", "$& ${userHome} $1"]);
  });

  it("are not replaced in the command line that is logged", () => {
    assert.equal(agentCommandLine(resolveAgentVariables(agent({ args: ["${env:A}"] }), values)), 'mine "${env:A}"');
  });
});
