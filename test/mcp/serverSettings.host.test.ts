// Where MCP servers are configured: the user's setting, agents, and the file of the workspace, which Parley follows. And
// the command that copies servers into the user's setting.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { nullLog } from "../../src/base/log.ts";
import { updateUserSetting, userSetting } from "../../src/editor/userSettings.ts";
import { importServers } from "../../src/mcp/vscode/importServers.ts";
import { ServerSettings } from "../../src/mcp/vscode/serverSettings.ts";
import { readSettings } from "../../src/window/settings.ts";
import { until } from "../support/fakes/until.ts";

const run = (...args: readonly string[]): object => ({ command: "run", args });

describe("the configured MCP servers", () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  assert.ok(folder);
  const file = vscode.Uri.joinPath(folder, ".vscode", "mcp.json");
  const write = (text: string): Thenable<void> => vscode.workspace.fs.writeFile(file, Buffer.from(text));
  const context = { asAbsolutePath: (path: string) => path } as vscode.ExtensionContext;
  const agent = { id: "a", mcpServers: { own: run(), wrong: 7 } } as unknown as AgentDefinition;

  it("follow the setting of the user and the file of the workspace, and say what is wrong in each", async () => {
    const settings = new ServerSettings(nullLog);
    const names = (): string =>
      settings
        .servers(agent)
        .map(({ name }) => name)
        .join();
    let changes = 0;
    settings.onDidChange(() => changes++);
    try {
      await settings.whenRead();
      assert.equal(names(), "own");
      const before = changes;
      await updateUserSetting("mcpServers", { mine: run(), empty: {} });
      await until(() => changes > before);
      assert.equal(names(), "own,mine");
      const inSettings = 'The MCP server "empty" in parley.mcpServers has neither a command nor a url.';
      assert.ok(readSettings(context).bad.some(({ id, reason }) => id === "mcpServers" && reason === inSettings));

      await write(
        '{\n  // As VS Code writes it.\n  "servers": { "local": { "command": "run" }, "broken": { "type": "stdio" }, },\n}',
      );
      await until(() => names() === "own,mine,local");
      assert.deepEqual(settings.workspaceProblems, [
        'The MCP server "broken" in .vscode/mcp.json has no command. Name the program that starts it.',
      ]);
      const local = settings.servers(undefined).find(({ name }) => name === "local");
      assert.deepEqual([local?.source, local?.folder], ["workspace", folder.fsPath]);
      assert.ok(settings.workspaceFiles.includes(file.fsPath));
      // A server of the workspace does not take the place of another one.
      await write(JSON.stringify({ servers: { mine: run("--other") } }));
      await until(() => names() === "own,mine,mine 2");
      await write("{ no JSON");
      await until(() => names() === "own,mine");
      assert.match(settings.workspaceProblems[0] ?? "", /^\.vscode\/mcp\.json is not valid JSON: /);
      await vscode.workspace.fs.delete(file);
      await until(() => settings.workspaceProblems.length === 0);
    } finally {
      settings.dispose();
      await updateUserSetting("mcpServers", undefined);
      await vscode.workspace.fs.delete(file).then(undefined, () => {
        // The test has deleted it.
      });
    }
  });
});

describe("Import MCP Servers", () => {
  const { showQuickPick, showOpenDialog, showInformationMessage } = vscode.window;
  const { getConfiguration } = vscode.workspace;
  const folder = mkdtempSync(join(tmpdir(), "parley-import-"));
  const context = {
    globalStorageUri: vscode.Uri.file(join(folder, "user", "globalStorage", "parley.parley")),
  } as vscode.ExtensionContext;
  const claude = vscode.Uri.file(join(folder, "claude.json"));
  const shown: vscode.QuickPickItem[][] = [];
  const messages: string[] = [];
  /** The place that the user picks. */
  let place = "";

  before(async () => {
    const ofEditor = {
      inputs: [{ id: "key", description: "Key", password: true }],
      servers: { editors: run("${input:key}") },
    };
    const withEditor = (section?: string, scope?: vscode.ConfigurationScope): unknown =>
      section === ""
        ? { inspect: (key: string) => ({ key, globalValue: key === "mcp" ? ofEditor : undefined }) }
        : getConfiguration(section, scope);
    Object.assign(vscode.workspace, { getConfiguration: withEditor });
    Object.assign(vscode.window, {
      // The user confirms what is selected.
      showQuickPick: (items: vscode.QuickPickItem[], options: vscode.QuickPickOptions) => {
        shown.push(items);
        const picked = options.canPickMany
          ? items.filter(item => item.picked)
          : items.find(({ label }) => label === place);
        return Promise.resolve(picked);
      },
      showOpenDialog: () => Promise.resolve([claude]),
      showInformationMessage: (message: string) => Promise.resolve(void messages.push(message)),
    });
    await updateUserSetting("mcpServers", { mine: run() });
  });
  after(async () => {
    await updateUserSetting("mcpServers", undefined);
    Object.assign(vscode.workspace, { getConfiguration });
    Object.assign(vscode.window, { showQuickPick, showOpenDialog, showInformationMessage });
    rmSync(folder, { recursive: true, force: true });
  });

  it("copies servers of VS Code's setting and of a file into the user's setting, with their inputs", async () => {
    place = "From VS Code";
    await importServers(context);
    assert.equal(shown[0]?.find(({ label }) => label === place)?.description, "editors");
    assert.equal(shown[1]?.[0]?.detail, "run '${input:key}'");
    assert.deepEqual(messages, ["Imported 1 MCP server."]);
    const editors = {
      ...{ type: "stdio", command: "run", args: ["${input:key}"], env: {} },
      inputs: [{ id: "key", description: "Key", password: true }],
    };
    assert.deepEqual(userSetting("mcpServers"), { mine: run(), editors });

    const servers = { filed: run("filed"), mine: run("replaced"), broken: {} };
    writeFileSync(claude.fsPath, `{ "mcpServers": ${JSON.stringify(servers)}, // with a comment\n}`);
    place = "From a File…";
    await importServers(context);
    // A server that the user has is not selected.
    assert.deepEqual(
      shown[3]?.map(({ label, description, picked }) => [label, description, picked]),
      [
        ["filed", "", true],
        ["mine", "replaces yours", false],
      ],
    );
    assert.match(messages[1] ?? "", /^Imported 1 MCP server\. The MCP server "broken" in .+claude\.json has neither/);
    const filed = { type: "stdio", command: "run", args: ["filed"], env: {} };
    assert.deepEqual(userSetting("mcpServers"), { mine: run(), editors, filed });
  });
});
