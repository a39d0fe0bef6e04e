// The errors that VS Code reports in the files of a candidate and not in those of the main checkout.
import { join } from "node:path";
import * as vscode from "vscode";
import type { WorkTreeChange } from "../../git/workTreeChanges.ts";

/**
 * The number of errors in changed files that the same files of the main checkout do not have. VS Code reports errors only in
 * files that an extension has looked at, so 0 does not mean that there are none.
 */
export function newErrorsOf(worktree: string, origin: string, changes: readonly WorkTreeChange[] | string): number {
  if (typeof changes === "string") return 0;
  return changes.reduce((total, { path }) => {
    const before = errorsIn(join(origin, path));
    return total + Math.max(0, errorsIn(join(worktree, path)) - before);
  }, 0);
}

const errorsIn = (path: string): number =>
  vscode.languages
    .getDiagnostics(vscode.Uri.file(path))
    .filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error).length;
