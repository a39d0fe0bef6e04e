// The protocol inspector with 50,000 messages: its host in this process, and its page in Chromium without VS Code.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { chromium, type Page } from "playwright-core";
import { startPlay } from "../../scripts/play.mjs";
import { ensureChromium } from "../../scripts/vscode/chromium.mjs";
import { maskRecord, TrafficRecorder } from "../../src/acp/trafficRecorder.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import { systemClock } from "../../src/base/log.ts";
import { InspectedMessages } from "../../src/inspector/inspectedMessages.ts";
import { isInspectorIntent } from "../../src/panel/inspectorPage.ts";
import { pack } from "./packed.ts";
import { ms, type Report } from "./report.ts";
import { threadTime } from "./stretches.ts";

const count = 50_000;
const rounds = 3;
const maxTask = 50;
/** Places that the user scrolls to, keys that the user presses, and batches of messages that arrive. */
const places = 60;
const keys = 60;
const batches = 30;
const perBatch = 100;

/** What one action took: itself, and the longest task of the host and of the page meanwhile (ms). */
interface Measured {
  readonly time: number;
  readonly host: number;
  readonly page: number;
}

/** Opens the page, scrolls, moves by keyboard, filters and follows, and measures the tasks of both sides. */
export async function run(): Promise<Report> {
  const packed = await pack();
  const heapBefore = heap();
  const recorder = recordedTraffic();
  const heapOfRecords = heap() - heapBefore;
  const play = await startPlay({ root: packed.folder });
  const browser = await chromium.launch({ executablePath: ensureChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const results: Record<string, Measured>[] = [];
    for (let round = 0; round < rounds; round++) {
      const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
      results.push(await measureRound(page, `${play.url}?page=inspector&hosted`, recorder));
      await page.close();
    }
    return reportOf(results, heapOfRecords, browser.version());
  } finally {
    await browser.close();
    await play.close();
    packed.remove();
  }
}

function reportOf(results: readonly Record<string, Measured>[], heapOfRecords: number, version: string): Report {
  const names = Object.keys(results[0] ?? {});
  const of = (name: string, key: keyof Measured): number =>
    Math.min(...results.map(result => result[name]?.[key] ?? NaN));
  const shownTask = (value: number): string => (value === 0 ? `< ${maxTask} ms` : ms(value));
  const rows = names.map(name => [
    name,
    ms(of(name, "time")),
    ms(of(name, "host")),
    shownTask(of(name, "page")),
    `${maxTask} ms`,
  ]);
  const failures = names.flatMap(name =>
    (["host", "page"] as const)
      .filter(side => of(name, side) > maxTask)
      .map(side => `${name}: a task of the ${side} takes ${ms(of(name, side))}; ${maxTask} ms are allowed.`),
  );
  const heading = `${count.toLocaleString("en")} messages`;
  const columns = [heading, "time", "longest task of the host", "longest task of the page", "limit of both"];
  const memory = ["memory of the recording", `${(heapOfRecords / 1e6).toFixed(0)} MB`, "", "", ""];
  return { tables: [{ columns, rows: [...rows, memory] }], failures, versions: [`Chromium ${version}`] };
}

function heap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Turns of an agent that streams text and calls tools, and a file of 1 MB that it reads. */
function recordedTraffic(): TrafficRecorder {
  const recorder = new TrafficRecorder(systemClock);
  const add = (dir: "c>a" | "a>c", message: object): void => {
    const line = JSON.stringify(message);
    // As the connection does it: each message is a new object.
    recorder.recordMessage(dir, JSON.parse(line), line.length);
  };
  add("c>a", { id: 0, method: "initialize", params: { protocolVersion: 1 } });
  add("a>c", { id: 0, result: { protocolVersion: 1 } });
  const read = { sessionId: "s0", path: "/w/large.txt" };
  add("a>c", { id: "r", method: "fs/read_text_file", params: read });
  add("c>a", { id: "r", result: { content: "line of a large file\n".repeat(50_000) } });
  for (let at = recorder.count, id = 1; at < count; at = recorder.count) {
    const session = `s${id % 5}`;
    const prompt = [{ type: "text", text: `prompt ${id}` }];
    add("c>a", { id, method: "session/prompt", params: { sessionId: session, prompt } });
    for (let more = 0; more < 98; more++) add("a>c", update(session, at + more));
    add("a>c", { id, result: { stopReason: "end_turn" } });
    id++;
  }
  return recorder;
}

function update(sessionId: string, at: number): object {
  const content = { type: "text", text: `Some words of an answer that streams, with the number ${at}. ` };
  const kind =
    at % 7 === 0
      ? {
          sessionUpdate: "tool_call",
          toolCallId: `t${at}`,
          title: `Read file ${at}`,
          rawInput: { path: `/w/${at}.ts` },
        }
      : { sessionUpdate: "agent_message_chunk", content };
  return { jsonrpc: "2.0", method: "session/update", params: { sessionId, update: kind } };
}

async function measureRound(page: Page, url: string, recorder: TrafficRecorder): Promise<Record<string, Measured>> {
  const recorded = new Emitter<string>();
  let posted: Promise<unknown> = Promise.resolve();
  const messages = new InspectedMessages({
    traffic: { recordedAgents: ["demo"], tap: () => recorder, onDidRecord: recorded.event },
    masking: { record: maskRecord, text: text => text },
    nameOf: () => "Demo Agent",
    post: message => {
      posted = posted.then(() => page.evaluate(sent => window.postMessage(sent, "*"), message));
    },
    clock: systemClock,
  });
  await page.addInitScript(watchTasks);
  await page.exposeFunction("parleyHost", (message: unknown) => {
    if (!isInspectorIntent(message)) throw new Error("The page sent an unknown message.");
    if (message.type === "ready") messages.start();
    else if (message.type !== "copy" && message.type !== "export") messages.run(message);
  });
  const list = page.getByRole("listbox", { name: "Messages" });
  const rowAt = (position: number): Promise<void> =>
    page.locator(`[aria-posinset="${position + 1}"] .message-size`, { hasText: /./ }).waitFor();
  const end = recorder.count;
  const measured: Record<string, Measured> = {};
  const measure = async (name: string, work: () => Promise<void>, times = 1): Promise<void> => {
    let time = 0;
    const host = await longestTurn(async () => {
      const started = performance.now();
      await work();
      time = (performance.now() - started) / times;
    });
    measured[name] = { time, host, page: await page.evaluate(() => takeLongestTask()) };
  };
  messages.show("demo");
  await measure("opening the tab, until the last row is painted", async () => {
    await page.goto(url);
    await rowAt(recorder.records.length - 1);
  });
  const total = recorder.records.length;
  await measure(
    "scrolling to a place, until its rows are painted",
    async () => {
      for (let place = 0; place < places; place++) {
        const position = (place * 7919) % (total - 100);
        await list.evaluate((box, top) => box.scrollTo(0, top), position * 22);
        await rowAt(position + 2);
      }
    },
    places,
  );
  await list.focus();
  await page.keyboard.press("Home");
  await measure(
    "a key, until the next message is shown",
    async () => {
      for (let key = 1; key <= keys; key++) {
        await page.keyboard.press("ArrowDown");
        await page.locator(`.message-detail[data-number="${end - total + key}"]`).waitFor();
      }
    },
    keys,
  );
  const box = page.getByRole("textbox", { name: "Text in messages" });
  const status = page.getByRole("status");
  await measure("a text that one message has, until all are searched", async () => {
    await box.fill("the number 49321.");
    await status.filter({ hasText: / of /, hasNotText: /reading/ }).waitFor();
  });
  await measure("the same without a filter again", async () => {
    await box.fill("");
    await status.filter({ hasText: /messages/, hasNotText: /reading| of / }).waitFor();
  });
  await measure(
    "messages that arrive while the list follows them, a batch of 100",
    async () => {
      for (let batch = 0; batch < batches; batch++) {
        for (let at = 0; at < perBatch; at++) recorder.recordMessage("a>c", update("s1", at), 200);
        recorded.fire("demo");
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      await rowAt(recorder.records.length - 1);
    },
    batches,
  );
  await posted;
  messages.dispose();
  recorded.dispose();
  return measured;
}

/** The most processor time of one turn of the event loop (ms). */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let before = threadTime();
  const timer = setInterval(() => {
    const now = threadTime();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}

declare function takeLongestTask(): number;

/** Runs on the page. Tasks below 50 ms are not reported. */
function watchTasks(): void {
  let longest = 0;
  const observer = new PerformanceObserver(entries => {
    for (const { duration } of entries.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ type: "longtask", buffered: true });
  Object.assign(globalThis, {
    takeLongestTask: () => {
      for (const { duration } of observer.takeRecords()) longest = Math.max(longest, duration);
      const taken = longest;
      longest = 0;
      return taken;
    },
  });
}
