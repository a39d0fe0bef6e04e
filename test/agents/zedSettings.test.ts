// The agents of Zed's settings: where the file is, and what it contains.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readZedAgents, withoutComments, zedSettingsFiles } from "../../src/agents/zedSettings.ts";

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
