import assert from "node:assert/strict";
import fc from "fast-check";
import { editFadeTime, FollowMarks } from "../../src/follow/followMarks.ts";

const line = (first: number, last = first): { readonly first: number; readonly last: number } => ({ first, last });

describe("FollowMarks", () => {
  it("show where each agent is, and no location it has left", () => {
    const marks = new FollowMarks();
    marks.visit("", "a", line(3));
    marks.visit("task", "a", line(7));
    assert.deepEqual(marks.marks("a", 0), [
      { lines: line(3), who: "", named: true },
      { lines: line(7), who: "task", named: true },
    ]);
    marks.visit("", "b", undefined);
    assert.deepEqual(marks.marks("a", 0), [{ lines: line(7), who: "task", named: true }]);
    assert.deepEqual(marks.marks("b", 0), [{ lines: line(0), who: "", named: true }]);
    marks.clearAgents();
    assert.deepEqual([...marks.marks("a", 0), ...marks.marks("b", 0)], []);
  });

  it("keep an agent at its line when it only names the file", () => {
    const marks = new FollowMarks();
    marks.visit("", "a", line(3));
    marks.visit("", "a", undefined);
    assert.deepEqual(marks.linesOfAgent("", "a"), line(3));
    assert.equal(marks.linesOfAgent("", "b"), undefined);
  });

  it("fade an edit in three steps and then remove it, with its name once", () => {
    const marks = new FollowMarks();
    marks.edit("", "a", line(4, 6), 1000);
    const step = (now: number): readonly (number | undefined)[] => marks.marks("a", now).map(mark => mark.step);
    assert.deepEqual(step(1000), [0, undefined]);
    assert.deepEqual(step(1999), [0, undefined]);
    assert.deepEqual(step(2000), [1, undefined]);
    assert.deepEqual(step(3999), [2, undefined]);
    assert.deepEqual(
      marks.marks("a", 3999).map(mark => mark.named),
      [true, false],
    );
    assert.deepEqual(marks.marks("a", 4000), [{ lines: line(4), who: "", named: true }]);
  });

  it("keep an edit unchanged until it is removed, if there is only one step", () => {
    const marks = new FollowMarks();
    marks.edit("", "a", line(4), 0);
    for (const now of [0, 1500, 2999]) assert.equal(marks.marks("a", now, 1)[0]?.step, 0);
    assert.equal(marks.marks("a", editFadeTime, 1)[0]?.step, undefined);
    assert.equal(marks.timeToNextChange(editFadeTime, 1), undefined);
  });

  it("replace an edit by a newer edit of the same lines", () => {
    const marks = new FollowMarks();
    marks.edit("", "a", line(4, 6), 0);
    marks.edit("", "a", line(6, 9), 500);
    marks.edit("", "b", line(6, 9), 500);
    assert.deepEqual(
      marks
        .marks("a", 500)
        .filter(mark => mark.step !== undefined)
        .map(mark => mark.lines),
      [line(6, 9)],
    );
  });

  it("move with their lines when text is inserted above", () => {
    const marks = new FollowMarks();
    marks.edit("", "a", line(4, 6), 0);
    const at = { line: 1, character: 0 };
    marks.shift("a", [{ start: at, end: at, text: "x\ny\n" }]);
    marks.shift("b", [{ start: at, end: at, text: "x\n" }]);
    assert.deepEqual(
      marks.marks("a", 0).map(mark => mark.lines),
      [line(6, 8), line(6)],
    );
  });

  it("report the time of their next change, and no step changes before it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5000), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(1, 3),
        fc.nat(3000),
        (ats, steps, later) => {
          const marks = new FollowMarks();
          const now = Math.max(...ats) + later;
          for (const [i, at] of [...ats].sort((a, b) => a - b).entries()) marks.edit("", "a", line(i * 2), at);
          const shown = (at: number): string => JSON.stringify(marks.marks("a", at, steps));
          const before = shown(now);
          const next = marks.timeToNextChange(now, steps);
          if (next === undefined) return assert.ok(!before.includes("step"));
          if (next > 1) assert.equal(shown(now + next - 1), before);
          assert.notEqual(shown(now + next), before);
        },
      ),
    );
  });

  it("stay few, for any number of edits", () => {
    const marks = new FollowMarks();
    for (let i = 0; i < 1000; i++) marks.edit(`agent ${i}`, "a", line(i), 0);
    assert.ok(marks.marks("a", 0).length <= 250);
  });
});
