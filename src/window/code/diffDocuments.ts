// Opens the diff of a tool call in VS Code's diff editor, from the texts that the agent reported. A diff of only the
// changed lines is shown within its file, or else without line numbers.
import { basename } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { sessionRoots } from "../../editor/folders.ts";
import { ReadOnlyTexts } from "../../editor/readOnlyTexts.ts";
import { wholeTexts } from "../../files/fragmentLines.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import type { Documents } from "../../files/ports.ts";
import { shownContent } from "../../session/fileNotes.ts";
import type { FileDiff, SessionState } from "../../session/state.ts";
import { openDiff } from "../../editor/editorItems.ts";

/** The two sides of a diff editor. `numbered`: their lines have the numbers that they have in the file. */
interface DiffSides {
  readonly before: string;
  readonly after: string;
  readonly numbered: boolean;
}

export class DiffDocuments implements Disposable {
  readonly #documents: Pick<Documents, "read">;
  readonly #log: Log;
  readonly #texts: ReadOnlyTexts;

  constructor(documents: Pick<Documents, "read">, log: Log, scheme = "parley-diff") {
    this.#documents = documents;
    this.#log = log;
    const placeholder = vscode.l10n.t("This diff is no longer available. Open it again from the chat.");
    this.#texts = new ReadOnlyTexts({ scheme, maxTexts: 200, placeholder });
  }

  /** Opens the diff at content item `part` of the entry. Does nothing if that is not a diff. */
  async open(state: SessionState, entryId: string, part: number): Promise<void> {
    const entry = state.entries.get(entryId);
    const item = entry?.kind === "tool" ? shownContent(entry)[part] : undefined;
    if (item?.type !== "diff") return;
    const { before, after, numbered } = await this.#sides(item, state.workspaceFolder);
    const left = this.#texts.add(item.path, before);
    const right = this.#texts.add(item.path, after);
    const title = vscode.l10n.t("{0} (agent's change)", basename(item.path));
    await openDiff(left, right, title, { preview: true });
    if (numbered) return;
    const sides = [left, right].map(uri => uri.toString());
    for (const editor of vscode.window.visibleTextEditors) {
      if (!sides.includes(editor.document.uri.toString())) continue;
      editor.options = { lineNumbers: vscode.TextEditorLineNumbersStyle.Off };
    }
  }

  async #sides(item: FileDiff, workspaceFolder: string): Promise<DiffSides> {
    const { path, oldText = "", newText, line, deleted } = item;
    const reported = { before: oldText, after: deleted ? "" : newText };
    if (oldText === "" || deleted || line === 1) return { ...reported, numbered: true };
    const text = line === undefined ? undefined : await this.#textOf(path, workspaceFolder);
    const whole = text === undefined || line === undefined ? undefined : wholeTexts(text, { oldText, newText }, line);
    return whole ? { ...whole, numbered: true } : { ...reported, numbered: false };
  }

  /** The text of a file inside the session's folders. Undefined if it cannot be read. */
  async #textOf(path: string, workspaceFolder: string): Promise<string | undefined> {
    const roots = sessionRoots(workspaceFolder).filter(root => root !== "");
    const confinement = new Confinement(nodePaths(), roots);
    try {
      const located = await confinement.locate(path);
      if (!located.inside) return undefined;
      const text = await this.#documents.read(located.path);
      const now = await confinement.locate(path);
      return now.inside && now.key === located.key ? text : undefined;
    } catch (error) {
      this.#log.debug("The file of a diff could not be read.", asError(error).message);
      return undefined;
    }
  }

  dispose(): void {
    this.#texts.dispose();
  }
}
