// The tools that ask language servers: symbols, definition, references, implementations and hover.
import { Refusal } from "../base/errors.ts";
import { shortQuote } from "../base/text.ts";
import { placeKinds, type CodePosition, type CodeSymbol } from "./editorView.ts";
import {
  flag,
  limitArgument,
  list,
  offsetArgument,
  pageFields,
  pageNotes,
  pageSchema,
  pathArgument,
  rangeSchema,
  text,
  whole,
} from "./resultFields.ts";
import { maxResultLength, resultPage, wholeCharacters } from "./resultPages.ts";
import {
  admittedPath,
  admitting,
  joinedLines,
  listedItems,
  readingTool,
  resultSchema,
  type ToolAnswer,
  type ToolContext,
} from "./tool.ts";
import { choiceArgument, countArgument, optionalArgument, textArgument } from "./toolArguments.ts";

const symbolFields = {
  name: text(),
  kind: text("Such as function or class."),
  path: text(),
  line: whole(),
  endLine: whole(),
  "container?": text("The symbol in which it is declared."),
} as const;
const symbolsResult = resultSchema({
  symbols: list(symbolFields),
  ...pageSchema("symbols"),
});

async function symbolsAnswer(
  symbols: readonly CodeSymbol[],
  page: { readonly offset: number | undefined; readonly limit: number | undefined },
  context: ToolContext,
  none: string,
): Promise<ToolAnswer> {
  const { listed, unlisted } = await listedItems(symbols, ({ path }) => path, context);
  const shown = resultPage(listed, page);
  return {
    structured: { symbols: shown.items, ...pageFields(shown, unlisted) },
    text: joinedLines(
      ...(shown.items.length === 0 ? [none] : []),
      ...shown.items.map(({ name, kind, container, path, line, endLine }) => {
        const of = container === undefined ? "" : ` in ${container}`;
        return `${path}:${line}${endLine > line ? `-${endLine}` : ""} ${kind} ${name}${of}`;
      }),
      pageNotes(shown, unlisted, ["symbol", "symbols"]),
    ),
  };
}

/** Lists the symbols of a file. */
export const documentSymbolsTool = readingTool({
  name: "document_symbols",
  title: "List Symbols in File",
  description: "Lists the symbols of a file with their lines, as the Outline view shows them.",
  arguments: { path: pathArgument, offset: offsetArgument, limit: limitArgument },
  result: symbolsResult,
  async run({ path, ...page }, context, signal) {
    const symbols = await context.editor.languages.symbolsOf(await admittedPath(path, context, signal));
    const none = "No symbols. The file has none, or no language server answers for it.";
    return symbolsAnswer(
      symbols,
      page,
      admitting(context, () => true),
      none,
    );
  },
});

/** Finds symbols by name. */
export const workspaceSymbolsTool = readingTool({
  name: "workspace_symbols",
  title: "Find Symbols",
  description: "Finds symbols by a part of their name in the whole workspace.",
  arguments: { query: textArgument("A part of the name.", 500), offset: offsetArgument, limit: limitArgument },
  result: symbolsResult,
  async run({ query, ...page }, context) {
    const symbols = await context.editor.languages.findSymbols(query);
    const none = `No symbol has ${shortQuote(query)} in its name. Some language servers answer only after a file of their language was opened.`;
    return symbolsAnswer(symbols, page, context, none);
  },
});

export const positionArguments = {
  path: pathArgument,
  line: countArgument("The line, 1-based.", 1, 10_000_000),
  symbol: optionalArgument(textArgument("The name in this line. Send this or “column”.", 500)),
  column: optionalArgument(
    countArgument("The column, 1-based, in UTF-16 units. Send this or “symbol”.", 1, 10_000_000),
  ),
} as const;

interface SentPosition {
  readonly path: string;
  readonly line: number;
  readonly symbol: string | undefined;
  readonly column: number | undefined;
}

/** The position that the arguments name, in a file that the session may read. */
export async function positionOf(sent: SentPosition, context: ToolContext, signal: AbortSignal): Promise<CodePosition> {
  const { line, symbol, column } = sent;
  if ((symbol === undefined) === (column === undefined))
    throw new Refusal("invalid", "Send either “symbol” or “column”.");
  const path = await admittedPath(sent.path, context, signal);
  const lineText = await context.editor.languages.lineText(path, line);
  if (lineText === undefined) throw new Refusal("invalid", `The file has no line ${line}. Read it again.`);
  if (column !== undefined) {
    if (column <= lineText.length + 1) return { path, line, column };
    throw new Refusal("invalid", `Line ${line} has only ${lineText.length} characters. Read it again.`);
  }
  const at = columnOf(lineText, symbol ?? "");
  if (at !== undefined) return { path, line, column: at };
  const shown = shortQuote(lineText.trim());
  throw new Refusal("invalid", `Line ${line} does not contain ${shortQuote(symbol ?? "")}. It is: ${shown}.`);
}

/** The column of a name in a line, 1-based: where it is a whole word, else where it is part of one. */
export function columnOf(lineText: string, name: string): number | undefined {
  const isWordPart = (character: string | undefined): boolean =>
    character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
  for (let at = lineText.indexOf(name); at >= 0; at = lineText.indexOf(name, at + 1))
    if (!isWordPart(lineText[at - 1]) && !isWordPart(lineText[at + name.length])) return at + 1;
  const part = lineText.indexOf(name);
  return part < 0 ? undefined : part + 1;
}

/** Finds the definition, the references or the implementations of a symbol. */
export const codePlacesTool = readingTool({
  name: "find_code",
  title: "Find Definition or References",
  description:
    "Finds where the symbol at a position is defined, used or implemented, with the language servers of the editor. More exact than a text search. Does not change anything.",
  arguments: {
    kind: choiceArgument("What to find.", placeKinds),
    ...positionArguments,
    offset: offsetArgument,
    limit: limitArgument,
  },
  result: resultSchema({
    places: list({ path: text(), ...rangeSchema }, "Lines and columns are 1-based."),
    ...pageSchema("places"),
  }),
  async run({ kind, offset, limit, ...sent }, context, signal) {
    const found = await context.editor.languages.places(kind, await positionOf(sent, context, signal));
    const { listed, unlisted } = await listedItems(found, ({ path }) => path, context);
    const shown = resultPage(listed, { offset, limit });
    return {
      structured: { places: shown.items, ...pageFields(shown, unlisted) },
      text: joinedLines(
        ...(shown.items.length === 0 ? [`The language servers found no ${kind} in the files of this session.`] : []),
        ...shown.items.map(({ path, line, column }) => `${path}:${line}:${column}`),
        pageNotes(shown, unlisted, ["place", "places"]),
      ),
    };
  },
});

/**
 * Whether the text of a hover must not quote the file. Libraries are often outside the folders of the session, so a path
 * outside is no reason by itself.
 */
const isHidden = async (path: string, admitted: string, { access, editor }: ToolContext): Promise<boolean> =>
  editor.spelled(path) !== editor.spelled(admitted) && (await access.withholds(path));

const hiddenDeclaration = (): Refusal =>
  new Refusal("failed", "The symbol is declared in a file that this session may not read, so its text is not shown.");

/** Shows what the editor shows when the mouse is over a symbol. */
export const hoverTool = readingTool({
  name: "hover",
  title: "Get Type and Documentation",
  description: "Gets the type and the documentation of the symbol at a position, as the editor shows it on hover.",
  arguments: positionArguments,
  result: resultSchema({
    text: text("Markdown. Empty if there is nothing."),
    "textCut?": flag("The text is longer than a result can be, so its end is missing."),
  }),
  async run(sent, context, signal) {
    const at = await positionOf(sent, context, signal);
    const { languages } = context.editor;
    const [texts, declared] = await Promise.all([languages.hover(at), languages.places("definition", at)]);
    // The text quotes what declares the symbol, which can be a file that rules hide from the session.
    for (const { path } of declared) if (await isHidden(path, at.path, context)) throw hiddenDeclaration();
    const all = texts.filter(one => one.trim() !== "").join("\n\n");
    const shown = wholeCharacters(all, maxResultLength);
    const isCut = all.length > maxResultLength;
    return {
      structured: { text: shown, ...(isCut && { textCut: true }) },
      text: joinedLines(
        shown === "" ? "The language servers have nothing about this position." : shown,
        isCut ? "[The text is cut, because it is longer than a result can be.]" : undefined,
      ),
    };
  },
});
