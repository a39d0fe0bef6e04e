// What going back to a checkpoint would change, as one multi-file diff.
import * as vscode from "vscode";
import type { Disposable } from "../base/lifecycle.ts";
import type { FileRestore } from "../workspace/checkpoints.ts";

const scheme = "parley-checkpoint";
/** Texts kept readable for open previews; the oldest go first. */
const maxTexts = 1000;

export class CheckpointPreview implements vscode.TextDocumentContentProvider, Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.query) ?? vscode.l10n.t("This preview is no longer kept.");
  }

  /** Opens the preview: the files as they are on the left, as they would be on the right. */
  async open(title: string, files: readonly FileRestore[]): Promise<void> {
    const resources = files.map(({ path, now, to }) => {
      const file = vscode.Uri.file(path);
      return [file, now === null ? undefined : file, to === null ? undefined : this.#document(file, to)];
    });
    await vscode.commands.executeCommand("vscode.changes", title, resources);
  }

  /** Closes the preview of that title, if it is open. */
  async close(title: string): Promise<void> {
    // Stable API does not tell what a multi-file diff shows; VS Code adds the number of files to its title.
    const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
    const own = tabs.filter(
      ({ label, input }) =>
        (label === title || label.startsWith(`${title} (`)) && !(input instanceof vscode.TabInputText),
    );
    if (own.length > 0) await vscode.window.tabGroups.close(own, true);
  }

  #document(file: vscode.Uri, text: string): vscode.Uri {
    const key = `${++this.#count}`;
    this.#texts.set(key, text);
    for (const old of this.#texts.keys()) {
      if (this.#texts.size <= maxTexts) break;
      this.#texts.delete(old);
    }
    // The path gives the editor its language.
    return file.with({ scheme, query: key });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#texts.clear();
  }
}
