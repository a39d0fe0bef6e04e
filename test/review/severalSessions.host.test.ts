// The changes of several sessions that work at the same time in one folder, in the real editor.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { SessionEvent } from "../../src/session/events.ts";
import type { SessionParticipant } from "../../src/session/participant.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { meanwhileTurn, unknownTurn } from "../../src/history/author.ts";
import { until } from "../support/fakes/until.ts";
import { lines, useReviewedFolder } from "../support/host/reviewedFolder.ts";

/** A session that takes part in the review, and what its agent does. */
class Working {
  readonly #part: SessionParticipant;
  readonly id: string;
  #state: SessionState = emptySession;
  #seq = 0;

  readonly #settled: () => Promise<void>;

  constructor(
    id: string,
    start: (session: { id: string; workspaceFolder: string }) => SessionParticipant,
    settled: () => Promise<void>,
    own?: string,
  ) {
    this.id = id;
    this.#settled = settled;
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder, "the tests run in a workspace");
    this.#part = start({ id, workspaceFolder: own ?? folder.uri.fsPath });
  }

  feed(event: SessionEvent): void {
    const before = this.#state;
    this.#state = reduce(before, { seq: this.#seq++, at: this.#seq, event });
    this.#part.observe?.(event, before, this.#state);
    this.#part.stateChanged?.(before, this.#state);
  }

  async begin(turn: string): Promise<void> {
    await this.#part.beforeTurn?.(turn);
    this.feed({ type: "activity", state: "running" });
    this.feed({ type: "tool", toolCallId: "whole turn", patch: { kind: "execute", status: "in_progress" } });
  }

  end(): void {
    this.feed({ type: "activity", state: "idle", stopReason: "end_turn" });
  }

  /** A tool call that names the file, around what it does. */
  async reporting(path: string, run: () => Promise<void>): Promise<void> {
    const tool = (status: "in_progress" | "completed"): void =>
      this.feed({ type: "tool", toolCallId: "same", patch: { kind: "edit", status, locations: [{ path }] } });
    tool("in_progress");
    await this.#settled();
    await run();
    tool("completed");
  }

  async write(path: string, text: string): Promise<void> {
    const documents = new EditorDocuments(nodePaths());
    await this.#part.aroundWrite?.(path, text, () => documents.write(path, text));
  }

  dispose(): void {
    this.#part.dispose();
  }
}

describe("the review of sessions in folders of their own", () => {
  const { path, put, file, noticed, reviews, review, watch, onDisk } = useReviewedFolder({ roots: ["app", "tree"] });

  it("gives a change to the session in whose folder it is, also if no call names the file", async () => {
    for (const name of ["app/one.txt", "tree/one.txt"]) await put(name, lines(1, 2, 3));
    await noticed();
    const start = (session: { id: string; workspaceFolder: string }): SessionParticipant =>
      reviews().startSession(session);
    const settled = (): Promise<void> => watch().settled();
    const [a, b] = [new Working("a", start, settled), new Working("b", start, settled, path("tree"))];
    const started = Date.now();
    await until(() => Date.now() > started + 50);
    await a.begin("a1");
    await b.begin("b1");
    await put("app/one.txt", lines(1, "A", 3));
    await put("tree/one.txt", lines(1, "B", 3));
    await put("tree/new.txt", lines("new"));
    await until(() => review().files.length === 3);
    a.end();
    b.end();
    await settled();
    const turns = ["app/one.txt", "tree/one.txt", "tree/new.txt"].map(name => file(name)?.turns);
    assert.deepEqual(turns, [["a1"], ["b1"], ["b1"]]);
    await review().undo({ kind: "turns", turns: ["b1"] });
    assert.equal(await onDisk("tree/one.txt"), lines(1, 2, 3));
    assert.equal(await onDisk("app/one.txt"), lines(1, "A", 3));
    a.dispose();
    b.dispose();
  });
});

describe("the review of sessions that work at the same time", () => {
  const { path, put, file, noticed, reviews, review, watch, reopen, touches, onDisk } = useReviewedFolder();
  let a: Working;
  let b: Working;
  const turnsOf = (name: string): readonly string[] | undefined => file(name)?.turns;
  beforeEach(async () => {
    for (const name of ["one.txt", "two.txt", "three.txt"]) await put(name, lines(1, 2, 3));
    await noticed();
    const start = (session: { id: string; workspaceFolder: string }): SessionParticipant =>
      reviews().startSession(session);
    a = new Working("a", start, () => watch().settled());
    b = new Working("b", start, () => watch().settled());
  });
  afterEach(() => {
    a.dispose();
    b.dispose();
  });
  const bothBegin = async (): Promise<void> => {
    await until(() => Date.now() > started + 50);
    await a.begin("a1");
    await b.begin("b1");
  };
  let started = 0;
  beforeEach(() => (started = Date.now()));

  it("lists a change apart that was made while no call of them ran", async () => {
    await a.begin("a1");
    await b.begin("b1");
    for (const one of [a, b]) one.feed({ type: "tool", toolCallId: "whole turn", patch: { status: "completed" } });
    const ended = Date.now();
    await until(() => Date.now() > ended + 100);
    await put("one.txt", lines("mine"));
    await until(() => file("one.txt") !== undefined);
    assert.deepEqual(turnsOf("one.txt"), [meanwhileTurn]);
    a.end();
    b.end();
    await watch().settled();
    await review().undo({ kind: "turns", turns: ["a1", "b1"] });
    assert.equal(await onDisk("one.txt"), lines("mine"));
  });

  it("gives each write to the session that made or reported it, also after the other one has ended", async () => {
    await bothBegin();
    await a.write(path("one.txt"), lines(1, "A", 3));
    await b.write(path("two.txt"), lines(1, "B", 3));
    await a.reporting(path("three.txt"), () => put("three.txt", lines(1, 2, "A")));
    await until(() => turnsOf("three.txt") !== undefined);
    await watch().settled();
    assert.deepEqual([turnsOf("one.txt"), turnsOf("two.txt"), turnsOf("three.txt")], [["a1"], ["b1"], ["a1"]]);
    assert.deepEqual(
      touches.map(([turn, at, before]) => [turn, at, before]).sort(),
      [
        ["a1", path("one.txt"), lines(1, 2, 3)],
        ["a1", path("three.txt"), lines(1, 2, 3)],
        ["b1", path("two.txt"), lines(1, 2, 3)],
      ].sort(),
    );
    b.end();
    await a.write(path("two.txt"), lines(1, "B", "A"));
    await watch().settled();
    a.end();
    await watch().settled();
    assert.deepEqual(turnsOf("two.txt"), ["a1", "b1"]);
    assert.deepEqual(
      review().turns.map(({ id, session }) => [id, session?.id]),
      [
        ["a1", "a"],
        ["b1", "b"],
      ],
    );
  });

  it("gives a write that no agent reported to the only one that works, otherwise to the unknown agent", async () => {
    await bothBegin();
    await put("one.txt", lines(1, "?", 3));
    await until(() => turnsOf("one.txt") !== undefined);
    assert.deepEqual(turnsOf("one.txt"), [unknownTurn]);
    assert.deepEqual(
      touches.filter(([, at]) => at === path("one.txt")).map(([turn]) => turn),
      ["a1", "b1"],
    );
    b.end();
    const end = Date.now();
    await until(() => Date.now() > end + 50);
    await put("two.txt", lines(1, "A", 3));
    await until(() => turnsOf("two.txt") !== undefined);
    assert.deepEqual(turnsOf("two.txt"), ["a1"]);
    a.end();
    await watch().settled();
    assert.deepEqual(turnsOf("one.txt"), [unknownTurn]);
  });

  it("finds the session when its agent reports the write later", async () => {
    await bothBegin();
    await put("one.txt", lines(1, "B", 3));
    await until(() => turnsOf("one.txt") !== undefined);
    assert.deepEqual(turnsOf("one.txt"), [unknownTurn]);
    await b.reporting(path("one.txt"), () => Promise.resolve());
    await until(() => turnsOf("one.txt")?.[0] === "b1");
    assert.deepEqual(turnsOf("one.txt"), ["b1"]);
  });

  it("undoes and keeps the changes of one session, and knows the sessions in the next window", async () => {
    await bothBegin();
    await a.write(path("one.txt"), lines("A", 2, 3));
    await b.write(path("one.txt"), lines("A", 2, "B"));
    await b.write(path("two.txt"), lines(1, "B", 3));
    await a.write(path("three.txt"), lines(1, "A", 3));
    await watch().settled();
    a.end();
    b.end();
    await watch().settled();
    await reopen(() => Promise.resolve());
    assert.deepEqual(
      review().turns.map(({ id, session }) => [id, session?.id]),
      [
        ["a1", "a"],
        ["b1", "b"],
      ],
    );
    await review().undo({ kind: "turns", turns: ["b1"] });
    assert.equal(await onDisk("one.txt"), lines("A", 2, 3));
    assert.equal(await onDisk("two.txt"), lines(1, 2, 3));
    assert.deepEqual(
      review().files.map(one => one.path),
      [path("one.txt"), path("three.txt")],
    );
    await review().keep({ kind: "turns", turns: ["a1"] });
    assert.deepEqual(review().files, []);
    assert.equal(await onDisk("three.txt"), lines(1, "A", 3));
  });
});
