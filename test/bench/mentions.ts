// The search behind `@`: 100,000 files from a warm index, compared with the simplest possible filter in the same run,
// and how long the search blocks the thread.
import { FileIndex } from "../../src/mentions/fileIndex.ts";
import { FileSearch } from "../../src/mentions/fileSearch.ts";
import { median, ms, ratio, type Report } from "./report.ts";

const files = 100_000;
const rounds = 11;
/** The maximum time until the results are ready, and the maximum time for which the thread may be blocked (ms). */
const limit = 50;

/** The typed text, as the last query and the queries before it. */
const queries: readonly { readonly what: string; readonly typed: readonly string[]; readonly changes?: true }[] = [
  { what: "one letter: `s`", typed: ["s"] },
  { what: "the same, just after a file came", typed: ["s"], changes: true },
  { what: "two letters: `se`", typed: ["se"] },
  { what: "a name, pasted: `sessionHelper42`", typed: ["sessionHelper42"] },
  { what: "a name, its last letter typed: `sessionHelper4` → `2`", typed: ["sessionHelper4", "sessionHelper42"] },
  { what: "initials: `swpm`", typed: ["swpm"] },
  { what: "a path: `server/sess`", typed: ["server/sess"] },
  { what: "no hit: `zzqx`", typed: ["zzqx"] },
];

/** Searches repeatedly. */
export async function run(): Promise<Report> {
  const paths = manyPaths();
  const index = new FileIndex();
  for (const path of paths) index.add(path);
  const lower = paths.map(path => path.toLowerCase());
  // The index is warm: another query has already searched it.
  await new FileSearch(index).find("warm", { limit: 30 });
  const rows: string[][] = [];
  const failures: string[] = [];
  for (const { what, typed, changes } of queries) {
    const query = typed.at(-1) ?? "";
    const search = new FileSearch(index);
    const first = await timed(search, query);
    const times: number[] = [];
    const plain: number[] = [];
    const cpu: number[] = [];
    let held = first.held;
    for (let round = 0; round < rounds; round++) {
      // Another query in between, so that each search starts from the whole index.
      await search.find("#", { limit: 30 });
      for (const before of typed.slice(0, -1)) await search.find(before, { limit: 30 });
      if (changes) index.add(`src/new${round}.ts`);
      const once = await timed(search, query);
      times.push(once.took);
      cpu.push(once.cpu);
      held = Math.max(held, once.held);
      plain.push(filtered(lower, query.toLowerCase()));
    }
    const p95 = percentile(times, 0.95);
    rows.push([
      what,
      ms(first.took),
      ms(median(times)),
      ms(p95),
      ms(median(cpu)),
      ms(held),
      ms(median(plain)),
      ratio(median(times) / median(plain)),
    ]);
    if (p95 > limit) failures.push(`The hits for ${what} take ${ms(p95)} (p95); ${limit} ms are allowed.`);
    if (held > limit)
      failures.push(`The search for ${what} holds the thread for ${ms(held)}; ${limit} ms are allowed.`);
  }
  const columns = ["100,000 files", "first time", "p50", "p95", "CPU, p50", "held at most", "`includes`, p50", "ratio"];
  return { tables: [{ columns, rows }], failures };
}

/** The duration of a search, and the longest time in which no other work could run. */
async function timed(search: FileSearch, query: string): Promise<{ took: number; held: number; cpu: number }> {
  const before = process.cpuUsage();
  const start = performance.now();
  let last = start;
  let held = 0;
  let over = false;
  const look = (): void => {
    const now = performance.now();
    held = Math.max(held, now - last);
    last = now;
    if (!over) setImmediate(look);
  };
  setImmediate(look);
  await search.find(query, { limit: 30 });
  const took = performance.now() - start;
  over = true;
  look();
  const { user, system } = process.cpuUsage(before);
  return { took, held, cpu: (user + system) / 1000 };
}

function filtered(lower: readonly string[], query: string): number {
  const start = performance.now();
  const found = lower.filter(path => path.includes(query)).slice(0, 30);
  const took = performance.now() - start;
  if (found.length > 30) throw new Error("The filter found too much.");
  return took;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Paths like those of a large repository, the same in every run. */
function manyPaths(): readonly string[] {
  const words = (
    "src lib components user interface server client test utils session prompt model view controller index main base " +
    "common editor browser workbench contrib terminal services platform node helper factory provider registry"
  ).split(" ");
  let seed = 7;
  const next = (most: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    // The low bits of such a generator repeat soon.
    return (seed >>> 12) % most;
  };
  const word = (): string => words[next(words.length)] ?? "";
  const paths = new Set<string>();
  // Each folder is inside an earlier one, so that there is one folder per ten files or so.
  const tree: (readonly string[])[] = [[]];
  while (tree.length < files / 10) {
    const above = tree[next(tree.length)] ?? [];
    if (above.length < 8) tree.push([...above, `${word()}${next(40)}`]);
  }
  while (paths.size < files) {
    const folders = tree[next(tree.length)] ?? [];
    const name = `${word()}${word().replace(/^./, letter => letter.toUpperCase())}${next(1000)}.ts`;
    paths.add([...folders, name].join("/"));
  }
  return [...paths];
}
