// Moves a file: one that a tab shows in the editor, so that the tab follows, and any other one on disk.
import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { Refusal } from "../../base/errors.ts";
import { quotePath } from "../../base/text.ts";
import { waitForEvent, withFileLock } from "../../editor/openDocuments.ts";
import { readFileState } from "../fileState.ts";
import { nodePaths } from "../nodePaths.ts";
import { isOtherSpelling } from "../otherSpelling.ts";
import { Confinement } from "../paths.ts";
import { shownPaths } from "./shownPaths.ts";
import { checkInside, refuseUnsaved } from "./stateSteps.ts";

/** How long to wait until the tab of a moved file has its new path (ms). */
const maxTabWait = 2000;

/** What a move did. */
export interface FileMove {
  /** The outermost folder that was created. */
  readonly created: string | undefined;
  /** Resolves when the tab of the file has its new path, or after a while. The extension host learns of it later. */
  readonly shown: Promise<void>;
}

/** Moves a file within these folders. Rejects with a Refusal if that is not possible. */
export async function moveFile(roots: readonly string[], from: string, to: string): Promise<FileMove> {
  const confinement = new Confinement(nodePaths(), roots);
  const uris = [vscode.Uri.file(from), vscode.Uri.file(to)] as const;
  // A link is moved itself, and is not followed.
  const step = { before: undefined, after: undefined, state: { kind: "missing" } } as const;
  for (const path of [from, to]) await checkInside(confinement, { path, ...step }, () => false);
  return withFileLock(uris, async () => {
    if ((await readFileState(to, 0))?.kind !== "missing" && !(await isOtherSpelling(from, to))) {
      const words = vscode.l10n.t("{0} exists, so {1} was not moved there.", quotePath(to), quotePath(from));
      throw new Refusal("failed", words, { path: from });
    }
    const created = await mkdir(dirname(to), { recursive: true });
    if (!shownPaths().has(from)) {
      await rename(from, to);
      return { created, shown: Promise.resolve() };
    }
    // VS Code would ask whether to save the text while the tab gets its new path.
    refuseUnsaved(from);
    // The tab moves with the file. An edit of the workspace would do that, too, but Ctrl+Z in the file would undo it.
    await vscode.workspace.fs.rename(...uris, { overwrite: false });
    const isShown = (): boolean => shownPaths().has(to);
    const shown = isShown()
      ? Promise.resolve()
      : waitForEvent(vscode.window.tabGroups.onDidChangeTabs, isShown, maxTabWait);
    return { created, shown };
  });
}
