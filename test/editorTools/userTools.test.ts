// The tools that move files, run actions and tasks, and turn to the user, with an editor of the test and real questions.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type {
  CodeProblem,
  ComputedAction,
  EditorTask,
  EditorView,
  TerminalCommand,
} from "../../src/editorTools/editorView.ts";
import { callTool } from "../../src/editorTools/sessionTools.ts";
import type { ToolContext } from "../../src/editorTools/tool.ts";
import type { ToolResult } from "../../src/editorTools/toolServer.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import type { Rule } from "../../src/permissions/rules.ts";
import { openQuestions } from "../../src/session/state.ts";
import { gate } from "../support/fakes/accessGate.ts";
import { fakeActions, type FakeActions } from "../support/fakes/agentActions.ts";
import { FakeClock, type FakeDocuments } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

interface Bench {
  readonly documents: FakeDocuments;
  readonly actions: FakeActions;
  /** What the editor did, in order. */
  readonly did: unknown[];
  /** Links that are other spellings of the names of files. */
  spellings: readonly string[];
  action: ComputedAction | undefined;
  tasks: readonly EditorTask[];
  isTrusted: boolean;
  ends: { readonly isRunning: boolean; readonly exitCode?: number };
  running: EditorTask | undefined;
  problems: readonly CodeProblem[];
  /** The problems that a task brings. */
  added: readonly CodeProblem[];
  last: TerminalCommand | undefined;
  call(name: string, given: unknown): Promise<ToolResult>;
  /** Calls a tool, and answers its question. */
  answered(name: string, given: unknown, option?: string): Promise<ToolResult>;
}

function bench(rules: readonly Rule[] = []): Bench {
  const { access, confinement, documents, policy } = gate({ rules, answer: { option: "refuse" } });
  const files = new SessionFiles(documents, confinement, {}, access);
  const actions = fakeActions(policy, decided => access.rememberAnswer(decided));
  const clock = new FakeClock();
  const did: unknown[] = [];
  const note =
    (name: string) =>
    async (...all: readonly unknown[]): Promise<void> =>
      void did.push([name, ...all]);
  const editor = {
    edits: { codeAction: () => Promise.resolve(made.action) },
    files: {
      kindOf: async (path: string) => {
        if (!documents.resolver.links.has(path) || made.spellings.includes(path))
          return (await documents.stat(path)).kind;
        return "link";
      },
      isOtherSpelling: (from: string, to: string) =>
        Promise.resolve(made.spellings.includes(to) && documents.resolver.links.get(to) === from),
      ...{ move: note("move"), show: note("show"), showDiff: note("showDiff"), showChanges: note("showChanges") },
    },
    tasks: {
      areTrusted: () => made.isTrusted,
      all: () => Promise.resolve(made.tasks),
      isRunning: (task: EditorTask) => made.running === task,
      run: async ({ label }: EditorTask) => {
        did.push(["run", label]);
        made.problems = [...made.problems, ...made.added];
        return made.ends;
      },
    },
    problems: { all: () => made.problems, onDidChange: new Emitter<void>().event },
    spelled: (path: string) => path,
    lastCommand: () => made.last,
  } as unknown as EditorView;
  const context: ToolContext = {
    access: {
      ...{ confinement, gate: access, files, actions, allowed: new Set() },
      passes: path => access.passes(path),
      withholds: path => access.withholds(path),
      checkWrite: path => access.checkWrite(path),
    },
    ...{ editor, changes: () => [], clock },
  };
  const made: Bench = {
    ...{ documents, actions, did, spellings: [] },
    ...{ action: undefined, tasks: [], isTrusted: true, running: undefined, problems: [problem], last: undefined },
    added: [
      { ...problem, line: 3 },
      { ...problem, path: "/elsewhere/x.ts" },
    ],
    ends: { isRunning: false, exitCode: 2 },
    async call(name, given) {
      const signal = new AbortController().signal;
      let done = false;
      const called = callTool(name, given, { choice: "all", context, signal, log: nullLog });
      const ended = called.finally(() => (done = true));
      while (!done && openQuestions(actions.state()).length === 0) {
        clock.advance(100);
        await new Promise(resolve => setImmediate(resolve));
      }
      if (!done) void ended.catch(() => {});
      return ended;
    },
    async answered(name, given, option = "allow") {
      const signal = new AbortController().signal;
      let done = false;
      const called = callTool(name, given, { choice: "all", context, signal, log: nullLog }).finally(
        () => (done = true),
      );
      await until(() => openQuestions(actions.state()).length > 0);
      actions.answer(option);
      while (!done) {
        clock.advance(100);
        await new Promise(resolve => setImmediate(resolve));
      }
      return called;
    },
  };
  documents.put("/ws/a.ts", "let a;\n");
  documents.put("/ws/b.ts", "let b;\n");
  return made;
}

const problem: CodeProblem = {
  ...{ path: "/ws/a.ts", line: 1, column: 1, endLine: 1, endColumn: 2 },
  ...{ severity: "error", message: "Wrong.", source: "ts" },
};
const build: EditorTask = { label: "build", source: "Workspace", commandLine: "npm run build", folder: "/ws" };

describe("the tool that renames a file", () => {
  it("asks as for a move of the agent, and moves after the answer", async () => {
    const made = bench();
    const { structured } = await made.answered("rename_file", { path: "/ws/a.ts", newPath: "/ws/lib/c.ts" });
    assert.deepEqual(structured, { path: "/ws/a.ts", newPath: "/ws/lib/c.ts" });
    const [question] = made.actions.asked;
    assert.equal(question?.title, "Move a.ts to /ws/lib/c.ts");
    assert.deepEqual(
      [question?.tool?.kind, question?.tool?.content],
      ["move", [{ type: "changes", changes: [{ operation: "move", path: "/ws/lib/c.ts", oldPath: "/ws/a.ts" }] }]],
    );
    assert.deepEqual(made.did, [["move", ["/ws"], "/ws/a.ts", "/ws/lib/c.ts"]]);
  });

  it("refuses a path outside, a missing file, a folder, a path that is taken, and what a rule denies", async () => {
    const made = bench([{ effect: "deny", kind: "move", path: "b.ts" }]);
    made.documents.folders.add("/ws/folder");
    for (const [path, newPath, words] of [
      ["/ws/a.ts", "/elsewhere/a.ts", /outside this session's folders/],
      ["/elsewhere/a.ts", "/ws/c.ts", /outside this session's folders/],
      ["/ws/none.ts", "/ws/c.ts", /does not exist/],
      ["/ws/folder", "/ws/c.ts", /is not a file/],
      ["/ws/a.ts", "/ws/b.ts", /exists already/],
      ["/ws/a.ts", "/ws/a.ts", /the same/],
      ["/ws/b.ts", "/ws/c.ts", /did not allow this: Rename b\.ts to c\.ts/],
    ] as const) {
      const { isError, text } = await made.call("rename_file", { path, newPath });
      assert.equal(isError, true);
      assert.match(text, words);
    }
    assert.deepEqual(made.did, []);
  });

  it("changes the case of a name, also on a disk where the new name leads to the file itself", async () => {
    for (const spellings of [[], ["/ws/A.ts"]]) {
      const made = bench();
      made.spellings = spellings;
      for (const one of spellings) made.documents.resolver.links.set(one, "/ws/a.ts");
      const { structured } = await made.answered("rename_file", { path: "/ws/a.ts", newPath: "/ws/A.ts" });
      assert.deepEqual(structured, { path: "/ws/a.ts", newPath: "/ws/A.ts" });
      assert.equal(made.actions.asked[0]?.title, "Rename a.ts to A.ts");
      assert.deepEqual(made.did, [["move", ["/ws"], "/ws/a.ts", "/ws/A.ts"]]);
    }
  });

  it("takes another spelling of the old path, and refuses a new path that only spells the old one differently", async () => {
    const made = bench();
    made.spellings = ["/ws/A.ts"];
    made.documents.resolver.links.set("/ws/A.ts", "/ws/a.ts");
    const { structured } = await made.answered("rename_file", { path: "/ws/A.ts", newPath: "/ws/c.ts" });
    assert.deepEqual(structured, { path: "/ws/a.ts", newPath: "/ws/c.ts" });
    assert.match((await made.call("rename_file", { path: "/ws/A.ts", newPath: "/ws/a.ts" })).text, /the same/);
  });

  it("renames neither a link nor over one, and works below a linked folder", async () => {
    const made = bench();
    const { links } = made.documents.resolver;
    links.set("/ws/link.ts", "/ws/a.ts");
    links.set("/ws/dangling.ts", "/ws/none.ts");
    links.set("/ws/linked", "/ws/lib");
    links.set("/ws/away", "/elsewhere");
    for (const [path, newPath, words] of [
      ["/ws/link.ts", "/ws/c.ts", /“\/ws\/link\.ts” is a symbolic link to “\/ws\/a\.ts”\. Only the file itself can be/],
      ["/ws/dangling.ts", "/ws/c.ts", /is a symbolic link/],
      ["/ws/a.ts", "/ws/link.ts", /“\/ws\/link\.ts” exists already/],
      ["/ws/b.ts", "/ws/link.ts", /exists already/],
      ["/ws/b.ts", "/ws/dangling.ts", /exists already/],
      ["/ws/b.ts", "/ws/away/b.ts", /outside this session's folders/],
      ["/ws", "/ws/c.ts", /is not a file/],
    ] as const) {
      const { isError, text } = await made.call("rename_file", { path, newPath });
      assert.equal(isError, true);
      assert.match(text, words);
    }
    assert.deepEqual([made.actions.asked, made.did], [[], []]);
    await made.answered("rename_file", { path: "/ws/a.ts", newPath: "/ws/linked/c.ts" });
    assert.deepEqual(made.did, [["move", ["/ws"], "/ws/a.ts", "/ws/lib/c.ts"]]);
  });

  it("asks once more before it moves a file that programs run", async () => {
    const made = bench([{ effect: "allow", kind: "move", path: "**" }]);
    const called = made.call("rename_file", { path: "/ws/a.ts", newPath: "/ws/.vscode/tasks.json" });
    await until(() => openQuestions(made.actions.state()).length > 0);
    made.actions.answer("refuse");
    assert.equal((await called).isError, true);
    assert.deepEqual(made.did, []);
  });
});

describe("the tool that runs a code action", () => {
  const at = { path: "/ws/a.ts", line: 1, column: 1, title: "Fix it" };
  const edits = [{ path: "/ws/a.ts", before: "let a;\n", after: "const a = 1;\n" }];

  it("says that a command cannot be shown before, and no rule allows it", async () => {
    const made = bench([{ effect: "allow", path: "**" }]);
    made.action = { edits, others: [], runCommand: async () => void made.did.push("command") };
    assert.equal((await made.call("run_code_action", at)).isError, false, "a rule allows edits alone");
    made.documents.put("/ws/a.ts", "let a;\n");
    made.action = { ...made.action, command: "ext.fix" };
    const { text } = await made.answered("run_code_action", at);
    assert.match(made.actions.asked.at(-1)?.description ?? "", /also runs the command ext\.fix of an extension/);
    assert.match(text, /command ext\.fix ran, too/);
    assert.deepEqual(made.did, ["command"]);
  });

  it("is refused without a question if the action has neither text edits nor a command", async () => {
    const made = bench();
    made.action = { edits: [], others: [], runCommand: () => Promise.resolve() };
    const { isError, text } = await made.call("run_code_action", at);
    assert.deepEqual([isError, made.actions.asked], [true, []]);
    assert.match(text, /^“Fix it” has no text edits, so it cannot be run here\.$/);
  });

  it("does not run the command if the user refuses or a file has changed", async () => {
    const made = bench();
    made.action = { edits, others: [], command: "ext.fix", runCommand: async () => void made.did.push("command") };
    assert.equal((await made.answered("run_code_action", at, "refuse")).isError, true);
    made.documents.put("/ws/a.ts", "let other;\n");
    assert.equal((await made.answered("run_code_action", at)).isError, true);
    assert.deepEqual(made.did, []);
  });
});

describe("the command of a code action", () => {
  const at = { path: "/ws/a.ts", line: 1, column: 1, title: "Fix it" };
  const one = { path: "/ws/a.ts", before: "let a;\n", after: "const a = 1;\n" };
  const two = { path: "/ws/b.ts", before: "let b;\n", after: "const b = 1;\n" };

  it("is reported as not run if a file could not be changed", async () => {
    const made = bench();
    made.documents.put("/ws/b.ts", "let other;\n");
    const runCommand = async (): Promise<void> => void made.did.push("command");
    made.action = { edits: [one, two], others: [], command: "ext.fix", runCommand };
    const { text, structured } = await made.answered("run_code_action", at);
    assert.match(text, /The command ext\.fix was not run\./);
    assert.doesNotMatch(text, /ran, too/);
    // Some agents give the model only the structure.
    assert.match(String(structured?.["notes"]), /The command ext\.fix was not run\./);
    assert.deepEqual(made.did, []);
  });

  it("leaves the list of changed files in the result if it fails", async () => {
    const made = bench();
    const runCommand = (): Promise<void> => Promise.reject(new Error("No project"));
    made.action = { edits: [one], others: [], command: "ext.fix", runCommand };
    const { structured, text } = await made.answered("run_code_action", at);
    assert.deepEqual(structured?.["changed"], ["/ws/a.ts"]);
    assert.match(text, /The command ext\.fix failed\. .* The error: No project/);
    assert.match(String(structured?.["notes"]), /The command ext\.fix failed\. .* The error: No project/);
    made.action = { edits: [], others: [], command: "ext.fix", runCommand };
    const { isError, text: alone } = await made.answered("run_code_action", at);
    assert.equal(isError, true);
    assert.match(alone, /The error: No project/);
  });
});

describe("the tool that shows files", () => {
  it("asks, and shows a range, a diff of two files, or nothing that the session may not see", async () => {
    const made = bench();
    await made.answered("show_to_user", { path: "/ws/a.ts", line: 2, endLine: 4 });
    await made.answered("show_to_user", { path: "/ws/a.ts", compareWith: "/ws/b.ts" });
    assert.deepEqual(made.did, [
      ["show", "/ws/a.ts", 2, 4],
      ["showDiff", "/ws/b.ts", "/ws/a.ts"],
    ]);
    assert.match(
      (await made.call("show_to_user", { path: "/ws/a.ts", changes: true })).text,
      /no changes of this session/,
    );
    assert.equal((await made.call("show_to_user", { path: "/ws/none.ts" })).isError, true);
    await made.answered("show_to_user", { path: "/ws/a.ts" }, "refuse");
    assert.equal(made.did.length, 2);
  });
});

describe("the tool that asks the user", () => {
  const fields = [
    { name: "db", title: "Database", type: "choice", options: ["one", "two"] },
    { name: "why", title: "Why", type: "text", required: false },
  ];

  it("shows a form, and gets the answers", async () => {
    const made = bench();
    const called = made.call("ask_user", { message: "Which one?", fields });
    await until(() => openQuestions(made.actions.state()).length > 0);
    const [open] = openQuestions(made.actions.state());
    assert.ok(open);
    assert.deepEqual(
      made.actions.forms.form(open.id)?.fields.map(({ type, required }) => [type, required]),
      [
        ["select", true],
        ["text", false],
      ],
    );
    made.actions.forms.accept(open.id, new Map([["db", "two"]]));
    assert.deepEqual((await called).structured, { answered: true, answers: [{ name: "db", values: ["two"] }] });
  });

  it("says that the user declined, and refuses a form without options", async () => {
    const made = bench();
    const called = made.call("ask_user", { message: "Which one?", fields });
    await until(() => openQuestions(made.actions.state()).length > 0);
    made.actions.forms.decline(openQuestions(made.actions.state())[0]?.id ?? "");
    assert.deepEqual((await called).structured, { answered: false, answers: [] });
    const bare = [{ name: "db", title: "Database", type: "choices" }];
    assert.match((await made.call("ask_user", { message: "?", fields: bare })).text, /has no “options”/);
  });
});

describe("the tool that shows the output of a terminal", () => {
  const last = { command: "npm test", output: "1 failed", exitCode: 1, truncated: false };

  it("asks once for the session", async () => {
    const made = bench();
    assert.match((await made.call("terminal_output", {})).text, /No command is known/);
    made.last = last;
    const { structured } = await made.answered("terminal_output", {}, "session");
    assert.deepEqual(structured, { command: "npm test", output: "1 failed", exitCode: 1 });
    assert.equal((await made.call("terminal_output", {})).isError, false);
    assert.equal(made.actions.asked.length, 1);
    const cards = [...made.actions.state().entries].flatMap(one => (one.kind === "tool" ? [one.fields.status] : []));
    assert.deepEqual(cards, ["completed", "completed"], "a call without a question has a card, too");
    made.actions.dispatch({ type: "cancelRequested" });
    assert.match((await made.call("terminal_output", {})).text, /stopped the turn/);
  });

  it("asks each time if the user allows it once, also if a rule allows other calls", async () => {
    const made = bench([{ effect: "allow", kind: "other" }]);
    made.last = { ...last, output: "x".repeat(100_000) };
    const { structured } = await made.answered("terminal_output", {});
    assert.deepEqual([(structured?.["output"] as string).length, structured?.["outputCut"]], [40_000, true]);
    assert.match((await made.answered("terminal_output", {}, "refuse")).text, /did not allow/);
  });

  it("names the command in the question, and sends the output of that command", async () => {
    const made = bench();
    made.last = { ...last, cwd: "/ws" };
    const called = made.call("terminal_output", {});
    await until(() => openQuestions(made.actions.state()).length > 0);
    assert.match(made.actions.asked[0]?.description ?? "", /^The command is “npm test”, in the folder \/ws\. /);
    made.last = { ...last, command: "cat notes", output: "private" };
    made.actions.answer("allow");
    assert.deepEqual((await called).structured?.["output"], "1 failed");
  });
});

describe("the tool that runs a task", () => {
  it("asks with the command line, which no rule allows, and gets the exit code and the new problems", async () => {
    const made = bench([{ effect: "allow", command: "npm run build" }]);
    made.tasks = [build];
    const { structured } = await made.answered("run_task", { name: "build" });
    const [question] = made.actions.asked;
    assert.equal(question?.title, "Run the task “build”");
    assert.deepEqual(question?.tool?.rawInput, { command: "npm run build", cwd: "/ws" });
    assert.deepEqual([structured?.["exitCode"], structured?.["running"]], [2, false]);
    // The same problem in another line is new if it is there twice, and a problem outside is not named.
    assert.deepEqual(
      (structured?.["newProblems"] as readonly { path: string; line: number }[]).map(({ path, line }) => [path, line]),
      [["/ws/a.ts", 3]],
    );
    assert.deepEqual(made.did, [["run", "build"]]);
  });

  it("counts the new problems that the result leaves out", async () => {
    const made = bench();
    made.tasks = [build];
    made.added = Array.from({ length: 60 }, (_, at) => ({ ...problem, message: `The problem ${at}.` }));
    const { structured, text } = await made.answered("run_task", { name: "build" });
    const shown = structured?.["newProblems"] as readonly unknown[];
    assert.equal(shown.length + Number(structured?.["moreProblems"]), 60);
    assert.match(text, /New problems: 60\.[\s\S]*Get the rest with diagnostics\./);
  });

  it("does not run if it has changed while the question was open", async () => {
    const made = bench();
    for (const changed of [
      { ...build, commandLine: "npm run other" },
      { ...build, folder: "/elsewhere" },
      { ...build, env: { PATH: "/elsewhere" } },
    ]) {
      made.tasks = [build];
      const called = made.call("run_task", { name: "build" });
      await until(() => openQuestions(made.actions.state()).length > 0);
      made.tasks = [changed];
      made.actions.answer("allow");
      assert.match((await called).text, /“build” has changed since the user was asked\. Nothing was run/);
    }
    assert.deepEqual(made.did, []);
  });

  it("shows its variables without likely secrets", async () => {
    const made = bench();
    made.tasks = [{ ...build, env: { MODE: "fast", API_TOKEN: "abcdef0123456789" } }];
    assert.equal((await made.answered("run_task", { name: "build" })).isError, false);
    const { env } = made.actions.asked[0]?.tool?.rawInput as { readonly env: Readonly<Record<string, string>> };
    assert.equal(env["MODE"], "fast");
    assert.doesNotMatch(env["API_TOKEN"] ?? "", /0123456789/);
  });

  it("is refused by a rule about its command, without trust, and for a name that is not there or there twice", async () => {
    const made = bench([{ effect: "deny", command: "npm run build" }]);
    const other = { ...build, source: "npm", commandLine: "npm test", scopeFolder: "/ws" };
    made.tasks = [build, { ...build, scopeFolder: "/elsewhere", source: "gulp" }];
    assert.match((await made.call("run_task", { name: "build" })).text, /did not allow this: Run the task “build”/);
    assert.match(
      (await made.call("run_task", { name: "gulp: build" })).text,
      /no task .* The tasks are: “Workspace: build”/,
    );
    made.tasks = [build, other];
    assert.match((await made.call("run_task", { name: "build" })).text, /Several tasks .* “ws: npm: build”/);
    made.tasks = ["/ws/api", "/ws/web"].map(scopeFolder => ({ ...other, scopeFolder }));
    assert.match((await made.call("run_task", { name: "npm: build" })).text, /“api: npm: build”, “web: npm: build”/);
    made.isTrusted = false;
    assert.match((await made.call("run_task", { name: "npm: build" })).text, /does not trust this workspace/);
    assert.deepEqual(made.did, []);
  });

  it("waits for a run that was allowed before, without another question", async () => {
    const made = bench();
    made.tasks = [build];
    made.running = build;
    made.ends = { isRunning: true };
    const { text } = await made.call("run_task", { name: "Workspace: build", wait: 1 });
    assert.match(text, /still running\. Call again/);
    assert.deepEqual(made.actions.asked, []);
  });
});
