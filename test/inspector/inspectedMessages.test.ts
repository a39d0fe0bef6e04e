// What the page of the protocol inspector receives: lists, rows and contents without secrets, and only about what it shows.
import assert from "node:assert/strict";
import { maskRecord, TrafficRecorder } from "../../src/acp/trafficRecorder.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import { InspectedMessages } from "../../src/inspector/inspectedMessages.ts";
import type { InspectorList, InspectorMessage, InspectorRow } from "../../src/panel/inspectorPage.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

const secret = "Zq9-secret-name";

/** A clock on which each step takes a while. */
class SlowClock extends FakeClock {
  #steps = 0;
  override now(): number {
    return super.now() + this.#steps++ / 100;
  }
}

class Bench {
  readonly clock: FakeClock;
  readonly recorders = new Map<string, TrafficRecorder>();
  readonly recorded = new Emitter<string>();
  readonly posted: InspectorMessage[] = [];
  readonly messages: InspectedMessages;

  constructor(clock = new FakeClock()) {
    this.clock = clock;
    this.recorders.set("a", new TrafficRecorder(clock));
    this.messages = new InspectedMessages({
      traffic: {
        recordedAgents: ["a", "b"],
        tap: agent => this.recorders.get(agent),
        onDidRecord: this.recorded.event,
      },
      masking: { record: maskRecord, text: text => text.replaceAll(secret, "•••") },
      nameOf: agent => `Agent ${agent}`,
      post: message => void this.posted.push(message),
      clock,
    });
  }

  get recorder(): TrafficRecorder {
    return this.recorders.get("a") ?? assert.fail();
  }
  add(dir: "c>a" | "a>c", message: object): void {
    this.recorder.recordMessage(dir, message, 10);
  }
  update(): void {
    this.recorded.fire("a");
    this.clock.advance(100);
  }
  prompt(id: number, session: string): void {
    this.add("c>a", { id, method: "session/prompt", params: { sessionId: session, prompt: [] } });
  }
  /** The latest list. */
  get list(): InspectorList {
    const lists = this.posted.flatMap(message => (message.type === "list" ? [message.list] : []));
    return lists.at(-1) ?? assert.fail("There is no list.");
  }
  get rows(): readonly InspectorRow[] {
    const all = this.posted.flatMap(message => (message.type === "rows" ? [message.rows] : []));
    return all.at(-1) ?? [];
  }
  get shown(): (InspectorMessage & { readonly type: "message" }) | undefined {
    return this.posted.flatMap(message => (message.type === "message" ? [message] : [])).at(-1);
  }
}

describe("what the page of the protocol inspector receives", () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
    bench.add("c>a", { id: 0, method: "initialize", params: { protocolVersion: 1 } });
    bench.add("a>c", { id: 0, result: { protocolVersion: 1 } });
  });
  afterEach(() => bench.messages.dispose());

  it("is nothing before the page has loaded and after it was closed", () => {
    bench.messages.show("a");
    bench.update();
    assert.deepEqual(bench.posted, []);
    bench.messages.start();
    assert.deepEqual([bench.list.end, bench.list.total, bench.list.agents.length], [2, 2, 2]);
    bench.messages.stop();
    const { length } = bench.posted;
    bench.update();
    assert.equal(bench.posted.length, length);
  });

  it("are the rows that it asks for, at most 400, and new ones among them", () => {
    bench.messages.show("a");
    bench.messages.start();
    const { list } = bench.list;
    bench.messages.run({ type: "rows", list, from: 0, count: 1_000_000 });
    assert.equal(bench.rows.length, 2);
    for (let at = 0; at < 500; at++) bench.prompt(1, "s");
    bench.update();
    assert.deepEqual([bench.rows.length, bench.list.end], [400, 502]);
    bench.messages.run({ type: "rows", list: list + 1, from: 400, count: 10 });
    assert.equal(bench.rows[0]?.number, 0, "another list");
    bench.messages.run({ type: "rows", list, from: 400, count: 10 });
    assert.deepEqual([bench.rows.length, bench.rows[0]?.number], [10, 400]);
  });

  it("are rows at their positions, also if older records were dropped a moment ago", async () => {
    for (let at = 0; at < 49_998; at++) bench.recorder.recordText("err", String(at));
    bench.messages.show("a");
    bench.messages.start();
    await until(() => bench.list.isReading === undefined);
    for (let at = 0; at < 5; at++) bench.recorder.recordText("err", "more");
    bench.messages.run({ type: "rows", list: bench.list.list, from: 0, count: 10 });
    const { from } = bench.posted.flatMap(message => (message.type === "rows" ? [message] : [])).at(-1) ?? {};
    assert.deepEqual([from, bench.rows.map(({ number }) => number)], [5, [5, 6, 7, 8, 9]]);
  });

  it("are rows whose answer arrived, also if rows before them were dropped", async () => {
    for (let at = 0; at < 49_996; at++) bench.recorder.recordText("err", String(at));
    bench.prompt(1, "s");
    bench.prompt(2, "s");
    bench.messages.show("a");
    bench.messages.start();
    await until(() => bench.list.isReading === undefined);
    bench.messages.run({ type: "rows", list: bench.list.list, from: 49_700, count: 300 });
    for (let at = 0; at < 49_800; at++) bench.recorder.recordText("err", "more");
    bench.update();
    await until(() => bench.list.isReading === undefined);
    bench.add("a>c", { id: 1, result: {} });
    bench.update();
    await until(() => bench.rows.some(({ wait }) => wait !== undefined));
  });

  it("has no secret, neither in names nor in contents nor in what is copied", () => {
    bench.add("a>c", {
      ...{ id: secret, method: secret },
      params: { sessionId: secret, apiKey: "s3cr3t", update: { sessionUpdate: secret } },
    });
    bench.messages.show("a");
    bench.messages.start();
    const { list } = bench.list;
    bench.messages.run({ type: "rows", list, from: 0, count: 10 });
    bench.messages.run({ type: "select", list, position: 2 });
    const text = JSON.stringify(bench.posted.filter(({ type }) => type !== "message"));
    assert.ok(text.includes("•••") && !text.includes(secret));
    assert.ok(!JSON.stringify(bench.shown).includes("s3cr3t"));
    assert.match(bench.messages.textOf(list, 2) ?? "", /"apiKey": "•••"/);
    assert.equal(bench.messages.textOf(list + 1, 2), undefined);
    assert.equal(bench.messages.textOf(list, 3), undefined);
  });

  it("is the message at which a session failed, also if the filter was another one", () => {
    for (const [id, session] of [
      [1, "s1"],
      [2, "s2"],
    ] as const) {
      bench.prompt(id, session);
      bench.add("a>c", { id, error: { code: 1, message: session } });
    }
    bench.messages.show("a");
    bench.messages.start();
    bench.messages.run({ type: "filter", text: "nothing has this" });
    assert.equal(bench.list.end, 0);
    bench.messages.show("a", { session: "s1" });
    assert.deepEqual(bench.list.filter, {});
    const { row, position, reveal } = bench.shown ?? {};
    assert.deepEqual([row?.number, position, reveal], [3, 3, true]);
  });

  it("is no message if the failure is not among those that are recorded", () => {
    bench.messages.show("a");
    bench.messages.start();
    bench.messages.show("a", { session: "s1" });
    assert.deepEqual([bench.posted.at(-1), bench.shown], [{ type: "gone", list: bench.list.list }, undefined]);
  });

  it("is no request that was dropped", () => {
    bench.messages.show("a");
    bench.messages.start();
    for (let at = 0; at < 50_000; at++) bench.recorder.recordText("err", "x");
    bench.messages.run({ type: "goTo", list: bench.list.list, number: 0 });
    assert.deepEqual(bench.posted.at(-1), { type: "gone", list: bench.list.list });
  });

  it("is a message that the filter has not reached yet, in the list with the filter", async () => {
    for (let at = 0; at < 40_000; at++) bench.add("a>c", { method: "session/update", params: { text: `words ${at}` } });
    bench.messages.show("a");
    bench.messages.start();
    await until(() => bench.list.isReading === undefined);
    const list = bench.list.list + 1;
    bench.messages.run({ type: "filter", text: "words" });
    bench.messages.run({ type: "goTo", list, number: 40_001 });
    await until(() => bench.shown !== undefined);
    const { row, position } = bench.shown ?? {};
    assert.deepEqual([row?.number, position, bench.list.list], [40_001, 39_999, list]);
  });

  it("are the rows of a method whose name has a secret, by the name that is shown", () => {
    bench.add("a>c", { method: `_x/${secret}`, params: { sessionId: secret } });
    bench.messages.show("a");
    bench.messages.start();
    for (const [filter, count] of [
      [{ method: "_x/•••", session: "•••" }, 1],
      [{ text: "_x/•••" }, 1],
      [{ method: `_x/${secret}` }, 0],
    ] as const) {
      bench.messages.run({ type: "filter", ...filter });
      assert.equal(bench.list.end, count, JSON.stringify(filter));
    }
  });

  it("is the new connection once the agent was restarted", () => {
    bench.messages.show("a");
    bench.messages.start();
    const { list } = bench.list;
    bench.recorders.set("a", new TrafficRecorder(bench.clock));
    bench.prompt(7, "s");
    bench.update();
    assert.deepEqual([bench.list.total, bench.list.list > list], [1, true]);
  });

  it("has no message of the new connection once the agent was restarted, and keeps the filter except the session", () => {
    bench.messages.show("a");
    bench.messages.start();
    bench.messages.run({ type: "filter", method: "initialize" });
    bench.messages.run({ type: "select", list: bench.list.list, position: 0 });
    bench.messages.run({ type: "filter", method: "initialize", session: "s", text: "x", only: "faults" });
    const { connection } = bench.list;
    const shown = bench.shown;
    assert.equal(shown?.row.number, 0);
    bench.recorders.set("a", new TrafficRecorder(bench.clock));
    bench.add("c>a", { id: 0, method: "initialize", params: { protocolVersion: 1 } });
    bench.update();
    bench.add("a>c", { id: 0, result: { protocolVersion: 1 } });
    bench.update();
    assert.notEqual(bench.list.connection, connection);
    assert.deepEqual(bench.list.filter, { method: "initialize", text: "x", only: "faults" });
    assert.equal(bench.shown, shown);
  });

  it("are the messages of the agent that the user chooses, if it is one of those that ran", () => {
    bench.messages.show("a");
    bench.messages.start();
    bench.messages.run({ type: "chooseAgent", agent: "other" });
    assert.equal(bench.list.agent, "a");
    bench.messages.run({ type: "chooseAgent", agent: "b" });
    assert.deepEqual([bench.list.agent, bench.list.total], ["b", 0]);
  });

  it("includes a request that was never answered in the list of faults, once the connection has ended", () => {
    bench.prompt(1, "s");
    bench.messages.show("a");
    bench.messages.start();
    bench.messages.run({ type: "filter", only: "faults" });
    assert.equal(bench.list.end, 0);
    bench.recorder.close();
    bench.update();
    assert.deepEqual([bench.list.end, bench.list.isClosed], [1, true]);
  });

  it("stays at the selected message when an earlier request gets a fault", () => {
    bench.prompt(1, "s");
    bench.add("a>c", { method: "session/nonsense", params: {} });
    bench.messages.show("a");
    bench.messages.start();
    bench.messages.run({ type: "filter", only: "faults" });
    bench.messages.run({ type: "select", list: bench.list.list, position: 0 });
    bench.recorder.close();
    bench.update();
    const { row, position, reveal, list } = bench.shown ?? {};
    assert.deepEqual([row?.number, position, reveal, list], [3, 1, true, bench.list.list]);
    assert.deepEqual(bench.list.filter, { only: "faults" });
  });

  it("arrives in slices while there are many messages, so that other work runs in between", async () => {
    bench = new Bench(new SlowClock());
    for (let at = 0; at < 50_000; at++) bench.add("a>c", { method: "session/update", params: { text: `words ${at}` } });
    bench.messages.show("a");
    bench.messages.start();
    bench.messages.run({ type: "filter", text: "words 49999" });
    assert.ok(bench.list.isReading);
    await until(() => bench.list.isReading === undefined);
    assert.deepEqual([bench.list.end, bench.list.total], [1, 50_000]);
  });
});
