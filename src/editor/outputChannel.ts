// The Log port on VS Code's output channel, which has its own log level.
import * as vscode from "vscode";
import { maskJson } from "../base/maskJson.ts";
import type { Log } from "../base/log.ts";
import { maskText } from "../base/mask.ts";

/** Parley's output channel. Data is masked before it is written. */
export function openOutputChannel(): Log & { show(): void; dispose(): void } {
  const channel = vscode.window.createOutputChannel("Parley", { log: true });
  const line = (message: string, data: unknown): string =>
    maskText(
      data === undefined ? message : `${message} ${typeof data === "string" ? data : JSON.stringify(maskJson(data))}`,
    );
  return {
    debug: (message, data) => channel.debug(line(message, data)),
    info: (message, data) => channel.info(line(message, data)),
    warn: (message, data) => channel.warn(line(message, data)),
    error: (message, data) => channel.error(line(message, data)),
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}
