// The text before the agent's changes as a source of VS Code's inline diffs: the marks beside line numbers, and the view
// below a change with its removed lines. Only a source control can provide such texts, so there is one while changes
// wait for review. It lists them, too.
import { parse } from "node:path";
import * as vscode from "vscode";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { FileRow } from "../reviewPresentation.ts";
import { GivenAnswers } from "../givenAnswers.ts";
import type { Review, ReviewedFile } from "../review.ts";
import type { BaseDocuments } from "./baseDocuments.ts";

export class InlineDiffs implements Disposable {
  readonly #review: Review;
  readonly #bases: Pick<BaseDocuments, "baseUri">;
  readonly #store = new DisposableStore();
  #control: vscode.SourceControl | undefined;
  #group: vscode.SourceControlResourceGroup | undefined;
  readonly #answers = new GivenAnswers();
  #listed: readonly unknown[] = [];

  /** @param ready VS Code shows the first source control in the status bar, so the repositories come before this one. */
  constructor(review: Review, bases: Pick<BaseDocuments, "baseUri">, ready: Promise<void> = Promise.resolve()) {
    this.#review = review;
    this.#bases = bases;
    void ready.then(() => this.#start());
  }

  #start(): void {
    if (this.#store.isDisposed) return;
    this.#store.add(this.#review.onDidChange(() => this.#update()));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#answers.forget(uri.toString())));
    this.#update();
  }

  /** The text before the changes of a file that has an inline diff. */
  originalOf(uri: vscode.Uri): vscode.Uri | undefined {
    const file = this.#fileWithDiff(uri);
    return file && this.#bases.baseUri(file.path);
  }

  #fileWithDiff({ scheme, fsPath }: vscode.Uri): ReviewedFile | undefined {
    const file = scheme === "file" ? this.#review.file(fsPath) : undefined;
    return file && hasInlineDiff(file) ? file : undefined;
  }

  dispose(): void {
    this.#store.dispose();
    this.#control?.dispose();
    this.#control = undefined;
  }

  #update(): void {
    const { files } = this.#review;
    if (files.length === 0) {
      this.#control?.dispose();
      this.#control = undefined;
      this.#listed = [];
      this.#answers.clear();
      return;
    }
    if (!this.#control) this.#create();
    this.#list(files);
    this.#updateDiffs();
  }

  #create(): void {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    // The root is above every repository: so the status bar keeps showing the repository of the active editor, whose
    // root is nearer. Without a root, the diff of the repository would come first in the editor.
    const root = folder?.scheme === "file" ? vscode.Uri.file(parse(folder.fsPath).root) : undefined;
    this.#control = vscode.scm.createSourceControl("parley", "Parley", root);
    this.#control.inputBox.visible = false;
    // The view of changes has a badge of its own.
    this.#control.count = 0;
    this.#group = this.#control.createResourceGroup("changes", vscode.l10n.t("Changes to Review"));
    this.#group.hideWhenEmpty = true;
  }

  /** Lists the files. Their hunks are not listed, so a keystroke changes nothing. */
  #list(files: readonly ReviewedFile[]): void {
    const listed = files.map(({ path, changes, unknown }) => [path, changes.text === null, unknown]);
    if (!this.#group || jsonEqual(listed, this.#listed)) return;
    this.#listed = listed;
    this.#group.resourceStates = files.map(resourceState);
  }

  /**
   * VS Code asks again for the text before a change only if the provider is new. It closes an open inline diff then, so the
   * provider is replaced only if an answer is no longer true. VS Code asks by itself when a document is first shown.
   */
  #updateDiffs(): void {
    const control: { quickDiffProvider?: vscode.QuickDiffProvider | undefined } | undefined = this.#control;
    if (!control) return;
    const isOutdated = this.#answers.isOutdated(uri => this.#fileWithDiff(vscode.Uri.parse(uri, true)) !== undefined);
    if (control.quickDiffProvider && !isOutdated) return;
    this.#answers.clear();
    control.quickDiffProvider = undefined;
    control.quickDiffProvider = { provideOriginalResource: uri => this.#answer(uri) };
  }

  #answer(uri: vscode.Uri): vscode.Uri | undefined {
    const original = this.originalOf(uri);
    this.#answers.given(uri.toString(), original !== undefined);
    return original;
  }
}

/** Whether both sides exist. A new file has no earlier lines, and a deleted file has no editor. */
const hasInlineDiff = ({ changes, unknown }: ReviewedFile): boolean =>
  unknown === undefined && changes.base !== null && changes.text !== null;

function resourceState(file: ReviewedFile): vscode.SourceControlResourceState {
  const { path, changes, unknown, added, removed } = file;
  const row: FileRow = { kind: "file", file, hunks: changes.hunks, added, removed };
  const command = unknown === undefined ? "parley.openFileDiff" : "parley.openChange";
  return {
    resourceUri: vscode.Uri.file(path),
    command: { command, title: vscode.l10n.t("Open Change"), arguments: [row] },
    decorations: { strikeThrough: changes.text === null, ...(unknown !== undefined && { tooltip: unknown }) },
    contextValue: unknown === undefined ? "file" : "unknownFile",
  };
}
