// What a hook learns of its event, also when agents write hostile words.
import assert from "node:assert/strict";
import fc from "fast-check";
import { hookEventOf, hookVariables, maxHookText } from "../../src/hooks/hookVariables.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { SessionNotification } from "../../src/session/notifications.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";

const stateAfter = (...events: readonly SessionEvent[]): SessionState =>
  events.reduce<SessionState>((state, event, seq) => reduce(state, { seq, at: seq, event }), {
    ...emptySession,
    workspaceFolder: "/work/walrus",
    title: "Fix the walrus",
  });
const message = (author: "user" | "agent" | "thought", messageId: string, text: string): SessionEvent => ({
  type: "message",
  author,
  messageId,
  content: [{ type: "text", text }],
});
const names = { agent: "Demo Agent", windowName: "walrus (Workspace)" };
const finished: SessionNotification = { kind: "turnEnd", title: "Fix the walrus", outcome: "finished" };
const problem = { message: "The agent ran out of fish.", next: [] };

describe("the variables of a hook", () => {
  it("name the event, the window, the folder, the session and the agent", () => {
    assert.deepEqual(hookVariables({ kind: "question", title: "Run the tests?" }, stateAfter(), names), {
      PARLEY_EVENT: "question",
      PARLEY_WINDOW: "walrus (Workspace)",
      PARLEY_FOLDER: "/work/walrus",
      PARLEY_SESSION: "Fix the walrus",
      PARLEY_AGENT: "Demo Agent",
      PARLEY_TEXT: "Run the tests?",
    });
  });

  it("have the event of each notification", () => {
    assert.equal(hookEventOf({ kind: "resumeQuestion", title: "" }), "question");
    const ofOutcome = { finished: "turnEnd", stopped: "turnEnd", failed: "failure", lost: "failure" } as const;
    for (const [outcome, event] of Object.entries(ofOutcome))
      assert.equal(hookEventOf({ ...finished, outcome: outcome as keyof typeof ofOutcome }), event);
  });

  it("have the beginning of the agent's last message of the turn", () => {
    const textAfter = (...events: readonly SessionEvent[]): string =>
      hookVariables(finished, stateAfter(...events), names)["PARLEY_TEXT"] ?? "";
    const started: SessionEvent = { type: "activity", state: "running" };
    const ended: SessionEvent = { type: "activity", state: "idle", stopReason: "end_turn" };
    const asked = message("user", "1", "Fix it");
    const answer = message("agent", "3", "Done:\n\n- fixed the walrus\r\n- fed it");
    assert.equal(textAfter(asked, message("agent", "2", "I look."), answer), "Done: - fixed the walrus - fed it");
    assert.equal(textAfter(asked, answer, message("thought", "4", "Hm.")), "Done: - fixed the walrus - fed it");
    assert.equal(textAfter(asked), "");
    assert.equal(
      textAfter(asked, started, answer, ended, message("user", "5", "Again"), started),
      "",
      "of an earlier turn",
    );
    const long = textAfter(asked, message("agent", "2", "word ".repeat(100_000)));
    assert.equal(Array.from(long).length, maxHookText);
    assert.ok(long.endsWith("…"));
  });

  it("have the failure of the turn, or the loss of the agent", () => {
    const failed: SessionEvent = { type: "activity", state: "idle", stopReason: "error", problem };
    const variables = hookVariables(
      { ...finished, outcome: "failed" },
      stateAfter({ type: "activity", state: "running" }, failed),
      names,
    );
    assert.deepEqual([variables["PARLEY_EVENT"], variables["PARLEY_TEXT"]], ["failure", problem.message]);
    const again: SessionEvent = { type: "activity", state: "running" };
    const signIn: SessionEvent = { ...failed, problem: { ...problem, message: "Sign in first." }, unsent: true };
    const refused = hookVariables(
      { ...finished, outcome: "failed" },
      stateAfter(message("user", "1", "Fix it"), again, failed, message("user", "2", "Go on"), again, signIn),
      names,
    );
    assert.equal(refused["PARLEY_TEXT"], "Sign in first.", "not the failure of an earlier turn");
    const lost = hookVariables({ ...finished, outcome: "lost" }, stateAfter({ type: "agentLost", problem }), names);
    assert.deepEqual([lost["PARLEY_EVENT"], lost["PARLEY_TEXT"]], ["failure", problem.message]);
  });

  it("hide likely secrets, also where the text is cut", () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const textOf = (title: string): string =>
      hookVariables({ kind: "question", title }, stateAfter(), names)["PARLEY_TEXT"] ?? "";
    assert.equal(textOf(`Use ${secret}?`), "Use •••?");
    assert.ok(!textOf(`x${"\n".repeat(8 * maxHookText - 20)}${secret}`).includes("ghp_"));
  });

  it("are short single lines without control characters, whatever the agent writes", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 3000 }),
      fc.constantFrom(
        "\0",
        "\x1b]0;x\x07",
        "a\r\nX-Header: b",
        "\u202Etxt.exe",
        "\uD800",
        "\u2028",
        "$(reboot)",
        "-rf",
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (title, agent, windowName) => {
        const state = { ...stateAfter(message("agent", "1", title)), title };
        for (const news of [
          { ...finished, title },
          { kind: "question" as const, title },
        ]) {
          for (const value of Object.values(hookVariables(news, state, { agent, windowName }))) {
            assert.doesNotMatch(value, /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u);
            assert.ok(Array.from(value).length <= maxHookText);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
