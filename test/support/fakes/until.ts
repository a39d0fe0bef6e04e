// Waits for a condition, never for a fixed time.
import { readFileSync } from "node:fs";

/** Check the condition this many times without a timer first, so that other work of the event loop runs. */
const immediateChecks = 50;
/** After that, the time between two checks (ms). */
const checkInterval = 5;

/** Resolves when the condition holds; rejects after `ms` milliseconds, for which no machine is too slow. */
export async function until(condition: () => boolean | Promise<boolean>, ms = 90_000): Promise<void> {
  const deadline = Date.now() + ms;
  for (let checks = 0; !(await condition()); checks++) {
    if (Date.now() > deadline) throw new Error(`The condition never held: ${condition.toString()}`);
    await new Promise<void>(resolve => {
      if (checks < immediateChecks) setImmediate(resolve);
      else setTimeout(resolve, checkInterval);
    });
  }
}

/** Whether a process runs. A dead process that its parent has not collected yet does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}
