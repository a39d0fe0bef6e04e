// The preparation of a turn: the prompt waits for it, for a limited time, and never fails because of it.
import assert from "node:assert/strict";
import { Emitter, findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import { Session } from "../../src/session/session.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { StubAgent } from "../support/fakes/stubAgent.ts";
import { until } from "../support/fakes/until.ts";

class Bench {
  readonly agent = new StubAgent();
  readonly clock = new FakeClock();
  readonly warnings: string[] = [];
  readonly prepared: string[] = [];
  readonly died = new Emitter<never>();
  readonly session: Session;
  /** Settles the current preparation. */
  ready: (error?: Error) => void = () => assert.fail("nothing is being prepared");

  constructor() {
    let minted = 0;
    this.session = new Session({
      id: "session",
      agent: { id: "stub", name: "Stub" },
      workspaceFolder: "/w",
      clock: this.clock,
      log: { ...nullLog, warn: message => this.warnings.push(message) },
      newId: () => `s${++minted}`,
      connection: {
        connect: async () => ({ agent: this.agent, onDidDie: this.died.event, hasEnded: () => false }),
        restart: async () => {},
      },
      createServices: dispatch => ({
        ...questionServices(new PermissionBroker({ report: dispatch }), () => {}),
        participants: [
          {
            beforeTurn: submission => {
              this.prepared.push(submission);
              return new Promise((resolve, reject) => (this.ready = error => (error ? reject(error) : resolve())));
            },
            dispose() {},
          },
        ],
      }),
    });
  }

  get texts(): readonly string[] {
    return this.agent.sessions.at(-1)?.texts ?? [];
  }
  send(text: string): void {
    this.session.send([{ type: "text", text }]);
  }
  async settled(): Promise<void> {
    for (let i = 0; i < 3; i++) await new Promise(resolve => setImmediate(resolve));
  }
}

describe("a turn that is prepared", () => {
  let bench: Bench;
  beforeEach(async () => {
    trackLeaks();
    bench = new Bench();
    await bench.session.open();
  });
  afterEach(() => {
    bench.session.dispose();
    bench.died.dispose();
    assert.deepEqual(findLeaks(), []);
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("is sent to the agent after its preparation, and each turn is prepared once", async () => {
    bench.send("one");
    bench.send("two");
    await bench.settled();
    assert.deepEqual([bench.prepared, bench.texts], [["s1"], []]);
    bench.ready();
    await until(() => bench.texts.length === 1);
    assert.deepEqual(bench.prepared, ["s1"]);
    bench.agent.sessions[0]?.end();
    await until(() => bench.prepared.length === 2);
    assert.deepEqual(bench.texts, ["one"]);
    bench.ready();
    await until(() => bench.texts.length === 2);
    assert.deepEqual(
      [bench.prepared, bench.texts],
      [
        ["s1", "s2"],
        ["one", "two"],
      ],
    );
  });

  it("is sent anyway if its preparation fails", async () => {
    bench.send("one");
    bench.ready(new Error("no"));
    await until(() => bench.texts.length === 1);
    assert.deepEqual(bench.warnings, ["A turn could not be prepared."]);
  });

  it("is sent anyway if its preparation takes too long, and a late failure does no harm", async () => {
    bench.send("one");
    await bench.settled();
    bench.clock.advance(1999);
    await bench.settled();
    assert.deepEqual(bench.texts, []);
    bench.clock.advance(1);
    await until(() => bench.texts.length === 1);
    bench.ready(new Error("late"));
    await bench.settled();
    assert.deepEqual(bench.warnings, ["A prompt went out before its turn was prepared: it took too long."]);
  });

  it("is held by a stop during its preparation, and prepared again when the user continues", async () => {
    bench.send("one");
    bench.session.stop();
    bench.ready();
    await bench.settled();
    assert.deepEqual([bench.texts, bench.session.state.pendingPrompts.length], [[], 1]);
    bench.send("two");
    bench.ready();
    await until(() => bench.texts.length === 1);
    assert.deepEqual([bench.prepared, bench.texts], [["s1", "s1"], ["one"]]);
  });

  it("is not sent if its prompt was removed meanwhile, and the next one is prepared", async () => {
    bench.send("one");
    bench.send("two");
    bench.session.queue.withdraw("s1");
    bench.ready();
    await until(() => bench.prepared.length === 2);
    bench.ready();
    await until(() => bench.texts.length === 1);
    assert.deepEqual([bench.prepared, bench.texts], [["s1", "s2"], ["two"]]);
  });

  it("is not sent if the user puts its prompt on hold meanwhile, and prepared again after the release", async () => {
    bench.send("one");
    bench.session.queue.hold("s1");
    bench.ready();
    await bench.settled();
    assert.deepEqual([bench.prepared, bench.texts], [["s1"], []]);
    bench.session.queue.release("s1");
    bench.ready();
    await until(() => bench.texts.length === 1);
    assert.deepEqual(bench.prepared, ["s1", "s1"]);
  });

  it("is sent with the text of an edit during its preparation", async () => {
    bench.send("one");
    bench.session.queue.edit("s1", "other");
    bench.ready();
    await until(() => bench.texts.length === 1);
    assert.deepEqual(bench.texts, ["other"]);
  });

  it("is not sent by a session that was disposed meanwhile, and nothing keeps waiting", async () => {
    bench.send("one");
    bench.session.dispose();
    await bench.settled();
    assert.equal(bench.clock.pendingTimers, 0);
    bench.ready();
    await bench.settled();
    assert.deepEqual([bench.texts, bench.warnings], [[], []]);
  });
});
