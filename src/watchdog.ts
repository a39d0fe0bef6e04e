// A process of its own that outlives the extension host by a moment: when the host is killed it ends what the host can
// no longer end, agents and commands with everything they started. Told of each by a line on stdin: +pid, -pid.
import { killTree } from "./base/processTree.ts";

/** Less patience than usual: whoever could have waited is gone. Milliseconds. */
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
// The end of stdin is the host's end, however it came.
process.stdin.once("close", () => {
  void Promise.all([...guardedPids].map(pid => killTree(pid, shortKillTimes))).finally(() => process.exit(0));
});
// The host's group may be asked to end together; the watch is not over then.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
