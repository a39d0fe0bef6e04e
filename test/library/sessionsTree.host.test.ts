// The rows and the badge of the Sessions view, and when VS Code is notified of changes.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import type { LateTreeView } from "../../src/editor/lateTreeView.ts";
import type { ListedSession, SessionFolder } from "../../src/library/sessionGroups.ts";
import { localDay } from "../../src/base/localDay.ts";
import { sessionGrouping } from "../../src/library/vscode/sessionGrouping.ts";
import { SessionsTree, type SessionsRow } from "../../src/library/vscode/sessionsTree.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

const hour = 3_600_000;

class FakeView {
  visible = true;
  badge: vscode.ViewBadge | undefined;
  readonly visibility = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
  readonly onDidChangeVisibility = this.visibility.event;
}

describe("the Sessions view", () => {
  let clock: FakeClock;
  let sessions: readonly ListedSession[];
  let folders: readonly SessionFolder[];
  let changed: Emitter<void>;
  let view: FakeView;
  let tree: SessionsTree;
  let refreshes: number;

  const session = (id: string, part: Partial<ListedSession> = {}): ListedSession => ({
    id,
    title: id,
    agentName: "Demo Agent",
    updated: clock.now(),
    status: "idle",
    isUnread: false,
    isDone: false,
    ...part,
  });
  const list = (...next: readonly ListedSession[]): void => {
    sessions = next;
    changed.fire();
  };
  const rows = (): readonly string[] =>
    tree.getChildren().flatMap(group => [group, ...tree.getChildren(group)].map(rowText));
  const rowText = (row: SessionsRow): string => {
    const { label, description, iconPath } = tree.getTreeItem(row);
    const icon = iconPath instanceof vscode.ThemeIcon ? `$(${iconPath.id}) ` : "";
    return `${icon}${String(label)} | ${String(description)}`;
  };

  beforeEach(() => {
    clock = new FakeClock();
    clock.advance(new Date(2026, 0, 15, 12).getTime());
    sessions = [];
    folders = [];
    changed = new Emitter<void>();
    view = new FakeView();
    const late = {
      attach: () => view,
      setBadge: (value: number, tooltip: string) => (view.badge = value === 0 ? undefined : { value, tooltip }),
    } as object as LateTreeView;
    tree = new SessionsTree({
      source: { sessions: () => sessions, onDidChange: changed.event },
      folders: () => folders,
      view: late,
      clock,
    });
    refreshes = 0;
    tree.onDidChangeTreeData(() => refreshes++);
  });
  afterEach(() => {
    tree.dispose();
    changed.dispose();
    view.visibility.dispose();
  });

  it("lists sessions in groups, with icon, age, changed lines and agent", () => {
    list(
      session("idle"),
      session("", { updated: clock.now() - 1 }),
      session("waits", { status: "waiting", changes: { added: 12, removed: 3 } }),
      session("works", { status: "working", updated: clock.now() - 5 * 60_000 }),
      session("failed", { status: "failed", isUnread: true, updated: clock.now() - 30 * 24 * hour }),
    );
    assert.deepEqual(rows(), [
      "Waiting for You | 1",
      "$(bell-dot) waits | now · +12 −3 · Demo Agent",
      "Working | 1",
      "$(loading~spin) works | 5 min · Demo Agent",
      "Today | 2",
      "$(comment-discussion) idle | now · Demo Agent",
      "$(comment-discussion) New Conversation | now · Demo Agent",
      "Older | 1",
      "$(error) failed | 4 wk · Demo Agent",
    ]);
    const [first] = tree.getChildren();
    assert.ok(first);
    const [waits] = tree.getChildren(first);
    assert.ok(waits);
    const item = tree.getTreeItem(waits);
    assert.equal(item.accessibilityInformation?.label, "waits, Demo Agent, Waiting for you, now, +12 −3");
    assert.equal(item.command?.command, "parley.openSession");
    assert.equal(item.command?.arguments, undefined, "VS Code forgets the arguments when it makes the row again");
  });

  it("says on hover what a session and all sessions of a day have used, without adding currencies", () => {
    const counts = { model: "m", turns: 1, input: 0, output: 0 };
    const usd = [{ amount: 0.25, currency: "USD" }];
    const eur = [{ amount: 1, currency: "EUR" }];
    const today = localDay(clock.now());
    list(
      session("a", {
        usage: [
          { ...counts, day: "2001-01-01", tokens: 1000, costs: usd },
          { ...counts, day: today, tokens: 500, costs: usd },
        ],
      }),
      session("b", { usage: [{ ...counts, day: today, tokens: 0, costs: eur }] }),
      session("c"),
    );
    const [group] = tree.getChildren();
    const tooltips = [group, ...tree.getChildren(group)].map(row => tree.getTreeItem(row as SessionsRow).tooltip);
    assert.deepEqual(
      tooltips.map(text =>
        String(text)
          .split("\n")
          .slice(1)
          .join("|")
          .replace(/^Demo Agent · now\|?/, ""),
      ),
      ["500 tokens · €1.00 · $0.25", "1,500 tokens · $0.50", "€1.00", ""],
    );
  });

  it("marks sessions that are unread, interrupted or done, in the icon and in words, and shows done ones on request", () => {
    list(
      session("unread", { isUnread: true }),
      session("cut", { status: "interrupted", updated: clock.now() - 1 }),
      session("done", { isDone: true, updated: clock.now() - 2 }),
    );
    const icons = ["$(circle-filled) unread | now · Demo Agent", "$(debug-disconnect) cut | now · Demo Agent"];
    assert.deepEqual(rows(), ["Today | 2", ...icons]);
    tree.showDone(true);
    assert.deepEqual(rows(), ["Today | 3", ...icons, "$(check) done | now · Demo Agent"]);
    const items = tree.getChildren().flatMap(group => tree.getChildren(group).map(row => tree.getTreeItem(row)));
    assert.deepEqual(
      items.map(({ accessibilityInformation }) => accessibilityInformation?.label),
      ["unread, Demo Agent, Unread, now", "cut, Demo Agent, Interrupted, now", "done, Demo Agent, Done, now"],
    );
    tree.showDone(false);
    assert.deepEqual(rows(), ["Today | 2", ...icons]);
  });

  it("groups the sessions by the folders of a workspace with several, as the user chose before", async () => {
    const states = new Map<string, unknown>();
    const context = {
      workspaceState: {
        get: (key: string, other: unknown) => states.get(key) ?? other,
        update: (key: string, value: unknown) => Promise.resolve(void states.set(key, value)),
      },
    } as object as vscode.ExtensionContext;
    list(session("web", { folder: "/w/web" }), session("api", { folder: "/w/api", updated: clock.now() - 1 }));
    const byDate = rows();
    const commands = sessionGrouping(context, tree);
    await commands["parley.groupSessionsByFolder"]();
    assert.deepEqual(rows(), byDate, "the workspace has one folder");
    folders = [
      { path: "/w/api", name: "api" },
      { path: "/w/web", name: "The web\u202e" },
    ];
    sessionGrouping(context, tree);
    const byFolder = [
      "$(folder) api | 1",
      "$(comment-discussion) api | now · Demo Agent",
      "$(folder) The web[U+202E] | 1",
      "$(comment-discussion) web | now · Demo Agent",
    ];
    assert.deepEqual(rows(), byFolder);
    await commands["parley.groupSessionsByDate"]();
    assert.deepEqual(rows(), byDate);
    sessionGrouping(context, tree);
    assert.deepEqual(rows(), byDate);
  });

  it("names the session that a session continues, without signs that nobody sees", () => {
    list(session("new", { continues: { session: "old", title: "Fix\u202e sum" } }));
    assert.deepEqual(rows().slice(1), ["$(comment-discussion) new | now · Demo Agent · continues Fix[U+202E] sum"]);
    const [group] = tree.getChildren();
    const item = tree.getTreeItem(tree.getChildren(group)[0] as SessionsRow);
    assert.equal(item.contextValue, "session.continues");
    assert.equal(item.accessibilityInformation?.label, "new, Demo Agent, now, continues Fix[U+202E] sum");
  });

  it("lists pinned sessions first, and offers to unpin them", () => {
    list(session("new"), session("old", { isPinned: true, updated: clock.now() - 48 * hour }));
    assert.deepEqual(rows().slice(0, 3), ["Pinned | 1", "$(comment-discussion) old | 2 d · Demo Agent", "Today | 1"]);
    const items = tree.getChildren().flatMap(group => tree.getChildren(group).map(row => tree.getTreeItem(row)));
    assert.deepEqual(
      items.map(({ contextValue }) => contextValue),
      ["session.pinned", "session"],
    );
  });

  it("has the branches of a conversation below its latest one, each as a row of its own", async () => {
    const first = session("first", { updated: clock.now() - hour });
    list(
      first,
      session("second", { branchOf: "first" }),
      session("third", { branchOf: "first", updated: clock.now() - 1 }),
    );
    assert.deepEqual(rows(), ["Today | 1", "$(comment-discussion) second | now · Demo Agent · 3 branches"]);
    const [group] = tree.getChildren();
    const [row, none] = tree.getChildren(group);
    assert.ok(group && row && !none);
    assert.equal(tree.getTreeItem(row).collapsibleState, vscode.TreeItemCollapsibleState.Collapsed);
    const branches = tree.getChildren(row);
    assert.deepEqual(branches.map(rowText), [
      "$(comment-discussion) third | now · Demo Agent",
      "$(comment-discussion) first | 1 h · Demo Agent",
    ]);
    for (const branch of branches) {
      assert.equal(tree.getTreeItem(branch).contextValue, "session");
      assert.equal(tree.getTreeItem(branch).collapsibleState, vscode.TreeItemCollapsibleState.None);
      assert.deepEqual(tree.getParent(branch), row);
    }
    list(first, session("third", { branchOf: "first" }));
    assert.deepEqual(rows(), ["Today | 1", "$(comment-discussion) third | now · Demo Agent · 2 branches"]);
    list(first);
    assert.deepEqual(rows(), ["Today | 1", "$(comment-discussion) first | 1 h · Demo Agent"]);
  });

  it("notifies VS Code only if a row looks different", () => {
    list(session("one"));
    assert.equal(refreshes, 1);
    list(session("one"));
    assert.equal(refreshes, 1);
    list(session("one", { isUnread: true }));
    assert.equal(refreshes, 2);
  });

  it("refreshes the ages each minute while it is visible", () => {
    list(session("one"));
    clock.advance(60_000);
    assert.equal(refreshes, 2);
    assert.deepEqual(rows()[1], "$(comment-discussion) one | 1 min · Demo Agent");
    view.visible = false;
    clock.advance(60_000);
    const hidden = refreshes;
    clock.advance(10 * 60_000);
    assert.equal(refreshes, hidden);
    view.visible = true;
    view.visibility.fire({ visible: true });
    assert.deepEqual(rows()[1], "$(comment-discussion) one | 12 min · Demo Agent");
    assert.equal(refreshes, hidden + 1);
  });

  it("has a badge for sessions that wait or are unread", () => {
    const badge = (): unknown => view.badge && [view.badge.value, view.badge.tooltip];
    list(session("one"));
    assert.equal(badge(), undefined);
    list(session("one", { status: "waiting" }));
    assert.deepEqual(badge(), [1, "A session is waiting for you"]);
    list(session("one", { status: "waiting" }), session("two", { isUnread: true, status: "failed" }));
    assert.deepEqual(badge(), [2, "Sessions waiting for you: 1, unread: 1"]);
    list(session("one"), session("two", { isUnread: true }));
    assert.deepEqual(badge(), [1, "A session is unread"]);
    list(session("one"));
    assert.equal(badge(), undefined);
  });

  it("shows invisible characters of titles by their codes", () => {
    list(session("a", { title: "safe\u202Etxt.exe" }));
    assert.equal(rows()[1], "$(comment-discussion) safe[U+202E]txt.exe | now · Demo Agent");
  });
});
