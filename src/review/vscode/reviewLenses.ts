// The actions of a hunk, above it: as CodeLens, or as links on hover if the user has turned CodeLens off.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Review, ReviewedFile } from "../review.ts";
import { hunksBetween, hunkLenses, type HunkLens, type HunkLocation } from "../reviewPresentation.ts";
import { codeLens, commandHover } from "../../editor/editorItems.ts";

/** If a file has more hunks, only those near the lines in sight have actions: VS Code asks for all of them at once. */
const maxHunks = 300;
/** The number of hunks before and after the lines in sight that have actions, too. */
const hunksAround = 100;
/** New actions are provided before fewer hunks than this have some on either side. */
const minHunksAround = 30;

/** Lines of a document, both inclusive. */
interface Lines {
  readonly from: number;
  readonly to: number;
}

interface LensAction {
  readonly title: string;
  readonly command:
    | "parley.keepChange"
    | "parley.undoChange"
    | "parley.peekChange"
    | "parley.commentOnLines"
    | "parley.nextChange";
}

export class ReviewLenses implements vscode.CodeLensProvider, vscode.HoverProvider, Disposable {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  /** Where the lines in sight can be until other hunks need actions. Only for documents with many hunks. */
  readonly #enough = new WeakMap<vscode.TextDocument, readonly Lines[]>();
  readonly #store = new DisposableStore();

  constructor(review: Review) {
    this.#review = review;
    this.#store.add(this.#changed);
    this.#store.add(review.onDidChange(() => this.#changed.fire()));
    this.#store.add(
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        const enough = this.#enough.get(textEditor.document);
        const { from, to } = linesInSight(textEditor);
        if (enough && !enough.some(lines => lines.from <= from && to <= lines.to)) this.#changed.fire();
      }),
    );
    this.#store.add(vscode.languages.registerCodeLensProvider({ scheme: "file" }, this));
    this.#store.add(vscode.languages.registerHoverProvider({ scheme: "file" }, this));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const file = this.#review.file(document.uri.fsPath);
    this.#enough.delete(document);
    if (!file) return [];
    return this.#nearby(document, hunkLenses(file.changes)).flatMap(lens => {
      const stop: HunkLocation = { path: file.path, id: lens.id };
      const at = new vscode.Range(lens.line, 0, lens.line, 0);
      const actions = lensActions(file, lens).map(({ title, command }) =>
        codeLens(at, { title, command, arguments: [stop] }),
      );
      // A lens without a command is plain text.
      const position = codeLens(at, { title: positionText(lens), command: "" });
      return lens.count > 1 ? [...actions, position] : actions;
    });
  }

  /** The lenses near the lines in sight, or all if there are few. */
  #nearby(document: vscode.TextDocument, all: readonly HunkLens[]): readonly HunkLens[] {
    if (all.length <= maxHunks) return all;
    const editors = vscode.window.visibleTextEditors.filter(editor => editor.document === document);
    const shown = editors.length > 0 ? editors.map(linesInSight) : [{ from: 0, to: 0 }];
    const nearby = new Set<HunkLens>();
    const enough: Lines[] = [];
    for (const { from, to } of shown) {
      const first = all.filter(({ line }) => line < from).length;
      const last = all.filter(({ line }) => line <= to).length - 1;
      for (const lens of all.slice(Math.max(0, first - hunksAround), last + 1 + hunksAround)) nearby.add(lens);
      const around = hunksAround - minHunksAround;
      enough.push({ from: all[first - around]?.line ?? 0, to: all[last + around]?.line ?? Infinity });
    }
    this.#enough.set(document, enough);
    return [...nearby];
  }

  provideHover(document: vscode.TextDocument, { line }: vscode.Position): vscode.Hover | undefined {
    if (vscode.workspace.getConfiguration("editor", document).get("codeLens") !== false) return undefined;
    const file = this.#review.file(document.uri.fsPath);
    const hunk = file && hunksBetween(file.changes, line, line)[0];
    const lens = hunk && hunkLenses(file.changes).find(({ id }) => id === hunk.id);
    if (!lens) return undefined;
    const stop: HunkLocation = { path: file.path, id: lens.id };
    const links = lensActions(file, lens).map(action => ({ ...action, arguments: [stop] }));
    const position = lens.count > 1 ? ` (${positionText(lens)})` : "";
    return commandHover(`${vscode.l10n.t("Changed by the agent")}${position}:`, links);
  }

  dispose(): void {
    this.#store.dispose();
  }
}

const linesInSight = ({ visibleRanges }: vscode.TextEditor): Lines => ({
  from: visibleRanges[0]?.start.line ?? 0,
  to: visibleRanges.at(-1)?.end.line ?? 0,
});

const positionText = ({ position, count }: HunkLens): string => vscode.l10n.t("{0} of {1}", position, count);

/** The title of the lens that peeks at the earlier lines. Undefined if the hunk has none. */
function peekTitle({ added, removed }: HunkLens): string | undefined {
  if (removed === 0) return undefined;
  if (added > 0)
    return removed === 1 ? vscode.l10n.t("1 line changed · Peek") : vscode.l10n.t("{0} lines changed · Peek", removed);
  return removed === 1 ? vscode.l10n.t("1 line removed · Peek") : vscode.l10n.t("{0} lines removed · Peek", removed);
}

function lensActions({ changes }: ReviewedFile, lens: HunkLens): readonly LensAction[] {
  const peek = changes.base === null ? undefined : peekTitle(lens);
  return [
    { title: vscode.l10n.t("Keep"), command: "parley.keepChange" },
    { title: vscode.l10n.t("Undo"), command: "parley.undoChange" },
    ...(peek === undefined ? [] : [{ title: peek, command: "parley.peekChange" } as const]),
    { title: vscode.l10n.t("Comment"), command: "parley.commentOnLines" },
    { title: vscode.l10n.t("Next"), command: "parley.nextChange" },
  ];
}
