// The tools of a session with an editor and files of the test.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, type Log } from "../../src/base/log.ts";
import type { CodeProblem, EditorView, OpenEditor, ProblemCheck } from "../../src/editorTools/editorView.ts";
import { columnOf } from "../../src/editorTools/languageTools.ts";
import { linesPage, maxResultLength, resultPage, type ResultPage } from "../../src/editorTools/resultPages.ts";
import { callTool, toolDescriptions } from "../../src/editorTools/sessionTools.ts";
import type { ToolContext } from "../../src/editorTools/tool.ts";
import type { FieldSchema } from "../../src/editorTools/toolArguments.ts";
import type { ToolResult } from "../../src/editorTools/toolServer.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { track } from "../../src/review/fileChanges.ts";
import type { ReviewedFile } from "../../src/review/review.ts";
import type { PermissionQuestion } from "../../src/session/agent.ts";
import { gate, link } from "../support/fakes/accessGate.ts";
import { FakeClock, type FakeDocuments } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

/** An editor with what a test puts into it. */
class FakeEditor implements EditorView {
  editors: readonly OpenEditor[] = [];
  unsaved = new Set<string>();
  known: readonly CodeProblem[] = [];
  readonly opened: string[] = [];
  notOpened: readonly string[] = [];
  readonly checks = new Map<string, ProblemCheck>();
  spelled = (path: string): string => path;
  readonly changed = new Emitter<void>();
  lines: Readonly<Record<string, readonly string[]>> = {};
  readonly asked: unknown[] = [];
  /** The tools that act have tests of their own. */
  readonly edits = {} as EditorView["edits"];
  readonly files = {} as EditorView["files"];
  readonly tasks = {} as EditorView["tasks"];
  readonly extensionTools = {} as EditorView["extensionTools"];
  lastCommand: EditorView["lastCommand"] = () => undefined;
  readonly problems = {
    all: () => this.known,
    onDidChange: this.changed.event,
    open: (paths: readonly string[]) => {
      this.opened.push(...paths);
      return Promise.resolve(this.notOpened);
    },
    checkOf: (path: string) => Promise.resolve(this.checks.get(path) ?? "nothing"),
  };
  readonly languages: EditorView["languages"] = {
    symbolsOf: path => Promise.resolve([{ name: "f", kind: "function", path, line: 2, endLine: 4 }]),
    findSymbols: query =>
      Promise.resolve(
        ["/ws/a.ts", "/elsewhere/b.ts", "/ws/.env"].map(path => ({
          ...{ name: query, kind: "class", container: "m", path, line: 1, endLine: 1 },
        })),
      ),
    places: (kind, at) => {
      this.asked.push([kind, at]);
      const range = { line: 3, column: 2, endLine: 3, endColumn: 5 };
      return Promise.resolve(["/ws/b.ts", "/usr/lib/typings.d.ts"].map(path => ({ path, ...range })));
    },
    hover: at => {
      this.asked.push(at);
      return Promise.resolve(["```ts\nconst a: number\n```", " "]);
    },
    lineText: (path, line) => Promise.resolve(this.lines[path]?.[line - 1]),
  };
  openEditors(): readonly OpenEditor[] {
    return this.editors;
  }
  hasUnsavedText(path: string): boolean {
    return this.unsaved.has(path);
  }
}

interface Bench {
  readonly editor: FakeEditor;
  readonly documents: FakeDocuments;
  /** The files of the session, which the agent also reads and writes without the tools. */
  readonly files: SessionFiles;
  readonly clock: FakeClock;
  readonly errors: unknown[];
  readonly asked: readonly PermissionQuestion[];
  changes: readonly ReviewedFile[];
  call(name: string, given?: unknown, signal?: AbortSignal): Promise<ToolResult>;
}

/** A session in /ws. Without an answer, the user refuses what Parley asks. */
function bench(setup: Parameters<typeof gate>[0] = { answer: { option: "refuse" } }): Bench {
  const { access, asked, confinement, documents } = gate(setup);
  const editor = new FakeEditor();
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const log: Log = { ...nullLog, error: (...all) => errors.push(all) };
  const files = new SessionFiles(documents, confinement, {}, access);
  const context: ToolContext = {
    access: {
      ...{ confinement, gate: access, files },
      passes: path => access.passes(path),
      withholds: path => access.withholds(path),
      checkWrite: path => access.checkWrite(path),
    },
    editor,
    changes: () => made.changes,
    clock,
  };
  const never = new AbortController().signal;
  const made: Bench = {
    ...{ editor, documents, files, clock, errors, asked },
    changes: [],
    call: (name, given, signal = never) => callTool(name, given, { context, signal, log }),
  };
  return made;
}

const changedFile = (path: string, before: string | null, after: string | null): ReviewedFile => ({
  ...{ path, changes: track(before, after, "t1"), added: 1, removed: 1, turns: ["t1"] },
});

const problem = (path: string, line: number, severity: CodeProblem["severity"], message: string): CodeProblem => ({
  ...{ path, line, column: 1, endLine: line, endColumn: 2, severity, message, source: "ts", code: "2322" },
});

/** Whether the value is what the schema describes. */
function fits(value: unknown, schema: FieldSchema): boolean {
  switch (schema.type) {
    case "string":
      return typeof value === "string" && (!schema.enum || schema.enum.includes(value));
    case "integer":
      return Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "array":
      return Array.isArray(value) && value.every(item => fits(item, schema.items ?? { type: "string" }));
    case "object": {
      if (typeof value !== "object" || value === null) return false;
      const { properties = {}, required = [] } = schema;
      return (
        required.every(name => Object.hasOwn(value, name)) &&
        Object.entries(value).every(([name, one]) => {
          const field = properties[name];
          return field !== undefined && fits(one, field);
        })
      );
    }
  }
}

/** The structure of a result, which must be what the tool declares. */
function structureOf(name: string, result: ToolResult): Readonly<Record<string, unknown>> {
  assert.equal(result.isError, false, result.text);
  const schema = toolDescriptions.find(tool => tool.name === name)?.outputSchema;
  assert.ok(schema && fits(result.structured, schema), `${name}: ${JSON.stringify(result.structured)}`);
  return result.structured ?? {};
}

/** Runs the timers until the call ends. */
async function settled(made: Bench, call: Promise<ToolResult>): Promise<ToolResult> {
  let done = false;
  const ended = call.finally(() => (done = true));
  while (!done) {
    made.clock.advance(100);
    await new Promise(resolve => setImmediate(resolve));
  }
  return ended;
}

describe("the editor's tools", () => {
  it("have names, titles and schemas that every client accepts", () => {
    for (const { name, title, description, inputSchema, outputSchema, annotations } of toolDescriptions) {
      assert.match(name, /^[a-z][a-z_]{1,40}$/);
      assert.ok(title.length < 40 && description.length < 600, name);
      assert.deepEqual([inputSchema.type, outputSchema.type, annotations.readOnlyHint], ["object", "object", true]);
      for (const field of Object.values(inputSchema.properties)) assert.ok(field.description, name);
    }
  });

  it("refuse arguments that are missing, wrong or not known, and name each mistake", async () => {
    const { call } = bench();
    const texts = async (name: string, given: unknown): Promise<string> => {
      const { isError, text } = await call(name, given);
      assert.equal(isError, true);
      return text;
    };
    assert.match(await texts("read_file", {}), /“path” must be a string that is not empty\./);
    assert.match(await texts("read_file", { path: "/ws/a", line: 0.5 }), /“line” must be a whole number from 1/);
    assert.match(await texts("read_file", { path: "/ws/a", from: 1 }), /no argument “from”\. The arguments are: path,/);
    assert.match(await texts("read_file", [1]), /must be an object/);
    assert.match(await texts("diagnostics", { severity: "fatal" }), /must be one of error, warning/);
    assert.match(await texts("read_file", { path: "a".repeat(40_000) }), /at most 32000 characters/);
    assert.match(await texts("delete_file", {}), /no tool “delete_file”\. The tools are: read_file,/);
    assert.match(await texts("__proto__", {}), /no tool/);
  });

  it("accept null for an argument that is left out", async () => {
    const { call, documents } = bench();
    documents.put("/ws/a.txt", "x");
    assert.equal((await call("read_file", { path: "/ws/a.txt", line: null, limit: null })).isError, false);
  });

  it("never reject, whatever an agent sends", async () => {
    const { call } = bench();
    const names = toolDescriptions.map(({ name }) => name).filter(name => name !== "diagnostics");
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.jsonValue(), async (name, given) => {
        assert.equal(typeof (await call(name, given)).text, "string");
      }),
      { numRuns: 200 },
    );
  });

  it("report a failure of the editor as a sentence, and log it", async () => {
    const { call, editor, errors } = bench();
    editor.languages.findSymbols = () => Promise.reject(new Error("the server crashed"));
    const { isError, text } = await call("workspace_symbols", { query: "a" });
    assert.deepEqual([isError, text], [true, "The tool failed: the server crashed"]);
    assert.equal(errors.length, 1);
  });

  it("end a call that is cancelled, although the editor does not answer", async () => {
    const { call, editor } = bench();
    editor.languages.findSymbols = () => new Promise(() => {});
    const cancel = new AbortController();
    const running = call("workspace_symbols", { query: "a" }, cancel.signal);
    cancel.abort(new Error("gone"));
    assert.deepEqual(await running, { text: "The call was cancelled.", isError: true });
  });
});

describe("read_file", () => {
  it("reads the text of the editor with its unsaved changes, and says so", async () => {
    const { call, documents, editor } = bench();
    documents.put("/ws/a.txt", "old\n");
    documents.type("/ws/a.txt", "new\n");
    editor.unsaved.add("/ws/a.txt");
    const result = await call("read_file", { path: "/ws/a.txt" });
    assert.deepEqual(structureOf("read_file", result), {
      ...{ path: "/ws/a.txt", text: "new\n", line: 1, lines: 1, unsaved: true },
    });
    assert.match(result.text, /^new\n\n\[This text has changes that are not saved yet\.\]$/);
  });

  it("cuts a long file, and the parts add up to the whole", async () => {
    const { call, documents } = bench();
    const whole = Array.from({ length: 5000 }, (_, at) => `${at} ${"x".repeat(at % 50)}\n`).join("");
    documents.put("/ws/long.txt", whole);
    let text = "";
    for (let line: unknown = 1, parts = 0; line !== undefined; parts++) {
      assert.ok(parts < 20);
      const result = await call("read_file", { path: "/ws/long.txt", line });
      const part = structureOf("read_file", result);
      assert.ok(String(part["text"]).length <= maxResultLength);
      text += String(part["text"]);
      line = part["nextLine"];
      if (line !== undefined) assert.match(result.text, new RegExp(`Call again with line ${String(line)} `));
    }
    assert.equal(text, whole);
  });

  describe("of a file that the user has typed in since the agent read it", () => {
    const path = "/ws/long.txt";
    /** A hundred lines, of which one result has 39. */
    const lines = (changes: Readonly<Record<number, string>> = {}): string =>
      Array.from({ length: 100 }, (_, at) => `${changes[at + 1] ?? at + 1}`.padEnd(1000, ".") + "\n").join("");
    const typed = async (before: string, after: string) => {
      const made = bench();
      made.documents.put(path, before);
      await made.files.read({ path });
      made.documents.type(path, after);
      return { ...made, text: () => made.documents.buffers.get(path)?.text };
    };

    it("keeps what the result leaves out when the agent writes the file", async () => {
      const { call, files, text } = await typed(lines(), lines({ 60: "user" }));
      assert.equal(structureOf("read_file", await call("read_file", { path }))["nextLine"], 40);
      await files.write({ path, content: lines({ 1: "agent" }) });
      assert.equal(text(), lines({ 1: "agent", 60: "user" }));
    });

    it("keeps the line after the last one that the agent asked for", async () => {
      const { call, files, text } = await typed(lines(), lines({ 11: "user" }));
      await call("read_file", { path, limit: 10 });
      await files.write({ path, content: lines({ 1: "agent" }) });
      assert.equal(text(), lines({ 1: "agent", 11: "user" }));
    });

    it("keeps a line that is longer than a result", async () => {
      const long = "x".repeat(maxResultLength);
      const { call, files, text } = await typed(`${long}\n`, `${long}user\n`);
      assert.equal(structureOf("read_file", await call("read_file", { path }))["lineCut"], true);
      await assert.rejects(files.write({ path, content: `${long}agent\n` }), /changed since you read it/);
      assert.equal(text(), `${long}user\n`);
    });

    it("lets the agent replace what it got, also that lines at the end are gone", async () => {
      const changed = await typed(lines(), lines({ 60: "user" }));
      for (const line of [1, 40]) await changed.call("read_file", { path, line });
      await changed.files.write({ path, content: lines({ 60: "agent" }) });
      assert.equal(changed.text(), lines({ 60: "agent" }));
      const emptied = await typed("a\nb\n", "");
      assert.match((await emptied.call("read_file", { path })).text, /The file is empty\./);
      await emptied.files.write({ path, content: "a\nagent\n" });
      assert.equal(emptied.text(), "a\nagent\n");
    });
  });

  const outside: Readonly<Record<string, string>> = {
    "a path outside of the session's folders": "/etc/passwd",
    "a path that leaves them": "/ws/../etc/passwd",
    "a link that leads out of them": "/ws/link/passwd",
    "a likely secret": "/ws/.env",
    "a link to a likely secret": "/ws/harmless.txt",
    "a relative path": "a.txt",
    "a URI": "file:///etc/passwd",
    "the folder beside": "/ws2/a.txt",
  };
  for (const [what, path] of Object.entries(outside)) {
    it(`refuses ${what}, and so does each tool with a path`, async () => {
      const { call, documents, editor } = bench();
      for (const file of ["/etc/passwd", "/ws/.env", "/ws2/a.txt", "/ws/a.txt"]) documents.put(file, "root:secret\n");
      link(documents, "/ws/link", "/etc");
      link(documents, "/ws/harmless.txt", "/ws/.env");
      editor.lines = { "/etc/passwd": ["root:secret"], "/ws/.env": ["root:secret"] };
      for (const { name, inputSchema } of toolDescriptions) {
        if (!("path" in inputSchema.properties)) continue;
        const needed = (inputSchema.required ?? []).includes("line") ? { line: 1, symbol: "root" } : {};
        const kind = "kind" in inputSchema.properties ? { kind: "definition" } : {};
        const { isError, text } = await call(name, { path, ...needed, ...kind });
        assert.equal(isError, true, name);
        assert.doesNotMatch(text, /secret\n|:secret/, name);
        assert.match(text, /\.$/, name);
      }
      assert.deepEqual([editor.asked, editor.opened], [[], []]);
    });
  }

  it("reads a likely secret, and a file outside, if the user allows it", async () => {
    const { call, documents, asked } = bench({ answer: { option: "allow" } });
    for (const path of ["/ws/.env", "/etc/hosts"]) {
      documents.put(path, "A=1\n");
      assert.equal(structureOf("read_file", await call("read_file", { path }))["text"], "A=1\n");
    }
    assert.deepEqual(
      asked.map(({ title }) => title),
      ["Bot wants to read /ws/.env, which may hold secrets", "Bot wants to read /etc/hosts, outside this workspace"],
    );
  });

  it("obeys a rule that denies a file, and no list names it", async () => {
    const made = bench({ rules: [{ effect: "deny", path: "private/**" }] });
    made.documents.put("/ws/private/a.ts", "x");
    made.editor.known = [problem("/ws/private/a.ts", 1, "error", "x"), problem("/ws/a.ts", 1, "error", "y")];
    assert.equal((await made.call("read_file", { path: "/ws/private/a.ts" })).isError, true);
    const { problems, leftOut } = structureOf("diagnostics", await settled(made, made.call("diagnostics")));
    assert.deepEqual([(problems as readonly CodeProblem[]).map(({ path }) => path), leftOut], [["/ws/a.ts"], 1]);
    assert.deepEqual(made.asked, []);
  });
});

describe("open_editors", () => {
  it("lists editors with what is visible and selected, and counts those that the session may not see", async () => {
    const { call, editor } = bench();
    const closed = { isActive: false, isVisible: false, hasUnsavedChanges: false };
    editor.editors = [
      {
        ...{ path: "/ws/a.ts", isActive: true, isVisible: true, hasUnsavedChanges: true, visibleLines: [[1, 40]] },
        selections: [{ line: 2, column: 1, endLine: 2, endColumn: 4, text: "abc" }],
      },
      { path: "/ws/b.ts", ...closed },
      { path: "/ws/.env", ...closed, selections: [{ line: 1, column: 1, endLine: 1, endColumn: 9, text: "SECRET=1" }] },
      { path: "/elsewhere/diary.txt", ...closed },
    ];
    const result = await call("open_editors");
    const structured = structureOf("open_editors", result);
    assert.deepEqual(
      [(structured["editors"] as readonly { path: string }[]).map(({ path }) => path), structured["leftOut"]],
      [["/ws/a.ts", "/ws/b.ts"], 2],
    );
    assert.match(
      result.text,
      /^\/ws\/a\.ts \(active, unsaved, lines 1-40\)\n {2}selected 2:1-2:4:\nabc\n\/ws\/b\.ts\n2 /,
    );
    assert.doesNotMatch(JSON.stringify(result), /SECRET|diary|\.env/);
  });
});

describe("diagnostics", () => {
  it("lists errors first, and leaves out what is less severe or may not be seen", async () => {
    const made = bench();
    made.editor.known = [
      problem("/ws/b.ts", 3, "warning", "unused"),
      problem("/ws/a.ts", 9, "error", "wrong type"),
      problem("/ws/a.ts", 2, "hint", "could be const"),
      problem("/ws/.env", 1, "error", "SECRET is not set"),
      problem("/elsewhere/c.ts", 1, "error", "far away"),
    ];
    const result = await settled(made, made.call("diagnostics"));
    const {
      problems,
      total,
      settled: isSettled,
      leftOut,
    } = structureOf("diagnostics", result) as {
      readonly problems: readonly CodeProblem[];
    } & Record<string, unknown>;
    assert.deepEqual(
      [problems.map(({ message }) => message), total, isSettled, leftOut],
      [["wrong type", "unused"], 2, true, 2],
    );
    assert.match(result.text, /^1 error, 1 warning\.\n\/ws\/a\.ts:9:1 error: wrong type \(ts 2322\)\n/);
    assert.doesNotMatch(JSON.stringify(result), /SECRET|elsewhere/);
  });

  it("opens the files that the session changed, and names those that no language server has checked", async () => {
    const made = bench();
    made.changes = [
      changedFile("/ws/a.ts", "a\n", "b\n"),
      changedFile("/ws/notes.xyz", "a\n", "b\n"),
      changedFile("/ws/gone.ts", "a\n", null),
      changedFile("/ws/bin.dat", "a\n", "b\n"),
    ];
    made.editor.notOpened = ["/ws/bin.dat"];
    made.editor.checks.set("/ws/a.ts", "reported");
    const result = await settled(made, made.call("diagnostics"));
    assert.deepEqual(made.editor.opened, ["/ws/a.ts", "/ws/notes.xyz", "/ws/bin.dat"]);
    const { notChecked, notOpened } = structureOf("diagnostics", result);
    assert.deepEqual([notChecked, notOpened], [["/ws/notes.xyz"], ["/ws/bin.dat"]]);
    assert.match(result.text, /^No problems are known so far\.\nNo language server has checked \/ws\/notes\.xyz\./);
  });

  it("says that there are no problems only if something was reported about each file", async () => {
    const made = bench();
    made.changes = ["a", "b"].map(name => changedFile(`/ws/${name}.ts`, "a\n", "b\n"));
    made.editor.checks.set("/ws/a.ts", "reported").set("/ws/b.ts", "answered");
    const result = await settled(made, made.call("diagnostics"));
    const { notChecked, notReported } = structureOf("diagnostics", result);
    assert.deepEqual([notChecked, notReported], [[], ["/ws/b.ts"]]);
    assert.match(
      result.text,
      /^No problems are known so far\.\nNothing was reported about the present text of these files, .*: \/ws\/b\.ts\.$/,
    );
    made.editor.checks.set("/ws/b.ts", "reported");
    assert.equal((await settled(made, made.call("diagnostics"))).text, "No problems.");
  });

  it("lists the problems of a file that the user has just allowed, and not those of others like it", async () => {
    const made = bench({ answer: { option: "allow" } });
    const paths = ["/ws/.env", "/ws/.env.local"];
    for (const path of paths) made.documents.put(path, "A=1\n");
    made.editor.known = paths.map(path => problem(path, 1, "error", `in ${path}`));
    const result = await settled(made, made.call("diagnostics", { path: "/ws/.env" }));
    const { problems, leftOut } = structureOf("diagnostics", result);
    assert.deepEqual(
      [(problems as readonly CodeProblem[]).map(({ message }) => message), leftOut],
      [["in /ws/.env"], 0],
    );
    const folder = structureOf("diagnostics", await settled(made, made.call("diagnostics", { path: "/ws" })));
    assert.deepEqual([folder["problems"], folder["leftOut"]], [[], 2]);
  });

  it("finds the problems and the changes of a path that the editor spells in another way", async () => {
    const made = bench();
    made.editor.spelled = path => path.replace(/^\/ws\//, "/WS/");
    made.editor.known = [problem("/WS/a.ts", 1, "error", "x"), problem("/WS/b.ts", 1, "error", "y")];
    made.changes = [changedFile("/WS/a.ts", "a\n", "b\n")];
    const path = "/ws/a.ts";
    const { problems } = structureOf("diagnostics", await settled(made, made.call("diagnostics", { path })));
    assert.deepEqual(
      (problems as readonly CodeProblem[]).map(({ message }) => message),
      ["x"],
    );
    assert.deepEqual(made.editor.opened, [path]);
    assert.equal(structureOf("changes_under_review", await made.call("changes_under_review", { path }))["files"], 1);
  });

  it("opens at most 50 changed files, and says so", async () => {
    const made = bench();
    made.changes = Array.from({ length: 60 }, (_, at) => changedFile(`/ws/${at}.ts`, "a\n", "b\n"));
    const result = await settled(made, made.call("diagnostics"));
    assert.equal(made.editor.opened.length, 50);
    assert.match(result.text, /changed 60 files\. Only the first 50 were opened\./);
    assert.equal(structureOf("diagnostics", result)["unopened"], 10);
  });

  it("limits the problems to a folder", async () => {
    const made = bench();
    made.editor.known = ["/ws/src/a.ts", "/ws/srcs/b.ts"].map(path => problem(path, 1, "error", path));
    const { problems } = structureOf("diagnostics", await settled(made, made.call("diagnostics", { path: "/ws/src" })));
    assert.deepEqual(
      (problems as readonly CodeProblem[]).map(({ path }) => path),
      ["/ws/src/a.ts"],
    );
  });

  it("waits until nothing has changed for half a second", async () => {
    const made = bench();
    let ended = false;
    const running = made.call("diagnostics").finally(() => (ended = true));
    const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
    await turn();
    for (let at = 0; at < 3; at++) {
      made.clock.advance(400);
      made.editor.changed.fire();
      await turn();
      assert.equal(ended, false);
    }
    made.editor.known = [problem("/ws/a.ts", 1, "error", "late")];
    made.clock.advance(499);
    await turn();
    assert.equal(ended, false);
    made.clock.advance(1);
    assert.match((await running).text, /late/);
  });

  it("answers after five seconds although problems still change, and says so", async () => {
    const made = bench();
    let ended = false;
    const running = made.call("diagnostics").finally(() => (ended = true));
    let waited = 0;
    await new Promise(resolve => setImmediate(resolve));
    while (!ended) {
      made.clock.advance(250);
      waited += 250;
      made.editor.changed.fire();
      await new Promise(resolve => setImmediate(resolve));
    }
    assert.equal(waited, 5000);
    const result = await running;
    assert.equal(structureOf("diagnostics", result)["settled"], false);
    assert.match(result.text, /still changing after 5 seconds/);
  });

  it("gives many problems in pages", async () => {
    const made = bench();
    made.editor.known = Array.from({ length: 500 }, (_, at) => problem("/ws/a.ts", at + 1, "error", "x".repeat(300)));
    const lines: number[] = [];
    for (let offset: unknown = 0; offset !== undefined;) {
      const result = await settled(made, made.call("diagnostics", { offset }));
      const page = structureOf("diagnostics", result);
      assert.ok(JSON.stringify(page["problems"]).length <= maxResultLength + 10);
      assert.match(result.text, /^500 errors\./);
      lines.push(...(page["problems"] as readonly CodeProblem[]).map(({ line }) => line));
      offset = page["nextOffset"];
    }
    assert.deepEqual(
      lines,
      made.editor.known.map(({ line }) => line),
    );
  });

  it("gives pages that are in order together, wherever one begins: by severity, file and place", async () => {
    const made = bench();
    const names = ["/ws/c.ts", "/ws/a.ts", "/ws/b.ts"] as const;
    made.editor.known = Array.from({ length: 300 }, (_, index) =>
      problem(names[index % 3] ?? "", ((index * 71) % 300) + 1, index % 5 === 0 ? "error" : "warning", `${index}`),
    );
    const read: unknown[] = [];
    for (let offset: unknown = 0; offset !== undefined;) {
      const page = structureOf("diagnostics", await settled(made, made.call("diagnostics", { offset, limit: 37 })));
      read.push(...(page["problems"] as readonly unknown[]));
      offset = page["nextOffset"];
    }
    const places = (read as readonly CodeProblem[]).map(({ severity, path, line }) => [severity, path, line] as const);
    assert.equal(places.length, 300);
    const key = ([severity, path, line]: (typeof places)[number]): string =>
      `${severity} ${path} ${String(line).padStart(4, "0")}`;
    assert.deepEqual(
      places,
      [...places].sort((a, b) => (key(a) < key(b) ? -1 : 1)),
    );
  });

  it("answers after eight seconds although a language server does not answer, and names what is not checked", async () => {
    const made = bench();
    made.changes = ["a", "b"].map(name => changedFile(`/ws/${name}.ts`, "a\n", "b\n"));
    const { checkOf } = made.editor.problems;
    made.editor.problems.checkOf = path => (path === "/ws/b.ts" ? new Promise(() => {}) : checkOf(path));
    made.editor.checks.set("/ws/a.ts", "reported");
    let ended = false;
    const running = made.call("diagnostics").finally(() => (ended = true));
    let waited = 0;
    await new Promise(resolve => setImmediate(resolve));
    while (!ended) {
      made.clock.advance(250);
      waited += 250;
      await new Promise(resolve => setImmediate(resolve));
    }
    assert.equal(waited, 8000);
    const { notChecked } = structureOf("diagnostics", await running);
    assert.deepEqual([notChecked, made.clock.pendingTimers], [["/ws/b.ts"], 0]);
  });

  it("stops waiting when the call is cancelled, and leaves no timer", async () => {
    const made = bench();
    const cancel = new AbortController();
    const running = made.call("diagnostics", {}, cancel.signal);
    await new Promise(resolve => setImmediate(resolve));
    cancel.abort(new Error("gone"));
    assert.equal((await running).text, "The call was cancelled.");
    await until(() => made.clock.pendingTimers === 0);
  });
});

describe("changes_under_review", () => {
  it("shows the lines before and after each change", async () => {
    const made = bench();
    made.changes = [
      changedFile("/ws/a.ts", "one\ntwo\nthree\n", "one\n2\nthree\nfour\n"),
      changedFile("/ws/new.ts", null, "n\n"),
      { ...changedFile("/ws/bin.dat", "a", "a"), unknown: "The file is not a text." },
      changedFile("/ws/.env", "A=secret1\n", "A=secret2\n"),
    ];
    const result = await made.call("changes_under_review");
    const { changes, files, leftOut } = structureOf("changes_under_review", result);
    assert.deepEqual(changes, [
      { path: "/ws/a.ts", line: 2, before: "two\n", after: "2\n" },
      { path: "/ws/a.ts", line: 4, before: "", after: "four\n" },
      { path: "/ws/new.ts", line: 1, note: "Created.", before: "", after: "n\n" },
      { path: "/ws/bin.dat", note: "The file is not a text." },
    ]);
    assert.deepEqual([files, leftOut], [3, 1]);
    assert.match(
      result.text,
      /^Changes in 3 files wait for the user's review\.\n\/ws\/a\.ts:2\n-two\n\+2\n\/ws\/a\.ts:4\n\+four\n/,
    );
    assert.doesNotMatch(JSON.stringify(result), /secret/);
  });

  it("makes the texts of one page only, however many changes there are", async () => {
    const made = bench();
    const file = changedFile("/ws/a.ts", "a\nb\n".repeat(5000), "c\nb\n".repeat(5000));
    let read = 0;
    const hunks = Array.from({ length: 5000 }, (_, at) => ({
      ...{ id: `h${at}`, turns: ["t1"] },
      text: { from: 2 * at, to: 2 * at + 1 },
      get base() {
        read++;
        return { from: 2 * at, to: 2 * at + 1 };
      },
    }));
    made.changes = [{ ...file, changes: { ...file.changes, hunks } } as unknown as ReviewedFile];
    const result = await made.call("changes_under_review", { offset: 4000, limit: 10 });
    const { changes, total, nextOffset } = structureOf("changes_under_review", result);
    assert.deepEqual([total, nextOffset, read], [5000, 4010, 10]);
    assert.deepEqual((changes as readonly unknown[])[0], {
      ...{ path: "/ws/a.ts", line: 8001, before: "a\n", after: "c\n" },
    });
  });

  it("says that nothing waits", async () => {
    assert.equal((await bench().call("changes_under_review")).text, "No change of this session waits for review.");
  });
});

describe("what a result does not have", () => {
  it("is counted apart if it is in files after the first thousand", async () => {
    const { call, editor } = bench();
    const symbol = { name: "A", kind: "class", line: 1, endLine: 1 };
    const paths = ["/ws/.env", ...Array.from({ length: 1001 }, (_, at) => `/ws/${at}.ts`), "/ws/0.ts"];
    editor.languages.findSymbols = () => Promise.resolve(paths.map(path => ({ ...symbol, path })));
    const result = await call("workspace_symbols", { query: "A" });
    const { total, leftOut, beyond } = structureOf("workspace_symbols", result);
    assert.deepEqual([total, leftOut, beyond], [1000, 1, 2]);
    assert.match(
      result.text,
      /\n1 symbol is left out, because their files are outside .*\n2 symbols are left out, because /,
    );
    editor.languages.findSymbols = () => Promise.resolve([]);
    assert.equal("beyond" in structureOf("workspace_symbols", await call("workspace_symbols", { query: "A" })), false);
  });

  it("is marked where a text is cut, and only there", async () => {
    const made = bench();
    made.documents.put("/ws/a.ts", "x");
    made.editor.lines = { "/ws/a.ts": ["x"] };
    const cuts: unknown[] = [];
    for (const more of ["", "x"]) {
      const long = (length: number): string => "x".repeat(length) + more;
      const range = { line: 1, column: 1, endLine: 1, endColumn: 2 };
      const shown = { path: "/ws/a.ts", isActive: true, isVisible: true, hasUnsavedChanges: false };
      made.editor.editors = [{ ...shown, selections: [{ ...range, text: long(4000) }] }];
      made.editor.known = [problem("/ws/a.ts", 1, "error", long(2000))];
      made.changes = [changedFile("/ws/a.ts", "a", long(4000))];
      made.editor.languages.hover = () => Promise.resolve([long(maxResultLength)]);
      const calls = [
        ["open_editors", await made.call("open_editors")],
        ["diagnostics", await settled(made, made.call("diagnostics"))],
        ["changes_under_review", await made.call("changes_under_review")],
        ["hover", await made.call("hover", { path: "/ws/a.ts", line: 1, column: 1 })],
      ] as const;
      cuts.push(
        calls.map(([name, result]) => [
          /"(\w+Cut)":true/.exec(JSON.stringify(structureOf(name, result)))?.[1],
          /\(cut after \d+ characters\)|The text is cut/.exec(result.text)?.[0],
        ]),
      );
    }
    assert.deepEqual(cuts, [
      Array(4).fill([undefined, undefined]),
      [
        ["textCut", "(cut after 4000 characters)"],
        ["messageCut", "(cut after 2000 characters)"],
        ["linesCut", "(cut after 4000 characters)"],
        ["textCut", "The text is cut"],
      ],
    ]);
  });
});

describe("tools that ask language servers", () => {
  it("finds symbols, of which those that the session may not see are only counted", async () => {
    const result = await bench().call("workspace_symbols", { query: "Foo" });
    const { symbols, leftOut } = structureOf("workspace_symbols", result);
    assert.deepEqual(symbols, [{ name: "Foo", kind: "class", container: "m", path: "/ws/a.ts", line: 1, endLine: 1 }]);
    assert.equal(leftOut, 2);
    assert.match(result.text, /^\/ws\/a\.ts:1 class Foo in m\n2 symbols are left out/);
  });

  it("lists the symbols of a file", async () => {
    const { call, documents } = bench();
    documents.put("/ws/a.ts", "x");
    const result = await call("document_symbols", { path: "/ws/a.ts" });
    structureOf("document_symbols", result);
    assert.equal(result.text, "/ws/a.ts:2-4 function f");
  });

  it("finds places by the name in a line, and counts those of libraries", async () => {
    const { call, editor, documents } = bench();
    documents.put("/ws/a.ts", "x");
    editor.lines = { "/ws/a.ts": ["", "const foobar = bar(1);"] };
    const at = { path: "/ws/a.ts", line: 2 };
    const result = await call("find_code", { kind: "definition", ...at, symbol: "bar" });
    const { places, leftOut } = structureOf("find_code", result);
    assert.deepEqual(places, [{ path: "/ws/b.ts", line: 3, column: 2, endLine: 3, endColumn: 5 }]);
    assert.equal(leftOut, 1);
    assert.deepEqual(editor.asked, [["definition", { ...at, column: 16 }]]);
    assert.match(
      (await call("find_code", { kind: "references", ...at, symbol: "baz" })).text,
      /does not contain “baz”/,
    );
    assert.match((await call("find_code", { kind: "references", ...at })).text, /either “symbol” or “column”/);
    assert.match((await call("hover", { ...at, column: 99 })).text, /has only 22 characters/);
    assert.match((await call("hover", { ...at, line: 7, symbol: "bar" })).text, /no line 7/);
  });

  it("shows the hover as Markdown", async () => {
    const { call, editor, documents } = bench();
    documents.put("/ws/a.ts", "x");
    editor.lines = { "/ws/a.ts": ["const a = 1;"] };
    const result = await call("hover", { path: "/ws/a.ts", line: 1, column: 7 });
    assert.equal(structureOf("hover", result)["text"], "```ts\nconst a: number\n```");
  });

  it("does not show the hover of a symbol that is declared in a file that rules hide, except of libraries", async () => {
    const { call, editor, documents } = bench();
    for (const path of ["/ws/a.ts", "/ws/.env"]) documents.put(path, "x");
    editor.lines = { "/ws/a.ts": ["const a = 1;"] };
    const at = { path: "/ws/a.ts", line: 1, column: 7 };
    const range = { line: 1, column: 1, endLine: 1, endColumn: 2 };
    const texts: string[] = [];
    for (const path of ["/ws/.env", "/usr/lib/typings.d.ts", "/ws/a.ts"]) {
      editor.languages.places = () => Promise.resolve([{ path, ...range }]);
      texts.push((await call("hover", at)).text);
    }
    assert.match(texts[0] ?? "", /^The symbol is declared in a file that this session may not read/);
    assert.deepEqual(texts.slice(1), Array(2).fill("```ts\nconst a: number\n```"));
  });

  it("shows the hover of what is declared outside the folders, but no secret, and nothing that a rule forbids", async () => {
    const { call, editor, documents, asked } = bench({
      outside: "refuse",
      rules: [
        { effect: "deny", path: "/opt/private/**" },
        { effect: "ask", path: "/opt/asked/**" },
      ],
    });
    documents.put("/ws/a.ts", "x");
    editor.lines = { "/ws/a.ts": ["const a = 1;"] };
    const { links } = documents.resolver;
    links.set("/ws/node_modules/pkg", "/store/pkg");
    links.set("/ws/node_modules/private", "/opt/private");
    links.set("/elsewhere/link.ts", "/ws/.env");
    links.set("/elsewhere/round.ts", "/elsewhere/round.ts");
    const hiddenText = /^The symbol is declared in a file that this session may not read/;
    for (const [path, words] of [
      ["/usr/lib/typings.d.ts", /const a: number/],
      ["/ws/node_modules/pkg/index.d.ts", /const a: number/],
      ["/elsewhere/.env", hiddenText],
      ["/elsewhere/link.ts", hiddenText],
      ["/opt/private/keys.ts", hiddenText],
      ["/opt/asked/keys.ts", hiddenText],
      ["/ws/node_modules/private/keys.ts", hiddenText],
      ["/elsewhere/round.ts", /leads back to itself/],
    ] as const) {
      const range = { line: 1, column: 1, endLine: 1, endColumn: 2 };
      editor.languages.places = () => Promise.resolve([{ path, ...range }]);
      assert.match((await call("hover", { path: "/ws/a.ts", line: 1, column: 7 })).text, words, path);
    }
    assert.deepEqual(asked, []);
  });

  it("prefers a whole word to a part of one", () => {
    assert.deepEqual(
      [columnOf("foobar(bar)", "bar"), columnOf("foobar()", "bar"), columnOf("x", "bar"), columnOf("ébar bar", "bar")],
      [8, 4, undefined, 6],
    );
  });
});

describe("pages of results", () => {
  it("have every item once, whatever their sizes are", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 })), fc.integer({ min: 1, max: 300 }), (all, maxLength) => {
        const read: string[] = [];
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const { items, nextOffset, total }: ResultPage<string> = resultPage(all, { offset }, maxLength);
          assert.equal(total, all.length);
          read.push(...items);
          offset = nextOffset;
        }
        assert.deepEqual(read, all);
      }),
    );
  });

  it("of a text are whole lines, unless a single one is too long", () => {
    assert.deepEqual(linesPage("a\nb\nc", 2), { text: "a\nb\n", count: 2, isLineCut: false, hasMore: true });
    assert.deepEqual(linesPage("aaaa\nb\n", 9, 6), { text: "aaaa\n", count: 1, isLineCut: false, hasMore: true });
    assert.deepEqual(linesPage("aa😀\nb", 9, 3), { text: "aa", count: 1, isLineCut: true, hasMore: true });
    assert.deepEqual(linesPage("", 9), { text: "", count: 0, isLineCut: false, hasMore: false });
  });
});
