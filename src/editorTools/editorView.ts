// What the tools see of the editor. `vscode/` implements it. Paths are absolute; lines and columns are 1-based.
import type { Event } from "../base/lifecycle.ts";
import type { EditorExtensionTools } from "./editorExtensionTools.ts";

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

/** A change of a file's text. */
export interface FileEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Changes of texts that the editor proposes. Nothing is changed yet. VS Code does not show extensions whether the same
 * change also creates, renames or deletes files, or inserts snippets: this is left out.
 */
export interface ProposedEdits {
  readonly edits: readonly FileEdit[];
  /** The addresses of documents that are no files and would also change. */
  readonly others: readonly string[];
}

/** Computes changes. Each method rejects with a Refusal if the language servers fail or have nothing. */
export interface EditorEdits {
  rename(at: CodePosition, newName: string): Promise<ProposedEdits>;
  /** Formats a file. There are no edits if its formatter changes nothing, or if it has no formatter. */
  format(path: string): Promise<ProposedEdits>;
  /** `withCommand` is the title of the action, if it also has a command, which is left out. */
  organizeImports(path: string): Promise<ProposedEdits & { readonly withCommand?: string }>;
  /** What the light bulb offers for a range. The path is that of a file. */
  codeActions(at: CodePlace): Promise<readonly OfferedAction[]>;
  /** The changes of an action. Undefined: it is no longer offered. */
  codeAction(at: CodePlace, title: string): Promise<ComputedAction | undefined>;
}

/** An action for a piece of code, such as a quick fix. */
export interface OfferedAction {
  readonly title: string;
  /** Such as `quickfix` or `refactor.extract`. */
  readonly kind?: string;
  readonly isPreferred: boolean;
  /** Why it cannot be run now. */
  readonly disabled?: string;
}

/** What an action does. */
export interface ComputedAction extends ProposedEdits {
  readonly disabled?: string;
  /** The command that it runs after its edits. What it does cannot be seen before. */
  readonly command?: string;
  /** Runs the command. Rejects with a Refusal if the file has no edits and its text is no longer the same. */
  readonly runCommand: () => Promise<void>;
}

/** The files and tabs of the editor. */
export interface EditorFiles {
  /** What stands at the path. The links above it are followed, and it is not. */
  kindOf(path: string): Promise<"file" | "folder" | "link" | "other" | "missing">;
  /** Whether `to` leads to the file `from` itself, on a disk that ignores case. */
  isOtherSpelling(from: string, to: string): Promise<boolean>;
  /** Moves a file within these folders. Rejects with a Refusal. */
  move(roots: readonly string[], from: string, to: string): Promise<void>;
  /** Shows a file in a tab. The keyboard focus stays where it is. */
  show(path: string, line: number | undefined, endLine: number | undefined): Promise<void>;
  showDiff(left: string, right: string): Promise<void>;
  /** Shows the changes of a file that wait for review. */
  showChanges(path: string): Promise<void>;
}

/** A task that the editor can run. */
export interface EditorTask {
  readonly label: string;
  /** What provides it, such as `Workspace` or `npm`. */
  readonly source: string;
  /** The workspace folder that it belongs to. Absent: it belongs to the user or to the whole workspace. */
  readonly scopeFolder?: string;
  /** As it is written, before variables are replaced. Absent: not known. */
  readonly commandLine?: string;
  /** Where it runs, if it states that. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The tasks of the window. */
export interface EditorTasks {
  /** Whether the user trusts the workspace. */
  areTrusted(): boolean;
  all(): Promise<readonly EditorTask[]>;
  isRunning(task: EditorTask): boolean;
  /** Runs a task that {@link all} has returned, or waits for its running one, for at most `maxWait` (ms). */
  run(
    task: EditorTask,
    options: { readonly maxWait: number; readonly signal: AbortSignal },
  ): Promise<{ readonly isRunning: boolean; readonly exitCode?: number }>;
}

/** A command that the user ran in a terminal, without likely secrets. */
export interface TerminalCommand {
  readonly command: string;
  readonly cwd?: string;
  readonly exitCode?: number;
  readonly output: string;
  /** The beginning of the output is missing. */
  readonly truncated: boolean;
}

/** The editor as the tools see it. */
export interface EditorView {
  openEditors(): readonly OpenEditor[];
  hasUnsavedText(path: string): boolean;
  /** The path as the editor spells it, to compare paths. On Windows, its drive letter is lower case. */
  spelled(path: string): string;
  readonly problems: EditorProblems;
  readonly languages: EditorLanguages;
  readonly edits: EditorEdits;
  readonly files: EditorFiles;
  readonly tasks: EditorTasks;
  readonly extensionTools: EditorExtensionTools;
  /** The newest command of any terminal. */
  lastCommand(): TerminalCommand | undefined;
}
