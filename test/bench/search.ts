// The search of all conversations over 1,000 joined texts of 100 kB, without VS Code: the first hits, all hits, the longest task
// of the extension host meanwhile, and its memory, beside `grep` over the same texts and beside parsing the logs. Then the same sessions as those of
// ten folders (`searchFolders.ts`).
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import type { SessionEntry } from "../../src/library/sessionEntry.ts";
import type { FindQuery } from "../../src/panel/find/findProtocol.ts";
import { ConversationSearch } from "../../src/search/conversationSearch.ts";
import { JoinedTexts } from "../../src/search/joinedTexts.ts";
import { makeJoinedText } from "../../src/search/makeJoinedText.ts";
import { TextSearch } from "../../src/search/textSearch.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { joinedTextFileName } from "../../src/session/log/joinedTextFile.ts";
import { openLog, readEvents } from "../../src/session/log/openLog.ts";
import { sessionFileName } from "../../src/session/log/sessionStore.ts";
import { writeNewLog } from "../../src/session/log/writeLog.ts";
import { openSessionStorage } from "../../src/window/sessionStorage.ts";
import { median, ms, type Report } from "./report.ts";
import { measureFolders } from "./searchFolders.ts";
import { limits, longestTask, rounds, searchRounds, type Searched } from "./searchRounds.ts";

const sessionCount = 1000;
const rareSessions = new Set(Array.from({ length: 9 }, (_, i) => 150 + 100 * i));
/** The joined text of a session, about 100 kB. */
const updateCount = 460;
/** The logs that are parsed for comparison. */
const parsedLogs = 20;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Runs the benchmark. */
export async function run(): Promise<Report> {
  const root = mkdtempSync(join(tmpdir(), "parley-bench-search-"));
  try {
    return await measure(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function measure(root: string): Promise<Report> {
  const folder = join(root, "sessions");
  const storage = openSessionStorage({ storageUri: { fsPath: root } } as vscode.ExtensionContext);
  const open = new OpenSessions();
  const texts = new JoinedTexts({ storage, open, flushLog: () => Promise.resolve(), version: "1", log: nullLog });
  const entries: SessionEntry[] = [];
  await writeNewLog({ storage, session: "s0", clock: systemClock, log: nullLog }, events(), 1);
  await texts.make("s0");
  const log = readFileSync(join(folder, sessionFileName("s0")), "utf8");
  const joined = readFileSync(join(folder, joinedTextFileName("s0")), "utf8");
  for (let i = 0; i < sessionCount; i++) {
    const id = `s${i}`;
    entries.push({
      ...{ id, agent: "demo", agentName: "Demo Agent", folder: "/w", title: id, updated: sessionCount - i },
      status: "idle",
    });
    writeFileSync(join(folder, sessionFileName(id)), log);
    // Some words are in each conversation, in a few that are not in the folder of the window, and in the last one only.
    const words = i === sessionCount - 1 ? "lastneedle" : rareSessions.has(i) ? "rareneedle" : "otherword";
    writeFileSync(join(folder, joinedTextFileName(id)), joined.replaceAll("Placeword", words));
  }
  const script = join(dirname(fileURLToPath(import.meta.url)), "searchWorker.js");
  const worker = new TextSearch(script, systemClock);
  const search = new ConversationSearch({
    ...{ folder, texts, entries: () => entries, unreadable: () => [], now: () => Date.now() },
    others: { each: noFolders },
    searchTexts: (task, onProgress) => worker.search(task, onProgress),
  });
  const rows: (readonly string[])[] = [];
  const failures: string[] = [];
  const row = (what: string, value: number, limit?: number, shown = ms(value)): void => {
    rows.push([what, shown, limit === undefined ? "" : ms(limit)]);
    if (limit !== undefined && value > limit) failures.push(`${what}: ${ms(value)}, limit ${ms(limit)}`);
  };
  const searched = (query: string, how: Partial<FindQuery> = {}): Promise<Searched> =>
    searchRounds(search, { query, ...how });
  // The worker starts, and the files come into the cache of the system.
  await searched("warm up");
  collect();
  const heapBefore = process.memoryUsage().rss;
  const common = await searched("parser");
  const rare = await searched("rareneedle");
  const last = await searched("lastneedle");
  const none = await searched("nowhereatall");
  const word = await searched("otherword", { wholeWord: true });
  const pattern = await searched("last[a-z]+ 12\\d", { regex: true });
  collect();
  const heap = process.memoryUsage().rss;
  worker.dispose();
  await new Promise(resolve => setTimeout(resolve, 200));
  const heapAfter = process.memoryUsage().rss;
  const firstOf = [common, rare, word];
  row("first hits, of a word in a few conversations", rare.first, limits.first);
  row("first hits, the slowest of three words", Math.max(...firstOf.map(({ first }) => first)), limits.first);
  row("all hits of a word in a few conversations", rare.all, limits.all);
  row("all hits of a word in the last conversation", last.all, limits.all);
  row("a word in no conversation", none.all, limits.all);
  row("a regular expression with hits in the last conversation", pattern.all, limits.all);
  row("all hits of a whole word that is once in nearly each conversation", word.all, limits.all);
  row("a word in each conversation, until there are enough hits", common.all, limits.all);
  row(
    "longest task of the extension host during all of these",
    Math.max(...[common, rare, last, none, word, pattern].map(({ task }) => task)),
    limits.task,
  );
  const making: number[] = [];
  for (let round = 0; round < rounds; round++) making.push(await longestTask(() => texts.make(`s${round}`)));
  row("longest task of the extension host while a text is made", median(making), limits.task);
  const idle = await longestTask(() => new Promise(resolve => setTimeout(resolve, 1000)));
  row("the same while nothing happens, because of other work on the machine", idle);
  row("making the text of one conversation from its log", await makingTime(storage));
  row("`grep -r -i -F`, a word in a few conversations", grep(folder, "rareneedle"));
  row(`parsing all logs (from ${parsedLogs} of them)`, await parsingTime(storage));
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;
  rows.push(["memory of the process that the searches add", megabytes(heap - heapBefore), ""]);
  rows.push(["what is left of it when the worker has ended", megabytes(Math.max(0, heapAfter - heapBefore)), ""]);
  for (const [what, { hits }, expected] of [
    ["rareneedle", rare, 9],
    ["lastneedle", last, 1],
    ["nowhereatall", none, 0],
    ["regular expression", pattern, 1],
  ] as const)
    if (hits < expected) failures.push(`${what}: ${hits} conversations were found, not ${expected}.`);
  const size = statSync(join(folder, joinedTextFileName("s0"))).size;
  const name = `${sessionCount.toLocaleString("en")} texts of ${Math.round(size / 1000)} kB`;
  const folders = await measureFolders({ root, sessionsFolder: folder, entries, texts, script });
  texts.dispose();
  return {
    tables: [{ columns: [name, "value", "limit"], rows }, folders.table],
    failures: [...failures, ...folders.failures],
  };
}

async function* noFolders(): AsyncGenerator<never, void> {}

type Storage = ReturnType<typeof openSessionStorage>;

async function makingTime(storage: Storage): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    const opened = await openLog({ storage, session: `s${round}`, version: "1", log: nullLog });
    if (!opened) throw new Error("The log is empty.");
    await makeJoinedText(
      opened.state,
      () => new Promise(resolve => setImmediate(resolve)),
      error => {
        throw error;
      },
    );
    times.push(performance.now() - started);
  }
  return median(times);
}

async function parsingTime(storage: Storage): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < parsedLogs; i++) await readEvents(storage, sessionFileName(`s${i}`));
  return ((performance.now() - started) * sessionCount) / parsedLogs;
}

function grep(folder: string, word: string): number {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    execFileSync("grep", ["-r", "-i", "-F", "-c", "--include=*.search.txt", word, folder], { maxBuffer: 1e8 });
    times.push(performance.now() - started);
  }
  return median(times);
}

/** A conversation about code: prompts, answers in Markdown, commands with output. */
function events(): readonly SessionEvent[] {
  const all: SessionEvent[] = [];
  for (let i = 0; i < updateCount; i++) {
    if (i % 10 === 0)
      all.push(message("user", `p${i}`, `Please look at **part ${i}** of the parser, and fix the test.`));
    else if (i % 3 === 0)
      all.push({
        ...{ type: "tool", toolCallId: `t${i}` },
        patch: {
          ...{ title: `Run npm test -- part ${i}`, kind: "execute", status: "completed" },
          locations: [{ path: `/w/src/part${i}.ts` }],
          content: [
            { type: "content", content: { type: "text", text: `✔ line ${i} of the output is fine\n`.repeat(8) } },
          ],
        },
      });
    else
      all.push(
        message(
          "agent",
          `m${i}`,
          `The \`parser\` reads token ${i}. ${"It is about twelve words of text. ".repeat(5)}\n`,
        ),
      );
  }
  return [...all, message("agent", "last", "Placeword 123")];
}

const message = (author: "user" | "agent", messageId: string, text: string): SessionEvent => ({
  ...{ type: "message", author, messageId },
  content: [{ type: "text", text }],
});
