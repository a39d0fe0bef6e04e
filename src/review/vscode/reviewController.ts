// Combines all parts of the review in the editor: decorations, lenses, tree, badges, base documents, context keys.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { LateTreeView } from "../../editor/lateTreeView.ts";
import type { Review } from "../review.ts";
import { agentTurns, linesWithHunks } from "../reviewPresentation.ts";
import { BaseDocuments } from "./baseDocuments.ts";
import { ChangesTree, ReviewBadges, type RunsOf } from "./changesTree.ts";
import { whenRepositoriesAreOpen } from "../../git/vscode/gitExtension.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import { InlineDiffs } from "./inlineDiffs.ts";
import { LinkedReview } from "./linkedReview.ts";
import { ReviewActions } from "./reviewActions.ts";
import { ReviewDecorations } from "./reviewDecorations.ts";
import { ReviewLenses } from "./reviewLenses.ts";
import { ReviewTabs } from "./reviewTabs.ts";

export interface ReviewControllerOptions {
  readonly review: Review;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Shows a short message, also to screen readers. */
  readonly announce: (words: string) => void;
  /** When programs run a file, for a mark on it. */
  readonly runsOf: RunsOf;
  readonly changesView: LateTreeView;
}

export class ReviewController implements Disposable {
  readonly actions: ReviewActions;
  readonly tabs: ReviewTabs;
  readonly changesTree: ChangesTree;
  readonly #store = new DisposableStore();

  constructor({ extensionUri, log, announce, runsOf, changesView, ...options }: ReviewControllerOptions) {
    const review = this.#store.add(new LinkedReview(options.review, log));
    const bases = this.#store.add(new BaseDocuments(review, log));
    this.actions = new ReviewActions({ review, bases, announce });
    this.tabs = this.#store.add(new ReviewTabs(review, log));
    this.#store.add(new InlineDiffs(review, bases, whenRepositoriesAreOpen(log)));
    this.#store.add(new ReviewDecorations(review, extensionUri, log));
    this.#store.add(new ReviewLenses(review));
    this.#store.add(new ReviewBadges(review));
    this.changesTree = this.#store.add(new ChangesTree(review, runsOf));
    this.changesTree.show(changesView);
    const updateCursorContext = (): void =>
      setContextKey("parley.hunkAtCursor", (this.actions.hunksAtCursor()?.ids.length ?? 0) > 0);
    const updateEditorContext = (): void => {
      this.#updateFileContext();
      updateCursorContext();
    };
    const updateAll = (): void => {
      setContextKey("parley.hasChanges", review.files.length > 0);
      setContextKey("parley.hasTurns", agentTurns(review).length > 1);
      // In VS Code's spelling, for `resourcePath`.
      setContextKey(
        "parley.reviewedPaths",
        review.openPaths.map(path => vscode.Uri.file(path).fsPath),
      );
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
    setContextKey("parley.fileIsReviewed", file?.isReviewed ?? false);
    setContextKey(
      "parley.hunkLines",
      file && side === "text" ? linesWithHunks(file.changes).map(line => line + 1) : [],
    );
  }

  dispose(): void {
    this.#store.dispose();
    for (const key of [
      "hasChanges",
      "hasTurns",
      "fileHasChanges",
      "fileHasHunks",
      "fileIsReviewed",
      "hunkAtCursor",
    ] as const)
      setContextKey(`parley.${key}`, false);
    for (const key of ["hunkLines", "reviewedPaths"] as const) setContextKey(`parley.${key}`, []);
  }
}
