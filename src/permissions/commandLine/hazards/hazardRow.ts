// The format of the tables of words that a wildcard of an allow rule doesn't stand for, because with them a program that
// usually only reads runs, writes, obeys or shows something else.
import { t } from "../../../base/l10n.ts";

/** A row of a table. It applies to each of its programs. */
export interface HazardRow {
  /** The names of the programs, separated by spaces. */
  readonly programs: string;
  /**
   * Options and subcommands, separated by commas: `--config=` (an option with a value), `exec` (a subcommand), `auth token`,
   * `config view --raw` (an option of a subcommand, at any position), `compose <-f=` (an option between `compose` and the
   * next subcommand). A lone `.` is the program without a subcommand or operand.
   */
  readonly words?: string;
  /** Texts in any word, such as a function of a script. With `of`, only in the values of these options. */
  readonly text?: RegExp;
  readonly of?: string;
  /** Texts of operands only, not of the values of options. */
  readonly operand?: RegExp;
  /** Values of the options, or other words of the command, with which the words are harmless. */
  readonly except?: RegExp;
  /** What the words do. Continues “…, which”. A function, because the language of the user is set later. */
  readonly why: () => string;
}

/** How the options of programs are written, as far as it matters for the tables. */
export interface HazardGrammar {
  readonly programs: string;
  /** Harmless options with a value, so that the value isn't taken for a subcommand: `-n= --namespace=`. */
  readonly values?: string;
  /** Options have one dash and a long name, as in `terraform plan -out=x`. */
  readonly singleDash?: true;
  /** Options end after this number of operands. What follows is for a script or another machine. */
  readonly endsAfter?: number;
  /** Long options can be abbreviated. */
  readonly abbreviates?: true;
  /** Words before subcommands that don't change their meaning: `gcloud beta auth`. */
  readonly skipped?: string;
}

export const runsProgram = (): string => t("runs a program or code that it names");
/** Of options whose value is a file. A file that programs run anyway, such as `eslint.config.js`, is no hazard. */
export const namesConfiguration = (): string => t("names a configuration, which can run programs");
export const printsSecrets = (): string => t("can show secrets");
export const writesFile = (): string => t("writes a file that it names");
export const sendsCredentials = (): string => t("can send files or credentials to another place");
