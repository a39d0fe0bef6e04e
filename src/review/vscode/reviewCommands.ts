// The commands of a review. Tree menus pass their row, lenses pass a hunk, and line-number menus pass a line.
import * as vscode from "vscode";
import { isRecord } from "../../base/validators.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { intentHandlers } from "../../panel/intentHandlers.ts";
import type { ReviewedFile, ReviewTarget } from "../review.ts";
import type { ChangeRow, HunkLocation } from "../reviewPresentation.ts";
import type { FileLine, ReviewActions } from "./reviewActions.ts";
import type { ReviewTabs } from "./reviewTabs.ts";

type ReviewCommandId =
  | "parley.nextChange"
  | "parley.previousChange"
  | "parley.nextFile"
  | "parley.keepChange"
  | "parley.undoChange"
  | "parley.peekChange"
  | "parley.keepFile"
  | "parley.undoFile"
  | "parley.keepAllChanges"
  | "parley.undoAllChanges"
  | "parley.keepTurn"
  | "parley.undoTurn"
  | "parley.keepSessionChanges"
  | "parley.undoSessionChanges"
  | "parley.reviewChanges"
  | "parley.reviewTurn"
  | "parley.openFileDiff"
  | "parley.undoLastDecision"
  | "parley.openChange"
  | "parley.markFileReviewed"
  | "parley.markFileNotReviewed"
  | "parley.toggleFileReviewed";

/** The rows of the Changes view: the one that was clicked, and the files for which a key was pressed. */
export interface ChangesRows {
  clickedRow(): Promise<unknown>;
  filesForKey(): Promise<readonly ReviewedFile[]>;
}

/** Handlers of the commands of a review. */
export const reviewCommands = (
  actions: ReviewActions,
  tabs: Partial<Pick<ReviewTabs, "activeTurn">>,
  rows: ChangesRows,
): CommandHandlers<ReviewCommandId> => ({
  "parley.nextChange": from => actions.goToChange("next", asHunkLocation(from)),
  "parley.previousChange": from => actions.goToChange("previous", asHunkLocation(from)),
  "parley.nextFile": () => actions.goToNextFile(),
  "parley.keepChange": (at, ...diff) => actions.decideHunks("keep", asHunkLocation(at), asFileLine(at, ...diff)),
  "parley.undoChange": (at, ...diff) => actions.decideHunks("undo", asHunkLocation(at), asFileLine(at, ...diff)),
  "parley.peekChange": at => actions.peek(asHunkLocation(at), asFileLine(at)),
  "parley.keepFile": file => actions.decideFile("keep", asRow(file, "file") ?? asResourcePath(file)),
  "parley.undoFile": file => actions.decideFile("undo", asRow(file, "file") ?? asResourcePath(file)),
  "parley.keepAllChanges": () => actions.decide("keep", { kind: "all" }),
  "parley.undoAllChanges": () => actions.decide("undo", { kind: "all" }),
  "parley.keepTurn": turn => actions.decideTurn("keep", asRow(turn, "turn") ?? tabs.activeTurn),
  "parley.undoTurn": turn => actions.decideTurn("undo", asRow(turn, "turn") ?? tabs.activeTurn),
  "parley.keepSessionChanges": row => actions.decideSession("keep", asRow(row, "session")),
  "parley.undoSessionChanges": row => actions.decideSession("undo", asRow(row, "session")),
  "parley.reviewChanges": () => actions.review(),
  "parley.reviewTurn": turn => actions.reviewTurn(asRow(turn, "turn")),
  "parley.openFileDiff": file => actions.openDiff(asRow(file, "file")?.file.path),
  "parley.undoLastDecision": () => actions.undoLast(),
  "parley.markFileReviewed": file => actions.markReviewed(true, asRow(file, "file")),
  "parley.markFileNotReviewed": file => actions.markReviewed(false, asRow(file, "file")),
  "parley.toggleFileReviewed": async place => {
    if (place !== "changes") return actions.markReviewed(undefined);
    for (const file of new Set(await rows.filesForKey())) actions.markReviewed(undefined, file);
  },
  "parley.openChange": async (...args) => {
    const row = args.length === 0 ? await rows.clickedRow() : args[0];
    const place = asHunkLocation(row) ?? asRow(row, "file");
    if (place) await actions.open(place);
  },
});

/** Handlers of what the panel asks of a review. */
export const reviewIntents = (actions: ReviewActions) =>
  intentHandlers({
    reviewChanges: () => actions.review(),
    keepChanges: ({ path }) => actions.decide("keep", reviewTarget(path)),
    undoChanges: ({ path }) => actions.decide("undo", reviewTarget(path)),
  });

const reviewTarget = (path: string | undefined): ReviewTarget =>
  path === undefined ? { kind: "all" } : { kind: "file", path };

type Row<K extends ChangeRow["kind"]> = Extract<ChangeRow, { readonly kind: K }>;

function asRow<K extends ChangeRow["kind"]>(value: unknown, kind: K): Row<K> | undefined {
  return isRecord(value) && value["kind"] === kind ? (value as unknown as Row<K>) : undefined;
}

function asHunkLocation(value: unknown): HunkLocation | undefined {
  if (!isRecord(value) || typeof value["id"] !== "string") return undefined;
  const path = asRow(value, "hunk")?.file.path ?? value["path"];
  return typeof path === "string" ? { path, id: value["id"] } : undefined;
}

/** The path of a row of the source control view. */
function asResourcePath(value: unknown): string | undefined {
  return isRecord(value) && value["resourceUri"] instanceof vscode.Uri ? value["resourceUri"].fsPath : undefined;
}

/**
 * The arguments of the line-number menu, whose line is 1-based, or of an inline diff: the file, all its changes, and the
 * index of the change that is shown.
 */
function asFileLine(value: unknown, changes?: unknown, index?: unknown): FileLine | undefined {
  if (value instanceof vscode.Uri && Array.isArray(changes) && typeof index === "number") {
    const lines: unknown = changes[index];
    return isRecord(lines) ? linesOfInlineDiff(value.fsPath, lines) : undefined;
  }
  if (!isRecord(value) || !(value["uri"] instanceof vscode.Uri) || typeof value["lineNumber"] !== "number") return;
  return { path: value["uri"].fsPath, line: value["lineNumber"] - 1 };
}

/** The lines of a change in an inline diff. It has no end if lines were removed after its start. */
function linesOfInlineDiff(path: string, change: Readonly<Record<string, unknown>>): FileLine | undefined {
  const [start, end] = [change["modifiedStartLineNumber"], change["modifiedEndLineNumber"]];
  if (typeof start !== "number" || typeof end !== "number") return undefined;
  return end === 0 ? { path, line: start } : { path, line: start - 1, last: end - 1 };
}
