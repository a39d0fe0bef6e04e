// The tasks of the window, as VS Code lists and runs them.
import * as vscode from "vscode";
import { untilAborted } from "../../base/async.ts";
import { commandLineText } from "../../base/commandLineText.ts";
import type { EditorTask, EditorTasks } from "../editorView.ts";
import { answer } from "./windowLanguages.ts";

/** The tasks that VS Code finds. */
export class WindowTasks implements EditorTasks {
  readonly #found = new WeakMap<EditorTask, vscode.Task>();

  areTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  async all(): Promise<readonly EditorTask[]> {
    const tasks = await answer(vscode.tasks.fetchTasks());
    return tasks.map(task => {
      const shown = shownTask(task);
      this.#found.set(shown, task);
      return shown;
    });
  }

  isRunning(task: EditorTask): boolean {
    return this.#running(task) !== undefined;
  }

  async run(
    task: EditorTask,
    { maxWait, signal }: { readonly maxWait: number; readonly signal: AbortSignal },
  ): Promise<{ readonly isRunning: boolean; readonly exitCode?: number }> {
    const found = this.#found.get(task);
    if (!found) throw new Error("The task is not one of this window.");
    const ends = new TaskEnds();
    try {
      const execution = this.#running(task) ?? (await vscode.tasks.executeTask(found));
      const late = AbortSignal.any([signal, AbortSignal.timeout(maxWait)]);
      const ended = await untilAborted(ends.of(execution), [late], () => undefined);
      signal.throwIfAborted();
      return ended ? { isRunning: false, ...ended } : { isRunning: true };
    } finally {
      ends.dispose();
    }
  }

  #running(task: EditorTask): vscode.TaskExecution | undefined {
    const found = this.#found.get(task);
    return vscode.tasks.taskExecutions.find(
      ({ task: { name, source, scope } }) =>
        name === found?.name && source === found.source && folderOf(scope) === folderOf(found.scope),
    );
  }
}

/** Hears of the ends of tasks from its creation on, because a task can end before it is known. */
class TaskEnds {
  readonly #exitCodes = new Map<vscode.TaskExecution, number | undefined>();
  readonly #ended = new Set<vscode.TaskExecution>();
  readonly #listeners: vscode.Disposable[] = [];
  #wake = (): void => {};

  constructor() {
    this.#listeners.push(
      vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
        this.#exitCodes.set(execution, exitCode);
        this.#wake();
      }),
      vscode.tasks.onDidEndTask(({ execution }) => {
        this.#ended.add(execution);
        this.#wake();
      }),
    );
  }

  /** Resolves when the task has ended. A task without a process has no exit code. */
  async of(execution: vscode.TaskExecution): Promise<{ readonly exitCode?: number }> {
    while (!this.#exitCodes.has(execution) && !this.#ended.has(execution))
      await new Promise<void>(resolve => (this.#wake = resolve));
    const exitCode = this.#exitCodes.get(execution);
    return exitCode === undefined ? {} : { exitCode };
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }
}

const folderOf = (scope: vscode.Task["scope"]): string | undefined =>
  typeof scope === "object" ? scope.uri.fsPath : undefined;

function shownTask({ name, source, scope, execution }: vscode.Task): EditorTask {
  const scopeFolder = folderOf(scope);
  const known = { label: name, source, ...(scopeFolder !== undefined && { scopeFolder }) };
  if (!(execution instanceof vscode.ShellExecution) && !(execution instanceof vscode.ProcessExecution)) return known;
  const { cwd, env } = execution.options ?? {};
  return {
    ...known,
    ...{ commandLine: commandLineOf(execution) },
    ...(cwd !== undefined && { folder: cwd }),
    ...(env && Object.keys(env).length > 0 && { env }),
  };
}

function commandLineOf(execution: vscode.ShellExecution | vscode.ProcessExecution): string {
  if (execution instanceof vscode.ProcessExecution) return commandLineText(execution.process, execution.args);
  const { commandLine, command, args = [] } = execution;
  if (commandLine !== undefined) return commandLine;
  const [program = "", ...words] = [command ?? "", ...args].map(word => (typeof word === "string" ? word : word.value));
  return commandLineText(program, words);
}
