// The tools that change texts, with an editor and files of the test, and with real rules and questions.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import type { EditorView, ProposedEdits } from "../../src/editorTools/editorView.ts";
import { shownDiff } from "../../src/editorTools/proposedChange.ts";
import { withRangeEdits } from "../../src/editorTools/rangeEdits.ts";
import { callTool, describedTools, toolDescriptions } from "../../src/editorTools/sessionTools.ts";
import type { ToolContext } from "../../src/editorTools/tool.ts";
import type { ToolResult } from "../../src/editorTools/toolServer.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { openQuestions } from "../../src/session/state.ts";
import { gate, type Setup } from "../support/fakes/accessGate.ts";
import { fakeActions, type FakeActions } from "../support/fakes/agentActions.ts";
import { FakeClock, type FakeDocuments } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

interface Bench {
  readonly documents: FakeDocuments;
  readonly files: SessionFiles;
  readonly actions: FakeActions;
  /** What the language server proposes. */
  proposed: ProposedEdits;
  /** Runs after each write. */
  onWritten: () => void;
  call(name: string, given: unknown, signal?: AbortSignal): Promise<ToolResult>;
  /** Calls a tool, and answers its question. */
  answered(name: string, given: unknown, option?: string): Promise<ToolResult>;
  text(path: string): string;
}

interface BenchSetup extends Pick<Setup, "rules" | "outside"> {
  readonly missingFiles?: "empty";
}

function bench({ missingFiles, ...setup }: BenchSetup = {}): Bench {
  const { access, confinement, documents, policy } = gate({ ...setup, answer: { option: "refuse" } });
  const files = new SessionFiles(documents, confinement, { ...(missingFiles && { missingFiles }) }, access);
  const actions = fakeActions(policy, decided => access.rememberAnswer(decided));
  const observed: FakeActions = {
    ...actions,
    writeFile: (path, text, write) => actions.writeFile(path, text, write).then(() => made.onWritten()),
  };
  const editor = {
    edits: { rename: () => Promise.resolve(made.proposed), format: () => Promise.resolve(made.proposed) },
    languages: {
      lineText: async (path: string, line: number) => (await documents.read(path)).split("\n")[line - 1],
    },
    files: { kindOf: async (path: string) => (await documents.stat(path)).kind },
    spelled: (path: string) => path,
  } as unknown as EditorView;
  const context: ToolContext = {
    access: {
      ...{ confinement, gate: access, files, actions: observed },
      passes: path => access.passes(path),
      withholds: path => access.withholds(path),
      checkWrite: path => access.checkWrite(path),
    },
    ...{ editor, changes: () => [], clock: new FakeClock() },
  };
  const never = new AbortController().signal;
  const made: Bench = {
    ...{ documents, files, actions },
    proposed: { edits: [], others: [] },
    onWritten: () => {},
    call: (name, given, signal = never) => callTool(name, given, { choice: "all", context, signal, log: nullLog }),
    answered: async (name, given, option = "allow") => {
      const called = made.call(name, given);
      await until(() => openQuestions(actions.state()).length > 0);
      actions.answer(option);
      return called;
    },
    text: path => documents.files.get(path)?.toString() ?? "",
  };
  documents.put("/ws/a.ts", "const old = 1;\nexport { old };\n");
  documents.put("/ws/b.ts", 'import { old } from "./a";\n');
  made.proposed = {
    edits: [
      { path: "/ws/a.ts", before: made.text("/ws/a.ts"), after: "const fresh = 1;\nexport { fresh };\n" },
      { path: "/ws/b.ts", before: made.text("/ws/b.ts"), after: 'import { fresh } from "./a";\n' },
    ],
    others: [],
  };
  return made;
}

const rename = { path: "/ws/a.ts", line: 1, symbol: "old", newName: "fresh" };
const edit = (of: object = {}): object => ({
  edits: [{ path: "/ws/a.ts", line: 1, column: 7, endLine: 1, endColumn: 10, oldText: "old", newText: "new", ...of }],
});

describe("the editor's tools that act", () => {
  it("are offered and can be called only if the user lets agents use all tools", async () => {
    const acting = describedTools("all").filter(({ annotations }) => !annotations.readOnlyHint);
    assert.ok(acting.length > 0);
    for (const { name } of acting)
      assert.equal(
        toolDescriptions.find(one => one.name === name),
        undefined,
      );
    const made = bench();
    const context = {} as ToolContext;
    const { text, isError } = await callTool("rename_symbol", rename, {
      ...{ context, signal: new AbortController().signal, log: nullLog },
    });
    assert.deepEqual(
      [isError, text],
      [true, "The user allows only tools that change nothing, so rename_symbol is switched off."],
    );
    assert.deepEqual(made.actions.asked, []);
  });

  it("have names, titles, schemas and annotations that every client accepts, without words that only the user knows", () => {
    for (const { name, title, description, inputSchema, outputSchema } of describedTools("all")) {
      assert.match(name, /^[a-z][a-z_]{1,40}$/);
      assert.ok(title.length < 40 && description.length < 700, name);
      assert.deepEqual([inputSchema.type, outputSchema.type], ["object", "object"]);
      for (const field of Object.values(inputSchema.properties)) assert.ok(field.description, name);
      const words = JSON.stringify([title, description, inputSchema, outputSchema]);
      assert.doesNotMatch(words, /parley|\bACP\b|webview|composer|plug button|turn|hunk|gate|checkpoint/i, name);
    }
  });

  it("show the diff of a rename in a question, and change the files after the user allows it", async () => {
    const made = bench();
    const called = made.call("rename_symbol", rename);
    await until(() => openQuestions(made.actions.state()).length > 0);
    const [question] = made.actions.asked;
    assert.equal(question?.title, "Rename “old” to “fresh”");
    assert.deepEqual(
      question?.tool?.content?.map(item => item.type === "diff" && [item.path, item.newText]),
      made.proposed.edits.map(({ path, after }) => [path, after]),
    );
    assert.deepEqual([made.actions.tool().status, made.actions.tool().kind], ["pending", "edit"]);
    assert.deepEqual(made.actions.tool().locations, [
      { path: "/ws/a.ts", line: 1 },
      { path: "/ws/b.ts", line: 1 },
    ]);
    assert.equal(made.text("/ws/a.ts"), made.proposed.edits[0]?.before, "nothing is written before the answer");
    made.actions.answer("allow");
    const result = await called;
    assert.deepEqual(result.structured, {
      ...{ changed: ["/ws/a.ts", "/ws/b.ts"], failed: [] },
      notes: ["Only texts are changed. Files are not renamed."],
    });
    assert.equal(made.text("/ws/b.ts"), 'import { fresh } from "./a";\n');
    assert.deepEqual(made.actions.written, ["/ws/a.ts", "/ws/b.ts"]);
    assert.equal(made.actions.tool().status, "completed");
  });

  it("change nothing if the user refuses, and say so", async () => {
    const made = bench();
    const { isError, text } = await made.answered("rename_symbol", rename, "refuse");
    assert.deepEqual([isError, made.actions.written, made.actions.tool().status], [true, [], "cancelled"]);
    assert.match(text, /did not allow this: Rename “old” to “fresh”\. Nothing was changed\./);
  });

  it("follow rules: one that allows answers, one that denies refuses", async () => {
    const allowing = bench({ rules: [{ effect: "allow", kind: "edit", path: "**" }] });
    assert.equal((await allowing.call("rename_symbol", rename)).isError, false);
    assert.equal(openQuestions(allowing.actions.state()).length, 0);
    const denying = bench({ rules: [{ effect: "deny", kind: "edit", path: "b.ts" }] });
    const { isError, text } = await denying.call("rename_symbol", rename);
    assert.deepEqual([isError, denying.actions.written], [true, []]);
    assert.match(text, /a rule of the user, did not allow/);
  });

  it("refuse a file that has changed while the user was asked, and change the others", async () => {
    const made = bench();
    const called = made.call("rename_symbol", rename);
    await until(() => openQuestions(made.actions.state()).length > 0);
    made.documents.type("/ws/a.ts", "const old = 2;\n");
    made.actions.answer("allow");
    const { structured, text } = await called;
    assert.deepEqual(structured?.["changed"], ["/ws/b.ts"]);
    assert.match(text, /\/ws\/a\.ts was not changed: .* has changed since the edit was computed\. Call again\./);
    assert.equal(await made.documents.read("/ws/a.ts"), "const old = 2;\n");
  });

  it("end the question with the call, and change nothing after it", async () => {
    const made = bench();
    const ended = new AbortController();
    const called = made.call("rename_symbol", rename, ended.signal);
    await until(() => openQuestions(made.actions.state()).length > 0);
    ended.abort();
    assert.equal((await called).isError, true);
    await until(() => made.actions.tool().status === "cancelled");
    assert.deepEqual([openQuestions(made.actions.state()), made.actions.written], [[], []]);
  });

  it("end the question with the turn", async () => {
    const made = bench();
    const called = made.call("rename_symbol", rename);
    await until(() => openQuestions(made.actions.state()).length > 0);
    made.actions.broker.cancelAll();
    assert.match((await called).text, /was cancelled, so nothing was changed/);
  });

  it("write no further file after Stop", async () => {
    const made = bench();
    made.onWritten = () => made.actions.dispatch({ type: "cancelRequested" });
    const { structured, text } = await made.answered("rename_symbol", rename);
    assert.deepEqual(structured?.["changed"], ["/ws/a.ts"]);
    assert.match(text, /\/ws\/b\.ts was not changed: The user has stopped the turn/);
    assert.equal(made.text("/ws/b.ts"), made.proposed.edits[1]?.before);
  });

  it("refuse a call while no turn is running, and after Stop", async () => {
    const made = bench();
    made.actions.dispatch({ type: "cancelRequested" });
    assert.match((await made.call("rename_symbol", rename)).text, /stopped the turn, so nothing more is changed/);
    made.actions.dispatch({ type: "activity", state: "idle", stopReason: "cancelled" });
    assert.match((await made.call("rename_symbol", rename)).text, /No turn of this session is running/);
    assert.deepEqual([made.actions.asked, made.actions.written], [[], []]);
  });

  it("say that there may be no formatter if a file has nothing to format", async () => {
    const made = bench();
    made.proposed = { edits: [], others: [] };
    const { isError, text } = await made.call("format_file", { path: "/ws/a.ts" });
    assert.equal(isError, false);
    assert.equal(text, "Nothing to change, or no formatter is installed for “/ws/a.ts”.");
    assert.deepEqual(made.actions.asked, []);
  });

  it("refuse edits whose old text does not match, without asking", async () => {
    const made = bench();
    const { isError, text } = await made.call("apply_edits", edit({ oldText: "odd" }));
    assert.deepEqual([isError, made.actions.asked], [true, []]);
    assert.match(text, /\/ws\/a\.ts:1:7 has “old”, not “odd”\. Nothing was changed\. Read the file again\./);
  });

  it("apply edits of several ranges, which all name positions before the edits", async () => {
    const made = bench();
    const [first] = (edit() as { readonly edits: readonly object[] }).edits;
    const second = { ...first, line: 2, column: 10, endLine: 2, endColumn: 13 };
    const added = { ...first, column: 1, endColumn: 1, oldText: "", newText: "// Added.\n" };
    assert.equal((await made.answered("apply_edits", { edits: [second, first, added] })).isError, false);
    assert.equal(made.text("/ws/a.ts"), "// Added.\nconst new = 1;\nexport { new };\n");
  });

  it("refuse a secret, a path outside, a missing file, and a file that is named twice", async () => {
    const made = bench();
    made.documents.put("/ws/.env", "old");
    const at = { column: 1, endColumn: 4 };
    for (const path of ["/ws/.env", "/elsewhere/a.ts", "/ws/none.ts"])
      assert.equal((await made.call("apply_edits", edit({ path, ...at }))).isError, true, path);
    const [one] = (edit() as { readonly edits: readonly object[] }).edits;
    const { text } = await made.call("apply_edits", { edits: [one, { ...one, path: "/ws/./a.ts" }] });
    assert.match(text, /named in two ways/);
    assert.deepEqual([made.actions.asked, made.actions.written], [[], []]);
  });

  it("refuse a missing file without a question, also for an agent that reads it as empty", async () => {
    const made = bench({ missingFiles: "empty" });
    const given = edit({ path: "/ws/none.ts", column: 1, endColumn: 1, oldText: "" });
    const { isError, text } = await made.call("apply_edits", given);
    assert.deepEqual([isError, made.actions.asked], [true, []]);
    assert.match(text, /\/ws\/none\.ts” does not exist/);
  });

  it("name the mistake in an item of a list", async () => {
    const made = bench();
    const { text } = await made.call("apply_edits", edit({ line: 0, oldText: undefined }));
    assert.match(
      text,
      /“edits” has a mistake in item 1: “line” must be a whole number from 1 .* “oldText” must be a string/,
    );
    assert.match((await made.call("apply_edits", { edits: [] })).text, /must be a list that is not empty/);
  });

  it("refuse a change as a whole if git's files or files outside are in it, without a question", async () => {
    const made = bench({ rules: [{ effect: "allow", kind: "edit", path: "**" }], outside: "refuse" });
    const [first] = made.proposed.edits;
    for (const [path, words] of [
      ["/ws/.git/config", /belongs to git.* Nothing was changed\.$/],
      ["/elsewhere/a.ts", /outside this session's folders.* Nothing was changed\.$/],
    ] as const) {
      made.documents.put(path, "old\n");
      made.proposed = { edits: [first, { path, before: "old\n", after: "new\n" }].filter(one => !!one), others: [] };
      const { isError, text } = await made.call("rename_symbol", rename);
      assert.equal(isError, true);
      assert.match(text, words);
    }
    assert.deepEqual([made.actions.asked, made.actions.written], [[], []]);
  });

  it("keep what the agent does not know of a file unknown", async () => {
    const made = bench();
    const [rest, byUser] = ["// One.\n// Two.\n", "// By the user.\n"];
    made.documents.put("/ws/a.ts", `const old = 1;\n${rest}`);
    await made.files.read({ path: "/ws/a.ts" });
    // The user adds a line that the agent has not read, and the agent renames.
    const before = `const old = 1;\n${rest}${byUser}`;
    made.documents.type("/ws/a.ts", before);
    const after = before.replace("old", "fresh");
    made.proposed = { edits: [{ path: "/ws/a.ts", before, after }], others: [] };
    await made.answered("rename_symbol", rename);
    assert.equal(await made.documents.read("/ws/a.ts"), after);
    await made.files.write({ path: "/ws/a.ts", content: `const fresh = 3;\n${rest}` });
    assert.equal(await made.documents.read("/ws/a.ts"), `const fresh = 3;\n${rest}${byUser}`);
  });

  it("never reject and never write without an answer, whatever an agent sends", async () => {
    const made = bench();
    const names = describedTools("all").flatMap(({ name, annotations }) => (annotations.readOnlyHint ? [] : [name]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.jsonValue(), async (name, given) => {
        assert.equal((await made.call(name, given)).isError, true);
      }),
      { numRuns: 200 },
    );
    assert.deepEqual(made.actions.written, []);
  });
});

describe("edits by line and column", () => {
  it("give the same text as edits by offset", () => {
    const text = "ab\r\ncd\n\nefg";
    const at = (line: number, column: number, endLine: number, endColumn: number, newText: string) => ({
      ...{ line, column, endLine, endColumn, newText },
    });
    assert.equal(withRangeEdits(text, [at(1, 3, 2, 1, "-")], "f"), "ab-cd\n\nefg");
    assert.equal(withRangeEdits(text, [at(4, 4, 4, 4, "!"), at(1, 1, 1, 1, "?")], "f"), "?ab\r\ncd\n\nefg!");
    assert.throws(() => withRangeEdits(text, [at(1, 4, 1, 4, "")], "f"), /only 2 characters/);
    assert.throws(() => withRangeEdits(text, [at(5, 1, 5, 1, "")], "f"), /only 4 lines/);
    assert.throws(() => withRangeEdits(text, [at(1, 1, 1, 3, ""), at(1, 2, 1, 3, "")], "f"), /overlap/);
    assert.throws(() => withRangeEdits(text, [at(2, 1, 1, 1, "")], "f"), /ends before it begins/);
  });

  it("are shown without the equal lines of a long text", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    const before = lines.join("\n");
    const after = lines.with(10_000, "changed").join("\n");
    const { oldText, newText, line } = shownDiff({ path: "/ws/a", before, after });
    assert.equal(line, 9998);
    assert.equal(oldText?.split("\n").length, 7);
    assert.equal(newText.split("\n")[3], "changed");
    assert.equal(before.split("\n")[(line ?? 0) - 1], oldText?.split("\n")[0]);
  });
});
