// The turn whose end is not compared with its start yet, as a window stores it for the next one.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { UnfinishedTurnStore } from "../../src/review/turns/unfinishedTurn.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

const turn = { turn: "t1", title: "Fix it", began: 1, session: { id: "s", title: "Fix", workspaceFolder: "/w" } };

describe("the turn that is not compared yet", () => {
  let storage: StoredFiles;
  beforeEach(() => {
    storage = new StoredFiles({});
  });
  const storedByWindow = async (use: (store: UnfinishedTurnStore) => void): Promise<void> => {
    const store = new UnfinishedTurnStore(storage, nullLog);
    use(store);
    await store.whenStored();
  };
  const readByNextWindow = (): Promise<unknown> => new UnfinishedTurnStore(storage, nullLog).read();

  it("is read by the next window, with the time when it ended", async () => {
    await storedByWindow(store => {
      store.begin(turn, () => true);
      store.update("t1", { ended: 5 });
    });
    assert.deepEqual(await readByNextWindow(), [{ ...turn, ended: 5 }]);
  });

  it("is gone when it is finished", async () => {
    await storedByWindow(store => {
      store.begin(turn, () => true);
      store.finish("t1");
    });
    assert.deepEqual(await readByNextWindow(), []);
  });

  it("is not changed by what is known later of an earlier turn", async () => {
    await storedByWindow(store => {
      store.begin(turn, () => true);
      store.begin({ ...turn, turn: "t2" }, () => true);
      store.update("t1", { compared: true });
      store.finish("t1");
    });
    assert.deepEqual(await readByNextWindow(), [{ ...turn, turn: "t2" }]);
  });

  it("is stored beside the turns that still run", async () => {
    await storedByWindow(store => {
      store.begin(turn, () => true);
      store.begin({ ...turn, turn: "t2" }, () => false);
      store.begin({ ...turn, turn: "t3" }, one => one === "t1");
      store.update("t2", { ended: 9 });
    });
    assert.deepEqual(await readByNextWindow(), [
      { ...turn, turn: "t2", ended: 9 },
      { ...turn, turn: "t3" },
    ]);
  });

  it("is read if an earlier version of Parley stored it alone", async () => {
    const session = { id: "s", workspaceFolder: "/w" };
    storage = new StoredFiles({ "reviewTurn.json": JSON.stringify({ ...turn, session }) });
    assert.deepEqual(await readByNextWindow(), [{ ...turn, session: { ...session, title: "" } }]);
  });

  it("is finished by the window that read it", async () => {
    await storedByWindow(store => store.begin(turn, () => true));
    const next = new UnfinishedTurnStore(storage, nullLog);
    assert.deepEqual(await next.read(), [turn]);
    next.finish("t1");
    await next.whenStored();
    assert.deepEqual(await readByNextWindow(), []);
  });

  it("does not replace a turn that begins while it is read", async () => {
    await storedByWindow(store => store.begin(turn, () => true));
    const next = new UnfinishedTurnStore(storage, nullLog);
    const read = next.read();
    next.begin({ ...turn, turn: "t2" }, () => true);
    await read;
    next.update("t2", { ended: 7 });
    await next.whenStored();
    assert.deepEqual(await readByNextWindow(), [{ ...turn, turn: "t2", ended: 7 }]);
  });

  it("is not known, and the log names the reason, if what is stored cannot be read", async () => {
    const errors: string[] = [];
    const log = { ...nullLog, error: (message: string) => errors.push(message) };
    storage = new StoredFiles({ "reviewTurn.json": "{" });
    assert.deepEqual(await new UnfinishedTurnStore(storage, log as typeof nullLog).read(), []);
    assert.deepEqual(errors, ["The last turn's changes could not be read."]);
  });
});
