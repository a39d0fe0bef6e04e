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

describe("Following", () => {
  it("shows nothing unless it is wanted", () => {
    const { following, shown } = setUp();
    following.agentMoved("a");
    assert.deepEqual(shown, []);
  });

  it("goes to where the agent is when it begins, and then along", async () => {
    const { clock, following, shown, settled } = setUp();
    following.agentMoved("a");
    following.setFollowing(true);
    await settled();
    clock.advance(250);
    following.agentMoved("b");
    assert.deepEqual(shown, ["a", "b"]);
  });

  it("moves four times a second at most, to the latest place", async () => {
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

  it("is paused by the user, moves no more, and goes on to the latest place when it is wanted again", async () => {
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

  it("goes nowhere once the turn is over, and is off in another session", () => {
    const { following, shown } = setUp();
    following.agentMoved("a");
    following.turnEnded();
    following.setFollowing(true);
    assert.deepEqual(shown, []);
    following.reset();
    assert.equal(following.state, "off");
  });

  it("leaves no timer behind", async () => {
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

describe("ScrollJudge", () => {
  function judge(first = 0, version = 1): UserScrollDetector {
    const made = new UserScrollDetector();
    made.setVisible(sight(first), version);
    return made;
  }

  it("takes a first line that changes by itself for the user's scrolling", () => {
    assert.equal(judge(10).isUserScroll(sight(13), 1), true);
  });

  it("takes another height of the editor for nobody's", () => {
    assert.equal(judge(10).isUserScroll(sight(10, 20), 1), false);
  });

  it("takes what moves with the text for the text's", () => {
    const one = judge(10);
    assert.equal(one.isUserScroll(sight(15), 2), false);
    assert.equal(one.isUserScroll(sight(16), 2), true);
  });

  it("takes the way to where it was sent for ours, and a step from there for the user's", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 });
    assert.equal(one.isUserScroll(sight(180), 1), false);
    assert.equal(one.isUserScroll(sight(183), 1), true);
  });

  it("takes a wheel before it arrives for the user's, also towards it", () => {
    for (const first of [3, 197 - 60]) {
      const one = judge(100);
      one.expectScroll({ first: 200, last: 200 });
      assert.equal(one.isUserScroll(sight(first), 1), true);
    }
  });

  it("takes smooth steps towards it for ours, and one away for the user's", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 }, { smooth: true });
    assert.equal(one.isUserScroll(sight(40), 1), false);
    assert.equal(one.isUserScroll(sight(90), 1), false);
    assert.equal(one.isUserScroll(sight(87), 1), true);
  });

  it("takes smooth steps for ours until the line is in the middle, and one beyond it for the user's", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 }, { smooth: true });
    for (const first of [150, 165, 172, 180]) assert.equal(one.isUserScroll(sight(first), 1), false);
    assert.equal(one.isUserScroll(sight(183), 1), true);
  });

  it("takes whatever an editor does while it is opened for ours, and what comes then for the user's", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 }, { opening: true });
    for (const first of [0, 40, 180, 181]) assert.equal(one.isUserScroll(sight(first), 1), false);
    one.arrived(sight(181), 1);
    assert.equal(one.isUserScroll(sight(182), 1), true);
  });

  it("knows an editor that never arrives", () => {
    const one = judge();
    one.expectScroll({ first: 200, last: 200 }, { smooth: true });
    assert.equal(one.isUserScroll(sight(40), 1), false);
    assert.equal(one.giveUp(), true);
    assert.equal(one.giveUp(), false);
  });

  it("finds a wheel at any moment of a smooth movement that does not lead to the place", () => {
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
