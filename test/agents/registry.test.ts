// The available agents: presets, user-defined agents, and invalid entries.
import assert from "node:assert/strict";
import { agentPresets, resolveAgents, type AgentDefinition } from "../../src/agents/registry.ts";

const demo: AgentDefinition = {
  id: "demo",
  name: "Demo Agent",
  command: "node",
  args: [],
  env: {},
  missingFiles: "error",
  startTimeout: 30,
};
const ids = (setting: unknown): readonly string[] => resolveAgents([demo], setting).agents.map(agent => agent.id);
const agent = (setting: unknown, id: string): AgentDefinition | undefined =>
  resolveAgents([demo], setting).agents.find(each => each.id === id);

describe("the available agents", () => {
  it("are the demo and the presets by default", () => {
    assert.deepEqual(ids({}), ["demo", ...agentPresets.map(preset => preset.id)]);
    assert.deepEqual(ids(undefined), ids({}));
    assert.deepEqual(ids("nonsense"), ids({}));
  });

  it("include the user's agents between the demo and the presets", () => {
    assert.deepEqual(ids({ mine: { command: "my-agent" } }).slice(0, 2), ["demo", "mine"]);
  });

  it("are changed field by field, and a new command does not keep the previous command's arguments", () => {
    assert.deepEqual(agent({ gemini: { name: "Gem" } }, "gemini")?.args, [
      "--yes",
      "@google/gemini-cli@0.61.0",
      "--acp",
    ]);
    assert.equal(agent({ gemini: { name: "Gem" } }, "gemini")?.name, "Gem");
    assert.deepEqual(agent({ gemini: { command: "gemini" } }, "gemini")?.args, []);
    assert.equal(agent({ gemini: { command: "gemini" } }, "gemini")?.missingFiles, "empty");
    // In its plan mode, it reads its plan before each request to the model, also if there is none yet.
    assert.equal(agent({ kimi: { command: "kimi" } }, "kimi")?.missingFiles, "empty");
    assert.deepEqual(agent({ mine: { command: "a", env: { A: "1" } } }, "mine")?.env, { A: "1" });
  });

  it("have the icon and the defaults of the setting", () => {
    const { icon, defaults } = agent({ gemini: { icon: "rocket", defaults: { mode: "plan", fast: true } } }, "gemini")!;
    assert.deepEqual({ icon, defaults }, { icon: "rocket", defaults: { mode: "plan", fast: true } });
  });

  it("are hidden by false", () => {
    assert.ok(!ids({ codex: false }).includes("codex"));
  });

  it("run npx without prompts and with pinned versions", () => {
    for (const preset of agentPresets.filter(each => each.command === "npx")) {
      assert.equal(preset.args[0], "--yes", preset.id);
      assert.match(preset.args[1] ?? "", /@\d+\.\d+\.\d+$/, preset.id);
    }
  });

  it("each have an icon of their own, and words for people: no package, path or version", () => {
    const { agents } = resolveAgents([], {});
    const icons = agents.map(({ icon }) => icon);
    assert.ok(icons.every(icon => icon !== undefined));
    assert.equal(new Set(icons).size, icons.length, icons.join(", "));
    for (const { id, name, description = "" } of agents) {
      assert.match(description, /^[A-Z][\w -]+$/, id);
      assert.doesNotMatch(`${name} ${description}`, /[@/]|\d+\.\d/, id);
    }
  });

  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ["no command", {}, /has neither a command nor a url/],
    ["a command of the wrong type", { command: 7 }, /command that is not a string/],
    ["an empty command", { command: " " }, /command that is not a string/],
    ["arguments that are no list", { command: "a", args: "--acp" }, /args that are not a list/],
    ["arguments that are no texts", { command: "a", args: [1] }, /args that are not a list/],
    ["an environment of numbers", { command: "a", env: { A: 1 } }, /env whose values/],
    ["a folder that is no text", { command: "a", cwd: 1 }, /cwd that is not a string/],
    ["an unknown answer for missing files", { command: "a", missingFiles: "maybe" }, /missingFiles/],
    ["unknown tools of the editor", { command: "a", editorTools: "write" }, /editorTools/],
    ["an invalid timeout", { command: "a", startTimeout: -1 }, /startTimeout/],
    ["an icon that is not a name", { command: "a", icon: "$(rocket)" }, /icon/],
    ["defaults of numbers", { command: "a", defaults: { effort: 3 } }, /defaults whose values/],
    ["a string instead of an object", "a", /must be an object/],
  ];
  for (const [what, value, reason] of wrong) {
    it(`exclude an entry with ${what} and give the reason`, () => {
      const { agents, bad } = resolveAgents([demo], { mine: value });
      assert.equal(bad.length, 1);
      assert.match(bad[0]?.reason ?? "", reason);
      assert.ok(!agents.some(each => each.id === "mine"));
    });
  }
});
