// When a sound notifies the user, by setting, and the notification of a question of Parley. The end-to-end tests cover the
// other notifications.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { TurnOutcome } from "../../src/session/notifications.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { FakeAskedSessions } from "../support/fakes/fakeAskedSessions.ts";
import { until } from "../support/fakes/until.ts";
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
    asked: new FakeAskedSessions(),
    hooks: { run: () => undefined },
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

describe("the notification of a hidden session about which Parley asks", () => {
  const { showInformationMessage } = vscode.window;
  afterEach(() => Object.assign(vscode.window, { showInformationMessage }));

  it("appears once for each question, and its button shows the session", async () => {
    const messages: (readonly string[])[] = [];
    Object.assign(vscode.window, {
      showInformationMessage: (...texts: string[]) => {
        messages.push(texts);
        return Promise.resolve(texts[1]);
      },
    });
    const asked = new FakeAskedSessions();
    const shown: string[] = [];
    const sounds: PanelMessage[] = [];
    const notifications = new UserNotifications({
      chat: { visibleSurfaces: ["chat"], broadcast: message => sounds.push(message) },
      asked,
      hooks: { run: () => undefined },
      settings: () => ({ notifications: "questions", sound: "questions" }),
      isVisible: ({ id }) => id === "visible",
      show: ({ id }) => Promise.resolve(void shown.push(id)),
      log: nullLog,
    });
    const hidden = { id: "hidden", state: { ...emptySession, title: "The walrus" } };
    const sessions = [hidden, { id: "other", state: emptySession }];
    const update = (): void => sessions.forEach(session => notifications.update(session));
    asked.onDidChange(update);
    update();
    asked.ask("hidden");
    update();
    asked.answer("hidden");
    await until(() => shown.length === 1);
    const message = "Parley waits for your answer before The agent resumes a large conversation: The walrus";
    assert.deepEqual(messages, [[message, "Show"]]);
    assert.deepEqual(shown, ["hidden"]);
    assert.deepEqual(sounds, [{ type: "sound", sound: "question" }]);
    asked.ask("hidden");
    assert.equal(messages.length, 2);
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
