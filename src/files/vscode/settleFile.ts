// Runs the user's choice about a file whose text in the editor and on disk differ: save, compare, use one of the two.
import * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { unreachable } from "../../base/errors.ts";
import { quotePath, withLineFeeds } from "../../base/text.ts";
import type { SettleFileChoice } from "../../panel/protocol.ts";
import { nodePaths } from "../nodePaths.ts";
import { Confinement } from "../paths.ts";
import { isBinaryHash, missingFileHash } from "../unsavedConflicts.ts";
import { documentOfFile, hashOnDisk, textOnDisk } from "./comparedFiles.ts";
import { replaceText, saveAndVerify } from "./textFile.ts";
import { intentHandlers } from "../../panel/intentHandlers.ts";

const keptEditorText = new vscode.EventEmitter<vscode.TextDocument>();

/** The user chose the editor's text of a file that is not on disk. What the disk has now is no longer a conflict. */
export const onDidKeepEditorText = keptEditorText.event;

/** Runs the user's choice about a file. Rejects with a sentence for the user if that is not possible. */
export async function settleFile(path: string, choice: SettleFileChoice): Promise<void> {
  const document = await documentOfFile(path, new Confinement(nodePaths(), []));
  if (document === undefined) throw new Error(vscode.l10n.t("{0} is no longer open in the editor.", quotePath(path)));
  switch (choice) {
    case "save":
      return save(document);
    case "compare":
      return compareWithDisk(document);
    case "take":
      return settlements.queue(() => useDiskText(document));
    case "keep":
      return settlements.queue(() => keepEditorText(document));
    default:
      throw unreachable(choice);
  }
}

async function save(document: vscode.TextDocument): Promise<void> {
  if (!document.isDirty) return;
  const before = await textOnDisk(document);
  if (await saveAndVerify(document, { before, readDisk: () => textOnDisk(document) })) return;
  const path = quotePath(document.uri.fsPath);
  throw new Error(
    vscode.l10n.t(
      "{0} could not be saved. It may be read-only, or it changed on disk. Compare the two versions.",
      path,
    ),
  );
}

/** Opens VS Code's own comparison of the file and the editor's text. */
async function compareWithDisk(document: vscode.TextDocument): Promise<void> {
  const path = quotePath(document.uri.fsPath);
  if (!(await isOnDisk(document))) {
    throw new Error(vscode.l10n.t("{0} no longer exists on disk, so there is nothing to compare with.", path));
  }
  await vscode.commands.executeCommand("workbench.files.action.compareWithSaved", document.uri);
}

/** Gives the document the text on disk. The user's text stays in the undo history. */
async function useDiskText(document: vscode.TextDocument): Promise<void> {
  const path = quotePath(document.uri.fsPath);
  const disk = await hashOnDisk(document.uri.fsPath, document.encoding);
  if (disk === missingFileHash) {
    throw new Error(
      vscode.l10n.t("{0} no longer exists on disk. Save your text to create it again, or close the editor.", path),
    );
  }
  if (isBinaryHash(disk))
    throw new Error(vscode.l10n.t("{0} is now a binary file on disk, so there is no text to use.", path));
  await revert(document);
}

/**
 * Keeps the user's text and makes the document savable: VS Code refuses to overwrite content that it has not read, so
 * the document first reads the disk. Writes nothing to disk.
 */
async function keepEditorText(document: vscode.TextDocument): Promise<void> {
  // If there is no file, saving creates it.
  if (!(await isOnDisk(document))) return keptEditorText.fire(document);
  const text = withLineFeeds(document.getText());
  const { eol } = document;
  await revert(document);
  if (await replaceText(document, text, eol)) return;
  const path = quotePath(document.uri.fsPath);
  throw new Error(
    vscode.l10n.t("{0} could not be restored to your text. Use Undo in its editor to get it back.", path),
  );
}

async function isOnDisk(document: vscode.TextDocument): Promise<boolean> {
  return (await hashOnDisk(document.uri.fsPath, document.encoding)) !== missingFileHash;
}

/** Reads the document from disk. The command applies only to the active editor, so the document is shown first. */
async function revert(document: vscode.TextDocument): Promise<void> {
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: columnOf(document) ?? vscode.ViewColumn.Active,
    preview: false,
  });
  const path = quotePath(document.uri.fsPath);
  if (vscode.window.activeTextEditor !== editor)
    throw new Error(vscode.l10n.t("{0} could not be shown. Try again.", path));
  await vscode.commands.executeCommand("workbench.action.files.revert");
  if (document.isDirty) throw new Error(vscode.l10n.t("{0} could not be read from disk as text.", path));
}

/** Runs one choice after the other, because only one document can be the active editor. */
const settlements = new Sequencer();

function columnOf(document: vscode.TextDocument): vscode.ViewColumn | undefined {
  const uri = document.uri.toString();
  const shows = (tab: vscode.Tab): boolean =>
    tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri;
  return vscode.window.tabGroups.all.find(group => group.tabs.some(shows))?.viewColumn;
}

/** Handlers of what the panel asks of files with unsaved changes. */
export const fileIntents = intentHandlers({
  settleFile: ({ path, how }) => settleFile(path, how),
});
