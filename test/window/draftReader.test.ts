// The draft that panels have, as commands read it.
import assert from "node:assert/strict";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import { DraftReader } from "../../src/window/draftReader.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

describe("the draft that a command reads", () => {
  let clock: FakeClock;
  let sent: PanelMessage[];
  let isVisible: boolean;
  let reader: DraftReader;
  beforeEach(() => {
    clock = new FakeClock();
    sent = [];
    isVisible = true;
    reader = new DraftReader({
      clock,
      chat: { isVisible: () => isVisible, broadcast: message => sent.push(message) },
    });
  });
  afterEach(() => assert.equal(clock.pendingTimers, 0));

  const answer = (text: string, surface = "view"): void =>
    void reader.intents.draft(
      { type: "draft", request: 1, text, attachments: [] },
      { surface, reply: () => assert.fail("Nothing is replied.") },
    );

  it("is that of the panel that shows the session in the surface", async () => {
    const read = reader.read("s", "view");
    assert.deepEqual(sent, [{ type: "readDraft", request: 1, session: "s" }]);
    answer("of another surface", "editor:1");
    answer("Fix it");
    assert.deepEqual(await read, { text: "Fix it", attachments: [] });
    answer("late");
  });

  it("is none if it is blank", async () => {
    const read = reader.read("s", "view");
    answer(" \n");
    assert.equal(await read, undefined);
  });

  it("is none if no panel answers in time, or if the surface is hidden", async () => {
    const read = reader.read("s", "view");
    clock.advance(1000);
    assert.equal(await read, undefined);
    isVisible = false;
    assert.equal(await reader.read("s", "view"), undefined);
    assert.equal(sent.length, 1);
  });

  it("is reported as used to the panels of its session", () => {
    reader.used("s", { text: "Fix it", attachments: [] });
    assert.deepEqual(sent, [{ type: "draftUsed", session: "s", text: "Fix it" }]);
  });
});
