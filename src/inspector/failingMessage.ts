// The message at which a failure that the chat shows began.
import type { InspectorRow } from "../panel/inspectorPage.ts";
import type { MessageIndex } from "./messageIndex.ts";

/** The requests that a session without an ID has sent. */
const openingMethods: ReadonlySet<string> = new Set([
  ...["initialize", "authenticate"],
  ...["session/new", "session/load", "session/resume", "session/fork"],
]);

/**
 * The number of the latest request of Parley that failed, or of its answer: an error, an answer that is not as the protocol
 * defines it, or a request that was never answered. `session` is the agent's ID, undefined if the session did not open. If none
 * of the session failed: a request of it that waits for its answer, then a failure of no session. After the end of the session's
 * connection: the last row. Undefined: the failure is not among these messages.
 */
export function failingMessage(index: MessageIndex, session: string | undefined): number | undefined {
  const isOwn = (row: InspectorRow): boolean =>
    session === undefined ? openingMethods.has(row.method) : row.session === session;
  const ranks: readonly ((row: InspectorRow) => boolean)[] = [
    row => isOwn(row) && isFailure(row),
    row => isOwn(row) && isWaiting(row),
    row => (row.session === undefined || session === undefined) && isFailure(row),
  ];
  let [best, found]: [number, number | undefined] = [ranks.length, undefined];
  for (let number = index.end - 1; number >= index.first && best > 0; number--) {
    const row = index.rowAt(number);
    const rank = row ? ranks.findIndex(fits => fits(row)) : -1;
    if (rank >= 0 && rank < best) [best, found] = [rank, number];
  }
  const hasSession = session === undefined || index.sessions.has(session);
  return found ?? (index.isEnded && hasSession && index.end > index.first ? index.end - 1 : undefined);
}

/** Of a request of Parley. Errors that Parley answers to the agent are none. */
function isFailure({ dir, kind, isError, faults = [], other }: InspectorRow): boolean {
  if (dir === "a>c" && kind === "answer") return isError === true || (other !== undefined && faults.length > 0);
  return dir === "c>a" && faults.some(({ kind: fault }) => fault === "noAnswer");
}

const isWaiting = ({ dir, kind, other }: InspectorRow): boolean =>
  dir === "c>a" && kind === "request" && other === undefined;
