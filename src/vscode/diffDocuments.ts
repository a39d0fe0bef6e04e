// Opens a tool call's diff in VS Code's own diff editor, from the texts the agent reported.
import { basename } from "node:path";
import * as vscode from "vscode";
import type { Disposable } from "../base/lifecycle.ts";
import { shownContent } from "../session/fileNotes.ts";
import type { SessionState } from "../session/state.ts";

const scheme = "parley-diff";
/** Diffs kept readable for open editors; the oldest goes first. */
const maxTexts = 100;

export class DiffDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.query) ?? vscode.l10n.t("This diff is no longer kept. Open it again from the chat.");
  }

  /** Opens the diff that is the content item `part` of the entry. Nothing happens when there is none. */
  async open(state: SessionState, entryId: string, part: number): Promise<void> {
    const entry = state.entries.get(entryId);
    const item = entry?.kind === "tool" ? shownContent(entry)[part] : undefined;
    if (item?.type !== "diff") return;
    const key = `${++this.#count}`;
    const left = this.#document(item.path, `${key}-before`, item.oldText ?? "");
    const right = this.#document(item.path, `${key}-after`, item.deleted ? "" : item.newText);
    const title = vscode.l10n.t("{0} (agent's change)", basename(item.path));
    await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true });
  }

  #document(path: string, key: string, text: string): vscode.Uri {
    this.#texts.set(key, text);
    for (const old of this.#texts.keys()) {
      if (this.#texts.size <= maxTexts) break;
      this.#texts.delete(old);
    }
    // The path gives the editor its language.
    return vscode.Uri.from({ scheme, path: vscode.Uri.file(path).path, query: key });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#texts.clear();
  }
}
