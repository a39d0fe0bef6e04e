// The joined text of a conversation: what the search finds in it is what Find in Conversation finds at that entry, and it
// contains no secret that the log holds.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import { maskedPieces, maskText } from "../../src/base/mask.ts";
import { Finder } from "../../src/panel/find/finder.ts";
import type { FindHit, FindQuery } from "../../src/panel/find/findProtocol.ts";
import { searchPattern } from "../../src/panel/find/searchPattern.ts";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import type { SearchRow } from "../../src/panel/searchPage.ts";
import { Projector } from "../../src/panel/projection/projector.ts";
import { joinedHead, joinedParts, serializeJoinedText, type JoinedParts } from "../../src/search/joinedText.ts";
import { makeJoinedText } from "../../src/search/makeJoinedText.ts";
import { maxMarks, searchJoinedText } from "../../src/search/searchJoinedText.ts";
import { requiredLiterals, textProbe } from "../../src/search/textProbe.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { SessionState } from "../../src/session/state.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const fail = (error: unknown): void => assert.fail(String(error));

async function fileOf(state: SessionState): Promise<string> {
  return serializeJoinedText({ bytes: 7, ...(await makeJoinedText(state, turn, fail)) });
}
const stateOf = (...events: readonly SessionEvent[]): SessionState => replayAtOnce(logged(events), nullLog).state;
const says = (author: "user" | "agent", text: string, messageId: string): SessionEvent => ({
  ...{ type: "message", author, messageId },
  content: [{ type: "text", text }],
});
const plain = (query: string, how: Partial<FindQuery> = {}): FindQuery => ({
  ...{ query, matchCase: false, wholeWord: false, regex: false },
  ...how,
});
function partsOf(file: string): JoinedParts {
  const parts = joinedParts(file);
  assert.ok(parts, "the file is damaged");
  return parts;
}
function rowsIn(file: string, query: FindQuery, maxRows = 10_000): readonly SearchRow[] {
  const found = searchJoinedText(partsOf(file), searchPattern(query), query.regex, maxRows);
  assert.ok(found, "the lines do not fit");
  return found.rows;
}

describe("the joined text of a conversation", () => {
  const queries: fc.Arbitrary<FindQuery> = fc.record({
    query: fc.constantFrom(
      "x",
      "one",
      "t",
      "é",
      "👍",
      "o.e",
      "^t",
      "n$",
      "\\s",
      "[^a]*",
      "a|b",
      "w/",
      "(?=n)",
      "$",
      ".",
    ),
    matchCase: fc.boolean(),
    wholeWord: fc.boolean(),
    regex: fc.boolean(),
  });

  it("has the same hits in the same entries as Find in Conversation", async () => {
    let total = 0;
    const property = fc.asyncProperty(eventsArb, queries, async (events, query) => {
      const state = stateOf(...events);
      const file = await fileOf(state);
      const views: ViewEntry[] = [];
      const projector = new Projector();
      for (let i = 0; i < state.entries.length; i++) views.push(projector.entryAt(state, i) as ViewEntry);
      const found = await new Finder(turn).find(query, views);
      assert.ok(found && !found.truncated && !found.problem);
      const expected = found.hits.map(({ entry, text }) => [entry, text]);
      const rows = rowsIn(file, query);
      const bytes = Buffer.from(file);
      const mayHaveHits = textProbe(query)?.(bytes, bytes.indexOf("\n"), bytes.length) ?? true;
      assert.ok(mayHaveHits || rows.length === 0, "the probe left out a text with hits");
      // A line shows its first marks, and counts all its hits.
      const actual = rows.map(({ entry, line, hits, marks }) => ({
        ...{ entry: views[entry]?.id, hits },
        marks: marks.map(([from, to]) => line.slice(from, to)),
      }));
      let next = 0;
      const wanted = rows.map(({ hits }) => {
        const inLine = expected.slice(next, (next += hits));
        return { entry: inLine[0]?.[0], hits: inLine.length, marks: inLine.slice(0, maxMarks).map(([, text]) => text) };
      });
      assert.deepEqual(actual, wanted);
      assert.equal(next, expected.length);
      // The number of each line's first hit in its entry leads Find to the same hit.
      for (const { entry, nth, line, marks } of rows) {
        const inEntry: readonly FindHit[] = found.hits.filter(hit => hit.entry === views[entry]?.id);
        assert.equal(inEntry[nth]?.text, line.slice(...(marks[0] as [number, number])));
      }
      total += rows.length;
    });
    await fc.assert(property, { numRuns: 600 });
    assert.ok(total > 50, `only ${total} lines had hits`);
  });

  it("shows two lines of the same entry around a hit, and cuts long lines around it", async () => {
    const long = `${"a".repeat(500)} needle ${"b".repeat(500)}`;
    const file = await fileOf(
      stateOf(says("user", "before", "1"), says("user", `one\ntwo\nthree needle\nfour\n${long}`, "2")),
    );
    const [first, second] = rowsIn(file, plain("needle"));
    assert.deepEqual(first?.before, ["one", "two"]);
    assert.deepEqual([first.entry, first.nth, first.line], [1, 0, "three needle"]);
    assert.equal(first.after.length, 2);
    assert.ok(second && second.line.length <= 302 && second.line.startsWith("…") && second.line.endsWith("…"));
    assert.deepEqual(
      second.marks.map(([from, to]) => second.line.slice(from, to)),
      ["needle"],
    );
    assert.deepEqual([second.nth, second.before, second.after], [1, ["three needle", "four"], []]);
  });

  it("contains no secret that the log holds", async () => {
    const key = [
      "-----BEGIN RSA PRIVATE KEY-----",
      ..."ABCDEFGH".split("").map(c => c.repeat(60)),
      "-----END RSA PRIVATE KEY-----",
    ];
    const filler = "a line of a long output, which is masked in pieces\n".repeat(2000);
    const secrets = ["sk-abcdef0123456789abcdef", "hunter2hunter2", "A".repeat(60), "H".repeat(60)];
    const text = `${filler}export API_KEY=sk-abcdef0123456789abcdef\n${filler}${key.join("\n")}\n${filler}password=hunter2hunter2\n`;
    const file = await fileOf(
      stateOf(says("user", text, "1"), {
        ...{ type: "tool", toolCallId: "t" },
        patch: {
          ...{ title: "Run curl -H 'Authorization: Bearer hunter2hunter2'", kind: "execute", status: "completed" },
          locations: [{ path: "/w/token=hunter2hunter2.txt" }],
          content: [{ type: "content", content: { type: "text", text: `password=hunter2hunter2 ${text}` } }],
        },
      }),
    );
    for (const secret of secrets) assert.ok(!file.includes(secret), secret);
    assert.ok(file.includes("masked in pieces") && file.includes("•••"));
  });

  it("is masked in pieces as it is masked as a whole", () => {
    const line = fc.constantFrom(
      ...[
        "plain words",
        "",
        "token: abc123def456",
        "--password",
        "hunter2hunter2",
        "TOKEN=",
        "-----BEGIN PRIVATE KEY-----",
      ],
      ...[
        "MIIEvQIBADANBg",
        "-----END PRIVATE KEY-----",
        "Cookie: a=b; c=d",
        '{"apiKey": "x1y2z3"}',
        "https://u:pw@host/",
      ],
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 1, max: 100 }), (lines, length) => {
        const text = lines.join("\n");
        assert.equal([...maskedPieces(text, length)].join(""), maskText(text));
      }),
    );
  });

  it("names the files of tool calls relative to the folder", async () => {
    const call: SessionEvent = {
      ...{ type: "tool", toolCallId: "t" },
      patch: {
        locations: [{ path: "/elsewhere/a.ts" }],
        content: [{ type: "diff", path: "/elsewhere/b.ts", newText: "x" }],
      },
    };
    assert.deepEqual(partsOf(await fileOf(stateOf(call))).files, ["/elsewhere/a.ts", "/elsewhere/b.ts"]);
  });

  it("is refused if it is damaged anywhere", async () => {
    const file = await fileOf(stateOf(says("user", "needle\nneedle", "1"), says("user", "needle", "2")));
    const end = file.lastIndexOf("needle");
    for (const damaged of ["", "{}", '{"joined":0,"bytes":7}', '{"joined":1,"bytes":7}', '{"joined":2,"bytes":"7"}'])
      assert.equal(joinedHead(damaged), undefined, damaged);
    for (const damaged of ["", file.slice(0, 20), file.replace("joined", "other"), file.replace("[[", "[{")])
      assert.equal(joinedParts(damaged), undefined, damaged);
    const unfitting = partsOf(file.replace(/\n\[\[.*\]\]\n/, "\n[]\n"));
    assert.equal(searchJoinedText(unfitting, searchPattern(plain("needle")), false, 10), undefined);
    assert.equal(rowsIn(file.slice(0, end), plain("needle")).length, 2);
  });

  it("gives no more lines than asked for, and says that there are more", async () => {
    const file = await fileOf(stateOf(says("user", "needle\n".repeat(20), "1")));
    const found = searchJoinedText(partsOf(file), searchPattern(plain("needle")), false, 5);
    assert.deepEqual([found?.rows.length, found?.isCut], [5, true]);
    assert.equal(searchJoinedText(partsOf(file), searchPattern(plain("needle")), false, 20)?.isCut, false);
  });
});

describe("the probe of a text", () => {
  const has = (query: FindQuery, text: string): boolean => {
    const bytes = Buffer.from(text);
    return textProbe(query)?.(bytes, 0, bytes.length) ?? true;
  };

  it("leaves out texts without a hit, and no text with one", () => {
    for (const [query, hit, none] of [
      [plain("Parser"), "a pARSER", "a parse"],
      [plain("über Parser"), "ÜBER PARSER", "über parsen"],
      [plain("größe", { matchCase: true }), "die größe", "die Größe"],
      [plain("last[a-z]+ 12\\d", { regex: true }), "lastword 123", "the end"],
    ] as const) {
      assert.equal(has(query, hit), true, query.query);
      assert.equal(has(query, none), false, query.query);
    }
    // These letters have forms outside of ASCII.
    assert.ok(has(plain("kelvin"), "\u212Aelvin") && searchPattern(plain("kelvin")).test("\u212Aelvin"));
    assert.ok(has(plain("desk"), "de\u017f\u212A") && searchPattern(plain("desk")).test("de\u017f\u212A"));
  });

  it("takes only what each hit of an expression contains", () => {
    for (const [source, literals] of [
      ["parser", ["parser"]],
      ["a|b", []],
      ["colou?r", ["colo", "r"]],
      ["ab*c", ["a", "c"]],
      ["ab{0}c", ["a", "c"]],
      ["(abc)?de", ["de"]],
      ["[xyz]+abc", ["abc"]],
      ["a\\.b", ["a", "b"]],
      ["\\u0061bc", []],
      ["(?<!x)abc", ["abc"]],
      ["^abc$", ["abc"]],
    ] as const)
      assert.deepEqual(requiredLiterals(source), literals, source);
    const piece = fc.constantFrom(
      "a",
      "b",
      "c",
      "?",
      "*",
      "+",
      "(",
      ")",
      "[",
      "]",
      "{1}",
      "{0,2}",
      "|",
      "^",
      ".",
      "\\d",
      "\\.",
    );
    const property = fc.property(
      fc.array(piece, { maxLength: 8 }),
      fc.string({ unit: fc.constantFrom(..."abc.1") }),
      (pieces, text) => {
        const query = plain(pieces.join(""), { regex: true });
        let pattern: RegExp;
        try {
          pattern = searchPattern(query);
        } catch {
          return;
        }
        const match = pattern.exec(text);
        if (match && match[0] !== "")
          for (const literal of requiredLiterals(query.query)) assert.ok(match[0].includes(literal));
      },
    );
    fc.assert(property, { numRuns: 3000 });
  });
});
