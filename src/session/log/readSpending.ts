// What the turns of a stored session have used. Most lines of a log are texts and tool calls. They matter only because an
// agent that has answered already may have a cost of earlier work, so a line that repeats this is not even parsed.
import type { Log } from "../../base/log.ts";
import type { LoggedEvent } from "../events.ts";
import type { SessionState } from "../state.ts";
import { readEvents } from "./openLog.ts";
import { replayInSlices } from "./replay.ts";
import { parseLogLine, sessionFileName, type LogStorage } from "./sessionStore.ts";

export interface ReadSpendingOptions {
  readonly storage: Pick<LogStorage, "readSlice">;
  readonly session: string;
  readonly log: Log;
}

/** What the turns in the log have used, the same as in the state of the session. Undefined if there is no log. */
export async function readSpending(options: ReadSpendingOptions): Promise<SessionState["spending"] | undefined> {
  const { storage, session, log } = options;
  const read = await readEvents(storage, sessionFileName(session), 0, newParser());
  return read && (await replayInSlices(read.events, log)).state.spending;
}

/** Parses the lines of one log, but for those that cannot change what turns have used. */
function newParser(): (line: string) => LoggedEvent | undefined {
  const known = new Set([terminalOutput]);
  return line => {
    const key = contentKey(line);
    if (key !== undefined && known.has(key)) return undefined;
    const logged = parseLogLine(line);
    if (logged && key !== undefined) known.add(key);
    return logged;
  };
}

const terminalOutput = "terminalOutput";
const head = String.raw`^\{"seq":\d+,"at":[\d.]+,"event":\{"type":`;
const typeOfLine = new RegExp(`${head}"(tool|toolChunk|terminalOutput)"`);
/** A text that is not empty, because an empty one adds no message. */
const textOfAgent = new RegExp(
  `${head}${String.raw`"messageChunk","author":("(?:agent|thought)","messageId":"(?:[^"\\]|\\.)*"),"content":\{"type":"text","text":"[^"]`}`,
);

/**
 * What the line adds to the conversation: a tool call, output, or a message by its id. Lines with the same key add no
 * more. Undefined for a line that can change something else.
 */
function contentKey(line: string): string | undefined {
  const type = typeOfLine.exec(line)?.[1];
  if (type !== undefined) return type === terminalOutput ? type : "tool";
  return textOfAgent.exec(line)?.[1];
}
