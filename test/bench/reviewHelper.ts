// The part of the benchmark of the review that runs in the extension host, next to Parley: runs Parley's own commands,
// and measures how long the extension host is busy without a break.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import {
  helperCommands,
  largeFile,
  markFile,
  type HelperCommand,
  type HelperOutcome,
  type Stretches,
} from "./reviewedFiles.ts";
import { StretchWatch } from "./stretches.ts";

/** Registers the commands. Each one writes its outcome to the file when it is done. */
export function registerReviewCommands(outcome: string): vscode.Disposable {
  const profiles = process.env["PARLEY_BENCH_PROFILES"];
  let profiled = 0;
  let watch: StretchWatch | undefined;
  let stretches: Stretches | undefined;
  let waiting: NodeJS.Timeout | undefined;
  // In a busy window, a command can run twice.
  const begin = (): void => {
    stretches = undefined;
    watch ??= new StretchWatch();
  };
  const end = (): void => {
    if (!watch) return;
    stretches = watch.end(profiles && join(profiles, `${profiled++}.cpuprofile`));
    watch = undefined;
  };
  const folder = (): string => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const work: Readonly<Record<HelperCommand, () => unknown>> = {
    undoAll: () => vscode.commands.executeCommand("parley.undoAllChanges"),
    undoLast: () => vscode.commands.executeCommand("parley.undoLastDecision"),
    undoRestore: () => vscode.commands.executeCommand("parley.undoRestore"),
    keepAll: () => vscode.commands.executeCommand("parley.keepAllChanges"),
    show: () => vscode.window.showTextDocument(vscode.Uri.file(join(folder(), largeFile)), { preview: false }),
    hide: () => vscode.commands.executeCommand("workbench.action.closeAllEditors"),
    watch: begin,
    watchTurn: () => {
      clearInterval(waiting);
      rmSync(join(folder(), markFile), { force: true });
      waiting = setInterval(() => {
        if (!existsSync(join(folder(), markFile))) return;
        clearInterval(waiting);
        begin();
      }, 20);
    },
    report: end,
  };
  const registered = (Object.keys(helperCommands) as HelperCommand[]).map(command =>
    vscode.commands.registerCommand(`parleyBench.review.${command}`, async () => {
      const began = Date.now();
      await work[command]();
      const result: HelperOutcome = {
        command,
        began,
        ended: Date.now(),
        ...(stretches && { stretches }),
        tabs: vscode.window.tabGroups.all.flatMap(group => group.tabs).length,
      };
      writeFileSync(outcome, JSON.stringify(result));
    }),
  );
  return vscode.Disposable.from(...registered);
}
