// What a consent to an MCP server of the workspace covers: its definition, and the files that it runs or reads.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import fc from "fast-check";
import { readServerContent, type ServerContent } from "../../src/mcp/serverContent.ts";
import { readServers, type McpServer } from "../../src/mcp/servers.ts";
import { changedFiles, consentTo, covers } from "../../src/mcp/storedConsent.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

let root = "";
let ws = "";
let other = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "parley-content-")));
  ws = join(root, "ws");
  other = join(root, "other");
  mkdirSync(ws);
  mkdirSync(other);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string, folder = ws): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  chmodSync(join(folder, path), 0o755);
};
const server = (entry: object, source: McpServer["source"] = "workspace"): McpServer => {
  const { servers, problems } = readServers({ it: entry }, source, "f");
  assert.deepEqual(problems, []);
  return { ...(servers[0] as McpServer), ...(source === "workspace" && { folder: ws }) };
};
const read = (of: McpServer, roots = [ws], inputs = new Map<string, string>()): Promise<ServerContent> =>
  readServerContent(of, { folder: ws, roots, userHome: "/home/me", env: { PATH: "/usr/bin:/bin" }, inputs });
const names = (paths: Iterable<string>): readonly string[] => [...paths].map(path => relative(ws, path)).sort();

describe("the files that a definition of an MCP server runs or reads", () => {
  /** Each definition with a file that it names. The file and its folder exist. */
  const named: readonly (readonly [entry: object, file: string])[] = [
    [{ command: "node", args: ["./server.js"] }, "server.js"],
    [{ command: "node", args: ["server"] }, "server.js"],
    [{ command: "node", args: ["."] }, "index.js"],
    [{ command: "node", args: ["--inspect", "tools"] }, "tools/index.mjs"],
    [{ command: "node", args: ["${workspaceFolder}/tools/server.js", "--stdio"] }, "tools/server.js"],
    [{ command: "node", args: ["-r", "./hook.js", "/usr/lib/server.js"] }, "hook.js"],
    [{ command: "node", args: ["--require=./hook.js", "/usr/lib/server.js"] }, "hook.js"],
    [{ command: "node", args: ["--import", "file://${workspaceFolder}/hook.mjs", "x"] }, "hook.mjs"],
    [{ command: "node", args: ["server.js"], cwd: "tools" }, "tools/server.js"],
    [{ command: "node", args: ["server.js"], cwd: "${workspaceFolder}/tools" }, "tools/server.js"],
    [{ command: "python", args: ["tools/x.py"] }, "tools/x.py"],
    [{ command: "python3", args: ["-m", "tools.server"] }, "tools/server.py"],
    [{ command: "python3", args: ["-mtools"] }, "tools/__main__.py"],
    [{ command: "uv", args: ["run", "--directory", "tools", "server.py"] }, "tools/server.py"],
    [{ command: "uv", args: ["--directory=tools", "run", "server.py"] }, "tools/server.py"],
    [{ command: "./run.sh" }, "run.sh"],
    [{ command: "${workspaceFolder}/bin/run" }, "bin/run"],
    [{ command: "run", env: { PATH: "${workspaceFolder}/bin:/usr/bin" } }, "bin/run"],
    [{ command: "npx", args: ["-y", "@example/mcp", "--config=conf.json"] }, "conf.json"],
    [{ command: "npx", args: ["-y", "@example/mcp", "--config", "conf/mcp"] }, "conf/mcp"],
    [{ command: "npx", args: ["-y", "@example/mcp", "@conf.json"] }, "conf.json"],
    [{ command: "sh", args: ["-c", "cd tools && node server.js"] }, "tools/server.js"],
    [{ command: "bash", args: ["-c", 'exec "./run.sh" --fast'] }, "run.sh"],
    [{ command: "bash", args: ["-c", "node $PWD/tools/server.js"] }, "tools/server.js"],
    [{ command: "bash", args: ["-c", "node $(pwd)/tools/server.js"] }, "tools/server.js"],
    [{ command: "bash", args: ["-c", ". ./data.log"] }, "data.log"],
    [{ command: "bash", args: ["-c", 'node "my server.js"'] }, "my server.js"],
    [{ command: "bash", args: ["-c", "node my\\ server.js"] }, "my server.js"],
    [{ command: "bash", args: ["-c", "node tools/*.js"] }, "tools/server.js"],
    [{ command: "bash", args: ["-c", "cat */[s]erver.? | sh"] }, "tools/server.x"],
    [{ command: "bash", args: ["-c", "cd tools && cd deep && node server.js"] }, "tools/deep/server.js"],
    [{ command: "bash", args: ["-c", "cd tools && node ."] }, "tools/index.js"],
    [{ command: "bash", args: ["-c", "D=tools; node $D/server.js"] }, "tools/server.js"],
    [{ command: "bash", args: ["-c", "node $(echo tools)/server.js"] }, "tools/server.js"],
    [{ command: "cmd", args: ["/c", "node tools\\server.js".replace("\\", sep)] }, "tools/server.js"],
    [{ command: "env", args: ["NODE_OPTIONS=--require=./hook.js", "node", "/usr/x.js"] }, "hook.js"],
    [{ command: "node", args: ["-e", "require('./server')"] }, "server.js"],
    [{ command: "node", args: ["-e", "require('./tools')"] }, "tools/index.js"],
    [{ command: "python3", args: ["-c", 'exec(open("x.py").read())'] }, "x.py"],
    [{ command: "node", args: ["--import=file://${workspaceFolder}/my%20hook.mjs", "x"] }, "my hook.mjs"],
    [{ command: "npx", args: ["-y", "@example/tickets@1.2"] }, "node_modules/.bin/tickets"],
    [{ command: "npx", args: ["tsx", "src/server.ts"] }, "src/server.ts"],
    [{ command: "java", args: ["-jar", "build/server.jar"] }, "build/server.jar"],
    [{ command: "x", env: { NODE_OPTIONS: '--require "./my hook.js"' } }, "my hook.js"],
    [{ command: "x", env: { NODE_OPTIONS: "--require ./tools/hook" }, cwd: "other" }, "tools/hook.js"],
    [{ command: "node", args: ["-r", "./data.db", "x.js"] }, "data.db"],
    [{ command: "node", args: ["./data.db"] }, "data.db"],
    [{ command: "x", env: { CONFIG: "conf/mcp.toml" } }, "conf/mcp.toml"],
    [{ command: "x", env: { LD_PRELOAD: "${workspaceFolder}/x.db" } }, "x.db"],
    [{ command: "x", env: { NODE_OPTIONS: "--max-old-space-size=9 --require ./hook.js" } }, "hook.js"],
    [{ command: "x", envFile: ".env" }, ".env"],
    [{ command: "x", envFile: "${workspaceFolder}/conf/x.env" }, "conf/x.env"],
    [{ command: "docker", args: ["run", "-v", "${workspaceFolder}/conf.json:/conf.json", "image"] }, "conf.json"],
    [{ command: "docker", args: ["compose", "-f", "compose.mcp.yml", "run", "x"] }, "compose.mcp.yml"],
  ];
  for (const [entry, file] of named) {
    it(`are found, and a consent does not cover another content: ${JSON.stringify(entry)}`, async () => {
      write(file, "A=1\n");
      const one = server(entry);
      const content = await read(one);
      assert.equal(content.problem, undefined);
      assert.deepEqual(names(content.digests.keys()), [file]);
      assert.ok(content.files.includes(join(ws, file)), content.files.join());
      const consent = consentTo(one, content);
      assert.ok(covers(consent, one, await read(one)));
      write(file, "A=2\n");
      assert.deepEqual(names(changedFiles(consent, await read(one))), [file]);
      assert.ok(!covers(consent, one, await read(one)));
      rmSync(join(ws, file));
      assert.ok(!covers(consent, one, await read(one)), "without the file");
      write(file, "A=1\n");
      assert.ok(covers(consent, one, await read(one)));
    });

    it(`are not covered if they did not exist: ${JSON.stringify(entry)}`, async () => {
      mkdirSync(dirname(join(ws, file)), { recursive: true });
      const one = server(entry);
      const consent = consentTo(one, await read(one));
      write(file, "A=1\n");
      assert.ok(!covers(consent, one, await read(one)));
    });
  }

  it("are found behind links, with the file that a link leads to", async () => {
    write("lib/real.js", "1");
    symlinkSync(join(ws, "lib"), join(ws, "tools"));
    symlinkSync("../lib/real.js", join(ws, "lib", "server.js"));
    const one = server({ command: "node", args: ["tools/server.js"] });
    const content = await read(one);
    for (const file of ["tools/server.js", "lib/real.js"]) assert.ok(content.files.includes(join(ws, file)), file);
    const consent = consentTo(one, content);
    write("lib/real.js", "2");
    assert.ok(!covers(consent, one, await read(one)));
    write("lib/real.js", "1");
    write("lib/evil.js", "evil");
    rmSync(join(ws, "lib", "server.js"));
    symlinkSync("evil.js", join(ws, "lib", "server.js"));
    assert.ok(!covers(consent, one, await read(one)), "a link to another file");
  });

  it("are found where the kernel follows `..` behind a link", async () => {
    write("a/b/c/x", "");
    write("a/b/server.py", "1");
    symlinkSync(join(ws, "a", "b", "c"), join(ws, "deep"));
    const one = server({ command: "python3", args: ["deep/../server.py"] });
    const consent = consentTo(one, await read(one));
    write("a/b/server.py", "2");
    assert.ok(!covers(consent, one, await read(one)));
  });

  it("are found in every workspace folder, because the agent starts the server in the folder of its session", async () => {
    write("server.js", "1");
    const one = server({ command: "node", args: ["./server.js"] });
    const consent = consentTo(one, await read(one, [ws, other]));
    write("server.js", "evil", other);
    assert.ok(!covers(consent, one, await read(one, [ws, other])));
  });

  it("are found by the values that the user entered", async () => {
    write("tools/a.js", "1");
    const one = server({ command: "node", args: ["tools/${input:name}.js"], inputs: [{ id: "name" }] });
    assert.deepEqual(names((await read(one)).digests.keys()), []);
    assert.deepEqual(names((await read(one, [ws], new Map([["name", "a"]]))).digests.keys()), ["tools/a.js"]);
  });

  it("don't count with their content if the server itself writes them, but are protected", async () => {
    write("server.js", "1");
    write("tickets.db", "1");
    const one = server({ command: "node", args: ["server.js", "--db", "./tickets.db"] });
    const content = await read(one);
    assert.deepEqual(names(content.digests.keys()), ["server.js"]);
    assert.ok(content.files.includes(join(ws, "tickets.db")));
  });

  it("are protected where no file is yet", async () => {
    const one = server({ command: "node", args: ["./server.js", "--stdio"] });
    assert.deepEqual(names((await read(one)).files), ["server.js"]);
  });

  it("are no folders, no files elsewhere, and nothing of a server that has an address", async () => {
    write("docs/package.json", "{}");
    write("package.json", "{}");
    write("x.js", "1", other);
    for (const entry of [
      { command: "npx", args: ["-y", "@example/files", "${workspaceFolder}", "docs"] },
      { command: "node", args: [join(other, "x.js"), "../other/x.js"] },
      { url: "https://example.com/package.json" },
    ]) {
      const content = await read(server(entry));
      assert.deepEqual([[...content.digests], content.problem], [[], undefined]);
    }
  });

  it("are a problem if there are too many, or if the file of variables cannot be used", async () => {
    const many = await read(server({ command: "x", args: Array.from({ length: 3000 }, (_, at) => `./f${at}`) }));
    assert.match(many.problem ?? "", /^The MCP server it cannot start: it names more files than Parley can check\.$/);
    write(".env", "KEY=1\nLD_PRELOAD=./x.so\n");
    const preload = await read(server({ command: "x", envFile: ".env" }));
    assert.match(preload.problem ?? "", /sets LD_PRELOAD, which can choose what runs/);
    assert.match((await read(server({ command: "${command:x}" }))).problem ?? "", /Parley only knows/);
  });

  it("are found in bounded time, whatever the definition is", async () => {
    for (let at = 0; at < 200; at++) write(`many/${"a".repeat(80)}${at}`, "");
    const hostile = [
      "x ".repeat(99_000),
      "'".repeat(29_001),
      `"'`.repeat(14_500),
      Array.from({ length: 4500 }, (_, at) => `w${at}`).join(" "),
      "a=".repeat(14_900),
      "a/".repeat(99_000),
      "=:@,".repeat(40_000),
      Array.from({ length: 25_000 }, (_, at) => `w${at}`).join(" "),
      "'".repeat(150_001),
      "\\".repeat(150_000),
      "$A".repeat(80_000),
      "%41".repeat(60_000),
      `many/${"*a".repeat(120)}b`,
      "*/".repeat(2000),
      "../".repeat(60_000),
      "\0".repeat(100_000),
    ];
    for (const text of hostile)
      for (const launch of [
        { command: "sh", args: ["-c", text], env: {} },
        { command: "node", args: [], env: { A: text } },
        { command: "node", args: [text], env: {} },
        { command: text, args: [], env: {} },
      ]) {
        const used = processorTime();
        await read({ ...server({ command: "x" }), ...launch } as McpServer);
        assert.ok(used() < 6000, `${Math.round(used())} ms for ${text.length} characters: ${text.slice(0, 20)}`);
      }
  });

  it("have the variables that were read with the digest", async () => {
    write(".env", "KEY=1\n");
    const { variables } = await read(server({ command: "x", envFile: ".env" }));
    assert.deepEqual(variables, { KEY: "1" });
  });
});

describe("a consent to a server of the workspace", () => {
  const text = fc.constantFrom("a", "b", "A=1\n");
  const files = ["server.js", "tools/server.js", "hook.js", "conf.json", ".env"] as const;
  const folderContent = fc.record(Object.fromEntries(files.map(file => [file, fc.option(text)])));
  const definition = fc.record(
    {
      command: fc.constantFrom("node", "python", "./server.js", "sh"),
      args: fc.array(
        fc.constantFrom(
          "./server.js",
          "tools/server.js",
          "-r",
          "./hook.js",
          "--config=conf.json",
          "--x",
          "-c",
          "sh hook.js",
        ),
        { maxLength: 4 },
      ),
      env: fc.dictionary(fc.constantFrom("A", "LD_PRELOAD", "__proto__"), fc.constantFrom("1", "hook.js", "1\n2"), {
        maxKeys: 2,
      }),
      envFile: fc.constantFrom(".env", "conf.json"),
      cwd: fc.constantFrom("tools", "."),
    },
    { requiredKeys: ["command"] },
  );
  /** Which of the files a definition names, without looking at the code. */
  const namedFiles = ({
    command,
    args = [],
    env = {},
    envFile,
  }: {
    command: string;
    args?: string[];
    env?: Record<string, string>;
    envFile?: string;
  }) =>
    files.filter(
      file =>
        envFile === file ||
        [command, ...args, ...Object.values(env)].flatMap(word => word.split(/[\s=]/)).includes(file) ||
        [command, ...args].includes(`./${file}`),
    );

  /** No variables and no arguments are the same as none that are named. */
  const withoutEmpty = (_: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && Object.keys(value).length === 0 ? undefined : value;

  it("covers no definition that differs, and no other content of a file that the definition names", async () => {
    const scene = fc.tuple(definition, definition, folderContent, folderContent);
    const put = (content: Readonly<Record<string, string | null>>): void => {
      for (const file of files) {
        rmSync(join(ws, file), { force: true });
        const text = content[file];
        if (typeof text === "string") write(file, text);
      }
    };
    let covered = 0;
    await fc.assert(
      fc.asyncProperty(scene, async ([first, second, before, after]) => {
        const allowed = server(first);
        put(before);
        const consent = consentTo(allowed, await read(allowed));
        put(after);
        for (const [entry, next] of [
          [second, server(second)],
          [first, allowed],
        ] as const) {
          if (!covers(consent, next, await read(next))) continue;
          covered++;
          assert.equal(JSON.stringify(entry, withoutEmpty), JSON.stringify(first, withoutEmpty));
          for (const file of namedFiles(entry)) assert.equal(after[file] ?? null, before[file] ?? null, file);
        }
      }),
      { numRuns: 100 },
    );
    assert.ok(covered > 5, `${covered} times it was covered`);
  });

  it("is of one name, one folder and one source", async () => {
    const one = server({ command: "x" });
    const content = await read(one);
    const consent = consentTo(one, content);
    assert.ok(covers(consent, one, content));
    for (const more of [{ name: "other" }, { folder: other }])
      assert.ok(!covers(consent, { ...one, ...more }, content));
  });
});
