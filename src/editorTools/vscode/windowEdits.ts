// The changes that language servers of the window propose, as texts before and after. Nothing is changed here.
import * as vscode from "vscode";
import { asError, Refusal } from "../../base/errors.ts";
import { withLineFeeds } from "../../base/text.ts";
import type {
  CodePlace,
  CodePosition,
  ComputedAction,
  EditorEdits,
  FileEdit,
  OfferedAction,
  ProposedEdits,
} from "../editorView.ts";
import { indentationOf } from "../indentation.ts";
import { checkFileCount } from "../proposedChange.ts";
import { withRangeEdits } from "../rangeEdits.ts";
import { codeRange } from "./codeRange.ts";
import { answer } from "./windowLanguages.ts";

/** How often a change is computed if documents change meanwhile. */
const maxAttempts = 4;

/** The edits of language servers. */
export class WindowEdits implements EditorEdits {
  rename({ path, line, column }: CodePosition, newName: string): Promise<ProposedEdits> {
    return proposed(async () => {
      const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
        "vscode.executeDocumentRenameProvider",
        vscode.Uri.file(path),
        new vscode.Position(line - 1, column - 1),
        newName,
      );
      if (!edit || edit.entries().length === 0)
        throw new Refusal(
          "failed",
          "No language server proposes text edits to rename what is at this position. Check the position, or whether the file belongs to a project.",
        );
      return edit.entries();
    });
  }

  format(path: string): Promise<ProposedEdits> {
    const uri = vscode.Uri.file(path);
    return proposed(async () => {
      const document = await vscode.workspace.openTextDocument(uri);
      const edits = await vscode.commands.executeCommand<readonly vscode.TextEdit[] | undefined>(
        "vscode.executeFormatDocumentProvider",
        uri,
        formattingOptions(document),
      );
      // VS Code answers the same if there is no formatter and if it changes nothing.
      return edits ? [[uri, edits]] : [];
    });
  }

  async organizeImports(path: string): ReturnType<EditorEdits["organizeImports"]> {
    let withCommand: string | undefined;
    const edits = await proposed(async () => {
      const kind = vscode.CodeActionKind.SourceOrganizeImports.value;
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      const whole = codeRange(new vscode.Range(0, 0, document.lineCount, 0));
      const [action] = await actionsAt({ path, ...whole }, { kind, resolved: 1 });
      if (!action) throw new Refusal("failed", "No language server can organize the imports of this file.");
      // The server for TypeScript always adds a command, which only counts, and has no edit if there is nothing to change.
      withCommand = action.command && action.title;
      return action.edit?.entries() ?? [];
    });
    return { ...edits, ...(withCommand !== undefined && { withCommand }) };
  }

  async codeActions(at: CodePlace): Promise<readonly OfferedAction[]> {
    return (await answer(actionsAt(at, {}))).map(({ title, kind, isPreferred = false, disabled }) => ({
      ...{ title, isPreferred },
      ...(kind && { kind: kind.value }),
      ...(disabled && { disabled: disabled.reason }),
    }));
  }

  async codeAction(at: CodePlace, title: string): Promise<ComputedAction | undefined> {
    const offered = await answer(actionsAt(at, {}));
    const index = offered.findIndex(one => one.title === title);
    if (index < 0) return undefined;
    let found: vscode.CodeAction | undefined;
    let text = "";
    const edits = await proposed(async () => {
      text = await textOf(at.path);
      // VS Code asks for the changes of the first actions only.
      found = (await actionsAt(at, { resolved: index + 1 }))[index];
      return found?.title === title ? (found.edit?.entries() ?? []) : [];
    });
    if (found?.title !== title) return undefined;
    const { disabled, command } = found;
    return {
      ...edits,
      ...(disabled && { disabled: disabled.reason }),
      ...(command && { command: command.command }),
      runCommand: async () => {
        if (!command) return;
        // A file with edits has its text checked when they are written.
        const isEdited = edits.edits.some(
          ({ path, before, after }) =>
            path === vscode.Uri.file(at.path).fsPath && withLineFeeds(before) !== withLineFeeds(after),
        );
        if (!isEdited && (await textOf(at.path)) !== text)
          throw new Refusal("failed", "The file has changed since the action was computed. Call again.");
        await vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
      },
    };
  }
}

/** How the document is indented: as a visible editor shows it, or else as its text or the settings have it. */
function formattingOptions(document: vscode.TextDocument): vscode.FormattingOptions {
  const { uri, languageId } = document;
  const settings = vscode.workspace.getConfiguration("editor", { uri, languageId });
  const shown = vscode.window.visibleTextEditors.find(one => one.document === document);
  const found = settings.get<boolean>("detectIndentation", true) ? indentationOf(document.getText()) : undefined;
  const { tabSize, insertSpaces } = shown?.options ?? { ...found };
  return {
    tabSize: typeof tabSize === "number" ? tabSize : settings.get<number>("tabSize", 4),
    insertSpaces: typeof insertSpaces === "boolean" ? insertSpaces : settings.get<boolean>("insertSpaces", true),
  };
}

const textOf = async (path: string): Promise<string> =>
  (await vscode.workspace.openTextDocument(vscode.Uri.file(path))).getText();

/** The actions that are offered for a range. An extension can also offer a bare command. */
async function actionsAt(
  { path, line, column, endLine, endColumn }: CodePlace,
  { kind, resolved }: { readonly kind?: string; readonly resolved?: number },
): Promise<readonly vscode.CodeAction[]> {
  const uri = vscode.Uri.file(path);
  // Some language servers answer only about files that are open.
  await vscode.workspace.openTextDocument(uri);
  const found = await vscode.commands.executeCommand<readonly (vscode.CodeAction | vscode.Command)[] | undefined>(
    "vscode.executeCodeActionProvider",
    uri,
    new vscode.Range(line - 1, column - 1, endLine - 1, endColumn - 1),
    kind,
    resolved,
  );
  return (found ?? []).map(one =>
    typeof one.command === "string" ? { title: one.title, command: one as vscode.Command } : (one as vscode.CodeAction),
  );
}

type Entries = readonly (readonly [vscode.Uri, readonly vscode.TextEdit[]])[];

/** The changes that `compute` proposes, in texts that have not changed meanwhile. Rejects with a Refusal. */
async function proposed(compute: () => Promise<Entries>): Promise<ProposedEdits> {
  let hasOpened = false;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const versions = openVersions();
    const entries = await answer(compute()).catch((thrown: unknown) => {
      if (thrown instanceof Refusal) throw thrown;
      throw new Refusal("failed", `The language server refused: ${asError(thrown).message}`);
    });
    const files = entries.filter(([uri, edits]) => uri.scheme === "file" && edits.length > 0);
    checkFileCount(files.length);
    const documents = await Promise.all(files.map(([uri]) => opened(uri)));
    const now = openVersions();
    const isStale = documents.some(({ uri }) => {
      const version = versions.get(uri.toString());
      return version !== undefined && version !== now.get(uri.toString());
    });
    // The server may have known an older text of a file that was not open. Now it gets each change.
    const opensNow: boolean = !hasOpened && documents.some(({ uri }) => !versions.has(uri.toString()));
    hasOpened ||= opensNow;
    if (isStale || opensNow) continue;
    return {
      edits: files.map(([, edits], index) => fileEdit(documents[index] as vscode.TextDocument, edits)),
      others: entries.filter(([uri]) => uri.scheme !== "file").map(([uri]) => uri.toString()),
    };
  }
  throw new Refusal("failed", "The files changed while the change was computed. Nothing was changed. Call again.");
}

/** The document of a file that a change names. Rejects with a Refusal for a file that the change would create. */
async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (thrown) {
    const reason = asError(thrown).message;
    throw new Refusal("failed", `The change needs a file that cannot be opened, so nothing was changed: ${reason}`);
  }
}

const openVersions = (): ReadonlyMap<string, number> =>
  new Map(vscode.workspace.textDocuments.map(({ uri, version }) => [uri.toString(), version]));

function fileEdit(document: vscode.TextDocument, edits: readonly vscode.TextEdit[]): FileEdit {
  const before = document.getText();
  const path = document.uri.fsPath;
  const ranges = edits.map(({ range, newText }) => ({ ...codeRange(validRange(document, range)), newText }));
  return { path, before, after: withRangeEdits(before, ranges, path) };
}

/** The range in the document. Throws a Refusal if it is not in the text, because the server knows another text then. */
function validRange(document: vscode.TextDocument, range: vscode.Range): vscode.Range {
  const valid = document.validateRange(range);
  const { start, end } = range;
  // Servers write the whole text, or its last line, with an end after the last line.
  const isToEnd =
    valid.start.isEqual(start) &&
    (end.isEqual(new vscode.Position(document.lineCount, 0)) ||
      (start.isEqual(new vscode.Position(0, 0)) && end.line >= document.lineCount));
  if (valid.isEqual(range) || isToEnd) return valid;
  throw new Refusal(
    "failed",
    `The language server knows another text of ${document.uri.fsPath} than the editor. Nothing was changed. Call again.`,
  );
}
