// Follows the commands that the user runs in terminals, for the mention of their output.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { CommandTracker, type LastCommand } from "../lastCommand.ts";

/** Tracks the commands that the user runs in terminals with shell integration. */
export class TerminalCommands implements Disposable {
  readonly #store = new DisposableStore();
  readonly #tracker = new CommandTracker<vscode.TerminalShellExecution>();

  constructor(log: Log) {
    this.#store.add(
      vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
        const { commandLine, cwd } = execution;
        this.#tracker.started(execution, commandLine.value, cwd?.fsPath);
        this.#follow(execution).catch((error: unknown) =>
          log.debug("The output of a terminal could not be followed.", asError(error).message),
        );
      }),
    );
    this.#store.add(
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) =>
        this.#tracker.ended(execution, exitCode),
      ),
    );
  }

  /** The newest command of any terminal. */
  get last(): LastCommand | undefined {
    return this.#tracker.last;
  }

  async #follow(execution: vscode.TerminalShellExecution): Promise<void> {
    for await (const text of execution.read()) this.#tracker.printed(execution, text);
  }

  dispose(): void {
    this.#store.dispose();
  }
}
