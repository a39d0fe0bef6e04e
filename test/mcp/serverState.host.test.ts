// What Parley keeps of MCP servers: values that the user entered, and which servers are off in which session.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { unwrapped } from "../../src/base/secrets/secret.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { askInput } from "../../src/mcp/vscode/askInput.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import type { AgentInfo } from "../../src/session/agent.ts";
import type { McpPrompt, ServerVerdict } from "../../src/mcp/promptServer.ts";
import type { McpServer } from "../../src/mcp/servers.ts";
import { serverKey } from "../../src/mcp/storedConsent.ts";
import type { ServerConsents } from "../../src/mcp/serverConsents.ts";
import { PromptServers } from "../../src/mcp/promptServers.ts";
import { ServerInputs } from "../../src/mcp/serverInputs.ts";
import type { ServerLauncher } from "../../src/mcp/serverLauncher.ts";
import { ServerVerdicts } from "../../src/mcp/serverVerdicts.ts";
import { SessionServers } from "../../src/mcp/sessionServers.ts";

const stored = new Map<string, unknown>();
const memento = {
  get: (key: string, otherwise: unknown) => stored.get(key) ?? otherwise,
  update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
} as unknown as vscode.ExtensionContext["globalState"];
const secretValues = new Map<string, string>();
const secrets = {
  get: (key: string) => Promise.resolve(secretValues.get(key)),
  store: (key: string, value: string) => Promise.resolve(void secretValues.set(key, value)),
  delete: (key: string) => Promise.resolve(void secretValues.delete(key)),
} as unknown as vscode.SecretStorage;

const server = (name: string): McpServer => ({
  ...{ name, source: "user", type: "stdio", command: "run", args: [] },
  env: { KEY: "${input:key}" },
  inputs: [{ id: "key", secret: true }],
});

describe("the values that MCP servers need", () => {
  const { showInputBox } = vscode.window;
  const asked: (string | undefined)[] = [];
  let open = 0;
  beforeEach(() => {
    stored.clear();
    secretValues.clear();
    asked.length = 0;
    Object.assign(vscode.window, {
      showInputBox: async ({ title, password }: vscode.InputBoxOptions) => {
        assert.equal(++open, 1, "VS Code shows one input at a time");
        assert.equal(password, true);
        asked.push(title);
        await Promise.resolve();
        open--;
        return "entered";
      },
    });
  });
  afterEach(() => Object.assign(vscode.window, { showInputBox }));

  it("are asked once if several sessions need them at the same time, and one server after the other", async () => {
    const inputs = new ServerInputs({ secrets, states: { globalState: memento }, ask: askInput });
    const all = await Promise.all([
      inputs.values(server("a"), true),
      inputs.values(server("a"), true),
      inputs.values(server("b"), true),
    ]);
    assert.deepEqual(
      all.map(values => unwrapped(values?.get("key") ?? "")),
      ["entered", "entered", "entered"],
    );
    assert.deepEqual(asked, ["MCP Server “a”", "MCP Server “b”"]);
    await inputs.values(server("a"), true);
    assert.equal(asked.length, 2);
  });

  it("belong to one definition, and are removed with its name", async () => {
    const inputs = new ServerInputs({ secrets, states: { globalState: memento }, ask: askInput });
    await inputs.values(server("a"), true);
    assert.equal(await inputs.values({ ...server("a"), args: ["--other"] } as McpServer, false), undefined);
    assert.deepEqual(inputs.names, { [serverKey(server("a"))]: { name: "a", ids: ["key"] } });
    await inputs.forget(serverKey(server("a")));
    assert.equal(await inputs.values(server("a"), false), undefined);
    assert.deepEqual([inputs.names, secretValues.size], [{}, 0]);
  });
});

describe("what servers answered, in the global state", () => {
  const bytes = (key: string): number => Buffer.byteLength(JSON.stringify(stored.get(key) ?? null));
  beforeEach(() => stored.clear());

  it("has a limit in bytes for the list of prompts of a server and for all lists, and the newest stay", async () => {
    let list: readonly McpPrompt[] = [];
    const connected = {
      listPrompts: () => Promise.resolve({ prompts: list, isCut: false, skipped: 0 }),
      close: () => Promise.resolve(),
    };
    const servers = Array.from({ length: 60 }, (_, at) => server(`s${at}`));
    const prompts = new PromptServers({
      ...{ state: memento, settings: () => servers, sessions: () => [], onDidChange: () => {}, log: nullLog },
      consents: { has: () => true, ask: () => Promise.resolve(true) } as unknown as ServerConsents,
      launcher: {
        connect: (of: McpServer) => {
          const description = "ä".repeat(of.name === "s59" ? 50 : 2000);
          list = Array.from({ length: 1000 }, (_, at) => ({ name: `${of.name}-${at}`, description, arguments: [] }));
          if (of.name === "s58") list = [{ name: "huge", description: "x".repeat(10_000_000), arguments: [] }];
          return Promise.resolve(connected);
        },
      } as unknown as ServerLauncher,
      sessionServers: { isOn: () => true } as unknown as SessionServers,
      clock: systemClock,
      offerReview: () => Promise.resolve(false),
    });
    for (const each of servers) await prompts.set(undefined, each.name, "retry");
    const lists = stored.get("parley.mcp.prompts") as Readonly<Record<string, readonly McpPrompt[]>>;
    const key = (name: string): string => serverKey(server(name));
    assert.ok(bytes("parley.mcp.prompts") < 1_020_000, `${bytes("parley.mcp.prompts")} bytes`);
    assert.ok(Object.values(lists).every(each => Buffer.byteLength(JSON.stringify(each)) <= 128_000));
    assert.ok((lists[key("s59")] ?? []).length > 500);
    assert.deepEqual(lists[key("s58")], []);
    assert.deepEqual([lists[key("s57")]?.[0]?.name, lists[key("s0")]], ["s57-0", undefined]);
    await prompts.end();
  });

  it("has a limit in bytes for the ways in which servers speak", async () => {
    const verdicts = new ServerVerdicts({ globalState: memento });
    const verdict = (size: number): ServerVerdict => ({ kind: "modern", discover: { text: "x".repeat(size) } });
    await verdicts.keep(server("huge"), verdict(10_000_000));
    assert.equal(verdicts.of(server("huge")), undefined);
    for (let at = 0; at < 100; at++) await verdicts.keep(server(`s${at}`), verdict(10_000));
    assert.ok(bytes("parley.mcp.verdicts") < 260_000, `${bytes("parley.mcp.verdicts")} bytes`);
    assert.deepEqual(verdicts.of(server("s99")), verdict(10_000));
    assert.equal(verdicts.of(server("s0")), undefined);
  });
});

describe("MCP servers that are off in a session", () => {
  it("stay off however many sessions there are, until the session no longer exists", async () => {
    stored.clear();
    const existing = new Set<string>();
    const servers = new SessionServers({
      ...{ states: { globalState: memento, workspaceState: memento }, environment: hostEnvironment, log: nullLog },
      existing: () => Promise.resolve(existing),
      consents: {} as ServerConsents,
      launcher: {} as ServerLauncher,
    });
    const ids = Array.from({ length: 300 }, (_, at) => `session-${at}`);
    for (const id of ids) {
      existing.add(id);
      await servers.setOn(id, server("a"), false);
    }
    assert.ok(ids.every(id => !servers.isOn(id, server("a"))));
    for (const id of ids.slice(0, 250)) existing.delete(id);
    await servers.setOn("session-299", server("b"), false);
    assert.equal(Object.keys(stored.get("parley.mcp.off") ?? {}).length, 50);
    await servers.setOn("session-299", server("a"), true);
    await servers.setOn("session-299", server("b"), true);
    assert.equal(Object.keys(stored.get("parley.mcp.off") ?? {}).length, 49);
  });
});

describe("MCP servers that an agent does not get", () => {
  const launcher = {
    resolve: ({ name }: McpServer) =>
      name === "locked"
        ? Promise.reject(new Error("locked needs a value that was not entered."))
        : Promise.resolve({ type: "sse", url: `https://${name}.example`, headers: {} }),
  } as unknown as ServerLauncher;
  const window = (): SessionServers =>
    new SessionServers({
      ...{
        states: { globalState: memento, workspaceState: memento },
        environment: hostEnvironment,
        log: nullLog,
        launcher,
      },
      existing: () => Promise.resolve(new Set<string>()),
      consents: {} as ServerConsents,
    });
  const notice = async (servers: SessionServers, names: readonly string[], problems: readonly string[] = []) => {
    const agent = { mcpServers: { http: true, sse: false } } as AgentInfo;
    const options = { agent, agentName: "Agent", agentEnv: {}, workspaceFolder: "/w" };
    return (await servers.open("s", { servers: names.map(server), problems }, options)).notice;
  };

  it("are listed in one notice, and named once: for good if the agent cannot use them, else once in a window", async () => {
    stored.clear();
    const first = window();
    assert.equal(
      await notice(first, ["a", "locked"], [".vscode/mcp.json is not valid JSON."]),
      [
        "These MCP servers are left out:",
        "• “locked”: locked needs a value that was not entered.",
        "• “a”: Agent cannot use MCP servers of the type sse.",
        "• .vscode/mcp.json is not valid JSON.",
      ].join("\n"),
    );
    assert.equal(await notice(first, ["a", "locked"], [".vscode/mcp.json is not valid JSON."]), undefined);
    assert.equal(
      await notice(first, ["a", "b"]),
      "The MCP server “b” is left out. Agent cannot use MCP servers of the type sse.",
    );
    const long = await notice(window(), ["n".repeat(2_000_000)]);
    assert.match(long ?? "", /left out/);
    assert.ok(JSON.stringify(stored.get("parley.mcp.reported")).length < 2000, "a name that is too long is not kept");
    assert.equal(
      await notice(window(), ["a", "b", "locked"]),
      "The MCP server “locked” is left out. locked needs a value that was not entered.",
    );
  });
});
