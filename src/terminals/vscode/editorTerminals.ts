// Shows an agent's command as a terminal of VS Code that follows its output.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import type { ExitStatus } from "../../session/events.ts";
import type { Session } from "../../session/session.ts";
import type { SessionState, TerminalState } from "../../session/state.ts";
import { createTerminal } from "../../editor/editorItems.ts";

/** The part of a session that is used here. */
type TerminalSession = Pick<Session, "state" | "onDidChange">;

export class EditorTerminals implements Disposable {
  /** The open views. */
  readonly #views = new Set<TerminalView>();

  /** Shows the terminal, or reveals it if it is shown already. Throws an error for the user if it is unknown. */
  open(session: TerminalSession, terminalId: string): void {
    const state = session.state.terminals.get(terminalId);
    if (!state) throw new Error(vscode.l10n.t("The output of this command is no longer available."));
    const known = [...this.#views].find(view => view.shows(session, terminalId));
    const view = known ?? new TerminalView(session, state, closed => this.#views.delete(closed));
    this.#views.add(view);
    view.show();
  }

  dispose(): void {
    for (const view of [...this.#views]) view.dispose();
  }
}

/** One terminal of VS Code. Typing into it has no effect, and closing it does not end the command. */
class TerminalView implements vscode.Pseudoterminal, Disposable {
  readonly #session: TerminalSession;
  readonly #id: string;
  readonly #onClosed: (view: TerminalView) => void;
  readonly #terminal: vscode.Terminal;
  readonly #write = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.#write.event;
  #subscription: Disposable | undefined;
  #isClosed = false;
  #written: TerminalState | undefined;
  #filter = new ControlStringFilter();

  constructor(session: TerminalSession, state: TerminalState, onClosed: (view: TerminalView) => void) {
    this.#session = session;
    this.#id = state.id;
    this.#onClosed = onClosed;
    this.#terminal = createTerminal({
      name: terminalName(session.state.agent?.name, state.command),
      pty: this,
      iconPath: new vscode.ThemeIcon("comment-discussion"),
      isTransient: true,
    });
  }

  shows(session: TerminalSession, terminalId: string): boolean {
    return this.#session === session && this.#id === terminalId;
  }

  show(): void {
    this.#terminal.show();
  }

  /** VS Code has opened the terminal. Output written before would be lost. */
  open(): void {
    if (this.#isClosed) return;
    this.#subscription = this.#session.onDidChange(state => this.#update(state));
    this.#update(this.#session.state);
  }

  /** The user has closed the terminal. */
  close(): void {
    this.#isClosed = true;
    this.#end();
    this.#onClosed(this);
  }

  dispose(): void {
    this.close();
    this.#terminal.dispose();
  }

  #update({ terminals }: SessionState): void {
    const state = terminals.get(this.#id);
    if (!state || state === this.#written) return;
    this.#writeOutput(state);
    this.#written = state;
    if (!state.exit) return;
    const newLine = state.output === "" || state.output.endsWith("\n") ? "" : "\r\n";
    this.#write.fire(`${resetSequence}${newLine}${dim(exitText(state.exit))}`);
    this.#end();
  }

  #writeOutput({ output, truncated }: TerminalState): void {
    const before = this.#written?.output ?? "";
    const isContinued = this.#written !== undefined && output.startsWith(before);
    if (!isContinued) this.#filter = new ControlStringFilter();
    const text = this.#filter.filter(isContinued ? output.slice(before.length) : output).replace(/\r?\n/g, "\r\n");
    const clear = this.#written && !isContinued ? resetSequence + clearSequence : "";
    const note = truncated && !isContinued ? dim(vscode.l10n.t("The beginning of the output was left out.")) : "";
    if (clear + note + text !== "") this.#write.fire(clear + note + text);
  }

  #end(): void {
    this.#subscription?.dispose();
    this.#subscription = undefined;
  }
}

/** Leaves any unfinished sequence, the screen of full-screen programs, and all modes and colours. */
const resetSequence = "\u0018\u001b[?1047l\u001b[!p";
const clearSequence = "\u001b[2J\u001b[3J\u001b[H";

const dim = (text: string): string => `\u001b[2m${oneLine(text)}\u001b[0m\r\n`;

function exitText({ exitCode, signal }: ExitStatus): string {
  if (signal !== undefined) return vscode.l10n.t("Ended by {0}", signal);
  return exitCode === undefined ? vscode.l10n.t("Ended") : vscode.l10n.t("Exit code {0}", exitCode);
}

const maxNameLength = 60;

function terminalName(agent: string | undefined, command: string | undefined): string {
  const name = oneLine([agent, command].filter(part => part !== undefined && part !== "").join(": "));
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name || "Parley";
}

/** Replaces line breaks and invisible characters. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();

/** The start of a string for the terminal itself, even with control characters in between. */
const stringBegins = /\u001b[\u0000-\u0017\u0019\u001c-\u001f\u007f]*[\]PX^_]|[\u0090\u0098\u009d-\u009f]/g;
const stringEnds = /[\u0007\u0018\u001a\u001b\u009c]/g;
const mayBeginString = /\u001b[\u0000-\u0017\u0019\u001c-\u001f\u007f]*$/;

/**
 * Removes the parts of an output that address the terminal itself: titles, the clipboard, shell integration, images.
 * The parts for the reader stay: text, colours, cursor movements.
 */
class ControlStringFilter {
  #inString = false;
  #incomplete = "";

  /** Filters the next piece of the output. Its end is held back while it may start such a string. */
  filter(text: string): string {
    const whole = this.#incomplete + text;
    const out: string[] = [];
    let at = 0;
    this.#incomplete = "";
    for (;;) {
      if (this.#inString) {
        const end = findFrom(stringEnds, whole, at);
        if (!end) return out.join("");
        this.#inString = false;
        // The text before and after the string must not combine into one sequence.
        out.push("\u0018");
        at = end[0] === "\u001b" ? end.index : end.index + 1;
      }
      const begin = findFrom(stringBegins, whole, at);
      if (!begin) break;
      out.push(whole.slice(at, begin.index));
      at = begin.index + begin[0].length;
      this.#inString = true;
    }
    const rest = whole.slice(at);
    this.#incomplete = mayBeginString.exec(rest)?.[0] ?? "";
    return out.join("") + rest.slice(0, rest.length - this.#incomplete.length);
  }
}

function findFrom(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
