// Find in conversation, as the host searches: the hits and their positions, that nothing blocks, and that newer
// searches win.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Finder, maxHits, type FindResult } from "../../src/panel/find/finder.ts";
import { plainMarkdown, plainTerminal } from "../../src/panel/find/plainText.ts";
import type { FindQuery } from "../../src/panel/find/findProtocol.ts";
import type { ToolPart, ViewEntry, ViewMessage } from "../../src/panel/protocol.ts";

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

async function search(entries: readonly ViewEntry[], query: string, how: Partial<FindQuery> = {}): Promise<FindResult> {
  const asked = { query, matchCase: false, wholeWord: false, regex: false, ...how };
  const result = await new Finder(turn).find(asked, entries);
  assert.ok(result);
  return result;
}

const message = (id: string, kind: ViewMessage["kind"], ...texts: readonly string[]): ViewMessage => ({
  id,
  kind,
  parts: texts.map(text => ({ type: "text", text })),
  at: 0,
  until: 0,
});

const card = (...parts: readonly ToolPart[]): ViewEntry => ({
  id: "t",
  kind: "tool",
  toolKind: "execute",
  title: "Run `npm test` in src/a.ts",
  status: "done",
  at: 0,
  locations: [
    { path: "/w/src/a.ts", label: "src/a.ts" },
    { path: "/w/lib/b.ts", label: "lib/b.ts", line: 7 },
  ],
  decisions: ["Allowed by the rule for tests"],
  files: [{ path: "/w/c.ts", label: "c.ts", note: "unsaved" }],
  parts,
});

const diff: ToolPart = {
  type: "diff",
  path: "/w/d.ts",
  label: "d.ts",
  operation: "modify",
  added: 1,
  removed: 1,
  hunks: [{ oldStart: 1, newStart: 1, lines: [{ op: "del", text: "old line" }, { op: "add", text: "new line" }] }],
}; // prettier-ignore
const terminal: ToolPart = {
  type: "terminal",
  terminalId: "1",
  command: "npm test",
  cwd: "/w",
  text: "\u001b[31mred\u001b[0m words\r\n10%\r100%\r\n",
  truncated: false,
};
const json = (label: "Input" | "Output", text: string): ToolPart => ({ type: "json", label, text });

describe("a search of the conversation", () => {
  /** Name, entry, and the part of the hit; "frame" for text outside of the parts. */
  const everywhere: readonly (readonly [string, ViewEntry, number | "frame"])[] = [
    ["a prompt", message("m", "user", "Hello **there**"), 0],
    ["the words of Markdown", message("m", "agent", "x", "see **bold** and [the link](https://example.com)"), 1],
    ["a folded thought", message("m", "thought", "hm, there"), 0],
    ["a tool's title", card(), "frame"],
    ["a diff", card(json("Input", "{}"), diff), 1],
    ["a terminal's output without its colours", card(terminal), 0],
    ["input", card(json("Input", '{"path": "x"}')), 0],
    ["a patch", card({ type: "files", files: [], patch: "--- a\n+++ b" }), 0],
    ["a link's name", { ...message("m", "user"), parts: [{ type: "link", uri: "file:///a", name: "notes" }] }, 0],
    ["an embedded text", { ...message("m", "user"), parts: [{ type: "resource", uri: "file:///w/n.txt", text: "inside" }] }, 0],
    ["a notice", { id: "n", kind: "notice", severity: "info", title: "Title", description: "why it is so", at: 0 }, "frame"],
    ["a summary", { id: "c", kind: "compaction", status: "done", parts: [{ type: "text", text: "in short" }], at: 0 }, 0],
    ["a problem", { id: "p", kind: "problem", problem: { message: "It broke", detail: "exit 3", next: [] }, at: 0 }, "frame"],
  ]; // prettier-ignore
  const words = ["**there**", "bold and the link", "THERE", "npm test", "new line", "red words", '"path"', "+++ b", "notes", "inside", "why", "short", "exit 3"]; // prettier-ignore

  for (const [i, [what, entry, place]] of everywhere.entries())
    it(`finds ${what}`, async () => {
      const { hits } = await search([message("other", "user", "nothing"), entry], words[i] ?? "");
      assert.deepEqual(
        hits.map(hit => [hit.entry, hit.part ?? "frame", hit.text.toLowerCase()]),
        [[entry.id, place, words[i]?.toLowerCase()]],
      );
    });

  it("counts visible text only: no link targets, no location that the title already names", async () => {
    assert.equal((await search([message("m", "agent", "[a](https://x.org) `b`")], "https")).hits.length, 0);
    assert.equal((await search([card()], "src/a.ts")).hits.length, 1);
    assert.equal((await search([card()], "lib/b.ts:7")).hits.length, 1);
    assert.equal((await search([card()], "rule for")).hits.length, 1);
    assert.equal((await search([card(diff)], "d.ts")).hits.length, 1);
    const titled = { ...card(diff), title: "Edit d.ts", locations: [{ path: "/w/d.ts", label: "d.ts" }] } as ViewEntry;
    assert.deepEqual(
      (await search([titled], "d.ts")).hits.map(({ part }) => part),
      [undefined],
    );
  });

  it("numbers each hit among equal passages, also for whole words", async () => {
    const { hits } = await search([message("m", "user", "concat cat Cat cat")], "cat", { wholeWord: true });
    assert.deepEqual(
      hits.map(({ nth, text }) => [text, nth]),
      [["cat", 1], ["Cat", 0], ["cat", 2]],
    ); // prettier-ignore
  });

  const table: readonly (readonly [string, string, Partial<FindQuery>, readonly string[]])[] = [
    ["Straße STRASSE straße", "STRAßE", {}, ["Straße", "straße"]],
    ["ÄRGER ärger", "Ärger", {}, ["ÄRGER", "ärger"]],
    ["ΣΑΣ σας", "σασ", {}, ["ΣΑΣ", "σας"]],
    ["Apple apple", "apple", { matchCase: true }, ["apple"]],
    ["naïve naïveté", "naïve", { wholeWord: true }, ["naïve"]],
    ["a.b a+b", "a.b", {}, ["a.b"]],
    ["a.b a+b", "a.b", { regex: true }, ["a.b", "a+b"]],
    ["foo foobar", "foo|foobar", { regex: true, wholeWord: true }, ["foo", "foobar"]],
    ["😀😀x", ".", { regex: true }, ["😀", "😀", "x"]],
    ["😀 a", "b*", { regex: true }, []],
    ["one\ntwo", "^t\\w+$", { regex: true }, ["two"]],
    ["one\ntwo", "e\\s+t", { regex: true }, []],
    ["a-b", "a\\-b", { regex: true }, ["a-b"]],
    ["(", "(", {}, ["("]],
    ["日本語の日本", "日本", {}, ["日本", "日本"]],
    ["日本語の日本。", "日本", { wholeWord: true }, ["日本", "日本"]],
    ["VS Codeの設定、VSCodes", "code", { wholeWord: true }, ["Code"]],
    ["か\u3099くとか", "か", { wholeWord: true }, ["か"]],
    ["我用Git。gitlab", "git", { wholeWord: true }, ["Git"]],
    ["中文字，文", "文", { wholeWord: true }, ["文", "文"]],
    ["API를 APIs", "api", { wholeWord: true }, ["API"]],
    ["GPT4는 GPT42", "gpt4", { wholeWord: true }, ["GPT4"]],
    ["한국어 한국", "한국", { wholeWord: true }, ["한국"]],
    ["한국API API", "api", { wholeWord: true }, ["API"]],
    ["ספר הספר ספרים", "ספר", { wholeWord: true }, ["ספר"]],
    ["סֵפֶר ספר", "ס", { wholeWord: true }, []],
    ["كتاب الكتاب كتابي", "كتاب", { wholeWord: true }, ["كتاب"]],
    ["město městoa Město, náměstí", "město", { wholeWord: true }, ["město", "Město"]],
    ["กิน กิ", "ก", { wholeWord: true }, []],
    ["日本語 日", "日.|日", { regex: true, wholeWord: true }, ["日本", "日"]],
  ];
  for (const [text, query, how, found] of table)
    it(`of ${JSON.stringify(text)} for ${query} ${JSON.stringify(how)} finds ${found.length}`, async () => {
      const { hits } = await search([message("m", "user", text)], query, how);
      assert.deepEqual(
        hits.map(hit => hit.text),
        found,
      );
    });

  it("finds each occurrence of a query exactly once, with the matching text and the right count", async () => {
    const texts = fc.array(
      fc.string({ unit: fc.constantFrom("a", "B", "ß", "é", "😀", ".", " ", "\n"), maxLength: 30 }),
    );
    const query = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀", "."), minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(texts, query, async (all, wanted) => {
        const { hits } = await search([message("m", "user", ...all)], wanted);
        const expected = all.flatMap((text, part) => {
          const at = Array.from(text.toLowerCase().split(wanted), piece => piece.length).slice(0, -1);
          return at.map(() => part);
        });
        assert.deepEqual(hits.map(hit => hit.part), expected); // prettier-ignore
        for (const hit of hits) {
          assert.equal(hit.text.toLowerCase(), wanted);
          const text = (all[hit.part ?? -1] ?? "").replace(/\s/g, " ");
          assert.ok(hit.nth < occurrences(text, hit.text), JSON.stringify({ text, hit }));
        }
      }),
      { numRuns: 200 },
    );
  });

  it("reports an invalid pattern", async () => {
    const { problem, hits } = await search([message("m", "user", "(")], "(", { regex: true });
    assert.deepEqual(problem, { kind: "pattern", detail: "Unterminated group" });
    assert.deepEqual(hits, []);
  });

  it("stops at a limit of hits, and reports that there may be more", async () => {
    const { hits, truncated } = await search([message("m", "user", "a".repeat(5 * maxHits))], "a");
    assert.deepEqual([hits.length, truncated], [maxHits, true]);
    assert.equal((await search([message("m", "user", "aaa")], "a")).truncated, false);
  });
});

describe("a long search", () => {
  it("is abandoned for a catastrophic pattern, and blocks only briefly", async () => {
    const longest = await longestBlock(async () => {
      const { problem } = await search([message("m", "user", `${"a".repeat(40)}!`)], "(a+)+$", { regex: true });
      assert.deepEqual(problem, { kind: "slow" });
    });
    assert.ok(longest < 1000, `${longest} ms`);
  });

  it("falls back to the source of Markdown that cannot be parsed in time", async () => {
    const { hits } = await search([message("m", "agent", `${"[".repeat(200_000)} needle`), message("n", "user", "needle")], "needle"); // prettier-ignore
    assert.deepEqual(
      hits.map(hit => hit.entry),
      ["m", "n"],
    );
  });

  it("lets other work run in between over 10,000 entries", async () => {
    const entries = Array.from({ length: 10_000 }, (_, i) =>
      message(
        `m${i}`,
        i % 10 === 9 ? "agent" : "user",
        `Paragraph **${i}** with \`code\`.\n\n- an item\n- ${"more words ".repeat(20)}\n`,
      ),
    );
    let turns = 0;
    const finder = new Finder(() => (turns++, turn()));
    const query = { query: "item", matchCase: false, wholeWord: true, regex: false };
    const result = await finder.find({ ...query, query: "**9999**" }, entries);
    assert.deepEqual(result?.hits, []);
    assert.ok(turns > 1);
    assert.equal((await finder.find({ ...query, query: "paragraph 9999" }, entries))?.hits[0]?.entry, "m9999");
  });

  it("ends when a newer search begins, and only the newer one gets a result", async () => {
    const entries = Array.from({ length: 5000 }, (_, i) =>
      message(`m${i}`, "agent", `**needle** ${"hay ".repeat(50)}`),
    );
    const finder = new Finder(turn);
    const query = { matchCase: false, wholeWord: false, regex: false };
    const older = finder.find({ ...query, query: "absent" }, entries);
    const newer = finder.find({ ...query, query: "needle" }, entries.slice(0, 3));
    assert.equal(await older, undefined);
    assert.equal((await newer)?.hits.length, 3);
  });

  it("does not search unchanged entries twice", async () => {
    const finder = new Finder(turn);
    const query = { query: "a", matchCase: false, wholeWord: false, regex: false };
    const still = message("m", "user", "a");
    let reads = 0;
    const watched = { ...still, get parts() { return (reads++, still.parts); } } as ViewEntry; // prettier-ignore
    await finder.find(query, [watched]);
    const before = reads;
    const again = await finder.find(query, [watched, message("n", "user", "a a")]);
    assert.equal(again?.hits.length, 3);
    assert.equal(reads, before);
  });
});

describe("a search for the same words in another way", () => {
  it("has its own hits, although the entries did not change", async () => {
    const finder = new Finder(turn);
    const entries = [message("m", "user", "a.c abc ABC xabc")];
    const hits = async (how: Partial<FindQuery>): Promise<number | undefined> =>
      (await finder.find({ query: "a.c", matchCase: false, wholeWord: false, regex: false, ...how }, entries))?.hits
        .length;
    assert.equal(await hits({}), 1);
    assert.equal(await hits({ regex: true }), 4);
    assert.equal(await hits({ regex: true, matchCase: true }), 3);
    assert.equal(await hits({ regex: true, matchCase: true, wholeWord: true }), 2);
  });
});

describe("the searchable text", () => {
  it("has no Markdown syntax", () => {
    const source = "# Head\n\na **b** _c_ ~~d~~ `e`\nf <b>g</b> &amp; &#65; \\*\n\n1. one\n   - two\n- [x] done\n\n> quote\n\n| h |\n| - |\n| i |\n\n```js\nlet a;\n\nb\n```\n![pic](u.png) ![](v.png)"; // prettier-ignore
    assert.deepEqual(plainMarkdown(source).split("\n"), [
      "Head",
      "a b c d e f <b>g</b> & A *",
      "one",
      "two",
      "done",
      "quote",
      "h",
      "i",
      "let a;",
      "",
      "b",
      "pic v.png",
    ]);
  });

  it("has neither escape codes of terminal output nor overwritten characters", () => {
    assert.equal(plainTerminal("\u001b[1mbold\u001b[0m\r\n1%\r50%\r100%\ndone\r"), "bold\n100%\ndone\r");
  });
});

/** The number of occurrences, including overlapping ones. */
const occurrences = (text: string, wanted: string): number =>
  Array.from({ length: text.length }, (_, i) => text.slice(i)).filter(rest => rest.startsWith(wanted)).length;

/** The longest time in which no other work could run (ms). */
async function longestBlock(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let watching = true;
  const watch = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (watching) setImmediate(watch);
  };
  watch();
  await work();
  watching = false;
  return longest;
}
