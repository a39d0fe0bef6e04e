// Work that is stopped when it takes too long: hostile texts and patterns can make a parser or an expression run for ever.
import { createContext, Script, type Context } from "node:vm";

let context: Context | undefined;
const call = new Script("work()");

/** What an attempt came to, and the processor's time it took, in milliseconds. */
export interface TimedRun {
  readonly isDone: boolean;
  readonly cpuTime: number;
}

/**
 * Runs `work` for at most `ms` milliseconds. Not done when it was stopped in its midst, by no exception it could catch: what
 * it keeps must be whole at any moment. What it throws is thrown.
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
