// Where the branches of a conversation part, as the buttons at a message show it.
import assert from "node:assert/strict";
import { branchPoints, type BranchedSession } from "../../src/library/branchPoints.ts";
import { editedContent, isWhole } from "../../src/library/branchPrompt.ts";
import { EntryList } from "../../src/session/entryList.ts";
import { emptySession, type Branch, type Entry, type SessionState } from "../../src/session/state.ts";

const start = (session: string, from: string, after: string, at: number): Branch => ({
  ...{ session, from, after, at },
  agentSession: 0,
});
const prompt = (id: string): Entry => ({ kind: "message", id, author: "user", content: [], at: 0, until: 0 });
const answer = (id: string): Entry => ({ kind: "message", id, author: "agent", content: [], at: 0, until: 0 });
const state = (entries: readonly Entry[], branches: readonly Branch[] = []): SessionState => ({
  ...emptySession,
  entries: EntryList.of(entries),
  branches,
});
const session = (id: string, branches: readonly Branch[] = []): BranchedSession => ({ id, branches });
const first = [prompt("p1"), answer("a1"), prompt("p2"), answer("a2")];
const b = start("b", "a", "a1", 1);
const c = start("c", "a", "a1", 2);

describe("the places where branches part", () => {
  it("have the first session and its branches in the order in which they began", () => {
    const all = [session("a"), session("c", [c]), session("b", [b]), session("x")];
    assert.deepEqual([...branchPoints("a", state(first), all)], [["p2", { at: 1, of: 3, next: "b" }]]);
    const inB = state([prompt("p1"), answer("a1"), prompt("q")], [b]);
    assert.deepEqual([...branchPoints("b", inB, all)], [["q", { at: 2, of: 3, previous: "a", next: "c" }]]);
  });

  it("stand at the last common entry of a branch that has no prompt yet", () => {
    const all = [session("a"), session("b", [b])];
    assert.deepEqual(
      [...branchPoints("b", state(first.slice(0, 2), [b]), all)],
      [["a1", { at: 2, of: 2, previous: "a" }]],
    );
  });

  it("are also those of a branch of a branch", () => {
    const d = start("d", "b", "r", 3);
    const all = [session("a"), session("b", [b]), session("d", [b, d])];
    const entries = [prompt("p1"), answer("a1"), prompt("q"), answer("r"), prompt("s")];
    assert.deepEqual(
      [...branchPoints("d", state(entries, [b, d]), all)],
      [
        ["q", { at: 2, of: 2, previous: "a" }],
        ["s", { at: 2, of: 2, previous: "b" }],
      ],
    );
  });

  it("go on without a session that was deleted", () => {
    const all = [session("b", [b]), session("c", [c])];
    const inC = state([prompt("p1"), answer("a1"), prompt("z")], [c]);
    assert.deepEqual([...branchPoints("c", inC, all)], [["z", { at: 2, of: 2, previous: "b" }]]);
    assert.deepEqual([...branchPoints("c", inC, [session("c", [c])])], []);
  });

  it("are not at an entry of the same id that another branch wrote", () => {
    const d = start("d", "b", "r", 3);
    const all = [session("b", [b]), session("c", [c]), session("d", [b, d])];
    const inC = state([prompt("p1"), answer("a1"), prompt("q"), answer("r"), prompt("s")], [c]);
    assert.deepEqual([...branchPoints("c", inC, all).keys()], ["q"]);
  });
});

describe("a prompt that is sent again", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;

  it("keeps its attachments and images with another text", () => {
    const text = (value: string) => ({ type: "text", text: value }) as const;
    assert.deepEqual(editedContent([text("old"), image], "new"), [text("new"), image]);
    assert.deepEqual(editedContent([text("old"), image], " "), [image]);
  });

  it("is not whole if the log has shortened an image", () => {
    assert.equal(isWhole([image]), true);
    assert.equal(isWhole([{ ...image, data: "AAAA\n[12 more characters were not kept]" }]), false);
  });
});
