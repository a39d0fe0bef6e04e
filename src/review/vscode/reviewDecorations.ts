// Colours, gutter marks and ruler marks of the hunks in visible editors. Diff editors show changes themselves.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import { changedWords, type WordRange } from "../changedWords.ts";
import type { FileChanges, Hunk } from "../hunk.ts";
import type { Review, ReviewedFile } from "../review.ts";
import { hunkMarks, type HunkMark } from "../reviewPresentation.ts";
import { textLinesOf } from "../textLines.ts";

/** `top` and `bottom` are the lines that complete the box around a hunk. Most themes show no box. */
type DecorationKind = HunkMark["kind"] | "words" | "top" | "bottom";
type DecorationRanges = Readonly<Record<DecorationKind, readonly vscode.Range[]>>;

export class ReviewDecorations implements Disposable {
  readonly #review: Review;
  readonly #types: Readonly<Record<DecorationKind, vscode.TextEditorDecorationType>>;
  /** The content that each editor shows, so that only changes are set again. */
  readonly #shown = new Map<vscode.TextEditor, ReviewedFile>();
  /** For visible files. */
  readonly #words = new Map<string, ChangedWordsCache>();
  readonly #store = new DisposableStore();

  constructor(review: Review, extensionUri: vscode.Uri) {
    this.#review = review;
    this.#types = createDecorationTypes(extensionUri);
    for (const look of Object.values(this.#types)) this.#store.add(look);
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
      const file = isRegularEditor(editor) ? this.#review.file(editor.document.uri.fsPath) : undefined;
      if (file === this.#shown.get(editor)) continue;
      if (file) this.#shown.set(editor, file);
      else this.#shown.delete(editor);
      const plan = decorationRanges(file?.changes, file && this.#wordsIn(file));
      for (const look of Object.keys(this.#types) as DecorationKind[])
        editor.setDecorations(this.#types[look], plan[look]);
    }
  }

  #wordsIn({ path, changes }: ReviewedFile): (hunk: Hunk) => readonly WordRange[] {
    const words = this.#words.get(path) ?? new ChangedWordsCache();
    this.#words.set(path, words);
    return words.wordsIn(changes);
  }

  dispose(): void {
    this.#store.dispose();
    this.#shown.clear();
    this.#words.clear();
  }
}

/** Caches the changed words of each hunk, so that a keystroke in one hunk costs nothing for the others. */
class ChangedWordsCache {
  #known: ReadonlyMap<string, CachedWords> = new Map();

  wordsIn(changes: FileChanges): (hunk: Hunk) => readonly WordRange[] {
    const before = this.#known;
    const [base, text] = [textLinesOf(changes.base ?? ""), textLinesOf(changes.text ?? "")];
    const known = new Map<string, CachedWords>();
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

interface CachedWords {
  readonly old: string;
  readonly now: string;
  /** The first line of the hunk. */
  readonly first: number;
  readonly spans: readonly WordRange[];
}

/** Whether an editor shows a file on its own, not as the side of a diff and not inside another editor. */
function isRegularEditor({ document, viewColumn }: vscode.TextEditor): boolean {
  if (document.uri.scheme !== "file" || viewColumn === undefined) return false;
  const group = vscode.window.tabGroups.all.find(each => each.viewColumn === viewColumn);
  return !(group?.activeTab?.input instanceof vscode.TabInputTextDiff);
}

/** The ranges of each decoration type. */
export function decorationRanges(
  changes: FileChanges | undefined,
  words: (hunk: Hunk) => readonly WordRange[] = () => [],
): DecorationRanges {
  const shown = changes && changes.text !== null ? changes : undefined;
  const marks = shown ? hunkMarks(shown) : [];
  const linesAt = (from: number, to: number): vscode.Range => new vscode.Range(from, 0, to - 1, 0);
  const rangesOf = (wanted: HunkMark["kind"]): readonly vscode.Range[] =>
    marks.filter(({ kind }) => kind === wanted).map(({ from, to }) => linesAt(from, to));
  const boxed = marks.filter(({ kind }) => kind !== "removed");
  return {
    added: rangesOf("added"),
    changed: rangesOf("changed"),
    removed: rangesOf("removed"),
    words: (shown?.hunks ?? []).flatMap(words).map(({ line, from, to }) => new vscode.Range(line, from, line, to)),
    top: boxed.map(({ from }) => linesAt(from, from + 1)),
    bottom: boxed.map(({ to }) => linesAt(to - 1, to)),
  };
}

function createDecorationTypes(
  extensionUri: vscode.Uri,
): Readonly<Record<DecorationKind, vscode.TextEditorDecorationType>> {
  const colour = (id: string): vscode.ThemeColor => new vscode.ThemeColor(`parley.${id}`);
  const icon = (name: string, theme: "light" | "dark"): vscode.Uri =>
    vscode.Uri.joinPath(extensionUri, "media", "review", `${name}-${theme}.svg`);
  const type = (options: vscode.DecorationRenderOptions): vscode.TextEditorDecorationType =>
    vscode.window.createTextEditorDecorationType({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      ...options,
    });
  const lines = (name: string, ruler: string, options: vscode.DecorationRenderOptions) =>
    type({
      isWholeLine: true,
      overviewRulerColor: colour(ruler),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      light: { gutterIconPath: icon(name, "light") },
      dark: { gutterIconPath: icon(name, "dark") },
      ...options,
    });
  const border = (width: string, id = "hunkBorder"): vscode.DecorationRenderOptions => ({
    borderWidth: width,
    borderStyle: "solid",
    borderColor: colour(id),
  });
  const sides = border("0 1px");
  return {
    added: lines("added", "hunkAddedRuler", { ...sides, backgroundColor: colour("hunkAddedBackground") }),
    changed: lines("changed", "hunkChangedRuler", { ...sides, backgroundColor: colour("hunkChangedBackground") }),
    // Between two lines, at the position of the removed ones.
    removed: lines("removed", "hunkRemovedRuler", border("1px 0 0 0", "hunkRemovedBorder")),
    words: type({ ...border("1px", "hunkWordsBorder"), backgroundColor: colour("hunkWordsBackground") }),
    top: type({ isWholeLine: true, ...border("1px 0 0 0") }),
    bottom: type({ isWholeLine: true, ...border("0 0 1px 0") }),
  };
}
