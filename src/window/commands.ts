// Runs the commands: everything under "Parley:" in the Command Palette.
import { asProblem } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import { showErrorMessage } from "../editor/editorUi.ts";
import type { CommandId } from "./commandIds.ts";
import { mergeTables, type CompleteTables } from "./handlerTables.ts";

/** Runs a command with the arguments that VS Code passes. */
export type CommandRunner = (id: CommandId, args: readonly unknown[]) => Promise<void>;

/**
 * Runs commands by the handlers of these tables, which together handle each command exactly once. A command that fails
 * shows why.
 */
export function commandRunner<const Tables extends readonly object[]>(
  tables: CompleteTables<CommandId, Tables>,
  log: Log,
): CommandRunner {
  const handlers = mergeTables<CommandHandlers<CommandId>>(tables);
  return async (id, args) => {
    try {
      await handlers[id](...args);
    } catch (error) {
      const problem = asProblem(error);
      log.error(problem.message, problem.detail);
      void showErrorMessage(problem.message);
    }
  };
}
