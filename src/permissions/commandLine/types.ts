// The parts of a command line, for all shells.

export type Shell = "posix" | "powershell" | "cmd";

/** Whether something matches. `maybe`: it depends on what only a shell or the file system knows. */
export type Fit = "yes" | "maybe" | "no";

/** A word after quotes are resolved. */
export interface Word {
  readonly text: string;
  /** False: only the shell knows the resulting text and the number of words, as for a variable, a glob or `~`. */
  readonly exact: boolean;
  /** A program puts words of its input here, with any text: `xargs grep foo`. */
  readonly appended?: true;
}

/** One program with its arguments, or a builtin. There is at least one word, and the first is exact. */
export interface Command {
  readonly words: readonly Word[];
  /** The forms it was unwrapped from, outermost first: `nice npm test`, for `npm test`. */
  readonly wrappers: readonly (readonly Word[])[];
  /** It changes to the folder that the line starts in anyway, so no rule has to allow it. */
  readonly neutral?: true;
}

/** The names of the folder that a line starts in, without a slash at the end. */
export type StartFolder = ReadonlySet<string>;

/**
 * A parsed command line. `commands`: all or some of these run, and nothing else. `opaque`: anything may run. `reason`
 * continues a sentence about the line: "it …".
 */
export type CommandLine =
  | { readonly kind: "commands"; readonly line: string; readonly commands: readonly Command[] }
  | {
      readonly kind: "opaque";
      readonly line: string;
      readonly reason: string;
      /** The results of the lenient parser, right or wrong. Sufficient to deny, never to allow. */
      readonly fragments: readonly (readonly Word[])[];
    };

/** Thrown by the parsers for anything that they do not fully understand. The message continues "it …". */
export class NotUnderstood extends Error {}
