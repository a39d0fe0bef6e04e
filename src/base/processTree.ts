// Ending a process with all its descendants. The one place in `base` that touches the system.
import { execFile } from "node:child_process";

/** How long a group may take to leave politely. Milliseconds. */
const politeTime = 2000;
const pollTime = 25;

/**
 * Ends the process group led by `pid` (on Windows the tree below it): politely, then by force. Resolves when none of it
 * is left; at once when nothing was. The process must have been started `detached` on POSIX.
 */
export async function killTree(pid: number, patience = politeTime): Promise<void> {
  if (process.platform === "win32") {
    await new Promise<void>(resolve =>
      execFile("taskkill", ["/PID", String(pid), "/T", "/F"], { windowsHide: true }, () => resolve()),
    );
    return;
  }
  if (!signal(pid, "SIGTERM")) return;
  for (let waited = 0; waited < patience; waited += pollTime) {
    await pause();
    if (!signal(pid, 0)) return;
  }
  signal(pid, "SIGKILL");
  for (let waited = 0; waited < patience && signal(pid, 0); waited += pollTime) await pause();
}

/** Ends the group by force, at once and without waiting: for when our own process is about to end. */
export function killTreeNow(pid: number): void {
  if (process.platform === "win32")
    execFile("taskkill", ["/PID", String(pid), "/T", "/F"], { windowsHide: true }, () => {});
  else signal(pid, "SIGKILL");
}

const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, pollTime));

/** Whether the group was there to get the signal. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, name);
    return true;
  } catch {
    return false; // Gone (ESRCH), or not ours to signal (EPERM): in both cases there is nothing more to do.
  }
}
