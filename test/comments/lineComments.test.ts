// Comments and their lines: under edits, decisions, moves of files and reloads; and how they are stored.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog, type Clock } from "../../src/base/log.ts";
import {
  isLineComment,
  newComment,
  withRemark,
  withSentRemarks,
  withoutCollected,
  commentState,
  type LineComment,
} from "../../src/comments/lineComment.ts";
import { LineComments, type CommentFiles } from "../../src/comments/lineComments.ts";
import { textOfLines } from "../../src/comments/movedLines.ts";
import {
  hunkAt,
  changeLines,
  reviewComments,
  turnsAt,
  type CommentedReview,
} from "../../src/comments/reviewedComments.ts";
import { menuState } from "../../src/comments/shownThread.ts";
import { applyAgentEdit, keepHunks, track, undoHunks } from "../../src/review/fileChanges.ts";
import type { FileChanges } from "../../src/review/hunk.ts";
import type { ReviewedFile } from "../../src/review/review.ts";
import { smallestEdits } from "../../src/files/textEdits.ts";
import { textLinesOf } from "../../src/review/textLines.ts";

const uri = "file:///w/a.js";
const path = "/w/a.js";

/** Runs timers at once when the test says so. */
class ManualClock implements Clock {
  readonly #timers = new Set<() => void>();
  now(): number {
    return 0;
  }
  after(_ms: number, run: () => void): { dispose(): void } {
    this.#timers.add(run);
    return { dispose: () => this.#timers.delete(run) };
  }
  run(): void {
    for (const run of [...this.#timers]) {
      this.#timers.delete(run);
      run();
    }
  }
}

class MemoryFiles implements CommentFiles {
  readonly stored = new Map<string, string>();
  failure: string | undefined;
  read(): Promise<readonly LineComment[]> {
    return Promise.resolve([...this.stored.values()].map(text => JSON.parse(text) as unknown).filter(isLineComment));
  }
  write(comment: LineComment): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(new Error(this.failure));
    this.stored.set(comment.id, JSON.stringify(comment));
    return Promise.resolve();
  }
  remove(id: string): Promise<void> {
    this.stored.delete(id);
    return Promise.resolve();
  }
}

function bench(files = new MemoryFiles()) {
  const failures: string[] = [];
  const clock = new ManualClock();
  const comments = new LineComments({ files, clock, log: nullLog, onNotStored: reason => failures.push(reason) });
  const add = (text: string, line: number, more: Partial<LineComment> = {}): LineComment => {
    const id = `c${line}`;
    const place = { id, uri, path, lines: { from: line, to: line + 1 }, session: "s", ...more };
    const comment = withRemark(newComment(place, text), { id: `${id}r`, text: "Why?", at: line });
    comments.add(comment, text);
    return comment;
  };
  return { files, clock, comments, failures, add, get: (line: number) => comments.get(`c${line}`) };
}

/** A review with one file, of turns of the session "s". */
function reviewOf(changes: FileChanges, turns = ["t1", "t2"]): CommentedReview {
  const file = { path, changes, turns } as unknown as ReviewedFile;
  return {
    files: [file],
    file: one => (one === path && changes.hunks.length > 0 ? file : undefined),
    turns: turns.map(id => ({ id, title: id, session: { id: "s", title: "S" } })),
    onDidChange: () => ({ dispose() {} }),
  };
}
/** The session works on the comment in this turn. */
const working = (running: string) => ({ running, isQueued: false });
const send = (comments: LineComments, id: string, review?: CommentedReview): void =>
  comments.change(id, one => withSentRemarks(one, { session: "s", prompt: "p" }, review ? turnsAt(review, one) : []));

describe("comments on lines", () => {
  it("move with the edits of their document, and follow the text of their lines", () => {
    const { comments, add, get } = bench();
    add("a\nb\nc\n", 1);
    comments.edited(
      uri,
      [{ start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, text: "new\n" }],
      "new\na\nb\nc\n",
    );
    assert.deepEqual(get(1)?.lines, { from: 2, to: 3 });
    assert.equal(get(1)?.now, undefined);
    comments.edited(
      uri,
      [{ start: { line: 2, character: 1 }, end: { line: 2, character: 1 }, text: "!" }],
      "new\na\nb!\nc\n",
    );
    assert.deepEqual([get(1)?.quoted, get(1)?.now], ["b", "b!"]);
  });

  it("are at the right lines although the edits do not lead to the text", () => {
    const { comments, add, get } = bench();
    add("a\nb\nc\n", 1);
    comments.edited(uri, [], "x\ny\na\nb\nc\n");
    assert.deepEqual(get(1)?.lines, { from: 3, to: 4 });
  });

  it("say that their lines are gone, keep their text, and are back with the lines", () => {
    const { comments, add, get } = bench();
    add("a\nb\nc\n", 1);
    comments.replaced(uri, "a\nc\n");
    assert.deepEqual([get(1)?.gone, get(1)?.remarks[0]?.text, get(1)?.lines], ["removed", "Why?", { from: 1, to: 1 }]);
    comments.replaced(uri, "b\na\nc\n");
    assert.deepEqual([get(1)?.gone, get(1)?.lines], [undefined, { from: 0, to: 1 }]);
  });

  it("do not go to other lines with the same text", () => {
    const { comments, add, get } = bench();
    add("a {\n}\nb {\n}\n", 1);
    comments.replaced(uri, "a {\nb {\n}\n");
    assert.equal(get(1)?.gone, "removed");
    comments.replaced(uri, "new\na {\nb {\n}\n");
    assert.equal(get(1)?.gone, "removed");
    comments.replaced(uri, "new\na {\n}\nb {\n}\n");
    assert.deepEqual([get(1)?.gone, get(1)?.lines], [undefined, { from: 2, to: 3 }]);
  });

  it("are found by their text in a text that is too long to be compared", () => {
    const { comments, add, get } = bench();
    const long = "x\n".repeat(400_000);
    add(`${long}a\nb\n`, 400_001);
    comments.replaced(uri, `new\n${long}a\nb\n`);
    assert.deepEqual([get(400_001)?.gone, get(400_001)?.lines], [undefined, { from: 400_002, to: 400_003 }]);
  });

  it("go with their lines when the user moves these", () => {
    const { comments, add, get } = bench();
    add("a\nb\nc\n", 1);
    comments.replaced(uri, "b\na\nc\n");
    assert.deepEqual([get(1)?.gone, get(1)?.lines], [undefined, { from: 0, to: 1 }]);
  });

  it("are gone with their file, and back with it", () => {
    const { comments, add, get } = bench();
    add("a\nb\n", 1);
    comments.replaced(uri, null);
    assert.equal(get(1)?.gone, "removed");
    comments.replaced(uri, "b\n");
    assert.deepEqual([get(1)?.gone, get(1)?.lines], [undefined, { from: 0, to: 1 }]);
  });

  it("go with their file when it is renamed", () => {
    const { comments, add, get } = bench();
    add("a\nb\n", 1);
    comments.renamed(uri, { uri: "file:///w/b.js", path: "/w/b.js" });
    comments.replaced("file:///w/b.js", "x\na\nb\n");
    assert.deepEqual([get(1)?.path, get(1)?.lines], ["/w/b.js", { from: 2, to: 3 }]);
  });

  it("are stored soon, restored in the next window, and found in a text that changed meanwhile", async () => {
    const one = bench();
    one.add("a\nb\nc\n", 1);
    one.clock.run();
    await one.comments.flush();
    const next = bench(one.files);
    await next.comments.restore();
    assert.deepEqual(next.get(1), one.get(1));
    next.comments.replaced(uri, "x\nx\na\nb\nc\n");
    assert.deepEqual(next.get(1)?.lines, { from: 3, to: 4 });
  });

  it("are put back at their lines as they are now", () => {
    const { comments, add, get } = bench();
    add("a\nb\nb\n", 2);
    const removed = comments.remove("c2") as LineComment;
    comments.putBack(removed, "a\nb\nb\n", "a\nb\nx\nb\n");
    assert.deepEqual([get(2)?.gone, get(2)?.lines], [undefined, { from: 3, to: 4 }]);
    comments.edited(uri, [{ start: { line: 0, character: 0 }, end: { line: 1, character: 0 }, text: "" }], "b\nx\nb\n");
    assert.deepEqual(get(2)?.lines, { from: 2, to: 3 });
    comments.remove("c2");
    comments.putBack(removed, "a\nb\nb\n", null);
    assert.equal(get(2)?.gone, "removed");
  });

  it("keep what was sent when the rest is discarded", () => {
    const { comments, add, get } = bench();
    const one = add("a\nb\n", 1);
    assert.equal(withoutCollected(one), undefined);
    assert.equal(menuState(one), "collected");
    send(comments, "c1");
    const sent = get(1) as LineComment;
    const both = withRemark(sent, { id: "more", text: "And?", at: 2 });
    assert.equal(menuState(both), "collected.sent");
    assert.deepEqual(withoutCollected(both), sent);
  });

  it("are removed from the storage when they are discarded or resolved", async () => {
    const { comments, add, files } = bench();
    add("a\nb\n", 0);
    add("a\nb\n", 1);
    await comments.flush();
    assert.equal(files.stored.size, 2);
    comments.remove("c0");
    comments.change("c1", one => ({ ...one, isResolved: true }));
    await comments.flush();
    assert.deepEqual([files.stored.size, comments.all.length], [0, 1]);
  });

  it("report that they cannot be stored", async () => {
    const { comments, add, files, failures } = bench();
    files.failure = "The disk is full.";
    add("a\n", 0);
    await comments.flush();
    assert.deepEqual(failures, ["The disk is full."]);
  });
});

describe("comments on changes to review", () => {
  const base = "a\nb\nc\n";
  const changed = track(base, "a\nB\nc\n", "t1");

  it("belong to the hunk at their lines, and to its session", () => {
    const review = reviewOf(changed);
    assert.deepEqual(hunkAt(review, path, { from: 1, to: 2 }, "text"), { id: "1", session: "s" });
    assert.equal(hunkAt(review, path, { from: 0, to: 1 }, "text"), undefined);
    const { add } = bench();
    const comment = add("a\nB\nc\n", 1, { hunk: "1" });
    assert.deepEqual(changeLines(review, comment), ["-b", "+B"]);
  });

  it("say that their change was undone", () => {
    const { comments, add, get } = bench();
    add("a\nB\nc\n", 1, { hunk: "1" });
    reviewComments(comments, reviewOf(changed), () => undefined);
    comments.replaced(uri, base);
    reviewComments(comments, reviewOf(undoHunks(changed, ["1"]).changes), () => undefined);
    assert.deepEqual([get(1)?.gone, get(1)?.now ?? get(1)?.quoted], ["undone", "B"]);
    // The user reverts the decision.
    comments.replaced(uri, "a\nB\nc\n");
    assert.deepEqual([get(1)?.gone, get(1)?.lines], [undefined, { from: 1, to: 2 }]);
  });

  it("stay if their change is kept", () => {
    const { comments, add, get } = bench();
    add("a\nB\nc\n", 1, { hunk: "1" });
    reviewComments(comments, reviewOf(keepHunks(changed, ["1"])), () => undefined);
    assert.deepEqual([get(1)?.gone, get(1)?.hunk, get(1)?.lines], [undefined, undefined, { from: 1, to: 2 }]);
  });

  it("are answered by a later turn that changes their lines, and resolved by the decision on that change", () => {
    const { comments, add, get } = bench();
    add("a\nB\nc\n", 1, { hunk: "1" });
    send(comments, "c1", reviewOf(changed));
    reviewComments(comments, reviewOf(changed), () => undefined);
    assert.equal(commentState(get(1) as LineComment), "sent");
    const answered = applyAgentEdit(changed, "a\nBB\nc\n", "t2");
    comments.replaced(uri, "a\nBB\nc\n");
    reviewComments(comments, reviewOf(answered), () => working("t2"));
    assert.equal(commentState(get(1) as LineComment), "answered");
    reviewComments(
      comments,
      reviewOf(
        keepHunks(
          answered,
          answered.hunks.map(({ id }) => id),
        ),
      ),
      () => undefined,
    );
    assert.equal(commentState(get(1) as LineComment), "resolved");
  });

  it("are not answered by the turn that runs while they are queued", () => {
    const { comments, add, get } = bench();
    add("a\nB\nc\n", 1, { hunk: "1" });
    add("a\nB\nc\n", 2);
    for (const id of ["c1", "c2"]) send(comments, id, reviewOf(changed));
    const queued = () => ({ running: "t1", isQueued: true });
    reviewComments(comments, reviewOf(changed), queued);
    const goesOn = applyAgentEdit(changed, "a\nBB\nC\n", "t1");
    comments.replaced(uri, "a\nBB\nC\n");
    reviewComments(comments, reviewOf(goesOn), queued);
    reviewComments(comments, reviewOf(goesOn), () => working("t2"));
    // The review gets the last change of a turn late.
    const late = applyAgentEdit(goesOn, "a\nBBB\nC\n", "t1");
    comments.replaced(uri, "a\nBBB\nC\n");
    reviewComments(comments, reviewOf(late), () => working("t2"));
    assert.deepEqual(
      comments.all.map(one => commentState(one)),
      ["sent", "sent"],
    );
    const answered = applyAgentEdit(late, "a\nBBBB\nC\n", "t2");
    comments.replaced(uri, "a\nBBBB\nC\n");
    reviewComments(comments, reviewOf(answered), () => working("t2"));
    assert.equal(commentState(get(1) as LineComment), "answered");
  });

  it("are not resolved by the decision while a remark is not sent", () => {
    const { comments, add, get } = bench();
    add("a\nB\nc\n", 1, { hunk: "1" });
    send(comments, "c1", reviewOf(changed));
    const answered = applyAgentEdit(changed, "a\nBB\nc\n", "t2");
    comments.replaced(uri, "a\nBB\nc\n");
    reviewComments(comments, reviewOf(answered), () => working("t2"));
    comments.change("c1", one => withRemark(one, { id: "more", text: "Now rename it.", at: 2 }));
    const all = answered.hunks.map(({ id }) => id);
    reviewComments(comments, reviewOf(keepHunks(answered, all)), () => undefined);
    assert.equal(commentState(get(1) as LineComment), "collected");
    send(comments, "c1");
    assert.equal(commentState(get(1) as LineComment), "sent");
  });

  it("have no hunk in the text before one turn, whose lines are others", () => {
    const place = { uri: `parley-base:${path}?turn%3Dt2`, isBefore: true } as const;
    const { comments, add, get } = bench();
    const comment = add("a\nb\nc\n", 1, place);
    assert.deepEqual(turnsAt(reviewOf(changed), comment), []);
    send(comments, "c1");
    comments.change("c1", one => ({ ...one, isTouched: true }));
    reviewComments(comments, reviewOf(changed), () => undefined);
    assert.equal(commentState(get(1) as LineComment), "sent");
    const ofAll = bench().add("a\nb\nc\n", 1, { ...place, uri: `parley-base:${path}` });
    assert.deepEqual(turnsAt(reviewOf(changed), ofAll), ["t1"]);
  });

  it("are not answered by a change of the lines that the user typed, or by another session", () => {
    const { comments, add, get } = bench();
    add(base, 1);
    send(comments, "c1");
    comments.replaced(uri, "a\nmine\nc\n");
    // The agent has changed another line.
    reviewComments(comments, reviewOf(track("a\nmine\nx\n", "a\nmine\nc\n", "t1")), () => undefined);
    assert.equal(commentState(get(1) as LineComment), "sent");
    const others: CommentedReview = {
      ...reviewOf(track(base, "a\nmine\nc\n", "t1")),
      turns: [{ id: "t1", title: "", session: { id: "other", title: "" } }],
    };
    reviewComments(comments, others, () => undefined);
    assert.equal(commentState(get(1) as LineComment), "sent");
  });

  it("stay at their line, or say that it is gone, in any order of edits, decisions, moves and reloads", async () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constantFrom("agent" as const, "user" as const, "offline" as const),
        from: fc.nat(9),
        length: fc.nat(3),
        count: fc.nat(3),
      }),
      fc.record({ do: fc.constantFrom("keep" as const, "undo" as const), hunk: fc.nat(3) }),
      fc.record({ do: fc.constantFrom("rename" as const, "reload" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(5), async (steps, line) => {
        let text = "l0\nl1\nl2\nl3\nl4\nl5\n";
        let changes = track(text, text, "t0");
        let here = uri;
        let world = bench();
        let id = 100;
        world.add(text, line);
        const wanted = `l${line}`;
        let isThere = true;
        const review = (): void => reviewComments(world.comments, reviewOf(changes, ["t0", "t1"]), () => undefined);
        review();
        for (const one of steps) {
          const before = text;
          if (one.do === "agent" || one.do === "user" || one.do === "offline") {
            const lines = text.split("\n").slice(0, -1);
            const from = Math.min(one.from, lines.length);
            lines.splice(from, one.length, ...Array.from({ length: one.count }, () => `l${id++}`));
            text = lines.map(each => `${each}\n`).join("");
            changes = applyAgentEdit(changes, text, "t1");
          } else if (one.do === "keep" || one.do === "undo") {
            const hunk = changes.hunks[one.hunk % Math.max(1, changes.hunks.length)];
            if (hunk && one.do === "keep") changes = keepHunks(changes, [hunk.id]);
            else if (hunk) ({ changes } = undoHunks(changes, [hunk.id]));
            text = changes.text ?? "";
          } else if (one.do === "rename") {
            const to = `${here}x`;
            world.comments.renamed(here, { uri: to, path });
            here = to;
          }
          if (one.do === "reload" || one.do === "offline") {
            await world.comments.flush();
            world = bench(world.files);
            await world.comments.restore();
            world.comments.replaced(here, text);
          } else if (one.do === "user") world.comments.edited(here, rangeEdits(before, text), text);
          else if (text !== before) world.comments.replaced(here, text);
          review();
          const comment = world.get(line);
          assert.ok(comment, "the comment is kept");
          const isNow = text.split("\n").includes(wanted);
          isThere &&= isNow;
          if (isThere) assert.equal(textOfLines(text, comment.lines), wanted, "at its line");
          if (isNow) assert.equal(comment.gone, undefined, "a line that is there is not gone");
          const { from, to } = comment.lines;
          if (comment.gone === undefined) assert.ok(from < to && to <= textLinesOf(text).count, "at lines of the text");
          assert.equal(comment.remarks[0]?.text, "Why?");
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** The smallest edits between two texts, as VS Code reports them. */
function rangeEdits(before: string, after: string) {
  const lines = textLinesOf(before);
  const position = (offset: number) => {
    const line = lines.lineAt(offset);
    return { line, character: offset - lines.start(line) };
  };
  return smallestEdits(before, after).map(({ start, end, text }) => ({
    start: position(start),
    end: position(end),
    text,
  }));
}
