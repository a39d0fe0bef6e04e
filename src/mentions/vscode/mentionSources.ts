// What can be mentioned besides files: symbols, problems, the last terminal command, what git says has changed.
import * as vscode from "vscode";
import { withTimeout } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { gitDiff } from "../../git/gitQueries.ts";
import { findGit, type Git } from "../../git/gitProgram.ts";
import { CommandTracker, type LastCommand } from "../lastCommand.ts";
import { sessionFolder } from "../../editor/folders.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";

/** A symbol of the workspace. Lines are 1-based. */
export interface FoundSymbol {
  readonly name: string;
  readonly container: string;
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
}

const maxSymbols = 20;

/** Symbols by name, from the language servers; none when they take longer than `limit` milliseconds. */
export async function searchSymbols(query: string, limit: number, log: Log): Promise<readonly FoundSymbol[]> {
  const symbols = Promise.resolve(
    vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
      "vscode.executeWorkspaceSymbolProvider",
      query,
    ),
  ).catch((error: unknown) => {
    log.debug("The symbols of the workspace could not be searched.", asError(error).message);
    return undefined;
  });
  const found = await withTimeout(symbols, limit, () => undefined);
  return (found ?? [])
    .filter(({ location }) => location.uri.scheme === "file")
    .slice(0, maxSymbols)
    .map(({ name, containerName, location: { uri, range } }) => ({
      name,
      container: containerName,
      path: uri.fsPath,
      line: range.start.line + 1,
      endLine: range.end.line + 1,
    }));
}

const severities = ["error", "warning", "information", "hint"] as const;

/** Problems as lines that people and agents read: "src/a.ts:3:5 error: … (ts 2304)". */
export function problemLines(uri: vscode.Uri, problems: readonly vscode.Diagnostic[]): readonly string[] {
  const path = vscode.workspace.asRelativePath(uri);
  return problems.map(({ range: { start }, severity, message, source, code }) => {
    const id = typeof code === "object" ? code.value : code;
    const from = [source, id].filter(one => one !== undefined && one !== "").join(" ");
    const words = message.trim().replaceAll("\n", "\n    ");
    return `${path}:${start.line + 1}:${start.character + 1} ${severities[severity]}: ${words}${from === "" ? "" : ` (${from})`}`;
  });
}

/** The problems of a file, or of the whole workspace: errors first, then warnings; hints are left out. */
export function linesOfProblems(uri?: vscode.Uri): readonly string[] {
  const all: readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[] = uri
    ? [[uri, vscode.languages.getDiagnostics(uri)]]
    : vscode.languages.getDiagnostics();
  const problemTexts = all.flatMap(([at, problems]) =>
    problems
      .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
      .map(problem => ({ severity: problem.severity, words: problemLines(at, [problem]).join("") })),
  );
  return problemTexts.sort((a, b) => a.severity - b.severity).map(({ words }) => words);
}

/** Follows the commands that the user runs in terminals with shell integration. */
export class TerminalCommands implements Disposable {
  readonly #store = new DisposableStore();
  readonly #tracker = new CommandTracker<vscode.TerminalShellExecution>();

  constructor(log: Log) {
    this.#store.add(
      vscode.window.onDidStartTerminalShellExecution(({ execution }) => {
        const { commandLine, cwd } = execution;
        this.#tracker.started(execution, commandLine.value, cwd?.fsPath);
        this.#follow(execution).catch((error: unknown) =>
          log.debug("The output of a terminal could not be followed.", asError(error).message),
        );
      }),
    );
    this.#store.add(
      vscode.window.onDidEndTerminalShellExecution(({ execution, exitCode }) =>
        this.#tracker.ended(execution, exitCode),
      ),
    );
  }

  /** The newest command of any terminal. */
  get last(): LastCommand | undefined {
    return this.#tracker.last;
  }

  async #follow(execution: vscode.TerminalShellExecution): Promise<void> {
    for await (const text of execution.read()) this.#tracker.printed(execution, text);
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** What is used of the built-in git extension. */
interface GitExtension {
  getAPI(version: 1): {
    readonly git: { readonly path: string };
    readonly repositories: readonly {
      readonly rootUri: vscode.Uri;
      readonly state: { readonly workingTreeChanges: readonly unknown[]; readonly indexChanges: readonly unknown[] };
    }[];
  };
}

/** The git of the session's folder, and whether it has changes; undefined: there is no git here. */
function sessionGit(): { readonly git: Git; readonly folder: string; readonly changed: boolean } | undefined {
  const folder = sessionFolder();
  if (folder === undefined || !vscode.workspace.isTrusted) return undefined;
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  try {
    const api = extension?.isActive ? extension.exports.getAPI(1) : undefined;
    const repository = api?.repositories.find(({ rootUri }) => isWithin(folder, rootUri.fsPath));
    const git = api ? findGit(api.git.path) : gitOf(vscode.Uri.file(folder));
    if (!git) return undefined;
    const { workingTreeChanges = [], indexChanges = [] } = repository?.state ?? {};
    // Where the extension has not looked yet, git itself says whether something changed.
    return { git, folder, changed: !repository || workingTreeChanges.length + indexChanges.length > 0 };
  } catch {
    return undefined; // The git extension is there and switched off.
  }
}

const isWithin = (path: string, root: string): boolean =>
  path === root ||
  path.startsWith(root.endsWith("/") || root.endsWith("\\") ? root : `${root}${path[root.length] ?? "/"}`);

/** Whether a git diff is worth offering. */
export const hasUncommittedChanges = (): boolean => sessionGit()?.changed ?? false;

/** What changed since the last commit, as a diff. Rejects with a sentence where nothing did, or there is no git. */
export async function uncommittedDiff(): Promise<string> {
  const here = sessionGit();
  if (!here) throw new Error(vscode.l10n.t("There is no git repository in this workspace."));
  const diff = await gitDiff(here.git, here.folder).catch((error: unknown) => {
    throw new Error(vscode.l10n.t("git could not tell what changed: {0}", asError(error).message));
  });
  if (diff === "") throw new Error(vscode.l10n.t("Nothing has changed since the last commit."));
  return diff;
}
