// Which files completion offers, and in which order.
import assert from "node:assert/strict";
import fc from "fast-check";
import { FileIndex, type IndexEntry } from "../../src/mentions/fileIndex.ts";
import { FileSearch } from "../../src/mentions/fileSearch.ts";

function indexOf(...paths: readonly string[]): FileIndex {
  const index = new FileIndex();
  for (const path of paths) index.add(path);
  return index;
}
const entriesOf = (index: FileIndex): readonly IndexEntry[] => index.buckets.flatMap(({ entries }) => entries);
const pathsIn = (index: FileIndex): readonly string[] =>
  entriesOf(index)
    .map(({ path, folder }) => (folder ? `${path}/` : path))
    .sort();

describe("the file index", () => {
  it("contains the folders of its files, each once", () => {
    assert.deepEqual(pathsIn(indexOf("a/b/c.ts", "a/b/d.ts", "e.ts")), ["a/", "a/b/", "a/b/c.ts", "a/b/d.ts", "e.ts"]);
  });

  it("removes a folder with its last file, and all files with their folder", () => {
    const index = indexOf("a/b/c.ts", "a/b/d.ts", "a/e.ts", "ab/f.ts");
    index.remove(["a/b/c.ts"]);
    assert.ok(index.has("a/b"));
    index.remove(["a/b/d.ts"]);
    assert.ok(!index.has("a/b"));
    index.remove(["a", "never/was.ts"]);
    assert.deepEqual(pathsIn(index), ["ab/", "ab/f.ts"]);
  });

  it("keeps the compared data of all entries in parallel arrays, short paths first, after any adds and removes", () => {
    const path = fc
      .array(fc.constantFrom("a", "bb", "ccc", "É", "🙂"), { minLength: 1, maxLength: 4 })
      .map(parts => parts.join("/"));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), path), { maxLength: 60 }), steps => {
        const index = new FileIndex();
        for (const [adds, name] of steps) {
          if (adds) index.add(`${name}.ts`);
          else index.remove([`${name}.ts`]);
        }
        const lengths = index.buckets.map(({ length }) => length);
        assert.deepEqual(
          lengths,
          lengths.toSorted((a, b) => a - b),
        );
        for (const { length, entries, masks, chars } of index.buckets) {
          const used = entries.length;
          assert.deepEqual(
            [...masks.subarray(0, used)],
            entries.map(entry => entry.mask),
          );
          assert.equal(
            String.fromCharCode(...chars.subarray(0, used * length)),
            entries.map(entry => entry.folded).join(""),
          );
          assert.ok(entries.every(entry => entry.folded.length === length));
        }
        const rebuilt = new FileIndex();
        for (const entry of entriesOf(index)) if (!entry.folder) rebuilt.add(entry.path);
        assert.deepEqual(pathsIn(index), pathsIn(rebuilt));
      }),
      { numRuns: 1000 },
    );
  });

  it("removes the files that a new listing did not find, only where it searched", () => {
    const index = indexOf("one/old.ts", "one/kept.ts", "two/other.ts");
    const run = index.beginListing();
    index.add("one/kept.ts");
    index.add("one/new.ts");
    index.endListing(run, "one/");
    assert.deepEqual(pathsIn(index), ["one/", "one/kept.ts", "one/new.ts", "two/", "two/other.ts"]);
  });

  it("contains the same entries as a plain set after any adds and removes", () => {
    const path = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 }).map(parts => parts.join("/"));
    const file = path.map(one => `${one}.ts`);
    const step = fc.oneof(fc.record({ add: file }), fc.record({ remove: fc.oneof(file, path) }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), steps => {
        const index = new FileIndex();
        let plain = new Set<string>();
        for (const one of steps) {
          if ("add" in one) {
            index.add(one.add);
            plain.add(one.add);
          } else {
            index.remove([one.remove]);
            plain = new Set([...plain].filter(known => known !== one.remove && !known.startsWith(`${one.remove}/`)));
          }
        }
        const folders = [...plain].flatMap(known =>
          [...known.matchAll(/\//g)].map(({ index: at }) => `${known.slice(0, at)}/`),
        );
        assert.deepEqual(pathsIn(index), [...new Set([...plain, ...folders])].sort());
      }),
    );
  });
});

describe("the file search", () => {
  const names = async (index: FileIndex, query: string, recent: readonly string[] = []): Promise<readonly string[]> =>
    (await new FileSearch(index).find(query, { limit: 50, recent })).map(({ path }) => path);

  /** Query, expected result in order, and the files to search. */
  const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    [
      "session",
      ["src/session/state.ts", "src/chat/session.ts"],
      ["src/session", "src/chat/session.ts", "src/session/state.ts"],
    ],
    ["sess", ["src/possession.ts", "src/session.ts"], ["src/session.ts", "src/possession.ts"]],
    ["fidx", ["src/fileIndex.ts", "src/fluid/exit.ts"], ["src/fileIndex.ts", "src/fluid/exit.ts"]],
    ["src/st", ["src/state.ts", "test/src/start.ts", "state.ts"], ["src/state.ts", "test/src/start.ts"]],
    ["chat state", ["chat/state.ts", "state.ts", "chat/view.ts"], ["chat/state.ts"]],
    ["STATE", ["state.ts"], ["state.ts"]],
    ["über", ["docs/Über.md"], ["docs/Über.md"]],
    ["uber", ["docs/Über.md"], ["docs/Über.md"]],
    ["a\\b", ["a/b.ts"], ["a/b.ts"]],
    ["zz", ["a/b.ts"], []],
    ["", ["a/b.ts"], []],
  ];
  for (const [query, files, offered] of table) {
    it(`offers for "${query}" of ${files.join(", ")}: ${offered.join(", ") || "nothing"}`, async () => {
      const found = await names(indexOf(...files), query);
      // Folders in the table must be at their position. Other folders are ignored.
      assert.deepEqual(
        found.filter(path => files.includes(path) || offered.includes(path)),
        offered,
      );
    });
  }

  it("ranks recently used files before equally good matches", async () => {
    const index = indexOf("a/index.ts", "b/index.ts", "c/index.ts");
    assert.equal((await names(index, "index", ["c/index.ts"]))[0], "c/index.ts");
  });

  it("reports which letters of the name match", async () => {
    const [hit] = await new FileSearch(indexOf("src/fileIndex.ts")).find("index", { limit: 1 });
    assert.deepEqual(hit, { path: "src/fileIndex.ts", name: "fileIndex.ts", folder: false, matches: [4, 5, 6, 7, 8] });
  });

  it("marks no letters outside the name when the path matches", async () => {
    const hits = await new FileSearch(indexOf("session/a.ts")).find("session/a", { limit: 5 });
    assert.deepEqual(hits.find(({ path }) => path === "session/a.ts")?.matches, [0]);
  });

  it("finds the same for a query typed letter by letter as for a pasted query", async () => {
    const word = fc.stringMatching(/^[abAB1.é-]{1,4}$/);
    const path = fc.array(word, { minLength: 1, maxLength: 4 }).map(parts => parts.join("/"));
    const query = fc.stringMatching(/^[abAB1./ é]{1,6}$/);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(path, { maxLength: 40 }), query, async (paths, typed) => {
        const index = indexOf(...paths);
        const narrowing = new FileSearch(index);
        for (let end = 1; end < typed.length; end++) await narrowing.find(typed.slice(0, end), { limit: 5 });
        assert.deepEqual(
          await narrowing.find(typed, { limit: 100 }),
          await new FileSearch(index).find(typed, { limit: 100 }),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("finds the same for a typed as for a pasted query when there are more matches than are scored", async () => {
    const index = indexOf(...Array.from({ length: 3000 }, (_, i) => `src/part${i % 7}/session${i}.ts`));
    const narrowing = new FileSearch(index);
    for (const typed of ["s", "se", "ses", "sess1"]) await narrowing.find(typed, { limit: 5 });
    assert.deepEqual(
      await narrowing.find("sess12", { limit: 50 }),
      await new FileSearch(index).find("sess12", { limit: 50 }),
    );
  });

  it("finds files added after the last letter was typed, and no removed files", async () => {
    const index = indexOf("session.ts", "sessions.ts");
    const search = new FileSearch(index);
    await search.find("ses", { limit: 5 });
    index.add("sessionNew.ts");
    index.remove(["session.ts"]);
    const found = await search.find("sess", { limit: 5 });
    assert.deepEqual(found.map(({ path }) => path).sort(), ["sessionNew.ts", "sessions.ts"]);
  });

  it("finds nothing after its signal aborts", async () => {
    let time = 0;
    // Each reading of the clock advances it by a second, so that the search pauses as often as it can.
    const search = new FileSearch(indexOf("session.ts"), () => (time += 1000));
    const stop = new AbortController();
    const aborted = search.find("ses", { limit: 5, signal: stop.signal });
    stop.abort();
    assert.deepEqual(await aborted, []);
    const found = await search.find("ses", { limit: 5, signal: new AbortController().signal });
    assert.deepEqual(
      found.map(({ path }) => path),
      ["session.ts"],
      "the search is not narrowed to what the aborted one found",
    );
  });
});
