// When a sound notifies the user, by setting. The end-to-end tests cover notifications.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { TurnOutcome } from "../../src/session/notifications.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { notificationText, UserNotifications } from "../../src/window/userNotifications.ts";
import type { NotificationLevel } from "../../src/window/settings.ts";

const asked: SessionEvent = { type: "askOpened", ask: "q", title: "Run it?", options: [] };
const ended: SessionEvent = { type: "activity", state: "idle", stopReason: "end_turn" };

/** The messages that a visible chat receives for a question and then the end of the turn. */
function soundsFor(sound: NotificationLevel, visible = true, end: SessionEvent = ended): readonly PanelMessage[] {
  const messages: PanelMessage[] = [];
  const chat = {
    visibleSurfaces: visible ? ["chat"] : [],
    broadcast: (message: PanelMessage) => messages.push(message),
  };
  const attention = new UserNotifications({
    chat,
    settings: () => ({ notifications: "off", sound }),
    isVisible: () => visible,
    show: () => Promise.resolve(),
    log: nullLog,
  });
  const session: { id: string; state: SessionState } = { id: "a", state: emptySession };
  attention.update(session);
  const happen = (event: SessionEvent): void => {
    session.state = reduce(session.state, { seq: 0, at: 0, event });
    attention.update(session);
  };
  for (const event of [{ type: "activity", state: "running" } as const, asked, end]) happen(event);
  // The first state of another session is not an event, whatever it contains.
  attention.update({ id: "b", state: session.state });
  return messages;
}

describe("the notification sound", () => {
  it("is played for the events of the setting, and only while the chat is visible", () => {
    const question: PanelMessage = { type: "sound", sound: "question" };
    const turnEnd: PanelMessage = { type: "sound", sound: "turnEnd" };
    assert.deepEqual(soundsFor("off"), []);
    assert.deepEqual(soundsFor("questions"), [question]);
    assert.deepEqual(soundsFor("all"), [question, turnEnd]);
    assert.deepEqual(soundsFor("all", false), []);
  });

  it("differs if the turn failed or the agent was lost", () => {
    const problem = { message: "It was killed.", next: [] };
    const failed: SessionEvent = { type: "activity", state: "idle", stopReason: "error", problem };
    for (const end of [failed, { type: "agentLost", problem } as const])
      assert.deepEqual(soundsFor("all", true, end).at(-1), { type: "sound", sound: "failure" });
  });
});

describe("the text of a notification", () => {
  it("says how the turn ended", () => {
    const words = { finished: "finished", stopped: "stopped before it finished" } as const;
    const failures = { failed: "stopped because of an error", lost: "is no longer running" } as const;
    for (const [outcome, says] of Object.entries({ ...words, ...failures })) {
      const news = { kind: "turnEnd", outcome: outcome as TurnOutcome } as const;
      assert.equal(notificationText({ ...news, title: "Fix it" }, "Demo"), `Demo ${says}: Fix it`);
      assert.equal(notificationText({ ...news, title: "" }, "Demo"), `Demo ${says}`);
    }
  });
});
