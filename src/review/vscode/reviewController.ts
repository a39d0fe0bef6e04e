// Everything the editor shows of a review, put together: decorations, lenses, tree, badges, base documents, context keys.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { Review } from "../review.ts";
import { linesWithHunks } from "../reviewPresentation.ts";
import { BaseDocuments } from "./baseDocuments.ts";
import { ChangesTree, ReviewBadges } from "./changesTree.ts";
import { setContext } from "../../editor/contextKeys.ts";
import { ReviewActions } from "./reviewActions.ts";
import { ReviewDecorations } from "./reviewDecorations.ts";
import { ReviewLenses } from "./reviewLenses.ts";

export interface ReviewUiOptions {
  readonly review: Review;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Says something in passing, to screen readers too. */
  readonly say: (words: string) => void;
}

export class ReviewUi implements Disposable {
  readonly actions: ReviewActions;
  readonly #store = new DisposableStore();

  constructor({ review, extensionUri, log, say }: ReviewUiOptions) {
    const bases = this.#store.add(new BaseDocuments(review, log));
    this.actions = new ReviewActions({ review, bases, say });
    this.#store.add(new ReviewDecorations(review, extensionUri));
    this.#store.add(new ReviewLenses(review));
    this.#store.add(new ReviewBadges(review));
    this.#store.add(new ChangesTree(review)).show();
    const atCursor = (): void => setContext("parley.hunkAtCursor", (this.actions.hunksAtCursor()?.ids.length ?? 0) > 0);
    const inEditor = (): void => {
      this.#tellOfEditor();
      atCursor();
    };
    const all = (): void => {
      setContext("parley.hasChanges", review.files.length > 0);
      setContext("parley.hasTurns", review.turns.length > 1);
      inEditor();
    };
    this.#store.add(review.onDidChange(all));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(inEditor));
    this.#store.add(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) atCursor();
      }),
    );
    all();
  }

  #tellOfEditor(): void {
    const { file, side } = this.actions.fileInEditor() ?? {};
    const hunks = file?.changes.hunks ?? [];
    setContext("parley.fileHasChanges", file !== undefined);
    setContext("parley.fileHasHunks", hunks.length > 0);
    setContext("parley.hunkLines", file && side === "text" ? linesWithHunks(file.changes).map(line => line + 1) : []);
  }

  dispose(): void {
    this.#store.dispose();
    for (const key of ["hasChanges", "hasTurns", "fileHasChanges", "fileHasHunks", "hunkAtCursor"] as const)
      setContext(`parley.${key}`, false);
    setContext("parley.hunkLines", []);
  }
}
