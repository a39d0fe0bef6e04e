// The notice of sessions that a limit removed, in VS Code's API and on a real disk: Undo, Undo after a reload of the window, and
// the command that restores them.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { DisposableStore } from "../../src/base/lifecycle.ts";
import { ConversationPageFiles } from "../../src/files/conversationPageFiles.ts";
import { nullLog } from "../../src/base/log.ts";
import type { WatchedSecrets } from "../../src/base/secrets/watchedSecrets.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { SessionWriter } from "../../src/session/log/sessionStore.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import { createStoredSessions, type StoredSessionsFeature } from "../../src/library/vscode/createStoredSessions.ts";
import { restoreRemovedSessions } from "../../src/library/vscode/removedSessions.ts";
import { openSessionStorage, openSessionTrash } from "../../src/window/sessionStorage.ts";
import { conversationPagesFolder } from "../../src/window/startup/storageFolders.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

const unusedSecrets = {} as WatchedSecrets;

describe("sessions that a limit removed", () => {
  const { showInformationMessage, showWarningMessage, showQuickPick } = vscode.window;
  let folder: string;
  let clock: FakeClock;
  let store: DisposableStore;
  let limits: { count: number; days: number; megabytes: number };
  let limitReads: number;
  /** The notices with Undo that are open, and how to answer them. */
  let notices: { readonly message: string; readonly press: (button: string | undefined) => void }[];
  let messages: string[];
  let picks: readonly vscode.QuickPickItem[] | undefined;
  let choose: (items: readonly vscode.QuickPickItem[]) => readonly vscode.QuickPickItem[] | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-removed-"));
    clock = new FakeClock();
    limits = { count: 0, days: 1, megabytes: 0 };
    limitReads = 0;
    notices = [];
    messages = [];
    picks = undefined;
    choose = () => undefined;
    Object.assign(vscode.window, {
      showInformationMessage: (message: string, ...buttons: string[]) => {
        if (buttons.length === 0) return Promise.resolve(void messages.push(message));
        assert.deepEqual(buttons, ["Undo", "Change Limits"]);
        return new Promise(press => notices.push({ message, press }));
      },
      showWarningMessage: (message: string) => Promise.resolve(void messages.push(message)),
      showQuickPick: (items: readonly vscode.QuickPickItem[]) => Promise.resolve(choose((picks = items))),
    });
  });
  afterEach(() => {
    Object.assign(vscode.window, { showInformationMessage, showWarningMessage, showQuickPick });
    store.dispose();
    // The store writes what it has read of logs, also after its end.
    rmSync(folder, { recursive: true, maxRetries: 5 });
  });

  const context = (): vscode.ExtensionContext =>
    ({ storageUri: vscode.Uri.file(folder), extension: { packageJSON: { version: "1" } } }) as Partial<vscode.ExtensionContext> as vscode.ExtensionContext; // prettier-ignore
  const pages = (): ConversationPageFiles => new ConversationPageFiles(conversationPagesFolder(context()));
  const files = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      readdirSync(join(folder, "sessions")).map(name => [name, readFileSync(join(folder, "sessions", name), "utf8")]),
    );
  const logsIn = (place: string): readonly string[] =>
    readdirSync(join(folder, place)).filter(name => name.endsWith(".jsonl")).sort(); // prettier-ignore
  const writeSession = async (id: string): Promise<void> => {
    const storage = openSessionStorage(context());
    const events: readonly SessionEvent[] = [
      { type: "opened", agent: "a", agentName: "A", cwd: "/w" },
      { type: "message", author: "user", messageId: "u", content: [{ type: "text", text: `[${id}](command:x)` }] },
    ];
    const writer = new SessionWriter({ storage, session: id, isNew: true, clock, log: nullLog });
    for (const event of logged(events)) writer.write(event);
    await writer.flush();
  };
  /** Opens a window, which applies the limits. */
  const openWindow = async (
    openElsewhere: () => Promise<ReadonlySet<string>> = () => Promise.resolve(new Set()),
  ): Promise<StoredSessionsFeature> => {
    store = new DisposableStore();
    const log = { ...nullLog, show: () => {} };
    const feature = createStoredSessions(
      { context: context(), store, storage: openSessionStorage(context()), clock, log, secrets: unusedSecrets },
      {
        trash: openSessionTrash(context()),
        pages: pages(),
        limits: () => (limitReads++, limits),
        open: new OpenSessions(),
        chat: { isVisible: () => false, onDidShow: () => ({ dispose: () => {} }) },
        openElsewhere,
      },
    );
    await feature.refresh();
    clock.advance(2000);
    return feature;
  };

  it("come back byte for byte with Undo, and the limit leaves them alone afterwards", async () => {
    for (const id of ["one", "two"]) await writeSession(id);
    const before = files();
    clock.advance(2 * day);
    const { stored, flush } = await openWindow();
    await until(() => notices.length === 1);
    assert.equal(
      notices[0]?.message,
      "Parley removed 2 sessions because of the limits in your settings. They can be restored for a week.",
    );
    assert.deepEqual([logsIn("sessions"), logsIn("removed-sessions")], [[], ["one.jsonl", "two.jsonl"]]);
    notices[0].press("Undo");
    await until(() => messages.length === 1);
    assert.deepEqual(messages, ["Restored 2 sessions. They are in the list of sessions again."]);
    assert.deepEqual(stored.entries.map(({ id }) => id).sort(), ["one", "two"]);
    for (const name of ["one.jsonl", "two.jsonl"]) assert.equal(files()[name], before[name]);
    await flush();
    clock.advance(9 * day);
    assert.deepEqual(await stored.prune(limits), []);
    assert.deepEqual(logsIn("sessions"), ["one.jsonl", "two.jsonl"]);
  });

  it("keep the pages of their conversations until they are removed for good", async () => {
    await writeSession("one");
    const [page = ""] = await pages().of("one").write("conversation", ["text"]);
    utimesSync(join(page, ".."), clock.now() / 1000, clock.now() / 1000);
    clock.advance(2 * day);
    await openWindow();
    await until(() => notices.length === 1);
    assert.deepEqual([logsIn("removed-sessions"), existsSync(page)], [["one.jsonl"], true]);
    notices[0]?.press(undefined);
    await until(() => {
      clock.advance(day);
      return !existsSync(page);
    });
    assert.deepEqual(logsIn("removed-sessions"), []);
  });

  it("come back with Undo in the next window, if the user has not seen the notice", async () => {
    await writeSession("one");
    clock.advance(2 * day);
    await openWindow();
    await until(() => notices.length === 1);
    store.dispose();
    const { stored } = await openWindow();
    await until(() => notices.length === 2);
    assert.equal(
      notices[1]?.message,
      "Parley removed a session because of the limits in your settings. It can be restored for a week.",
    );
    notices[1].press("Undo");
    await until(() => stored.entries.length === 1);
  });

  it("are announced once if the user closes the notice, and a command still restores them after a reload", async () => {
    for (const id of ["one", "two"]) await writeSession(id);
    clock.advance(2 * day);
    const first = await openWindow();
    await until(() => notices.length === 1);
    notices[0]?.press(undefined);
    await until(async () => (await first.stored.removed()).every(({ isSeen }) => isSeen));
    store.dispose();
    const { stored } = await openWindow();
    choose = items => items.filter(({ label }) => label.includes("one"));
    await restoreRemovedSessions(stored, clock.now());
    assert.deepEqual(
      picks?.map(({ label }) => label.replaceAll(/[^\w\s[\]():]/g, "")),
      ["Removed Because of a Limit", "[one](command:x)", "[two](command:x)"],
    );
    assert.deepEqual(stored.entries.map(({ id }) => id), ["one"]); // prettier-ignore
    assert.equal(notices.length, 1);
  });

  it("are announced again if the user changed the limits only, because that brings nothing back", async () => {
    const { executeCommand } = vscode.commands;
    const opened: unknown[] = [];
    Object.assign(vscode.commands, { executeCommand: async (...args: unknown[]) => void opened.push(args) });
    try {
      await writeSession("one");
      clock.advance(2 * day);
      await openWindow();
      await until(() => notices.length === 1);
      notices[0]?.press("Change Limits");
      await until(() => opened.length === 1);
      const query = "parley.sessions";
      const shown =
        vscode.env.remoteName === undefined
          ? ["workbench.action.openSettings", query]
          : ["workbench.action.openRemoteSettings", { query }];
      assert.deepEqual(opened, [shown]);
    } finally {
      Object.assign(vscode.commands, { executeCommand });
    }
    store.dispose();
    await openWindow();
    await until(() => notices.length === 2);
  });

  it("are gone after a week, and the notice says so", async () => {
    await writeSession("one");
    clock.advance(2 * day);
    const { stored } = await openWindow();
    await until(() => notices.length === 1);
    clock.advance(8 * day);
    await until(async () => (await stored.removed()).length === 0);
    await until(() => readdirSync(join(folder, "removed-sessions")).length === 0);
    notices[0]?.press("Undo");
    await until(() => messages.length === 1);
    assert.deepEqual(messages, ["The sessions could not be restored: The session can no longer be restored."]);
    choose = () => assert.fail("There is nothing to choose.");
    await restoreRemovedSessions(stored, clock.now());
    assert.deepEqual(messages[1], "There are no removed sessions. Parley keeps removed sessions for a week.");
  });

  it("are announced by the window that removed them, also while it is open for hours", async () => {
    await writeSession("one");
    const { stored } = await openWindow();
    await until(() => stored.entries.length === 1);
    await until(() => {
      clock.advance(hour);
      return notices.length === 1;
    });
  });

  it("are announced once if the first look at the limits takes hours", async () => {
    await writeSession("one");
    let endFirst = (): void => {};
    const first = new Promise<ReadonlySet<string>>(resolve => (endFirst = () => resolve(new Set())));
    await openWindow(() => (limitReads === 1 ? first : Promise.resolve(new Set())));
    await until(() => limitReads === 1);
    clock.advance(2 * day);
    assert.equal(limitReads, 1, "another look began before the first one ended");
    endFirst();
    await until(() => notices.length > 0);
    await until(() => {
      clock.advance(hour);
      return limitReads > 10;
    });
    assert.equal(notices.length, 1);
  });
});
