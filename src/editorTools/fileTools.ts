// The tools that show files, editors and changes as the user has them.
import type { ReviewedFile } from "../review/review.ts";
import { linesPage, madePage, resultPage, shownLines, wholeCharacters } from "./resultPages.ts";
import {
  cutNote,
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
import { admittedPath, joinedLines, listedItems, readingTool, resultSchema } from "./tool.ts";
import { countArgument, optionalArgument, textArgument } from "./toolArguments.ts";

const maxLines = 2000;
const maxLine = 10_000_000;

/** Reads a file as the user sees it. */
export const readFileTool = readingTool({
  name: "read_file",
  title: "Read File in Editor",
  description:
    "Reads a text file as the user sees it in the editor, including changes that are not saved yet. Long files are cut; “nextLine” is where the rest begins.",
  arguments: {
    path: pathArgument,
    line: optionalArgument(countArgument("The first line, 1-based. Default: 1.", 1, maxLine)),
    limit: optionalArgument(countArgument(`The number of lines. Default: ${maxLines}, the maximum.`, 1, maxLines)),
  },
  result: resultSchema({
    path: text(),
    text: text("The lines, with their line endings."),
    line: whole("The first line."),
    lines: whole("The number of lines."),
    unsaved: flag("The editor has changes of this file that are not on disk."),
    "nextLine?": whole("The line at which the rest begins. Absent at the end of the file."),
    "lineCut?": flag("The line is longer than a result can be, so its end is missing."),
  }),
  async run({ path, line = 1, limit = maxLines }, context, signal) {
    // One line more shows whether there is a rest.
    const request = { path, line, limit: limit + 1 };
    // The agent knows only what it gets. What the user typed in the other lines stays if it writes the file.
    const shown = (all: string): number => shownLines(linesPage(all, limit));
    const page = linesPage(await context.access.files.read(request, signal, shown), limit);
    const located = await context.access.confinement.locate(path);
    const unsaved = context.editor.hasUnsavedText(located.path);
    const nextLine = page.hasMore ? line + page.count : undefined;
    const structured = {
      ...{ path, text: page.text, line, lines: page.count, unsaved },
      ...(nextLine !== undefined && { nextLine }),
      ...(page.isLineCut && { lineCut: true }),
    };
    const notes = joinedLines(
      ...(page.count === 0 ? [`${line === 1 ? "The file is empty." : `The file has no line ${line}.`}`] : []),
      ...(unsaved ? ["This text has changes that are not saved yet."] : []),
      ...(page.isLineCut ? [`Line ${line} is cut, because it is longer than a result can be.`] : []),
      ...(nextLine === undefined ? [] : [`The file goes on. Call again with line ${nextLine} for the rest.`]),
    );
    return { structured, text: notes === "" ? page.text : `${page.text}\n[${notes}]` };
  },
});

const maxSelection = 4000;

/** Lists the open editors. */
export const openEditorsTool = readingTool({
  name: "open_editors",
  title: "List Open Editors",
  description:
    "Lists the files that the user has open in tabs: which one is active, which lines are on the screen, and what is selected.",
  arguments: { offset: offsetArgument, limit: limitArgument },
  result: resultSchema({
    editors: list({
      path: text(),
      active: flag("The user works in this editor, or did last."),
      visible: flag("The editor is on the screen."),
      unsaved: flag("The file has changes that are not saved yet."),
      "visibleLines?": list({ from: whole(), to: whole() }),
      "selections?": list(
        {
          ...rangeSchema,
          text: text("The selected text. Empty: only the cursor is there."),
          "textCut?": flag("The selected text is longer than is shown, so its end is missing."),
        },
        "Lines and columns are 1-based.",
      ),
    }),
    ...pageSchema("editors"),
  }),
  async run(page, context) {
    const { listed, unlisted } = await listedItems(context.editor.openEditors(), ({ path }) => path, context);
    const editors = listed.map(({ path, isActive, isVisible, hasUnsavedChanges, visibleLines, selections }) => ({
      ...{ path, active: isActive, visible: isVisible, unsaved: hasUnsavedChanges },
      ...(visibleLines && { visibleLines: visibleLines.map(([from, to]) => ({ from, to })) }),
      ...(selections && {
        selections: selections.map(selection => ({
          ...selection,
          text: wholeCharacters(selection.text, maxSelection),
          ...(selection.text.length > maxSelection && { textCut: true }),
        })),
      }),
    }));
    const shown = resultPage(editors, page);
    const lines = shown.items.flatMap(({ path, active, visible, unsaved, visibleLines = [], selections = [] }) => {
      const marks = [active ? "active" : visible ? "visible" : undefined, unsaved ? "unsaved" : undefined];
      const ranges = visibleLines.map(({ from, to }) => `lines ${from}-${to}`);
      const facts = [...marks, ...ranges].filter(mark => mark !== undefined).join(", ");
      return [
        facts === "" ? path : `${path} (${facts})`,
        ...selections.map(({ line, column, endLine, endColumn, text: selected, textCut = false }) =>
          selected === ""
            ? `  cursor at ${line}:${column}`
            : `  selected ${line}:${column}-${endLine}:${endColumn}${textCut ? cutNote(maxSelection) : ""}:\n${selected}`,
        ),
      ];
    });
    return {
      structured: { editors: shown.items, ...pageFields(shown, unlisted) },
      text: joinedLines(
        ...(lines.length > 0 ? lines : ["The user has no file of this session open."]),
        pageNotes(shown, unlisted, ["editor", "editors"]),
      ),
    };
  },
});

const maxHunkText = 4000;

interface ShownHunk {
  readonly path: string;
  readonly line?: number;
  readonly before?: string;
  readonly after?: string;
  readonly linesCut?: true;
  readonly note?: string;
}

/** Shows what waits for the user's review. */
export const changesTool = readingTool({
  name: "changes_under_review",
  title: "List Changes under Review",
  description:
    "Lists the changes of this session that the user has not reviewed yet. They are in the files already; the user can still undo them. What the user kept or undid is not listed.",
  arguments: {
    path: optionalArgument(textArgument("The absolute path of a file. Default: all files.", 32_000)),
    offset: offsetArgument,
    limit: limitArgument,
  },
  result: resultSchema({
    files: whole("The number of files with changes."),
    changes: list({
      path: text(),
      "line?": whole("The first changed line, or the line before which lines were removed. 1-based."),
      "before?": text("The lines before the change."),
      "after?": text("The lines now."),
      "linesCut?": flag("The lines before or now are longer than is shown, so their end is missing."),
      "note?": text("What is not shown in lines."),
    }),
    ...pageSchema("files"),
  }),
  async run({ path, ...page }, context, signal) {
    const wanted = path === undefined ? undefined : await admittedPath(path, context, signal);
    const isWanted = (file: ReviewedFile): boolean =>
      wanted === undefined || context.editor.spelled(file.path) === context.editor.spelled(wanted);
    const all = context.changes().filter(isWanted);
    const { listed, unlisted } =
      wanted === undefined
        ? await listedItems(all, file => file.path, context)
        : { listed: all, unlisted: { leftOut: 0, beyond: 0 } };
    const shown = madePage(listed.flatMap(hunksOf), page, shownHunk);
    return {
      structured: { files: listed.length, changes: shown.items, ...pageFields(shown, unlisted) },
      text: joinedLines(
        listed.length === 0
          ? "No change of this session waits for review."
          : `Changes in ${listed.length} ${listed.length === 1 ? "file" : "files"} wait for the user's review.`,
        ...shown.items.flatMap(({ path: of, line, before, after, linesCut = false, note }) => [
          (line === undefined ? of : `${of}:${line}`) + (linesCut ? cutNote(maxHunkText) : ""),
          ...(note === undefined ? [] : [`  ${note}`]),
          ...markedLines(before, "-"),
          ...markedLines(after, "+"),
        ]),
        pageNotes(shown, unlisted, ["file", "files"]),
      ),
    };
  },
});

const markedLines = (lines: string | undefined, mark: string): readonly string[] =>
  lines === undefined || lines === ""
    ? []
    : lines
        .replace(/\n$/, "")
        .split("\n")
        .map(line => mark + line);

/** A hunk of a file, or a change without lines. The texts of a hunk are made only if the page shows it. */
interface ListedHunk {
  readonly file: ReviewedFile;
  readonly hunk?: ReviewedFile["changes"]["hunks"][number];
  readonly lines: { readonly before: TextLines; readonly after: TextLines };
}

function hunksOf(file: ReviewedFile): readonly ListedHunk[] {
  const { base, text: now, hunks } = file.changes;
  const lines = { before: new TextLines(base ?? ""), after: new TextLines(now ?? "") };
  return hunks.length === 0 ? [{ file, lines }] : hunks.map(hunk => ({ file, hunk, lines }));
}

function shownHunk({ file, hunk, lines }: ListedHunk): ShownHunk {
  const { path, changes, movedFrom, unknown } = file;
  const note = [
    unknown,
    movedFrom === undefined ? undefined : `Moved from ${movedFrom}.`,
    changes.base === null ? "Created." : changes.text === null ? "Deleted." : undefined,
  ].filter(one => one !== undefined);
  const facts = note.length > 0 ? { note: note.join(" ") } : {};
  if (!hunk) return { path, ...facts };
  const [before, after] = [lines.before.slice(hunk.base), lines.after.slice(hunk.text)];
  return {
    ...{ path, line: hunk.text.from + 1, ...facts },
    ...{ before: wholeCharacters(before, maxHunkText), after: wholeCharacters(after, maxHunkText) },
    ...(Math.max(before.length, after.length) > maxHunkText && { linesCut: true as const }),
  };
}

/** The lines of a text, which is searched for line ends once, with its first hunk that is shown. */
class TextLines {
  readonly #text: string;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whole lines. `from` is 0-based, and `to` exclusive. */
  slice({ from, to }: { readonly from: number; readonly to: number }): string {
    this.#starts ??= lineStarts(this.#text);
    const { length } = this.#text;
    return this.#text.slice(this.#starts[from] ?? length, this.#starts[to] ?? length);
  }
}

function lineStarts(of: string): readonly number[] {
  const starts = [0];
  for (let at = of.indexOf("\n"); at >= 0; at = of.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
