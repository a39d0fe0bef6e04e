// Registers the commands: everything under "Parley:" in the Command Palette.
import * as vscode from "vscode";
import { asProblem } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import type { CommandId } from "./commandIds.ts";
import { mergeTables, type CompleteTables } from "./handlerTables.ts";

/**
 * Registers the handlers of these tables, which together handle each command exactly once. A command that fails shows
 * why.
 */
export function registerCommands<const Tables extends readonly object[]>(
  tables: CompleteTables<CommandId, Tables>,
  log: Log,
): vscode.Disposable {
  const handlers = mergeTables<CommandHandlers<CommandId>>(tables);
  return vscode.Disposable.from(
    ...Object.entries(handlers).map(([id, run]) =>
      vscode.commands.registerCommand(id, async (...args: readonly unknown[]) => {
        try {
          await run(...args);
        } catch (error) {
          const problem = asProblem(error);
          log.error(problem.message, problem.detail);
          void vscode.window.showErrorMessage(problem.message);
        }
      }),
    ),
  );
}
