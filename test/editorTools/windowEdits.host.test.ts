// The changes that the language features of the real VS Code propose for TypeScript, made after an answer of the test.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { callTool } from "../../src/editorTools/sessionTools.ts";
import type { EditorView } from "../../src/editorTools/editorView.ts";
import type { ToolContext } from "../../src/editorTools/tool.ts";
import { WindowEditor } from "../../src/editorTools/vscode/windowEditor.ts";
import { rootsOnly } from "../../src/files/gate.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import type { PermissionQuestion } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { emptySession } from "../../src/session/state.ts";
import { discardAll } from "../support/host/unsavedFiles.ts";

const names = `export function greet(name: string): string {
  return name;
}
`;
const uses = `import { greet } from "./names";
import { writeFileSync } from "node:fs";

export const shown = greet("Ada");
`;

describe("the editor's tools that act in VS Code", () => {
  let folder = "";
  let context: ToolContext;
  let asked: PermissionQuestion[] = [];
  let events: SessionEvent[] = [];
  let onAsked: () => Promise<void> = async () => {};
  const ends: { dispose(): void }[] = [];

  before(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    folder = await realpath(await mkdtemp(join(workspace, "acts-")));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true, types: [] } }));
    const documents = new EditorDocuments(nodePaths());
    const editor = new WindowEditor({
      ...{ showChanges: () => Promise.resolve(), lastCommand: () => undefined },
      extensionTools: {} as EditorView["extensionTools"],
    });
    ends.push(documents, editor);
    const confinement = new Confinement(nodePaths(), [folder]);
    const gate = rootsOnly(confinement);
    context = {
      access: {
        ...{ confinement, gate, files: new SessionFiles(documents, confinement) },
        passes: async path => (await confinement.locate(path)).inside,
        withholds: () => Promise.resolve(false),
        checkWrite: () => Promise.resolve(),
        actions: {
          state: () => ({ ...emptySession, activity: { ...emptySession.activity, state: "running" } }),
          report: event => events.push(event),
          requestPermission: async question => {
            asked.push(question);
            await onAsked();
            return { option: "allow" };
          },
          askForm: () => Promise.resolve({ action: "decline" }),
          writeFile: async (_path, _text, write) => void (await write()),
        },
      },
      ...{ editor, changes: () => [], clock: systemClock },
    };
  });

  beforeEach(async () => {
    asked = [];
    events = [];
    onAsked = async () => {};
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await writeFile(join(folder, "src", "names.ts"), names);
    await writeFile(join(folder, "src", "uses.ts"), uses);
  });

  after(async () => {
    for (const one of ends) one.dispose();
    await discardAll();
    await rm(folder, { recursive: true, force: true });
  });

  const path = (name: string): string => join(folder, "src", name);
  const only = (name: string): vscode.RelativePattern => new vscode.RelativePattern(join(folder, "src"), name);
  const text = (name: string): Promise<string> => readFile(path(name), "utf8");
  const call = (name: string, given: object): ReturnType<typeof callTool> =>
    callTool(name, given, { choice: "all", context, signal: new AbortController().signal, log: nullLog });
  const done = async (name: string, given: object): Promise<Readonly<Record<string, unknown>>> => {
    const { text: words, structured, isError } = await call(name, given);
    assert.equal(isError, false, words);
    return structured ?? {};
  };
  /** Shows a file, and waits until the language server answers about it. */
  const served = async (name: string): Promise<void> => {
    await vscode.window.showTextDocument(vscode.Uri.file(path(name)));
    while ((await context.editor.languages.symbolsOf(path(name))).length === 0);
  };

  /** Waits until the server knows where the function is used: it answers before it has loaded the project. */
  const knowsBothFiles = async (): Promise<void> => {
    const at = { path: path("names.ts"), line: 1, column: 17 };
    while (!(await context.editor.languages.places("references", at)).some(one => one.path === path("uses.ts")));
  };

  it("rename a symbol in two files, and save both", async () => {
    await served("names.ts");
    await knowsBothFiles();
    const given = { path: path("names.ts"), line: 1, symbol: "greet", newName: "welcome" };
    const { changed } = await done("rename_symbol", given);
    assert.deepEqual([...(changed as readonly string[])].sort(), [path("names.ts"), path("uses.ts")]);
    assert.deepEqual(
      [await text("names.ts"), await text("uses.ts")],
      [names, uses].map(one => one.replaceAll("greet", "welcome")),
    );
    assert.equal(asked.length, 1);
  });

  it("refuse to rename what is no symbol, without a question", async () => {
    await served("names.ts");
    const { isError, text: words } = await call("rename_symbol", {
      ...{ path: path("names.ts"), line: 2, symbol: "return", newName: "give" },
    });
    assert.deepEqual([isError, asked, events], [true, [], []]);
    assert.match(words, /cannot|can’t|can't|refused|No language server/i);
  });

  it("leave a file alone that the user edits while the question is open", async () => {
    await served("names.ts");
    await knowsBothFiles();
    onAsked = async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(vscode.Uri.file(path("names.ts")), new vscode.Position(3, 0), "// Mine.\n");
      assert.ok(await vscode.workspace.applyEdit(edit));
    };
    const given = { path: path("names.ts"), line: 1, symbol: "greet", newName: "welcome" };
    const { changed, failed } = await done("rename_symbol", given);
    assert.deepEqual(changed, [path("uses.ts")]);
    assert.match(JSON.stringify(failed), /has changed since the edit was computed/);
    assert.equal((await vscode.workspace.openTextDocument(path("names.ts"))).getText(), `${names}// Mine.\n`);
    await discardAll();
  });

  it("format a file, and organize its imports", async () => {
    await writeFile(path("names.ts"), "export function   greet(name:string) {return name}\n");
    await served("names.ts");
    await done("format_file", { path: path("names.ts") });
    assert.equal(await text("names.ts"), "export function greet(name: string) { return name }\n");
    await served("uses.ts");
    // The server for TypeScript always adds a command.
    assert.equal((await context.editor.edits.organizeImports(path("uses.ts"))).withCommand, "Organize Imports");
    const { text: words } = await call("organize_imports", { path: path("uses.ts") });
    assert.match(words, /Changed 1 file:\n.*uses\.ts\nA command that the language server runs afterwards was left out/);
    assert.doesNotMatch(words, /_typescript/);
    assert.equal(await text("uses.ts"), 'import { greet } from "./names";\n\nexport const shown = greet("Ada");\n');
    assert.deepEqual(
      asked.map(({ title }) => title),
      ["Format names.ts", "Organize imports of uses.ts"],
    );
    // Rules can allow it, because all of it is shown.
    assert.deepEqual([asked[1]?.caveat, asked[1]?.description], [undefined, undefined]);
    const again = await call("organize_imports", { path: path("uses.ts") });
    assert.deepEqual([again.isError, asked.length], [false, 2]);
    assert.match(
      again.text,
      /^There is nothing to change\.\n.*only a command.* run the code action “Organize Imports”\.$/,
    );
  });

  it("format a file with the indentation that it has", async () => {
    const started = "export function greet() {\n\tif (true) {\n\t\treturn  1;\n\t}\n}\n";
    await writeFile(path("tabs.ts"), started);
    await served("tabs.ts");
    // The file is open, but no longer visible.
    await vscode.window.showTextDocument(vscode.Uri.file(path("names.ts")));
    await done("format_file", { path: path("tabs.ts") });
    assert.equal(await text("tabs.ts"), started.replace("return  1", "return 1"));
    const { isError, text: words } = await call("format_file", { path: path("tabs.ts") });
    assert.equal(isError, false);
    assert.match(words, /^Nothing to change, or no formatter/);
  });

  it("list the actions for a problem, and run one by its title", async () => {
    await writeFile(path("uses.ts"), 'export const shown = greet("Ada");\n');
    await served("uses.ts");
    const at = { path: path("uses.ts"), line: 1, column: 22 };
    const title = 'Add import from "./names"';
    const titles = async (): Promise<readonly string[]> =>
      ((await done("list_code_actions", at))["actions"] as readonly { readonly title: string }[]).map(one => one.title);
    // The server reports the problem some time after it knows the file.
    while (!(await titles()).includes(title));
    await done("run_code_action", { ...at, title });
    assert.match(await text("uses.ts"), /^import \{ greet \} from "\.\/names";\n/);
    const { isError, text: words } = await call("run_code_action", { ...at, title: "Make coffee" });
    assert.equal(isError, true);
    assert.match(words, /“Make coffee” is not offered/);
  });

  it("compute a change once more if a file was not open, and refuse a range that is not there, or a missing file", async () => {
    const uri = vscode.Uri.file(path("closed.txt"));
    await writeFile(uri.fsPath, "one\n");
    const opened: boolean[] = [];
    let length = 3;
    let target = uri;
    const provider: vscode.RenameProvider = {
      provideRenameEdits(_document, _position, name) {
        opened.push(vscode.workspace.textDocuments.some(one => one.uri.toString() === uri.toString()));
        const edit = new vscode.WorkspaceEdit();
        edit.replace(target, new vscode.Range(0, 0, 0, length), name);
        return edit;
      },
    };
    await writeFile(path("names.txt"), "one\n");
    const registered = vscode.languages.registerRenameProvider({ pattern: only("names.txt") }, provider);
    try {
      const given = { path: path("names.txt"), line: 1, symbol: "one", newName: "two" };
      await done("rename_symbol", given);
      assert.deepEqual([opened, await text("closed.txt")], [[false, true], "two\n"]);
      length = 30;
      const { isError, text: words } = await call("rename_symbol", given);
      assert.deepEqual([isError, asked.length, await text("closed.txt")], [true, 1, "two\n"]);
      assert.match(words, /knows another text of .*closed\.txt than the editor/);
      target = vscode.Uri.file(path("none.txt"));
      // The change would create the file, too.
      assert.match((await call("rename_symbol", given)).text, /a file that cannot be opened, so nothing was changed: /);
    } finally {
      registered.dispose();
    }
  });

  it("run the command of an action only if the text is still the same", async () => {
    const ran: string[] = [];
    const command = "parley-test.act";
    const action = new vscode.CodeAction("Act", vscode.CodeActionKind.QuickFix);
    action.command = { title: "Act", command };
    const registered = [
      vscode.commands.registerCommand(command, () => ran.push("ran")),
      vscode.languages.registerCodeActionsProvider(
        { pattern: only("names.ts") },
        { provideCodeActions: () => [action] },
      ),
    ];
    try {
      const given = { path: path("names.ts"), line: 1, column: 1, title: "Act" };
      assert.match((await call("run_code_action", given)).text, /command parley-test\.act ran/);
      onAsked = async () => {
        const edit = new vscode.WorkspaceEdit();
        edit.insert(vscode.Uri.file(path("names.ts")), new vscode.Position(0, 0), "// Mine.\n");
        assert.ok(await vscode.workspace.applyEdit(edit));
      };
      const { isError, text: words } = await call("run_code_action", given);
      assert.deepEqual([isError, ran], [true, ["ran"]]);
      assert.match(words, /has changed since the action was computed/);
    } finally {
      for (const one of registered) one.dispose();
      await discardAll();
    }
  });

  it("rename a file whose tab follows, and show a file without taking the focus", async () => {
    await served("uses.ts");
    await done("rename_file", { path: path("uses.ts"), newPath: join(folder, "src", "lib", "usage.ts") });
    assert.equal(await text(join("lib", "usage.ts")), uses);
    await assert.rejects(text("uses.ts"));
    const shown = (): readonly (string | undefined)[] =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) =>
        tabs.map(({ input }) => (input instanceof vscode.TabInputText ? input.uri.fsPath : undefined)),
      );
    assert.deepEqual(shown(), [join(folder, "src", "lib", "usage.ts")]);
    await writeFile(path("shown.ts"), names);
    await done("show_to_user", { path: path("shown.ts"), line: 2, endLine: 3 });
    assert.ok(shown().includes(path("shown.ts")));
    const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === path("shown.ts"));
    assert.deepEqual([editor?.selection.start.line, editor?.selection.end.line], [1, 3]);
    await done("show_to_user", { path: path("names.ts"), compareWith: join(folder, "src", "lib", "usage.ts") });
    const [diff] = vscode.window.tabGroups.all.flatMap(({ tabs }) =>
      tabs.flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input] : [])),
    );
    assert.equal(diff?.modified.fsPath, path("names.ts"));
  });

  it("rename a file whose name only changes its case, with its tab, and leave links alone", async () => {
    await writeFile(path("Sum.ts"), names);
    await vscode.window.showTextDocument(vscode.Uri.file(path("Sum.ts")));
    await done("rename_file", { path: path("Sum.ts"), newPath: path("sum.ts") });
    const found = await readdir(join(folder, "src"));
    assert.deepEqual([found.includes("sum.ts"), found.includes("Sum.ts")], [true, false]);
    const shown = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
    assert.deepEqual(shown, ["sum.ts"]);
    await symlink("sum.ts", path("link.ts"));
    await symlink("none.ts", path("dangling.ts"));
    for (const [from, to, words] of [
      ["link.ts", "new.ts", /is a symbolic link to “.*sum\.ts”/],
      ["sum.ts", "link.ts", /exists already/],
      ["sum.ts", "dangling.ts", /exists already/],
    ] as const) {
      const { isError, text: why } = await call("rename_file", { path: path(from), newPath: path(to) });
      assert.equal(isError, true);
      assert.match(why, words);
    }
    assert.equal(asked.length, 1);
  });

  it("run a task after a question with its command line, and get its exit code", async () => {
    const settings = join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "", ".vscode");
    await mkdir(settings, { recursive: true });
    const file = join(settings, "tasks.json");
    const label = "end with three";
    const task = { label, type: "process", command: process.execPath, args: ["-e", "process.exit(3)"] };
    await writeFile(file, JSON.stringify({ version: "2.0.0", tasks: [task] }));
    try {
      // VS Code reads the file some time later.
      while (!(await vscode.tasks.fetchTasks()).some(({ name }) => name === label));
      // The task belongs to the folder of the workspace.
      const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
      context = { ...context, access: { ...context.access, confinement: new Confinement(nodePaths(), roots) } };
      const { exitCode, running } = await done("run_task", { name: label });
      assert.deepEqual([exitCode, running], [3, false]);
      const input = events.flatMap(event =>
        event.type === "tool" && event.patch.rawInput ? [event.patch.rawInput] : [],
      );
      assert.match(JSON.stringify(input), /process\.exit\(3\)/);
    } finally {
      await rm(file);
    }
  });
});
