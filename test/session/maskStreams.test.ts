// The log of a session on disk has no secret, also if it came in pieces.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { rememberSecrets } from "../../src/base/secrets/secret.ts";
import type { LoggedEvent, SessionEvent } from "../../src/session/events.ts";
import { SessionWriter } from "../../src/session/log/sessionStore.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

const secret = "stream-secret-4711";

describe("a stored log", () => {
  let clock: FakeClock;
  let files: Map<string, string>;
  let writer: SessionWriter;
  let seq = 0;
  const write = (...events: readonly SessionEvent[]): void => {
    for (const event of events) writer.write({ seq: seq++, at: 0, event });
  };
  const say = (text: string): SessionEvent => ({
    type: "messageChunk",
    author: "agent",
    messageId: "m",
    content: { type: "text", text },
  });
  const stored = (): string => [...files.values()].join("");
  const texts = (): string =>
    stored()
      .split("\n")
      .filter(line => line.includes("messageChunk"))
      .map(line => (JSON.parse(line) as LoggedEvent).event)
      .map(event => (event.type === "messageChunk" && event.content.type === "text" ? event.content.text : ""))
      .join("");

  beforeEach(() => {
    rememberSecrets([secret]);
    clock = new FakeClock();
    files = new Map();
    writer = new SessionWriter({
      ...{ storage: new StoredFiles(files), session: "s", isNew: true, clock, log: nullLog },
    });
  });

  it("has no secret of a text, a title or a field", async () => {
    write(say(`the key is ${secret}.`), { type: "notice", severity: "info", title: `Key ${secret}` });
    await writer.flush();
    assert.ok(!stored().includes(secret));
    assert.equal(texts(), "the key is •••.");
  });

  it("has no secret that came in pieces, within a batch and over several", async () => {
    for (const at of Array.from({ length: secret.length - 1 }, (_, i) => i + 1)) {
      write(say("a "), say(secret.slice(0, at)), say(secret.slice(at)), say(" b"));
      clock.advance(250);
      write(say(`c ${secret.slice(0, at)}`));
      clock.advance(250);
      write(say(`${secret.slice(at)} d`));
      clock.advance(250);
    }
    await writer.flush();
    assert.equal(texts(), "a ••• bc ••• d".repeat(secret.length - 1));
  });

  it("keeps the beginning of a secret back only once", async () => {
    write(say("x stream-"));
    clock.advance(250);
    assert.equal(stored(), "", "the rest can follow");
    clock.advance(250);
    await writer.flush();
    assert.equal(texts(), "x stream-");
  });
});
