// An in-memory workspace with checkpoints, in which an agent and a user change files.
import { nullLog } from "../../../src/base/log.ts";
import { Checkpoints } from "../../../src/checkpoints/checkpoints.ts";
import type { CheckpointStore } from "../../../src/checkpoints/checkpointStore.ts";
import type { CheckpointTrees } from "../../../src/checkpoints/checkpointTrees.ts";
import type { CurrentFiles, RestorePlan } from "../../../src/checkpoints/restorePlanner.ts";
import { FakeClock } from "./fakePorts.ts";

/** An in-memory store. */
class FakeStore implements CheckpointStore {
  index: string | undefined;
  readonly contents = new Map<string, Uint8Array>();
  fails = false;
  async readIndex(): Promise<string | undefined> {
    return this.index;
  }
  async writeIndex(text: string): Promise<void> {
    if (this.fails) throw new Error("no space left");
    this.index = text;
  }
  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.contents.set(key, bytes);
  }
  async get(key: string): Promise<Uint8Array | undefined> {
    return this.contents.get(key);
  }
  async keepOnly(keys: ReadonlySet<string>): Promise<void> {
    for (const key of this.contents.keys()) if (!keys.has(key)) this.contents.delete(key);
  }
  async clear(): Promise<void> {
    this.index = undefined;
    this.contents.clear();
  }
}

/** An in-memory workspace in which the agent and the user change files. */
export class World {
  readonly store = new FakeStore();
  readonly clock = new FakeClock();
  readonly files = new Map<string, string>();
  readonly warnings: string[] = [];
  readonly limits = { count: 50, age: 1e12 };
  checkpoints: Checkpoints;
  turn = "";
  #minted = 0;

  constructor(trees?: CheckpointTrees) {
    this.checkpoints = this.#open(trees);
  }
  #open(trees?: CheckpointTrees): Checkpoints {
    return new Checkpoints({
      store: this.store,
      clock: this.clock,
      log: { ...nullLog, warn: words => this.warnings.push(words), error: words => this.warnings.push(words) },
      newId: () => `${++this.#minted}`,
      limits: () => this.limits,
      ...(trees && { trees }),
    });
  }
  readonly now: CurrentFiles = { text: async path => this.files.get(path) ?? null };

  begin(turn: string): Promise<void> {
    this.turn = turn;
    return this.checkpoints.beginTurn(turn);
  }
  agent(path: string, text: string | null): void {
    this.checkpoints.touched({ turn: this.turn, path, before: this.files.get(path) ?? null });
    this.user(path, text);
    this.checkpoints.written(path, text);
  }
  user(path: string, text: string | null): void {
    if (text === null) this.files.delete(path);
    else this.files.set(path, text);
  }
  /** Carries out the plan for files that only the agent changed, or for all files if `all`. */
  async restore(plan: RestorePlan, all = false): Promise<string> {
    const files = plan.files.filter(file => all || !file.changedSince);
    const id = await this.checkpoints.recordRestore(plan, files);
    for (const { path, to } of files) this.user(path, to ?? null);
    this.checkpoints.completeRestore(plan);
    return id;
  }
  async reload(trees?: CheckpointTrees): Promise<void> {
    await this.checkpoints.flush();
    this.checkpoints.dispose();
    this.checkpoints = this.#open(trees);
    await this.checkpoints.flush();
  }
}
