// A preview of restoring a checkpoint, as one multi-file diff.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import { visibleLine } from "../../base/lines.ts";
import type { RestorePlan } from "../restorePlanner.ts";
import { ReadOnlyTexts } from "../../editor/readOnlyTexts.ts";
import { hasTabTitle, openDiffs } from "../../editor/editorItems.ts";

export class CheckpointPreview implements Disposable {
  readonly #texts = new ReadOnlyTexts({
    scheme: "parley-checkpoint",
    maxTexts: 1000,
    placeholder: vscode.l10n.t("This preview is no longer available."),
  });

  /**
   * Opens the preview: the current files on the left, the files after the restore on the right. It begins with a list of
   * the files that stay as they are because their earlier content is unknown, and of those that are no text.
   */
  async open(title: string, { files, unknown }: Pick<RestorePlan, "files" | "unknown">): Promise<void> {
    const texts = files.filter(({ now, to }) => now !== undefined && to !== undefined);
    const resources = texts.map(({ path, now, to = "" }) => {
      const file = vscode.Uri.file(path);
      return [file, now === null ? undefined : file, to === null ? undefined : this.#texts.add(path, to)] as const;
    });
    const others = files.filter(file => !texts.includes(file));
    const notes = [
      ...section(vscode.l10n.t("Stay as they are, because their earlier content is unknown:"), unknown),
      ...section(
        vscode.l10n.t("Restored, but not shown, because they are no text:"),
        others.map(({ path }) => path),
      ),
    ].join("\n");
    const name = vscode.l10n.t("Other Files.txt");
    const note = notes === "" ? undefined : this.#texts.add(`/${name}`, `${notes}\n`);
    await openDiffs(title, note ? [[note, undefined, note], ...resources] : resources);
  }

  /** Closes the preview with that title, if it is open. */
  async close(title: string): Promise<void> {
    // Stable API does not expose the content of a multi-file diff.
    const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
    const own = tabs.filter(tab => hasTabTitle(tab, title) && !(tab.input instanceof vscode.TabInputText));
    if (own.length > 0) await vscode.window.tabGroups.close(own, true);
  }

  dispose(): void {
    this.#texts.dispose();
  }
}

const section = (title: string, paths: readonly string[]): readonly string[] =>
  paths.length === 0 ? [] : [title, ...paths.map(path => `  ${visibleLine(path)}`)];
