// Every method of protocol version 1 that an agent may call on the client, except permission requests (see
// test/permissions/permissionRequests.host.test.ts). The agent is built on the official SDK. The tests check the result
// in the editor: buffer, disk, undo, cursors and encodings, and processes.
import assert from "node:assert/strict";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { openQuestions, toolKey } from "../../src/session/state.ts";
import { isAlive } from "../support/fakes/until.ts";
import {
  errorCodes,
  processTreeScript,
  sdkSuite,
  type,
  withFiles,
  type Outcome,
  type Params,
  type SdkSession,
  type Step,
} from "../support/host/sdkSession.ts";

describe("an agent built on the official SDK", () => {
  const suite = sdkSuite();
  const { path, put, read } = suite;
  let sdk: SdkSession;
  let storage: string;
  let folder: string;
  beforeEach(() => ({ sdk, storage, folder } = suite));

  const disk = async (name: string): Promise<string> => (await readFile(path(name))).toString();
  const show = async (name: string): Promise<vscode.TextEditor> =>
    vscode.window.showTextDocument(await vscode.workspace.openTextDocument(path(name)), { preview: false });
  const write = async (name: string, content: string): Promise<void> =>
    assert.deepEqual(await sdk.get("fs/write_text_file", { path: path(name), content }), {});

  describe("when it reads a text file", () => {
    const method = "fs/read_text_file";

    it("gets the text on disk if the file is not open", async () => {
      await put("a.txt", "één\r\ntwee\n");
      assert.equal(await read("a.txt"), "één\r\ntwee\n");
    });

    it("gets the unsaved text in the editor", async () => {
      await put("a.txt", "old\n");
      await type(await show("a.txt"), "unsaved ☃\n");
      assert.equal(await read("a.txt"), "unsaved ☃\n");
      assert.equal(await disk("a.txt"), "old\n");
    });

    it("gets the requested lines, on disk and in the editor alike", async () => {
      await put("a.txt", "one\ntwo\nthree\nfour");
      for (const saved of [true, false]) {
        if (!saved) await type(await show("a.txt"), "ONE\nTWO\nTHREE\nFOUR");
        const windows = [{ line: 2, limit: 2 }, { line: 3 }, { limit: 1 }, { line: 4 }, { line: 5 }, { limit: 0 }];
        const texts: string[] = [];
        for (const window of windows) texts.push(await read("a.txt", window));
        const wanted = ["two\nthree\n", "three\nfour", "one\n", "four", "", ""];
        assert.deepEqual(texts, saved ? wanted : wanted.map(text => text.toUpperCase()));
      }
    });

    it("gets an error that names a missing file", async () => {
      await sdk.assertRefused(
        method,
        { path: path("none.txt") },
        errorCodes.resourceNotFound,
        /none\.txt.* does not exist/,
      );
    });

    it("is refused a folder, binary data and a path that is not absolute", async () => {
      await put("binary", Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 0, 2]));
      await sdk.assertRefused(method, { path: folder }, errorCodes.invalidParams, /folder/);
      await sdk.assertRefused(method, { path: path("binary") }, errorCodes.invalidParams, /binary/);
      await sdk.assertRefused(method, { path: "a.txt" }, errorCodes.invalidParams, /relative/);
    });

    it("needs the user's permission outside the workspace", async () => {
      const outside = join(await realpath(storage), "outside.txt");
      await writeFile(outside, "far away\n");
      const usual = sdk.settings;
      try {
        sdk.settings = { ...usual, outsideWorkspace: "refuse" };
        await sdk.assertRefused(method, { path: outside }, errorCodes.invalidParams, /outside this session's folders/);
        sdk.settings = { ...usual, outsideWorkspace: "ask" };
        for (const [answer, code] of [
          ["refuse", errorCodes.internalError],
          ["withdraw", errorCodes.requestCancelled],
          ["stop", errorCodes.requestCancelled],
          ["allow", undefined],
        ] as const) {
          const turn = sdk.begin({ request: method, params: { path: outside }, as: "read" });
          const [ask] = await sdk.waitForQuestions(1);
          assert.match(ask?.title ?? "", /SDK Agent wants to read .*outside\.txt/);
          if (answer === "withdraw") await sdk.session.setOption("withdraw", "read");
          else if (answer === "stop") sdk.session.stop();
          else sdk.session.answer(ask?.id ?? "", answer);
          const [{ result, error }] = (await turn.done) as readonly [Outcome];
          assert.deepEqual([error?.code, result], [code, code === undefined ? { content: "far away\n" } : undefined]);
          assert.deepEqual(openQuestions(sdk.state), []);
        }
      } finally {
        sdk.settings = usual;
      }
    });
  });

  describe("when it writes a text file", () => {
    it("saves an open file without unsaved changes, and one undo restores the old text", async () => {
      await put("a.txt", "one\ntwo\nthree\nfour\nfive\n");
      const { document } = await show("a.txt");
      await write("a.txt", "1\ntwo\n3\nfour\n5\nsix\n");
      assert.deepEqual([document.getText(), document.isDirty], ["1\ntwo\n3\nfour\n5\nsix\n", false]);
      assert.equal(await disk("a.txt"), "1\ntwo\n3\nfour\n5\nsix\n");
      await vscode.commands.executeCommand("undo");
      assert.equal(document.getText(), "one\ntwo\nthree\nfour\nfive\n");
      await vscode.commands.executeCommand("redo");
      assert.equal(document.getText(), "1\ntwo\n3\nfour\n5\nsix\n");
    });

    it("moves cursors and selections with their text", async () => {
      await put("a.txt", "first\nconst one = 1; // keep me\nlast\n");
      const editor = await show("a.txt");
      const texts = (): readonly string[] => editor.selections.map(selection => editor.document.getText(selection));
      editor.selections = [new vscode.Selection(1, 18, 1, 25), new vscode.Selection(2, 4, 2, 0)];
      assert.deepEqual(texts(), ["keep me", "last"]);
      await write("a.txt", "zero\nfirst\nsecond\nconst three = 30; // keep me\nlast\nafter\n");
      assert.deepEqual(texts(), ["keep me", "last"]);
      const [, reversed] = editor.selections;
      assert.ok(reversed?.isReversed, "it runs backwards as before");
    });

    it("changes only the buffer of a file with unsaved changes, and one undo restores the user's text", async () => {
      await put("a.txt", "one\n");
      const editor = await show("a.txt");
      await type(editor, "one\nmine\n");
      await write("a.txt", "one\nmine\nagent's\n");
      assert.deepEqual([editor.document.getText(), editor.document.isDirty], ["one\nmine\nagent's\n", true]);
      assert.equal(await disk("a.txt"), "one\n");
      assert.equal(await read("a.txt"), "one\nmine\nagent's\n");
      await vscode.commands.executeCommand("undo");
      assert.equal(editor.document.getText(), "one\nmine\n");
    });

    it("keeps the line endings of the file", async () => {
      await put("crlf.txt", "one\r\ntwo\r\n");
      const { document } = await show("crlf.txt");
      await write("crlf.txt", "one\nzwei\nthree\n");
      assert.equal(await disk("crlf.txt"), "one\r\nzwei\r\nthree\r\n");
      assert.deepEqual([document.eol, document.isDirty], [vscode.EndOfLine.CRLF, false]);
      await put("lf.txt", "one\n");
      await write("lf.txt", "one\r\ntwo\r\n");
      assert.equal(await disk("lf.txt"), "one\ntwo\n");
    });

    it("keeps UTF-16 with its byte-order mark, open or not", async () => {
      const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, "utf16le");
      const big = (text: string): Buffer => utf16(text).swap16();
      for (const [name, encoded] of [
        ["little.txt", utf16],
        ["big.txt", big],
      ] as const) {
        await put(name, encoded("één\n"));
        assert.equal(await read(name), "één\n");
        await write(name, "één ☃\n");
        assert.deepEqual(await readFile(path(name)), encoded("één ☃\n"));
        const { document } = await show(name);
        await write(name, "één ☃ 🦜\n");
        assert.deepEqual(await readFile(path(name)), encoded("één ☃ 🦜\n"));
        assert.deepEqual([document.getText(), document.isDirty], ["één ☃ 🦜\n", false]);
      }
    });

    it("keeps the encoding of files.encoding, and is refused characters that it lacks", async () => {
      const latin = (text: string): Buffer => Buffer.from(text, "latin1");
      await withFiles({ encoding: "windows1252" }, async () => {
        await put("a.txt", latin("caf\xe9\n"));
        assert.equal(await read("a.txt"), "café\n");
        await write("a.txt", "thé\n");
        assert.deepEqual(await readFile(path("a.txt")), latin("th\xe9\n"));
        await write("new.txt", "né\n");
        assert.deepEqual(await readFile(path("new.txt")), latin("n\xe9\n"));
        const params = { path: path("a.txt"), content: "☃\n" };
        await sdk.assertRefused("fs/write_text_file", params, errorCodes.invalidParams, /windows1252/);
        assert.deepEqual(await readFile(path("a.txt")), latin("th\xe9\n"));
      });
    });

    it("creates a new file in new folders, and opens no editor for it", async () => {
      // VS Code itself opens an editor for a text that stays unsaved for 0.8 s, which happens on a busy machine.
      for (let round = 0; ; round++) {
        const before = tabs();
        const name = `deep ${round}/down/new.txt`;
        await write(name, "new\n");
        assert.equal(await disk(name), "new\n");
        assert.equal(await read(name), "new\n");
        if (tabs().length === before.length) break;
        assert.ok(round < 4, "An editor opened for each of five new files.");
      }
    });

    it("may write many times at once, in the order sent", async () => {
      const sent = Array.from({ length: 20 }, (_, index): Step => {
        const params = { path: path(index % 2 === 0 ? "even.txt" : "odd.txt"), content: `${index}\n` };
        return { request: "fs/write_text_file", params };
      });
      const { document } = await put("even.txt", "start\n").then(() => show("even.txt"));
      const [outcomes] = (await sdk.begin(sent).done) as readonly [readonly Outcome[]];
      assert.deepEqual(
        outcomes,
        sent.map(() => ({ result: {} })),
      );
      assert.deepEqual([await disk("even.txt"), await disk("odd.txt")], ["18\n", "19\n"]);
      assert.deepEqual([document.getText(), document.isDirty], ["18\n", false]);
    });

    it("may write while the editor saves automatically", async () => {
      await withFiles({ autoSave: "afterDelay", autoSaveDelay: 1 }, async () => {
        await put("a.txt", "start\n");
        await show("a.txt");
        for (let n = 0; n < 10; n++) {
          await write("a.txt", `${n}\n`);
          assert.equal(await disk("a.txt"), `${n}\n`);
        }
      });
    });

    it("is refused to overwrite a folder or binary data, and to write below a file", async () => {
      await put("binary", Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 0, 2]));
      await put("a.txt", "one\n");
      const method = "fs/write_text_file";
      await sdk.assertRefused(method, { path: folder, content: "" }, errorCodes.invalidParams, /folder/);
      await sdk.assertRefused(method, { path: path("binary"), content: "" }, errorCodes.invalidParams, /binary/);
      await sdk.assertRefused(
        method,
        { path: path("a.txt/b.txt"), content: "" },
        errorCodes.internalError,
        /not a folder/,
      );
      assert.equal(await disk("a.txt"), "one\n");
      assert.equal((await readFile(path("binary"))).length, 8);
    });
  });

  describe("when it runs a command", () => {
    const node = (script: string, more: Params = {}): Params => ({
      command: process.execPath,
      args: ["-e", script],
      env: [{ name: "ELECTRON_RUN_AS_NODE", value: "1" }],
      ...more,
    });
    const create = async (params: Params): Promise<{ readonly terminalId: string }> =>
      sdk.get("terminal/create", params);
    const output = (terminal: Params) =>
      sdk.get<{ readonly output: string; readonly truncated: boolean; readonly exitStatus?: unknown }>(
        "terminal/output",
        terminal,
      );

    /** Allows every command once. */
    const allow = (): void => {
      for (const { id } of openQuestions(sdk.state)) sdk.session.answer(id, "allow");
    };
    let allowing: { dispose(): void };
    beforeEach(() => (allowing = sdk.session.onDidChange(() => queueMicrotask(allow))));
    afterEach(() => allowing.dispose());

    it("needs the user's permission without a rule, and runs nothing if the user refuses", async () => {
      allowing.dispose();
      const turn = sdk.begin({ request: "terminal/create", params: node("", { cwd: folder }) });
      const [ask] = await sdk.waitForQuestions(1);
      assert.match(ask?.title ?? "", /^SDK Agent wants to run a command in /);
      sdk.session.answer(ask?.id ?? "", "refuse");
      const [{ error }] = (await turn.done) as readonly [Outcome];
      assert.match(error?.message ?? "", /did not allow this/);
    });

    it("gets its output and its exit code, and so does the panel", async () => {
      const terminal = await create(node("console.log('out'); console.error('err ☃'); process.exitCode = 3"));
      assert.deepEqual(await sdk.get("terminal/wait_for_exit", terminal), { exitCode: 3, signal: null });
      assert.deepEqual(await output(terminal), {
        output: "out\nerr ☃\n",
        truncated: false,
        exitStatus: { exitCode: 3, signal: null },
      });
      await sdk.until(state => state.terminals.get(terminal.terminalId)?.exit?.exitCode === 3);
      assert.equal(sdk.state.terminals.get(terminal.terminalId)?.output, "out\nerr ☃\n");
      await sdk.get("terminal/release", terminal);
      assert.equal(sdk.state.terminals.get(terminal.terminalId)?.output, "out\nerr ☃\n", "the panel keeps showing it");
    });

    it("may set its folder and variables, and limit the output to the newest part", async () => {
      const script = "process.stdout.write(`${'x'.repeat(100)}${process.cwd()}|${process.env.GREETING}`)";
      const env = [
        { name: "ELECTRON_RUN_AS_NODE", value: "1" },
        { name: "GREETING", value: "hé" },
      ];
      const kept = Buffer.byteLength(`${folder}|hé`);
      const terminal = await create(node(script, { cwd: folder, env, outputByteLimit: kept }));
      await sdk.get("terminal/wait_for_exit", terminal);
      const { output: text, truncated } = await output(terminal);
      assert.deepEqual([text, truncated], [`${folder}|hé`, true]);
      await sdk.get("terminal/release", terminal);
    });

    it("may use the SDK's own terminal handle, from creation to release", async () => {
      const [{ result, error }] = (await sdk.play({ terminal: node("console.log('hello')") })) as readonly [Outcome];
      assert.equal(error, undefined, error?.message);
      const { exit, output: got, killed, after } = result as Record<"exit" | "output" | "killed" | "after", Outcome>;
      assert.deepEqual([exit, killed], [{ exitCode: 0, signal: null }, {}]);
      assert.deepEqual(got, { output: "hello\n", truncated: false, exitStatus: { exitCode: 0, signal: null } });
      assert.equal(after.error?.code, errorCodes.resourceNotFound);
    });

    const started: number[] = [];
    const treePids = async (): Promise<readonly number[]> => {
      started.push(
        ...(await Promise.all(["child", "grandchild"].map(async role => Number(await disk(`${role}.pid`))))),
      );
      return started;
    };
    afterEach(() => {
      // Processes left behind by a failed test.
      for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    });

    it("kills its whole process tree, and keeps its output", async function () {
      if (process.platform === "win32") return this.skip();
      await put("tree.cjs", processTreeScript);
      const terminal = await create(node("", { args: [path("tree.cjs")], cwd: folder }));
      await sdk.until(state => state.terminals.get(terminal.terminalId)?.output.includes("grandchild\n") ?? false);
      const pids = await treePids();
      assert.deepEqual(pids.map(isAlive), [true, true]);
      assert.equal((await output(terminal)).exitStatus, undefined);
      const waiting = sdk.begin([
        { request: "terminal/wait_for_exit", params: terminal },
        { request: "terminal/kill", params: terminal },
      ]);
      assert.deepEqual(await waiting.done, [[{ result: { exitCode: null, signal: "SIGTERM" } }, { result: {} }]]);
      assert.deepEqual(pids.map(isAlive), [false, false]);
      const { output: text, exitStatus } = await output(terminal);
      assert.match(text, /child\ngrandchild\n/);
      assert.deepEqual(exitStatus, { exitCode: null, signal: "SIGTERM" });
      await sdk.get("terminal/release", terminal);
    });

    it("ends the processes that it left behind on release, also in groups of their own", async function () {
      if (process.platform === "win32") return this.skip();
      await put("tree.cjs", processTreeScript);
      const terminal = await create(node("", { args: [path("tree.cjs"), "starter"], cwd: folder }));
      assert.deepEqual(await sdk.get("terminal/wait_for_exit", terminal), { exitCode: 0, signal: null });
      const pids = await treePids();
      assert.deepEqual(pids.map(isAlive), [true, true]);
      await sdk.get("terminal/release", terminal);
      assert.deepEqual(pids.map(isAlive), [false, false]);
    });

    it("ends it on release, after which its id is invalid", async () => {
      const terminal = await create(node("console.log(process.pid); setInterval(() => {}, 1000)"));
      const printed = (): number => Number(sdk.state.terminals.get(terminal.terminalId)?.output);
      await sdk.until(() => printed() > 0);
      const pid = printed();
      assert.ok(isAlive(pid));
      assert.deepEqual(await sdk.get("terminal/release", terminal), {});
      assert.ok(!isAlive(pid));
      for (const method of ["output", "wait_for_exit", "kill", "release"])
        await sdk.assertRefused(`terminal/${method}`, terminal, errorCodes.resourceNotFound, /no such terminal/);
      await sdk.assertRefused(
        "terminal/output",
        { terminalId: "never" },
        errorCodes.resourceNotFound,
        /no such terminal/,
      );
    });

    it("may cancel its wait for exit, while the command continues", async () => {
      const terminal = await create(node("setInterval(() => {}, 1000)"));
      const turn = sdk.begin({ request: "terminal/wait_for_exit", params: terminal, as: "wait" });
      await sdk.session.setOption("withdraw", "wait");
      const [{ error }] = (await turn.done) as readonly [Outcome];
      assert.equal(error?.code, errorCodes.requestCancelled);
      assert.equal((await output(terminal)).exitStatus, undefined);
      await sdk.get("terminal/release", terminal);
    });

    it("gets an error for a program that does not exist", async () => {
      await sdk.assertRefused(
        "terminal/create",
        { command: "no-such-program-anywhere" },
        errorCodes.internalError,
        /not found on the/,
      );
    });
  });

  it("reports all updates in order, and the session applies them", async () => {
    const text = (words: string): Params => ({ type: "text", text: words });
    const updates: readonly Params[] = [
      { sessionUpdate: "agent_thought_chunk", content: text("Hm. ") },
      { sessionUpdate: "agent_thought_chunk", content: text("I see.") },
      { sessionUpdate: "agent_message_chunk", content: text("Hel") },
      { sessionUpdate: "agent_message_chunk", content: text("lo ☃") },
      { sessionUpdate: "tool_call", toolCallId: "u1", title: "Edit", kind: "edit", status: "in_progress" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "u1",
        status: "completed",
        content: [{ type: "diff", path: path("a.txt"), oldText: "a", newText: "b" }],
        locations: [{ path: path("a.txt"), line: 1 }],
      },
      { sessionUpdate: "plan", entries: [{ content: "A step", priority: "high", status: "pending" }] },
      { sessionUpdate: "available_commands_update", availableCommands: [{ name: "go", description: "Goes" }] },
      { sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 1.5, currency: "EUR" } },
      { sessionUpdate: "session_info_update", title: "About updates" },
      { sessionUpdate: "current_mode_update", currentModeId: "none" },
    ];
    const from = sdk.state.entries.length;
    const outcomes = await sdk.play(...updates.map((update): Step => ({ update })));
    assert.ok(outcomes.every(({ error }) => error === undefined));
    const { entries, plans, commands, usage, title } = sdk.state;
    const messages = [...entries].slice(from + 1, -1).map(entry => {
      if (entry.kind !== "message") return entry.kind;
      return [entry.author, ...entry.content.map(block => (block.type === "text" ? block.text : block.type))];
    });
    assert.deepEqual(messages, [["thought", "Hm. I see."], ["agent", "Hello ☃"], "tool"]);
    const tool = entries.get(toolKey("u1"));
    assert.ok(tool?.kind === "tool");
    assert.deepEqual(tool.fields, {
      title: "Edit",
      kind: "edit",
      status: "completed",
      content: [{ type: "diff", path: path("a.txt"), oldText: "a", newText: "b" }],
      locations: [{ path: path("a.txt"), line: 1 }],
    });
    assert.deepEqual([...plans.values()], [{ entries: [{ content: "A step", priority: "high", status: "pending" }] }]);
    assert.deepEqual(commands, [{ name: "go", description: "Goes" }]);
    assert.deepEqual(usage, { used: 10, size: 100, cost: { amount: 1.5, currency: "EUR" } });
    assert.equal(title, "About updates");
  });
});

function tabs(): readonly string[] {
  return vscode.window.tabGroups.all.flatMap(group => group.tabs).map(tab => tab.label);
}
