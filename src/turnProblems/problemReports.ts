// The problems of the editor as the watch of a turn sees them. `vscode/` implements it. Paths are as the editor spells them.
import type { Event } from "../base/lifecycle.ts";
import type { FoundProblem, ProblemsByFile } from "./foundProblem.ts";

/** What shows that language servers have checked a file with its present text. */
export interface FileCheck {
  /** The file is open as a document. */
  readonly isOpen: boolean;
  /** A tab has shown it for some seconds, so its language server has had the time to check it. */
  readonly isShown: boolean;
  /** Something was reported about its present text, perhaps that there is no problem. */
  readonly isReported: boolean;
}

/** {@link FileCheck} after the turn, when a language server could be asked. */
export interface AskedCheck extends FileCheck {
  /** A language server answers for the file, so it has the present text. */
  readonly isAnswered: boolean;
  readonly exists: boolean;
  /** No language server has problems for such a file: it is plain text, or no text. */
  readonly isUncheckable: boolean;
}

/** A change of the text of a document. `isUser`: the document has unsaved text, so it was not read from disk again. */
export interface ChangedText {
  readonly path: string;
  readonly isUser: boolean;
}

export interface ProblemReports {
  /** The errors and warnings of all files. Works in slices, so that it blocks nothing. */
  read(): Promise<ProblemsByFile>;
  /** The errors and warnings of one file now. Works in slices. */
  readFile(path: string): Promise<readonly FoundProblem[]>;
  /** The open documents now. */
  openFiles(): ReadonlyMap<string, FileCheck>;
  /** Opens the files as documents that no tab shows. Never rejects: a file that cannot be opened is not checked. */
  open(paths: readonly string[]): Promise<void>;
  checkOf(path: string): Promise<AskedCheck>;
  /** Fires with the files about which a language server or a linter has reported something. */
  readonly onDidReport: Event<readonly string[]>;
  readonly onDidChangeText: Event<ChangedText>;
  /** The path as the editor spells it. */
  spelled(path: string): string;
}
