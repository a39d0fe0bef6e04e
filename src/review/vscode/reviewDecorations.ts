// Colours, gutter marks and ruler marks of the hunks in visible editors. Diff editors show changes themselves.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Work } from "../../base/lineDiff.ts";
import type { Log } from "../../base/log.ts";
import { changedWords, type WordRange } from "../changedWords.ts";
import { defaultSlices, furtherSlices, inSlices, type Slices } from "../fileComparisons.ts";
import type { FileChanges } from "../hunk.ts";
import type { Review, ReviewedFile } from "../review.ts";
import { hunkMarks, type HunkMark } from "../reviewPresentation.ts";
import { textLinesOf } from "../textLines.ts";

/** `top` and `bottom` are the lines that complete the box around a hunk. Most themes show no box. */
type DecorationKind = HunkMark["kind"] | "words" | "top" | "bottom";

/** More hunks are marked a moment after the review has changed. */
const maxHunksAtOnce = 200;

export class ReviewDecorations implements Disposable {
  readonly #review: Review;
  readonly #log: Log;
  readonly #slices: Slices;
  readonly #types: Readonly<Record<DecorationKind, vscode.TextEditorDecorationType>>;
  /** The content that each editor shows, so that only changes are set again. */
  readonly #shown = new Map<vscode.TextEditor, ReviewedFile>();
  /** For visible files. */
  readonly #words = new Map<string, ChangedWordsCache>();
  readonly #store = new DisposableStore();

  constructor(review: Review, extensionUri: vscode.Uri, log: Log, slices = defaultSlices) {
    this.#review = review;
    this.#log = log;
    this.#slices = slices;
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
      // The other surfaces of the review are updated at the same time.
      const decorate = (file?.changes.hunks.length ?? 0) > maxHunksAtOnce ? furtherSlices : inSlices;
      decorate(this.#decorate(editor, file), this.#slices, () => this.#shown.get(editor) === file).catch(
        (thrown: unknown) => this.#log.error("The changes in an editor could not be marked.", asError(thrown).stack),
      );
    }
  }

  /** Thousands of hunks are decorated in pieces: their lines first, then their words. */
  *#decorate(editor: vscode.TextEditor, file: ReviewedFile | undefined): Work<void> {
    for (const [look, ranges] of Object.entries(decoratedLines(file?.changes))) {
      editor.setDecorations(this.#types[look as keyof DecoratedLines], ranges);
      yield ranges.length;
    }
    const words = file && (yield* this.#wordsOf(file).in(file.changes));
    editor.setDecorations(
      this.#types.words,
      (words ?? []).map(({ line, from, to }) => new vscode.Range(line, from, line, to)),
    );
  }

  #wordsOf({ path }: ReviewedFile): ChangedWordsCache {
    const words = this.#words.get(path) ?? new ChangedWordsCache();
    this.#words.set(path, words);
    return words;
  }

  dispose(): void {
    this.#store.dispose();
    this.#shown.clear();
    this.#words.clear();
  }
}

/** Caches the changed words of each hunk, so that a keystroke in one hunk costs nothing for the others. */
class ChangedWordsCache {
  readonly #known = new Map<string, CachedWords>();

  /** The words of all hunks, in the lines of the text. */
  *in(changes: FileChanges): Work<readonly WordRange[]> {
    if (changes.text === null) return [];
    const [base, text] = [textLinesOf(changes.base ?? ""), textLinesOf(changes.text)];
    const words: WordRange[] = [];
    for (const hunk of changes.hunks) {
      const [old, now] = [base.slice(hunk.base), text.slice(hunk.text)];
      const same = this.#known.get(hunk.id);
      const first = hunk.text.from;
      const spans =
        same?.old === old && same.now === now
          ? same.spans.map(span => ({ ...span, line: span.line - same.first + first }))
          : changedWords(changes, hunk).text;
      this.#known.set(hunk.id, { old, now, first, spans });
      words.push(...spans);
      yield 1;
    }
    const ids = new Set(changes.hunks.map(({ id }) => id));
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
    return words;
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

type DecoratedLines = Readonly<Record<Exclude<DecorationKind, "words">, readonly vscode.Range[]>>;

/** The ranges of each decoration type of lines. */
export function decoratedLines(changes: FileChanges | undefined): DecoratedLines {
  const marks = changes && changes.text !== null ? hunkMarks(changes) : [];
  const linesAt = (from: number, to: number): vscode.Range => new vscode.Range(from, 0, to - 1, 0);
  const rangesOf = (wanted: HunkMark["kind"]): readonly vscode.Range[] =>
    marks.filter(({ kind }) => kind === wanted).map(({ from, to }) => linesAt(from, to));
  const boxed = marks.filter(({ kind }) => kind !== "removed");
  return {
    added: rangesOf("added"),
    changed: rangesOf("changed"),
    removed: rangesOf("removed"),
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
