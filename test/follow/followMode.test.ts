import assert from "node:assert/strict";
import fc from "fast-check";
import { FollowMode, UserScrollDetector } from "../../src/follow/followMode.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

function setUp(): {
  readonly clock: FakeClock;
  readonly following: FollowMode<string>;
  readonly shown: string[];
  readonly modes: string[];
  readonly settled: () => Promise<void>;
} {
  const clock = new FakeClock();
  const shown: string[] = [];
  const modes: string[] = [];
  const following: FollowMode<string> = new FollowMode<string>({
    clock,
    reveal: target => {
      shown.push(target);
      return Promise.resolve();
    },
    changed: () => modes.push(following.state),
  });
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  return { clock, following, shown, modes, settled };
}

describe("FollowMode", () => {
  it("shows nothing until it is turned on", () => {
    const { following, shown } = setUp();
    following.agentMoved("a");
    assert.deepEqual(shown, []);
  });

  it("shows the agent's current location when it is turned on, and then each next one", async () => {
    const { clock, following, shown, settled } = setUp();
    following.agentMoved("a");
    following.setFollowing(true);
    await settled();
    clock.advance(250);
    following.agentMoved("b");
    assert.deepEqual(shown, ["a", "b"]);
  });

  it("moves at most four times a second, to the latest location", async () => {
    const { clock, following, shown, settled } = setUp();
    following.setFollowing(true);
    for (let i = 0; i < 100; i++) {
      following.agentMoved(`${i}`);
      await settled();
      clock.advance(10);
      await settled();
    }
    clock.advance(250);
    await settled();
    assert.equal(shown[0], "0");
    assert.equal(shown.at(-1), "99");
    assert.ok(shown.length <= 6, shown.join());
  });

  it("waits for one movement before the next", async () => {
    const clock = new FakeClock();
    const shown: string[] = [];
    let arrive = (): void => {};
    const following = new FollowMode<string>({
      clock,
      reveal: target => {
        shown.push(target);
        return new Promise<void>(resolve => (arrive = resolve));
      },
      changed: () => {},
    });
    following.setFollowing(true);
    following.agentMoved("a");
    following.agentMoved("b");
    clock.advance(1000);
    following.agentMoved("c");
    assert.deepEqual(shown, ["a"]);
    arrive();
    for (let i = 0; i < 5; i++) await Promise.resolve();
    assert.deepEqual(shown, ["a", "c"]);
  });

  it("is paused by the user, stops moving, and shows the latest location when it is turned on again", async () => {
    const { clock, following, shown, modes, settled } = setUp();
    following.setFollowing(true);
    following.agentMoved("a");
    await settled();
    following.agentMoved("b");
    following.interrupt();
    clock.advance(1000);
    following.agentMoved("c");
    clock.advance(1000);
    await settled();
    assert.deepEqual(shown, ["a"]);
    following.setFollowing(true);
    await settled();
    assert.deepEqual(shown, ["a", "c"]);
    assert.deepEqual(modes, ["on", "paused", "on"]);
  });

  it("is not paused by a user who does not follow", () => {
    const { following, modes } = setUp();
    following.interrupt();
    assert.deepEqual([following.state, modes], ["off", []]);
  });

  it("does not move after the turn has ended, and is off in another session", () => {
    const { following, shown } = setUp();
    following.agentMoved("a");
    following.turnEnded();
    following.setFollowing(true);
    assert.deepEqual(shown, []);
    following.reset();
    assert.equal(following.state, "off");
  });

  it("leaves no timer running", async () => {
    const { clock, following, settled } = setUp();
    following.setFollowing(true);
    following.agentMoved("a");
    await settled();
    following.agentMoved("b");
    following.dispose();
    assert.equal(clock.pendingTimers, 0);
  });
});

const sight = (first: number, last = first + 40): { readonly first: number; readonly last: number } => ({
  first,
  last,
});

describe("UserScrollDetector", () => {
  function judge(first = 0, version = 1): UserScrollDetector {
    const made = new UserScrollDetector();
    made.setVisible(sight(first), version);
    return made;
  }

  it("detects a first line that changes without a cause", () => {
    assert.equal(judge(10).isUserScroll(sight(13), 1), true);
  });

  it("ignores a changed height of the editor", () => {
    assert.equal(judge(10).isUserScroll(sight(10, 20), 1), false);
  });

  it("ignores movements caused by text changes", () => {
    const one = judge(10);
    assert.equal(one.isUserScroll(sight(15), 2), false);
    assert.equal(one.isUserScroll(sight(16), 2), true);
  });

  it("ignores the way to the requested line, and detects a step from there", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 });
    assert.equal(one.isUserScroll(sight(180), 1), false);
    assert.equal(one.isUserScroll(sight(183), 1), true);
  });

  it("detects the wheel before the editor arrives, even towards the line", () => {
    for (const first of [3, 197 - 60]) {
      const one = judge(100);
      one.expectScroll({ first: 200, last: 200 });
      assert.equal(one.isUserScroll(sight(first), 1), true);
    }
  });

  it("ignores smooth steps towards the line, and detects one away from it", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 }, { smooth: true });
    assert.equal(one.isUserScroll(sight(40), 1), false);
    assert.equal(one.isUserScroll(sight(90), 1), false);
    assert.equal(one.isUserScroll(sight(87), 1), true);
  });

  it("ignores smooth steps until the line is in the middle, and detects one beyond it", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 }, { smooth: true });
    for (const first of [150, 165, 172, 180]) assert.equal(one.isUserScroll(sight(first), 1), false);
    assert.equal(one.isUserScroll(sight(183), 1), true);
  });

  it("ignores all movements of an editor that is opening, and detects those that follow", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 }, { opening: true });
    for (const first of [0, 40, 180, 181]) assert.equal(one.isUserScroll(sight(first), 1), false);
    one.arrived(sight(181), 1);
    assert.equal(one.isUserScroll(sight(182), 1), true);
  });

  it("reports an editor that never arrives", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 }, { smooth: true });
    assert.equal(one.isUserScroll(sight(40), 1), false);
    assert.equal(one.giveUp(), true);
    assert.equal(one.giveUp(), false);
  });

  it("does not take an editor of a busy window, which has not moved yet, for one that the user stopped", () => {
    const one = judge(100);
    one.expectScroll({ first: 200, last: 200 }, { smooth: true });
    assert.equal(one.isUserScroll(sight(100), 1), false);
    assert.ok(one.isScrolling);
    assert.equal(one.giveUp(), false);
    assert.ok(!one.isScrolling);
  });

  it("detects the wheel at any moment of a smooth movement, if it leads away from the line", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 300, max: 3000 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(100),
        (to, steps, away) => {
          const one = judge(100);
          one.expectScroll({ first: to, last: to }, { smooth: true });
          let first = 100;
          for (let step = 1; step <= steps; step++) {
            first = 100 + Math.floor(((to - 50 - 100) * step) / (steps + 1));
            assert.equal(one.isUserScroll(sight(first), 1), false);
          }
          assert.equal(one.isUserScroll(sight(Math.max(0, first - 1 - away)), 1), true);
        },
      ),
    );
  });
});
