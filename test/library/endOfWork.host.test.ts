// Commands that end the background work of an agent: they ask first, and change nothing if the user cancels.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Session } from "../../src/session/session.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { sessionListCommands } from "../../src/library/vscode/sessionListCommands.ts";
import { sessionCommands } from "../../src/window/sessionCommands.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";

const start: readonly SessionEvent[] = [
  { type: "opened", agent: "a", agentName: "A", cwd: "/w" },
  { type: "titled", title: "Serve the site" },
];
const running: SessionEvent = { type: "activity", state: "running" };
const idle: SessionEvent = { type: "activity", state: "idle", stopReason: "end_turn" };
const stateOf = (...events: readonly SessionEvent[]): SessionState =>
  logged([...start, ...events]).reduce(reduce, emptySession);
const atRest = stateOf(running, idle);
const inBackground: SessionState = { ...atRest, background: { since: 1, calls: [] } };

describe("the end of background work", () => {
  const { showWarningMessage, showInformationMessage } = vscode.window;
  let questions: string[];
  let answer: string | undefined;
  let done: string[];
  let deletions: string[];
  beforeEach(() => {
    questions = [];
    answer = undefined;
    done = [];
    deletions = [];
    Object.assign(vscode.window, {
      showWarningMessage: (text: string, { detail }: { readonly detail?: string }, ...buttons: readonly string[]) => {
        const [lost] = (detail ?? "").split("\n");
        questions.push([text, ...(lost?.includes("will be stopped") ? [lost] : []), buttons.join("|")].join(" "));
        return Promise.resolve(answer);
      },
      showInformationMessage: (text: string) => Promise.resolve(void deletions.push(text)),
    });
  });
  afterEach(() => Object.assign(vscode.window, { showWarningMessage, showInformationMessage }));

  /** Restarts the agent of the first of these sessions, and deletes all of them. */
  async function restartAndDelete(...states: readonly SessionState[]): Promise<void> {
    const sessions = states.map((state, at) => {
      const restart = (): Promise<void> => Promise.resolve(void done.push(`restart ${at}`));
      return { id: `${at}`, state, offerSignIn: () => {}, restart } as Partial<Session> as Session;
    });
    const open = { sessions, active: sessions[0], activeSurface: "view", get: (id: string) => sessions[Number(id)] };
    const registry = { open, release: (id: string) => void done.push(`close ${id}`) };
    const chat = { focus: () => Promise.resolve() };
    const { "parley.restartAgent": restart } = sessionCommands({ registry, chat, agents: {} } as unknown as Parameters<
      typeof sessionCommands
    >[0]);
    const stored = {
      get: (id: string) => ({ id, agent: "a" }),
      delete: (id: string) => void done.push(`delete ${id}`),
    };
    const { "parley.deleteSession": remove } = sessionListCommands({
      ...{ registry, stored, agents: { sessionStoreOf: () => ({}) }, tree: {}, list: {} },
    } as unknown as Parameters<typeof sessionListCommands>[0]);
    const rows = sessions.map(({ id }) => ({ kind: "session", session: { id, title: id } }));
    await restart();
    await remove(rows[0], rows);
  }
  const oneOf = "The agent still works in the background of “Serve the site”. This work will be stopped.";

  it("needs the user's consent before a restart and a deletion, and Cancel keeps everything", async () => {
    await restartAndDelete(inBackground);
    const lost = "Its agent is working. This work will be stopped.";
    assert.deepEqual(questions, [`${oneOf} Restart Agent`, `Delete the session “0”? ${lost} Delete`]);
    assert.deepEqual(done, []);
  });

  it("comes with the restart or the deletion that the user agrees to", async () => {
    answer = "Restart Agent";
    await restartAndDelete(inBackground);
    assert.deepEqual(done, ["restart 0"]);
    answer = "Delete";
    await restartAndDelete(inBackground);
    assert.deepEqual(done, ["restart 0", "close 0", "delete 0"]);
  });

  it("is asked about once for all sessions of the agent", async () => {
    await restartAndDelete(inBackground, atRest, inBackground);
    const both = "Agents still work in the background of 2 sessions. This work will be stopped.";
    const lost = "Agents are working in 2 of them. This work will be stopped.";
    assert.deepEqual(questions, [`${both} Restart Agent`, `Delete 3 sessions? ${lost} Delete`]);
    assert.deepEqual(done, []);
  });

  it("is asked about before a deletion also during a turn", async () => {
    await restartAndDelete(stateOf(running));
    const lost = "Its agent is working. This work will be stopped.";
    assert.deepEqual(questions, [`Delete the session “0”? ${lost} Delete`]);
    assert.deepEqual(done, ["restart 0"]);
  });

  it("is no part of the question if there is none", async () => {
    answer = "Delete";
    await restartAndDelete(atRest, atRest);
    assert.deepEqual(questions, ["Delete 2 sessions? Delete|Delete and Don't Ask Again"]);
    assert.deepEqual(done, ["restart 0", "close 0", "delete 0", "close 1", "delete 1"]);
    assert.deepEqual(deletions, ["Deleted 2 sessions."]);
  });

  it("is asked about even if the user switched the question off", async () => {
    answer = "Delete and Don't Ask Again";
    await restartAndDelete(atRest);
    const settings = vscode.workspace.getConfiguration("parley");
    try {
      assert.equal(settings.inspect("sessions.confirmDelete")?.globalValue, false);
      questions = [];
      await restartAndDelete(atRest);
      assert.deepEqual(questions, []);
      answer = undefined;
      await restartAndDelete(stateOf(running));
      assert.equal(questions.length, 1);
    } finally {
      await settings.update("sessions.confirmDelete", undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
