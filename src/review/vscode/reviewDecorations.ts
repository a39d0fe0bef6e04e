// Colours, gutter and ruler marks of the hunks in the editors in sight. Diff editors show changes by themselves.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import { changedWords, type Span } from "../changedWords.ts";
import type { FileChanges, Hunk } from "../hunk.ts";
import type { Review, ReviewedFile } from "../review.ts";
import { marksOf, type Mark } from "../reviewPresentation.ts";
import { linesOf } from "../textLines.ts";

type Look = Mark["kind"] | "words";
type Plan = Readonly<Record<Look, readonly vscode.Range[]>>;

export class ReviewDecorations implements Disposable {
  readonly #review: Review;
  readonly #looks: Readonly<Record<Look, vscode.TextEditorDecorationType>>;
  /** What each editor shows, so that only what changed is set again. */
  readonly #shown = new Map<vscode.TextEditor, ReviewedFile>();
  /** Of the files in sight. */
  readonly #words = new Map<string, WordsOfFile>();
  readonly #store = new DisposableStore();

  constructor(review: Review, extensionUri: vscode.Uri) {
    this.#review = review;
    this.#looks = looks(extensionUri);
    for (const look of Object.values(this.#looks)) this.#store.add(look);
    this.#store.add(review.onDidChange(() => this.#update()));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#update()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#update()));
    this.#update();
  }

  #update(): void {
    const editors = vscode.window.visibleTextEditors;
    for (const editor of this.#shown.keys()) if (!editors.includes(editor)) this.#shown.delete(editor);
    const inSight = new Set([...this.#shown.values()].map(({ path }) => path));
    for (const path of this.#words.keys()) if (!inSight.has(path)) this.#words.delete(path);
    for (const editor of editors) {
      const file = isPlain(editor) ? this.#review.file(editor.document.uri.fsPath) : undefined;
      if (file === this.#shown.get(editor)) continue;
      if (file) this.#shown.set(editor, file);
      else this.#shown.delete(editor);
      const plan = planOf(file?.changes, file && this.#wordsIn(file));
      for (const look of Object.keys(this.#looks) as Look[]) editor.setDecorations(this.#looks[look], plan[look]);
    }
  }

  #wordsIn({ path, changes }: ReviewedFile): (hunk: Hunk) => readonly Span[] {
    const words = this.#words.get(path) ?? new WordsOfFile();
    this.#words.set(path, words);
    return words.in(changes);
  }

  dispose(): void {
    this.#store.dispose();
    this.#shown.clear();
    this.#words.clear();
  }
}

/** Remembers the words of each hunk, so that a keystroke in one costs nothing for the others. */
class WordsOfFile {
  #known: ReadonlyMap<string, KnownWords> = new Map();

  in(changes: FileChanges): (hunk: Hunk) => readonly Span[] {
    const before = this.#known;
    const [base, text] = [linesOf(changes.base ?? ""), linesOf(changes.text ?? "")];
    const known = new Map<string, KnownWords>();
    this.#known = known;
    return hunk => {
      const [old, now] = [base.slice(hunk.base), text.slice(hunk.text)];
      const same = before.get(hunk.id);
      const first = hunk.text.from;
      const spans =
        same?.old === old && same.now === now
          ? same.spans.map(span => ({ ...span, line: span.line - same.first + first }))
          : changedWords(changes, hunk).text;
      known.set(hunk.id, { old, now, first, spans });
      return spans;
    };
  }
}

interface KnownWords {
  readonly old: string;
  readonly now: string;
  /** The line the hunk began at. */
  readonly first: number;
  readonly spans: readonly Span[];
}

/** An editor of a file by itself: no side of a diff, and none inside something else. */
function isPlain({ document, viewColumn }: vscode.TextEditor): boolean {
  if (document.uri.scheme !== "file" || viewColumn === undefined) return false;
  const group = vscode.window.tabGroups.all.find(each => each.viewColumn === viewColumn);
  return !(group?.activeTab?.input instanceof vscode.TabInputTextDiff);
}

/** Which ranges get which look. */
export function planOf(changes: FileChanges | undefined, words: (hunk: Hunk) => readonly Span[] = () => []): Plan {
  const marks = changes && changes.text !== null ? marksOf(changes) : [];
  const those = (wanted: Mark["kind"]): readonly vscode.Range[] =>
    marks.filter(({ kind }) => kind === wanted).map(({ from, to }) => new vscode.Range(from, 0, to - 1, 0));
  const pieces = changes && changes.text !== null ? changes.hunks.flatMap(words) : [];
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
