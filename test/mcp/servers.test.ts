// Definitions of MCP servers: settings and files, variables, and what an agent gets of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { serversForAgent } from "../../src/mcp/agentServers.ts";
import { consentQuestion } from "../../src/mcp/consentQuestion.ts";
import { parseJsonc } from "../../src/mcp/jsonc.ts";
import { missingProgramReason } from "../../src/mcp/missingProgram.ts";
import {
  mergeServers,
  readServerFile,
  readServers,
  serverFingerprint,
  serverSetting,
  type McpServer,
} from "../../src/mcp/servers.ts";
import { inputsOf, resolveVariables } from "../../src/mcp/serverVariables.ts";

const one = (entry: unknown, source: McpServer["source"] = "user"): McpServer => {
  const { servers, problems } = readServers({ it: entry }, source, "parley.mcpServers");
  assert.deepEqual(problems, []);
  return servers[0] as McpServer;
};

describe("definitions of MCP servers", () => {
  it("are read for each type, with the type that follows from the fields", () => {
    const { servers } = readServers(
      { a: { command: "npx", args: ["-y"] }, b: { url: "https://x.example/mcp" }, c: { type: "sse", url: "http://y" } },
      "user",
      "parley.mcpServers",
    );
    assert.deepEqual(
      servers.map(({ name, type }) => [name, type]),
      [
        ["a", "stdio"],
        ["b", "http"],
        ["c", "sse"],
      ],
    );
  });

  const faults: readonly (readonly [entry: unknown, problem: RegExp])[] = [
    [7, /must be an object/],
    [{}, /has neither a command nor a url/],
    [{ type: "stdio" }, /has no command/],
    [{ command: "x", url: "https://x" }, /has both a command and a url/],
    [{ command: "x", envFile: 1 }, /envFile that is not a string/],
    [{ command: "x", args: "y" }, /args that are not a list/],
    [{ command: "x", env: { A: 1 } }, /env whose values/],
    [{ command: "x", cwd: 1 }, /cwd that is not a string/],
    [{ url: "file:///etc/passwd" }, /begins with http/],
    [{ url: "javascript:alert(1)" }, /begins with http/],
    [{ url: "https://x", headers: { A: 1 } }, /headers whose values/],
    [{ url: "https://x", oauth: { clientId: 1 } }, /oauth that is not an object with a clientId/],
    [{ url: "https://x", oauth: { clientId: "a", callbackPort: 70_000 } }, /a part of another type/],
    [{ command: "x", args: ["y".repeat(200_001)] }, /has more than 200000 characters/],
    [{ type: "smoke" }, /none of "stdio", "http" and "sse"/],
  ];
  for (const [entry, problem] of faults) {
    it(`are refused with a reason: ${JSON.stringify(entry).slice(0, 60)}`, () => {
      const { servers, problems } = readServers({ it: entry }, "user", "parley.mcpServers");
      assert.deepEqual(servers, []);
      assert.match(problems[0] ?? "", problem);
    });
  }

  it("are read from files of VS Code and of other programs, with comments", () => {
    const text = `{
      // What VS Code writes.
      "inputs": [{ "id": "key", "type": "promptString", "description": "API key // really", "password": true },],
      "servers": { "a": { "command": "run", "env": { "KEY": "\${input:key}" } } }, /* end */
    }`;
    const { servers } = readServerFile(parseJsonc(text), "workspace", ".vscode/mcp.json");
    assert.deepEqual(servers[0]?.inputs, [{ id: "key", description: "API key // really", secret: true }]);
    assert.equal(readServerFile({ mcpServers: { b: { command: "x" } } }, "user", "f").servers[0]?.name, "b");
    assert.match(readServerFile({}, "user", "f").problems[0] ?? "", /neither servers nor mcpServers/);
  });

  it("survive the way into the setting and back", () => {
    const server = one({
      command: "run",
      args: ["${input:key}"],
      inputs: [{ id: "key", password: true, description: "Key" }],
    });
    assert.deepEqual(one(serverSetting(server)), server);
  });

  it("change their fingerprint with every field", () => {
    const base = { command: "run", args: ["a"], env: { A: "1" }, cwd: "/w" };
    const others = [{ args: ["b"] }, { env: { A: "2" } }, { cwd: "/x" }, { envFile: ".env" }];
    const prints = [{}, ...others].map(other => serverFingerprint(one({ ...base, ...other })));
    prints.push(serverFingerprint({ ...one(base), folder: "/other" }));
    assert.equal(new Set(prints).size, prints.length);
  });

  it("get distinct names, and a workspace cannot take the place of the user's server", () => {
    const own = one({ command: "own" });
    const other = one({ command: "evil" }, "workspace");
    const merged = mergeServers([own], [other]);
    assert.deepEqual(
      merged.map(({ name, source }) => [name, source]),
      [
        ["it", "user"],
        ["it 2", "workspace"],
      ],
    );
  });

  it("show a registered client before the first start, with its secret masked", () => {
    const oauth = { clientId: "my-client", clientSecret: "walrus-secret-4712", scope: "read", callbackPort: 7000 };
    const content = { variables: {}, digests: new Map(), files: [] };
    const { detail } = consentQuestion(one({ url: "https://x.example/mcp", oauth }), content, undefined, false);
    assert.deepEqual(
      detail.filter(line => line.startsWith("oauth.")),
      ["oauth.clientId=my-client", "oauth.clientSecret=•••", "oauth.scope=read", "oauth.callbackPort=7000"],
    );
  });
});

describe("variables of MCP servers", () => {
  const values = {
    workspaceFolder: "/w",
    userHome: "/home/me",
    env: { TOKEN: "t" },
    inputs: new Map([["key", "secret"]]),
  };

  it("are replaced in every text, once", () => {
    const server = one({
      command: "${userHome}/run",
      args: ["${workspaceFolder}/a", "${env:TOKEN}${env:NONE}"],
      env: { KEY: "${input:key}" },
      envFile: "${workspaceFolder}/.env",
    });
    assert.deepEqual(resolveVariables(server, values), {
      type: "stdio",
      command: "/home/me/run",
      args: ["/w/a", "t"],
      env: { KEY: "secret" },
      envFile: "/w/.env",
    });
    const twice = new Map([["key", "${env:TOKEN}"]]);
    const web = one({ url: "https://x/${input:key}", headers: { A: "${input:key}" } });
    assert.deepEqual(resolveVariables(web, { ...values, inputs: twice }), {
      type: "http",
      url: "https://x/${env:TOKEN}",
      headers: { A: "${env:TOKEN}" },
    });
    const names = { clientId: "${input:key}", clientSecret: "${env:TOKEN}", scope: "a ${env:TOKEN}" };
    const oauth = { ...names, callbackPort: 7000, unknown: 1 };
    assert.deepEqual(resolveVariables(one({ url: "https://x", oauth }), values), {
      ...{ type: "http", url: "https://x", headers: {} },
      oauth: { clientId: "secret", clientSecret: "t", scope: "a t", callbackPort: 7000 },
    });
  });

  it("are refused if they are unknown or have no value", () => {
    assert.throws(
      () => resolveVariables(one({ command: "${command:x}" }), values),
      /uses \$\{command:x\}\. Parley only knows/,
    );
    assert.throws(() => resolveVariables(one({ command: "${input:other}" }), values), /is missing/);
  });

  it("name the inputs that are asked for, as secrets unless they are described", () => {
    assert.deepEqual(inputsOf(one({ command: "x", args: ["${input:a}", "${input:a}"] })), [{ id: "a", secret: true }]);
  });
});

describe("MCP servers for an agent", () => {
  const programs = ["/bin/run"];
  const options = {
    agentName: "Agent",
    accepts: { http: true, sse: false },
    env: { PATH: "/bin" },
    platform: "posix" as const,
    workspaceFolder: "/w",
    look: (path: string) => (programs.includes(path) ? ("program" as const) : undefined),
  };

  it("have absolute commands, and only the types that the agent can use", () => {
    const { servers, leftOut } = serversForAgent(
      [
        { name: "a", type: "stdio", command: "run", args: ["x"], env: { K: "v" } },
        { name: "b", type: "http", url: "https://b", headers: { H: "v" } },
        { name: "c", type: "sse", url: "https://c", headers: {} },
        { name: "d", type: "stdio", command: "missing", args: [], env: {} },
      ],
      options,
    );
    assert.deepEqual(servers, [
      { name: "a", type: "stdio", command: "/bin/run", args: ["x"], env: { K: "v" } },
      { name: "b", type: "http", url: "https://b", headers: { H: "v" } },
    ]);
    assert.deepEqual(leftOut, [
      { name: "c", reason: "Agent cannot use MCP servers of the type sse.", isUnsupported: true },
      {
        name: "d",
        reason: "The program missing was not found on the PATH that VS Code sees. Install it, or use a full path.",
        isUnsupported: false,
      },
    ]);
  });

  it("leave out programs if the agent cannot start any", () => {
    const server = { name: "a", type: "stdio", command: "run", args: [], env: {} } as const;
    const { servers, leftOut } = serversForAgent([server], {
      ...options,
      accepts: { stdio: false, http: true, sse: false },
    });
    assert.deepEqual(
      [servers, leftOut],
      [[], [{ name: "a", reason: "Agent cannot use MCP servers that are programs.", isUnsupported: true }]],
    );
  });

  it("have their commands as they are for an agent that has other programs than this machine", () => {
    const server = { name: "a", type: "stdio", command: "missing", args: ["x"], env: { K: "v" } } as const;
    const { servers, leftOut } = serversForAgent([server], { ...options, sharesFiles: false });
    assert.deepEqual([servers, leftOut], [[server], []]);
  });
});

describe("the program of an MCP server that cannot start", () => {
  const reasons: readonly (readonly [string, Parameters<typeof missingProgramReason>[1], RegExp])[] = [
    [
      "npx",
      { missing: "notFound" },
      /npx was not found on the PATH that VS Code sees\. Install Node\.js, or use a full path/,
    ],
    ["tickets", { missing: "notFound" }, /tickets was not found on the PATH that VS Code sees\. Install it, or/],
    ["./server.js", { missing: "notFound" }, /^The program \.\/server\.js does not exist in \/w\.$/],
    ["/opt/server", { missing: "notFound" }, /^The program \/opt\/server does not exist\.$/],
    ["C:\\server.exe", { missing: "notFound" }, /^The program C:\\server\.exe does not exist\.$/],
    ["./server.js", { missing: "notExecutable", at: "/w/server.js" }, /\/w\/server\.js is not executable\. Make it/],
    ["/tmp", { missing: "folder", at: "/tmp" }, /^The command \/tmp is a folder\. Name a program\.$/],
  ];
  for (const [command, found, reason] of reasons)
    it(`is named with a reason and a next step: ${command}, ${found.missing}`, () =>
      assert.match(missingProgramReason(command, found, "/w"), reason));
});

describe("the setting of MCP servers", () => {
  it("belongs to the machine, and says that a server may run twice: for Parley and for the agent", () => {
    const manifest = readFileSync("package.json", "utf8");
    const texts = JSON.parse(readFileSync("package.nls.json", "utf8")) as Readonly<Record<string, string>>;
    assert.match(manifest, /"parley\.mcpServers": \{[^{}]*"scope": "machine"/);
    assert.match(
      texts["setting.mcpServers"] ?? "",
      /A server may run twice: Parley starts it for its prompts, and the agent starts it for its tools\./,
    );
  });
});
