// A file with a change of the agent but no known base. It stays listed until the user decides or a commit contains it.
import assert from "node:assert/strict";
import type { FileState } from "../../src/files/fileState.ts";
import type { FileTextStep } from "../../src/files/ports.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { undividedWork } from "../support/fakes/undividedWork.ts";
import type { EarlierFileStates } from "../../src/review/reviewDecision.ts";
import { WindowReview } from "../../src/review/windowReview.ts";

/** The states of files whose only state before is this one. */
const earlierStates = (stateFor: (text: string | null | undefined) => FileState): EarlierFileStates => ({
  settled: () => Promise.resolve(),
  has: () => true,
  wasMissing: () => false,
  stateFor: (_, text) => Promise.resolve(stateFor(text)),
  isChanged: () => Promise.resolve(false),
  moved: () => {},
  movedIsGone: () => {},
  onDidChange: () => ({ dispose: () => {} }),
});

describe("a changed file without a known base", () => {
  const path = "/folder/made.bin";
  const waiting = (): WindowReview => {
    const never = (): Promise<never> => Promise.reject(new Error("Nothing is applied."));
    const port = { apply: never, move: never };
    const review = new WindowReview({ port, schedule: run => run(), slices: undividedWork });
    review.turnBegan("t1", "Make it");
    review.agentChangedWithoutBase(path, "one\ntwo\n", "t1", "There is no earlier text.");
    return review;
  };
  const why = (review: WindowReview): string | undefined => review.file(path)?.unknown;

  it("stays listed when the user edits it, and when another tool replaces its text", () => {
    const review = waiting();
    const insertion = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, text: "zero\n" };
    void review.userChanged(path, [insertion], "zero\none\ntwo\n");
    assert.equal(why(review), "There is no earlier text.");
    void review.replaced(path, "other\n");
    assert.equal(why(review), "There is no earlier text.");
    assert.deepEqual(review.file(path)?.changes.hunks, []);
    assert.equal(review.stored().files[0]?.unknown, "There is no earlier text.");
  });

  it("is removed when a commit contains its text, and stays when the commit contains another text", () => {
    const review = waiting();
    void review.committed(path, "older\n");
    assert.equal(why(review), "There is no earlier text.");
    void review.committed(path, "one\ntwo\n");
    assert.equal(review.file(path), undefined);
  });

  it("has the time of its acceptance, until it changes again", async () => {
    let time = 1000;
    const never = (): Promise<never> => Promise.reject(new Error("Nothing is applied."));
    const review = new WindowReview({
      ...{ port: { apply: never, move: never }, schedule: run => run(), slices: undividedWork },
      now: () => time,
    });
    review.agentChangedWithoutBase(path, null, "t1", "It is binary.");
    assert.equal(review.decided.decidedAt(path), undefined);
    time = 2000;
    await review.keep({ kind: "all" });
    assert.equal(review.decided.decidedAt(path), 2000);
    await review.undoLast();
    assert.equal(review.decided.decidedAt(path), undefined, "it waits again");
    await review.keep({ kind: "all" });
    review.agentChangedWithoutBase(path, null, "t2", "It is binary.");
    assert.equal(review.decided.decidedAt(path), undefined);
  });

  it("has the time of its undo if nothing is left of it", async () => {
    for (const [state, time] of [
      [{ kind: "missing" }, 1000],
      [{ kind: "link", target: "other" }, undefined],
    ] as const) {
      const review = new WindowReview({
        port: {
          apply: () => Promise.resolve({ failed: new Map(), replaced: new Map() }),
          move: () => Promise.resolve(undefined),
        },
        schedule: run => run(),
        slices: undividedWork,
        earlier: earlierStates(() => state),
        now: () => 1000,
      });
      review.agentChangedWithoutBase(path, null, "t1", "It is binary.");
      await review.undo({ kind: "all" });
      assert.deepEqual(review.files, []);
      assert.equal(review.decided.decidedAt(path), time);
    }
  });

  it("has hunks from the agent's next edit on, if the text before that edit is known", () => {
    const review = waiting();
    void review.agentChanged(path, "one\ntwo\n", "one\n2\n", "t1");
    assert.equal(why(review), undefined);
    assert.equal(review.file(path)?.changes.hunks.length, 1);
  });
});

describe("the number of decisions about a file", () => {
  const path = "/folder/a.txt";

  it("rises with each decision about it, so that a look that began before one is made again", async () => {
    const port = {
      apply: () => Promise.resolve({ failed: new Map(), replaced: new Map() }),
      move: () => Promise.resolve(undefined),
    };
    const review = new WindowReview({ port, schedule: run => run(), slices: undividedWork });
    const counts: number[] = [];
    const decide = async (decision: Promise<unknown>): Promise<void> => {
      await decision;
      counts.push(review.decided.countOf(path));
    };
    await review.agentChanged(path, "one\n", "two\n", "t1");
    await review.agentChanged("/folder/b.txt", "one\n", "two\n", "t1");
    await decide(review.undo({ kind: "file", path: "/folder/b.txt" }));
    await decide(review.undo({ kind: "file", path }));
    await decide(review.undoLast());
    await decide(review.keep({ kind: "all" }));
    await decide(review.restoreFiles([{ path, before: "two\n", after: "one\n" }], undefined));
    await decide(review.applyChanges([{ path, before: "one\n", after: "three\n", what: "" }], "t2"));
    assert.deepEqual(counts, [0, 1, 2, 3, 4, 5]);
  });
});

describe("lines that the agent and the user wrote", () => {
  const path = "/folder/a.txt";
  const typed = (text: string): WindowReview => {
    const port = {
      apply: () => Promise.resolve({ failed: new Map(), replaced: new Map() }),
      move: () => Promise.resolve(undefined),
    };
    const review = new WindowReview({ port, schedule: run => run(), slices: undividedWork });
    review.turnBegan("t1", "Change it");
    void review.agentChanged(path, "a\nb\nc\nd\n", text, "t1");
    const place = { line: 1, character: 1 };
    const [head, ...rest] = text.split("\nB");
    void review.userChanged(path, [{ start: place, end: place, text: "!" }], `${head}\nB!${rest.join("\nB")}`);
    return review;
  };

  it("stay under review when a file is undone, and a message names them", async () => {
    const review = typed("a\nB\nC\nd\n");
    assert.deepEqual(await review.undoLosses({ kind: "all" }), []);
    await rejectsWithRefusal("failed", /Line 2 of “\/folder\/a.txt” has your text/, review.undo({ kind: "all" }));
    assert.equal(review.file(path)?.changes.text, "a\nB!\nc\nd\n");
    assert.equal(review.file(path)?.changes.hunks.length, 1);
    await review.undoLast();
    assert.equal(review.file(path)?.changes.text, "a\nB!\nC\nd\n");
  });

  it("are listed before an undo that would change nothing", async () => {
    const review = typed("a\nB\nc\nd\n");
    const [loss] = await review.undoLosses({ kind: "all" });
    assert.match(loss?.why ?? "", /Line 2 .* stays under review/);
  });
});

describe("a hunk of two turns", () => {
  const path = "/folder/a.txt";
  const changed = (): WindowReview => {
    const port = {
      apply: () => Promise.resolve({ failed: new Map(), replaced: new Map() }),
      move: () => Promise.resolve(undefined),
    };
    const review = new WindowReview({ port, schedule: run => run(), slices: undividedWork });
    review.turnBegan("t1", "First");
    void review.agentChanged(path, "a\nb\nc\nd\n", "a\nB\nc\nd\n", "t1");
    review.turnBegan("t2", "Second");
    void review.agentChanged(path, "a\nb\nc\nd\n", "a\nB2\nc\nd\nE\n", "t2");
    return review;
  };

  it("is named before the second turn is undone, and the first turn's text can stay", async () => {
    const review = changed();
    assert.deepEqual(review.sharedTurn("t2"), { hunks: 1, isEarlierKnown: true });
    await review.undo({ kind: "turn", turn: "t2", keepsEarlier: true });
    assert.equal(review.file(path)?.changes.text, "a\nB\nc\nd\n");
    assert.deepEqual(review.file(path)?.turns, ["t1"]);
    await review.undoLast();
    assert.equal(review.file(path)?.changes.text, "a\nB2\nc\nd\nE\n");
    await review.undo({ kind: "turn", turn: "t2" });
    assert.equal(review.file(path), undefined);
  });

  it("is not named if the text of no other turn is lost", async () => {
    const review = changed();
    await review.keep({ kind: "hunks", path, ids: ["1"] });
    assert.equal(review.sharedTurn("t2"), undefined);
  });
});

describe("a file of which the agent changed only what no text contains", () => {
  const path = "/folder/run.sh";
  const state = (text: string): FileState => ({ kind: "file", bytes: Buffer.from(text), executable: false });
  const insertion = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, text: "mine\n" };
  const changed = (steps: FileTextStep[]): WindowReview => {
    const port = {
      apply: (some: readonly FileTextStep[]) => {
        steps.push(...some);
        return Promise.resolve({ failed: new Map(), replaced: new Map() });
      },
      move: () => Promise.resolve(undefined),
    };
    const earlier = earlierStates(text => state(text ?? "echo\n"));
    const review = new WindowReview({ port, earlier, schedule: run => run(), slices: undividedWork });
    review.turnBegan("t1", "Change it");
    review.agentChangedState(path, "t1", "The agent made the file executable.", "echo\n");
    void review.userChanged(path, [insertion], "mine\necho\n");
    return review;
  };

  it("keeps what the user typed when it is undone", async () => {
    const steps: FileTextStep[] = [];
    await changed(steps).undo({ kind: "all" });
    assert.deepEqual(steps, [{ path, before: undefined, after: undefined, state: state("mine\necho\n") }]);
  });

  it("keeps what the user typed in the base of the agent's next change, and over a reload", async () => {
    const steps: FileTextStep[] = [];
    const review = changed(steps);
    assert.equal(review.textOf(path), "mine\necho\n");
    const stored = review.stored();
    const next = changed([]);
    await next.keep({ kind: "all" });
    await next.restore(stored, () => Promise.resolve("more\nmine\necho\n"));
    assert.equal(next.textOf(path), "more\nmine\necho\n");
    await review.agentChanged(path, "mine\necho\n", "mine\necho\nagent's\n", "t1");
    assert.equal(review.file(path)?.unknown, undefined);
    assert.equal(review.file(path)?.changes.base, "mine\necho\n");
  });

  const replacedBinary = async (steps: FileTextStep[], type: (review: WindowReview) => void): Promise<WindowReview> => {
    const review = changed(steps);
    await review.keep({ kind: "all" });
    const moved = "/folder/made/binary";
    review.agentChangedWithoutBase(moved, null, "t1", "It is binary.");
    await review.agentMoved({ from: binary, to: moved, turn: "t1", before: undefined, why: "It is binary." });
    await review.agentChanged(binary, null, "text\n", "t2");
    type(review);
    review.agentChangedWithoutBase(moved, null, "t2", "It is binary.");
    return review;
  };
  const binary = "/folder/binary";

  it("gets its bytes back in one step if the agent moved and deleted it, and made another file in its place", async () => {
    const steps: FileTextStep[] = [];
    const review = await replacedBinary(steps, () => {});
    assert.deepEqual(
      review.files.map(one => [one.path, one.unknown]),
      [[binary, "It is binary."]],
    );
    await review.undo({ kind: "all" });
    assert.deepEqual(
      steps.map(step => [step.path, step.before]),
      [[binary, undefined]],
    );
  });

  it("is not put over what the user typed into that other file, and a message says so", async () => {
    const steps: FileTextStep[] = [];
    const review = await replacedBinary(steps, one => {
      void one.userChanged(binary, [{ ...insertion, text: "mine " }], "mine text\n");
    });
    assert.match((await review.undoLosses({ kind: "all" }))[0]?.why ?? "", /has your text and the agent's/);
    await rejectsWithRefusal("failed", /“\/folder\/binary”/, review.undo({ kind: "all" }));
    assert.deepEqual(steps, []);
    assert.equal(review.textOf(binary), "mine text\n");
  });
});
