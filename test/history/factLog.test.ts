// What the log of facts keeps, and what it says about a file.
import assert from "node:assert/strict";
import fc from "fast-check";
import { explainFile } from "../../src/history/explainFile.ts";
import { FactLog } from "../../src/history/factLog.ts";
import type { FileFact, WindowFact } from "../../src/history/facts.ts";

const path = "/w/a.txt";
const turn: WindowFact = { type: "turnBegan", turn: "1", title: "Fix it", session: "s", sessionTitle: "Fix sum" };
const agents: FileFact = { type: "attributed", path, author: { kind: "agent", turn: "1" }, text: "a\n" };
const others: FileFact = { type: "attributed", path, author: { kind: "others" }, text: "b\n" };
const typed = (line: number): FileFact => ({
  type: "attributed",
  path,
  author: { kind: "user" },
  text: "c\n",
  edits: [{ start: { line, character: 0 }, end: { line, character: 0 }, text: "x" }],
});

/** A log with facts at these seconds. */
function logOf(...facts: readonly (readonly [seconds: number, fact: FileFact | WindowFact])[]): FactLog {
  let now = 0;
  const log = new FactLog(() => now);
  for (const [seconds, fact] of facts) {
    now = seconds * 1000;
    log.note(fact);
  }
  return log;
}

const sentences = (log: FactLog, of = path): readonly string[] =>
  explainFile(log, of, folder => folder === "/w").map(({ sentence }) => sentence);

describe("the explanation of a file", () => {
  it("names the session whose agent wrote the file, once for each write", () => {
    const write: readonly FileFact[] = [
      { type: "writeBegan", path, turn: "1", text: "a\n" },
      agents,
      { type: "writeEnded", path, turn: "1" },
      agents,
    ];
    const log = logOf([0, turn], ...write.map(fact => [1, fact] as const));
    assert.deepEqual(sentences(log), ["The agent of “Fix sum” wrote the file through the editor."]);
  });

  it("joins what the user types within a minute, and names at most five lines", () => {
    const log = logOf([0, typed(6)], [1, typed(3)], [2, typed(3)], [70, typed(9)]);
    assert.deepEqual(sentences(log), ["You changed lines 4, 7 in the editor.", "You changed line 10 in the editor."]);
    const [first] = explainFile(log, path, () => false);
    assert.deepEqual([first?.from, first?.to], [0, 2000]);
    const many = logOf(...[1, 2, 3, 4, 5, 6, 7].map(line => [line, typed(line)] as const));
    assert.deepEqual(sentences(many), ["You changed lines 2, 3, 4, 5, 6 and 2 more in the editor."]);
  });

  it("names what git did if HEAD moved at the time in the repository of the file", () => {
    const move = (folder: string): WindowFact => ({ type: "headMoved", folder, what: "checkout: moving from a to b" });
    const byGit = "git replaced the content of the file (checkout: moving from a to b).";
    assert.deepEqual(sentences(logOf([0, others], [3, move("/w")])), [byGit]);
    assert.deepEqual(sentences(logOf([0, move("/w")], [4, others])), [byGit]);
    const unknown = ["Another program replaced the content of the file."];
    assert.deepEqual(sentences(logOf([0, move("/w")], [9, others])), unknown);
    assert.deepEqual(sentences(logOf([0, move("/other")], [0, others])), unknown);
  });

  it("follows a file that the user moves with its folder, that an agent moves, and that Undo moves back", () => {
    const log = logOf(
      [0, turn],
      [1, { ...agents, path: "/w/in/a.txt" }],
      [2, { type: "userMoved", from: "/w/in", path: "/w/to" }],
      [3, { ...agents, path: "/w/b.txt", movedFrom: "/w/to/a.txt" }],
      [4, { type: "decided", path: "/w/to/a.txt", movedFrom: "/w/b.txt", decision: "undo" }],
    );
    assert.deepEqual(sentences(log, "/w/to/a.txt"), [
      "The agent of “Fix sum” changed the file on disk.",
      "You moved the file here from /w/in/a.txt.",
      "The agent of “Fix sum” moved the file here from /w/to/a.txt.",
      "Undo moved the file back from /w/b.txt.",
    ]);
    assert.deepEqual(log.paths, ["/w/to/a.txt"]);
  });

  it("gives the evidence for an agent, and names the user if the evidence does", () => {
    const log = logOf(
      [0, turn],
      [1, { ...agents, why: "A tool call ran." }],
      [2, { ...others, why: "You saved the file in another window." }],
      [3, { ...others, author: { kind: "git" } }],
      [4, { ...others, author: { kind: "meanwhile" } }],
    );
    assert.deepEqual(sentences(log), [
      "The agent of “Fix sum” changed the file on disk. A tool call ran.",
      "You saved the file in another window.",
      "git replaced the content of the file.",
      "The file was changed while no tool call of an agent ran, perhaps by you.",
    ]);
  });

  it("shows titles and paths on one line, without characters that hide others", () => {
    const log = logOf([0, { ...turn, sessionTitle: "a\n10:00:00  You\u202e" }], [1, agents]);
    assert.deepEqual(sentences(log), ["The agent of “a⏎10:00:00  You[U+202E]” changed the file on disk."]);
  });
});

describe("the log of facts", () => {
  it("keeps no texts, and a bounded number of facts, files, turns and moves of HEAD", () => {
    const log = new FactLog(() => 0);
    const secret = "the text of the file";
    for (let n = 0; n < 3000; n++) {
      log.note({ ...turn, turn: `${n}` });
      log.note({ type: "headMoved", folder: "/w", what: `${n}` });
      log.note({ ...agents, path: `/w/${n}`, text: secret });
      log.note({ ...agents, text: secret });
    }
    assert.equal(log.paths.length, 1000);
    assert.equal(log.factsOf(path).length, 200);
    assert.equal(log.headMoves.length, 100);
    assert.equal(log.turn("2499"), undefined);
    assert.ok(log.turn("2999"));
    assert.ok(!JSON.stringify(log.paths.map(one => log.factsOf(one))).includes(secret));
  });

  it("loses no fact of the files that it knows, in whatever order files are changed and moved", () => {
    const names = fc.constantFrom("/w/a", "/w/b", "/w/in/a", "/w/in/b");
    const facts = fc.array(
      fc.oneof(
        names.map((name): FileFact => ({ ...agents, path: name })),
        fc
          .tuple(fc.constantFrom("/w/in", "/w/a"), fc.constantFrom("/w/to", "/w/c"))
          .map(([from, to]): FileFact => ({ type: "userMoved", from, path: to })),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(facts, all => {
        const log = logOf(...all.map((fact, at) => [at, fact] as const));
        const kept = log.paths.flatMap(one => log.factsOf(one));
        const changes = all.filter(({ type }) => type === "attributed").length;
        assert.equal(kept.filter(({ type }) => type === "attributed").length, changes);
        for (const one of log.paths) {
          const times = log.factsOf(one).map(({ at }) => at);
          assert.deepEqual(
            times,
            times.toSorted((a, b) => a - b),
          );
        }
      }),
    );
  });
});
