// A recording's sessions as a panel paints them at their end, for the play page and the tests of the panel.
import { readFileSync } from "node:fs";
import type { View } from "../../../src/panel/protocol.ts";
import type { TrafficRecord } from "../../../src/acp/trafficRecorder.ts";
import { replay } from "./replay.ts";
import { processesOf } from "./transcript.ts";

/** The final state of one session in a recording. */
export interface PaintedSession {
  /** The agent's id of the session. */
  readonly session: string;
  readonly view: View;
}

/** Replays a recording (one {t, dir, msg | text} per line) through the real stack; rejects if it is invalid. */
export async function paintedSessions(file: string): Promise<readonly PaintedSession[]> {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const records = lines.map(line => JSON.parse(line) as TrafficRecord);
  const painted: PaintedSession[] = [];
  for (const process of processesOf(records)) {
    const replayed = await replay(agentOf(file), process);
    try {
      for (const { id, played } of replayed.sessions) painted.push({ session: id, view: played.view });
    } finally {
      replayed.dispose();
    }
  }
  return painted;
}

/** The folder names the agent: test/transcripts/gemini/tools.ndjson. */
const agentOf = (file: string): string => file.split(/[\\/]/).at(-2) ?? "agent";
