// When the channel of one panel sends which message.
import assert from "node:assert/strict";
import fc from "fast-check";
import { PanelChannel, minFlushInterval, pauseAfterPaint, paintTimeout } from "../../src/panel/panelChannel.ts";
import { maxEntriesAtOnce } from "../../src/panel/projection/recentEntries.ts";
import { appendToLast, applyViewPatches } from "../../src/panel/patch.ts";
import type { HostMessage, View } from "../../src/panel/protocol.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession } from "../../src/session/state.ts";
import { eventArb } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { emptyHead } from "../support/fakes/heads.ts";

class Bench {
  readonly clock = new FakeClock();
  readonly messages: HostMessage[] = [];
  taken: boolean | "throws" = true;
  #state = emptySession;
  readonly #projector = new WholeProjector();
  readonly channel = new PanelChannel({
    clock: this.clock,
    view: () => this.view,
    recentEntries: () => this.#projector.recentEntries(this.#state, emptyHead),
    post: message => {
      this.messages.push(JSON.parse(JSON.stringify(message)) as HostMessage);
      return this.taken === "throws" ? Promise.reject(new Error("gone")) : Promise.resolve(this.taken);
    },
  });

  get view(): View {
    return this.#projector.project(this.#state, emptyHead);
  }
  /** A conversation with this number of messages that replaces the current one. */
  open(count: number, name = "old"): void {
    this.#state = range(count).reduce((state, at) => {
      const content = [{ type: "text", text: `Message ${at}.` }] as const;
      const event = {
        type: "message",
        author: at % 4 === 0 ? "user" : "agent",
        messageId: `${name}${at}`,
        content,
      } as const;
      return reduce(state, { seq: 0, at: 0, event });
    }, emptySession);
    this.channel.changed();
  }
  happen(event: SessionEvent): void {
    this.#state = reduce(this.#state, { seq: 0, at: 0, event });
    this.channel.changed();
  }
  say(text: string): void {
    this.happen({ type: "messageChunk", author: "agent", messageId: "m", content: { type: "text", text } });
  }
  get kinds(): readonly string[] {
    return this.messages.map(message => message.type);
  }
  /** The view that a panel holds after it accepted every message. */
  get panel(): View | undefined {
    return this.messages.reduce<View | undefined>((view, message) => {
      if (message.type === "snapshot") return message.view;
      if (message.type === "text" && view) return applyViewPatches(view, [appendToLast(view, message.text)]);
      return message.type === "patch" && view ? applyViewPatches(view, message.patches) : view;
    }, undefined);
  }
  current(): void {
    assert.deepEqual(this.panel, JSON.parse(JSON.stringify(this.view)));
  }
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe("the channel of a panel", () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => {
    bench.channel.dispose();
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("sends a loading page one view, the first that is not empty, and continues after the page's hello", () => {
    bench.channel.changed();
    assert.deepEqual(bench.kinds, [], "an empty one is nothing to wait for the page");
    bench.clock.advance(100);
    bench.say("a");
    assert.deepEqual(bench.kinds, ["snapshot"]);
    for (const text of ["b", "c"]) {
      bench.say(text);
      bench.clock.advance(1000);
    }
    assert.deepEqual(bench.kinds, ["snapshot"]);
    bench.channel.hello(0);
    assert.deepEqual(bench.kinds, ["snapshot"], "it waits for the page, which has not seen it yet");
    bench.channel.acknowledgePaint(1);
    bench.clock.advance(pauseAfterPaint);
    assert.deepEqual(bench.kinds, ["snapshot", "text"]);
    bench.current();
    bench.channel.hello(0);
    assert.deepEqual(bench.kinds, ["snapshot", "text", "snapshot"], "a reloaded page has no view yet");
    bench.current();
  });

  it("sends at once what waits for the panel to paint, if a message about it follows", () => {
    bench.channel.hello(0);
    bench.channel.acknowledgePaint(1);
    bench.clock.advance(1000);
    bench.say("a");
    bench.say("b");
    assert.deepEqual(bench.kinds, ["snapshot", "patch"], "the panel paints");
    bench.channel.bringUpToDate();
    assert.deepEqual(bench.kinds, ["snapshot", "patch", "text"]);
    bench.current();
    bench.channel.bringUpToDate();
    assert.deepEqual(bench.kinds, ["snapshot", "patch", "text"], "nothing waits");
    bench.clock.advance(1000);
    assert.deepEqual(bench.kinds, ["snapshot", "patch", "text"], "nothing is sent twice");
  });

  it("sends the end of another long conversation at once for such a message, and its rest after the paint", () => {
    bench.open(maxEntriesAtOnce * 2, "old");
    bench.channel.hello(0);
    bench.open(maxEntriesAtOnce * 2, "new");
    bench.channel.bringUpToDate();
    assert.deepEqual(bench.kinds, ["snapshot", "snapshot"]);
    assert.match(bench.panel?.entries.at(-1)?.id ?? "", /new/);
    bench.channel.bringUpToDate();
    assert.deepEqual(bench.kinds, ["snapshot", "snapshot"]);
    bench.channel.acknowledgePaint(2);
    bench.clock.advance(paintTimeout);
    bench.current();
  });

  it("sends the first view at hello if there was nothing before", () => {
    bench.channel.hello(0);
    assert.deepEqual(bench.kinds, ["snapshot"]);
    bench.current();
  });

  it("sends the end of a long conversation first, and the rest after the end has been painted", () => {
    bench.open(200);
    bench.channel.hello(0);
    const [first] = bench.messages;
    assert.ok(first?.type === "snapshot" && first.earlier !== undefined);
    assert.equal(first.earlier + first.view.entries.length, 200);
    assert.ok(first.view.entries.length < 70, `${first.view.entries.length} entries`);
    assert.equal(first.view.entries[0]?.kind, "user");
    bench.happen({
      type: "messageChunk",
      author: "agent",
      messageId: "old1",
      content: { type: "text", text: " More." },
    });
    bench.happen({
      type: "messageChunk",
      author: "agent",
      messageId: "old199",
      content: { type: "text", text: " More." },
    });
    bench.say("a new one");
    bench.clock.advance(minFlushInterval);
    assert.deepEqual(bench.kinds, ["snapshot"]);
    bench.channel.acknowledgePaint(1);
    bench.clock.advance(pauseAfterPaint);
    assert.deepEqual(bench.kinds, ["snapshot", "patch"]);
    bench.current();
  });

  it("limits the wait for the end to be painted", () => {
    bench.open(200);
    bench.channel.hello(0);
    bench.clock.advance(paintTimeout - 1);
    assert.deepEqual(bench.kinds, ["snapshot"]);
    bench.clock.advance(1);
    assert.deepEqual(bench.kinds, ["snapshot", "patch"]);
    bench.current();
  });

  it("sends all of a long conversation at once to a panel that requests it", () => {
    bench.open(200);
    bench.channel.hello(0, true);
    assert.deepEqual(bench.kinds, ["snapshot", "snapshot"], "the first was on its way before the panel could say so");
    bench.current();
  });

  it("sends everything to a panel that lost track, because it may show an entry far from the end", () => {
    bench.open(200);
    bench.channel.hello(0);
    bench.channel.acknowledgePaint(1);
    bench.channel.resync();
    const last = bench.messages.at(-1);
    assert.ok(last?.type === "snapshot" && last.earlier === undefined);
    bench.current();
  });

  it("sends the end first again when another long conversation replaces a conversation, also before all of it is sent", () => {
    bench.channel.hello(0);
    bench.channel.acknowledgePaint(1);
    for (const name of ["first", "second", "third"]) {
      bench.clock.advance(1000);
      bench.open(200, name);
      if (name === "second") bench.channel.acknowledgePaint(bench.messages.length);
    }
    bench.clock.advance(1000);
    assert.ok(bench.kinds.filter(kind => kind === "snapshot").length >= 4, bench.kinds.join(" "));
    bench.current();
  });

  it("arrives at the complete view for any conversation, any events and any paint times", () => {
    const step = fc.oneof(
      fc.record({ pass: fc.nat(400) }),
      fc.constant({ painted: true }),
      fc.constant({ hello: true }),
      fc.record({ open: fc.nat(160) }),
      eventArb.map(event => ({ event })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const bench = new Bench();
        const revision = (): number => {
          const last = bench.messages.at(-1);
          return last?.type === "text" ? last.base + 1 : last && "revision" in last ? last.revision : 0;
        };
        for (const [at, each] of steps.entries()) {
          if ("pass" in each) bench.clock.advance(each.pass);
          else if ("painted" in each) bench.channel.acknowledgePaint(revision());
          else if ("hello" in each) bench.channel.hello(revision());
          else if ("open" in each) bench.open(each.open, `${at}-`);
          else bench.happen(each.event);
        }
        bench.channel.hello(revision());
        bench.clock.advance(10_000);
        bench.current();
        bench.channel.dispose();
      }),
      { numRuns: 200 },
    );
  });

  it("sends the first change at once, and the following changes at the frame rate, in one message", () => {
    bench.channel.hello(0);
    bench.clock.advance(1000);
    bench.say("a");
    assert.equal(bench.messages.length, 2);
    for (const text of ["b", "c", "d"]) bench.say(text);
    assert.equal(bench.messages.length, 2);
    bench.clock.advance(minFlushInterval - 1);
    assert.equal(bench.messages.length, 2);
    bench.clock.advance(1);
    assert.equal(bench.messages.length, 3);
    bench.current();
    bench.clock.advance(1000);
    assert.equal(bench.messages.length, 3);
  });

  it("waits until a panel that acknowledges paints has painted, for a limited time", () => {
    bench.channel.hello(0);
    bench.channel.acknowledgePaint(1);
    bench.clock.advance(100);
    bench.say("a");
    for (const text of ["b", "c"]) {
      bench.say(text);
      bench.clock.advance(minFlushInterval);
    }
    assert.equal(bench.messages.length, 2);
    bench.channel.acknowledgePaint(1);
    assert.equal(bench.messages.length, 2, "that was an older one");
    bench.channel.acknowledgePaint(2);
    assert.equal(bench.messages.length, 2, "what comes next is listened to first");
    bench.clock.advance(pauseAfterPaint);
    assert.equal(bench.messages.length, 3);
    bench.current();
    bench.say("d");
    bench.channel.acknowledgePaint(3);
    assert.equal(bench.messages.length, 3, "the pace is kept");
    bench.clock.advance(minFlushInterval);
    assert.equal(bench.messages.length, 4);
    bench.say("e");
    bench.clock.advance(paintTimeout - 1);
    assert.equal(bench.messages.length, 4);
    bench.clock.advance(1);
    assert.equal(bench.messages.length, 5);
    bench.current();
  });

  it("is behind until the panel has painted everything, and never while it is hidden", () => {
    assert.equal(bench.channel.isBehind, false, "no panel is open");
    bench.channel.hello(0);
    assert.equal(bench.channel.isBehind, false, "this panel has not said yet that it tells");
    bench.channel.acknowledgePaint(1);
    bench.clock.advance(100);
    bench.say("a");
    assert.equal(bench.channel.isBehind, true);
    bench.say("b");
    bench.channel.acknowledgePaint(2);
    assert.equal(bench.channel.isBehind, true, "there is more to send");
    assert.equal(bench.channel.isPainting, false);
    bench.clock.advance(minFlushInterval);
    assert.equal(bench.channel.isPainting, true);
    bench.channel.acknowledgePaint(3);
    assert.equal(bench.channel.isBehind, false);
    bench.say("c");
    bench.channel.setVisible(false);
    assert.equal(bench.channel.isBehind, false);
  });

  it("names the revision on which each patch builds", () => {
    bench.channel.hello(0);
    for (const text of ["a", "b"]) {
      bench.clock.advance(100);
      bench.say(text);
    }
    const steps = bench.messages.map(m => {
      if (m.type === "text") return [m.base, m.base + 1];
      return m.type === "patch" ? [m.base, m.revision] : m.type === "snapshot" ? [0, m.revision] : [];
    });
    assert.deepEqual(steps, [[0, 1], [1, 2], [2, 3]]); // prettier-ignore
    assert.deepEqual(bench.kinds, ["snapshot", "patch", "text"]);
  });

  it("sends text for the end of the last entry in its short form, and any other text with its entry and part", () => {
    bench.channel.hello(0);
    const say = (text: string, messageId: string): void => {
      bench.clock.advance(100);
      bench.happen({ type: "messageChunk", author: "agent", messageId, content: { type: "text", text } });
    };
    say("one", "1");
    say("two", "2");
    say(" more", "2");
    say(" after all", "1");
    assert.deepEqual(bench.kinds, ["snapshot", "patch", "patch", "text", "patch"]);
    bench.current();
  });

  it("sends nothing while it is hidden, and one patch when it is shown again", () => {
    bench.channel.hello(0);
    bench.channel.setVisible(false);
    for (let i = 0; i < 100; i++) {
      bench.say("x");
      bench.clock.advance(10);
    }
    assert.equal(bench.messages.length, 1);
    bench.channel.setVisible(true);
    assert.deepEqual(bench.kinds, ["snapshot", "patch"]);
    bench.current();
    bench.channel.setVisible(true);
    assert.equal(bench.messages.length, 2);
  });

  it("sends everything to a panel that said hello while it was hidden", () => {
    bench.channel.setVisible(false);
    bench.channel.hello(0);
    assert.deepEqual(bench.kinds, []);
    bench.channel.setVisible(true);
    assert.deepEqual(bench.kinds, ["snapshot"]);
  });

  it("continues from the revision that the panel still holds, and starts over from any other", () => {
    bench.channel.hello(0);
    bench.say("a");
    bench.clock.advance(100);
    const revision = bench.messages.length;
    bench.channel.hello(revision);
    assert.equal(bench.messages.length, revision);
    bench.channel.hello(1);
    assert.equal(bench.kinds.at(-1), "snapshot");
    bench.channel.hello(0);
    assert.equal(bench.kinds.at(-1), "snapshot");
    bench.current();
  });

  it("starts over when the panel lost track, also when it is hidden", () => {
    bench.channel.hello(0);
    bench.channel.resync();
    assert.deepEqual(bench.kinds, ["snapshot", "snapshot"]);
    bench.channel.setVisible(false);
    bench.channel.resync();
    assert.equal(bench.messages.length, 2);
    bench.channel.setVisible(true);
    assert.deepEqual(bench.kinds, ["snapshot", "snapshot", "snapshot"]);
  });

  for (const failure of [false, "throws"] as const) {
    it(`starts over after a message that was not delivered (${failure === false ? "returned false" : "threw"})`, async () => {
      bench.channel.hello(0);
      await settled();
      bench.taken = failure;
      bench.clock.advance(100);
      bench.say("lost");
      await settled();
      bench.taken = true;
      bench.clock.advance(100);
      bench.say("found");
      assert.deepEqual(bench.kinds, ["snapshot", "patch", "snapshot"]);
      bench.current();
    });
  }

  it("sends nothing when the change is not visible", () => {
    bench.channel.hello(0);
    bench.clock.advance(100);
    bench.happen({ type: "unknown", method: "m", raw: {} });
    bench.clock.advance(100);
    assert.equal(bench.messages.length, 1);
  });

  it("does not wait for a clock that was set back", () => {
    bench.clock.advance(1_000_000);
    bench.channel.hello(0);
    const behind = new FakeClock();
    bench.clock.now = () => behind.now();
    bench.say("a");
    bench.clock.advance(minFlushInterval);
    assert.equal(bench.messages.length, 2);
  });

  it("sends nothing after it is disposed", () => {
    bench.channel.hello(0);
    bench.say("a");
    bench.say("b");
    bench.channel.dispose();
    bench.clock.advance(1000);
    bench.say("c");
    bench.channel.hello(0);
    assert.ok(bench.messages.length <= 2);
    assert.equal(bench.clock.pendingTimers, 0);
  });
});
