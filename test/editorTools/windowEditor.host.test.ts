// The editor as the tools see it, in the real VS Code, with its language features for TypeScript.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { CodeProblem, CodeSymbol } from "../../src/editorTools/editorView.ts";
import { callTool } from "../../src/editorTools/sessionTools.ts";
import type { EditorView } from "../../src/editorTools/editorView.ts";
import type { ToolContext } from "../../src/editorTools/tool.ts";
import { WindowEditor } from "../../src/editorTools/vscode/windowEditor.ts";
import { rootsOnly } from "../../src/files/gate.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { track } from "../../src/review/fileChanges.ts";
import { discardAll } from "../support/host/unsavedFiles.ts";

const shapes = `/** A shape with an area. */
export interface Shape {
  area(): number;
}

export class Square implements Shape {
  constructor(readonly side: number) {}
  area(): number {
    return this.side ** 2;
  }
}
`;
const broken = `import { Square } from "./shapes";

const side: number = "three";
export const square = new Square(side);
`;

describe("the editor's tools in VS Code", () => {
  let folder = "";
  let context: ToolContext;
  const ends: { dispose(): void }[] = [];

  before(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    folder = await realpath(await mkdtemp(join(workspace, "tools-")));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true, types: [] } }));
    await writeFile(join(folder, "src", "shapes.ts"), shapes);
    await writeFile(join(folder, "src", "broken.ts"), broken);
    await writeFile(join(folder, "notes.txt"), "saved\n");
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
      },
      editor,
      changes: () =>
        ["broken.ts", "shapes.ts"].map(name => ({
          ...{
            path: join(folder, "src", name),
            changes: track("a\n", "b\n", "t1"),
            added: 1,
            removed: 1,
            turns: ["t1"],
          },
        })),
      clock: systemClock,
    };
  });

  after(async () => {
    for (const one of ends) one.dispose();
    await discardAll();
    await rm(folder, { recursive: true, force: true });
  });

  const call = async (
    name: string,
    given: object = {},
  ): Promise<Readonly<Record<string, unknown>> & { answer: string }> => {
    const signal = new AbortController().signal;
    const { text, structured, isError } = await callTool(name, given, { context, signal, log: nullLog });
    assert.equal(isError, false, text);
    return { ...structured, answer: text };
  };

  it("gets the problems of a file in a tab, and says that a file without one is not checked", async () => {
    const [path, other] = ["broken.ts", "shapes.ts"].map(name => join(folder, "src", name)) as [string, string];
    const before = await call("diagnostics");
    // The server for TypeScript checks no file that no tab shows.
    assert.deepEqual([before["problems"], before["notChecked"], before["notOpened"]], [[], [path, other], []]);
    assert.equal(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length, 0, "no tab was opened");

    await vscode.window.showTextDocument(vscode.Uri.file(path));
    // The language server starts with the first file, which can take longer than one call waits.
    let found = await call("diagnostics");
    while ((found["problems"] as readonly unknown[]).length === 0) found = await call("diagnostics");
    assert.deepEqual(
      (found["problems"] as readonly CodeProblem[]).map(({ path: of, line, severity, source, code }) => [
        ...[of, line, severity],
        ...[source, code],
      ]),
      [[path, 3, "error", "ts", "2322"]],
    );
    assert.deepEqual(found["notChecked"], [other]);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("names files that no language server has checked, and those that are no texts", async () => {
    const path = join(folder, "notes.txt");
    assert.deepEqual((await call("diagnostics", { path }))["notChecked"], [path]);
    const binary = join(folder, "image.bin");
    await writeFile(binary, Buffer.from([0, 1, 2, 0, 255, 0]));
    assert.deepEqual((await call("diagnostics", { path: binary }))["notOpened"], [binary]);
  });

  it("finds symbols, definitions, references, implementations and the text of hovers", async () => {
    const path = join(folder, "src", "shapes.ts");
    const symbols = (await call("document_symbols", { path }))["symbols"] as readonly CodeSymbol[];
    assert.deepEqual(
      symbols
        .filter(({ name }) => name === "Square" || name === "side")
        .map(({ name, kind, line }) => [name, kind, line]),
      [
        ["Square", "class", 6],
        ["side", "property", 7],
      ],
    );
    const places = async (kind: string, of: string, line: number, symbol: string): Promise<readonly string[]> =>
      (
        (await call("find_code", { kind, path: join(folder, "src", of), line, symbol }))["places"] as readonly {
          readonly path: string;
          readonly line: number;
        }[]
      ).map(one => `${one.path.slice(folder.length + 5)}:${one.line}`);
    // The class and its constructor.
    assert.deepEqual(await places("definition", "broken.ts", 4, "Square"), ["shapes.ts:6", "shapes.ts:7"]);
    assert.deepEqual([...(await places("references", "shapes.ts", 6, "Square"))].sort(), [
      ...["broken.ts:1", "broken.ts:4"],
      "shapes.ts:6",
    ]);
    assert.ok((await places("implementations", "shapes.ts", 2, "Shape")).includes("shapes.ts:6"));
    assert.match(
      (await call("hover", { path, line: 6, symbol: "Shape" })).answer,
      /interface Shape[^]*A shape with an area/,
    );
    const found = (await call("workspace_symbols", { query: "Square" }))["symbols"] as readonly CodeSymbol[];
    assert.ok(found.some(one => one.path === path && one.line === 6));
  });

  it("reads unsaved text, and lists the editor with its selection", async () => {
    const path = join(folder, "notes.txt");
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
    await editor.edit(edit => edit.insert(new vscode.Position(0, 0), "not "));
    editor.selection = new vscode.Selection(0, 0, 0, 3);
    const read = await call("read_file", { path });
    assert.deepEqual([read["text"], read["unsaved"]], ["not saved\n", true]);
    const { editors } = await call("open_editors");
    const [shown] = editors as readonly Record<string, unknown>[];
    assert.deepEqual(
      [shown?.["path"], shown?.["active"], shown?.["unsaved"], shown?.["selections"]],
      [path, true, true, [{ line: 1, column: 1, endLine: 1, endColumn: 4, text: "not" }]],
    );
    assert.ok((shown?.["visibleLines"] as readonly unknown[]).length > 0);
  });
});
