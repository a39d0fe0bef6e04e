// The demo agent as a real process, on real folders, driven by a client that is built on the official SDK.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import { examplePrompts } from "../support/fakes/examplePrompts.ts";
import { until } from "../support/fakes/until.ts";
import { bundleDemoAgent, DemoClient, remove, sampleWorkspace, workspaceOf, type ClientSetup } from "./demoClient.ts";

const allow = (): string => "allow";

describe("the demo agent", function () {
  let agentFile = "";
  let cwd = "";
  const open: DemoClient[] = [];
  const folders: string[] = [];

  const start = async (setup: Partial<ClientSetup> = {}): ReturnType<typeof DemoClient.open> => {
    const opened = await DemoClient.open(agentFile, { cwd, choose: allow, ...setup });
    open.push(opened.agent);
    return opened;
  };
  const folderOf = async (files: Readonly<Record<string, string>>): Promise<string> => {
    const folder = await workspaceOf(files);
    folders.push(folder);
    return folder;
  };

  /** The kind of the tool call in a permission request. */
  const kindOf = (question: RequestPermissionRequest): string | null | undefined =>
    open.at(-1)?.tools.find(one => one.toolCallId === question.toolCall.toolCallId)?.kind;

  before(async () => {
    agentFile = await bundleDemoAgent();
  });
  after(async () => remove(dirname(agentFile)));
  beforeEach(async () => {
    cwd = await sampleWorkspace();
    folders.push(cwd);
  });
  afterEach(async () => {
    for (const agent of open.splice(0)) {
      await agent.close();
      assert.deepEqual([...agent.terminals.keys()], [], "a terminal was not released");
    }
    for (const folder of folders.splice(0)) await remove(folder);
  });

  it("reports its commands and its mode after it opened the session", async () => {
    const { agent, session } = await start();
    await agent.until(() => agent.updates.some(update => update.sessionUpdate === "available_commands_update"));
    const [announced] = agent.updates;
    assert.ok(announced?.sessionUpdate === "available_commands_update");
    assert.deepEqual(
      announced.availableCommands.map(one => one.name),
      ["explain", "fix", "test", "plan", "help"],
    );
    assert.deepEqual(
      session.configOptions?.map(one => [one.id, one.type, one.currentValue]),
      [
        ["mode", "select", "ask"],
        ["thoughts", "boolean", true],
      ],
    );
  });

  it("offers no boolean option to a client without support for it", async () => {
    const { session } = await start({ capabilities: {} });
    assert.deepEqual(
      session.configOptions?.map(one => one.id),
      ["mode"],
    );
  });

  it("explains a file that the prompt names, from the text that the client returns", async () => {
    const buffers = new Map([
      [join(cwd, "src/cart.js"), "/** Not saved yet. */\nexport function unsavedThing(a, b) {}\n"],
    ]);
    const { agent, sessionId } = await start({ buffers });
    assert.equal((await agent.prompt(sessionId, "Explain cart.js, please")).stopReason, "end_turn");
    assert.match(agent.messageText, /^## src\/cart\.js$/m);
    assert.match(agent.messageText, /^- `unsavedThing\(a, b\)` \(\[line 2\]\(src\/cart\.js#L2\)\): Not saved yet\.$/m);
    assert.match(agent.messageText, /```js\nexport function unsavedThing\(a, b\) \{\}\n```/);
    assert.doesNotMatch(agent.messageText, /subtotal/);
    assert.ok(agent.filesRead.includes(join(cwd, "src/cart.js")));
    const [read] = agent.tools;
    assert.deepEqual(
      [read?.kind, read?.status, read?.locations],
      ["read", "completed", [{ path: join(cwd, "src/cart.js") }]],
    );
    assert.match(agent.thought, /src\/cart\.js/);
    assert.ok(
      agent.updates.some(
        update => update.sessionUpdate === "session_info_update" && update.title === "Explain src/cart.js",
      ),
    );
    const usage = agent.updates.filter(update => update.sessionUpdate === "usage_update").map(update => update.used);
    assert.ok(usage.length > 1 && usage.every((used, i) => i === 0 || used >= (usage[i - 1] ?? 0)), String(usage));
  });

  it("explains the whole project, also if the active file is attached", async () => {
    const { agent, sessionId } = await start();
    const uri = pathToFileURL(join(cwd, "src/text.js")).href;
    const attached = { type: "resource_link", uri, name: "text.js" } as const;
    await agent.prompt(sessionId, [{ type: "text", text: "Explain this project" }, attached]);
    assert.match(agent.messageText, /^## A very small shop$/m);
    assert.match(agent.messageText, /^This sample is plain JavaScript/m);
    assert.match(agent.messageText, /^8 files, among them 3 source files and 3 test files\.$/m);
    for (const name of ["cart", "sum", "text"]) {
      assert.match(agent.messageText, new RegExp(`^- \\[src/${name}\\.js\\]\\(src/${name}\\.js\\) .*Defines \``, "m"));
      assert.ok(agent.filesRead.includes(join(cwd, `src/${name}.js`)), name);
    }
    assert.match(agent.messageText, /^- \[test\/sum\.test\.js\]/m);
  });

  for (const type of ["resource_link", "resource"] as const) {
    it(`treats an attached ${type} as "this file"`, async () => {
      const { agent, sessionId } = await start();
      const uri = pathToFileURL(join(cwd, "src/text.js")).href;
      const attached =
        type === "resource" ? { type, resource: { uri, text: "stale" } } : { type, uri, name: "text.js" };
      await agent.prompt(sessionId, [{ type: "text", text: "explain this file" }, attached]);
      assert.match(agent.messageText, /^## src\/text\.js$/m);
      assert.match(agent.messageText, /`formatPrice\(amount\)`/);
    });
  }

  it("explains the contents of an attachment if there is no such file", async () => {
    const { agent, sessionId } = await start();
    const resource = { uri: "untitled:note.js", text: "function draft(x) {\n  return x;\n}\n" };
    await agent.prompt(sessionId, [
      { type: "text", text: "explain this" },
      { type: "resource", resource },
    ]);
    assert.match(agent.messageText, /`draft\(x\)`/);
    assert.equal(agent.filesRead.filter(path => path.includes("note.js")).length, 0);
  });

  it("lists the files it sees if the named file does not exist", async () => {
    const { agent, sessionId } = await start();
    await agent.prompt(sessionId, "explain nothing.js");
    assert.match(agent.messageText, /could not find `nothing\.js`[\s\S]*- `src\/sum\.js`/);
  });

  it("answers each example prompt of the chat with what it says about itself", async () => {
    const answers: Readonly<Record<string, RegExp>> = {
      "Reads the files and describes them.": /^## A very small shop$[^]*\[src\/cart\.js\]/m,
      "Runs them and reports the result.": /5 of 10 tests fail/,
      "Proposes improvements to the code.": /`src\/cart\.js:25` and `src\/text\.js:30` contain the same lines/,
    };
    const prompts = examplePrompts();
    assert.deepEqual(
      prompts.map(({ about }) => about),
      Object.keys(answers),
    );
    for (const { text, about } of prompts) {
      const { agent, sessionId } = await start();
      assert.equal((await agent.prompt(sessionId, text)).stopReason, "end_turn");
      assert.match(agent.messageText, answers[about] ?? /^$/, text);
    }
  });

  it("runs the tests in a terminal, after asking for permission", async () => {
    const { agent, sessionId } = await start();
    assert.equal((await agent.prompt(sessionId, "run the tests")).stopReason, "end_turn");
    const question = agent.questions[0];
    assert.deepEqual(
      question?.options.map(one => one.kind),
      ["allow_once", "allow_always", "reject_once"],
    );
    const tool = agent.tools.find(one => one.kind === "execute");
    assert.equal(question.toolCall.toolCallId, tool?.toolCallId);
    assert.deepEqual(tool?.content, [{ type: "terminal", terminalId: "t1" }]);
    assert.equal(tool.status, "failed");
    assert.match(agent.messageText, /5 of 10 tests fail[\s\S]*- sum adds every number of the list/);
    assert.match(agent.commands[0] ?? "", /--test/);
  });

  it("runs the tests with its own program if there is no node on the PATH", async () => {
    const { agent, sessionId } = await start({ env: { PATH: "" } });
    await agent.prompt(sessionId, "run the tests");
    assert.equal(agent.commands[0], `${process.execPath} --test --test-reporter=spec`);
    assert.match(agent.messageText, /5 of 10 tests fail/);
  });

  it("fixes the bug of the sample workspace: failure, question, edit, tests", async () => {
    const { agent, sessionId } = await start();
    const file = join(cwd, "src/sum.js");
    const old = await readFile(file, "utf8");
    assert.equal((await agent.prompt(sessionId, "fix the bug in sum.js")).stopReason, "end_turn");
    const edit = agent.tools.find(one => one.kind === "edit");
    const now = await readFile(file, "utf8");
    assert.deepEqual(edit?.content, [{ type: "diff", path: file, oldText: old, newText: now }]);
    assert.deepEqual([edit.status, edit.locations], ["completed", [{ path: file, line: 6 }]]);
    assert.equal(now, old.replace("let i = 1", "let i = 0"));
    const runs = agent.tools.filter(one => one.title.startsWith("Run "));
    assert.deepEqual(
      runs.map(one => one.status),
      ["failed", "completed"],
    );
    assert.equal(agent.questions.length, 2);
    assert.match(agent.messageText, /All 10 tests pass/);
    assert.ok(agent.tools.every(one => one.status === "completed" || one.status === "failed"));
  });

  it("finds the bug in a file that the named file imports", async () => {
    const folder = await folderOf({
      "inner.js": "exports.twice = n => n * 3;\n",
      "outer.js": 'const { twice } = require("./inner.js");\nexports.four = n => twice(twice(n));\n',
      "outer.test.js":
        'const { four } = require("./outer.js");\nrequire("node:test")("four", () => require("node:assert").equal(four(1), 4));\n',
    });
    const { agent, sessionId } = await start({ cwd: folder });
    await agent.prompt(sessionId, "/fix outer.js");
    assert.equal(await readFile(join(folder, "inner.js"), "utf8"), "exports.twice = n => n * 2;\n");
    assert.match(agent.messageText, /`3` became `2` in `inner\.js`, line 1/);
  });

  it("finds the bug when no file is named", async () => {
    const { agent, sessionId } = await start();
    await agent.prompt(sessionId, "The tests fail. Please repair what is broken.");
    assert.match(await readFile(join(cwd, "src/sum.js"), "utf8"), /let i = 0/);
  });

  it("reports that there is nothing to fix", async () => {
    const file = join(cwd, "src/sum.js");
    const right = (await readFile(file, "utf8")).replace("let i = 1", "let i = 0");
    await writeFile(file, right);
    const { agent, sessionId } = await start();
    await agent.prompt(sessionId, "fix the bug in sum.js");
    assert.match(agent.messageText, /All 10 tests pass.*nothing to fix in `src\/sum\.js`/);
    assert.equal(await readFile(file, "utf8"), right);
    assert.equal(
      agent.tools.some(one => one.kind === "edit"),
      false,
    );
  });

  it("works the same in a folder where every file and function has another name", async () => {
    await rename(join(cwd, "src"), join(cwd, "lib"));
    await rename(join(cwd, "lib/sum.js"), join(cwd, "lib/adding.mjs"));
    await rename(join(cwd, "test/sum.test.js"), join(cwd, "test/adding.test.mjs"));
    const files = [
      "lib/adding.mjs",
      "lib/cart.js",
      "lib/text.js",
      "test/adding.test.mjs",
      "test/cart.test.js",
      "test/text.test.js",
    ];
    for (const file of files) {
      const text = await readFile(join(cwd, file), "utf8");
      const renamed = text
        .replaceAll("../src/", "../lib/")
        .replaceAll("sum.js", "adding.mjs")
        .replace(/\bsum\b/g, "addUp")
        .replace(/\blargest\b/g, "biggest");
      await writeFile(join(cwd, file), renamed);
    }
    const { agent, sessionId } = await start();
    await agent.prompt(sessionId, "explain adding.mjs");
    assert.match(agent.messageText, /## lib\/adding\.mjs[\s\S]*`addUp\(numbers\)`[\s\S]*`biggest\(numbers\)`/);
    await agent.prompt(sessionId, "fix the bug in adding.mjs");
    assert.match(await readFile(join(cwd, "lib/adding.mjs"), "utf8"), /let i = 0/);
    await agent.prompt(sessionId, "plan a refactor");
    assert.match(agent.messageText, /lib\/cart\.js:\d+` and `lib\/text\.js:\d+` contain the same lines/);
    assert.doesNotMatch(agent.messageText, /src\/|sum\.js/);
  });

  const loop =
    "exports.f = list => {\n  let all = 0;\n  for (let i = 0; i < list.length; i += 1) all += list[i];\n  return all;\n};\n";
  const repairs: readonly (readonly [name: string, good: string, right: string, wrong: string, call: string])[] = [
    ["an off-by-one bound", loop, "i < list.length", "i <= list.length", "f([1, 2]), 3"],
    ["a wrong first value", loop, "let all = 0;", "let all = 1;", "f([1, 2]), 3"],
    ["the wrong operator", "exports.f = (a, b) => a - b;\n", "a - b", "a + b", "f(5, 3), 2"],
    ["a comparison the wrong way round", "exports.f = (a, b) => (a > b ? a : b);\n", "a > b", "a < b", "f(5, 3), 5"],
    ["the wrong one of two functions", "exports.f = (a, b) => Math.max(a, b);\n", "max", "min", "f(5, 3), 5"],
  ];
  for (const [name, good, right, wrong, call] of repairs) {
    it(`repairs ${name}`, async () => {
      assert.ok(good.includes(right));
      const folder = await folderOf({
        "small.js": good.replace(right, wrong),
        "small.test.js": `const { f } = require("./small.js");\nrequire("node:test")("t", () => require("node:assert").equal(${call}));\n`,
      });
      const { agent, sessionId } = await start({ cwd: folder });
      await agent.prompt(sessionId, "fix the bug in small.js");
      assert.equal(await readFile(join(folder, "small.js"), "utf8"), good);
    });
  }

  it("admits when no small change helps", async () => {
    const folder = await folderOf({
      "a.js": "exports.f = () => undefined;\n",
      "a.test.js": `const { f } = require("./a.js");\nrequire("node:test")("t", () => require("node:assert").equal(f(), 42));\n`,
    });
    const { agent, sessionId } = await start({ cwd: folder });
    await agent.prompt(sessionId, "fix the bug in a.js");
    assert.match(agent.messageText, /none makes the tests pass/);
    assert.equal(
      agent.tools.some(one => one.kind === "edit"),
      false,
    );
  });

  it("leaves the file unchanged when the edit is rejected, and shows the rejected edit", async () => {
    const file = join(cwd, "src/sum.js");
    const old = await readFile(file, "utf8");
    const { agent, sessionId } = await start({
      choose: question => (kindOf(question) === "edit" ? "reject" : "allow"),
    });
    assert.equal((await agent.prompt(sessionId, "fix the bug in sum.js")).stopReason, "end_turn");
    assert.equal(await readFile(file, "utf8"), old);
    assert.equal(agent.tools.find(one => one.kind === "edit")?.status, "failed");
    assert.match(agent.messageText, /You rejected the change[\s\S]*^\+.*let i = 0/m);
  });

  it("runs nothing when the command is rejected", async () => {
    const { agent, sessionId } = await start({ choose: () => "reject" });
    await agent.prompt(sessionId, "run the tests");
    assert.deepEqual(agent.commands, []);
    assert.match(agent.messageText, /did not run/);
    await agent.prompt(sessionId, "fix the bug in sum.js");
    assert.deepEqual(agent.commands, []);
    assert.equal(
      agent.tools.some(one => one.title.startsWith("Try")),
      false,
    );
  });

  it('does not ask again after "always allow", until the mode is reset', async () => {
    const { agent, sessionId } = await start({ choose: () => "always" });
    await agent.prompt(sessionId, "run the tests");
    await agent.prompt(sessionId, "run the tests");
    assert.equal(agent.questions.length, 1);
    await agent.connection.agent.request("session/set_config_option", { sessionId, configId: "mode", value: "ask" });
    await agent.prompt(sessionId, "run the tests");
    assert.equal(agent.questions.length, 2);
  });

  it("asks each time in the read-only mode, which offers no permanent answer", async () => {
    const { agent, sessionId } = await start({ choose: () => "allow" });
    await agent.connection.agent.request("session/set_config_option", { sessionId, configId: "mode", value: "read" });
    for (let i = 0; i < 2; i++) await agent.prompt(sessionId, "run the tests");
    const kinds = agent.questions.map(({ options }) => options.map(({ kind }) => kind).join());
    assert.deepEqual(kinds, ["allow_once,reject_once", "allow_once,reject_once"]);
  });

  it("does not ask for permission in the mode that edits freely", async () => {
    const { agent, sessionId } = await start({ choose: () => assert.fail("asked") });
    const { configOptions } = await agent.connection.agent.request("session/set_config_option", {
      sessionId,
      configId: "mode",
      value: "free",
    });
    assert.equal(configOptions[0]?.currentValue, "free");
    await agent.prompt(sessionId, "fix the bug in sum.js");
    assert.match(await readFile(join(cwd, "src/sum.js"), "utf8"), /let i = 0/);
  });

  it("sends no thoughts if they are turned off", async () => {
    const { agent, sessionId } = await start();
    const set = { sessionId, configId: "thoughts", type: "boolean" as const, value: false };
    await agent.connection.agent.request("session/set_config_option", set);
    await agent.prompt(sessionId, "explain sum.js");
    assert.equal(agent.thought, "");
    assert.notEqual(agent.messageText, "");
  });

  it("moves its plan from pending to completed, step by step, and changes nothing", async () => {
    const before = await readFile(join(cwd, "src/text.js"), "utf8");
    const { agent, sessionId } = await start();
    await agent.prompt(sessionId, "plan a refactor");
    const plans = agent.updates
      .filter(update => update.sessionUpdate === "plan")
      .map(plan => plan.entries.map(e => e.status));
    const first = plans[0] ?? [];
    assert.deepEqual(first, ["in_progress", "pending", "pending", "pending", "pending"]);
    assert.deepEqual(
      plans.at(-1),
      first.map(() => "completed"),
    );
    for (const statuses of plans.slice(0, -1))
      assert.equal(statuses.filter(status => status === "in_progress").length, 1);
    assert.match(agent.messageText, /\| `src\/cart\.js` \| 28 \| 4 \|/);
    assert.match(agent.messageText, /`src\/cart\.js:25` and `src\/text\.js:30` contain the same lines/);
    assert.match(agent.messageText, /not tested\*\*: `receipt`/);
    assert.equal(await readFile(join(cwd, "src/text.js"), "utf8"), before);
  });

  it("lists its abilities when greeted, naming files of this folder", async () => {
    const folder = await folderOf({ "zebra.js": "export const stripes = () => 2;\n" });
    const { agent, sessionId } = await start({ cwd: folder });
    await agent.prompt(sessionId, "hello");
    assert.match(agent.messageText, /demo agent[\s\S]*Explain zebra\.js/);
    assert.deepEqual(agent.filesRead, []);
  });

  it("works with a client that offers neither files nor terminals, and mentions it", async () => {
    const { agent, sessionId } = await start({ capabilities: {} });
    await agent.prompt(sessionId, "explain sum.js");
    assert.match(agent.messageText, /read from the disk[\s\S]*`sum\(numbers\)`/);
    await agent.prompt(sessionId, "run the tests");
    assert.match(agent.messageText, /does not offer terminals/);
    await agent.prompt(sessionId, "fix the bug in sum.js");
    assert.match(agent.messageText, /make this change yourself:[\s\S]*^\+.*let i = 0/m);
    assert.deepEqual([agent.filesRead, agent.commands], [[], []]);
    assert.match(await readFile(join(cwd, "src/sum.js"), "utf8"), /let i = 1/);
  });

  it("does not overwrite a file that changed while the question was open", async () => {
    const file = join(cwd, "src/sum.js");
    const buffers = new Map<string, string>();
    const other = "// mine\n";
    const choose: ClientSetup["choose"] = question => {
      if (kindOf(question) === "edit") buffers.set(file, other);
      return "allow";
    };
    const { agent, sessionId } = await start({ buffers, choose });
    await agent.prompt(sessionId, "fix the bug in sum.js");
    assert.match(agent.messageText, /has changed since I read it/);
    assert.match(await readFile(file, "utf8"), /let i = 1/);
  });

  it("names a file that cannot be read", async () => {
    const { agent, sessionId } = await start({ cwd: join(cwd, "gone") });
    await agent.prompt(sessionId, "explain this file");
    assert.match(agent.messageText, /I could not read/);
  });

  describe("when cancelled", () => {
    it("ends at once with a question open, and completes its tool calls", async () => {
      const { agent, sessionId } = await start({ choose: () => undefined });
      const turn = agent.prompt(sessionId, "run the tests");
      await agent.until(() => agent.questions.length === 1);
      await agent.cancel(sessionId);
      assert.equal((await turn).stopReason, "cancelled");
      assert.equal(agent.tools.find(one => one.kind === "execute")?.status, "failed");
      assert.deepEqual(agent.commands, []);
      assert.equal(agent.messageText, "");
    });

    it("ends a running terminal, and releases it", async () => {
      const folder = await folderOf({
        "package.json": JSON.stringify({ scripts: { test: "node slow.js" } }),
        "slow.js": "setInterval(() => {}, 1000);\n",
      });
      const { agent, sessionId } = await start({ cwd: folder });
      const turn = agent.prompt(sessionId, "run the tests");
      await agent.until(() => agent.terminals.size === 1);
      const [terminal] = agent.terminals.values();
      await agent.cancel(sessionId);
      assert.equal((await turn).stopReason, "cancelled");
      assert.equal(agent.terminals.size, 0);
      assert.equal((await terminal?.exited)?.signal, "SIGKILL");
    });

    it("ends the trials on the copy, and removes the copy", async () => {
      // Other tests make copies in the usual folder at the same time.
      const temporary = await folderOf({});
      const copies = (): readonly string[] => readdirSync(temporary).filter(name => name.startsWith("parley-demo-"));
      const folder = await folderOf({
        "package.json": JSON.stringify({ scripts: { test: "node quick.test.js" } }),
        "a.js": "exports.a = 1;\n",
        "quick.test.js": `const { a } = require("./a.js");\nconst test = require("node:test");\nif (__dirname.includes("parley-demo-")) while (true);\ntest("t", () => require("node:assert").equal(a, 2));\n`,
      });
      const { agent, sessionId } = await start({
        cwd: folder,
        env: { TMPDIR: temporary, TEMP: temporary, TMP: temporary },
      });
      const turn = agent.prompt(sessionId, "fix a.js");
      await agent.until(() => agent.tools.some(one => one.title.startsWith("Try")));
      // The agent reports a trial before it makes the copy.
      await until(() => copies().length === 1);
      await agent.cancel(sessionId);
      assert.equal((await turn).stopReason, "cancelled");
      assert.deepEqual(copies(), []);
      assert.ok(agent.tools.every(one => one.status === "completed" || one.status === "failed"));
    });

    it("stops in the middle of a message, at its usual pace", async () => {
      const { agent, sessionId } = await start({ env: { PARLEY_DEMO_SPEED: "20" } });
      const turn = agent.prompt(sessionId, "hello");
      await agent.until(() => agent.messageText !== "");
      await agent.cancel(sessionId);
      assert.equal((await turn).stopReason, "cancelled");
      assert.doesNotMatch(agent.messageText, /\/help/);
    });
  });

  it("serves several sessions at once, each in its own folder", async () => {
    const other = await folderOf({ "other.js": "export function elsewhere() {}\n" });
    const { agent, sessionId } = await start({ choose: () => undefined });
    const waiting = agent.prompt(sessionId, "run the tests");
    await agent.until(() => agent.questions.length === 1);
    const second = await agent.connection.agent.request("session/new", { cwd: other, mcpServers: [] });
    await agent.prompt(second.sessionId, "explain other.js");
    assert.match(agent.messageText, /elsewhere/);
    await assert.rejects(agent.prompt(sessionId, "hello"), /still busy/);
    await agent.cancel(sessionId);
    assert.equal((await waiting).stopReason, "cancelled");
  });

  it("forgets a closed session, and refuses unknown sessions", async () => {
    const { agent, sessionId } = await start();
    await agent.connection.agent.request("session/close", { sessionId });
    await assert.rejects(agent.prompt(sessionId, "hello"), /There is no session/);
  });

  it("exits when its client disconnects in the middle of a turn", async () => {
    const { agent, sessionId } = await start({ env: { PARLEY_DEMO_SPEED: "20" } });
    void agent.prompt(sessionId, "plan a refactor").catch(() => undefined);
    await agent.until(() => agent.updates.some(update => update.sessionUpdate === "plan"));
    await agent.close();
    assert.deepEqual(await agent.exited, { code: 0, signal: null });
    assert.equal(agent.stderr, "");
  });

  it("sends only updates of the protocol's stable first version", async () => {
    const { agent, sessionId } = await start();
    for (const prompt of ["hello", "explain sum.js", "plan a refactor", "run the tests"])
      await agent.prompt(sessionId, prompt);
    const known: readonly SessionUpdate["sessionUpdate"][] = [
      "agent_message_chunk",
      "agent_thought_chunk",
      "available_commands_update",
      "plan",
      "session_info_update",
      "tool_call",
      "tool_call_update",
      "usage_update",
    ];
    assert.deepEqual([...new Set(agent.updates.map(update => update.sessionUpdate))].sort(), known);
  });
});
