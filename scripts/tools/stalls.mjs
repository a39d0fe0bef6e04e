// Stops processes at random for a moment, as a busy machine does, so that what they report comes late and in another order.
import { whenExiting } from "./processes.mjs";

/** The mean time between two stops, and the longest stop. Milliseconds. */
const meanInterval = 120;
const longestStop = 600;

/**
 * Stops one of the processes at a time until the returned function is called. No process stays stopped, also if this
 * program ends, except by SIGKILL.
 * @param {() => readonly { readonly pid: number }[]} processes those that can be stopped at this moment
 * @returns {() => void}
 */
export function stallProcesses(processes) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {number | undefined} */
  let stopped;
  const go = () => {
    if (stopped !== undefined) signal(stopped, "SIGCONT");
    stopped = undefined;
    timer = setTimeout(stop, -Math.log(1 - Math.random()) * meanInterval);
  };
  const stop = () => {
    const all = processes();
    const chosen = all[Math.floor(Math.random() * all.length)];
    if (chosen && signal(chosen.pid, "SIGSTOP")) stopped = chosen.pid;
    timer = setTimeout(go, Math.random() * longestStop);
  };
  const end = () => {
    clearTimeout(timer);
    if (stopped !== undefined) signal(stopped, "SIGCONT");
    stopped = undefined;
    forget();
  };
  const forget = whenExiting(end);
  go();
  return end;
}

/** @param {number} pid @param {NodeJS.Signals} name @returns {boolean} whether there is such a process */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // It has ended.
  }
}
