// Which values of a log are events: those with the fields and types that Parley stores.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { asLoggedEvent } from "../../src/session/log/loggedEvent.ts";
import { eventArb } from "../support/fakes/arbitraryEvents.ts";

const isStored = (event: unknown): boolean => asLoggedEvent({ seq: 1, at: 1, event }) !== undefined;

describe("an event of a log", () => {
  it("is read if Parley can have stored it", () => {
    fc.assert(fc.property(eventArb, event => isStored(JSON.parse(JSON.stringify(event)))));
  });

  it("is read with fields and kinds of another version of Parley", () => {
    const events: readonly unknown[] = [
      { type: "signedIn", later: 1 },
      { type: "tool", toolCallId: "t", patch: { kind: "later", status: "later", later: 1 } },
      { type: "agentLost", problem: { message: "x", next: ["later"] } },
      { type: "activity", state: "later" },
    ];
    for (const event of events) assert.ok(isStored(event), JSON.stringify(event));
  });

  it("is skipped if its annotations are damaged, because the view reads them", () => {
    const annotations: ContentBlock["annotations"] = { audience: ["user"], priority: 1, lastModified: "2026-01-01" };
    const event = (changed: object): object => ({
      ...{ type: "messageChunk", author: "agent", messageId: "m" },
      content: { type: "text", text: "x", annotations: changed },
    });
    assert.ok(isStored(event(annotations)));
    for (const damage of [{ audience: 5 }, { audience: [5] }, { priority: "1" }, { lastModified: 1 }])
      assert.ok(!isStored(event({ ...annotations, ...damage })), JSON.stringify(damage));
  });

  it("is skipped if its type is unknown, also if it is the name of a property that every object has", () => {
    for (const type of ["", "later", "constructor", "__proto__", "toString", 1, null, undefined])
      assert.ok(!isStored({ type }), String(type));
    assert.ok(isStored({ type: "cancelRequested" } satisfies SessionEvent));
  });
});
