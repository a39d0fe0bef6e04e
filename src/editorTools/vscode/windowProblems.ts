// The problems that the window knows, and which files language servers have.
import * as vscode from "vscode";
import { forEachLimited } from "../../base/async.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import {
  problemSeverities,
  type CodeProblem,
  type EditorLanguages,
  type EditorProblems,
  type ProblemCheck,
} from "../editorView.ts";
import { openDocumentOf } from "../../editor/openDocuments.ts";
import { codeRange } from "./codeRange.ts";
import { tabUri } from "./tabUri.ts";

const maxOpeningFiles = 8;

/**
 * The problems of the window. VS Code does not name the files that a language server has checked, and some servers report
 * nothing about a file without problems. So a text counts as checked if something was reported for it, and perhaps if a tab
 * shows the file and a server answers for its language. Without a tab, an answer does not count: the server for TypeScript checks only
 * files that a tab shows, and so do many others.
 */
export class WindowProblems implements EditorProblems, Disposable {
  readonly #languages: Pick<EditorLanguages, "symbolsOf">;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly onDidChange: Event<void> = this.#changed.event;
  /** The version of each document at the last report. */
  readonly #reported = new Map<string, number>();
  readonly #servedLanguages = new Set<string>();

  constructor(languages: Pick<EditorLanguages, "symbolsOf">) {
    this.#languages = languages;
    this.#store.add(
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) {
          const document = openDocumentOf(uri.fsPath);
          if (document && uri.scheme === "file") this.#reported.set(uri.fsPath, document.version);
        }
        this.#changed.fire();
      }),
    );
    // Many servers withdraw their reports then, which is no check.
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => void this.#reported.delete(uri.fsPath)));
  }

  all(): readonly CodeProblem[] {
    return vscode.languages
      .getDiagnostics()
      .flatMap(([uri, problems]) => (uri.scheme === "file" ? problems.map(one => codeProblem(uri.fsPath, one)) : []));
  }

  async open(paths: readonly string[]): Promise<readonly string[]> {
    const failed: string[] = [];
    await forEachLimited(paths, maxOpeningFiles, async path => {
      try {
        if (await isFolder(path)) return;
        await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      } catch {
        failed.push(path); // The caller names it. Binary files, for example, cannot be opened.
      }
    });
    return failed;
  }

  async checkOf(path: string): Promise<ProblemCheck | undefined> {
    // On Windows, the drive letter of a session's path is upper case, and that of a document lower case.
    const document = openDocumentOf(vscode.Uri.file(path).fsPath);
    // A file that could not be opened in time is not checked.
    if (!document) return (await isFolder(path).catch(() => false)) ? undefined : "nothing";
    const { languageId, uri } = document;
    // The answer also shows that the server has read the file.
    const symbols = await this.#languages.symbolsOf(path).catch(() => []);
    if (symbols.length > 0 && languageId !== "plaintext") this.#servedLanguages.add(languageId);
    const isReported = this.#reported.get(uri.fsPath) === document.version;
    if (isReported || vscode.languages.getDiagnostics(uri).length > 0) return "reported";
    return this.#servedLanguages.has(languageId) && hasTab(uri.fsPath) ? "answered" : "nothing";
  }

  dispose(): void {
    this.#store.dispose();
  }
}

async function isFolder(path: string): Promise<boolean> {
  const { type } = await vscode.workspace.fs.stat(vscode.Uri.file(path));
  return (type & vscode.FileType.Directory) !== 0;
}

const hasTab = (path: string): boolean =>
  vscode.window.tabGroups.all.some(({ tabs }) =>
    tabs.flatMap(tabUri).some(uri => uri.scheme === "file" && uri.fsPath === path),
  );

function codeProblem(path: string, problem: vscode.Diagnostic): CodeProblem {
  const { range, severity, message, source, code: given } = problem;
  const code = typeof given === "object" ? given.value : given;
  return {
    ...{ path, severity: problemSeverities[severity] ?? "error", message, ...codeRange(range) },
    ...(source !== undefined && source !== "" && { source }),
    ...(code !== undefined && code !== "" && { code: String(code) }),
  };
}
