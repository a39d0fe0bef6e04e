// What the user types to search all conversations: words and filters.
import assert from "node:assert/strict";
import fc from "fast-check";
import { passesFilters, readQuery, type SearchFilters } from "../../src/search/searchQuery.ts";

const now = new Date(2026, 10, 28, 15, 30).getTime();
const day = (year: number, month: number, date: number): number => new Date(year, month - 1, date).getTime();

function read(typed: string): { readonly words: string; readonly filters: SearchFilters } {
  const result = readQuery(typed, now);
  assert.ok("words" in result, JSON.stringify(result));
  return result;
}

describe("the query of the search of all conversations", () => {
  it("has the words without the filters", () => {
    assert.equal(read("agent:claude broken parser file:src/a.ts").words, "broken parser");
    assert.equal(read("broken is:done parser").words, "broken parser");
    assert.equal(read("  two  blanks  ").words, "two  blanks");
  });

  it("reads every filter, also in quotation marks and in capitals", () => {
    assert.deepEqual(
      read('agent:"Claude Code" agent:demo File:SRC\\A.ts is:done after:2026-11-01 before:yesterday').filters,
      {
        ...{ agents: ["claude code", "demo"], files: ["src/a.ts"], isDone: true },
        ...{ after: day(2026, 11, 1), before: day(2026, 11, 27) },
      },
    );
    assert.equal(read("after:today").filters.after, day(2026, 11, 28));
  });

  it("takes a filter only at the beginning of a word, and ignores one that has no value yet", () => {
    assert.equal(read("useragent:x http://file:80").words, "useragent:x http://file:80");
    assert.deepEqual(read("words agent:"), { words: "words", filters: { agents: [], files: [], isDone: false } });
    assert.deepEqual(read('words agent:"').filters.agents, []);
  });

  it("says what is wrong with a date or another value", () => {
    for (const typed of ["after:2026-02-30", "before:soon", "after:2026-13-01"])
      assert.match(JSON.stringify(readQuery(typed, now)), /needs a date such as 2026-01-31/, typed);
    assert.match(JSON.stringify(readQuery("is:open", now)), /has only the value/);
    // While it is typed, it is not wrong yet.
    assert.equal(read("is:do words").words, "words");
  });

  it("never fails, and keeps words without a colon as they are", () => {
    fc.assert(
      fc.property(fc.string(), typed => {
        readQuery(typed, now);
        if (!typed.includes(":")) assert.equal(read(typed).words, typed.trim());
      }),
    );
  });

  it("chooses sessions by their agent, their time and the mark", () => {
    const entry = { agent: "demo", agentName: "Demo Agent", updated: day(2026, 11, 10) + 1, done: true } as const;
    const passes = (typed: string): boolean => passesFilters(entry, read(typed).filters);
    const { done: _, ...open } = entry;
    assert.deepEqual(
      ["", "agent:demo", "agent:AGENT", "agent:claude agent:demo", "after:2026-11-10", "before:2026-11-11"].map(passes),
      [true, true, true, true, true, true],
    );
    assert.deepEqual(["agent:claude", "after:2026-11-11", "before:2026-11-10"].map(passes), [false, false, false]);
    assert.equal(passesFilters(open, read("is:done").filters), false);
  });
});
