// Waits for VS Code's git extension.
import * as vscode from "vscode";
import { withTimeout } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";

/** The part of the extension's API that is used here. */
interface StartingGitExtension {
  /** False if the user turned git off. There is no API then. */
  readonly enabled: boolean;
  getAPI(version: 1): {
    readonly state: "uninitialized" | "initialized";
    readonly onDidChangeState: vscode.Event<string>;
  };
}

/** The longest time to wait for repositories (ms). */
const maxWait = 10_000;

/** Resolves when the git extension has opened the repositories of the workspace, or doesn't do so. Never rejects. */
export async function whenRepositoriesAreOpen(log: Log): Promise<void> {
  try {
    await withTimeout(repositoriesAreOpen(), maxWait, () => undefined);
  } catch (thrown) {
    log.warn("The git extension could not be started.", asError(thrown).message);
  }
}

async function repositoriesAreOpen(): Promise<void> {
  const extension = vscode.extensions.getExtension<StartingGitExtension>("vscode.git");
  const git = await extension?.activate();
  const api = git?.enabled ? git.getAPI(1) : undefined;
  if (!api || api.state === "initialized") return;
  await new Promise<void>(resolve => {
    const listening = api.onDidChangeState(state => {
      if (state !== "initialized") return;
      listening.dispose();
      resolve();
    });
  });
}
