// The part of the benchmark of the editor's tools that runs in the extension host: many problems, and a language server
// that finds many references.
import { join } from "node:path";
import * as vscode from "vscode";
import { placeCount, placeFiles, problemCount, problemFiles, symbolFile, toolFile } from "./toolFiles.ts";

/** Reports the problems, and registers the provider. */
export function provideToolData(): vscode.Disposable {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const uri = (index: number): vscode.Uri => vscode.Uri.file(join(folder, toolFile(index)));
  const range = (line: number): vscode.Range => new vscode.Range(line, 0, line, 6);
  const problems = vscode.languages.createDiagnosticCollection("parleyBench");
  const perFile = problemCount / problemFiles;
  problems.set(
    Array.from({ length: problemFiles }, (_, file) => [
      uri(file),
      Array.from({ length: perFile }, (_, line) => {
        const problem = new vscode.Diagnostic(
          range(line),
          `Type 'string' is not assignable to type 'number'. The value of line ${line} comes from another file.`,
          line % 4 === 0 ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning,
        );
        problem.source = "bench";
        problem.code = 2322;
        return problem;
      }),
    ]),
  );
  const places = Array.from(
    { length: placeCount },
    (_, index) => new vscode.Location(uri(index % placeFiles), range(Math.floor(index / placeFiles))),
  );
  const provider = vscode.languages.registerReferenceProvider(
    { pattern: new vscode.RelativePattern(folder, symbolFile) },
    { provideReferences: () => places },
  );
  return vscode.Disposable.from(problems, provider);
}
