// Sessions do not affect each other: any interleaving of the events of five sessions gives each the state that it reaches
// alone, whichever of them is shown.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import type { Problem } from "../../src/base/errors.ts";
import { DiffStore } from "../../src/panel/diff/diffStore.ts";
import { Projector } from "../../src/panel/projection/projector.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { Session } from "../../src/session/session.ts";
import type { SessionState } from "../../src/session/state.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import { eventArb } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { StubAgent } from "../support/fakes/stubAgent.ts";
import { emptyHead } from "../support/fakes/heads.ts";

const count = 5;

/** An event of one session, and whether the view shows that session from then on. */
interface Step {
  readonly of: number;
  readonly event: SessionEvent;
  readonly shows: boolean;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ of: fc.nat(count - 1), event: eventArb, shows: fc.boolean() }),
  { maxLength: 60, size: "max" },
);

/** Plays the steps in sessions that share a clock, an agent process, a registry and a store of diffs. */
async function play(played: readonly Step[]): Promise<readonly SessionState[]> {
  const clock = new FakeClock();
  const agent = new StubAgent();
  const died = new Emitter<Problem>();
  const open = new OpenSessions();
  const diffs = new DiffStore();
  const sessions = Array.from({ length: count }, (_, at) => {
    let ids = 0;
    const newId = (): string => `${at}-${++ids}`;
    const session = new Session({
      id: `${at}`,
      agent: { id: "stub", name: "Stub" },
      workspaceFolder: "/w",
      clock,
      log: nullLog,
      newId,
      connection: {
        connect: () => Promise.resolve({ agent, onDidDie: died.event, hasEnded: () => false }),
        restart: () => Promise.resolve(),
      },
      createServices: report => questionServices(new PermissionBroker({ report, newId }), () => {}),
    });
    open.add(session);
    return { session, projector: new Projector(diffs) };
  });
  for (const { session } of sessions) await session.open();
  for (const { of, event, shows } of played) {
    agent.sessions[of]?.report(event);
    const { session, projector } = sessions[of] as (typeof sessions)[number];
    if (shows) open.select("view", session);
    projector.projectShared(session.state, emptyHead);
  }
  await new Promise(resolve => setImmediate(resolve));
  const states = sessions.map(({ session }) => session.state);
  for (const { session } of sessions) session.dispose();
  return states;
}

describe("five sessions at once", () => {
  it("reach the states that each of them reaches alone, for any interleaving", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async played => {
        const together = await play(played);
        for (let at = 0; at < count; at++) {
          const alone = await play(played.filter(({ of }) => of === at));
          assert.deepEqual(together[at], alone[at]);
        }
      }),
      { numRuns: 40 },
    );
  });
});
