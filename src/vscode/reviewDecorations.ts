// Colours, gutter and ruler marks of the hunks in the editors in sight. Diff editors show changes by themselves.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../base/lifecycle.ts";
import type { FileChanges, Hunk } from "../workspace/changes.ts";
import type { Review, ReviewedFile } from "../workspace/review.ts";
import { marksOf, type Mark } from "../workspace/reviewPlan.ts";

/** A piece of a line, in characters. */
export interface Words {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

export interface DecorationOptions {
  readonly review: Review;
  readonly extensionUri: vscode.Uri;
  /** What changed within the lines of a hunk. */
  readonly words: (changes: FileChanges, hunk: Hunk) => readonly Words[];
}

type Look = Mark["kind"] | "words";
type Plan = Readonly<Record<Look, readonly vscode.Range[]>>;

export class ReviewDecorations implements Disposable {
  readonly #options: DecorationOptions;
  readonly #looks: Readonly<Record<Look, vscode.TextEditorDecorationType>>;
  /** What each editor shows, so that only what changed is set again. */
  readonly #shown = new Map<vscode.TextEditor, ReviewedFile>();
  readonly #store = new DisposableStore();

  constructor(options: DecorationOptions) {
    this.#options = options;
    this.#looks = looks(options.extensionUri);
    for (const look of Object.values(this.#looks)) this.#store.add(look);
    this.#store.add(options.review.onDidChange(() => this.#update()));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#update()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#update()));
    this.#update();
  }

  #update(): void {
    const editors = vscode.window.visibleTextEditors;
    for (const editor of this.#shown.keys()) if (!editors.includes(editor)) this.#shown.delete(editor);
    for (const editor of editors) {
      const file = isPlain(editor) ? this.#options.review.file(editor.document.uri.fsPath) : undefined;
      if (file === this.#shown.get(editor)) continue;
      if (file) this.#shown.set(editor, file);
      else this.#shown.delete(editor);
      const plan = planOf(file?.changes, this.#options.words);
      for (const look of Object.keys(this.#looks) as Look[]) editor.setDecorations(this.#looks[look], plan[look]);
    }
  }

  dispose(): void {
    this.#store.dispose();
    this.#shown.clear();
  }
}

/** An editor of a file by itself: no side of a diff, and none inside something else. */
function isPlain({ document, viewColumn }: vscode.TextEditor): boolean {
  if (document.uri.scheme !== "file" || viewColumn === undefined) return false;
  const group = vscode.window.tabGroups.all.find(each => each.viewColumn === viewColumn);
  return !(group?.activeTab?.input instanceof vscode.TabInputTextDiff);
}

/** Which ranges get which look. */
export function planOf(changes: FileChanges | undefined, words: DecorationOptions["words"]): Plan {
  const marks = changes && changes.text !== null ? marksOf(changes) : [];
  const those = (wanted: Mark["kind"]): readonly vscode.Range[] =>
    marks.filter(({ kind }) => kind === wanted).map(({ from, to }) => new vscode.Range(from, 0, to - 1, 0));
  const pieces = changes?.hunks.flatMap(hunk => words(changes, hunk)) ?? [];
  return {
    added: those("added"),
    changed: those("changed"),
    removed: those("removed"),
    words: pieces.map(({ line, from, to }) => new vscode.Range(line, from, line, to)),
  };
}

function looks(extensionUri: vscode.Uri): Readonly<Record<Look, vscode.TextEditorDecorationType>> {
  const colour = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);
  const icon = (name: string, theme: "light" | "dark"): vscode.Uri =>
    vscode.Uri.joinPath(extensionUri, "media", "review", `${name}-${theme}.svg`);
  const lines = (name: string, ruler: string, options: vscode.DecorationRenderOptions) =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      overviewRulerColor: colour(`editorOverviewRuler.${ruler}`),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      light: { gutterIconPath: icon(name, "light") },
      dark: { gutterIconPath: icon(name, "dark") },
      ...options,
    });
  const tinted = { backgroundColor: colour("diffEditor.insertedLineBackground") };
  // Between two lines, where the removed ones were.
  const edge = {
    borderWidth: "1px 0 0 0",
    borderStyle: "solid",
    borderColor: colour("editorOverviewRuler.deletedForeground"),
  };
  return {
    added: lines("added", "addedForeground", tinted),
    changed: lines("changed", "modifiedForeground", tinted),
    removed: lines("removed", "deletedForeground", edge),
    words: vscode.window.createTextEditorDecorationType({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      backgroundColor: colour("diffEditor.insertedTextBackground"),
    }),
  };
}
