// The tool that runs a task of the workspace.
import { basename } from "node:path";
import { Refusal } from "../base/errors.ts";
import { addedItems } from "../base/addedItems.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { t } from "../base/l10n.ts";
import { maskVariable } from "../base/mask.ts";
import { shortQuote } from "../base/text.ts";
import { askedCall } from "./askedCall.ts";
import type { CodeProblem, EditorTask } from "./editorView.ts";
import { flag, list, rangeSchema, text, whole } from "./resultFields.ts";
import { whenProblemsSettle } from "./settledProblems.ts";
import { actingTool, joinedLines, listedItems, resultSchema, type ToolContext } from "./tool.ts";
import { countArgument, optionalArgument, textArgument } from "./toolArguments.ts";

const defaultWait = 45;
const maxWait = 600;
const maxProblems = 50;
const maxNames = 40;

/** Runs a task by its name. */
export const runTaskTool = actingTool(
  {
    name: "run_task",
    title: "Run Task",
    description:
      "Runs a task of the workspace, such as a build, in a terminal of the editor, and gets its exit code and the problems that are new after it. Its output cannot be read: run the command yourself if you need it. The user is asked first. Waits for the end; if the task is still running then, call again to wait for the same run.",
    arguments: {
      name: textArgument("The name of the task, or “source: name”, such as “npm: test”.", 500),
      wait: optionalArgument(countArgument(`How long to wait, in seconds. Default: ${defaultWait}.`, 1, maxWait)),
    },
    result: resultSchema({
      running: flag("The task is still running."),
      "exitCode?": whole("Absent: it is still running, or it is no program."),
      newProblems: list({ path: text(), severity: text(), message: text(), ...rangeSchema }, "Errors and warnings."),
      "moreProblems?": whole("The number of further new problems. Get them with diagnostics."),
      settled: flag("The problems had not changed for half a second. Otherwise more may come."),
    }),
    async run({ name, wait = defaultWait }, context, signal) {
      const { tasks } = context.editor;
      if (!tasks.areTrusted())
        throw new Refusal("failed", "The user does not trust this workspace, so its tasks cannot be run.");
      const task = await findTask(name, context);
      const before = context.editor.problems.all().map(problemKey);
      const run = async (found: EditorTask): ReturnType<typeof result> =>
        result(await tasks.run(found, { maxWait: wait * 1000, signal }), { before, context, signal });
      // The user has allowed this run already.
      if (tasks.isRunning(task)) return run(task);
      const { commandLine, folder, env } = task;
      const unknownWords = t("An extension provides this task, and its command line is not known.");
      const others = t("Tasks on which it depends run, too.");
      return askedCall(
        {
          title: t("Run the task {0}", shortQuote(task.label)),
          kind: "execute",
          input: {
            ...(commandLine !== undefined && { command: commandLine }),
            ...(folder !== undefined && { cwd: folder }),
            // Masked here, because the card is stored in the session's log.
            ...(env && { env: maskedVariables(env) }),
          },
          description: commandLine === undefined ? `${unknownWords} ${others}` : others,
          caveat: t("is a task, which can do more than its command line states"),
        },
        context,
        {
          signal,
          act: async () => {
            // VS Code runs what the task is now, not what it was before the question.
            const now = await findTask(name, context);
            if (!jsonEqual(now, task))
              throw new Refusal(
                "failed",
                `The task ${shortQuote(task.label)} has changed since the user was asked. Nothing was run. Call again.`,
              );
            return run(now);
          },
        },
      );
    },
  },
  { destroys: true, isOpen: true },
);

const maskedVariables = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, maskVariable(name, value)]));

const fullName = ({ label, source }: EditorTask): string => `${source}: ${label}`;

/** The name with the folder, because the folders of a workspace can have tasks of the same name. */
const placedName = (task: EditorTask): string =>
  task.scopeFolder === undefined ? fullName(task) : `${basename(task.scopeFolder)}: ${fullName(task)}`;

/** The only task with this name in the folders of the session. */
async function findTask(name: string, { editor, access }: ToolContext): Promise<EditorTask> {
  const all: EditorTask[] = [];
  for (const task of await editor.tasks.all()) {
    // A task of the user, or of a workspace file, has no folder.
    const { scopeFolder } = task;
    if (scopeFolder === undefined || (await access.confinement.locate(scopeFolder)).inside) all.push(task);
  }
  const found = all.filter(task => task.label === name || fullName(task) === name || placedName(task) === name);
  const [task] = found;
  if (task && found.length === 1) return task;
  const names = (tasks: readonly EditorTask[], nameOf: (task: EditorTask) => string): string =>
    tasks
      .slice(0, maxNames)
      .map(task => shortQuote(nameOf(task)))
      .join(", ");
  if (found.length > 1)
    throw new Refusal("invalid", `Several tasks have this name. Send one of these: ${names(found, placedName)}.`);
  throw new Refusal(
    "invalid",
    `There is no task ${shortQuote(name)}. ${all.length === 0 ? "There are no tasks." : `The tasks are: ${names(all, fullName)}.`}`,
  );
}

/** The identity of a problem, whatever its line is. */
const problemKey = ({ path, severity, message, source = "", code = "" }: CodeProblem): string =>
  JSON.stringify([path, severity, message, source, code]);

interface ResultOptions {
  /** The keys of the problems before the task. */
  readonly before: readonly string[];
  readonly context: ToolContext;
  readonly signal: AbortSignal;
}

async function result(
  { isRunning, exitCode }: { readonly isRunning: boolean; readonly exitCode?: number },
  { before, context, signal }: ResultOptions,
) {
  const { problems } = context.editor;
  const settled = await whenProblemsSettle({
    onDidChange: problems.onDidChange,
    ready: Promise.resolve(),
    ...{ clock: context.clock, signal },
  });
  const now = problems.all().filter(({ severity }) => severity === "error" || severity === "warning");
  const added = addedItems(before, now, problemKey);
  const { listed } = await listedItems(added, ({ path }) => path, context);
  const shown = listed.slice(0, maxProblems).map(({ path, severity, message, line, column, endLine, endColumn }) => ({
    ...{ path, severity, message: message.slice(0, 1000), line, column, endLine, endColumn },
  }));
  const more = listed.length - shown.length;
  return {
    structured: {
      ...{ running: isRunning, newProblems: shown, settled },
      ...(more > 0 && { moreProblems: more }),
      ...(exitCode !== undefined && { exitCode }),
    },
    text: joinedLines(
      isRunning
        ? "The task is still running. Call again to wait for it."
        : exitCode === undefined
          ? "The task has ended. It has no exit code."
          : `The task has ended with exit code ${exitCode}.`,
      listed.length === 0 ? "No new problems are known." : `New problems: ${listed.length}.`,
      ...shown.map(({ path, line, column, severity, message }) => `${path}:${line}:${column} ${severity}: ${message}`),
      more > 0 ? "Get the rest with diagnostics." : undefined,
      settled ? undefined : "The problems were still changing, so more may come. Get them with diagnostics.",
    ),
  };
}
