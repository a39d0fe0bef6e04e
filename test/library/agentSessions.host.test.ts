// Importing or deleting a session at an agent: what is listed and imported, and what the message offers if the agent does
// not start or needs a sign-in.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { ProblemError, type Problem } from "../../src/base/errors.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { Agent } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { LogStorage } from "../../src/session/log/sessionStore.ts";
import { importSession, type AgentSessionsOptions } from "../../src/library/vscode/agentSessions.ts";
import { sessionListCommands } from "../../src/library/vscode/sessionListCommands.ts";
import { until } from "../support/fakes/until.ts";

const definition = {
  ...{ id: "robo", name: "Robo", command: "robo", args: [], env: {}, startTimeout: 30 },
  missingFiles: "error" as const,
};
const signIn: Problem = {
  message: "Robo needs you to sign in.",
  next: ["restartAgent"],
  signIn: [{ id: "login", name: "Log in" }],
};
const missing: Problem = { message: "Could not start Robo.", next: ["openSettings", "selectAgent", "retry"] };
const fail = (problem: Problem): Promise<never> => Promise.reject(new ProblemError(problem));

describe("importing or deleting a session at an agent", () => {
  const { showErrorMessage, showInformationMessage, showWarningMessage, createQuickPick } = vscode.window;
  const { executeCommand } = vscode.commands;
  let offered: (readonly string[])[];
  let done: unknown[];
  beforeEach(() => {
    offered = [];
    done = [];
    Object.assign(vscode.window, {
      showErrorMessage: (...texts: string[]) => {
        offered.push(texts);
        return Promise.resolve(texts[1]);
      },
    });
    Object.assign(vscode.commands, { executeCommand: (...call: unknown[]) => Promise.resolve(done.push(call)) });
  });
  afterEach(() => {
    Object.assign(vscode.window, { showErrorMessage, showInformationMessage, showWarningMessage, createQuickPick });
    Object.assign(vscode.commands, { executeCommand });
  });

  /** The registry notes the agents of the sessions that it starts. */
  const registry = {
    open: { get: () => undefined },
    release: () => {},
    startInChosenFolder: (_: unknown, agent: string) => Promise.resolve(void done.push(agent)),
  };
  const agents = (connect: () => Promise<Agent>) => ({
    definitions: () => [definition],
    connect: async () => ({ agent: await connect() }),
  });
  const importFrom = (connect: () => Promise<Agent>): Promise<void> =>
    importSession({
      ...{ registry, agents: agents(connect), clock: systemClock, log: nullLog, version: "0.0.0" },
    } as unknown as AgentSessionsOptions);

  /** Lets the user take the first item of the list once it has so many. Returns the items. */
  function pickFirst(count: number): readonly vscode.QuickPickItem[] {
    const shown: vscode.QuickPickItem[] = [];
    Object.assign(vscode.window, {
      createQuickPick: (): vscode.QuickPick<vscode.QuickPickItem> => {
        const pick = createQuickPick();
        let accept = (): void => {};
        return new Proxy(pick, {
          get: (target, key) => {
            if (key === "onDidAccept") return (listener: () => void) => void (accept = listener);
            if (key === "selectedItems") return target.items.slice(0, 1);
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === "function" ? value.bind(target) : value;
          },
          set: (target, key, value) => {
            Reflect.set(target, key, value, target);
            if (key === "items" && target.items.length === count) {
              shown.push(...target.items);
              setImmediate(() => accept());
            }
            return true;
          },
        });
      },
    });
    return shown;
  }

  /** Deletes a session, also at the agent if that is offered. Returns the buttons of the notification. */
  async function deleteAt(sessionStore: object): Promise<readonly string[]> {
    const shown: string[] = [];
    Object.assign(vscode.window, {
      showWarningMessage: () => Promise.resolve("Delete"),
      showInformationMessage: (_: string, ...buttons: string[]) => {
        shown.push(...buttons);
        return Promise.resolve(buttons.find(each => each === "Delete from Agent Too"));
      },
    });
    const session = { id: "s1", agent: "robo", agentSession: "a1", title: "Old talk" };
    const stored = { get: () => session, delete: () => {} };
    const commands = sessionListCommands({
      ...{ registry, stored, agents: { sessionStoreOf: () => sessionStore }, log: nullLog, tree: {}, list: {} },
    } as unknown as Parameters<typeof sessionListCommands>[0]);
    await commands["parley.deleteSession"]({ kind: "session", session });
    return shown;
  }

  it("offers a session that signs in if the agent needs a sign-in before it lists its sessions", async () => {
    const sessionStore = { list: () => fail(signIn), load: () => fail(signIn) };
    await importFrom(() => Promise.resolve({ sessionStore } as Partial<Agent> as Agent));
    await until(() => done.length > 0);
    assert.deepEqual(offered, [[signIn.message, "Sign In…"]]);
    assert.deepEqual(done, ["robo"]);
  });

  it("offers a session that signs in if the agent needs a sign-in before it deletes a session", async () => {
    const buttons = await deleteAt({ delete: () => fail(signIn) });
    assert.deepEqual(buttons, ["Undo", "Delete from Agent Too"]);
    assert.deepEqual(offered, [[signIn.message, "Sign In…"]]);
    assert.deepEqual(done, ["robo"]);
  });

  it("offers no deletion at an agent that cannot delete, and fails with the words of one that refuses", async () => {
    assert.deepEqual(await deleteAt({}), ["Undo"]);
    const refused: Problem = { message: "Robo could not delete its session: It does not support this.", next: [] };
    await assert.rejects(deleteAt({ delete: () => fail(refused) }), /does not support this/);
    assert.deepEqual(offered, []);
  });

  it("offers to check an agent that does not start", async () => {
    await importFrom(() => fail(missing));
    await until(() => done.length > 0);
    assert.deepEqual(offered, [[missing.message, "Check Agent"]]);
    assert.deepEqual(done, [["parley.checkAgents", "robo"]]);
  });

  it("lists and stores titles in one visible line of bounded length, and no session with a huge id", async () => {
    const title = `One\ntwo\u202e${"x".repeat(100_000)}`;
    const sessions = [
      { sessionId: "a", title, updated: 3 },
      { sessionId: "b\u202e", title: " \n", updated: 2 },
      { sessionId: "c".repeat(5000), title: "huge", updated: 1 },
    ];
    const events: readonly SessionEvent[] = [
      { type: "info", title },
      { type: "info", title: "\n" },
    ];
    const sessionStore = { list: () => Promise.resolve({ sessions }), load: () => Promise.resolve(events) };
    const picks = pickFirst(2);
    const written: string[] = [];
    const storage = {
      append: (_: string, text: string) => Promise.resolve(void written.push(text)),
      write: (_: string, text: string) => Promise.resolve(void written.push(text)),
    } as unknown as LogStorage;
    await importSession({
      agents: agents(() => Promise.resolve({ info: {}, sessionStore } as unknown as Agent)),
      mcp: { serversFor: () => Promise.resolve([]) },
      stored: { entries: [], load: () => Promise.resolve(), get: () => undefined },
      registry: { open: { get: () => undefined }, unopened: [] },
      ...{ storage, clock: systemClock, log: nullLog, version: "0.0.0" },
    } as unknown as AgentSessionsOptions);
    const labels = picks.map(({ label }) => label);
    assert.deepEqual(labels, [`One two[U+202E]${"x".repeat(184)}…`, "b[U+202E]"]);
    const titles = [...written.join("\n").matchAll(/"type":"info","title":("(?:[^"\\]|\\.)*"|null)/g)].map(
      ([, text = ""]) => JSON.parse(text) as string | null,
    );
    assert.deepEqual(titles, [labels[0], null, labels[0]]);
  });

  it("shows a session that Parley has already, marks it in the list, and does not import it again", async () => {
    let loads = 0;
    const sessionStore = {
      // Each session is on a page of its own.
      list: (_: string, cursor?: string) =>
        Promise.resolve(
          cursor === undefined
            ? { sessions: [{ sessionId: "s1", title: "Old talk" }], nextCursor: "2" }
            : { sessions: [{ sessionId: "s2", title: "Another talk" }] },
        ),
      load: () => Promise.resolve(void loads++),
    };
    const picks = pickFirst(2);
    const shown: string[] = [];
    await importSession({
      agents: agents(() => Promise.resolve({ info: {}, sessionStore } as unknown as Agent)),
      stored: { entries: [{ id: "own", agent: "robo", agentSession: "s1" }] },
      registry: {
        open: {
          get: (id: string) => ({ id }),
          surfacesOf: () => ["view"],
          activate: () => {},
          activeState: { questions: [] },
        },
        show: (id: string) => void shown.push(id),
      },
      chat: { focus: () => Promise.resolve() },
      ...{ clock: systemClock, log: nullLog, version: "0.0.0" },
    } as unknown as AgentSessionsOptions);
    assert.deepEqual(
      picks.map(({ label, description }) => [label, description]),
      [
        ["Old talk", "in Parley already"],
        ["Another talk", ""],
      ],
    );
    assert.deepEqual(shown, ["own"]);
    assert.equal(loads, 0);
  });

  it("fails with the agent's words otherwise", async () => {
    const broken: Problem = { message: "Robo could not list its sessions: No disk.", next: ["retry"] };
    const sessionStore = { list: () => fail(broken), load: () => fail(broken) };
    await assert.rejects(
      importFrom(() => Promise.resolve({ sessionStore } as Partial<Agent> as Agent)),
      /No disk/,
    );
    assert.deepEqual(offered, []);
  });
});
