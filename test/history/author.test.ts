// Who made a change: the table of evidence, row by row and against each other, and properties of all evidence.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  authorOf,
  ranAt,
  unknownTurn,
  type Author,
  type CallEvidence,
  type ChangeEvidence,
  type TurnEvidence,
} from "../../src/history/author.ts";
import { maxReportDelay } from "../../src/history/turnTimes.ts";

const call = (from: number, to?: number, more: Partial<CallEvidence> = {}): CallEvidence => ({
  ran: { from, ...(to !== undefined && { to }) },
  waited: [],
  namesFile: false,
  namesGit: false,
  ...more,
});
const turn = (id: string, from: number, to: number | undefined, ...calls: readonly CallEvidence[]): TurnEvidence => ({
  turn: id,
  ran: { from, ...(to !== undefined && { to }) },
  calls,
  isEarlier: false,
  canBeReported: to === undefined,
});
const evidence = (time: number | undefined, turns: readonly TurnEvidence[], more: Partial<ChangeEvidence> = {}) => ({
  time,
  turns,
  isCompared: false,
  isGone: false,
  isUsers: false,
  isSavedElsewhere: false,
  isDecided: false,
  isGits: false,
  ...more,
});
const shown = (author: Author): string => (author.kind === "agent" ? `agent ${author.turn}` : author.kind);

const names = { namesFile: true };
const git = { namesGit: true };
const running = turn("t", 10_000, undefined, call(20_000, 30_000));
const earlier: TurnEvidence = { ...turn("t", 10_000, 50_000), isEarlier: true };
const over = turn("t", 10_000, 50_000, call(20_000, 30_000));
const justOver = { ...over, canBeReported: true };
const edited = turn("t", 10_000, undefined, call(20_000, 30_000, names));
const asked = turn("t", 10_000, undefined, call(20_000, undefined, { waited: [{ from: 21_000 }], ...names }));
const answered = turn("t", 10_000, undefined, call(20_000, undefined, { waited: [{ from: 21_000, to: 40_000 }] }));
const pulling = turn("t", 10_000, undefined, call(20_000, 30_000, git));
const both = (...calls: readonly CallEvidence[]): readonly TurnEvidence[] => [
  turn("a", 10_000, undefined, ...calls),
  turn("b", 10_000, undefined, call(20_000, 30_000)),
];

/** The title, the evidence, and the author. */
const table: readonly (readonly [title: string, evidence: ChangeEvidence, author: string])[] = [
  ["without any turn", evidence(25_000, []), "nobody"],
  ["before the turn", evidence(9000, [running]), "nobody"],
  [
    "before the turn, just before the first report of a call that names the file",
    evidence(9900, [turn("t", 10_000, undefined, call(10_300, undefined, names))]),
    "nobody",
  ],
  ["after the turn", evidence(60_000, [justOver]), "nobody"],
  ["in a turn that has just ended, or is being compared", evidence(25_000, [justOver]), "agent t"],
  ["in a turn that ended long ago", evidence(25_000, [over]), "nobody"],
  ["in such a turn, as its comparison shows", evidence(25_000, [over], { isCompared: true }), "agent t"],
  ["while a call runs", evidence(25_000, [running]), "agent t"],
  ["before the call", evidence(19_000, [running]), "meanwhile"],
  ["just before its first report", evidence(19_700, [running]), "agent t"],
  ["after the call", evidence(31_000, [running]), "meanwhile"],
  ["after a call that names the file", evidence(31_000, [edited]), "agent t"],
  ["long after a call that names the file", evidence(36_000, [edited]), "meanwhile"],
  ["in a turn without calls", evidence(25_000, [turn("t", 10_000, undefined)]), "meanwhile"],
  [
    "before the only report of a call",
    evidence(17_000, [turn("t", 10_000, undefined, call(20_000, 20_000))]),
    "agent t",
  ],
  ["long before it", evidence(14_000, [turn("t", 10_000, undefined, call(20_000, 20_000))]), "meanwhile"],
  ["while the call waits for permission", evidence(30_000, [asked]), "meanwhile"],
  ["before the call waits", evidence(20_500, [asked]), "agent t"],
  ["while the call waited", evidence(30_000, [answered]), "meanwhile"],
  ["after the answer", evidence(45_000, [answered]), "agent t"],
  ["in a turn of an earlier window", evidence(25_000, [earlier], { isCompared: true }), "agent t"],
  ["after that turn", evidence(60_000, [earlier], { isCompared: true }), "nobody"],
  ["by the user in the editor", evidence(25_000, [edited], { isUsers: true }), "user"],
  ["and accepted", evidence(25_000, [edited], { isDecided: true }), "user"],
  ["and saved in another window", evidence(25_000, [running], { isSavedElsewhere: true }), "user"],
  ["by git in a turn", evidence(12_000, [running], { isGits: true }), "git"],
  ["by git while a call runs", evidence(25_000, [running], { isGits: true }), "git"],
  ["by git while a call runs that names git", evidence(25_000, [pulling], { isGits: true }), "agent t"],
  ["by git after a call that names git", evidence(35_000, [pulling], { isGits: true }), "git"],
  ["to what git has, by a call that names the file", evidence(25_000, [edited], { isGits: true }), "agent t"],
  ["by git, seconds after a call that names the file", evidence(32_000, [edited], { isGits: true }), "git"],
  [
    "by a call that reports after its turn",
    evidence(95_000, [turn("t", 1, 2, call(90_000, undefined, names))]),
    "agent t",
  ],
  ["by another call after its turn", evidence(95_000, [turn("t", 1, 2, call(90_000))]), "nobody"],
  ["at an unknown time in a turn with calls", evidence(undefined, [running]), "agent t"],
  ["at an unknown time in a turn without calls", evidence(undefined, [turn("t", 1, undefined)]), "meanwhile"],
  ["and gone, in a folder that changed later", evidence(60_000, [over], { isGone: true, isCompared: true }), "agent t"],
  [
    "and gone, in a turn without calls",
    evidence(60_000, [turn("t", 1, 2)], { isGone: true, isCompared: true }),
    "meanwhile",
  ],
  ["while only one of two turns has a call", evidence(25_000, both()), "agent b"],
  ["while two turns have a call", evidence(25_000, both(call(20_000, 30_000))), `agent ${unknownTurn}`],
  ["while one of two calls names the file", evidence(25_000, both(call(20_000, 30_000, names))), "agent a"],
  ["while no call of two turns runs", evidence(35_000, both()), "meanwhile"],
  [
    "while one of two turns ran",
    evidence(15_000, [turn("a", 1000, undefined, call(14_000)), turn("b", 16_000, undefined, call(16_000))]),
    "agent a",
  ],
];

describe("who made a change", () => {
  for (const [title, one, author] of table)
    it(`${title}: ${author}`, () => {
      const found = authorOf(one);
      assert.equal(shown(found), author);
      assert.match(found.why, /\.$/);
    });

  const period = fc.tuple(fc.nat(100_000), fc.option(fc.nat(20_000))).map(([from, length]) => ({
    from,
    ...(length !== null && { to: from + length }),
  }));
  const anyCall: fc.Arbitrary<CallEvidence> = fc.record({
    ran: period,
    waited: fc.array(period, { maxLength: 2 }),
    namesFile: fc.boolean(),
    namesGit: fc.boolean(),
  });
  const anyTurn: fc.Arbitrary<TurnEvidence> = fc.record({
    turn: fc.constantFrom("a", "b", "c"),
    ran: period,
    calls: fc.array(anyCall, { maxLength: 4 }),
    isEarlier: fc.boolean(),
    canBeReported: fc.boolean(),
  });
  const anyEvidence: fc.Arbitrary<ChangeEvidence> = fc.record({
    time: fc.option(fc.nat(120_000), { nil: undefined }),
    isCompared: fc.boolean(),
    isGone: fc.boolean(),
    isUsers: fc.boolean(),
    isSavedElsewhere: fc.boolean(),
    isDecided: fc.boolean(),
    isGits: fc.boolean(),
    turns: fc.uniqueArray(anyTurn, { selector: ({ turn: id }) => id, maxLength: 3 }),
  });

  it("is the user for everything that the user did in the editor, whatever ran", () => {
    fc.assert(fc.property(anyEvidence, one => authorOf({ ...one, isUsers: true }).kind === "user"));
  });

  it("is an agent only with a call of that turn, or with a turn whose calls are not known", () => {
    fc.assert(
      fc.property(anyEvidence, one => {
        const author = authorOf(one);
        if (author.kind !== "agent") return true;
        const turns = author.turn === unknownTurn ? one.turns : one.turns.filter(({ turn: id }) => id === author.turn);
        return turns.some(({ calls, isEarlier }) => isEarlier || calls.length > 0);
      }),
    );
  });

  it("does not depend on the order of turns and calls", () => {
    fc.assert(
      fc.property(anyEvidence, one => {
        const turns = one.turns.toReversed().map(each => ({ ...each, calls: each.calls.toReversed() }));
        assert.equal(shown(authorOf({ ...one, turns })), shown(authorOf(one)));
      }),
    );
  });

  it("is no agent if every call waited for permission at the time", () => {
    fc.assert(
      fc.property(anyEvidence, fc.nat(120_000), (one, time) => {
        const waited = [{ from: time - 1000, to: time + 1000 }];
        const turns = one.turns.map(each => ({
          ...each,
          isEarlier: false,
          ran: { from: time - 5000, to: time + 5000 },
          calls: each.calls.map(other => ({ ...other, waited })),
        }));
        return authorOf({ ...one, time, turns }).kind !== "agent";
      }),
    );
  });

  it("is never an agent instead of git without a call that names git or the file", () => {
    fc.assert(
      fc.property(anyEvidence, one => {
        const turns = one.turns.map(each => ({
          ...each,
          calls: each.calls.map(other => ({ ...other, namesFile: false, namesGit: false })),
        }));
        return authorOf({ ...one, turns, isGits: true }).kind !== "agent";
      }),
    );
  });

  it("counts a call with one report for the time before it", () => {
    assert.ok(ranAt(call(20_000, 20_000), 20_000 - maxReportDelay));
    assert.ok(!ranAt(call(20_000, 20_000), 19_000 - maxReportDelay));
    assert.ok(!ranAt(call(20_000, 20_001), 20_000 - maxReportDelay));
  });
});
