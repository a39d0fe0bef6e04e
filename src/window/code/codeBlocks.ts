// The buttons of a code block: insert the code at the cursor, or apply it to a file once the user has confirmed the
// diff. All edits go through the editor, so that they can be undone. Only the text of a new file is saved.
import { mkdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { withLineFeeds } from "../../base/text.ts";
import { textOnDisk } from "../../files/vscode/comparedFiles.ts";
import { applyTextChanges, createEmptyFile, saveAndVerify } from "../../files/vscode/textFile.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import { openDiff } from "../../editor/editorItems.ts";
import { indentCode, proposeCode, type CodeProposal, type OffsetRange } from "./codeProposal.ts";
import type { ContentDocuments } from "./contentDocuments.ts";
import { locateFile } from "./openFile.ts";

/** How long another save of the file may take (ms). */
const maxSave = 5000;

/** Asks the user to confirm. Resolves with false if the user dismisses the question. */
export type ConfirmCodeChange = (question: string, answer: string) => PromiseLike<boolean>;

const confirmInEditor: ConfirmCodeChange = async (question, answer) =>
  (await showInformationMessage(question, answer)) === answer;

/** Replaces the selections of the last used text editor with the code. Rejects with a sentence if there is none. */
export async function insertCode(text: string): Promise<void> {
  const editor = targetEditor();
  if (!editor) {
    throw new Error(vscode.l10n.t("Open a file first. The code is inserted at the cursor."));
  }
  const { document, selections, viewColumn } = editor;
  const code = text.replace(/\n$/, "");
  const done = await editor.edit(edit => {
    for (const selection of selections) {
      const before = document.lineAt(selection.start.line).text.slice(0, selection.start.character);
      edit.replace(selection, indentCode(code, /^[ \t]*$/.test(before) ? before : ""));
    }
  });
  if (!done) throw new Error(vscode.l10n.t("{0} is read-only and cannot be changed.", basename(document.fileName)));
  await vscode.window.showTextDocument(document, { preserveFocus: false, ...(viewColumn && { viewColumn }) });
}

/**
 * Shows a diff of the file with the code applied, and applies it if the user confirms. The file is `path`, or the one
 * in the last used editor, or one that the user picks. Rejects with a sentence if the file is outside the workspace or
 * cannot be changed.
 */
export async function applyCode(
  text: string,
  path: string | undefined,
  context: { readonly cwd: string; readonly contents: ContentDocuments; readonly confirm?: ConfirmCodeChange },
): Promise<void> {
  const target = path === undefined ? await chosenFile() : await namedFile(path, context.cwd);
  if (!target) return;
  const name = vscode.workspace.asRelativePath(target.uri);
  const before = target.exists ? (await vscode.workspace.openTextDocument(target.uri)).getText() : "";
  const proposal = proposeCode(before, text, target.exists ? selectionIn(target.uri) : undefined);
  const after = before.slice(0, proposal.start) + proposal.text + before.slice(proposal.end);
  if (withLineFeeds(after) === withLineFeeds(before)) {
    void showInformationMessage(vscode.l10n.t("{0} already contains this code.", name));
    return;
  }
  const { contents, confirm = confirmInEditor } = context;
  const fileName = basename(target.uri.path);
  const right = contents.add(fileName, () => Buffer.from(after));
  const left = target.exists ? target.uri : contents.add(fileName, () => new Uint8Array());
  await openDiff(left, right, vscode.l10n.t("{0} ↔ With This Code", name));
  const isConfirmed = await confirm(questionOf(name, proposal, before, target.exists), vscode.l10n.t("Apply"));
  await closeDiff(right);
  if (isConfirmed) await writeCode(target, before, after, name);
}

interface TargetFile {
  readonly uri: vscode.Uri;
  readonly exists: boolean;
}

async function namedFile(path: string, workspaceFolder: string): Promise<TargetFile> {
  const { path: located, exists } = await locateFile(path, workspaceFolder);
  return { uri: vscode.Uri.file(located), exists };
}

/** The file of the last used editor, or one that the user picks if there is no editor. */
async function chosenFile(): Promise<TargetFile | undefined> {
  const editor = targetEditor();
  if (editor) return { uri: editor.document.uri, exists: true };
  const picked = await vscode.window.showOpenDialog({ title: vscode.l10n.t("Select the File to Change") });
  return picked?.[0] && { uri: picked[0], exists: true };
}

/** The last used text editor. No text editor is active while a panel in the editor area has the focus. */
function targetEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return [activeTextEditor, ...visibleTextEditors].find(
    editor =>
      editor !== undefined && /^(?:file|untitled|vscode-remote|vscode-notebook-cell)$/.test(editor.document.uri.scheme),
  );
}

function selectionIn(uri: vscode.Uri): OffsetRange | undefined {
  const editor = targetEditor();
  if (editor?.document.uri.toString() !== uri.toString() || editor.selection.isEmpty) return undefined;
  const { document, selection } = editor;
  return { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) };
}

function questionOf(name: string, { replaces, start, end }: CodeProposal, before: string, exists: boolean): string {
  if (!exists) return vscode.l10n.t("Create {0} with this code?", name);
  if (replaces === "all") return vscode.l10n.t("Replace the contents of {0} with this code? You can undo this.", name);
  const line = (offset: number): number => before.slice(0, offset).split("\n").length;
  return vscode.l10n.t(
    "Replace lines {0} to {1} of {2} with this code? You can undo this.",
    line(start),
    line(end),
    name,
  );
}

async function closeDiff(right: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
  const own = tabs.filter(
    ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === right.toString(),
  );
  if (own.length > 0) await vscode.window.tabGroups.close(own);
}

/** Replaces the file's text by `after`, if it is still `before`. */
async function writeCode({ uri, exists }: TargetFile, before: string, after: string, name: string): Promise<void> {
  if (exists && (await vscode.workspace.openTextDocument(uri)).getText() !== before) {
    throw new Error(vscode.l10n.t("{0} has changed since. Apply the code again to see the new diff.", name));
  }
  if (!exists) await createFile(uri.fsPath, name);
  if (!(await applyTextChanges([{ uri, before: withLineFeeds(before), after: withLineFeeds(after) }]))) {
    throw new Error(vscode.l10n.t("{0} could not be changed. It may be read-only.", name));
  }
  const { document } = await vscode.window.showTextDocument(uri, { preview: false });
  const readDisk = (): Promise<string | undefined> => textOnDisk(document);
  if (!exists && !(await saveAndVerify(document, { before: "", readDisk, maxSaveWait: maxSave })))
    throw new Error(vscode.l10n.t("{0} was created, but could not be saved. Its text is in the editor.", name));
}

async function createFile(path: string, name: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (!(await createEmptyFile(path)))
    throw new Error(vscode.l10n.t("{0} has changed since. Apply the code again to see the new diff.", name));
}
