// The user's hooks in VS Code: the setting, and the command of each event with its environment.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { createHooks, type Hooks } from "../../src/hooks/vscode/createHooks.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { readSettings } from "../../src/window/settings.ts";
import { UserNotifications } from "../../src/window/userNotifications.ts";
import { FakeAskedSessions } from "../support/fakes/fakeAskedSessions.ts";
import { until } from "../support/fakes/until.ts";

const context = { asAbsolutePath: (path: string) => path } as vscode.ExtensionContext;

/** Writes the variables of the event into a file with the name of the event, whole or not at all. */
const report = `
const { renameSync, writeFileSync } = require("node:fs");
const names = ["EVENT", "WINDOW", "FOLDER", "SESSION", "AGENT", "TEXT"].map(name => "PARLEY_" + name);
const file = process.argv[1] + "/" + process.env.PARLEY_EVENT;
writeFileSync(file + ".new", JSON.stringify(process.env, names));
renameSync(file + ".new", file);
`;

describe("the hooks of the user", () => {
  let folder: string;
  let hooks: Hooks;
  const { showWarningMessage } = vscode.window;
  const warnings: string[] = [];
  const logged: string[] = [];
  const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("parley");

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-hooks-"));
    hooks = createHooks(
      { clock: systemClock, log: { ...nullLog, warn: text => logged.push(text), show: () => undefined } },
      { environment: hostEnvironment, commands: () => readSettings(context).hooks },
    );
    warnings.length = 0;
    logged.length = 0;
    Object.assign(vscode.window, {
      showWarningMessage: (text: string) => {
        warnings.push(text);
        return Promise.resolve(undefined);
      },
    });
  });
  afterEach(async () => {
    Object.assign(vscode.window, { showWarningMessage });
    await hooks.close();
    await configuration().update("hooks", undefined, vscode.ConfigurationTarget.Global);
    await rm(folder, { recursive: true, force: true });
  });

  /** Applies the events to a session, one after the other. */
  const happen = (...events: readonly SessionEvent[]): void => {
    const notifications = new UserNotifications({
      chat: { visibleSurfaces: [], broadcast: () => undefined },
      asked: new FakeAskedSessions(),
      hooks,
      settings: () => ({ notifications: "off", sound: "off" }),
      isVisible: () => true,
      show: () => Promise.resolve(),
      log: nullLog,
    });
    const state: SessionState = { ...emptySession, workspaceFolder: folder, title: "Fix $(reboot)" };
    const session = { id: "a", state };
    notifications.update(session);
    for (const event of events) {
      session.state = reduce(session.state, { seq: 0, at: 0, event });
      notifications.update(session);
    }
  };
  const running: SessionEvent = { type: "activity", state: "running" };
  const answer: SessionEvent = {
    ...{ type: "message", author: "agent", messageId: "1" },
    content: [{ type: "text", text: "Done.\nSee `touch hit`\u202e." }],
  };
  const isReported = (event: string): boolean => existsSync(join(folder, event));
  const reported = (event: string): unknown => JSON.parse(readFileSync(join(folder, event), "utf8"));

  it("run for a question, the end of a turn and a failure, with the words in their environment", async function () {
    if (process.platform === "win32") this.skip();
    // The program of the desktop VS Code runs a script only with this variable, and hooks get no variables of VS Code.
    const command = ["env", "ELECTRON_RUN_AS_NODE=1", process.execPath, "-e", report, folder];
    const value = { question: command, turnEnd: command, failure: command };
    await configuration().update("hooks", value, vscode.ConfigurationTarget.Global);
    happen(
      running,
      { type: "askOpened", ask: "q", title: "Run it?", options: [] },
      answer,
      { type: "activity", state: "idle", stopReason: "end_turn" },
      running,
      { type: "activity", state: "idle", stopReason: "error", problem: { message: "No fish.", next: [] } },
    );
    await until(() => ["question", "turnEnd", "failure"].every(isReported));
    const shared = {
      PARLEY_WINDOW: vscode.workspace.name ?? "",
      PARLEY_FOLDER: folder,
      PARLEY_SESSION: "Fix $(reboot)",
      PARLEY_AGENT: "The agent",
    };
    assert.deepEqual(reported("question"), { PARLEY_EVENT: "question", ...shared, PARLEY_TEXT: "Run it?" });
    const text = "Done. See `touch hit`[U+202E].";
    assert.deepEqual(reported("turnEnd"), { PARLEY_EVENT: "turnEnd", ...shared, PARLEY_TEXT: text });
    assert.deepEqual(reported("failure"), { PARLEY_EVENT: "failure", ...shared, PARLEY_TEXT: "No fish." });
    assert.deepEqual(warnings, []);
  });

  it("warn once in a window, with the hook that failed and why", async () => {
    const value = { question: "no-such-program --loud", turnEnd: ["no-other-program"] };
    await configuration().update("hooks", value, vscode.ConfigurationTarget.Global);
    happen({ type: "askOpened", ask: "q", title: "Run it?", options: [] });
    await until(() => warnings.length > 0);
    happen(running, { type: "activity", state: "idle", stopReason: "end_turn" });
    await until(() => logged.length === 2);
    const failed = "The command of parley.hooks → question failed: “no-such-program” was not found on the PATH.";
    assert.deepEqual(warnings, [`${failed} Further failures in this window are only in the log.`]);
    assert.deepEqual(logged, [failed, failed.replace("question", "turnEnd").replace("such", "other")]);
  });

  it("do not run in an untrusted workspace", async () => {
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, "isTrusted");
    assert.ok(trusted);
    await configuration().update("hooks", { question: "no-such-program" }, vscode.ConfigurationTarget.Global);
    Object.defineProperty(vscode.workspace, "isTrusted", { get: () => false, configurable: true });
    try {
      happen({ type: "askOpened", ask: "q", title: "Run it?", options: [] });
    } finally {
      Object.defineProperty(vscode.workspace, "isTrusted", trusted);
    }
    // The failure of an earlier question would be logged first.
    happen({ type: "askOpened", ask: "q", title: "Run it?", options: [] });
    await until(() => logged.length > 0);
    await hooks.close();
    assert.equal(logged.length, 1);
  });
});
