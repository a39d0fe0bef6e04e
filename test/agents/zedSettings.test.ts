// The agents of Zed's settings: where the file is, and what it contains.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readZedAgents, withDistinctNames, withoutComments, zedSettingsFiles } from "../../src/agents/zedSettings.ts";

const settings = `// Zed settings
{
  "theme": "One Dark", /* a comment */
  "agent_servers": {
    "My Agent": {
      "type": "custom",
      "command": "/opt/my-agent", // its program
      "args": ["--acp", "https://example.org/*x*/",],
      "env": { "LOG": "// debug" },
      "default_config_options": { "effort": "high", "fast": true, "budget": 3 },
    },
    "my agent!": { "command": "other" },
    "claude-acp": { "type": "registry", "env": {} },
    "odd": { "command": "odd", "args": [1] },
  },
}
`;

describe("Zed's settings", () => {
  it("are read with their comments and trailing commas", () => {
    const { agents, skipped } = readZedAgents(settings);
    assert.deepEqual(agents, [
      {
        name: "My Agent",
        id: "my-agent",
        command: "/opt/my-agent",
        args: ["--acp", "https://example.org/*x*/"],
        env: { LOG: "// debug" },
        defaults: { effort: "high", fast: true },
      },
      { name: "my agent!", id: "my-agent-2", command: "other", args: [], env: {} },
    ]);
    assert.deepEqual(skipped, ["claude-acp", "odd"]);
  });

  it("contain no agents if the file is about other things", () => {
    for (const text of ["{}", "[]", "null", '{"agent_servers": 3}', '{"agent_servers": {"a": null}}'])
      assert.deepEqual(readZedAgents(text).agents, [], text);
  });

  it("are an error if they are not JSON", () => {
    assert.throws(() => readZedAgents('{"agent_servers": {'), SyntaxError);
    assert.throws(() => readZedAgents(""), SyntaxError);
  });

  it("are where each platform keeps them", () => {
    assert.deepEqual(zedSettingsFiles("darwin", { XDG_CONFIG_HOME: "/x" }, "/Users/me"), [
      "/Users/me/.config/zed/settings.json",
    ]);
    assert.deepEqual(zedSettingsFiles("linux", { XDG_CONFIG_HOME: "/x" }, "/home/me"), [
      "/x/zed/settings.json",
      "/home/me/.config/zed/settings.json",
      "/home/me/.var/app/dev.zed.Zed/config/zed/settings.json",
    ]);
    assert.deepEqual(zedSettingsFiles("win32", { APPDATA: "C:\\Roaming" }, "C:\\Users\\me"), [
      "C:\\Roaming\\Zed\\settings.json",
    ]);
  });

  const named = (...names: readonly string[]): string =>
    JSON.stringify({ agent_servers: Object.fromEntries(names.map(name => [name, { command: "run" }])) });

  it("have names of one visible line and of bounded length, and ids that are safe in a setting", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.constantFrom(
        "__proto__",
        "constructor",
        "a\nb",
        "x\u202ey",
        "[x](command:y)",
        "$(zap)",
        "n".repeat(9000),
        "\n",
        "—",
      ),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name), names => {
        const { agents } = readZedAgents(named(...names));
        assert.equal(agents.length, names.length);
        for (const agent of agents) {
          assert.ok(agent.name !== "" && Array.from(agent.name).length <= 60, agent.name);
          assert.doesNotMatch(agent.name, /[\p{Cc}\u2028\u2029\u200b\u202a-\u202e\u2066-\u2069]/u);
          assert.match(agent.id, /^[a-z0-9]+(?:-[a-z0-9]+)*$/);
          assert.ok(agent.id.length <= 70, agent.id);
        }
        assert.equal(new Set(agents.map(({ id }) => id)).size, agents.length);
      }),
    );
  });

  it("get names that no other agent has, unless they are the same agent", () => {
    const existing = [
      { id: "claude", name: "Claude Agent" },
      { id: "mine", name: "mine" },
    ];
    const { agents } = readZedAgents(named("Claude Agent", "CLAUDE  agent", "\uff23laude Agent", "mine", "new"));
    const distinct = withDistinctNames(agents, existing);
    assert.deepEqual(
      distinct.map(({ id, name }) => [id, name]),
      [
        ["claude-agent", "Claude Agent (Zed)"],
        ["claude-agent-2", "CLAUDE agent (Zed 2)"],
        ["laude-agent", "\uff23laude Agent (Zed 3)"],
        ["mine", "mine"],
        ["new", "new"],
      ],
    );
    assert.deepEqual(withDistinctNames(agents, [...existing, ...distinct]), distinct, "the same names again");
  });

  it("keep every text, whatever comments are between", () => {
    const comment = fc.constantFrom("", " ", '// " }\n', '/* " , ] */', "\n");
    fc.assert(
      fc.property(fc.jsonValue(), comment, (value, between) => {
        const text = JSON.stringify(value, null, 1).replace(/^(\s*)(?=\S)/gm, (_, space: string) => between + space);
        assert.deepEqual(JSON.parse(withoutComments(text)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
