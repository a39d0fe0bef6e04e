// A preview of restoring a checkpoint, as one multi-file diff.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import type { FileRestore } from "../checkpoints.ts";
import { ReadOnlyTexts } from "../../editor/readOnlyTexts.ts";

export class CheckpointPreview implements Disposable {
  readonly #texts = new ReadOnlyTexts({
    scheme: "parley-checkpoint",
    maxTexts: 1000,
    placeholder: vscode.l10n.t("This preview is no longer available."),
  });

  /** Opens the preview: the current files on the left, the files after the restore on the right. */
  async open(title: string, files: readonly FileRestore[]): Promise<void> {
    const resources = files.map(({ path, now, to }) => {
      const file = vscode.Uri.file(path);
      return [file, now === null ? undefined : file, to === null ? undefined : this.#texts.add(path, to)];
    });
    await vscode.commands.executeCommand("vscode.changes", title, resources);
  }

  /** Closes the preview with that title, if it is open. */
  async close(title: string): Promise<void> {
    // Stable API does not expose the content of a multi-file diff. VS Code appends the number of files to its title.
    const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
    const own = tabs.filter(
      ({ label, input }) =>
        (label === title || label.startsWith(`${title} (`)) && !(input instanceof vscode.TabInputText),
    );
    if (own.length > 0) await vscode.window.tabGroups.close(own, true);
  }

  dispose(): void {
    this.#texts.dispose();
  }
}
