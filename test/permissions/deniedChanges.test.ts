// Files that an agent changes by itself although a rule denies it, from the attributed change to the card and to the log
// on disk.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { meanwhileTurn, unknownTurn } from "../../src/history/author.ts";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { AuditLog, type AuditRecord } from "../../src/permissions/auditLog.ts";
import { DeniedChanges } from "../../src/permissions/deniedChanges.ts";
import { PermissionPolicy } from "../../src/permissions/policy.ts";
import { defaultProtection } from "../../src/permissions/protectedFiles.ts";
import { readRules, type Rule } from "../../src/permissions/rules.ts";
import { KnownTouches } from "../../src/review/turns/knownTouches.ts";
import type { SessionEvent, ToolFields } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { factsContext } from "../support/fakes/factsContext.ts";
import { emptyHead } from "../support/fakes/heads.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";

/** The session `one`, whose turn is `turn`, in a window with these rules. */
class Window {
  readonly files = new Map<string, string>();
  readonly gone = new Set<string>();
  readonly touches: KnownTouches;
  #state: SessionState = emptySession;
  #seq = 0;
  readonly #audit: AuditLog;
  readonly #checks: Promise<void>[] = [];

  constructor(...rules: readonly Rule[]) {
    const policy = new PermissionPolicy({
      rules: () => readRules(rules),
      sensitive: () => [],
      protection: () => defaultProtection,
      hookFolders: () => Promise.resolve([]),
      context: () => factsContext,
    });
    this.#audit = new AuditLog(
      {
        append: async (name, text) => void this.files.set(name, (this.files.get(name) ?? "") + text),
        write: async (name, text) => void this.files.set(name, text),
        read: async name => this.files.get(name),
      },
      nullLog,
    );
    const denied = new DeniedChanges({
      policy,
      exists: async path => !this.gone.has(path),
      report: event => this.report(event),
      record: change => this.#audit.record({ at: 1, agent: "A", folder: "/work/app", ...change }),
    });
    const ignored = { touched: () => {}, written: () => {} };
    const sessions = new Map([["turn", { id: "one" }]]);
    this.touches = new KnownTouches(ignored, sessions, () => ["turn"]);
    this.touches.onDidChangeFile(({ session, path }) => {
      if (session === "one") this.#checks.push(denied.changed(path));
    });
    this.report({ type: "opened", agent: "a", agentName: "A", cwd: "/work/app" });
    this.report({ type: "activity", state: "running" });
  }
  report(event: SessionEvent): void {
    this.#state = reduce(this.#state, { seq: ++this.#seq, at: this.#seq, event });
  }
  call(patch: Partial<ToolFields>): void {
    this.report({ type: "tool", toolCallId: "c", patch });
  }
  /** The agent changes the file in the turn. */
  async change(path: string, turn = "turn"): Promise<void> {
    this.touches.touched({ turn, path, before: undefined });
    await Promise.all(this.#checks);
  }
  get entries(): readonly ViewEntry[] {
    return new WholeProjector().project(this.#state, emptyHead).entries;
  }
  async logged(): Promise<readonly AuditRecord[]> {
    return (await this.#audit.read()).records;
  }
}

const rule: Rule = { effect: "deny", kind: "edit", path: "secret/**" };
const path = "/work/app/secret/a.txt";
const line = /^secret\/a\.txt was changed although a rule denies it: .*secret\/\*\*/;

describe("a change that a rule denies and about which the agent asked nobody", () => {
  it("is a line on the card of the call that names the file", async () => {
    const window = new Window(rule);
    window.call({ title: "Tidy up", kind: "edit", status: "completed", locations: [{ path }] });
    await window.change(path);
    const [card, ...others] = window.entries;
    assert.ok(card?.kind === "tool" && others.length === 0);
    assert.equal(card.decisions?.length, 1);
    assert.match(card.decisions[0] ?? "", line);
  });

  it("is a notice in the conversation if no call of the turn names the file", async () => {
    const window = new Window(rule);
    window.call({ title: "Edit", kind: "edit", status: "completed", locations: [{ path }] });
    window.report({ type: "activity", state: "idle", stopReason: "end_turn" });
    window.report({ type: "activity", state: "running" });
    await window.change(path);
    const [card, notice] = window.entries;
    assert.ok(card?.kind === "tool" && card.decisions === undefined);
    assert.ok(notice?.kind === "notice" && notice.severity === "warning" && notice.byRule === true);
    assert.match(notice.title, line);
  });

  it("is a record of the permission log", async () => {
    const window = new Window(rule);
    await window.change(path);
    const [record, ...others] = await window.logged();
    assert.ok(record && others.length === 0);
    const { what, subject, answer, by = "" } = record;
    assert.deepEqual([what, subject, answer], ["Edit secret/a.txt", path, "notPrevented"]);
    assert.match(by, /secret\/\*\*/);
  });

  it("has its whole path in the permission log", async () => {
    const long = "/home/ada/projects/of/this/year/another/folder/secret/a.txt";
    const window = new Window({ effect: "deny", kind: "edit", path: "/home/ada/**" });
    await window.change(long);
    const [record] = await window.logged();
    assert.equal(record?.what, `Edit ${long}`);
  });

  it("is reported for at most twenty files of a turn, and then in one line", async () => {
    const window = new Window(rule);
    for (let at = 0; at < 100; at++) window.touches.touched({ turn: "turn", path: `${path}${at}`, before: undefined });
    await window.change(path);
    assert.equal((await window.logged()).length, 20);
    assert.equal(window.entries.length, 21);
    const last = window.entries.at(-1);
    assert.equal(last?.kind === "notice" && last.title, "More files were changed although rules deny it.");
  });

  it("can be the deletion of the file", async () => {
    const window = new Window({ effect: "deny", kind: "delete", path: "secret/**" });
    await window.change("/work/app/secret/b.txt");
    assert.deepEqual(await window.logged(), []);
    window.gone.add(path);
    await window.change(path);
    assert.deepEqual(
      (await window.logged()).map(({ what }) => what),
      ["Delete secret/a.txt"],
    );
  });

  it("is none if no rule denies it, or if it is not known to be of the agent", async () => {
    const window = new Window(rule, { effect: "ask", path: "asked/**" });
    await window.change("/work/app/src/a.txt");
    await window.change("/work/app/asked/a.txt");
    for (const turn of [unknownTurn, meanwhileTurn, "another"]) await window.change(path, turn);
    const empty = new Window();
    await empty.change(path);
    assert.deepEqual([window.entries, await window.logged(), empty.entries], [[], [], []]);
  });
});
