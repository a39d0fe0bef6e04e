// The decorations of agents at work: their positions, their edits as they fade, and their names beside them.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import { clampLines } from "../agentLocations.ts";
import { editFadeSteps, type FollowMark } from "../followMarks.ts";

const editColours = ["parley.followEdit", "parley.followEditFading", "parley.followEditFaded"] as const;

/** Creates the decoration types once, and applies marks to editors. */
export class FollowDecorations implements Disposable {
  readonly #read = lineDecoration("parley.followRead");
  readonly #edits = editColours.slice(0, editFadeSteps).map(colour => lineDecoration(colour));
  readonly #name = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  /** The marks that each editor shows, so that unchanged decorations are not set again. */
  readonly #painted = new WeakMap<vscode.TextEditor, string>();

  /** Replaces the editor's marks. */
  paint(editor: vscode.TextEditor, marks: readonly FollowMark[], nameOf: (who: string) => string): void {
    const { lineCount, version } = editor.document;
    const placed = marks.map(mark => ({ ...mark, ...clampLines(mark.lines, lineCount), name: nameOf(mark.who) }));
    // A change of the text may move decorations, so the same lines of another version are painted again.
    const signature = placed.length === 0 ? "" : JSON.stringify([version, placed]);
    if (signature === (this.#painted.get(editor) ?? "")) return;
    this.#painted.set(editor, signature);
    const rangesOf = (step: number | undefined): vscode.Range[] =>
      placed.filter(mark => mark.step === step).map(({ first, last }) => new vscode.Range(first, 0, last, 0));
    editor.setDecorations(this.#read, rangesOf(undefined));
    this.#edits.forEach((type, step) => editor.setDecorations(type, rangesOf(step)));
    const names = new Map<number, Set<string>>();
    for (const { named, first, name } of placed) {
      if (named) names.set(first, (names.get(first) ?? new Set()).add(name));
    }
    editor.setDecorations(
      this.#name,
      [...names].map(([line, of]) => nameDecoration(editor.document, line, [...of].join(", "))),
    );
  }

  dispose(): void {
    for (const type of [this.#read, ...this.#edits, this.#name]) type.dispose();
  }
}

function lineDecoration(colour: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(colour),
    overviewRulerColor: new vscode.ThemeColor(colour),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

function nameDecoration(document: vscode.TextDocument, line: number, name: string): vscode.DecorationOptions {
  const { end } = document.lineAt(line).range;
  const color = new vscode.ThemeColor("parley.followName");
  return {
    range: new vscode.Range(end, end),
    renderOptions: { after: { contentText: name, color, fontStyle: "italic", margin: "0 0 0 2em" } },
  };
}
