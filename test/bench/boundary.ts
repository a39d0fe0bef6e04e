// The bytes sent from the extension host to the panel while an answer streams, through the real projection, patches and
// channel, with a clock that the benchmark advances.
import { jsonEqual } from "../../src/base/jsonEqual.ts";
import { PanelChannel, minFlushInterval } from "../../src/panel/panelChannel.ts";
import { appendToLast, applyViewPatches, diffViews, type SharedView } from "../../src/panel/patch.ts";
import type { HostMessage, View } from "../../src/panel/protocol.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import { reduce } from "../../src/session/reduce.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { answerOf, cut } from "./answer.ts";
import { chunk, fold } from "./model.ts";
import { kB, median, type Report } from "./report.ts";
import { emptyHead } from "../support/fakes/heads.ts";

const answerBytes = 100_000;
const chunkLength = 12;
/** The number of entries in the panel beforehand. */
const before = 300;
/** The maximum of bytes sent per byte of text, at the pace below. */
const limit = 1.5;
const limitedPace = 8;

/** Streams the answer at several paces and counts the bytes. */
export function run(): Promise<Report> {
  const answer = answerOf(answerBytes);
  const chunks = cut(answer, chunkLength);
  const paces = [2, 8, 32, 128].map(pace => ({ pace, ...streamed(chunks, pace) }));
  const text = Buffer.byteLength(answer);
  const rows = paces.map(({ pace, messages, bytes }) => [
    `${pace} (${Math.round((pace * 1000) / minFlushInterval).toLocaleString("en")} chunks/s)`,
    String(messages),
    kB(bytes),
    (bytes / text).toFixed(2),
    kB(whole(chunks, pace)),
  ]);
  const failures = paces
    .filter(({ pace, bytes }) => pace >= limitedPace && bytes / text > limit)
    .map(({ pace, bytes }) => {
      const given = (bytes / text).toFixed(2);
      return `At ${pace} chunks a flush ${given} bytes cross the boundary for each byte of text; ${limit} are allowed.`;
    });
  const columns = [
    "chunks a flush",
    "messages",
    "over the boundary",
    "bytes per byte of text",
    "if each sent the whole message",
  ];
  return Promise.resolve({ tables: [{ columns, rows }, projections()], failures });
}

const conversations = [1000, 20_000, 100_000];
const projectedChunks = 200;

/** The time of one chunk: its projection, and the difference to the view before. */
function projections(): Report["tables"][number] {
  const rows = conversations.map(entries => {
    const projector = new WholeProjector();
    const prompt = {
      type: "messageChunk",
      author: "user",
      messageId: "p",
      content: { type: "text", text: "Begin." },
    } as const;
    const answers = Array.from({ length: entries - 1 }, (_, i) => chunk(`m${i}`, "An earlier message."));
    let state = fold([prompt, ...answers]);
    const view = (): SharedView => projector.projectShared(state, emptyHead);
    let before = view();
    const times = Array.from({ length: projectedChunks }, (_, i) => {
      state = reduce(state, { seq: i, at: i, event: chunk("last", "Twelve chars") });
      const began = performance.now();
      const after = view();
      if (diffViews(before, after).length !== 1) throw new Error("One chunk is one difference.");
      const time = performance.now() - began;
      before = after;
      return time;
    });
    return [
      entries.toLocaleString("en"),
      `${median(times).toFixed(3)} ms`,
      `${Math.max(...times.slice(20)).toFixed(2)} ms`,
    ];
  });
  return { columns: ["entries in the conversation", "project one chunk and compare", "at most"], rows };
}

/** The bytes sent after the first snapshot. Checks that the panel then has the right view. */
function streamed(chunks: readonly string[], pace: number): { readonly messages: number; readonly bytes: number } {
  const clock = new FakeClock();
  clock.advance(1_790_000_000_000);
  const projector = new WholeProjector();
  let state = fold(Array.from({ length: before }, (_, i) => chunk(`earlier${i}`, "An earlier message.")));
  state = reduce(state, { seq: 0, at: clock.now(), event: { type: "activity", state: "running" } });
  const posted: HostMessage[] = [];
  const view = (): View => projector.project(state, emptyHead);
  const channel = new PanelChannel({
    clock,
    view,
    post: message => {
      posted.push(message);
      return Promise.resolve(true);
    },
  });
  channel.hello(0);
  for (const [i, text] of chunks.entries()) {
    if (i % pace === 0) clock.advance(minFlushInterval);
    // The id that a version 1 agent's message gets if the agent provides none.
    state = reduce(state, { seq: i, at: clock.now(), event: chunk("~1", text) });
    channel.changed();
  }
  clock.advance(minFlushInterval);
  channel.dispose();
  const [first, ...rest] = posted;
  if (!jsonEqual(shown(first, rest), view())) throw new Error("The panel holds another view.");
  return { messages: rest.length, bytes: rest.reduce((sum, message) => sum + bytesOf(message), 0) };
}

function shown(first: HostMessage | undefined, rest: readonly HostMessage[]): View {
  if (first?.type !== "snapshot") throw new Error("The channel did not begin with a snapshot.");
  return rest.reduce((view, message) => {
    if (message.type === "text") return applyViewPatches(view, [appendToLast(view, message.text)]);
    return message.type === "patch" ? applyViewPatches(view, message.patches) : view;
  }, first.view);
}

/** The bytes if every flush sent the whole message so far. */
function whole(chunks: readonly string[], pace: number): number {
  let sum = 0;
  for (let end = pace; end < chunks.length + pace; end += pace) sum += bytesOf(chunks.slice(0, end).join(""));
  return sum;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
