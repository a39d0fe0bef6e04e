// Long texts and lists of agents, commands and folders: each takes time that grows with its length, not with its square.
import assert from "node:assert/strict";
import { windowsSpawn } from "../../src/base/program.ts";
import { plainOutput } from "../../src/mentions/lastCommand.ts";
import { runWithTimeLimit } from "../../src/panel/find/findTimeLimit.ts";
import { plainTerminal } from "../../src/panel/find/plainText.ts";
import { OptionsView } from "../../src/panel/projection/optionsView.ts";
import { searchable } from "../../src/panel/find/searchable.ts";
import { mayOverlap } from "../../src/permissions/pathGlob.ts";
import { PathsAndUrls } from "../../src/permissions/pathsAndUrls.ts";
import { conversationText } from "../../src/session/conversation/conversationText.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { planLaunch } from "../../src/terminals/launchPlan.ts";

/** In characters. Reading each of the texts took more than 15 seconds when its time grew with the square. */
const length = 200_000;
/** In milliseconds. */
const limit = 5000;

const long = (unit: string): string => unit.repeat(length / unit.length);
const rows: readonly (readonly [what: string, read: () => unknown])[] = [
  ["the output of a command, with spaces", () => plainOutput(`${long(" ")}x`)],
  ["the output of a command, with carriage returns", () => plainOutput(`${long("\r")}x`)],
  ["the output of a terminal that is searched", () => plainTerminal(`${long("\r")}x`)],
  ["the address of a resource, with slashes", () => resourceAt(`${long("/")}x`)],
  ["the address of a resource, with number signs", () => resourceAt(`${long("#")}\nx`)],
  ["an argument on Windows", () => windowsSpawn("a.cmd", [`${long("\\")}x`], () => "cmd.exe")],
  ["a command on Windows", () => planLaunch({ command: `${long("\\")} x` }, "cmd.exe", () => undefined, "windows")],
  ["a path in a command that rules check", () => mayOverlap([long("[")], ["**", "a"])],
  ["a value that may be a path", () => new PathsAndUrls("other").addValue({ x: `a${long("/")} x` })],
  ["an address in a prompt", () => new PathsAndUrls("fetch").addValue({ prompt: `https://${long(";")}x` })],
];

function resourceAt(uri: string): unknown {
  const part = { type: "resource", uri, mimeType: "text/plain" } as const;
  return searchable({ kind: "agent", id: "m", parts: [part], at: 0, until: 0 });
}

const calls = Array.from({ length: 20_000 }, (_, at): SessionEvent => {
  const parent = at > 0 && { parent: `t${at - 1}` };
  return { type: "tool", toolCallId: `t${at}`, patch: { title: "Look" }, ...parent };
});
const choices = Array.from({ length: 50_000 }, (_, at) => ({ value: `v${at}`, name: `n${at}` }));
const option: SessionEvent = {
  type: "options",
  options: [{ id: "m", name: "M", type: "select", value: "v1", choices }],
};
const fold = (events: readonly SessionEvent[]): SessionState =>
  events.reduce<SessionState>((s, event, seq) => reduce(s, { seq, at: seq, event }), emptySession);

describe("a long list", () => {
  it("is written in time if it is a chain of sub-agents", () => {
    const state = fold(calls);
    assert.ok(runWithTimeLimit(limit, () => conversationText(state)).isDone);
    assert.ok(conversationText(state).length < 1_000_000);
  });

  it("is shown in time if it is the choices of an option", () => {
    const state = fold([option]);
    assert.ok(runWithTimeLimit(limit, () => new OptionsView().options(state)).isDone);
  });
});

describe("a long text", () => {
  for (const [what, read] of rows) {
    it(`is read in time if it is ${what}`, () => assert.ok(runWithTimeLimit(limit, read).isDone)).timeout(30_000);
  }
});
