// The actions of a hunk, above it: as CodeLens, or as links on hover if the user has turned CodeLens off.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Review, ReviewedFile } from "../review.ts";
import { hunksBetween, hunkLenses, type HunkLens, type HunkLocation } from "../reviewPresentation.ts";

interface LensAction {
  readonly title: string;
  readonly command: "parley.keepChange" | "parley.undoChange" | "parley.peekChange" | "parley.nextChange";
}

export class ReviewLenses implements vscode.CodeLensProvider, vscode.HoverProvider, Disposable {
  readonly #review: Review;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #store = new DisposableStore();

  constructor(review: Review) {
    this.#review = review;
    this.#store.add(this.#changed);
    this.#store.add(review.onDidChange(() => this.#changed.fire()));
    this.#store.add(vscode.languages.registerCodeLensProvider({ scheme: "file" }, this));
    this.#store.add(vscode.languages.registerHoverProvider({ scheme: "file" }, this));
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const file = this.#review.file(uri.fsPath);
    if (!file) return [];
    return hunkLenses(file.changes).flatMap(lens => {
      const stop: HunkLocation = { path: file.path, id: lens.id };
      const at = new vscode.Range(lens.line, 0, lens.line, 0);
      const actions = lensActions(file, lens).map(
        ({ title, command }) => new vscode.CodeLens(at, { title, command, arguments: [stop] }),
      );
      // A lens without a command is plain text.
      const position = new vscode.CodeLens(at, { title: positionText(lens), command: "" });
      return lens.count > 1 ? [...actions, position] : actions;
    });
  }

  provideHover(document: vscode.TextDocument, { line }: vscode.Position): vscode.Hover | undefined {
    if (vscode.workspace.getConfiguration("editor", document).get("codeLens") !== false) return undefined;
    const file = this.#review.file(document.uri.fsPath);
    const hunk = file && hunksBetween(file.changes, line, line)[0];
    const lens = hunk && hunkLenses(file.changes).find(({ id }) => id === hunk.id);
    if (!lens) return undefined;
    const actions = lensActions(file, lens);
    const args = encodeURIComponent(JSON.stringify([{ path: file.path, id: lens.id } satisfies HunkLocation]));
    const links = actions.map(({ title, command }) => `[${title}](command:${command}?${args})`);
    const position = lens.count > 1 ? ` (${positionText(lens)})` : "";
    const words = new vscode.MarkdownString(
      `${vscode.l10n.t("Changed by the agent")}${position}: ${links.join(" | ")}`,
    );
    words.isTrusted = { enabledCommands: actions.map(({ command }) => command) };
    return new vscode.Hover(words);
  }

  dispose(): void {
    this.#store.dispose();
  }
}

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
    { title: vscode.l10n.t("Next"), command: "parley.nextChange" },
  ];
}
