// Terminals in the transcript: snapshots, appended output, and a limit on the stored output.
import { jsonEqual } from "../base/jsonEqual.ts";
import type { SessionEvent } from "./events.ts";
import type { SessionState, TerminalState } from "./state.ts";

/** The most characters kept of a terminal's output. Beyond it the oldest quarter is dropped, so truncation is rare. */
export const maxTerminalCharacters = 1_000_000;

type Upsert = Extract<SessionEvent, { type: "terminal" }>;

/** Applies a snapshot: absent fields stay, and `output` replaces all output so far. */
export function upsertTerminal(state: SessionState, event: Upsert): SessionState {
  const old = state.terminals.get(event.terminalId) ?? emptyTerminal(event.terminalId);
  const output = event.output === undefined ? old : truncateOutput({ ...old, output: event.output, truncated: false });
  const { command = output.command, cwd = output.cwd, exit = output.exit, size = output.size } = event;
  const canCancel = event.canCancel ?? output.canCancel;
  return withTerminal(state, {
    id: output.id,
    ...((event.own ?? output.own) && { own: true }),
    output: output.output,
    truncated: event.truncated ?? output.truncated,
    // Null clears a field.
    ...(isPresent(command) && { command }),
    ...(isPresent(cwd) && { cwd }),
    ...(isPresent(exit) && { exit }),
    ...(isPresent(size) && { size }),
    ...(canCancel && { canCancel }),
  });
}

const isPresent = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** Appends output. Creates the terminal if it is not known. */
export function appendTerminal(state: SessionState, terminalId: string, text: string): SessionState {
  if (text === "") return state;
  const old = state.terminals.get(terminalId) ?? emptyTerminal(terminalId);
  return withTerminal(state, truncateOutput({ ...old, output: old.output + text }));
}

const emptyTerminal = (id: string): TerminalState => ({ id, output: "", truncated: false });

function truncateOutput(terminal: TerminalState): TerminalState {
  if (terminal.output.length <= maxTerminalCharacters) return terminal;
  const from = terminal.output.length - Math.floor(maxTerminalCharacters * 0.75);
  const line = terminal.output.indexOf("\n", from);
  // Truncating inside a surrogate pair would leave half a character.
  const low = terminal.output.charCodeAt(from);
  const half = low >= 0xdc00 && low <= 0xdfff ? from + 1 : from;
  return { ...terminal, output: terminal.output.slice(line < 0 ? half : line + 1), truncated: true };
}

function withTerminal(state: SessionState, terminal: TerminalState): SessionState {
  if (jsonEqual(state.terminals.get(terminal.id), terminal)) return state;
  return { ...state, terminals: new Map(state.terminals).set(terminal.id, terminal) };
}
