// Opens the diff of a tool call in VS Code's diff editor, from the texts that the agent reported.
import { basename } from "node:path";
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import { shownContent } from "../../session/fileNotes.ts";
import type { SessionState } from "../../session/state.ts";
import { ReadOnlyTexts } from "../../editor/readOnlyTexts.ts";

export class DiffDocuments implements Disposable {
  readonly #texts = new ReadOnlyTexts({
    scheme: "parley-diff",
    maxTexts: 200,
    placeholder: vscode.l10n.t("This diff is no longer available. Open it again from the chat."),
  });

  /** Opens the diff at content item `part` of the entry. Does nothing if that is not a diff. */
  async open(state: SessionState, entryId: string, part: number): Promise<void> {
    const entry = state.entries.get(entryId);
    const item = entry?.kind === "tool" ? shownContent(entry)[part] : undefined;
    if (item?.type !== "diff") return;
    const left = this.#texts.add(item.path, item.oldText ?? "");
    const right = this.#texts.add(item.path, item.deleted ? "" : item.newText);
    const title = vscode.l10n.t("{0} (agent's change)", basename(item.path));
    await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true });
  }

  dispose(): void {
    this.#texts.dispose();
  }
}
