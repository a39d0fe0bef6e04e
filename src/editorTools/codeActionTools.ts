// The tools for actions that language servers offer for code, such as quick fixes and refactorings.
import { basename } from "node:path";
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { shortQuote } from "../base/text.ts";
import type { CodePlace } from "./editorView.ts";
import { changeSchema, makeChange } from "./proposedChange.ts";
import { flag, list, pathArgument, text } from "./resultFields.ts";
import { actingTool, admittedPath, joinedLines, readingTool, resultSchema, type ToolContext } from "./tool.ts";
import { countArgument, optionalArgument, textArgument } from "./toolArguments.ts";

const maxActions = 200;
const place = (of: string): ReturnType<typeof countArgument> => countArgument(of, 1, 10_000_000);

const rangeArguments = {
  path: pathArgument,
  line: place("The line where the range begins, 1-based."),
  column: place("The column where it begins, 1-based, in UTF-16 units."),
  endLine: optionalArgument(place("The line where it ends. Default: the same line.")),
  endColumn: optionalArgument(place("The column where it ends. Default: an empty range.")),
} as const;

interface SentRange {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number | undefined;
  readonly endColumn: number | undefined;
}

async function rangeOf(sent: SentRange, context: ToolContext, signal: AbortSignal): Promise<CodePlace> {
  const { line, column, endLine = line, endColumn = endLine === line ? column : 1 } = sent;
  if (endLine < line || (endLine === line && endColumn < column))
    throw new Refusal("invalid", "The range ends before it begins.");
  return { path: await admittedPath(sent.path, context, signal), line, column, endLine, endColumn };
}

/** Lists what can be run for a range. */
export const listCodeActionsTool = readingTool({
  name: "list_code_actions",
  title: "List Code Actions",
  description:
    "Lists the quick fixes and refactorings that the editor offers for a range, such as importing a missing name or extracting a function. Run one by its title with run_code_action.",
  arguments: rangeArguments,
  result: resultSchema({
    actions: list({
      title: text(),
      "kind?": text("Such as quickfix or refactor.extract."),
      preferred: flag("The language server recommends it."),
      "disabled?": text("Why it cannot be run here."),
    }),
    "cut?": flag("There are more actions. Name a smaller range."),
  }),
  async run(sent, context, signal) {
    const found = await context.editor.edits.codeActions(await rangeOf(sent, context, signal));
    const actions = found.slice(0, maxActions).map(({ title, kind, isPreferred, disabled }) => ({
      ...{ title, preferred: isPreferred },
      ...(kind !== undefined && { kind }),
      ...(disabled !== undefined && { disabled }),
    }));
    const isCut = found.length > maxActions;
    return {
      structured: { actions, ...(isCut && { cut: true }) },
      text: joinedLines(
        ...(actions.length === 0 ? ["The language servers offer no actions here."] : []),
        ...actions.map(({ title, kind, preferred, disabled }) => {
          const facts = [kind, preferred ? "preferred" : undefined, disabled].filter(one => one !== undefined);
          return facts.length === 0 ? title : `${title} (${facts.join(", ")})`;
        }),
        isCut ? `These are the first ${maxActions} of ${found.length}. Name a smaller range.` : undefined,
      ),
    };
  },
});

/** Runs an action by its title. */
export const runCodeActionTool = actingTool(
  {
    name: "run_code_action",
    title: "Run Code Action",
    description:
      "Runs a quick fix or a refactoring that list_code_actions lists for the same range, by its title. The user sees the diff and is asked first. Some actions also run a command of an extension, whose effect cannot be shown before; the question says so. Otherwise only texts are changed: if an action would also create, rename or delete files or insert snippets, this is not visible and does not happen.",
    arguments: { ...rangeArguments, title: textArgument("The title of the action.", 1000) },
    result: changeSchema,
    async run({ title, ...sent }, context, signal) {
      const at = await rangeOf(sent, context, signal);
      const action = await context.editor.edits.codeAction(at, title);
      if (!action)
        throw new Refusal("failed", `${shortQuote(title)} is not offered here. List the actions of this range again.`);
      const { disabled, command, runCommand, edits, others } = action;
      if (disabled !== undefined) throw new Refusal("failed", `This action cannot be run here: ${disabled}`);
      if (command === undefined && edits.length + others.length === 0)
        throw new Refusal("failed", `${shortQuote(title)} has no text edits, so it cannot be run here.`);
      const notes =
        edits.length > 0
          ? ["Parley makes only the text edits of an action. It creates, renames and deletes no files."]
          : [];
      return makeChange(
        action,
        {
          title: t("{0} in {1}", title, basename(at.path)),
          notes,
          ...(command !== undefined && {
            description: t(
              "This also runs the command {0} of an extension. Parley cannot show what the command does, and its changes are not listed for review.",
              command,
            ),
            caveat: t("runs a command of an extension"),
            after: { command, run: runCommand },
          }),
        },
        context,
        signal,
      );
    },
  },
  { destroys: true, isOpen: true },
);
