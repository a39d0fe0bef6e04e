// The tool that shows problems, after it has waited for the language servers.
import { withTimeout } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { isAtOrBelow } from "../files/nodePaths.ts";
import {
  problemSeverities,
  type CodeProblem,
  type EditorProblems,
  type ProblemCheck,
  type ProblemSeverity,
} from "./editorView.ts";
import {
  cutNote,
  flag,
  limitArgument,
  list,
  offsetArgument,
  pageFields,
  pageNotes,
  pageSchema,
  rangeSchema,
  text,
  whole,
} from "./resultFields.ts";
import { madePage, maxPageItems, wholeCharacters } from "./resultPages.ts";
import { maxProblemsWait, whenProblemsSettle } from "./settledProblems.ts";
import {
  admittedPath,
  admitting,
  joinedLines,
  listedItems,
  readingTool,
  resultSchema,
  type ToolContext,
} from "./tool.ts";
import { choiceArgument, optionalArgument, textArgument } from "./toolArguments.ts";

/** Changed files that are opened, so that language servers check them. */
const maxOpened = 50;
/** After the wait of 5 seconds, the language servers have this long for a last answer (ms): 8 seconds together. */
const maxLastLook = 3000;
const maxMessage = 2000;
const maxNamed = 20;

const rank = (severity: ProblemSeverity): number => problemSeverities.indexOf(severity);

/** Shows problems as the Problems view has them. */
export const diagnosticsTool = readingTool({
  name: "diagnostics",
  title: "Get Problems",
  description:
    "Gets the problems that language servers and linters report, as the user sees them in the Problems view. Waits until they have not changed for half a second, for at most 5 seconds. Most language servers check open files only, so the files that this session changed are opened first, in the background. “notChecked” names those that no language server has checked, for example because it checks only files that a tab shows.",
  arguments: {
    path: optionalArgument(
      textArgument("The absolute path of a file or a folder. Default: all files of the session.", 32_000),
    ),
    severity: optionalArgument(choiceArgument("The least severe kind to list. Default: warning.", problemSeverities)),
    offset: offsetArgument,
    limit: limitArgument,
  },
  result: resultSchema({
    problems: list({
      path: text(),
      severity: { type: "string", enum: problemSeverities },
      message: text(),
      "messageCut?": flag("The message is longer than is shown, so its end is missing."),
      ...rangeSchema,
      "source?": text("What reports it, such as ts."),
      "code?": text(),
    }),
    ...pageSchema("problems"),
    settled: flag("The problems had not changed for half a second. Otherwise more may come: call again."),
    notChecked: { type: "array", items: text(), description: "Files that no language server has checked." },
    notReported: {
      type: "array",
      items: text(),
      description: "Files about whose present text nothing was reported: without problems, or not checked yet.",
    },
    notOpened: { type: "array", items: text(), description: "Files that could not be opened to be checked." },
    "unopened?": whole(
      `The number of changed files after the first ${maxOpened}, which were not opened. Name a folder or a file to check others.`,
    ),
  }),
  async run({ path, severity = "warning", ...page }, context, signal) {
    const scope = path === undefined ? undefined : await admittedPath(path, context, signal);
    const { editor } = context;
    const shownScope = scope === undefined ? undefined : editor.spelled(scope);
    const isInScope = (file: string): boolean =>
      shownScope === undefined || isAtOrBelow(editor.spelled(file), shownScope);
    const changed = context.changes().filter(file => file.changes.text !== null && isInScope(file.path));
    const toOpen = changed.slice(0, maxOpened).map(file => file.path);
    const checked = await check(
      editor.problems,
      scope === undefined ? toOpen : [...toOpen.filter(file => editor.spelled(file) !== shownScope), scope],
      context,
      signal,
    );
    const found = editor.problems.all().filter(one => isInScope(one.path) && rank(one.severity) <= rank(severity));
    const { listed, unlisted } = await listedItems(
      found,
      one => one.path,
      admitting(context, file => editor.spelled(file) === shownScope),
    );
    const groups = groupedProblems(listed);
    const shown = madePage(inOrder(groups, page.offset), page, shownProblem);
    const { settled, notChecked, notReported, notOpened } = checked;
    const uncertain = notChecked.length + notReported.length + notOpened.length;
    const unopened = changed.length - toOpen.length;
    const isCertain = settled && uncertain + unlisted.beyond + unopened === 0;
    const count = (kind: ProblemSeverity): string | undefined => {
      const number = groups.reduce((sum, one) => sum + (one.severity === kind ? one.problems.length : 0), 0);
      return number === 0 ? undefined : `${number} ${kind}${number === 1 || kind === "information" ? "" : "s"}`;
    };
    const counts = problemSeverities.map(count).filter(one => one !== undefined);
    return {
      structured: {
        ...{ problems: shown.items, settled, notChecked, notReported, notOpened },
        ...pageFields(shown, unlisted),
        ...(unopened > 0 && { unopened }),
      },
      text: joinedLines(
        counts.length > 0 ? `${counts.join(", ")}.` : isCertain ? "No problems." : "No problems are known so far.",
        settled
          ? undefined
          : `The problems were still changing after ${maxProblemsWait / 1000} seconds, so more may come. Call again to see them.`,
        ...shown.items.map(problemLine),
        pageNotes(shown, unlisted, ["problem", "problems"]),
        namedFiles("No language server has checked", notChecked),
        notChecked.length === 0
          ? undefined
          : "Many check only files that a tab shows. Check these files in another way, such as with the compiler of the project.",
        namedFiles(
          "Nothing was reported about the present text of these files, so they have no problems or are not checked yet:",
          notReported,
        ),
        namedFiles("These files could not be opened, so they may not be checked:", notOpened),
        unopened > 0
          ? `The session changed ${changed.length} files. Only the first ${maxOpened} were opened. Name a folder or a file to check others.`
          : undefined,
      ),
    };
  },
});

interface CheckedFiles {
  readonly settled: boolean;
  readonly notChecked: readonly string[];
  readonly notReported: readonly string[];
  readonly notOpened: readonly string[];
}

/** Opens the files, and waits until their problems have settled. */
async function check(
  problems: EditorProblems,
  files: readonly string[],
  { clock }: ToolContext,
  signal: AbortSignal,
): Promise<CheckedFiles> {
  const paths = [...new Set(files)];
  let notOpened: readonly string[] = [];
  const checks = new Map<string, ProblemCheck | undefined>();
  const look = async (): Promise<void> => {
    const open = paths.filter(path => !notOpened.includes(path) && checks.get(path) !== "reported");
    await Promise.all(open.map(async path => checks.set(path, await problems.checkOf(path))));
  };
  const opened = problems.open(paths).then(async failed => {
    notOpened = failed;
    await look();
  });
  // A file that cannot be opened ends the wait for it, not the call.
  let failure: unknown;
  const ready = opened.catch((error: unknown) => void (failure = error));
  const settled = await whenProblemsSettle({ onDidChange: problems.onDidChange, ready, clock, signal });
  if (failure !== undefined) throw asError(failure);
  // Reports have come since. A language server that is busy may answer much later.
  await withTimeout(look(), maxLastLook, () => undefined, clock);
  const withCheck = (check: ProblemCheck): readonly string[] =>
    paths.filter(path => (checks.has(path) ? checks.get(path) : "nothing") === check && !notOpened.includes(path));
  return { settled, notOpened, notChecked: withCheck("nothing"), notReported: withCheck("answered") };
}

/** The problems of one severity in one file. */
interface ProblemGroup {
  readonly severity: ProblemSeverity;
  readonly path: string;
  readonly problems: CodeProblem[];
}

/** The problems in groups, the most severe first, and then by path. */
function groupedProblems(problems: readonly CodeProblem[]): readonly ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>();
  for (const problem of problems) {
    const { severity, path } = problem;
    const key = `${severity} ${path}`;
    const group = groups.get(key);
    if (group) group.problems.push(problem);
    else groups.set(key, { severity, path, problems: [problem] });
  }
  return [...groups.values()].sort(
    (a, b) => rank(a.severity) - rank(b.severity) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
  );
}

/**
 * All problems of the groups, by place where a page from the offset can reach. A window can have many thousands, and sorting
 * all of them for each page would keep the extension host busy.
 */
function inOrder(groups: readonly ProblemGroup[], offset = 0): readonly CodeProblem[] {
  const all: CodeProblem[] = [];
  for (const { problems } of groups) {
    const isOnPage = all.length + problems.length > offset && all.length < offset + maxPageItems;
    if (isOnPage) problems.sort((a, b) => a.line - b.line || a.column - b.column);
    for (const one of problems) all.push(one);
  }
  return all;
}

interface ShownProblem extends CodeProblem {
  readonly messageCut?: true;
}

const shownProblem = (problem: CodeProblem): ShownProblem => ({
  ...problem,
  message: wholeCharacters(problem.message, maxMessage),
  ...(problem.message.length > maxMessage && { messageCut: true }),
});

function problemLine(problem: ShownProblem): string {
  const { path, line, column, severity, message, messageCut = false, source, code } = problem;
  const from = [source, code].filter(one => one !== undefined && one !== "").join(" ");
  return `${path}:${line}:${column} ${severity}: ${message}${messageCut ? cutNote(maxMessage) : ""}${from === "" ? "" : ` (${from})`}`;
}

const namedFiles = (begin: string, paths: readonly string[]): string | undefined =>
  paths.length === 0
    ? undefined
    : `${begin} ${paths.slice(0, maxNamed).join(", ")}${paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : ""}.`;
