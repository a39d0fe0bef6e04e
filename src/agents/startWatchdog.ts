// Starts the watchdog (src/watchdog.ts) and sends it the ids of the processes to guard.
import { spawn, type ChildProcess } from "node:child_process";
import { setProcessGuard } from "../base/processTree.ts";
import { toDisposable, type Disposable } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";

/**
 * Makes sure that all process trees of this extension are killed even if the extension host is killed. `script` is the
 * built watchdog, which starts with the first process tree. Disposing ends it.
 */
export function startWatchdog(script: string, log: Log): Disposable {
  let child: ChildProcess | undefined;
  let ended = false;
  const start = (): ChildProcess => {
    const made = spawn(process.execPath, [script], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      windowsHide: true,
    });
    made.on("error", error =>
      log.warn("The watchdog did not start. If VS Code is killed, processes may keep running.", error.message),
    );
    made.stdin?.on("error", error => log.debug("The watchdog no longer accepts input.", error.message));
    made.once("exit", code => {
      if (!ended) log.warn(`The watchdog ended with code ${code ?? "unknown"}.`);
    });
    // The watchdog must not keep the extension host alive.
    made.unref();
    return made;
  };
  const send = (word: string): void => {
    child ??= start();
    child.stdin?.write(`${word}\n`);
  };
  const guard = setProcessGuard({ add: pid => send(`+${pid}`), delete: pid => send(`-${pid}`) });
  return toDisposable(() => {
    ended = true;
    guard.dispose();
    child?.stdin?.end();
  });
}
