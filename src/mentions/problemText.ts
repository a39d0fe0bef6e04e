// A problem of the editor as text for people and agents.
import { indentLines, visibleLine } from "../base/lines.ts";

export interface ShownProblem {
  /** The file, the line and the column. */
  readonly place: string;
  readonly severity: string;
  /** Language servers repeat texts of files in it. */
  readonly message: string;
  /** The program and its number for the problem. */
  readonly from: string;
}

/** "src/a.ts:3:5 error: … (ts 2304)". Further lines of the message are indented, so that none looks like a problem. */
export function problemText({ place, severity, message, from }: ShownProblem): string {
  const words = indentLines(message.trim(), "    ").trimStart();
  return `${visibleLine(place)} ${severity}: ${words}${from === "" ? "" : ` (${visibleLine(from)})`}`;
}
