// Parley's own connection to an MCP server: starting, failing, storms of changes, and ending when it is idle.
import assert from "node:assert/strict";
import { until } from "../support/fakes/until.ts";
import { nullLog } from "../../src/base/log.ts";
import type { McpPrompt, PromptServer } from "../../src/mcp/promptServer.ts";
import { listInterval, maxIdleTime, retryTime, ServerConnection } from "../../src/mcp/serverConnection.ts";

const prompts = (...names: readonly string[]): readonly McpPrompt[] => names.map(name => ({ name, arguments: [] }));

/** A clock that a test moves. */
class TestClock {
  #now = 0;
  #timers = new Map<() => void, number>();
  now = (): number => this.#now;
  after = (ms: number, run: () => void): { dispose: () => void } => {
    const timer = (): void => run();
    this.#timers.set(timer, this.#now + ms);
    return { dispose: () => this.#timers.delete(timer) };
  };
  async move(ms: number): Promise<void> {
    this.#now += ms;
    for (const [run, at] of [...this.#timers])
      if (at <= this.#now) {
        this.#timers.delete(run);
        run();
      }
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
  }
}

class Bench {
  readonly clock = new TestClock();
  starts = 0;
  lists = 0;
  closes = 0;
  offered = prompts("a");
  isCut = false;
  skipped = 0;
  readonly warnings: string[] = [];
  failure: Error | undefined;
  icon: string | undefined;
  readonly kept: (readonly McpPrompt[])[] = [];
  changed = (): void => {};
  closed = (): void => {};
  readonly connection = new ServerConnection({
    name: "s",
    prompts: prompts("old"),
    connect: (events, signal) => {
      this.starts++;
      this.changed = events.onPromptsChanged;
      this.closed = events.onClosed;
      if (this.failure) return Promise.reject(this.failure);
      return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
        resolve({
          listPrompts: () => {
            this.lists++;
            return Promise.resolve({ prompts: this.offered, isCut: this.isCut, skipped: this.skipped });
          },
          icon: () => Promise.resolve(this.icon),
          close: () => Promise.resolve(void this.closes++),
        } as unknown as PromptServer);
      });
    },
    onDidChange: () => {},
    onListed: listed => this.kept.push(listed),
    clock: this.clock,
    log: { ...nullLog, warn: (message, data) => this.warnings.push(`${message} ${String(data)}`) },
  });
}

describe("Parley's connection to an MCP server", () => {
  it("shows the list of last time until the server has listed its prompts", async () => {
    const bench = new Bench();
    assert.deepEqual(bench.connection.prompts, prompts("old"));
    assert.equal(bench.connection.status.state, "stopped");
    const started = bench.connection.start();
    assert.equal(bench.connection.status.state, "starting");
    await Promise.all([started, bench.connection.start()]);
    assert.equal(bench.connection.status.state, "ready");
    assert.deepEqual(bench.connection.prompts, prompts("a"));
    assert.deepEqual(bench.kept, [prompts("a")]);
    assert.equal(bench.starts, 1);
  });

  it("has the icon of the server once it is read", async () => {
    const bench = new Bench();
    bench.icon = "data:image/png;base64,AA";
    await bench.connection.start();
    await until(() => bench.connection.icon === bench.icon);
  });

  it("says what the list lacks, once for each change, and no longer when nothing is missing", async () => {
    const bench = new Bench();
    bench.isCut = true;
    bench.skipped = 2;
    await bench.connection.start();
    const problem =
      "The server has more prompts than Parley reads. The first 1 are offered. " +
      "2 prompts are left out because Parley cannot read them.";
    assert.equal(bench.connection.listProblem, problem);
    assert.equal(bench.connection.status.state, "ready");
    bench.changed();
    await bench.clock.move(listInterval);
    assert.equal(bench.lists, 2);
    assert.deepEqual(bench.warnings, [`The list of prompts of s is incomplete. ${problem}`]);
    bench.isCut = false;
    bench.skipped = 1;
    bench.changed();
    await bench.clock.move(listInterval);
    assert.equal(bench.connection.listProblem, "One prompt is left out because Parley cannot read it.");
    bench.skipped = 0;
    bench.changed();
    await bench.clock.move(listInterval);
    assert.equal(bench.connection.listProblem, undefined);
    assert.deepEqual(bench.kept, [prompts("a")]);
  });

  it("keeps the reason of a failure and the list of last time, and starts again only later or at the user's request", async () => {
    const bench = new Bench();
    bench.failure = new Error("It broke.");
    await bench.connection.start();
    assert.deepEqual(bench.connection.status, { state: "failed", reason: "It broke." });
    assert.deepEqual(bench.connection.prompts, prompts("old"));
    await bench.connection.start();
    assert.equal(bench.starts, 1);
    await bench.clock.move(retryTime);
    await bench.connection.start();
    assert.equal(bench.starts, 2);
    bench.failure = undefined;
    await bench.connection.start(true);
    assert.equal(bench.connection.status.state, "ready");
  });

  it("reads the list once for a storm of changes", async () => {
    const bench = new Bench();
    await bench.connection.start();
    bench.offered = prompts("a", "b");
    for (let at = 0; at < 5000; at++) bench.changed();
    assert.equal(bench.lists, 1);
    await bench.clock.move(listInterval);
    assert.equal(bench.lists, 2);
    assert.deepEqual(bench.connection.prompts, prompts("a", "b"));
  });

  it("ends when nobody has used it for a while, but not while a prompt is in use", async () => {
    const bench = new Bench();
    await bench.connection.start();
    let done = (): void => {};
    const used = bench.connection.use(() => new Promise<void>(resolve => (done = resolve)));
    await bench.clock.move(2 * maxIdleTime);
    assert.equal(bench.closes, 0);
    done();
    await used;
    await bench.clock.move(maxIdleTime);
    assert.equal(bench.closes, 1);
    assert.equal(bench.connection.status.state, "stopped");
    assert.deepEqual(bench.connection.prompts, prompts("a"));
  });

  it("starts again after the server has ended by itself", async () => {
    const bench = new Bench();
    await bench.connection.start();
    bench.closed();
    assert.equal(bench.connection.status.state, "stopped");
    await bench.connection.use(() => Promise.resolve());
    assert.equal(bench.starts, 2);
  });

  it("ends a server that is still starting", async () => {
    const bench = new Bench();
    const started = bench.connection.start();
    await bench.connection.end();
    await started;
    await assert.rejects(bench.connection.use(() => Promise.resolve()));
    assert.equal(bench.starts, 1);
  });
});
