// The problems that the window knows, and which files language servers have.
import * as vscode from "vscode";
import { forEachLimited } from "../../base/async.ts";
import { Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import { problemSeverities, type CodeProblem, type EditorLanguages, type EditorProblems } from "../editorView.ts";
import { codeRange } from "./codeRange.ts";

const maxOpeningFiles = 8;

/**
 * The problems of the window. Some language servers report nothing about a file without problems, and VS Code doesn't name
 * those that serve a file. So a file counts as served if something was reported for it, if it has symbols, or if another
 * file of its language does.
 */
export class WindowProblems implements EditorProblems, Disposable {
  readonly #languages: Pick<EditorLanguages, "symbolsOf">;
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #reported = new Set<string>();
  readonly #servedLanguages = new Set<string>();
  readonly #listener: vscode.Disposable;

  constructor(languages: Pick<EditorLanguages, "symbolsOf">) {
    this.#languages = languages;
    this.#listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      for (const uri of uris) if (uri.scheme === "file") this.#reported.add(uri.fsPath);
      this.#changed.fire();
    });
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
        if (((await vscode.workspace.fs.stat(vscode.Uri.file(path))).type & vscode.FileType.Directory) !== 0) return;
        await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      } catch {
        failed.push(path); // The caller names it. Binary files, for example, cannot be opened.
      }
    });
    return failed;
  }

  async isServed(path: string): Promise<boolean> {
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "file" && uri.fsPath === path);
    // A folder is not checked itself.
    if (!document) return true;
    const { languageId } = document;
    // The answer also shows that the server has read the file.
    const symbols = await this.#languages.symbolsOf(path).catch(() => []);
    const isServed =
      symbols.length > 0 || this.#reported.has(path) || vscode.languages.getDiagnostics(document.uri).length > 0;
    if (isServed && languageId !== "plaintext") this.#servedLanguages.add(languageId);
    return isServed || this.#servedLanguages.has(languageId);
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}

function codeProblem(path: string, problem: vscode.Diagnostic): CodeProblem {
  const { range, severity, message, source, code: given } = problem;
  const code = typeof given === "object" ? given.value : given;
  return {
    ...{ path, severity: problemSeverities[severity] ?? "error", message, ...codeRange(range) },
    ...(source !== undefined && source !== "" && { source }),
    ...(code !== undefined && code !== "" && { code: String(code) }),
  };
}
