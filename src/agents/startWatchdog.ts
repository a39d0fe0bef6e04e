// Starts the watchdog and tells it what to guard: see src/watchdog.ts.
import { spawn, type ChildProcess } from "node:child_process";
import { setProcessGuard } from "../base/processTree.ts";
import { toDisposable, type Disposable } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";

/**
 * From now on every process tree that is ours is ended also when this process is killed. `script` is the built
 * watchdog. It is started with the first tree; disposing lets it go.
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
      log.warn("The watchdog did not start: processes may stay if VS Code is killed.", error.message),
    );
    made.stdin?.on("error", error => log.debug("The watchdog takes no more words.", error.message));
    made.once("exit", code => {
      if (!ended) log.warn(`The watchdog ended with code ${code ?? "unknown"}.`);
    });
    // It must not keep this process alive.
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
