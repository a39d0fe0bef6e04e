// A stored session with a wrong byte: it costs the event of its line at most.
import assert from "node:assert/strict";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import type { View } from "../../src/panel/protocol.ts";
import type { LoggedEvent } from "../../src/session/events.ts";
import { readSession } from "../../src/session/log/sessionStore.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";
import { everyEvent, recordedSession, StoredFiles, storedText } from "../support/fakes/storedData.ts";
import { emptyHead } from "../support/fakes/heads.ts";

/** The view of a restored session with these events. */
function restored(past: readonly LoggedEvent[]): View {
  const bench = new SessionBench(past);
  try {
    return new WholeProjector(undefined, undefined, error => assert.fail(error as Error)).project(
      bench.session.state,
      emptyHead,
    );
  } finally {
    bench.session.dispose();
    bench.died.dispose();
  }
}

async function eventsOf(text: string): Promise<readonly LoggedEvent[]> {
  return (await readSession(new StoredFiles({ "s.jsonl": text }), "s")) ?? [];
}

/** Every byte takes too long, so every seventh is changed, in turn to one of these. */
const stride = 7;
const changes = [(code: number) => code ^ 1, () => 0x22, () => 0x7b];

describe("a stored session with a wrong byte", () => {
  for (const name of [everyEvent, recordedSession]) {
    it(`can be restored, and lacks the event of that byte at most: ${name}`, async () => {
      const text = storedText(`sessions/${name}.jsonl`);
      const failures: string[] = [];
      let from = 0;
      for (const line of text.split("\n")) {
        const without = text.slice(0, from) + text.slice(from + line.length);
        const needed = restored(await eventsOf(without)).entries.length;
        const first = (stride - (from % stride)) % stride;
        for (let at = first; at < line.length; at += stride) {
          const place = from + at;
          const change = changes[(place / stride) % changes.length] ?? assert.fail();
          const code = change(line.charCodeAt(at));
          const changed = text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
          const what = `${line.slice(Math.max(0, at - 30), at)}»${String.fromCharCode(code)}«`;
          try {
            // Without the event, an update of its entry can become an entry of its own.
            const shown = restored(await eventsOf(changed)).entries.length;
            if (shown < needed - 1) failures.push(`${what}: ${shown} entries instead of ${needed}`);
          } catch (error) {
            failures.push(`${what}: ${String(error)}`);
          }
        }
        from += line.length + 1;
      }
      assert.deepEqual(failures, []);
    });
  }
});
