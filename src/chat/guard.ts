// Work that is stopped when it takes too long: hostile texts and patterns can make a parser or an expression run for ever.
import { createContext, Script, type Context } from "node:vm";

let context: Context | undefined;
const call = new Script("work()");

/**
 * Runs `work` for at most `ms` milliseconds. False when it was stopped in its midst, by no exception it could catch: what
 * it keeps must be whole at any moment. What it throws is thrown.
 */
export function runsWithin(ms: number, work: () => void): boolean {
  context ??= createContext({});
  context["work"] = work;
  try {
    call.runInContext(context, { timeout: ms });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    context["work"] = undefined;
  }
}
