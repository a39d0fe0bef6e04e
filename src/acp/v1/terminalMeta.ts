// Terminals that the agent runs itself, reported with a de-facto extension: `_meta.terminal_info`, `terminal_output`,
// `terminal_output_delta` and `terminal_exit`. Pure.
import type { ExitStatus, SessionEvent } from "../../session/events.ts";
import { asObject, asString, optionalField, type JsonObject } from "../parse.ts";
import { exitStatus } from "./rawOutput.ts";

/** What one update reports about a terminal. */
export interface TerminalReport {
  readonly terminalId: string;
  readonly isNew: boolean;
  readonly cwd?: string;
  /** Output to append. */
  readonly output: string;
  /** Absent: it still runs. Empty: it ended, nothing more is known. */
  readonly exit?: ExitStatus;
}

/** The terminals in the `_meta` of an update, which usually is one. */
export function terminalReports(meta: JsonObject): readonly TerminalReport[] {
  const { terminal_info: info, terminal_output: whole, terminal_output_delta: delta, terminal_exit: exit } = meta;
  const ids = [info, whole, delta, exit].map(idOf).filter(id => id !== undefined);
  return [...new Set(ids)].map(terminalId => {
    const mine = (value: unknown): JsonObject => (idOf(value) === terminalId ? asObject(value) : {});
    const cwd = asString(mine(info)["cwd"]);
    const texts = [mine(whole), mine(delta)].map(part => asString(part["data"]) ?? "");
    // An agent may send the same output in both forms.
    const [text = "", more = ""] = texts;
    return {
      terminalId,
      isNew: idOf(info) === terminalId,
      ...(cwd !== undefined && { cwd }),
      output: text === more ? text : text + more,
      ...(idOf(exit) === terminalId && { exit: exitStatus([mine(exit)]) ?? {} }),
    };
  });
}

const idOf = (value: unknown): string | undefined => asString(asObject(value)["terminal_id"]);

/** The events for a report, in the order of the terminal's life. */
export function reportEvents({ terminalId, isNew, cwd, output, exit }: TerminalReport): readonly SessionEvent[] {
  return [
    ...(isNew ? [{ ...{ type: "terminal" as const, terminalId }, ...optionalField("cwd", cwd) }] : []),
    ...(output === "" ? [] : [{ type: "terminalOutput" as const, terminalId, text: output }]),
    ...(exit ? [{ type: "terminal" as const, terminalId, exit }] : []),
  ];
}
