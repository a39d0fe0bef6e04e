// The exact states of files under review, with files on a real disk.
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLog } from "../../src/base/log.ts";
import type { FileState } from "../../src/files/fileState.ts";
import { EarlierStates, type EarlierStatesOptions, type StateChange } from "../../src/review/earlierStates.ts";

const newStates = (
  options: Pick<EarlierStatesOptions, "stateAt" | "texts"> & Partial<EarlierStatesOptions>,
): EarlierStates =>
  new EarlierStates({
    awaitsReview: () => false,
    isOrigin: () => false,
    newFolders: () => Promise.resolve([]),
    changedState: () => {},
    log: nullLog,
    ...options,
  });

/** The start of the turn has a script that can be executed. */
const statesOfScript = (changed: StateChange[]): EarlierStates =>
  newStates({
    stateAt: () => Promise.resolve({ kind: "file", bytes: Buffer.from("echo\n"), executable: true }),
    texts: {
      textOf: read => Promise.resolve(Buffer.from(read).toString()),
      encodingOf: () => "utf8",
      withText: (_, state, text) => Promise.resolve({ ...state, bytes: Buffer.from(text) } as FileState),
    },
    changedState: change => changed.push(change),
  });

describe("the earlier states of files", () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "parley-states-"))));
  afterEach(() => rm(folder, { recursive: true }));

  it("are compared once for all reports that come before the comparison, with the turn of the last report", async () => {
    const path = join(folder, "a.bin");
    const bytes = Buffer.from([0, 1, 2]);
    await writeFile(path, Buffer.from([0, 1, 3]));
    let decoded = 0;
    const changed: string[] = [];
    const states = newStates({
      stateAt: () => Promise.resolve({ kind: "file", bytes, executable: false }),
      texts: {
        textOf: () => {
          decoded++;
          return Promise.resolve("the same text");
        },
        encodingOf: () => undefined,
        withText: () => Promise.resolve(undefined),
      },
      changedState: ({ turn }) => changed.push(turn),
    });
    states.turnBegan(0);
    states.touched("t1", path, undefined);
    for (let i = 0; i < 1000; i++) states.written(i < 999 ? "t1" : "t2", path);
    await states.settled();
    states.dispose();
    assert.deepEqual(changed, ["t2"]);
    assert.ok(decoded < 10, `${decoded} texts were decoded`);
  });

  it("belong to the text before, although the document is reopened in another encoding before they are read", async () => {
    const path = join(folder, "a.txt");
    const bytes = Buffer.from("é\n", "utf16le");
    await writeFile(path, "changed");
    let encoding = "utf16le";
    const states = newStates({
      stateAt: () => {
        encoding = "utf8";
        return Promise.resolve({ kind: "file", bytes, executable: false });
      },
      texts: {
        textOf: (read, _, chosen = encoding) => Promise.resolve(Buffer.from(read).toString(chosen as BufferEncoding)),
        encodingOf: () => encoding,
        withText: () => Promise.reject(new Error("the text has another encoding")),
      },
    });
    states.turnBegan(0);
    states.touched("t1", path, "é\n");
    await states.settled();
    const state = await states.stateFor(path, "é\n");
    states.dispose();
    assert.deepEqual(state, { kind: "file", bytes, executable: false });
  });

  for (const earlier of ["", ", after an earlier one"])
    it(`have the mode of the start and the text that the user saved, although the save is not reported yet${earlier}`, async () => {
      const path = join(folder, "run.sh");
      const changed: StateChange[] = [];
      const states = statesOfScript(changed);
      states.turnBegan(0);
      if (earlier !== "") {
        await writeFile(path, "earlier\necho\n");
        states.saved(path);
        await states.settled();
      }
      await writeFile(path, "user\necho\n");
      await chmod(path, 0o644);
      states.touched("t1", path, "user\necho\n");
      states.saved(path);
      states.written("t1", path);
      await states.settled();
      states.dispose();
      const bytes = Buffer.from("user\necho\n");
      const before = { kind: "file", bytes, executable: true } as const;
      const after = { ...before, executable: false };
      assert.deepEqual(changed, [{ path, turn: "t1", before, after, text: "user\necho\n" }]);
    });

  it("have another mode that the agent set, although the user changed and saved the text since", async () => {
    const path = join(folder, "run.sh");
    await writeFile(path, "echo\n");
    const changed: StateChange[] = [];
    const states = statesOfScript(changed);
    states.turnBegan(0);
    states.touched("t1", path, "echo\n");
    // The report of the mode arrives with the text of the save, which only the save makes the user's.
    await writeFile(path, "user\necho\n");
    states.written("t1", path);
    await states.settled();
    assert.deepEqual(changed, []);
    states.saved(path);
    states.written("t1", path);
    await states.settled();
    const bytes = Buffer.from("user\necho\n");
    const before = { kind: "file", bytes, executable: true } as const;
    const after = { ...before, executable: false };
    assert.deepEqual(changed, [{ path, turn: "t1", before, after, text: "user\necho\n" }]);
    assert.deepEqual(await states.stateFor(path, "user\necho\n"), before);
    states.dispose();
  });
});
