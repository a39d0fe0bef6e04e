// What a command line is made of, for all shells.

export type Shell = "posix" | "powershell" | "cmd";

/** A word after quoting. */
export interface Word {
  readonly text: string;
  /** False: only the shell knows what becomes of it, and of how many words: a variable, a glob, `~`. */
  readonly exact: boolean;
}

/** One program with its arguments, or a builtin. There is at least one word, and the first is exact. */
export interface Command {
  readonly words: readonly Word[];
  /** The forms it was unwrapped from, outermost first: `nice npm test`, for `npm test`. */
  readonly wrappers: readonly (readonly Word[])[];
}

/**
 * A command line as far as it is understood. `commands`: these run, all or some, and nothing else.
 * `opaque`: anything may run. `reason` continues a sentence about the line: "it …".
 */
export type CommandLine =
  | { readonly kind: "commands"; readonly line: string; readonly commands: readonly Command[] }
  | {
      readonly kind: "opaque";
      readonly line: string;
      readonly reason: string;
      /** What a quick reading recognises, right or wrong. Good enough to forbid by, never to allow by. */
      readonly fragments: readonly (readonly Word[])[];
    };

/** Thrown by the readers for what they do not fully understand. The message continues "it …". */
export class NotUnderstood extends Error {}
