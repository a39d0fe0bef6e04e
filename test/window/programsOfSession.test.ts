// The contract of every program that a session starts: it has the PATH of the login shell and the proxy of VS Code's
// settings. Each program is a real process that writes its environment to a file.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkAgent } from "../../src/agents/checkAgent.ts";
import { locateAgent } from "../../src/agents/locateAgent.ts";
import { loginShellPath } from "../../src/agents/loginShellPath.ts";
import { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { signInDefinition, signInEnvironment } from "../../src/agents/signInProgram.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { readProxySettings, type ProxySettings } from "../../src/base/programEnvironment.ts";
import { WindowEnvironment } from "../../src/base/windowEnvironment.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import type { PromptServer } from "../../src/mcp/promptServer.ts";
import { ServerConsents } from "../../src/mcp/serverConsents.ts";
import { ServerInputs } from "../../src/mcp/serverInputs.ts";
import { ServerLauncher } from "../../src/mcp/serverLauncher.ts";
import { readServers, type McpServer } from "../../src/mcp/servers.ts";
import { SessionServers } from "../../src/mcp/sessionServers.ts";
import type { AgentInfo } from "../../src/session/agent.ts";
import { SessionTerminals } from "../../src/terminals/sessionTerminals.ts";
import { until } from "../support/fakes/until.ts";

type Variables = Readonly<Record<string, string>>;

const proxy = "http://me:walrus-17@proxy.example:8080";
const direct = "intern.example,localhost,127.0.0.1,::1";
const expected: Variables = {
  HTTP_PROXY: proxy,
  http_proxy: proxy,
  HTTPS_PROXY: proxy,
  https_proxy: proxy,
  NO_PROXY: direct,
  no_proxy: direct,
};

describe("the environment of a session's programs", function () {
  if (process.platform === "win32") return;
  let root: string;
  /** The only folder with the program, which the login shell adds to the PATH. */
  let tools: string;
  let host: Variables;
  let settings: ProxySettings;
  let environment: WindowEnvironment;

  beforeEach(async () => {
    root = await realpath(mkdtempSync(join(tmpdir(), "parley-programs-")));
    tools = join(root, "tools");
    mkdirSync(tools);
    mkdirSync(join(root, "start"));
    program(join(tools, "show-env"), [
      `#!${process.execPath}`,
      'const { writeFileSync, renameSync } = require("node:fs");',
      "const file = process.argv[2];",
      'writeFileSync(file + "~", JSON.stringify(process.env));',
      'renameSync(file + "~", file);',
    ]);
    program(join(root, "bash"), [
      "#!/bin/sh",
      `echo asked >> "${join(root, "asked")}"`,
      `PATH="${tools}:$PATH"`,
      'eval "$4"',
    ]);
    host = { PATH: "/usr/bin:/bin", HOME: root };
    settings = readProxySettings(proxy, ["intern.example"], "override");
    open();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function open(): void {
    environment = new WindowEnvironment({
      host,
      askShell: env => loginShellPath(env, { shell: join(root, "bash") }),
      proxy: () => settings,
    });
  }
  const program = (file: string, lines: readonly string[]): void => {
    writeFileSync(file, `${lines.join("\n")}\n`);
    chmodSync(file, 0o755);
  };
  let outputs = 0;
  const newOutput = (): string => join(root, `env${++outputs}`);
  const written = (file: string): Variables => JSON.parse(readFileSync(file, "utf8")) as Variables;
  const agent = (file: string, env: Variables = {}): AgentDefinition => ({
    ...{ id: "one", name: "One", command: "show-env", args: [file], env },
    ...{ missingFiles: "error", startTimeout: 20 },
  });

  /** The services for MCP servers, with one server of the user that writes its environment. */
  function servers(file: string, env: Variables) {
    const stored = new Map<string, unknown>();
    const memento = {
      get: <T>(key: string, otherwise: T): T => (stored.get(key) ?? otherwise) as T,
      update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
    };
    const states = { workspaceState: memento, globalState: memento } as never;
    const secrets = { get: () => Promise.resolve(undefined) } as never;
    const inputs = new ServerInputs({ secrets, states, ask: () => Promise.resolve(undefined) });
    const consents = new ServerConsents({
      states,
      ask: () => Promise.resolve(true),
      contentOf: () => Promise.resolve({ variables: {}, digests: new Map(), files: [] }),
    });
    const launcher = new ServerLauncher({
      ...{ states, inputs, consents, environment, log: nullLog, userHome: root, startFolder: join(root, "mcp") },
      version: "0",
      client: {
        connectToServer: async target => {
          if (target.type === "stdio") await target.start();
          await until(() => existsSync(file));
          return {
            listPrompts: () => Promise.resolve([]),
            close: () => Promise.resolve(),
            verdict: {},
          } as unknown as PromptServer;
        },
      },
      signIns: {
        credentials: () => ({ token: () => Promise.resolve(undefined), renew: () => Promise.resolve(false) }),
      },
      workspaceFolder: () => root,
      roots: () => [root],
      askForm: () => Promise.resolve("cancelled"),
    });
    const sessions = new SessionServers({
      ...{ states, consents, launcher, environment, log: nullLog },
      existing: () => Promise.resolve(new Set<string>()),
    });
    const entry = { command: "show-env", args: [file], env };
    const [server] = readServers({ local: entry }, "user", "f").servers as [McpServer];
    return { launcher, sessions, server };
  }

  /** Starts the program as each kind, with own variables, and resolves with what it got. */
  const kinds: Readonly<Record<string, (file: string, env?: Variables) => Promise<unknown>>> = {
    "an agent": async (file, env) => {
      const pool = new AgentPool(nullLog, systemClock, "0", join(root, "agents"), undefined, environment);
      try {
        await assert.rejects(pool.get(agent(file, env), () => {}));
      } finally {
        await pool.dispose();
      }
    },
    "an agent that is checked": (file, env) =>
      checkAgent(
        agent(file, env),
        {
          ...{ startFolder: join(root, "start"), workspaceFolder: root, clientVersion: "0", environment },
          ...{ clock: systemClock, log: nullLog, onOutput: () => {} },
        },
        new AbortController().signal,
      ),
    "a command of an agent": (file, env) => run({ command: "show-env", args: [file] }, env),
    "a command line of an agent": (file, env) => run({ command: `show-env "${file}"` }, env),
    "an MCP server of Parley": async (file, env = {}) => {
      const { launcher, server } = servers(file, env);
      const events = { onPromptsChanged: () => {}, onClosed: () => {} };
      await launcher.connect(server, events, new AbortController().signal);
    },
    // As the MCP SDK starts servers: with few variables of the agent, then those of the server.
    "an MCP server that an agent starts": async (file, env = {}) => {
      const { sessions, server } = servers(file, env);
      const info = { mcpServers: { http: false, sse: false } } as unknown as AgentInfo;
      const opened = { agent: info, agentName: "One", agentEnv: {}, workspaceFolder: root };
      const given = await sessions.open("s", { servers: [server], problems: [] }, opened);
      const [started] = given.servers;
      assert.ok(started?.type === "stdio", given.notice);
      const { PATH } = (await locateAgent(agent(file), environment)).env;
      await promisify(execFile)(started.command, [...started.args], { env: { PATH, ...started.env } });
    },
    // VS Code adds the variables to those of its own terminals.
    "a sign-in in a terminal": async (file, env = {}) => {
      const method = { type: "terminal", id: "t", name: "T", command: "show-env", args: [file], env } as const;
      const definition = signInDefinition({ method, agent: agent(file), cwd: root });
      const located = await locateAgent(definition, environment);
      const variables = signInEnvironment(definition, located.env, host);
      await promisify(execFile)(located.file, [...located.args], { env: withChanges(host, variables) });
    },
  };

  async function run(
    request: { readonly command: string; readonly args?: readonly string[] },
    env: Variables = {},
  ): Promise<void> {
    const confinement = new Confinement(nodePaths(), [root]);
    const terminals = new SessionTerminals({ confinement, workspaceFolder: root, environment, report: () => {} });
    try {
      const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
      const id = await terminals.createTerminal({ ...request, env: variables });
      await terminals.waitForTerminalExit(id, new AbortController().signal);
    } finally {
      await terminals.close();
    }
  }

  /** As VS Code applies the variables of a terminal. */
  const withChanges = (env: Variables, changes: Readonly<Record<string, string | null>>): Variables =>
    Object.fromEntries(
      Object.entries({ ...env, ...changes }).flatMap(([name, value]) =>
        value === null ? [] : [[name, value] as const],
      ),
    );

  for (const [kind, start] of Object.entries(kinds)) {
    const environmentOf = async (env?: Variables): Promise<Variables> => {
      const file = newOutput();
      await start(file, env);
      return written(file);
    };

    it(`has the PATH of the login shell and the proxy of the settings: ${kind}`, async () => {
      const env = await environmentOf();
      assert.equal(env["PATH"], `${tools}:/usr/bin:/bin`);
      for (const [name, value] of Object.entries(expected)) assert.equal(env[name], value, name);
    });

    it(`has the proxy of the user's environment, and its own before that: ${kind}`, async () => {
      host = { ...host, https_proxy: "http://of-user", HTTP_PROXY: "http://of-user" };
      open();
      const proxies = (env: Variables): readonly unknown[] =>
        ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].map(name => env[name]);
      assert.deepEqual(proxies(await environmentOf()), [undefined, "http://of-user", "http://of-user", undefined]);
      const own = await environmentOf({ HTTPS_PROXY: "http://own", http_proxy: "" });
      assert.deepEqual(proxies(own), ["http://own", undefined, undefined, ""]);
    });

    it(`has the proxy that is set when it starts: ${kind}`, async () => {
      assert.equal((await environmentOf())["https_proxy"], proxy);
      settings = readProxySettings("http://other:1", [], "override");
      assert.equal((await environmentOf())["https_proxy"], "http://other:1");
      settings = readProxySettings("http://other:1", [], "off");
      assert.equal((await environmentOf())["https_proxy"], undefined);
    });
  }

  it("is not given to an MCP server that an agent on another machine starts", async () => {
    const file = newOutput();
    const { sessions, server } = servers(file, { KEY: "x" });
    const agentOnServer = { agent: { mcpServers: { http: false, sse: false } } as unknown as AgentInfo, agentEnv: {} };
    const opened = { ...agentOnServer, agentName: "One", workspaceFolder: root };
    const open = async (sameFolder: boolean): Promise<unknown> => {
      const remote = { url: "wss://a.example", headers: {}, sameFolder };
      const definition = { id: "one", command: "", args: [], remote };
      return (await sessions.open("s", { servers: [server], problems: [] }, { ...opened, definition })).servers;
    };
    const started = { name: "local", type: "stdio", args: [file] };
    assert.deepEqual(await open(false), [{ ...started, command: "show-env", env: { KEY: "x" } }]);
    assert.deepEqual(await open(true), [
      { ...started, command: join(tools, "show-env"), env: { ...expected, KEY: "x" } },
    ]);
  });

  it("asks the login shell once, whatever starts", async () => {
    await Promise.all(Object.values(kinds).map(start => start(newOutput())));
    assert.equal(readFileSync(join(root, "asked"), "utf8"), "asked\n");
  });

  it("has the user's variables for terminals in commands, with the PATH that they extend", async () => {
    const file = newOutput();
    const terminals = new SessionTerminals({
      ...{ confinement: new Confinement(nodePaths(), [root]), workspaceFolder: root, environment, report: () => {} },
      changes: () => ({ PATH: "/own:${env:PATH}", HOME: null, HTTPS_PROXY: "http://of-terminals" }),
    });
    const id = await terminals.createTerminal({ command: "show-env", args: [file] });
    await terminals.waitForTerminalExit(id, new AbortController().signal);
    await terminals.close();
    const env = written(file);
    assert.deepEqual(
      [env["PATH"], env["HOME"], env["HTTPS_PROXY"], env["https_proxy"]],
      [`/own:${tools}:/usr/bin:/bin`, undefined, "http://of-terminals", undefined],
    );
  });

  it("leaves the proxy of an MCP server to an agent whose settings choose one", async () => {
    const { sessions, server } = servers(newOutput(), {});
    const info = { mcpServers: { http: false, sse: false } } as unknown as AgentInfo;
    const opened = { agent: info, agentName: "One", agentEnv: { https_proxy: "http://own" }, workspaceFolder: root };
    const { servers: given } = await sessions.open("s", { servers: [server], problems: [] }, opened);
    assert.deepEqual(given[0]?.type === "stdio" && Object.keys(given[0].env).sort(), [
      "HTTP_PROXY",
      "NO_PROXY",
      "http_proxy",
      "no_proxy",
    ]);
  });
});
