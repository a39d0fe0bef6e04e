// The words and symbols of the messages in the inspector.
import type { InspectorFault, InspectorRow } from "../../src/panel/inspectorPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { formatSize, t } from "../base/l10n.ts";

/** What is wrong with a message, as a sentence. */
export function faultSentence({ kind, name = "" }: InspectorFault): string {
  switch (kind) {
    case "unknownMethod":
      return t("The protocol has no method “{0}”.", visibleText(name));
    case "wrongSide":
      return t("The protocol has this method for the other side only.");
    case "isNoRequest":
      return t("The protocol has this method as a notification, but the message has an ID.");
    case "isNoNotification":
      return t("The protocol has this method as a request, but the message has no ID.");
    case "unknownUpdate":
      return t("The protocol has no session update “{0}”.", visibleText(name));
    case "missingField":
      return t("The required field “{0}” is missing.", visibleText(name));
    case "noResult":
      return t("The answer has neither a result nor an error.");
    case "notMessage":
      return t("This line of the agent's output is not a message.");
    case "duplicateId":
      return t("An earlier request with this ID was still waiting for its answer.");
    case "noRequest":
      return t("No request was waiting for this answer.");
    case "noAnswer":
      return t("This request was never answered.");
    default:
      kind satisfies never;
      return "";
  }
}

/** Where a message comes from. */
export function directionName(dir: InspectorRow["dir"]): string {
  switch (dir) {
    case "c>a":
      return t("To agent");
    case "a>c":
      return t("From agent");
    case "err":
      return t("Error output");
    case "out":
      return t("Output");
    case "note":
      return t("Note");
    default:
      dir satisfies never;
      return "";
  }
}

/** The codicon of the direction. */
export const directionIcon = (dir: InspectorRow["dir"]): string =>
  dir === "c>a" ? "arrow-right" : dir === "a>c" ? "arrow-left" : dir === "note" ? "note" : "terminal";

/** The method, and what kind of message it is. */
export function messageName({ dir, kind, method, update }: InspectorRow): string {
  const name = visibleText(update === undefined ? method : `${method} ${update}`);
  if (kind === "text") return directionName(dir);
  if (kind !== "answer") return name;
  return name === "" ? t("Answer") : t("Answer to {0}", name);
}

/** A time in milliseconds as text: 12.4 → "12 ms", 1234 → "1.23 s". */
export const timeText = (ms: number): string =>
  ms < 1000 ? t("{0} ms", ms < 10 ? ms : Math.round(ms)) : t("{0} s", (ms / 1000).toFixed(ms < 10_000 ? 2 : 1));

/** The seconds since the start of the connection. */
export const startTimeText = (ms: number): string => (ms / 1000).toFixed(3);

/** A row in words, for screen readers. */
export function rowLabel(row: InspectorRow): string {
  const { dir, id, session, wait, bytes, isError, faults } = row;
  return [
    directionName(dir),
    ...(row.kind === "text" ? [] : [messageName(row)]),
    ...(isError ? [t("Error")] : []),
    ...(faults ? [faults.map(faultSentence).join(" ")] : []),
    ...(id === undefined ? [] : [t("ID {0}", visibleText(id))]),
    ...(session === undefined ? [] : [t("Session {0}", visibleText(session))]),
    ...(wait === undefined ? [] : [t("Answered after {0}", timeText(wait))]),
    formatSize(bytes),
  ].join(", ");
}
