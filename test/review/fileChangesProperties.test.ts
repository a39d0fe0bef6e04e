// Properties of a file under review, for any actions of agent, user, editor and disk in any order.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  applyAgentEdit,
  keepCommitted,
  keepHunks,
  reanchor,
  track,
  undoHunks,
  applyUserEdits,
  applyReplacement,
  applyUndoRedo,
  type RangeEdit,
} from "../../src/review/fileChanges.ts";
import { type FileChanges, type LineRange } from "../../src/review/hunk.ts";
import { keepDecision, revertKeep, type KeepDecision } from "../../src/review/revertKeep.ts";
import { applyEdits, positionFinder } from "../../src/files/textEdits.ts";

const linesOf = (text: string | null): readonly string[] => (text ?? "").match(/[^\n]*\n|[^\n]+$/g) ?? [];

// Repeated lines are the most common cause of errors.
const line = fc.constantFrom("a\n", "b\n", "}\n", "\n", "long one\n", "\r\n", "c\r\n", "😀\n");
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("", "", "a", "open end"))
  .map(([lines, end]) => lines.join("") + end);

type Step =
  | { readonly do: "agent"; readonly at: number; readonly remove: number; readonly insert: string }
  | { readonly do: "agentWrites"; readonly text: string | null }
  | { readonly do: "type"; readonly places: readonly number[]; readonly lines: number }
  | { readonly do: "erase"; readonly from: number; readonly length: number }
  | { readonly do: "keep" | "undo"; readonly which: number }
  | { readonly do: "ctrlZ" | "redo" | "takeBack" | "reload" }
  | { readonly do: "checkout"; readonly text: string }
  | { readonly do: "format" }
  | { readonly do: "commit"; readonly which: number };

const number = fc.nat({ max: 1000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("agent" as const),
      at: number,
      remove: fc.nat(3),
      insert: text,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("agentWrites" as const), text: fc.option(text, { freq: 4 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("type" as const),
      places: fc.array(number, { minLength: 1, maxLength: 3 }),
      lines: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("erase" as const), from: number, length: fc.nat(8) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("keep" as const, "undo" as const), which: number }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("ctrlZ" as const, "ctrlZ" as const, "redo" as const, "takeBack" as const, "reload" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("checkout" as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("format" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("commit" as const), which: number }) },
);

/** Fails unless the hunks are exactly the difference between base and text. */
function checkHunks({ base, text, hunks, nextId }: FileChanges): void {
  const [bases, texts] = [linesOf(base), linesOf(text)];
  const ids = hunks.map(hunk => hunk.id);
  assert.equal(new Set(ids).size, ids.length, "ids are unique");
  assert.ok(
    ids.every(id => Number(id) < nextId),
    "no id comes twice",
  );
  let [atBase, atText] = [0, 0];
  let rebuilt = "";
  for (const [i, hunk] of hunks.entries()) {
    assert.ok(hunk.turns.length > 0 && hunk.turns.every(turn => turn !== ""), "turns are known");
    assert.equal(new Set(hunk.turns).size, hunk.turns.length);
    const same = bases.slice(atBase, hunk.base.from);
    assert.ok(i === 0 || same.length > 0, "hunks are apart");
    assert.deepEqual(same, texts.slice(atText, hunk.text.from), "what is between hunks is the same");
    const [old, now] = [bases.slice(hunk.base.from, hunk.base.to), texts.slice(hunk.text.from, hunk.text.to)];
    if (base !== null && text !== null) assert.notEqual(old.join(""), now.join(""), "a hunk has a difference");
    assert.equal(old.length, hunk.base.to - hunk.base.from);
    assert.equal(now.length, hunk.text.to - hunk.text.from);
    rebuilt += same.join("") + now.join("");
    [atBase, atText] = [hunk.base.to, hunk.text.to];
  }
  assert.deepEqual(bases.slice(atBase), texts.slice(atText), "what is behind hunks is the same");
  assert.equal(rebuilt + bases.slice(atBase).join(""), text ?? "", "the base with the hunks is the text");
  assert.equal(base === text, hunks.length === 0, "without hunks nothing waits");
}

// The user types letters that occur only once.
const marks = (text: string | null): readonly string[] => (text ?? "").match(/[\u4e00-\u9fff]/g) ?? [];
const within = (text: string | null, ranges: readonly LineRange[]): readonly string[] =>
  ranges.flatMap(({ from, to }) => marks(linesOf(text).slice(from, to).join("")));
const inHunks = ({ text, hunks }: FileChanges): readonly string[] =>
  within(
    text,
    hunks.map(hunk => hunk.text),
  );
/** `all` without `some`, counting duplicates: undoing one hunk may restore a letter that another one also contains. */
function minus(all: readonly string[], some: readonly string[]): readonly string[] {
  const left = [...all];
  for (const one of some) if (left.includes(one)) left.splice(left.indexOf(one), 1);
  return left;
}
const sorted = (all: readonly string[]): readonly string[] => [...all].sort();

/** Lines restored among repeated lines show up as a difference in another place. */
const amongRepeating: [string, string, Step[]] = [
  "b\nc\r\na\n😀\n",
  "\r\n\nb\n",
  [{ do: "keep", which: 221 }, { do: "checkout", text: "c\r\n😀\n\n" }, { do: "takeBack" }],
];

/** A file, its editor and its review, changed step by step. */
class World {
  changes: FileChanges;
  readonly #history: FileChanges[] = [];
  #decisions: KeepDecision[] = [];
  #tookBack = false;
  /** The editor's undo history, and the position in it. */
  #texts: string[];
  #at = 0;
  #turn = 1;
  #mark = 0x4e00;
  /** Marks that were ever part of a hunk. */
  readonly #joined = new Set<string>();

  constructor(base: string | null, text: string | null) {
    this.changes = track(base, text, "t0");
    this.#texts = [base ?? ""];
    this.#set(this.changes, true);
  }

  #set(changes: FileChanges, written: boolean): void {
    checkHunks(changes);
    this.changes = changes;
    this.#history.push(changes);
    for (const mark of inHunks(changes)) this.#joined.add(mark);
    for (const mark of within(
      changes.base,
      changes.hunks.map(hunk => hunk.base),
    ))
      this.#joined.add(mark);
    if (!written) return;
    this.#texts = [...this.#texts.slice(0, this.#at + 1), changes.text ?? ""];
    this.#at = this.#texts.length - 1;
  }

  #chosen(which: number): readonly string[] {
    const { hunks } = this.changes;
    return hunks.filter((_, i) => ((which >> (i % 9)) & 1) === 1).map(hunk => hunk.id);
  }

  step(step: Step): void {
    const { changes } = this;
    const { text } = changes;
    switch (step.do) {
      case "agent": {
        const lines = linesOf(text);
        const at = step.at % (lines.length + 1);
        const after = [...lines.slice(0, at), step.insert, ...lines.slice(at + step.remove)].join("");
        return this.#agent(after);
      }
      case "agentWrites":
        return this.#agent(step.text);
      case "type":
        return this.#type(step.places, step.lines);
      case "erase":
        return this.#erase(step.from, step.length);
      case "keep":
        return this.#keep(this.#chosen(step.which));
      case "undo":
        return this.#undo(this.#chosen(step.which));
      case "ctrlZ":
        return this.#go(-1);
      case "redo":
        return this.#go(1);
      case "takeBack":
        return this.#takeBack();
      case "reload": {
        const stored = JSON.parse(JSON.stringify(changes)) as FileChanges;
        assert.deepEqual(reanchor(stored, text), changes);
        const elsewhere = reanchor(stored, text === null ? null : `${text}\n\n`);
        if (elsewhere) checkHunks(elsewhere);
        return;
      }
      case "checkout": {
        const after = applyReplacement(changes, step.text);
        assert.equal(after.text, step.text);
        return this.#set(after, true);
      }
      case "format": {
        if (text === null) return;
        const formatted = text.replace(/\r/g, "").replace(/\n\n+/g, "\n");
        const after = applyReplacement(changes, formatted);
        assert.equal(after.text, formatted);
        return this.#set(after, true);
      }
      case "commit": {
        const other = undoHunks(changes, this.#chosen(step.which)).changes.text;
        const after = keepCommitted(changes, other ?? "");
        if (text !== null && other === text) assert.equal(after.base, text);
        assert.equal(after.text, text);
        return this.#set(after, false);
      }
    }
  }

  #agent(after: string | null): void {
    const now = applyAgentEdit(this.changes, after, `t${this.#turn++}`);
    assert.equal(now.text, after);
    assert.equal(now.base, this.changes.base, "the agent does not touch the base");
    this.#set(now, true);
  }

  #type(places: readonly number[], breaks: number): void {
    const { changes } = this;
    if (changes.text === null) return;
    const place = positionFinder(changes.text);
    const offsets = [...new Set(places.map(at => at % ((changes.text ?? "").length + 1)))].sort((a, b) => a - b);
    const edits = offsets.map(at => ({ at, text: this.#typed(breaks), place: place(at) }));
    const after = applyUserEdits(
      changes,
      edits.map(({ place, text }) => ({ start: place, end: place, text })),
    );
    const expected = applyEdits(
      changes.text,
      edits.map(({ at, text }) => ({ start: at, end: at, text })),
    );
    assert.equal(after.text, expected);
    assert.deepEqual(sorted(minus(marks(changes.base), marks(after.base))), [], "nothing of the user leaves the base");
    const count = linesOf(changes.text).length;
    for (const { place, text } of edits) {
      // Within a line: either in a hunk or not.
      if (text.includes("\n") || place.line >= count) continue;
      const joins = changes.hunks.some(hunk => hunk.text.from <= place.line && place.line < hunk.text.to);
      // A line of the user that had no place in the base gets one as soon as it fits there.
      const isUsers = changes.hunks.some(({ text: { from }, shared = [] }) =>
        shared.some(one => from + one.at === place.line && one.agents === ""),
      );
      if (isUsers) continue;
      if (joins) assert.ok(!marks(after.base).includes(text), "what joins a hunk is not in the base");
      else assert.ok(!inHunks(after).includes(text), "what is outside of hunks is not the agent's");
    }
    this.#set(after, true);
  }

  #typed(breaks: number): string {
    const mark = String.fromCharCode(this.#mark++);
    return [mark, mark, `${mark}\n`, `\n${mark}`][breaks] ?? mark;
  }

  #erase(from: number, length: number): void {
    const { changes } = this;
    if (changes.text === null) return;
    const start = from % (changes.text.length + 1);
    const end = Math.min(changes.text.length, start + length);
    const place = positionFinder(changes.text);
    const edit: RangeEdit = { start: place(start), end: place(end), text: "" };
    const after = applyUserEdits(changes, [edit]);
    const expected = changes.text.slice(0, start) + changes.text.slice(end);
    assert.equal(after.text, expected);
    this.#set(after, true);
  }

  #keep(ids: readonly string[]): void {
    const { changes } = this;
    const after = keepHunks(changes, ids);
    assert.equal(after.text, changes.text, "keeping changes no text");
    assert.deepEqual(
      after.hunks.map(hunk => hunk.id),
      changes.hunks.map(hunk => hunk.id).filter(id => !ids.includes(id)),
    );
    if (ids.length > 0) this.#decisions.push(keepDecision(changes, after));
    if (ids.length > 0) {
      const back = revertKeep(after, keepDecision(changes, after)) as FileChanges;
      assert.equal(back.base, changes.base, "a keep can be taken back at once");
      checkHunks(back);
    }
    this.#set(after, false);
  }

  #undo(ids: readonly string[]): void {
    const { changes } = this;
    const undone = undoHunks(changes, ids);
    assert.equal(applyEdits(changes.text ?? "", undone.edits), undone.changes.text ?? "");
    assert.equal(undone.changes.base, changes.base, "undoing changes no base");
    for (const [i, edit] of undone.edits.entries())
      assert.ok(i === 0 || edit.start > (undone.edits[i - 1]?.end ?? 0), "edits are apart");
    const lines = linesOf(changes.text);
    const isUndone = (at: number): boolean =>
      changes.hunks.some(
        ({ id, text, shared = [] }) =>
          ids.includes(id) && text.from <= at && at < text.to && !shared.some(one => text.from + one.at === at),
      );
    const stay = marks(lines.filter((_, at) => !isUndone(at)).join(""));
    assert.deepEqual(sorted(minus(stay, marks(undone.changes.text))), [], "only the agent's lines are undone");
    for (const hunk of undone.changes.hunks)
      if (ids.includes(hunk.id)) assert.ok((hunk.shared ?? []).length > 0, "only what both wrote is left");
    this.#set(undone.changes, undone.edits.length > 0);
  }

  #go(by: number): void {
    const to = this.#at + by;
    const after = this.#texts[to];
    // A missing file has no editor.
    if (after === undefined || this.changes.text === null) return;
    this.#at = to;
    const now = applyUndoRedo(this.changes, after, this.#history);
    assert.equal(now.text, after);
    // Text in lines whose keep was reverted has become part of a hunk that way.
    const strange = this.#tookBack ? [] : inHunks(now).filter(mark => !this.#joined.has(mark));
    assert.deepEqual(strange, [], "what never was part of a hunk is none of the agent's");
    assert.ok(
      now.hunks.every(hunk => !this.changes.kept.includes(hunk.id)),
      "what was kept stays kept",
    );
    this.#set(now, false);
  }

  #takeBack(): void {
    const decision = this.#decisions.pop();
    const after = decision && revertKeep(this.changes, decision);
    if (!after) return;
    assert.equal(after.text, this.changes.text, "taking back changes no text");
    this.#tookBack = true;
    this.#set(after, false);
  }
}

describe("the changes of a file, after any actions,", () => {
  it("are exactly the difference, and conserve the user's text", () => {
    fc.assert(
      fc.property(fc.option(text), fc.option(text), fc.array(step, { maxLength: 25 }), (base, now, steps) => {
        const world = new World(base, now);
        for (const one of steps) world.step(one);
        const { changes } = world;
        const all = changes.hunks.map(hunk => hunk.id);
        const kept = keepHunks(changes, all);
        assert.deepEqual([kept.base, kept.text, kept.hunks], [changes.text, changes.text, []]);
        const { changes: undone, left } = undoHunks(changes, all);
        if (left.length === 0) assert.deepEqual([undone.text, undone.hunks], [changes.base, []]);
        assert.equal(undone.base, changes.base);
        checkHunks(undone);
      }),
      { numRuns: 1000, examples: [amongRepeating] },
    );
  });

  it("lead back to the text before the agent, and forward to the agent's last text", () => {
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 5 }), (base, texts) => {
        const start = track(base, base, "t");
        const changes = texts.reduce((now, after, i) => applyAgentEdit(now, after, `t${i}`), start);
        checkHunks(changes);
        const all = changes.hunks.map(hunk => hunk.id);
        assert.equal(undoHunks(changes, all).changes.text, base);
        assert.equal(keepHunks(changes, all).base, texts.at(-1));
      }),
      { numRuns: 1000 },
    );
  });

  it("keep their ids while the user types elsewhere", () => {
    fc.assert(
      fc.property(text, text, number, (base, now, at) => {
        const changes = track(base, now, "t");
        const count = linesOf(now).length;
        const free = Array.from({ length: count }, (_, i) => i).filter(
          i => !changes.hunks.some(hunk => hunk.text.from <= i && i < hunk.text.to),
        );
        const line = free[at % Math.max(1, free.length)];
        if (line === undefined) return;
        const place = { line, character: 0 };
        const typed = applyUserEdits(changes, [{ start: place, end: place, text: "typed" }]);
        const unmoved = (all: FileChanges): unknown => all.hunks.map(hunk => ({ ...hunk }));
        assert.deepEqual(unmoved(typed), unmoved(changes));
      }),
      { numRuns: 1000 },
    );
  });

  it("are restored unchanged when all decisions are reverted step by step", () => {
    fc.assert(
      fc.property(text, text, fc.array(fc.tuple(number, fc.nat(3)), { maxLength: 6 }), (base, now, typing) => {
        const history = [track(base, now, "t")];
        for (const [at, kind] of typing) {
          const last = history.at(-1) as FileChanges;
          const place = positionFinder(last.text ?? "")(at % ((last.text ?? "").length + 1));
          const mark = String.fromCharCode(0x4e00 + history.length);
          history.push(applyUserEdits(last, [{ start: place, end: place, text: kind === 0 ? `\n${mark}` : mark }]));
        }
        let current = history.at(-1) as FileChanges;
        for (const before of history.toReversed().slice(1)) {
          current = applyUndoRedo(current, before.text ?? "", history);
          assert.deepEqual({ ...current, nextId: 0 }, { ...before, nextId: 0 });
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("are undone without anything that the user typed, in any place and in any order", () => {
    const key = fc.tuple(number, fc.nat(3), fc.boolean());
    fc.assert(
      fc.property(text, text, text, fc.array(key, { minLength: 1, maxLength: 12 }), (base, first, second, keys) => {
        let changes = track(base, first, "t1");
        for (const [i, [at, breaks, isContinued]] of keys.entries()) {
          const now = changes.text ?? "";
          const mark = String.fromCharCode(0x4e00 + i);
          // The user continues after the last letter, or goes to another place.
          const last = now.indexOf(String.fromCharCode(0x4e00 + i - 1));
          const place = positionFinder(now)(isContinued && last >= 0 ? last + 1 : at % (now.length + 1));
          const typed = [mark, mark, `${mark}\n`, `\n${mark}`][breaks] ?? mark;
          changes = applyUserEdits(changes, [{ start: place, end: place, text: typed }]);
          checkHunks(changes);
        }
        const all = (one: FileChanges): readonly string[] => one.hunks.map(hunk => hunk.id);
        const { changes: undone } = undoHunks(changes, all(changes));
        checkHunks(undone);
        assert.equal(marks(undone.text).length, keys.length, "every letter stays");
        assert.deepEqual(undoHunks(undone, all(undone)).changes, undone, "another undo changes nothing");
        // The agent changes other lines since.
        const written = linesOf(second).join("") + (changes.text ?? "");
        if (second.endsWith("\n")) {
          const more = applyAgentEdit(changes, written, "t2");
          assert.equal(marks(undoHunks(more, all(more)).changes.text).length, keys.length, "with another turn");
        }
      }),
      { numRuns: 3000 },
    );
  });
});
