// Runs work with a time limit, because hostile texts and patterns can make a parser or a regular expression run
// forever.
import { createContext, Script, type Context } from "node:vm";

let context: Context | undefined;
const call = new Script("work()");

/** The result of an attempt, and the CPU time it took, in milliseconds. */
export interface TimedRun {
  readonly isDone: boolean;
  readonly cpuTime: number;
}

/**
 * Runs `work` for at most `ms` milliseconds. Work over the limit is stopped between any two instructions, by an
 * exception that it cannot catch, so the state it keeps must be consistent at any moment. Exceptions of `work` are
 * rethrown.
 */
export function runWithTimeLimit(ms: number, work: () => void): TimedRun {
  const before = process.cpuUsage();
  const attempt = (done: boolean): TimedRun => {
    const { user, system } = process.cpuUsage(before);
    return { isDone: done, cpuTime: (user + system) / 1000 };
  };
  context ??= createContext({});
  context["work"] = work;
  try {
    call.runInContext(context, { timeout: ms });
    return attempt(true);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return attempt(false);
    throw error;
  } finally {
    context["work"] = undefined;
  }
}
