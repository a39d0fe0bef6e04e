// Checkpoints of files that a text does not determine.
import assert from "node:assert/strict";
import { Refusal } from "../../src/base/errors.ts";
import { decodeUtf8 } from "../../src/base/text.ts";
import type { CurrentFiles } from "../../src/checkpoints/restorePlanner.ts";
import { isSameState, type FileState } from "../../src/files/fileState.ts";
import { World } from "../support/fakes/checkpointWorld.ts";

describe("checkpoints of exact files", () => {
  it("keep the bytes, the mode and the link of a file that its text does not determine", async () => {
    const world = new World();
    const file = (bytes: Uint8Array, executable = false): FileState => ({ kind: "file", bytes, executable });
    const states: readonly [string, string | null | undefined, FileState][] = [
      ["/w/crlf", "a\n", file(Buffer.from("\uFEFFa\r\n"))],
      ["/w/plain", "a\n", file(Buffer.from("a\n"))],
      ["/w/script", "a\n", file(Buffer.from("a\n"), true)],
      ["/w/binary", undefined, file(Buffer.from([0, 1]))],
      ["/w/link", undefined, { kind: "link", target: "plain" }],
      ["/w/in/new", null, { kind: "missing", newFolders: ["/w/in"] }],
    ];
    await world.begin("t1");
    for (const [path, before, state] of states) {
      world.checkpoints.touched({ turn: "t1", path, before });
      world.checkpoints.stateBefore("t1", path, state);
      world.user(path, "changed\n");
      world.checkpoints.written(path, "changed\n");
    }
    await world.reload();
    const { files, unknown } = await world.checkpoints.planRestore("t1", world.now);
    assert.deepEqual(unknown, []);
    for (const [path, before, state] of states) {
      const found = files.find(one => one.path === path);
      assert.ok(found?.state && isSameState(found.state, state), path);
      assert.deepEqual([found.to, found.changedSince], [before, false], path);
      if (state.kind === "missing") assert.deepEqual(found.state, state);
    }
  });

  it("delete a file that is no text and that the agent created", async () => {
    const world = new World();
    const bytes = Buffer.from([0, 1]);
    await world.begin("t1");
    world.checkpoints.touched({ turn: "t1", path: "/w/new.bin", before: undefined });
    world.checkpoints.stateBefore("t1", "/w/new.bin", { kind: "missing" });
    world.checkpoints.writtenState("/w/new.bin", { kind: "file", bytes, executable: false });
    const { files, unknown } = await world.checkpoints.planRestore("t1", {
      text: () => Promise.reject(new Refusal("invalid", "It is binary.")),
      state: () => Promise.resolve({ kind: "file", bytes, executable: false }),
    });
    assert.deepEqual(unknown, []);
    assert.deepEqual(files, [
      { path: "/w/new.bin", to: null, state: { kind: "missing" }, now: undefined, changedSince: false },
    ]);
  });

  it("list a file whose text is the same but not its bytes, and know who changed a file that is no text", async () => {
    const world = new World();
    const disk = new Map<string, FileState>();
    const set = (path: string, bytes: string): FileState => {
      const state: FileState = { kind: "file", bytes: Buffer.from(bytes), executable: false };
      disk.set(path, state);
      return state;
    };
    const now: CurrentFiles = {
      text: async path => {
        const state = disk.get(path);
        const text = state?.kind === "file" ? decodeUtf8(state.bytes) : null;
        if (text === undefined) throw new Refusal("invalid", "It is binary.");
        return text;
      },
      state: async path => disk.get(path),
    };
    await world.begin("t1");
    for (const name of ["/w/ends", "/w/agents", "/w/users"]) {
      const before = set(name, name === "/w/ends" ? "a\r\n" : "\0old");
      world.checkpoints.touched({ turn: "t1", path: name, before: name === "/w/ends" ? "a\n" : undefined });
      world.checkpoints.stateBefore("t1", name, before);
    }
    set("/w/ends", "a\n");
    world.checkpoints.written("/w/ends", "a\n");
    for (const name of ["/w/agents", "/w/users"]) world.checkpoints.writtenState(name, set(name, "\0new"));
    set("/w/users", "\0mine");
    const { files } = await world.checkpoints.planRestore("t1", now);
    assert.deepEqual(
      files.map(({ path, changedSince, state }) => [
        path,
        changedSince,
        state?.kind === "file" && Buffer.from(state.bytes).toString(),
      ]),
      [
        ["/w/agents", false, "\0old"],
        ["/w/ends", false, "a\r\n"],
        ["/w/users", true, "\0old"],
      ],
    );
  });
});
