// The tools that change texts: edits that the agent sends, and those that language servers compute.
import { basename } from "node:path";
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { quotePath, shortQuote } from "../base/text.ts";
import { missingRefusal } from "../files/refusals.ts";
import type { FileEdit, ProposedEdits } from "./editorView.ts";
import { positionArguments, positionOf } from "./languageTools.ts";
import { changeSchema, editTitle, makeChange } from "./proposedChange.ts";
import { withRangeEdits, type CodeEdit } from "./rangeEdits.ts";
import { pathArgument } from "./resultFields.ts";
import { actingTool, admittedPath, type ToolContext } from "./tool.ts";
import { anyTextArgument, countArgument, listArgument, textArgument } from "./toolArguments.ts";

const maxEdits = 500;
const maxText = 200_000;
const position = (of: string): ReturnType<typeof countArgument> => countArgument(of, 1, 10_000_000);

/** Changes ranges of text in one or several files. */
export const applyEditsTool = actingTool(
  {
    name: "apply_edits",
    title: "Edit Files",
    description:
      "Replaces ranges of text in one or several files, in the editor. The user sees the diff and is asked first. All positions are in the text before the edits. Each edit states the text that it replaces; if one of them does not match, nothing is changed. Files that do not exist cannot be created.",
    arguments: {
      edits: listArgument(
        "The edits.",
        {
          path: pathArgument,
          line: position("The line where the range begins, 1-based."),
          column: position("The column where it begins, 1-based, in UTF-16 units."),
          endLine: position("The line where it ends."),
          endColumn: position("The column where it ends, exclusive."),
          oldText: anyTextArgument("The text that the range has now. Empty to insert.", maxText),
          newText: anyTextArgument("The text instead. Empty to delete.", maxText),
        },
        maxEdits,
      ),
    },
    result: changeSchema,
    async run({ edits }, context, signal) {
      const byPath = new Map<string, CodeEdit[]>();
      for (const { path, ...edit } of edits) byPath.set(path, [...(byPath.get(path) ?? []), edit]);
      const files = await filesWithEdits(byPath, context, signal);
      const title = editTitle(
        files.map(({ path }) => path),
        basename,
      );
      return makeChange({ edits: files, others: [] }, { title }, context, signal);
    },
  },
  { destroys: true },
);

/** The texts before and after the edits, by file. Two paths may lead to the same file. */
async function filesWithEdits(
  byPath: ReadonlyMap<string, readonly CodeEdit[]>,
  { access, editor }: ToolContext,
  signal: AbortSignal,
): Promise<readonly FileEdit[]> {
  const files: FileEdit[] = [];
  const keys = new Set<string>();
  for (const [path, edits] of byPath) {
    // The agent gets none of the lines.
    const before = await access.files.read({ path }, signal, () => 0);
    const located = await access.confinement.locate(path);
    // For some agents, a missing file is read as an empty text.
    if (before === "" && (await editor.files.kindOf(located.path)) === "missing") throw missingRefusal(path);
    if (keys.has(located.key))
      throw new Refusal("invalid", `${quotePath(path)} is named in two ways. Use one path for each file.`);
    keys.add(located.key);
    files.push({ path: located.path, before, after: withRangeEdits(before, edits, path) });
  }
  return files;
}

/** Renames a symbol everywhere. */
export const renameSymbolTool = actingTool(
  {
    name: "rename_symbol",
    title: "Rename Symbol",
    description:
      "Renames the symbol at a position in all files that use it, with the language servers of the editor. More exact than replacing text. The user sees the diff and is asked first. Only texts are changed: if a language server would also rename files, it is not visible and does not happen. A server that has just started may not know all files yet: compare with the references that find_code finds.",
    arguments: { ...positionArguments, newName: textArgument("The new name.", 500) },
    result: changeSchema,
    async run({ newName, ...sent }, context, signal) {
      const at = await positionOf(sent, context, signal);
      if (/[\r\n]/.test(newName)) throw new Refusal("invalid", "“newName” must be one line.");
      const proposed = await context.editor.edits.rename(at, newName);
      const old = sent.symbol ?? (await wordAt(at, context));
      const title = t("Rename {0} to {1}", shortQuote(old), shortQuote(newName));
      const notes = ["Only texts are changed. Files are not renamed."];
      return makeChange(proposed, { title, notes }, context, signal);
    },
  },
  { destroys: true },
);

/** Formats a file. */
export const formatFileTool = actingTool(
  {
    name: "format_file",
    title: "Format File",
    description: "Formats a file with a formatter of the editor. The user sees the diff and is asked first.",
    arguments: { path: pathArgument },
    result: changeSchema,
    async run({ path }, context, signal) {
      const admitted = await admittedPath(path, context, signal);
      const proposed = await context.editor.edits.format(admitted);
      const { edits, others } = proposed;
      const none = `Nothing to change, or no formatter is installed for ${quotePath(admitted)}.`;
      if (edits.length + others.length === 0)
        return {
          structured: { changed: [], failed: [], notes: [none] },
          text: none,
        };
      return makeChange(proposed, { title: t("Format {0}", basename(admitted)) }, context, signal);
    },
  },
  { destroys: true, repeats: true },
);

/** Sorts the imports of a file, and removes those that are not used. */
export const organizeImportsTool = actingTool(
  {
    name: "organize_imports",
    title: "Organize Imports",
    description:
      "Sorts the imports of a file and removes those that are not used, as its language server does. The user sees the diff and is asked first. Only texts are changed: no command of the language server runs.",
    arguments: { path: pathArgument },
    result: changeSchema,
    async run({ path }, context, signal) {
      const admitted = await admittedPath(path, context, signal);
      const { withCommand, ...proposed } = await context.editor.edits.organizeImports(admitted);
      const title = t("Organize imports of {0}", basename(admitted));
      const notes = withCommand === undefined ? [] : [leftOutNote(withCommand, proposed)];
      return makeChange(proposed, { title, notes }, context, signal);
    },
  },
  { destroys: true, repeats: true },
);

/** Says that a command of the language server was left out. It often only counts that imports were organized. */
const leftOutNote = (action: string, { edits, others }: ProposedEdits): string =>
  edits.length + others.length > 0
    ? "A command that the language server runs afterwards was left out, because its effect cannot be shown."
    : `The language server proposes no text edits, only a command, whose effect cannot be shown. If the imports are not organized yet, run the code action ${shortQuote(action)}.`;

/** The word at a position, which the title of the question names. */
async function wordAt(
  { path, line, column }: { readonly path: string; readonly line: number; readonly column: number },
  { editor }: ToolContext,
): Promise<string> {
  const text = (await editor.languages.lineText(path, line)) ?? "";
  const isPart = (at: number): boolean => /[\p{L}\p{N}_$]/u.test(text[at] ?? "");
  let from = column - 1;
  let to = column - 1;
  while (from > 0 && isPart(from - 1)) from--;
  while (to < text.length && isPart(to)) to++;
  return text.slice(from, to);
}
