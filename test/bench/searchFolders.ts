// The search with the switch All Folders: the sessions are divided over folders that Parley has opened, each with its logs,
// joined texts and entries on disk.
import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isProcessRunning } from "../../src/base/isProcessRunning.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { OpenedFolders } from "../../src/library/openedFolders.ts";
import { OtherFolders } from "../../src/library/otherFolders.ts";
import { entryFileName, type SessionEntry } from "../../src/library/sessionEntry.ts";
import { ConversationSearch, type ConversationSearchOptions } from "../../src/search/conversationSearch.ts";
import { TextSearch } from "../../src/search/textSearch.ts";
import { joinedTextFileName } from "../../src/session/log/joinedTextFile.ts";
import { sessionFileName } from "../../src/session/log/sessionStore.ts";
import { readSessionStorage } from "../../src/window/sessionStorage.ts";
import { median, ms, type Table } from "./report.ts";
import { limits, longestTask, rounds, searchOnce, searchRounds, type Searched } from "./searchRounds.ts";

const folderCount = 10;
const extension = "bench.parley";

export interface FolderSources {
  readonly root: string;
  /** The folder with the logs and the joined texts of these sessions. */
  readonly sessionsFolder: string;
  readonly entries: readonly SessionEntry[];
  readonly texts: ConversationSearchOptions["texts"];
  /** The path of the bundle of the worker. */
  readonly script: string;
}

/** Measures the search over the folders. The first folder is that of the window. */
export async function measureFolders(sources: FolderSources): Promise<{ table: Table; failures: readonly string[] }> {
  const { root, entries, texts, script } = sources;
  const opened = new OpenedFolders({ path: join(root, "folders"), extension, log: nullLog });
  const own = await divide(sources, opened);
  const readOthers = (): OtherFolders =>
    new OtherFolders({
      ...{ opened, ownSessions: own, home: root, clock: systemClock },
      ...{ openStorage: readSessionStorage, isRunning: isProcessRunning },
    });
  const worker = new TextSearch(script, systemClock);
  const searchWith = (others: OtherFolders): ConversationSearch =>
    new ConversationSearch({
      ...{ folder: own, texts, others, unreadable: () => [], now: () => Date.now() },
      entries: () => entries.filter((_, i) => folderOf(i, entries.length) === 0),
      searchTexts: (task, onProgress) => worker.search(task, onProgress),
    });
  const allFolders = true;
  const search = searchWith(readOthers());
  await searchOnce(search, { query: "warm up", allFolders });
  const of = (query: string, how = {}): Promise<Searched> => searchRounds(search, { query, allFolders, ...how });
  const common = await of("parser");
  const rare = await of("rareneedle");
  const last = await of("lastneedle");
  const none = await of("nowhereatall");
  const word = await of("otherword", { wholeWord: true });
  const pattern = await of("last[a-z]+ 12\\d", { regex: true });
  const reading: number[] = [];
  const tasks: number[] = [];
  const cold: Searched[] = [];
  for (let round = 0; round < rounds; round++) {
    const others = readOthers();
    const started = performance.now();
    tasks.push(await longestTask(async () => void (await others.read())));
    reading.push(performance.now() - started);
    cold.push(await searchOnce(searchWith(readOthers()), { query: "rareneedle", allFolders }));
  }
  worker.dispose();

  const rows: (readonly string[])[] = [];
  const failures: string[] = [];
  const row = (what: string, value: number, limit?: number): void => {
    rows.push([what, ms(value), limit === undefined ? "" : ms(limit)]);
    if (limit !== undefined && value > limit) failures.push(`all folders, ${what}: ${ms(value)}, limit ${ms(limit)}`);
  };
  const coldOf = (key: keyof Searched): number => median(cold.map(each => each[key]));
  row("first hits, of a word in a few conversations of each folder", rare.first, limits.first);
  row("all hits of a word in a few conversations of each folder", rare.all, limits.all);
  row("all hits of a word in the last conversation of the last folder", last.all, limits.all);
  row("a word in no conversation", none.all, limits.all);
  row("a regular expression with hits in the last conversation", pattern.all, limits.all);
  row("all hits of a whole word that is once in nearly each conversation", word.all, limits.all);
  row("a word in each conversation, until there are enough hits", common.all, limits.all);
  row("first hits, if the lists of the other folders are read before", coldOf("first"), limits.first);
  row("all hits, if the lists of the other folders are read before", coldOf("all"), limits.all);
  row("reading the lists of the other folders alone", median(reading));
  const longest = Math.max(
    ...[common, rare, last, none, word, pattern].map(({ task }) => task),
    coldOf("task"),
    median(tasks),
  );
  row("longest task of the extension host during all of these", longest, limits.task);
  for (const [what, { hits }, expected] of [
    ["rareneedle", rare, 9],
    ["lastneedle", last, 1],
    ["nowhereatall", none, 0],
    ["regular expression", pattern, 1],
    ["rareneedle after reading", { hits: coldOf("hits") }, 9],
  ] as const)
    if (hits < expected) failures.push(`all folders, ${what}: ${hits} conversations were found, not ${expected}.`);
  const name = `${entries.length.toLocaleString("en")} sessions in ${folderCount} folders`;
  return { table: { columns: [name, "value", "limit"], rows }, failures };
}

const folderOf = (session: number, count: number): number => Math.floor((session * folderCount) / count);

/** Divides the sessions. Returns the folder of the sessions of the window. */
async function divide({ root, sessionsFolder, entries }: FolderSources, opened: OpenedFolders): Promise<string> {
  const folders: string[] = [];
  for (let i = 0; i < folderCount; i++) {
    const folder = join(root, `storage${i}`, extension, "sessions");
    const workspace = join(root, `workspace${i}`);
    for (const each of [folder, workspace]) mkdirSync(each, { recursive: true });
    await opened.note({ uri: pathToFileURL(workspace).toString(), sessionsFolder: folder, opened: folderCount - i });
    folders.push(folder);
  }
  for (const [i, entry] of entries.entries()) {
    const folder = folders[folderOf(i, entries.length)] as string;
    for (const name of [sessionFileName(entry.id), joinedTextFileName(entry.id)])
      linkSync(join(sessionsFolder, name), join(folder, name));
    writeFileSync(join(folder, entryFileName(entry.id)), JSON.stringify(entry));
  }
  return folders[0] as string;
}
