// When a sound calls the user back, by what the settings want. Notifications are seen end to end.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { UserNotifications } from "../../src/window/userNotifications.ts";
import type { NotificationLevel } from "../../src/window/settings.ts";

const asked: SessionEvent = { type: "askOpened", ask: "q", title: "Run it?", options: [] };
const ended: SessionEvent = { type: "activity", state: "idle", stopReason: "end_turn" };

/** What a chat in sight is told while a question and then the end of the turn come. */
function told(sound: NotificationLevel, visible = true): readonly PanelMessage[] {
  const messages: PanelMessage[] = [];
  const chat = {
    visible,
    broadcast: (message: PanelMessage) => messages.push(message),
    focus: () => Promise.resolve(),
  };
  const attention = new UserNotifications({ chat, settings: () => ({ notifications: "off", sound }), log: nullLog });
  const session: { state: SessionState } = { state: emptySession };
  const happen = (event: SessionEvent): void => {
    session.state = reduce(session.state, { seq: 0, at: 0, event });
    attention.update(session);
  };
  for (const event of [{ type: "activity", state: "running" } as const, asked, ended]) happen(event);
  // Another session is no news, whatever it has behind it.
  attention.update({ state: session.state });
  return messages;
}

describe("attention", () => {
  it("is called by a sound for what the setting wants, and only while the chat is in sight", () => {
    const question: PanelMessage = { type: "sound", sound: "question" };
    const turnEnd: PanelMessage = { type: "sound", sound: "turnEnd" };
    assert.deepEqual(told("off"), []);
    assert.deepEqual(told("questions"), [question]);
    assert.deepEqual(told("all"), [question, turnEnd]);
    assert.deepEqual(told("all", false), []);
  });
});
