// What the tools see of the editor. `vscode/` implements it. Paths are absolute; lines and columns are 1-based.
import type { Event } from "../base/lifecycle.ts";

/** A range of text. The end is exclusive. */
export interface CodeRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A file that a tab shows. */
export interface OpenEditor {
  readonly path: string;
  readonly isActive: boolean;
  readonly isVisible: boolean;
  readonly hasUnsavedChanges: boolean;
  /** The lines on the screen, first and last. Absent: it is not visible. */
  readonly visibleLines?: readonly (readonly [number, number])[];
  /** What the user has selected, or the position of the cursor, which has no text. */
  readonly selections?: readonly (CodeRange & { readonly text: string })[];
}

export const problemSeverities = ["error", "warning", "information", "hint"] as const;
export type ProblemSeverity = (typeof problemSeverities)[number];

/** A problem in a file, as the Problems view lists it. */
export interface CodeProblem extends CodeRange {
  readonly path: string;
  readonly severity: ProblemSeverity;
  readonly message: string;
  /** The program that reports it, such as `ts`. */
  readonly source?: string;
  readonly code?: string;
}

/**
 * What shows that a language server has checked the present text of a file. `reported`: it has reported something about it,
 * perhaps that there is no problem. `answered`: a tab shows the file and a server answers for its language, but it has
 * reported nothing, which is also what many do about a file without problems.
 */
export type ProblemCheck = "reported" | "answered" | "nothing";

/** The problems that the editor knows. */
export interface EditorProblems {
  /** Those of all files. */
  all(): readonly CodeProblem[];
  /** Fires when a language server or a linter has reported something, also that there is no problem. */
  readonly onDidChange: Event<void>;
  /**
   * Opens files as documents that no tab shows, because most language servers check only open files. Resolves with those
   * that cannot be opened.
   */
  open(paths: readonly string[]): Promise<readonly string[]>;
  /** Undefined: the path is a folder, which is not checked itself. */
  checkOf(path: string): Promise<ProblemCheck | undefined>;
}

export interface CodeSymbol {
  readonly name: string;
  /** Such as `function`. */
  readonly kind: string;
  /** The symbol in which it is declared. */
  readonly container?: string;
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
}

export interface CodePlace extends CodeRange {
  readonly path: string;
}

export const placeKinds = ["definition", "references", "implementations"] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** A position in a file. */
export interface CodePosition {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** What language servers answer. Each method rejects if they take too long or fail. */
export interface EditorLanguages {
  symbolsOf(path: string): Promise<readonly CodeSymbol[]>;
  findSymbols(query: string): Promise<readonly CodeSymbol[]>;
  places(kind: PlaceKind, at: CodePosition): Promise<readonly CodePlace[]>;
  /** The texts of the hover as Markdown. */
  hover(at: CodePosition): Promise<readonly string[]>;
  /** The text of a line as the editor has it. Undefined: the file has no such line. */
  lineText(path: string, line: number): Promise<string | undefined>;
}

/** The editor as the tools see it. */
export interface EditorView {
  openEditors(): readonly OpenEditor[];
  hasUnsavedText(path: string): boolean;
  /** The path as the editor spells it, to compare paths. On Windows, its drive letter is lower case. */
  spelled(path: string): string;
  readonly problems: EditorProblems;
  readonly languages: EditorLanguages;
}
