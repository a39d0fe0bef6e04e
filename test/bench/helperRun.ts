// Runs commands of the helper in a window, and reads what it wrote about them.
import { existsSync, readFileSync, rmSync } from "node:fs";
import type { Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { runCommand } from "../../scripts/vscode/workbench.mjs";
import { helperCommands, type HelperCommand, type HelperOutcome } from "./reviewedFiles.ts";

/** Runs a command of the helper, with what the user answers. The helper writes its outcome into the file. */
export const helperRun =
  (page: Page, outcome: string) =>
  async (command: HelperCommand, answer?: (page: Page) => Promise<void>): Promise<HelperOutcome> => {
    rmSync(outcome, { force: true });
    await runCommand(page, helperCommands[command]);
    await answer?.(page);
    const isDone = (): boolean => existsSync(outcome) && readFileSync(outcome, "utf8").endsWith("}");
    if (!(await waitFor(isDone, 60_000, 20))) throw new Error(`${helperCommands[command]} did not end.`);
    return JSON.parse(readFileSync(outcome, "utf8")) as HelperOutcome;
  };
