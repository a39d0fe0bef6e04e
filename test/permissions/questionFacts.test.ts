// The facts of a question that rules see: the formats of real agents, and attempts to hide something from the rules.
import assert from "node:assert/strict";
import { posix } from "node:path";
import fc from "fast-check";
import type { PermissionQuestion } from "../../src/session/agent.ts";
import type { ToolFields } from "../../src/session/events.ts";
import { questionFacts, readCommandLine, type FactsContext } from "../../src/permissions/questionFacts.ts";
import { evaluateRules, readRules, narrowestRule } from "../../src/permissions/rules.ts";
import type { Effect } from "../../src/permissions/ruleFields.ts";
import type { QuestionFacts, Rule } from "../../src/permissions/rules.ts";
import { factsContext as here } from "../support/fakes/factsContext.ts";
import { FakeResolver } from "../support/fakes/fakePorts.ts";

const withLinks = (links: Readonly<Record<string, string>>): FactsContext => {
  const resolver = new FakeResolver();
  for (const [from, to] of Object.entries(links)) resolver.links.set(from, to);
  return { ...here, resolve: path => resolver.real(posix.normalize(path)) };
};

const ask = (tool: Partial<ToolFields>, context = here): Promise<QuestionFacts> =>
  questionFacts({ title: "Tool call", options: [], tool }, context);
const runs = (rawInput: unknown, context = here): Promise<QuestionFacts> => ask({ kind: "execute", rawInput }, context);

/** The words of each command, or the reason why there are none. */
function commandsOf({ command }: QuestionFacts): readonly (readonly string[])[] | string | undefined {
  if (command?.kind !== "commands") return command?.reason;
  return command.commands.map(({ words }) => words.map(({ text }) => text));
}

function effect(facts: QuestionFacts, ...rules: readonly Rule[]): Effect {
  const set = readRules(rules);
  assert.deepEqual(set.problems, []);
  return evaluateRules(set, facts).effect;
}
const allow = (rule: Omit<Rule, "effect">): Rule => ({ effect: "allow", ...rule });
const deny = (rule: Omit<Rule, "effect">): Rule => ({ effect: "deny", ...rule });

describe("the facts of a question", () => {
  const rows: readonly (readonly [string, Partial<ToolFields>, Partial<QuestionFacts> & { words?: unknown }])[] = [
    [
      "a command with its description and a terminal",
      {
        kind: "execute",
        rawInput: { command: "npm test", description: "Run https://example.com/x" },
        content: [{ type: "terminal", terminalId: "t" }],
      },
      { kind: "execute", words: [["npm", "test"]] },
    ],
    [
      "a command that writes a file, and names it",
      {
        kind: "execute",
        rawInput: { command: "npm test", description: "x" },
        locations: [{ path: "/work/app/out.txt" }],
      },
      { kind: "execute", words: [["npm", "test"]], paths: ["/work/app/out.txt"] },
    ],
    [
      "a file with its new text",
      {
        kind: "edit",
        rawInput: { file_path: "/work/app/a.txt", content: "see /etc/passwd\nhttps://example.com" },
        content: [{ type: "diff", path: "/work/app/a.txt", newText: "x\n" }],
        locations: [{ path: "/work/app/a.txt" }],
      },
      { kind: "edit", paths: ["/work/app/a.txt"] },
    ],
    [
      "a file with a patch",
      { kind: "edit", rawInput: { filepath: "/work/app/a.txt", diff: "Index: /work/app/a.txt\n+x" }, locations: [] },
      { kind: "edit", paths: ["/work/app/a.txt"] },
    ],
    [
      "a file and its folder, outside",
      {
        kind: "other",
        rawInput: { filepath: "/work/out.txt", parentDir: "/work" },
        locations: [{ path: "/work/out.txt" }],
      },
      { kind: "other", paths: ["/work/out.txt", "/work"] },
    ],
    [
      "a command as a list, for a shell",
      {
        kind: "execute",
        rawInput: { call_id: "c", command: ["bash", "-lc", "npm test && git status"], cwd: "/work/app", reason: null },
      },
      {
        kind: "execute",
        words: [
          ["npm", "test"],
          ["git", "status"],
        ],
        cwd: "/work/app",
        paths: ["/work/app"],
      },
    ],
    [
      "file changes by path",
      {
        kind: "edit",
        rawInput: { changes: { "/work/app/a.ts": { update: { move_path: "/work/app/b.ts" } }, "c.ts": {} } },
      },
      { kind: "edit", paths: ["/work/app/a.ts", "/work/app/b.ts", "/work/app/c.ts"] },
    ],
    [
      "a command as `cmd`, with a folder and a shell of its own",
      { kind: "execute", rawInput: { cmd: "npm test", workdir: "packages/a", shell: "/bin/bash", login: true } },
      { kind: "execute", words: [["npm", "test"]], cwd: "/work/app/packages/a", paths: ["/work/app/packages/a"] },
    ],
    [
      "a URL to fetch",
      { kind: "fetch", rawInput: { url: "http://127.0.0.1:36791/page", prompt: "Look. (See https://b.example/x.)" } },
      { kind: "fetch", urls: ["http://127.0.0.1:36791/page", "https://b.example/x"] },
    ],
    [
      "no input at all, and a diff",
      {
        kind: "edit",
        title: "src/hello.txt: a => b",
        content: [{ type: "diff", path: "/work/app/hello.txt", oldText: "a", newText: "b" }],
        locations: [{ path: "/work/app/hello.txt" }],
      },
      { kind: "edit", paths: ["/work/app/hello.txt"] },
    ],
    ["no input at all, and a command as its title", { kind: "execute", title: "npm test" }, { kind: "execute" }],
    ["a plan", { kind: "switch_mode", rawInput: {}, content: [] }, { kind: "switch_mode" }],
    ["a tool of a server", { kind: "other", rawInput: { text: "ping" } }, { kind: "other" }],
    [
      "a text editor with its own commands",
      { kind: "edit", rawInput: { command: "str_replace", path: "src/a.ts", old_str: "a", new_str: "b" } },
      { kind: "edit", paths: ["/work/app/src/a.ts"] },
    ],
    [
      "files that are moved",
      {
        kind: "move",
        rawInput: { source: "a.ts", destination: "lib/b.ts" },
        content: [
          { type: "changes", changes: [{ operation: "move", path: "/work/app/d.ts", oldPath: "/work/app/c.ts" }] },
        ],
      },
      { kind: "move", paths: ["/work/app/d.ts", "/work/app/c.ts", "/work/app/a.ts", "/work/app/lib/b.ts"] },
    ],
    [
      "files by URI",
      { kind: "read", rawInput: { uri: "file:///work/app/a%20b.ts", paths: ["x", "./y", "../z"] } },
      {
        kind: "read",
        paths: ["/work/app/a%20b.ts", "/work/app/a b.ts", "/work/app/x", "/work/app/y", "/work/z"],
      },
    ],
    ["nothing", {}, {}],
  ];
  for (const [name, tool, { words, ...expected }] of rows) {
    it(`include those of ${name}`, async () => {
      const { command, ...facts } = await ask(tool);
      const { agent, trusted, place } = here;
      assert.deepEqual(facts, { agent, trusted, place, paths: [], urls: [], ...expected });
      assert.deepEqual(commandsOf({ ...facts, ...(command && { command }) }), words);
    });
  }

  it("include those of a question of Parley", async () => {
    const question: PermissionQuestion = {
      title: "Demo wants to run a command in /tmp",
      options: [],
      subject: { kind: "execute", command: "npm test", cwd: "/tmp" },
    };
    const facts = await questionFacts(question, here);
    assert.deepEqual(commandsOf(facts), [["npm", "test"]]);
    assert.deepEqual([facts.kind, facts.cwd, facts.paths], ["execute", "/tmp", ["/tmp"]]);
    const file = await questionFacts(
      { title: "x", options: [], subject: { kind: "read", paths: ["/etc/hosts"] } },
      here,
    );
    assert.deepEqual([file.kind, file.paths, file.command], ["read", ["/etc/hosts"], undefined]);
  });

  it("contain the line as it is shown, and the words unmasked", async () => {
    const listed = await runs({ command: ["bash", "-lc", "npm test"] });
    assert.equal(listed.command?.line, "bash -lc 'npm test'");
    const subject = { kind: "execute", command: "sh -c 'a; b'", argv: ["sh", "-c", "a; b"] } as const;
    const own = await questionFacts({ title: "x", options: [], subject }, here);
    assert.equal(own.command?.line, "sh -c 'a; b'");
    assert.deepEqual(commandsOf(own), [["a"], ["b"]]);
  });
});

describe("the command of a question", () => {
  it("keeps separate arguments separate", async () => {
    const apart = await runs({ command: "git", args: ["log", "a; rm -rf b"] });
    assert.deepEqual(commandsOf(apart), [["git", "log", "a; rm -rf b"]]);
    assert.equal(effect(apart, allow({ command: "git log a" }), allow({ command: "rm -rf b" })), "ask");
    const script = await runs({ command: "sh", args: ["-c", "npm test; whoami"] });
    assert.deepEqual(commandsOf(script), [["npm", "test"], ["whoami"]]);
    assert.equal(effect(script, allow({ command: ["npm test", "sh **"] })), "ask");
    assert.equal(effect(await runs({ command: "npm test", args: [] }), allow({ command: "npm test" })), "ask");
  });

  for (const [name, rawInput, reason] of [
    ["given twice", { command: "npm test", cmd: "whoami" }, /given twice/],
    ["given as something else", { command: { line: "npm test" } }, /not given as text/],
    ["given as a list that contains a number", { command: ["npm", 1] }, /not given as text/],
    ["given with arguments that are not strings", { command: "npm", args: ["test", null] }, /not given as text/],
    ["given with arguments as one string", { command: "npm", args: "test" }, /not given as text/],
    ["given as a list with more arguments", { command: ["npm"], args: ["test"] }, /not given as text/],
    ["given with variables", { command: "npm test", env: { NODE_OPTIONS: "--require ./x.js" } }, /sets variables/],
    ["given with something to read", { command: "node", stdin: "evil()" }, /input text/],
    ["for a shell of the agent's", { command: "npm test", shell: "/work/app/evil.sh" }, /unknown shell/],
    ["run in two folders", { command: "npm test", cwd: "/work/app", workdir: "/etc" }, /more than one folder/],
    ["run in a folder with blanks around", { command: "npm test", cwd: " /etc" }, /more than one folder/],
    [
      "run in a folder that is no text",
      { command: "npm test", cwd: ["/etc"] },
      /names its folder in an unsupported way/,
    ],
    ["very long", { command: `npm test ${"x".repeat(100_000)}` }, /too long/],
    ["next to very many values", { command: "npm test", all: Array(2000).fill(0) }, /more than can be checked/],
    [
      "next to deeply nested values",
      { command: "npm test", a: { b: { c: { d: { e: { f: { g: 1 } } } } } } },
      /more than/,
    ],
  ] as const) {
    it(`is opaque, and can be denied, when it is ${name}`, async () => {
      const facts = await runs(rawInput);
      assert.match(String(commandsOf(facts)), reason);
      assert.equal(
        effect(facts, allow({ kind: "execute" }), allow({ command: ["npm **", "node **", "whoami"] })),
        "ask",
      );
      assert.equal(effect(facts, deny({ kind: "execute" })), "deny");
    });
  }

  it("is denied by either of two given commands", async () => {
    for (const command of ["rm x", "npm test"]) {
      assert.equal(effect(await runs({ command: "npm test", cmd: "rm x" }), deny({ command })), "deny", command);
    }
    assert.equal(effect(await runs({ command: "npm test", cmd: "npm test" }), allow({ command: "npm test" })), "allow");
    assert.equal(effect(await runs({ command: "rm x", env: { A: "b" } }), deny({ command: "rm" })), "deny");
  });

  it("must have the same meaning in all shells of the machine", async () => {
    const windows: FactsContext = { ...here, shells: ["powershell", "cmd", "posix"] };
    assert.deepEqual(commandsOf(await runs({ command: "npm run build" }, windows)), [["npm", "run", "build"]]);
    assert.match(String(commandsOf(await runs({ command: "echo 'a b'" }, windows))), /./);
    assert.equal(effect(await runs({ command: "echo 'a b'" }, windows), allow({ command: "echo **" })), "ask");
    assert.equal(effect(await runs({ command: "echo 'a & del x'" }, windows), deny({ command: "del" })), "deny");
    const named = await runs({ command: "echo 'a b'", shell: "bash" }, windows);
    assert.deepEqual(commandsOf(named), [["echo", "a b"]]);
  });

  it("is not allowed if the shell is unknown", () => {
    assert.equal(readCommandLine("npm test", []).kind, "opaque");
  });

  it("is not an editor command unless the tool edits or reads a file", async () => {
    const order = { command: "create", path: "/etc/hosts" };
    assert.equal(effect(await ask({ kind: "edit", rawInput: order }), allow({ command: "create" })), "ask");
    assert.equal(effect(await ask({ kind: "edit", rawInput: order }), allow({ path: "/etc/*" })), "allow");
    assert.deepEqual(commandsOf(await runs(order)), [["create"]]);
    assert.deepEqual(commandsOf(await ask({ kind: "edit", rawInput: { command: "rm -r", path: "x" } })), [
      ["rm", "-r"],
    ]);
    assert.deepEqual(commandsOf(await ask({ kind: "edit", rawInput: { command: "reboot" } })), [["reboot"]]);
    assert.deepEqual(commandsOf(await ask({ kind: "read", rawInput: { command: "ls", cwd: "/x" } })), [["ls"]]);
  });

  it("runs in the target of its folder, and in the named folder if that is outside", async () => {
    const context = withLinks({ "/work/app/out": "/etc", "/work/app/in": "/work/app/src", "/tmp/back": "/work/app" });
    const folder = async (cwd: string): Promise<string | undefined> => (await runs({ command: "a", cwd }, context)).cwd;
    assert.equal(await folder("out"), "/etc");
    assert.equal(await folder("in"), "/work/app/src");
    assert.equal(await folder("in/../x"), "/work/app/x");
    assert.equal(await folder("out/../x"), "/x");
    assert.equal(await folder("/tmp/back"), "/tmp/back");
    assert.equal(await folder("../lib"), "/work/lib");
    assert.equal(await folder("~/x"), "~/x");
    const rule = allow({ command: "a", path: "in/**" });
    assert.equal(effect(await runs({ command: "a", cwd: "in" }, context), rule), "ask");
    for (const path of ["out/**", "/etc"]) {
      assert.equal(effect(await runs({ command: "a", cwd: "out" }, context), deny({ path })), "deny", path);
    }
  });
});

describe("the paths of a question", () => {
  const paths = async (rawInput: unknown, context = here): Promise<readonly string[]> =>
    (await ask({ kind: "read", rawInput }, context)).paths;

  it("are the named paths and their targets", async () => {
    const context = withLinks({ "/work/app/link": "/etc" });
    assert.deepEqual(await paths({ path: "link/passwd" }, context), ["/work/app/link/passwd", "/etc/passwd"]);
    const facts = await ask({ kind: "read", locations: [{ path: "/work/app/link/passwd" }] }, context);
    assert.equal(effect(facts, allow({ path: "**" })), "ask");
    assert.equal(effect(facts, deny({ path: "/etc/**" })), "deny");
    assert.equal(effect(facts, deny({ path: "link/**" })), "deny");
  });

  it("include the path behind a link that is left by ..", async () => {
    const context = withLinks({ "/work/app/link": "/srv/data/deep" });
    for (const path of ["/work/app/link/../secret", "link/../secret"]) {
      assert.ok((await paths({ path }, context)).includes("/srv/data/secret"), path);
      assert.equal(effect(await ask({ kind: "read", rawInput: { path } }, context), allow({ path: "**" })), "ask");
    }
    assert.equal(effect(await ask({ kind: "read", rawInput: { path: "a/../b" } }), allow({ path: "**" })), "allow");
    const far = `a/${"../a/".repeat(50)}b`;
    assert.equal(effect(await ask({ kind: "read", rawInput: { path: far } }), allow({ path: "**" })), "ask");
  });

  it("count as named if they cannot be resolved", async () => {
    const broken: FactsContext = { ...here, resolve: () => Promise.reject(new Error("ELOOP")) };
    assert.deepEqual(await paths({ path: "a" }, broken), ["/work/app/a"]);
    const throwing: FactsContext = {
      ...here,
      resolve: () => {
        throw new Error("no");
      },
    };
    assert.deepEqual(await paths({ path: "a" }, throwing), ["/work/app/a"]);
  });

  it("are never allowed if their meaning is ambiguous", async () => {
    for (const path of [
      "~/.ssh/id_rsa",
      "~you/x",
      "$HOME/x",
      "${HOME}/x",
      "%APPDATA%/x",
      "vscode-remote://x/y",
      "untitled:x",
    ]) {
      const facts = await ask({ kind: "read", rawInput: { path } });
      assert.equal(effect(facts, allow({ path: ["**", "~/**", "/**"] })), "ask", path);
    }
    const home = await ask({ kind: "read", rawInput: { path: "~/.ssh/id_rsa" } });
    assert.equal(effect(home, deny({ path: "~/.ssh/**" })), "deny");
  });

  it("are found under many field names, at any level, and with surrounding blanks", async () => {
    const names = [
      "path",
      "filePath",
      "abs_path",
      "AbsolutePath",
      "notebook_path",
      "old-path",
      "target",
      "dir",
      "files",
    ];
    for (const name of names) assert.deepEqual(await paths({ [name]: "a" }), ["/work/app/a"], name);
    assert.deepEqual(await paths({ edits: [{ to: 1, file: "a" }, { files: ["b", ["c"]] }] }), [
      "/work/app/a",
      "/work/app/b",
      "/work/app/c",
    ]);
    assert.ok((await paths({ path: " /etc/passwd" })).includes("/etc/passwd"));
    assert.deepEqual(await paths({ new_source: "print(1)", xpath: "//a", profile: "x", old_string: "/etc" }), []);
  });

  it("are resolved against each named folder", async () => {
    assert.deepEqual(await paths({ path: "x", cwd: "lib" }), ["/work/app/x", "/work/app/lib/x", "/work/app/lib"]);
    assert.deepEqual(await paths({ directory: "src" }), ["/work/app/src"]);
  });

  it("are found in file URIs", async () => {
    assert.deepEqual(await paths({ uri: "file://localhost/etc/hosts" }), ["/etc/hosts"]);
    assert.deepEqual(await paths({ url: "file:///work/app/../../etc/hosts" }), [
      "/etc/hosts",
      "/work/app/../../etc/hosts",
    ]);
    for (const uri of ["file://host/share/x", "file:///a%2fb", "file:", "file:x"]) {
      assert.equal(effect(await ask({ kind: "read", rawInput: { uri } }), allow({ path: ["/**", "**"] })), "ask", uri);
    }
  });

  it("follow the rules of Windows paths", async () => {
    const windows: FactsContext = {
      ...here,
      workspaceFolder: "C:\\work\\app",
      place: { roots: ["C:\\work\\app"], platform: "windows", ignoresCase: true, home: "C:\\Users\\me" },
    };
    assert.deepEqual(await paths({ path: "src/a.ts" }, windows), ["C:\\work\\app\\src\\a.ts"]);
    assert.deepEqual(await paths({ uri: "file:///c:/work/a.ts" }, windows), ["c:\\work\\a.ts"]);
    for (const path of ["D:x", "\\work\\app\\x", "/c/work/app/x", "\\\\host\\share\\x", "C:\\other\\x", "..\\x"]) {
      const facts = await ask({ kind: "read", rawInput: { path } }, windows);
      assert.equal(effect(facts, allow({ path: "**" })), "ask", path);
    }
  });

  it("are used in proposed rules", async () => {
    const facts = await ask({
      kind: "edit",
      rawInput: { file_path: "src/a.ts" },
      locations: [{ path: "/work/app/src/a.ts" }],
    });
    assert.deepEqual(narrowestRule(facts), { effect: "allow", agent: "demo", kind: "edit", path: "src/a.ts" });
  });
});

describe("the URLs of a question", () => {
  const urls = async (rawInput: unknown, kind = "fetch"): Promise<readonly string[]> =>
    (await ask({ kind, rawInput })).urls;

  it("are found by field name, and in any text of a fetch tool", async () => {
    assert.deepEqual(await urls({ urls: ["https://a.example", "wss://b.example/x"], link: "http://c.example" }), [
      "https://a.example",
      "wss://b.example/x",
      "http://c.example",
    ]);
    assert.deepEqual(await urls({ prompt: "Compare <HTTPS://A.example/x>, and (https://b.example)." }), [
      "HTTPS://A.example/x",
      "https://b.example",
    ]);
    assert.deepEqual(await urls("https://a.example"), ["https://a.example"]);
    assert.deepEqual(await urls({ prompt: "https://a.example", deep: { url: "http://b.example" } }, "other"), [
      "http://b.example",
    ]);
  });

  it("are never allowed if their host is ambiguous", async () => {
    const rule = allow({ domain: "good.example" });
    for (const url of [
      "evil.example",
      "https://good.example\\@evil.example/",
      "https://good.example\t@evil.example/",
      "https://good.example@evil.example/",
      "ftp://good.example",
      "javascript:good.example",
    ]) {
      assert.equal(effect(await ask({ kind: "fetch", rawInput: { url } }), rule), "ask", url);
    }
    const both = { url: "https://good.example", prompt: "then https://evil.example/?q" };
    assert.equal(effect(await ask({ kind: "fetch", rawInput: both }), rule), "ask");
    assert.equal(effect(await ask({ kind: "fetch", rawInput: { url: "https://good.example" } }), rule), "allow");
  });
});

describe("any input", () => {
  const file = fc.stringMatching(/^[a-z][a-z0-9_. -]{0,10}[a-z](?:\/[a-z.]{1,8}[a-z]){0,3}$/);
  const pathKey = fc.constantFrom("path", "file_path", "filePath", "abs_path", "target", "destination", "dir", "files");
  const value = fc.jsonValue({ maxDepth: 8 }) as fc.Arbitrary<unknown>;
  const hostile = fc.oneof(
    value,
    fc.dictionary(
      fc.constantFrom("command", "cmd", "args", "cwd", "path", "url", "env", "shell", "__proto__", "constructor"),
      fc.oneof(value, fc.string(), fc.array(fc.string())),
    ),
  );
  const kind = fc.constantFrom(undefined, "execute", "read", "edit", "fetch", "other");

  it("is accepted without an error", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, kind, async (rawInput, kind) => {
        const parsed = JSON.parse(JSON.stringify(rawInput)) as unknown;
        const facts = await ask({ rawInput: parsed, ...(kind !== undefined && { kind }) });
        assert.deepEqual([facts.agent, facts.trusted], ["demo", true]);
        for (const text of [...facts.paths, ...facts.urls]) assert.equal(typeof text, "string");
        evaluateRules(readRules([allow({ path: "**" }), deny({ command: "rm", path: "**/x" })]), facts);
      }),
      { numRuns: 500 },
    );
  });

  it("hides no path in a field with a known name, at any position", async () => {
    await fc.assert(
      fc.asyncProperty(file, pathKey, hostile, fc.nat(3), async (path, key, beside, depth) => {
        let input: unknown = { beside, [key]: path };
        for (let i = 0; i < depth; i++) input = i % 2 === 0 ? [input] : { deeper: input };
        const facts = await ask({ kind: "read", rawInput: JSON.parse(JSON.stringify(input)) as unknown });
        const isTooMuch = facts.command?.kind === "opaque";
        assert.ok(isTooMuch || facts.paths.includes(`/work/app/${path}`), JSON.stringify(facts.paths));
      }),
      { numRuns: 500 },
    );
  });

  it("is searched for a limited time", async () => {
    const long = "x/".repeat(500_000);
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`path${i}`, long]));
    const facts = await ask({
      kind: "fetch",
      rawInput: { command: long, url: long, many, [`c${"_".repeat(9)}wd`]: "x" },
    });
    assert.match(String(commandsOf(facts)), /more than can be checked/);
    assert.ok(facts.paths.length < 10_000);
  });
});
