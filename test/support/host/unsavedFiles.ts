// Files with unsaved changes of a user, and a session's watcher of them, for tests in the real editor.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { nullLog, type Log } from "../../../src/base/log.ts";
import type { FileNote } from "../../../src/session/events.ts";
import { FileEvents } from "../../../src/files/vscode/fileEvents.ts";
import { UnsavedChangesWatcher } from "../../../src/files/vscode/unsavedChangesWatcher.ts";
import { until } from "../fakes/until.ts";
import { whenWatched } from "./whenWatched.ts";

export type Report = readonly [path: string, note: FileNote | null];

/** Creates a folder before each test of the suite, and afterwards removes it and ends every watcher. */
export function useUnsavedFiles() {
  let root = "";
  let folder = "";
  let outside = "";
  const reports: Report[] = [];
  const faults: string[] = [];
  const fileEvents = new FileEvents();
  const watches: UnsavedChangesWatcher[] = [];

  beforeEach(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace, "the tests run in a workspace");
    root = await realpath(workspace);
    folder = await mkdtemp(join(root, "watched-"));
    outside = await realpath(await mkdtemp(join(tmpdir(), "unwatched-")));
    for (const list of [reports, faults, watches]) list.length = 0;
    await whenWatched(folder, fileEvents);
  });
  afterEach(async () => {
    for (const watch of watches) watch.dispose();
    await discardAll();
    for (const one of [folder, outside]) await rm(one, { recursive: true, force: true });
    assert.deepEqual(faults, []);
  });

  const path = (name: string): string => join(folder, name);
  const onDisk = (name: string): Promise<string> => readFile(path(name), "utf8");

  /** A session's watcher of the workspace, or of one folder in it. */
  const watch = (into = reports, of = root): UnsavedChangesWatcher => {
    const log: Log = { ...nullLog, error: message => faults.push(message) };
    const made = new UnsavedChangesWatcher({ roots: [of], fileEvents, report: (...report) => into.push(report), log });
    watches.push(made);
    return made;
  };

  /** Writes to disk directly, like an agent. */
  const put = async (name: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), content);
  };

  /** Deletes a file. A file that is created and deleted in one burst is never reported, so its creation is awaited. */
  const remove = async (name: string): Promise<void> => {
    await whenWatched(folder, fileEvents);
    await rm(path(name));
  };

  const open = (name: string): Promise<vscode.TextDocument> =>
    Promise.resolve(vscode.workspace.openTextDocument(path(name)));

  /** A file with unsaved changes of the user. */
  const unsavedFile = async (name: string, disk: string | Uint8Array, text: string): Promise<vscode.TextDocument> => {
    await put(name, disk);
    const document = await open(name);
    await type(document, text);
    return document;
  };

  /** An unsaved file that has been changed on disk, and reported. */
  const divergedFile = async (name: string, disk: string, text: string): Promise<vscode.TextDocument> => {
    const document = await unsavedFile(name, "was\n", text);
    await put(name, disk);
    await reported([path(name), "diverged"]);
    return document;
  };

  const reported = (report: Report): Promise<void> =>
    until(() => reports.some(one => one[0] === report[0] && one[1] === report[1]));

  let barriers = 0;
  /**
   * Resolves after every other file has been checked: documents are compared in the order in which they were opened.
   */
  const everythingSeen = async (): Promise<void> => {
    const name = `barrier-${++barriers}.txt`;
    await divergedFile(name, "disk\n", "mine\n");
    const others = reports.filter(([of]) => of !== path(name));
    reports.splice(0, reports.length, ...others);
  };

  const folders = { root: () => root, own: () => folder, outside: () => outside };
  return {
    reports,
    folders,
    path,
    onDisk,
    watch,
    put,
    remove,
    open,
    unsavedFile,
    divergedFile,
    reported,
    everythingSeen,
  };
}

/** Replaces a document's whole text without saving, like a user. */
export async function type(document: vscode.TextDocument, text: string): Promise<void> {
  await replace(document, text);
  assert.ok(document.isDirty);
}

export async function replace(document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const end = document.lineAt(document.lineCount - 1).range.end;
  edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** Closes every document without saving. */
export async function discardAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments.filter(one => one.isDirty && one.uri.scheme === "file")) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  }
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}
