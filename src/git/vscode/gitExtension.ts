// VS Code's git extension: waits for it, and gives access to its repositories.
import * as vscode from "vscode";
import { withTimeout } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";

/** A repository, as far as it is used here. */
export interface EditorRepository {
  readonly rootUri: vscode.Uri;
  /** The box of the commit message in the Source Control view. */
  readonly inputBox: { value: string };
  readonly ui: { readonly selected: boolean };
}

/** The part of the extension's API that is used here. */
export interface GitExtensionApi {
  readonly state: "uninitialized" | "initialized";
  readonly onDidChangeState: vscode.Event<string>;
  readonly git: { readonly path: string };
  readonly repositories: readonly EditorRepository[];
}

/** What the extension exports. */
interface GitExtension {
  /** False if the user turned git off. There is no API then. */
  readonly enabled: boolean;
  getAPI(version: 1): GitExtensionApi;
}

/** The longest time to wait for repositories (ms). */
const maxWait = 10_000;

/** Resolves when the git extension has opened the repositories of the workspace, or doesn't do so. Never rejects. */
export async function whenRepositoriesAreOpen(log: Log): Promise<void> {
  try {
    await withTimeout(gitApi().then(repositoriesAreOpen), maxWait, () => undefined);
  } catch (thrown) {
    log.warn("The git extension could not be started.", asError(thrown).message);
  }
}

/** The API of the git extension. Undefined if it is missing or turned off. Rejects if it cannot be started. */
export async function gitApi(): Promise<GitExtensionApi | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const git = await extension?.activate();
  return git?.enabled ? git.getAPI(1) : undefined;
}

async function repositoriesAreOpen(api: GitExtensionApi | undefined): Promise<void> {
  if (!api || api.state === "initialized") return;
  await new Promise<void>(resolve => {
    const listening = api.onDidChangeState(state => {
      if (state !== "initialized") return;
      listening.dispose();
      resolve();
    });
  });
}
