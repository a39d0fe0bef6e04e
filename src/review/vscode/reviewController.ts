// Combines all parts of the review in the editor: decorations, lenses, tree, badges, base documents, context keys.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { Review } from "../review.ts";
import { linesWithHunks } from "../reviewPresentation.ts";
import { BaseDocuments } from "./baseDocuments.ts";
import { ChangesTree, ReviewBadges } from "./changesTree.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import { ReviewActions } from "./reviewActions.ts";
import { ReviewDecorations } from "./reviewDecorations.ts";
import { ReviewLenses } from "./reviewLenses.ts";

export interface ReviewControllerOptions {
  readonly review: Review;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Shows a short message, also to screen readers. */
  readonly announce: (words: string) => void;
}

export class ReviewController implements Disposable {
  readonly actions: ReviewActions;
  readonly #store = new DisposableStore();

  constructor({ review, extensionUri, log, announce }: ReviewControllerOptions) {
    const bases = this.#store.add(new BaseDocuments(review, log));
    this.actions = new ReviewActions({ review, bases, announce });
    this.#store.add(new ReviewDecorations(review, extensionUri));
    this.#store.add(new ReviewLenses(review));
    this.#store.add(new ReviewBadges(review));
    this.#store.add(new ChangesTree(review)).show();
    const updateCursorContext = (): void =>
      setContextKey("parley.hunkAtCursor", (this.actions.hunksAtCursor()?.ids.length ?? 0) > 0);
    const updateEditorContext = (): void => {
      this.#updateFileContext();
      updateCursorContext();
    };
    const updateAll = (): void => {
      setContextKey("parley.hasChanges", review.files.length > 0);
      setContextKey("parley.hasTurns", review.turns.length > 1);
      updateEditorContext();
    };
    this.#store.add(review.onDidChange(updateAll));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(updateEditorContext));
    this.#store.add(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) updateCursorContext();
      }),
    );
    updateAll();
  }

  #updateFileContext(): void {
    const { file, side } = this.actions.fileInEditor() ?? {};
    const hunks = file?.changes.hunks ?? [];
    setContextKey("parley.fileHasChanges", file !== undefined);
    setContextKey("parley.fileHasHunks", hunks.length > 0);
    setContextKey(
      "parley.hunkLines",
      file && side === "text" ? linesWithHunks(file.changes).map(line => line + 1) : [],
    );
  }

  dispose(): void {
    this.#store.dispose();
    for (const key of ["hasChanges", "hasTurns", "fileHasChanges", "fileHasHunks", "hunkAtCursor"] as const)
      setContextKey(`parley.${key}`, false);
    setContextKey("parley.hunkLines", []);
  }
}
