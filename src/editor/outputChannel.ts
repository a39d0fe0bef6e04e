// The Log port on VS Code's output channel, which has its own log level.
import * as vscode from "vscode";
import { maskJson } from "../base/maskJson.ts";
import type { Log } from "../base/log.ts";
import { maskText } from "../base/mask.ts";

/** The latest warnings and errors, oldest first, each with its time. They are masked. */
export interface RecentFaults {
  readonly recentFaults: readonly string[];
}

const maxRecentFaults = 50;
const maxFaultLength = 2000;

/** Parley's output channel. Data is masked before it is written. */
export function openOutputChannel(): Log & RecentFaults & { show(): void; dispose(): void } {
  const recentFaults: string[] = [];
  const noteFault = (text: string): string => {
    recentFaults.push(`${new Date().toISOString()} ${text.slice(0, maxFaultLength)}`);
    if (recentFaults.length > maxRecentFaults) recentFaults.shift();
    return text;
  };
  const channel = vscode.window.createOutputChannel("Parley", { log: true });
  const line = (message: string, data: unknown): string =>
    maskText(
      data === undefined ? message : `${message} ${typeof data === "string" ? data : JSON.stringify(maskJson(data))}`,
    );
  return {
    debug: (message, data) => channel.debug(line(message, data)),
    info: (message, data) => channel.info(line(message, data)),
    warn: (message, data) => channel.warn(noteFault(line(message, data))),
    error: (message, data) => channel.error(noteFault(line(message, data))),
    recentFaults,
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}
