// Importing or deleting a session at an agent that does not start, or that needs a sign-in: the message offers what to do.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { ProblemError, type Problem } from "../../src/base/errors.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { Agent } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { LogStorage } from "../../src/session/log/sessionStore.ts";
import { importSession, type AgentSessionsOptions } from "../../src/window/sessions/agentSessions.ts";
import { sessionListCommands } from "../../src/window/sessions/sessionListCommands.ts";
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
  const { showErrorMessage } = vscode.window;
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
    Object.assign(vscode.window, { showErrorMessage });
    Object.assign(vscode.commands, { executeCommand });
  });

  const importFrom = (connect: AgentSessionsOptions["connect"]): Promise<void> =>
    importSession({
      agents: () => [definition],
      connect,
      startSession: async agent => void done.push(agent),
      ...{ clock: systemClock, log: nullLog, version: "0.0.0" },
    } as Partial<AgentSessionsOptions> as AgentSessionsOptions);

  it("offers a session that signs in if the agent needs a sign-in before it lists its sessions", async () => {
    const sessionStore = { list: () => fail(signIn), load: () => fail(signIn) };
    await importFrom(() => Promise.resolve({ sessionStore } as Partial<Agent> as Agent));
    await until(() => done.length > 0);
    assert.deepEqual(offered, [[signIn.message, "Sign In…"]]);
    assert.deepEqual(done, ["robo"]);
  });

  it("offers a session that signs in if the agent needs a sign-in before it deletes a session", async () => {
    const { showInformationMessage } = vscode.window;
    Object.assign(vscode.window, {
      showInformationMessage: (_: string, ...buttons: string[]) =>
        Promise.resolve(buttons.find(each => each === "Delete from Agent Too")),
    });
    const session = { id: "s1", agent: "robo", title: "Old talk" };
    const sessions = { open: { get: () => undefined }, release: () => {}, deleteAtAgent: () => () => fail(signIn) };
    const stored = { get: () => session, delete: () => {} };
    const agentSessions = { startSession: async (agent: string) => void done.push(agent), log: nullLog };
    try {
      const commands = sessionListCommands({
        ...{ sessions, stored, agentSessions, tree: {}, list: {} },
      } as unknown as Parameters<typeof sessionListCommands>[0]);
      await commands["parley.deleteSession"]({ kind: "session", session });
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
    assert.deepEqual(offered, [[signIn.message, "Sign In…"]]);
    assert.deepEqual(done, ["robo"]);
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
    const { createQuickPick } = vscode.window;
    const labels: string[] = [];
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
            if (key === "items" && target.items.length > 0) {
              labels.push(...target.items.map(({ label }) => label));
              setImmediate(() => accept());
            }
            return true;
          },
        });
      },
    });
    const written: string[] = [];
    const storage = {
      append: (_: string, text: string) => Promise.resolve(void written.push(text)),
      write: (_: string, text: string) => Promise.resolve(void written.push(text)),
    } as unknown as LogStorage;
    try {
      await importSession({
        agents: () => [definition],
        connect: () => Promise.resolve({ info: {}, sessionStore } as unknown as Agent),
        mcp: { serversFor: () => Promise.resolve([]) },
        stored: { entries: [], load: () => Promise.resolve() },
        show: () => Promise.resolve(),
        ...{ storage, clock: systemClock, log: nullLog, version: "0.0.0" },
      } as unknown as AgentSessionsOptions);
    } finally {
      Object.assign(vscode.window, { createQuickPick });
    }
    assert.deepEqual(labels, [`One two[U+202E]${"x".repeat(184)}…`, "b[U+202E]"]);
    const titles = [...written.join("\n").matchAll(/"type":"info","title":("(?:[^"\\]|\\.)*"|null)/g)].map(
      ([, text = ""]) => JSON.parse(text) as string | null,
    );
    assert.deepEqual(titles, [labels[0], null, labels[0]]);
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
