// One search of all conversations, several times: its first and its last message, and the longest task meanwhile.
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FindQuery } from "../../src/panel/find/findProtocol.ts";
import type { ConversationSearch } from "../../src/search/conversationSearch.ts";
import { median } from "./report.ts";

/** Milliseconds. */
export const limits = { first: 200, all: 1000, task: 50 };
export const rounds = 5;

/** Times in ms. */
export interface Searched {
  readonly first: number;
  readonly all: number;
  readonly task: number;
  /** The conversations that were found. */
  readonly hits: number;
}

/** What is searched, and whether in all folders. */
export type RoundQuery = Pick<FindQuery, "query"> & Partial<FindQuery> & { readonly allFolders?: boolean };

/** The medians of some searches. Rejects if one has a problem. */
export async function searchRounds(search: ConversationSearch, query: RoundQuery): Promise<Searched> {
  const runs: Searched[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await searchOnce(search, query));
  const of = (key: keyof Searched): number => median(runs.map(each => each[key]));
  return { first: of("first"), all: of("all"), task: of("task"), hits: of("hits") };
}

/** Searches once. Rejects if the search has a problem. */
export async function searchOnce(search: ConversationSearch, query: RoundQuery): Promise<Searched> {
  let first: number | undefined;
  let hits = 0;
  let problem: string | undefined;
  const started = performance.now();
  const asked = { matchCase: false, wholeWord: false, regex: false, allFolders: false, ...query };
  const task = await longestTask(() =>
    search.search(++request, asked, message => {
      if (message.type === "found") {
        first ??= performance.now() - started;
        hits += message.sessions.length;
      } else if (message.type === "reading") problem = "A text was made again.";
      else if (message.type === "done") problem ??= message.problem ?? message.unsearched[0]?.reason;
    }),
  );
  if (problem !== undefined) throw new Error(problem);
  return { first: first ?? 0, all: performance.now() - started, task, hits };
}
let request = 0;

/** The longest delay of the event loop, ms. A loop that counts its own turns would take a processor from the worker. */
export async function longestTask(work: () => Promise<void>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  // The first sample needs a turn of the loop.
  await new Promise(resolve => setTimeout(resolve, 5));
  delays.reset();
  await work();
  await new Promise(resolve => setTimeout(resolve, 5));
  delays.disable();
  return delays.max / 1e6;
}
