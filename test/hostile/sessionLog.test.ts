// Session logs with random damage in several places: every undamaged line is read, and the session opens and continues.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import type { LoggedEvent } from "../../src/session/events.ts";
import { readSession, SessionWriter, sessionFileName } from "../../src/session/log/sessionStore.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";
import { everyEvent, recordedSession, StoredFiles, storedText } from "../support/fakes/storedData.ts";
import { fuzz, leaveNothingBehind } from "./fuzz.ts";
import { byteChange, changeBytes } from "./mutations.ts";
import { emptyHead } from "../support/fakes/heads.ts";

const file = sessionFileName("s");
const read = async (files: StoredFiles): Promise<readonly LoggedEvent[]> =>
  (await readSession(files, "s")) ?? assert.fail("There is no log.");

describe("a stored session with random damage", () => {
  leaveNothingBehind();
  const stored = [everyEvent, recordedSession].map(name => storedText(`sessions/${name}.jsonl`));
  const text = fc.oneof(
    fc.constantFrom(...stored),
    eventsArb.map(events =>
      logged(events)
        .map(one => `${JSON.stringify(one)}\n`)
        .join(""),
    ),
  );

  it("has every event of an undamaged line, opens, and can be continued", async () => {
    const property = fc.asyncProperty(text, fc.array(byteChange, { maxLength: 8 }), async (original, changes) => {
      const damaged = changeBytes(Buffer.from(original), changes).toString();
      const files = new StoredFiles({ [file]: damaged });
      const events = await read(files);

      const undamaged = new Set(original.split("\n"));
      const expected = await read(
        new StoredFiles({
          [file]: damaged
            .split("\n")
            .filter(line => undamaged.has(line))
            .join("\n"),
        }),
      );
      const found = events.map(event => JSON.stringify(event));
      let at = 0;
      for (const event of expected) {
        at = found.indexOf(JSON.stringify(event), at) + 1;
        assert.ok(at > 0, `lost: ${JSON.stringify(event)}`);
      }

      const bench = new SessionBench(events);
      try {
        const fail = (error: unknown): never => assert.fail(String(error));
        new WholeProjector(undefined, undefined, fail).project(bench.session.state, emptyHead);
      } finally {
        bench.session.dispose();
        bench.died.dispose();
      }

      const writer = new SessionWriter({
        storage: files,
        session: "s",
        isNew: true,
        clock: new FakeClock(),
        log: nullLog,
      });
      const next: LoggedEvent = { seq: 100_000, at: 1, event: { type: "titled", title: "continued" } };
      writer.write(next);
      await writer.flush();
      writer.dispose();
      assert.deepEqual((await read(files)).at(-1), next);
    });
    await fuzz(property, 300);
  });
});
