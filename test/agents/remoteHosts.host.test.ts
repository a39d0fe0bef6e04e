// Agents on servers in the extension host: stored headers, and the proxy of VS Code.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import type { RemoteClientModule } from "../../src/agents/remote/remoteClient.ts";
import { agentHeaderCommands } from "../../src/agents/vscode/agentHeaders.ts";
import { definitionToStart } from "../../src/agents/vscode/definitionToStart.ts";
import { StoredKeys } from "../../src/agents/vscode/storedKeys.ts";
import { unwrappedValues } from "../../src/base/secrets/secret.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";

const project = vscode.extensions.getExtension("parley.parley")?.extensionPath ?? "";

const agent = (url: string, headers: Readonly<Record<string, string>> = {}): AgentDefinition => ({
  ...{ id: "team", name: "Team Agent", command: "", args: [], env: {}, missingFiles: "error", startTimeout: 5 },
  remote: { url, headers, sameFolder: false },
});

describe("the header of an agent on a server", () => {
  const secrets = new Map<string, string>();
  const states = new Map<string, unknown>();
  const keys = new StoredKeys({
    secrets: {
      get: (key: string) => Promise.resolve(secrets.get(key)),
      store: (key: string, value: string) => Promise.resolve(void secrets.set(key, value)),
      delete: (key: string) => Promise.resolve(void secrets.delete(key)),
    } as unknown as vscode.SecretStorage,
    globalState: {
      get: (key: string, usual: unknown) => states.get(key) ?? usual,
      update: (key: string, value: unknown) => Promise.resolve(void states.set(key, value)),
    } as unknown as vscode.Memento & { setKeysForSync(keys: readonly string[]): void },
  });
  const { showInputBox } = vscode.window;
  afterEach(() => {
    Object.assign(vscode.window, { showInputBox });
  });
  const headersOf = async (definition: AgentDefinition): Promise<Readonly<Record<string, string>>> =>
    unwrappedValues((await definitionToStart(definition, keys, hostEnvironment)).remote?.headers ?? {});

  it("is stored as a secret, sent to its server only, and precedes the setting", async () => {
    const team = agent("wss://agents.example.org/acp", { authorization: "old", "X-Team": "a" });
    const answers = ["Authorization", "Bearer tk-0123456789abcdef"];
    const asked: vscode.InputBoxOptions[] = [];
    Object.assign(vscode.window, {
      showInputBox: (options: vscode.InputBoxOptions) => {
        asked.push(options);
        return Promise.resolve(answers.shift());
      },
    });
    const stored: string[] = [];
    const command = agentHeaderCommands({
      ...{ keys, agents: () => [team], current: () => team },
      onStored: ({ id }) => Promise.resolve(void stored.push(id)),
    })["parley.setAgentHeader"];
    await command("current");
    assert.deepEqual(stored, ["team"]);
    assert.deepEqual([asked[0]?.password, asked[1]?.password], [undefined, true]);
    assert.match(asked[1]?.prompt ?? "", /Parley sends it only to agents\.example\.org\./);
    assert.deepEqual(await headersOf(team), { "X-Team": "a", Authorization: "Bearer tk-0123456789abcdef" });
    assert.deepEqual(await headersOf(agent("https://agents.example.org/other")), {
      Authorization: "Bearer tk-0123456789abcdef",
    });
    assert.deepEqual(await headersOf(agent("wss://evil.example.org/acp")), {});
    const { remote: _, ...program } = agent("wss://agents.example.org");
    assert.deepEqual((await definitionToStart({ ...program, command: "x" }, keys, hostEnvironment)).env, {});
  });

  it("is not stored if the user cancels or its name is none", async () => {
    secrets.clear();
    let validate: vscode.InputBoxOptions["validateInput"];
    Object.assign(vscode.window, {
      showInputBox: (options: vscode.InputBoxOptions) => {
        validate = options.validateInput;
        return Promise.resolve(undefined);
      },
    });
    const team = agent("wss://agents.example.org/acp");
    const options = { keys, agents: () => [team], current: () => undefined, onStored: () => assert.fail() };
    await agentHeaderCommands(options)["parley.setAgentHeader"]();
    assert.equal(secrets.size, 0);
    assert.match(String(await validate?.("Host")), /which Parley sets itself/);
    assert.match(String(await validate?.("A b")), /which is no name of a header/);
    assert.equal((await validate?.("X-Key")) ?? "", "");
  });
});

describe("a connection to a server", () => {
  const http = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("http");
  afterEach(() => http().update("proxy", undefined, vscode.ConfigurationTarget.Global));

  for (const scheme of ["wss", "https"]) {
    it(`goes through the proxy of VS Code: ${scheme}`, async () => {
      const targets: string[] = [];
      const proxy = createServer();
      proxy.on("connect", (request: IncomingMessage, socket) => {
        targets.push(request.url ?? "");
        socket.end("HTTP/1.1 502 No\r\n\r\n");
      });
      await new Promise<void>(resolve => proxy.listen(0, "127.0.0.1", resolve));
      await http().update(
        "proxy",
        `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
        vscode.ConfigurationTarget.Global,
      );
      const load = createRequire(join(project, "dist", "extension.js"));
      const { connectToAgent, newCookies } = load("./remote.js") as RemoteClientModule;
      const target = {
        url: `${scheme}://agents.invalid/acp`,
        headers: {},
        connectTimeout: 5000,
        cookies: newCookies(),
      };
      const streams = connectToAgent(target);
      streams.input.write('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n');
      assert.notEqual((await streams.whenEnded)?.kind, undefined);
      assert.deepEqual(targets, ["agents.invalid:443"]);
      proxy.close();
    });
  }
});
