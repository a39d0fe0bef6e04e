// The commands of a review. Tree menus pass their row, lenses pass a hunk, and line-number menus pass a line.
import * as vscode from "vscode";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { ReviewTarget } from "../review.ts";
import type { ChangeRow, FileRow, HunkRow, HunkLocation, TurnRow } from "../reviewPresentation.ts";
import type { FileLine, ReviewActions } from "./reviewActions.ts";

type ReviewCommandId =
  | "parley.nextChange"
  | "parley.previousChange"
  | "parley.keepChange"
  | "parley.undoChange"
  | "parley.peekChange"
  | "parley.keepFile"
  | "parley.undoFile"
  | "parley.keepAllChanges"
  | "parley.undoAllChanges"
  | "parley.keepTurn"
  | "parley.undoTurn"
  | "parley.reviewChanges"
  | "parley.reviewTurn"
  | "parley.openFileDiff"
  | "parley.undoLastDecision"
  | "parley.openChange";

/** Handlers of the commands of a review. */
export const reviewCommands = (actions: ReviewActions): CommandHandlers<ReviewCommandId> => ({
  "parley.nextChange": from => actions.goToChange("next", asHunkLocation(from)),
  "parley.previousChange": from => actions.goToChange("previous", asHunkLocation(from)),
  "parley.keepChange": at => actions.decideHunks("keep", asHunkLocation(at), asFileLine(at)),
  "parley.undoChange": at => actions.decideHunks("undo", asHunkLocation(at), asFileLine(at)),
  "parley.peekChange": at => actions.peek(asHunkLocation(at), asFileLine(at)),
  "parley.keepFile": file => actions.decideFile("keep", asRow(file, "file")),
  "parley.undoFile": file => actions.decideFile("undo", asRow(file, "file")),
  "parley.keepAllChanges": () => actions.decide("keep", { kind: "all" }),
  "parley.undoAllChanges": () => actions.decide("undo", { kind: "all" }),
  "parley.keepTurn": turn => actions.decideTurn("keep", asRow(turn, "turn")),
  "parley.undoTurn": turn => actions.decideTurn("undo", asRow(turn, "turn")),
  "parley.reviewChanges": () => actions.review(),
  "parley.reviewTurn": turn => actions.reviewTurn(asRow(turn, "turn")),
  "parley.openFileDiff": file => actions.openDiff(asRow(file, "file")?.file.path),
  "parley.undoLastDecision": () => actions.undoLast(),
  "parley.openChange": row => {
    const place = asHunkLocation(row) ?? asRow(row, "file");
    return place && actions.open(place);
  },
});

/** Handlers of what the panel asks of a review. */
export const reviewIntents = (
  actions: ReviewActions,
): IntentHandlers<"reviewChanges" | "keepChanges" | "undoChanges"> => ({
  reviewChanges: () => actions.review(),
  keepChanges: ({ path }) => actions.decide("keep", reviewTarget(path)),
  undoChanges: ({ path }) => actions.decide("undo", reviewTarget(path)),
});

const reviewTarget = (path: string | undefined): ReviewTarget =>
  path === undefined ? { kind: "all" } : { kind: "file", path };

type Row<K extends ChangeRow["kind"]> = K extends "turn" ? TurnRow : K extends "file" ? FileRow : HunkRow;

function asRow<K extends ChangeRow["kind"]>(value: unknown, kind: K): Row<K> | undefined {
  return isRecord(value) && value["kind"] === kind ? (value as unknown as Row<K>) : undefined;
}

function asHunkLocation(value: unknown): HunkLocation | undefined {
  if (!isRecord(value) || typeof value["id"] !== "string") return undefined;
  const path = asRow(value, "hunk")?.file.path ?? value["path"];
  return typeof path === "string" ? { path, id: value["id"] } : undefined;
}

/** The argument of the line-number menu, which is 1-based. */
function asFileLine(value: unknown): FileLine | undefined {
  if (!isRecord(value) || !(value["uri"] instanceof vscode.Uri) || typeof value["lineNumber"] !== "number") return;
  return { path: value["uri"].fsPath, line: value["lineNumber"] - 1 };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
