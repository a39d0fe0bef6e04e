// What VS Code may reorder makes no difference: the watcher, the reload of a document, what is read, and reports arrive in
// any order, and the record and the hunks are the same. Each case is a race that was once a fault.
import assert from "node:assert/strict";
import fc from "fast-check";
import { meanwhileTurn, unknownTurn } from "../../src/history/author.ts";
import { NoticedFile, type FinalState, type Step } from "../support/fakes/noticedFile.ts";

const a = "one\ntwo\nthree\n";
const b = "one\nTWO\nthree\n";
const c = "one\nTWO\nTHREE\n";

interface Race {
  readonly title: string;
  /** The text before. Null: there is no file. By default {@link a}. */
  readonly text?: string | null;
  readonly steps: readonly Step[];
  readonly hunks: readonly string[];
  /** The text at the end. Absent: it is known only if something was noticed. */
  readonly end?: string | null;
}

const begins: Step = file => file.turnBegan("1");
const ends: Step = file => file.turnEnded("1");
const runs: Step = file => file.call("x", "in_progress");
const ran: Step = file => file.call("x", "completed");
const writes =
  (text: string | null): Step =>
  file =>
    file.written(text);
const opens: Step = file => file.opens();
const seen: Step = file => file.seen();

const races: readonly Race[] = [
  {
    // 9555788, af39a27: watcher before reload, reload before watcher, and both around the end of the turn.
    title: "an agent's write to an open file",
    steps: [begins, opens, runs, writes(b), ran, ends],
    hunks: ["1: two → TWO"],
    end: b,
  },
  {
    // 140b69e: changes that follow each other at once.
    title: "two writes to an open file, one after the other",
    steps: [begins, opens, runs, writes(b), writes(c), ran, ends],
    hunks: ["1: two|three → TWO|THREE"],
    end: c,
  },
  {
    // ee85ec7: the text at the start of the turn is read only when it is needed.
    title: "a write to a file of which only the start of the turn is known",
    steps: [begins, runs, writes(b), ran, ends],
    hunks: ["1: two → TWO"],
    end: b,
  },
  {
    // fb0eb2c: another program empties a file to write it.
    title: "a write that empties the file first",
    steps: [begins, opens, runs, writes(""), writes(b), ran, ends],
    hunks: ["1: two → TWO"],
    end: b,
  },
  {
    // af39a27: a file that was there only within the turn.
    title: "a temporary file",
    text: null,
    steps: [begins, runs, writes(b), writes(null), ran, ends],
    hunks: [],
  },
  {
    title: "a deletion",
    steps: [begins, seen, runs, writes(null), ran, ends],
    hunks: ["1: one|two|three → "],
    end: null,
  },
  {
    title: "a new file",
    text: null,
    steps: [begins, runs, writes(b), ran, ends],
    hunks: ["1:  → one|TWO|three"],
    end: b,
  },
  {
    // d09012b: a late notice of what the user saved in the turn.
    title: "typing and saving in a turn, and typing again",
    steps: [
      begins,
      opens,
      runs,
      file => file.types("mine"),
      file => file.saves(),
      file => file.types("more"),
      ran,
      ends,
    ],
    hunks: [],
    end: `more\nmine\n${a}`,
  },
  {
    // dc1f602: a file that is reverted.
    title: "typing and reverting in a turn",
    steps: [begins, opens, runs, file => file.types("mine"), file => file.reverts(), ran, ends],
    hunks: [],
    end: a,
  },
  {
    // eda6e21, f429f46: what others changed before the turn is not the agent's, however late it is noticed.
    title: "a change by others just before the turn",
    steps: [opens, writes(b), begins, runs, ran, ends],
    hunks: [],
    end: b,
  },
  {
    // 9555788: the agent changed a closed file before anybody saw it.
    title: "a write to a closed file that is opened then",
    steps: [begins, runs, writes(b), opens, ran, ends],
    hunks: ["1: two → TWO"],
    end: b,
  },
  {
    title: "a write before a call names the file",
    steps: [
      begins,
      runs,
      writes(b),
      seen,
      file => file.call("n", "in_progress", { names: true }),
      writes(c),
      ran,
      ends,
    ],
    hunks: ["1: two|three → TWO|THREE"],
    end: c,
  },
  {
    // 438ac60: a change of which no call can be the cause.
    title: "a change while no call runs",
    steps: [begins, opens, runs, ran, later, writes(b), ends],
    hunks: [`${meanwhileTurn}: two → TWO`],
    end: b,
  },
  {
    // ec59817: git brings a text.
    title: "a text that git brings",
    steps: [begins, opens, runs, file => file.written(b, "git"), ran, ends],
    hunks: [],
    end: b,
  },
  {
    // d056762: another window saves the file.
    title: "a save in another window",
    steps: [begins, opens, runs, file => file.written(b, "elsewhere"), ran, ends],
    hunks: [],
    end: b,
  },
  {
    // c27465a: writes through Parley, with notices during and after them.
    title: "a write through Parley",
    steps: [begins, opens, runs, file => file.writeBegins("1", b), file => file.writeEnds("1", b), ran, ends],
    hunks: ["1: two → TWO"],
    end: b,
  },
  {
    title: "a write through Parley to a closed file",
    steps: [begins, seen, runs, file => file.writeBegins("1", b), file => file.writeEnds("1", b), ran, ends],
    hunks: ["1: two → TWO"],
    end: b,
  },
  {
    // The agent writes to disk first, and sends the request afterwards.
    title: "a write to disk, and then the same through Parley",
    steps: [
      begins,
      opens,
      runs,
      writes(b),
      file => file.writeBegins("1", c),
      file => file.writeEnds("1", c),
      ran,
      ends,
    ],
    hunks: ["1: two|three → TWO|THREE"],
    end: c,
  },
  {
    // 002ea2a: two turns at once. The call that names the file tells which one it was, also if it reports later.
    title: "a write of one of two turns",
    steps: [
      file => file.turnBegan("1", "s"),
      file => file.turnBegan("2", "t"),
      opens,
      file => file.call("x", "in_progress", { session: "s" }),
      file => file.call("y", "in_progress", { session: "t" }),
      writes(b),
      file => file.call("y", "completed", { session: "t", names: true }),
      file => file.call("x", "completed", { session: "s" }),
      file => file.turnEnded("1"),
      file => file.turnEnded("2"),
    ],
    hunks: ["2: two → TWO"],
    end: b,
  },
  {
    title: "a write that no call of two turns names",
    steps: [
      file => file.turnBegan("1", "s"),
      file => file.turnBegan("2", "t"),
      opens,
      file => file.call("x", "in_progress", { session: "s" }),
      file => file.call("y", "in_progress", { session: "t" }),
      writes(b),
      file => file.call("x", "completed", { session: "s" }),
      file => file.call("y", "completed", { session: "t" }),
      file => file.turnEnded("1"),
      file => file.turnEnded("2"),
    ],
    hunks: [`${unknownTurn}: two → TWO`],
    end: b,
  },
  {
    // 05daa4e, 438c903: an undo, and what is noticed at that moment.
    // The review itself takes its hunk away, so no other change is noticed.
    title: "an undo just after the write",
    steps: [begins, opens, runs, writes(b), ran, ends, loads, file => file.decides("undo", a)],
    hunks: ["1: two → TWO"],
    end: a,
  },
  {
    // 438c903: what is read before a decision arrives after it.
    title: "an undo while the disk is read",
    steps: [begins, opens, runs, writes(b), ran, ends, loads, touches, touches, file => file.decides("undo", a)],
    hunks: ["1: two → TWO"],
    end: a,
  },
  {
    // dc1f602: a call that the turn left open writes long after it, and reports that then.
    title: "a write of a call that ends after its turn",
    steps: [
      begins,
      opens,
      file => file.call("n", "in_progress", { names: true }),
      ends,
      loads,
      later,
      writes(b),
      file => file.call("n", "completed", { names: true }),
    ],
    hunks: ["1: two → TWO"],
    end: b,
  },
  {
    // The same write without a report is not the agent's.
    title: "a change by others long after a turn that left a call open",
    steps: [begins, opens, file => file.call("n", "in_progress", { names: true }), ends, loads, later, writes(b)],
    hunks: [],
  },
  {
    // d515692: what the agent deletes is the text on disk, not that in the editor.
    title: "a deletion below unsaved text",
    steps: [begins, opens, runs, file => file.types("mine"), writes(null), ran, ends],
    hunks: ["1: one|two|three → "],
    end: null,
  },
  {
    // The user's deletion, which the disk shows before VS Code reports it.
    title: "a deletion by the user in the editor",
    steps: [begins, seen, runs, file => file.userDeletes(), ran, ends],
    hunks: [],
    end: null,
  },
  {
    // c5857a9: a turn begins while what was read before it is on its way.
    title: "a write in the next turn, while the first one is examined",
    steps: [
      begins,
      opens,
      runs,
      writes(b),
      ran,
      ends,
      loads,
      file => file.turnBegan("2"),
      file => file.call("z", "in_progress"),
      writes(c),
      file => file.call("z", "completed"),
      file => file.turnEnded("2"),
    ],
    hunks: ["1+2: two|three → TWO|THREE"],
    end: c,
  },
];

/** So much time passes that a change is neither just before nor just after what happened. */
function later(file: NoticedFile): void {
  file.passes(6000);
}

/** The watcher reports the file, although it has not changed. */
function touches(file: NoticedFile): void {
  file.touched();
}

/** Everything is noticed before the next step. */
function loads(file: NoticedFile): void {
  file.settle();
}

const orders = fc.infiniteStream(fc.nat(11));

async function finalState({ text = a, steps, end }: Race, order: Iterable<number>): Promise<FinalState> {
  const state = await new NoticedFile(text, order).run(steps);
  return end === undefined ? { ...state, text: undefined } : state;
}

describe("the order in which changes are noticed makes no difference to", () => {
  for (const race of races)
    it(race.title, async () => {
      const wanted: FinalState = { text: race.end, hunks: race.hunks, waits: [] };
      await fc.assert(
        fc.asyncProperty(orders, async order => assert.deepEqual(await finalState(race, order), wanted)),
        { numRuns: 300 },
      );
    });
});
