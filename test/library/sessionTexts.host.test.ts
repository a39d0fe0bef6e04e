// What the tab of a session in the editor says about each of its states. An end-to-end test shows one of them.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { ListedSession } from "../../src/library/sessionGroups.ts";
import { tabStatesOf } from "../../src/library/vscode/sessionTexts.ts";

const session = (id: string, more: Partial<ListedSession>): ListedSession => ({
  ...{ id, title: id, agentName: "Demo Agent", status: "idle", isUnread: false, isDone: false },
  ...more,
});

describe("the tab of a session in the editor", () => {
  it("says by icon and words that it works, waits, failed, is done or unread, and nothing otherwise", () => {
    const states = tabStatesOf([
      session("working", { status: "working", isUnread: true }),
      session("waiting", { status: "waiting" }),
      session("failed", { status: "failed" }),
      session("interrupted", { status: "interrupted" }),
      session("unread", { isUnread: true, isDone: true }),
      session("done", { isDone: true }),
      session("idle", {}),
    ]);
    assert.deepEqual(
      [...states].map(([id, { icon, words }]) => [id, icon, words]),
      [
        ["working", "working", "Working"],
        ["waiting", "waiting", "Waiting for you"],
        ["failed", "failed", "Failed"],
        ["interrupted", "failed", "Interrupted"],
        ["unread", "unread", "Unread"],
        ["done", "done", "Done"],
      ],
    );
    const media = vscode.extensions.all.find(each => existsSync(join(each.extensionPath, "media", "parley.svg")));
    assert.ok(media, "Parley is installed");
    for (const { icon } of states.values())
      for (const theme of ["light", "dark"])
        assert.ok(existsSync(join(media.extensionPath, "media", `parley-${icon}-${theme}.svg`)), `${icon} ${theme}`);
  });
});
