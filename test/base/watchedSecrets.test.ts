// Whether secret storage keeps its values, as the canary of an earlier start shows, over several starts.
import assert from "node:assert/strict";
import type { Memento, SecretStore } from "../../src/base/memento.ts";
import { WatchedSecrets, withNote } from "../../src/base/secrets/watchedSecrets.ts";

class FakeSecrets implements SecretStore {
  readonly values = new Map<string, string>();
  fault: Error | undefined;

  async get(key: string): Promise<string | undefined> {
    if (this.fault) throw this.fault;
    return this.values.get(key);
  }
  async store(key: string, value: string): Promise<void> {
    if (this.fault) throw this.fault;
    this.values.set(key, value);
  }
  async delete(key: string): Promise<void> {
    this.values.delete(key);
  }
}

class FakeState implements Memento {
  readonly values = new Map<string, unknown>();

  get<T>(key: string, otherwise?: T): T {
    return (this.values.get(key) ?? otherwise) as T;
  }
  async update(key: string, value: unknown): Promise<void> {
    this.values.set(key, value);
  }
}

describe("watched secrets", () => {
  let secrets: FakeSecrets;
  let globalState: FakeState;
  let logged: string[];
  beforeEach(() => {
    [secrets, globalState, logged] = [new FakeSecrets(), new FakeState(), []];
  });
  const opened = (): WatchedSecrets =>
    new WatchedSecrets({
      secrets,
      globalState,
      log: { warn: (message, why) => logged.push(`${message} ${String(why)}`) },
    });
  /** A start of the window. Resolves with whether the user is warned, and what is known of the storage. */
  const start = async (hasSecrets = true): Promise<readonly [boolean, string]> => {
    const watched = opened();
    return [await watched.check(hasSecrets), watched.memory];
  };

  it("write nothing before the user has stored a secret", async () => {
    const watched = opened();
    assert.equal(await watched.check(false), false);
    assert.deepEqual([...secrets.values.keys(), ...globalState.values.keys()], []);
    await watched.store("key", "value");
    // The next check waits for the canary.
    assert.equal(await watched.check(true), false);
    assert.deepEqual([watched.memory, secrets.values.get("key"), secrets.values.size], ["keeps", "value", 2]);
  });

  it("are kept if the next start finds the canary", async () => {
    assert.deepEqual(await start(), [false, "unknown"], "the secrets of an earlier version");
    assert.deepEqual(await start(), [false, "keeps"]);
    assert.deepEqual(await start(false), [false, "keeps"]);
  });

  it("are forgotten if the next start finds none, which the user learns once until they are kept again", async () => {
    await start();
    for (const warns of [true, false, false]) {
      secrets.values.clear();
      assert.deepEqual(await start(), [warns, "forgets"]);
    }
    assert.deepEqual(await start(), [false, "keeps"]);
    secrets.values.clear();
    assert.deepEqual(await start(), [true, "forgets"]);
  });

  it("give no warning if the user has stored none, and are not written then", async () => {
    await start();
    secrets.values.clear();
    assert.deepEqual(await start(false), [false, "forgets"]);
    assert.equal(secrets.values.size, 0);
    assert.deepEqual(await start(), [true, "forgets"]);
  });

  it("have a note for questions and a line for reports", async () => {
    const texts = async (): Promise<readonly unknown[]> => {
      const watched = opened();
      await watched.check(true);
      return [watched.note, watched.report, withNote("Key?", watched.note)];
    };
    assert.match(String((await texts())[1]), /^Secret storage: not checked/);
    assert.deepEqual(await texts(), [undefined, "Secret storage: keeps its values", "Key?"]);
    secrets.values.clear();
    const note = "VS Code has forgotten the secrets of its last start, so you may have to enter this again.";
    assert.deepEqual(await texts(), [
      note,
      "Secret storage: has forgotten its values since the last start",
      `Key? ${note}`,
    ]);
  });

  it("log a storage that fails, and still pass the failure of a value on", async () => {
    await start();
    secrets.fault = new Error("The keyring is locked.");
    assert.deepEqual(await start(), [false, "unknown"]);
    assert.deepEqual(logged, ["It could not be checked whether VS Code keeps secrets. The keyring is locked."]);
    await assert.rejects(opened().store("key", "value"), /locked/);
    await assert.rejects(Promise.resolve(opened().get("key")), /locked/);
  });
});
