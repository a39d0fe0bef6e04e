// The log of a long conversation: 10,000 updates with 400 messages, 600 tool calls and 100 diffs.
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { SessionEvent, ToolContent } from "../../src/session/events.ts";
import { SessionWriter, type TextStorage } from "../../src/session/log/sessionStore.ts";
import { answerOf, cut } from "./answer.ts";

const updates = 10_000;
const turns = 200;
const toolsOfTurn = 3;
/** Prompt sent and accepted, running, prompt, idle. */
const ofTurn = 5;
/** Started and completed. */
const ofTool = 2;
const chunkLength = 16;
export const lastWords = "That is the end of the long conversation.";

/** Writes it as the session's own log. Resolves when it is on disk. */
export async function writeLongSession(storage: TextStorage, session: string, cwd: string): Promise<void> {
  const writer = new SessionWriter({ storage, session, isNew: true, clock: systemClock, log: nullLog });
  const began = Date.now() - 10_000_000;
  for (const [seq, event] of events(cwd).entries()) writer.write({ seq, at: began + seq * 100, event });
  await writer.flush();
}

function events(cwd: string): readonly SessionEvent[] {
  const chunks = updates - turns * (ofTurn + toolsOfTurn * ofTool);
  const each = Math.floor(chunks / turns);
  const all: SessionEvent[] = [
    { type: "opened", agent: "demo", agentName: "Demo Agent", cwd },
    { type: "connection", state: "ready" },
  ];
  for (let n = 0; n < turns; n++) all.push(...turn(n, cwd, n === turns - 1 ? chunks - each * (turns - 1) : each));
  return all;
}

function turn(n: number, cwd: string, chunks: number): readonly SessionEvent[] {
  const content = [{ type: "text" as const, text: `Prompt ${n}: have a look at part ${n}, and change what is wrong.` }];
  const last = n === turns - 1 ? lastWords : "";
  const text = answerOf(chunks * chunkLength - last.length) + last;
  return [
    { type: "promptSent", submission: `s${n}`, content },
    { type: "activity", state: "running" },
    { type: "promptAccepted", submission: `s${n}`, messageId: `u${n}` },
    { type: "message", author: "user", messageId: `u${n}`, content },
    ...Array.from({ length: toolsOfTurn }, (_, i) => tool(n, i, cwd)).flat(),
    ...cut(text, chunkLength).map(text => ({
      type: "messageChunk" as const,
      author: "agent" as const,
      messageId: `a${n}`,
      content: { type: "text" as const, text },
    })),
    { type: "activity", state: "idle", stopReason: "end_turn" },
  ];
}

function tool(n: number, i: number, cwd: string): readonly SessionEvent[] {
  const toolCallId = `t${n}-${i}`;
  const path = `${cwd}/src/part${n}.js`;
  const hasDiff = i === 2 && n % 2 === 0;
  const kind = hasDiff ? "edit" : "read";
  const title = `${hasDiff ? "Edit" : "Read"} part${n}.js`;
  const text = answerOf(600);
  const content: readonly ToolContent[] = hasDiff
    ? [{ type: "diff", path, oldText: source(n, "before"), newText: source(n, "after") }]
    : [{ type: "content", content: { type: "text", text } }];
  return [
    {
      type: "tool",
      toolCallId,
      patch: { title, kind, status: "in_progress", locations: [{ path }], rawInput: { path } },
    },
    { type: "tool", toolCallId, patch: { status: "completed", content } },
  ];
}

const source = (n: number, when: string): string =>
  Array.from({ length: 60 }, (_, line) =>
    line % 20 === 7 ? `  return "${when} ${n} ${line}";` : `  const value${line} = compute(${line}, "part ${n}");`,
  ).join("\n");
