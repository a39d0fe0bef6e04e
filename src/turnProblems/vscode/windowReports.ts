// The problems that VS Code knows, as the watch of turns sees them.
import { basename, extname } from "node:path";
import * as vscode from "vscode";
import { forEachLimited } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { changeTime } from "../../editor/diskText.ts";
import { openDocumentOf, openFileDocuments } from "../../editor/openDocuments.ts";
import type { CodeSymbol } from "../../editorTools/editorView.ts";
import { maxProblemsWait } from "../../editorTools/settledProblems.ts";
import { tabUri } from "../../editorTools/vscode/tabUri.ts";
import { WindowLanguages } from "../../editorTools/vscode/windowLanguages.ts";
import { foundProblem, type FoundProblem, type ProblemsByFile } from "../foundProblem.ts";
import type { AskedCheck, FileCheck, ProblemReports, ChangedText } from "../problemReports.ts";

/** The problems that are read before other work of the extension host gets its turn. */
const problemsPerSlice = 500;
const maxOpeningFiles = 8;

export class WindowReports implements ProblemReports, Disposable {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #languages = new WindowLanguages();
  readonly #store = new DisposableStore();
  readonly #didReport = this.#store.add(new Emitter<readonly string[]>());
  readonly onDidReport: Event<readonly string[]> = this.#didReport.event;
  readonly #didChangeText = this.#store.add(new Emitter<ChangedText>());
  readonly onDidChangeText: Event<ChangedText> = this.#didChangeText.event;
  /**
   * Each report of VS Code stays the same object until it is renewed. The line of one that is not renewed can have moved, so
   * the text of its line is read only once.
   */
  readonly #known = new WeakMap<vscode.Diagnostic, FoundProblem>();
  /** The version of each document at the last report. */
  readonly #reportedVersions = new Map<string, number>();
  /** When a document or a tab of a file was opened last. Absent: before the first turn was watched. */
  readonly #openedAt = new Map<string, number>();
  readonly #servedLanguages = new Set<string>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    const opened = (uri: vscode.Uri): void => void this.#openedAt.set(uri.fsPath, clock.now());
    this.#store.add(
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        const files = uris.filter(({ scheme }) => scheme === "file");
        for (const uri of files) {
          const document = openDocumentOf(uri.fsPath);
          if (document) this.#reportedVersions.set(uri.fsPath, document.version);
        }
        if (files.length > 0) this.#didReport.fire(files.map(({ fsPath }) => fsPath));
      }),
    );
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme !== "file" || contentChanges.length === 0) return;
        this.#didChangeText.fire({ path: document.uri.fsPath, isUser: document.isDirty });
      }),
    );
    this.#store.add(vscode.workspace.onDidOpenTextDocument(({ uri }) => opened(uri)));
    this.#store.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#reportedVersions.delete(uri.fsPath);
        this.#openedAt.delete(uri.fsPath);
      }),
    );
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(change => change.opened.flatMap(tabUri).forEach(opened)));
  }

  async read(): Promise<ProblemsByFile> {
    const found = new Map<string, readonly FoundProblem[]>();
    const pause = pauses();
    const documents = new Map(openFileDocuments().map(document => [document.uri.fsPath, document]));
    for (const [uri, problems] of vscode.languages.getDiagnostics()) {
      if (uri.scheme !== "file") continue;
      const ofFile = await this.#read(uri, problems, documents.get(uri.fsPath), pause);
      if (ofFile.length > 0) found.set(uri.fsPath, ofFile);
    }
    return found;
  }

  readFile(path: string): Promise<readonly FoundProblem[]> {
    const uri = vscode.Uri.file(path);
    return this.#read(uri, vscode.languages.getDiagnostics(uri), openDocumentOf(uri.fsPath), pauses());
  }

  /** The errors and warnings of one file, at once. It is fast if they were read before. */
  problemsOf(path: string): readonly FoundProblem[] {
    const uri = vscode.Uri.file(path);
    const document = openDocumentOf(uri.fsPath);
    return vscode.languages.getDiagnostics(uri).flatMap(problem => this.#found(uri, problem, document) ?? []);
  }

  openFiles(): ReadonlyMap<string, FileCheck> {
    const tabs = tabPaths();
    return new Map(openFileDocuments().map(document => [document.uri.fsPath, this.#checkOf(document, tabs)]));
  }

  async open(paths: readonly string[]): Promise<void> {
    await forEachLimited(paths, maxOpeningFiles, async path => {
      try {
        await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      } catch (error) {
        this.#log.debug("A changed file cannot be opened to be checked.", asError(error).message);
      }
    });
  }

  async checkOf(path: string): Promise<AskedCheck> {
    const document = openDocumentOf(path);
    const exists = (await changeTime(path)) !== undefined;
    if (!document) {
      const isUncheckable = !hasLanguage(path);
      return { isOpen: false, isShown: false, isReported: false, isAnswered: false, exists, isUncheckable };
    }
    const { languageId } = document;
    const isUncheckable = languageId === "plaintext";
    // The answer also shows that the server has read the file.
    const symbols = isUncheckable || !exists ? [] : await this.#symbolsOf(path);
    if (symbols && symbols.length > 0) this.#servedLanguages.add(languageId);
    const isAnswered = symbols !== undefined && this.#servedLanguages.has(languageId);
    return { ...this.#checkOf(document, tabPaths()), isAnswered, exists, isUncheckable };
  }

  spelled(path: string): string {
    return vscode.Uri.file(path).fsPath;
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Undefined: the language server has not answered. */
  async #symbolsOf(path: string): Promise<readonly CodeSymbol[] | undefined> {
    try {
      return await this.#languages.symbolsOf(path);
    } catch (error) {
      this.#log.debug("A language server has not answered about a changed file.", asError(error).message);
      return undefined;
    }
  }

  #checkOf(document: vscode.TextDocument, tabs: ReadonlySet<string>): FileCheck {
    const { fsPath } = document.uri;
    const openedAt = this.#openedAt.get(fsPath);
    const isOld = openedAt === undefined || this.#clock.now() - openedAt >= maxProblemsWait;
    const isReported = this.#reportedVersions.get(fsPath) === document.version;
    return { isOpen: true, isShown: isOld && tabs.has(fsPath), isReported };
  }

  async #read(
    uri: vscode.Uri,
    problems: readonly vscode.Diagnostic[],
    document: vscode.TextDocument | undefined,
    pause: () => Promise<void> | undefined,
  ): Promise<readonly FoundProblem[]> {
    const found: FoundProblem[] = [];
    for (const problem of problems) {
      const one = this.#found(uri, problem, document);
      if (one) found.push(one);
      const paused = pause();
      if (paused) await paused;
    }
    return found;
  }

  /** Undefined: it is neither an error nor a warning. */
  #found(
    uri: vscode.Uri,
    problem: vscode.Diagnostic,
    document: vscode.TextDocument | undefined,
  ): FoundProblem | undefined {
    const { range, severity, message, source, code: given } = problem;
    if (severity > vscode.DiagnosticSeverity.Warning) return undefined;
    const known = this.#known.get(problem);
    if (known) return known;
    const code = typeof given === "object" ? given.value : given;
    const { line, character } = range.start;
    const found = foundProblem({
      ...{ path: uri.fsPath, line: line + 1, column: character + 1, message },
      severity: severity === vscode.DiagnosticSeverity.Error ? "error" : "warning",
      ...(source !== undefined && source !== "" && { source }),
      ...(code !== undefined && code !== "" && { code: String(code) }),
      ...(document && line < document.lineCount && { lineText: document.lineAt(line).text }),
    });
    this.#known.set(problem, found);
    return found;
  }
}

/** Pauses after a slice of problems. */
function pauses(): () => Promise<void> | undefined {
  let read = 0;
  return () => (++read % problemsPerSlice === 0 ? new Promise(resolve => setImmediate(resolve)) : undefined);
}

/** The files of all tabs. */
const tabPaths = (): ReadonlySet<string> =>
  new Set(
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs.flatMap(tabUri))
      .filter(({ scheme }) => scheme === "file")
      .map(({ fsPath }) => fsPath),
  );

interface LanguageContribution {
  readonly id?: unknown;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
}

/** Whether VS Code knows a language for the file by its name, so that it can have problems. The file need not be open. */
function hasLanguage(path: string): boolean {
  const name = basename(path).toLowerCase();
  const extension = extname(name);
  return vscode.extensions.all.some(({ packageJSON }) => {
    const { contributes } = packageJSON as { readonly contributes?: { readonly languages?: unknown } };
    const languages = Array.isArray(contributes?.languages)
      ? (contributes.languages as readonly LanguageContribution[])
      : [];
    return languages.some(
      ({ id, extensions, filenames }) =>
        id !== "plaintext" &&
        ((extension !== "" && extensions?.includes(extension)) || filenames?.some(one => one.toLowerCase() === name)),
    );
  });
}
