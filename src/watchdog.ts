// A separate process that outlives the extension host by a moment. If the host is killed, the watchdog kills what the
// host no longer can: agents and commands, with every process they started. The host adds and removes them with one
// line each on stdin: +pid, -pid.
import { killTree } from "./base/processTree.ts";

/** Shorter than usual (ms), because the host no longer waits for the processes. */
const shortKillTimes = { grace: 500, force: 1000 };

const guardedPids = new Set<number>();
let partialLine = "";

process.stdin.setEncoding("utf8");
process.stdin.on("data", (text: string) => {
  const lines = (partialLine + text).split("\n");
  partialLine = lines.pop() ?? "";
  for (const line of lines) {
    const pid = Number(line.slice(1));
    if (!Number.isSafeInteger(pid) || pid <= 1) continue;
    if (line.startsWith("+")) guardedPids.add(pid);
    else guardedPids.delete(pid);
  }
});
// Stdin closes when the host ends, for whatever reason.
process.stdin.once("close", () => {
  void Promise.all([...guardedPids].map(pid => killTree(pid, shortKillTimes))).finally(() => process.exit(0));
});
// The signal may go to the host's whole process group. The watchdog must outlive the host even then.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
