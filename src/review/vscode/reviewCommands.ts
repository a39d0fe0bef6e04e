// The commands of a review. Menus of the tree hand them their row, lenses a hunk, line numbers a line.
import * as vscode from "vscode";
import type { ChangeRow, FileRow, HunkRow, HunkLocation, TurnRow } from "../reviewPresentation.ts";
import type { FileLine, ReviewActions } from "./reviewActions.ts";

type Command = (actions: ReviewActions, args: readonly unknown[]) => Promise<void> | void;

/** Every command of a review by its id. */
export const reviewCommands = {
  "parley.nextChange": (actions, [from]) => actions.goToChange("next", asHunkLocation(from)),
  "parley.previousChange": (actions, [from]) => actions.goToChange("previous", asHunkLocation(from)),
  "parley.keepChange": (actions, [at]) => actions.decideHunks("keep", asHunkLocation(at), asFileLine(at)),
  "parley.undoChange": (actions, [at]) => actions.decideHunks("undo", asHunkLocation(at), asFileLine(at)),
  "parley.peekChange": (actions, [at]) => actions.peek(asHunkLocation(at), asFileLine(at)),
  "parley.keepFile": (actions, [file]) => actions.decideFile("keep", asRow(file, "file")),
  "parley.undoFile": (actions, [file]) => actions.decideFile("undo", asRow(file, "file")),
  "parley.keepAllChanges": actions => actions.decide("keep", { kind: "all" }),
  "parley.undoAllChanges": actions => actions.decide("undo", { kind: "all" }),
  "parley.keepTurn": (actions, [turn]) => actions.decideTurn("keep", asRow(turn, "turn")),
  "parley.undoTurn": (actions, [turn]) => actions.decideTurn("undo", asRow(turn, "turn")),
  "parley.reviewChanges": actions => actions.review(),
  "parley.reviewTurn": (actions, [turn]) => actions.reviewTurn(asRow(turn, "turn")),
  "parley.openFileDiff": (actions, [file]) => actions.openDiff(asRow(file, "file")?.file.path),
  "parley.undoLastDecision": actions => actions.undoLast(),
  "parley.openChange": (actions, [row]) => {
    const place = asHunkLocation(row) ?? asRow(row, "file");
    return place && actions.open(place);
  },
} satisfies Record<string, Command> as Readonly<Record<string, Command>>;

type Row<K extends ChangeRow["kind"]> = K extends "turn" ? TurnRow : K extends "file" ? FileRow : HunkRow;

function asRow<K extends ChangeRow["kind"]>(value: unknown, kind: K): Row<K> | undefined {
  return isRecord(value) && value["kind"] === kind ? (value as unknown as Row<K>) : undefined;
}

function asHunkLocation(value: unknown): HunkLocation | undefined {
  if (!isRecord(value) || typeof value["id"] !== "string") return undefined;
  const path = asRow(value, "hunk")?.file.path ?? value["path"];
  return typeof path === "string" ? { path, id: value["id"] } : undefined;
}

/** What the menu of line numbers hands over; it counts from 1. */
function asFileLine(value: unknown): FileLine | undefined {
  if (!isRecord(value) || !(value["uri"] instanceof vscode.Uri) || typeof value["lineNumber"] !== "number") return;
  return { path: value["uri"].fsPath, line: value["lineNumber"] - 1 };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
