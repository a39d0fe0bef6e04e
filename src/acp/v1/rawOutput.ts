// What raw input and output say about a command. ACP leaves both to the agent, so their form decides. Pure.
import { asArray, asNumber, asObject, asString, isObject, optionalField, type JsonObject } from "../parse.ts";
import type { ExitStatus } from "../../session/events.ts";

/**
 * The words of a command in the raw input of a tool call: `command` or `cmd`, as a text or a list. Undefined if the call
 * runs none. A call that names an MCP server and a tool runs none.
 */
export function commandWords(rawInput: unknown): readonly string[] | undefined {
  const { command, cmd, server, tool } = asObject(rawInput);
  if (typeof server === "string" && typeof tool === "string") return undefined;
  const given = command ?? cmd;
  const words = (Array.isArray(given) ? given : [given]).filter(word => typeof word === "string" && word !== "");
  return words.length > 0 ? (words as readonly string[]) : undefined;
}

/**
 * The output of a command in raw output, as the agent formatted it. An empty text: the command printed nothing.
 * Undefined: raw output has no text in the known fields.
 */
export function outputText(rawOutput: unknown): string | undefined {
  if (typeof rawOutput === "string") return rawOutput;
  const {
    output,
    aggregated_output: aggregated,
    stdout,
    stderr,
    formatted_output: formatted,
    content,
  } = asObject(rawOutput);
  const texts = [output, aggregated, joined(asString(stdout), asString(stderr)), formatted, content];
  const found = texts.filter(text => typeof text === "string");
  return found.find(text => text !== "") ?? found[0];
}

function joined(stdout: string | undefined, stderr: string | undefined): string | undefined {
  if (!stdout || !stderr) return stdout || stderr || (stdout ?? stderr);
  return stdout.endsWith("\n") ? stdout + stderr : `${stdout}\n${stderr}`;
}

/** Whether raw output is an error message instead of a result: `{message}` or `{error}`. */
export function isErrorMessage(rawOutput: unknown): boolean {
  const { message, error } = asObject(rawOutput);
  const text = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
  return text(message) || text(error) || (isObject(error) && text(error["message"]));
}

/**
 * The end of a command in raw output: in the object itself, its `metadata`, or an item of `contents`. Undefined if it is
 * not there.
 */
export function rawExit(rawOutput: unknown): ExitStatus | undefined {
  const raw = asObject(rawOutput);
  return exitStatus([raw, asObject(raw["metadata"]), ...asArray(raw["contents"]).slice(0, maxContents).map(asObject)]);
}

const maxContents = 100;

/**
 * The end of a command, from several objects of the agent. Undefined if no object names it. A signal and a cancellation
 * outrank exit code 0, which some agents send beside them.
 */
export function exitStatus(places: readonly JsonObject[]): ExitStatus | undefined {
  const codes = places.flatMap(place => [place["exit"], place["exit_code"], place["exitCode"]]).map(asNumber);
  const exitCode = codes.find(code => code !== undefined);
  const signal = places.map(place => signalName(place["signal"])).find(name => name !== undefined);
  const cancelled = places.some(place => place["outcome"] === "cancelled");
  return strongestExit({
    ...optionalField("exitCode", exitCode),
    ...optionalField("signal", signal),
    ...(cancelled && { cancelled }),
  });
}

/** Undefined if nothing is known. */
export function strongestExit({ exitCode, signal, cancelled }: ExitStatus): ExitStatus | undefined {
  const isSuccess = exitCode === 0 && signal === undefined && !cancelled;
  if (exitCode === undefined && signal === undefined && !cancelled) return undefined;
  return {
    ...((exitCode !== 0 || isSuccess) && optionalField("exitCode", exitCode)),
    ...optionalField("signal", signal),
    ...(cancelled && { cancelled }),
  };
}

/** POSIX signals with the same number on all systems. */
const signals: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
};

function signalName(signal: unknown): string | undefined {
  if (typeof signal === "string" && signal !== "") return signal;
  return typeof signal === "number" && signal > 0 ? (signals[signal] ?? String(signal)) : undefined;
}
