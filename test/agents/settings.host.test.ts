// The agents of the settings in a running VS Code: changes, workspaces, last choices, and the import from Zed.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { replaceUserAgent, setAgentProtocol, updateUserAgents } from "../../src/agents/vscode/agentSettings.ts";
import { definitionToStart } from "../../src/agents/vscode/definitionToStart.ts";
import { importZedAgents } from "../../src/agents/vscode/importZedAgents.ts";
import { nullLog } from "../../src/base/log.ts";
import type { SessionOption } from "../../src/session/events.ts";
import { readSettings, SettingsReader } from "../../src/window/settings.ts";
import { until } from "../support/fakes/until.ts";
import { WindowBench } from "../support/host/windowBench.ts";

const context = { asAbsolutePath: (path: string) => path } as vscode.ExtensionContext;
const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("parley");
const setAgents = (value: unknown, target = vscode.ConfigurationTarget.Global): Thenable<void> =>
  settings().update("agents", value, target);
const ids = (): readonly string[] => readSettings(context).agents.map(({ id }) => id);

describe("the agents of the settings", () => {
  afterEach(() => setAgents(undefined));

  it("are not changed by a workspace that sets parley.agents", async () => {
    const before = readSettings(context);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder, ".vscode", "settings.json");
    const evil = {
      demo: { command: "/bin/evil" },
      evil: { command: "/bin/evil", icon: "bug", defaults: { a: "b" } },
      far: { url: "wss://evil.example.org/acp", sameFolder: true },
      goose: { url: "wss://evil.example.org/acp" },
    };
    await vscode.workspace.fs.writeFile(
      file,
      Buffer.from(JSON.stringify({ "parley.agents": evil, "parley.files.sensitive": ["**/read/**"] })),
    );
    try {
      // This setting shows that VS Code has read the file.
      await until(() => readSettings(context).sensitive.includes("**/read/**"));
      const { agents, bad } = readSettings(context);
      assert.deepEqual([agents, bad], [before.agents, []]);
    } finally {
      await vscode.workspace.fs.delete(file);
      await until(() => readSettings(context).sensitive.length === 0);
    }
  });

  it("change without a reload of the window", async () => {
    const reader = new SettingsReader(context, nullLog);
    let changes = 0;
    const listener = reader.onDidChange(() => changes++);
    assert.ok(!reader.read().agents.some(({ id }) => id === "mine"));
    await setAgents({ mine: { command: "mine", icon: "rocket" } });
    await until(() => changes > 0);
    assert.equal(reader.read().agents.find(({ id }) => id === "mine")?.icon, "rocket");
    listener.dispose();
    reader.dispose();
  });

  it("speak the version that is set for one of them once the call has returned, and keep everything else", async () => {
    await setAgents({ mine: { command: "mine", args: ["--acp"] }, demo: false });
    await setAgentProtocol("mine", "2");
    assert.deepEqual(settings().inspect("agents")?.globalValue, {
      mine: { command: "mine", args: ["--acp"], protocol: "2" },
      demo: false,
    });
  });

  it("are all kept when several are changed at the same time", async () => {
    await setAgents({ mine: { command: "mine" }, other: { command: "other" } });
    await Promise.all([
      replaceUserAgent("one", { command: "one" }),
      replaceUserAgent("two", { command: "two" }),
      setAgentProtocol("mine", "2"),
      replaceUserAgent("other", undefined),
      updateUserAgents({ three: { command: "three" } }),
    ]);
    assert.deepEqual(settings().inspect("agents")?.globalValue, {
      mine: { command: "mine", protocol: "2" },
      one: { command: "one" },
      two: { command: "two" },
      three: { command: "three" },
    });
  });

  it("start with the values of their variables and the stored keys, which precede the setting", async () => {
    await setAgents({
      mine: {
        command: "mine",
        args: ["${env:HOME}"],
        env: { A: "${env:PARLEY_NOT_SET}", B: "b" },
        cwd: "${workspaceFolder}",
        icon: "rocket",
      },
    });
    const mine = readSettings(context).agents.find(({ id }) => id === "mine");
    assert.ok(mine);
    const start = await definitionToStart(
      mine,
      { values: () => Promise.resolve({ A: "key ${env:X}" }) },
      hostEnvironment,
    );
    assert.deepEqual(start.args, [process.env["HOME"]]);
    assert.deepEqual(start.env, { A: "key ${env:X}", B: "b" });
    assert.equal(start.cwd, vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
    assert.ok(!("icon" in start), "An icon must not restart the agent.");
    await assert.rejects(
      definitionToStart(mine, { values: () => Promise.resolve({}) }, hostEnvironment),
      /PARLEY_NOT_SET/,
    );
  });
});

describe("the options that the user chose last", () => {
  let bench: WindowBench;
  const mode: SessionOption = {
    id: "mode",
    name: "Mode",
    category: "mode",
    type: "select",
    value: "ask",
    choices: ["ask", "plan", "yolo"].map(value => ({ value, name: value })),
  };
  beforeEach(() => {
    bench = new WindowBench();
    bench.agent.options = [mode];
  });
  afterEach(() => bench.dispose());

  const startReady = async (agent: string): Promise<void> => {
    bench.sessions.start(agent);
    await until(() => bench.active.state.connection?.state === "ready");
    await until(() => bench.active.state.choices.every(({ status }) => status === "set"));
  };
  const setOption = (id: string, chosen: string): Promise<void> => {
    const { session } = bench.active;
    assert.ok(session);
    return bench.windowAgents.setOption(session, id, chosen);
  };
  const value = (): unknown => bench.active.state.options[0]?.value;

  it("are those of the next session of the same agent only", async () => {
    await startReady("stub");
    await setOption("mode", "plan");
    await startReady("other");
    assert.equal(value(), "ask");
    await startReady("stub");
    assert.equal(value(), "plan");
  });

  it("are not reused if they approve everything", async () => {
    await startReady("stub");
    await setOption("mode", "plan");
    await setOption("mode", "yolo");
    assert.equal(value(), "yolo");
    await startReady("stub");
    assert.equal(value(), "ask");
  });

  it("yield to the defaults of the settings", async () => {
    await startReady("stub");
    await setOption("mode", "plan");
    bench.agents = bench.agents.map((agent): AgentDefinition => ({ ...agent, defaults: { mode: "yolo" } }));
    await startReady("stub");
    assert.equal(value(), "yolo");
  });
});

describe("importing agents from Zed", () => {
  type Pick = vscode.QuickPickItem & { readonly picked?: boolean };
  const { showQuickPick, showInformationMessage } = vscode.window;
  let folder: string;
  let shown: readonly Pick[];
  let messages: string[];
  /** What the user selects. */
  let select: (items: readonly Pick[]) => readonly Pick[] | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-zed-"));
    shown = [];
    messages = [];
    select = items => items.filter(({ picked }) => picked);
    Object.assign(vscode.window, {
      showQuickPick: (items: readonly Pick[]) => Promise.resolve(select((shown = items))),
      showInformationMessage: (message: string) => Promise.resolve(void messages.push(message)),
    });
  });
  afterEach(async () => {
    Object.assign(vscode.window, { showQuickPick, showInformationMessage });
    rmSync(folder, { recursive: true, force: true });
    await setAgents(undefined);
  });

  async function importText(text: string): Promise<void> {
    const file = join(folder, "settings.json");
    writeFileSync(file, text);
    await importZedAgents(file, readSettings(context).agents);
  }
  const own = (): unknown => settings().inspect("agents")?.globalValue;
  const zed = `{ "agent_servers": { // mine
    "New One": { "command": "new", "args": ["--token=abcdef123456"], "env": { "KEY": "s3cret" } },
    "mine": { "command": "from-zed" },
    "gemini": { "command": "gemini" },
  } }`;

  it("shows each agent without secrets, and replaces none that the user does not select", async () => {
    await setAgents({ mine: { command: "mine", icon: "rocket" } });
    await importText(zed);
    assert.deepEqual(
      shown.map(({ label, description, detail, picked }) => ({ label, description, detail, picked })),
      [
        { label: "New One", description: "new-one", detail: "new --token=••• — KEY", picked: true },
        { label: "mine", description: "replaces the command of your agent mine", detail: "from-zed", picked: false },
        { label: "gemini", description: "replaces the command of your agent gemini", detail: "gemini", picked: false },
      ],
    );
    assert.deepEqual(own(), {
      mine: { command: "mine", icon: "rocket" },
      "new-one": { name: "New One", command: "new", args: ["--token=abcdef123456"], env: { KEY: "s3cret" } },
    });
    assert.deepEqual(messages, ["Added to the agents: New One."]);
    assert.ok(ids().includes("new-one"));
  });

  it("replaces an agent that the user selects, and keeps what Zed does not know", async () => {
    await setAgents({ mine: { command: "mine", icon: "rocket" } });
    select = items => items.filter(({ label }) => label === "mine");
    await importText(zed);
    assert.deepEqual(own(), { mine: { name: "mine", command: "from-zed", args: [], icon: "rocket" } });
  });

  it("shows hostile names in one line, shortens long commands, and takes no agent for one that exists", async () => {
    const agents = {
      "Gemini CLI": { command: "sh", args: ["-c", `first${"xy".repeat(2500)}last`] },
      "a\n\u202eb": { command: "run", args: ["one\ntwo", `${" ".repeat(99)}end`] },
      constructor: { command: "run" },
      ["n".repeat(5000)]: { command: "run" },
    };
    await importText(JSON.stringify({ agent_servers: agents }));
    assert.deepEqual(
      shown.map(({ label, description }) => [label, description]),
      [
        ["Gemini CLI (Zed)", "gemini-cli"],
        ["a [U+202E]b", "a-b"],
        ["constructor", "constructor"],
        [`${"n".repeat(59)}…`, "n".repeat(60)],
      ],
    );
    assert.match(shown[0]?.detail ?? "", /^sh -c first[xy]+ … \[\d+\] … [xy]+last$/);
    assert.ok((shown[0]?.detail ?? "").length < 350);
    assert.equal(shown[1]?.detail, "run 'one⏎two' '[99 blanks]end'");
    assert.ok(ids().includes("constructor"));
  });

  it("changes nothing if the user selects nothing, and says so if there is nothing new", async () => {
    select = () => undefined;
    await importText(zed);
    assert.equal(own(), undefined);
    select = items => items;
    await importText(zed);
    await importText(zed);
    assert.match(messages.at(-1) ?? "", /in parley\.agents already/);
    await importText("{}");
    assert.equal(messages.at(-1), "Zed's settings contain no agents.");
    await assert.rejects(importText("{"), /The settings of Zed could not be read: .*settings\.json/);
  });
});
