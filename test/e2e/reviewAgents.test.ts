// The review of everything that agents do to files, by mouse and by keyboard, for three kinds of agents: one that writes
// through the client, one that writes to disk itself, and one that runs commands.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { allowCommand, openChat, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";

const before: Readonly<Record<string, string>> = {
  "work.txt": "line 1\nline 2\nline 3\n",
  "ends.txt": "one\r\ntwo\r\n",
  "lib/moved.txt": "moves\nto another\nfolder\n",
  "pkg/a.txt": "a\n",
  "pkg/in/b.txt": "b\n",
};
const changed = "line 1\nline two\nline 3\n";

const sh = (command: string): readonly object[] => [
  {
    request: {
      method: "terminal/create",
      params: { sessionId: "$session", command: "sh", args: ["-c", command], cwd: "$cwd" },
    },
    as: "sh",
  },
  {
    request: {
      method: "terminal/wait_for_exit",
      params: { sessionId: "$session", terminalId: "$sh.terminalId" },
    },
  },
];
const throughClient = (path: string, content: string): object => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path, content } },
});

interface Kind {
  readonly steps: (outside: string) => readonly object[];
  /** The files under review, as the bar labels them. */
  readonly labels: readonly string[];
  /** Files that exist after the turn, or are gone. */
  readonly has: readonly string[];
  readonly lacks: readonly string[];
  /** Answers what Parley asks during the turn. */
  readonly allow: (panel: FrameLocator) => Promise<void>;
  readonly writesOutside: boolean;
  /** How many more files a restore changes than wait for review. A moved file is two files. */
  readonly moves: number;
}

const kinds: Readonly<Record<string, Kind>> = {
  "writes through the client": {
    steps: outside => [
      throughClient("$cwd/work.txt", changed),
      throughClient("$cwd/ends.txt", "one\r\nother\r\n"),
      throughClient("$cwd/new/in/made.txt", "made\n"),
      throughClient(outside, changed),
    ],
    labels: ["work.txt", "ends.txt", "new/in/made.txt"],
    has: ["new/in/made.txt"],
    lacks: [],
    allow: panel =>
      panel
        .getByRole("group", { name: /wants to write .*outside this workspace/ })
        .getByRole("button", { name: "Allow Once" })
        .click(),
    writesOutside: true,
    moves: 0,
  },
  "writes to disk itself": {
    steps: outside => [
      { write: "work.txt", text: changed },
      { write: "ends.txt", text: "one\nother\n" },
      { write: "new/in/made.txt", text: "made\n" },
      { write: "pkg/a.txt" },
      { write: "pkg/in/b.txt" },
      {
        permission: {
          toolCall: {
            toolCallId: "outside",
            title: "Edit the file outside",
            kind: "edit",
            content: [{ type: "diff", path: outside, oldText: before["work.txt"], newText: changed }],
          },
        },
      },
      { write: outside, text: changed },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "outside", status: "completed" } },
    ],
    labels: ["work.txt", "ends.txt", "new/in/made.txt", "pkg/a.txt", "pkg/in/b.txt"],
    has: ["new/in/made.txt"],
    lacks: ["pkg/a.txt", "pkg/in/b.txt"],
    allow: panel =>
      panel
        .getByRole("group", { name: /Edit the file outside/ })
        .getByRole("button", { name: /Allow/ })
        .first()
        .click(),
    writesOutside: true,
    moves: 0,
  },
  "runs commands": {
    steps: () =>
      sh(
        "sed -i 's/line 2/line two/' work.txt && sed -i 's/two/other/' ends.txt && chmod +x ends.txt && rm -rf pkg " +
          "&& mkdir -p new/in && echo made > new/in/made.txt && mv lib other",
      ),
    labels: ["work.txt", "ends.txt", "new/in/made.txt", "pkg/a.txt", "pkg/in/b.txt", "other/moved.txt"],
    has: ["new/in/made.txt", "other/moved.txt"],
    lacks: ["pkg/a.txt", "pkg/in/b.txt", "lib/moved.txt"],
    allow: panel => allowCommand(panel),
    writesOutside: false,
    moves: 1,
  },
};

describe("the review of the files of an agent", () => {
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "parley-elsewhere-")));
  const outside = join(elsewhere, "outside.txt");
  after(() => rmSync(elsewhere, { recursive: true, force: true }));

  for (const [does, kind] of Object.entries(kinds)) {
    const { labels, has, lacks, writesOutside } = kind;
    const count = labels.length + (writesOutside ? 1 : 0);
    /** Plays the turn in the shared window. */
    const played = async () => {
      writeFileSync(outside, before["work.txt"] ?? "");
      const workbench = await sharedWorkbench({
        ...before,
        "agent.json": JSON.stringify({ steps: [...kind.steps(outside), { chunk: "All done." }] }),
      });
      const { panel, folder } = workbench;
      const composer = panel.getByRole("textbox", { name: "Message" });
      await composer.fill("#script agent.json");
      await composer.press("Enter");
      await kind.allow(panel);
      await panel.getByRole("log", { name: "Conversation" }).getByText("All done.").waitFor();
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      await bar(panel)
        .getByRole("button", { name: new RegExp(`^${count} files`) })
        .waitFor();
      /** The files that are not as before the turn, with their texts. */
      const changedFiles = (): readonly string[] => [
        ...Object.entries(before)
          .filter(([name, text]) => textOf(join(folder, name)) !== text)
          .map(([name]) => `${name}: ${JSON.stringify(textOf(join(folder, name)))}`),
        ...has.filter(name => existsSync(join(folder, name))),
        ...((statSync(join(folder, "ends.txt")).mode & 0o111) === 0 ? [] : ["ends.txt is executable"]),
        ...(textOf(outside) === before["work.txt"] ? [] : [`${outside}: ${JSON.stringify(textOf(outside))}`]),
      ];
      const isAsBefore = async (): Promise<void> => {
        await until(() => changedFiles().length === 0).catch(() => undefined);
        assert.deepEqual(changedFiles(), []);
      };
      const isAgents = (): boolean =>
        has.every(name => existsSync(join(folder, name))) &&
        lacks.every(name => !existsSync(join(folder, name))) &&
        textOf(join(folder, "work.txt")) === changed &&
        (!writesOutside || textOf(outside) === changed);
      assert.ok(isAgents());
      return { ...workbench, isAsBefore, isAgents };
    };

    it(`that ${does}: single files and all are undone by mouse, and a checkpoint is restored`, async () => {
      const { page, panel, folder, errors, isAsBefore, isAgents } = await played();
      const files = bar(panel).getByRole("button", { name: new RegExp(`^${count} files`) });
      // The bar stays expanded from one test to the next.
      if ((await files.getAttribute("aria-expanded")) !== "true") await files.click();
      for (const label of labels) await bar(panel).getByRole("link", { name: label, exact: true }).waitFor();
      if (writesOutside) await bar(panel).getByText("Outside the workspace", { exact: true }).waitFor();
      const card = panel.getByRole("article", { name: "Edit the file outside" });
      if (await card.isVisible()) await card.getByText("Outside the workspace", { exact: true }).waitFor();
      await screenshot(page, `review-agents-${does.replaceAll(" ", "-")}`);
      await bar(panel).getByRole("button", { name: "Undo new/in/made.txt" }).click();
      await until(() => !existsSync(join(folder, "new")));
      await bar(panel).getByRole("button", { name: "Undo All" }).click();
      await bar(panel).waitFor({ state: "detached" });
      await isAsBefore();
      assert.equal(await page.locator(".tab", { hasText: ".txt" }).count(), 0, "no tab is left");
      await runCommand(page, "Parley: Undo Last Review Decision");
      await runCommand(page, "Parley: Undo Last Review Decision");
      await until(isAgents);

      await message(panel).hover();
      await message(panel).getByRole("button", { name: "Restore Checkpoint" }).click();
      await row(page, `${count + kind.moves} files will be restored.`).click();
      await isAsBefore();
      await bar(panel).waitFor({ state: "detached" });
      await runCommand(page, "Parley: Undo Restore");
      await until(isAgents);
      // What waited for review waits again.
      await bar(panel)
        .getByRole("button", { name: new RegExp(`^${count} files`) })
        .waitFor();
      await runCommand(page, "Notifications: Clear All Notifications");
      await bar(panel).getByRole("button", { name: "Undo All" }).click();
      await isAsBefore();
      assert.deepEqual(errors, []);
    });

    it(`that ${does}: all is undone and kept by keyboard, also after a reload`, async () => {
      const { page, isAsBefore, isAgents } = await played();
      await reloadWindow(page);
      const panel = await openChat(page);
      await bar(panel)
        .getByRole("button", { name: new RegExp(`^${count} files`) })
        .waitFor();
      await runCommand(page, "Parley: Undo All Changes");
      await isAsBefore();
      await bar(panel).waitFor({ state: "detached" });
      await runCommand(page, "Parley: Undo Last Review Decision");
      await until(isAgents);
      await bar(panel)
        .getByRole("button", { name: new RegExp(`^${count} files`) })
        .waitFor();
      await runCommand(page, "Parley: Keep All Changes");
      await bar(panel).waitFor({ state: "detached" });
      assert.ok(isAgents());
    });
  }

  it("includes what it deleted, moved and wrote just before Stop", async () => {
    const { page, panel, folder } = await sharedWorkbench({
      ...before,
      "agent.json": JSON.stringify({
        steps: [
          { chunk: "Working." },
          { write: "pkg/a.txt" },
          { write: "pkg/in/b.txt" },
          { write: "lib/moved.txt" },
          { write: "other/moved.txt", text: before["lib/moved.txt"] },
          { write: "work.txt", text: changed },
          { waitMs: 600_000 },
        ],
      }),
    });
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script agent.json");
    await composer.press("Enter");
    await until(() => textOf(join(folder, "work.txt")) === changed);
    await panel.getByRole("button", { name: "Stop" }).click();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await bar(panel)
      .getByRole("button", { name: /^4 files/ })
      .waitFor();
    await runCommand(page, "Parley: Undo All Changes");
    await bar(panel).waitFor({ state: "detached" });
    for (const [name, text] of Object.entries(before)) assert.equal(textOf(join(folder, name)), text, name);
    assert.ok(!existsSync(join(folder, "other", "moved.txt")));
  });
});

const bar = (panel: FrameLocator): Locator => panel.getByRole("region", { name: "Changes" });
const message = (panel: FrameLocator): Locator =>
  panel.locator('parley-message[data-kind="user"]', { hasText: "#script agent.json" });
/** A row of the open list. */
const row = (page: Page, words: string): Locator =>
  page.locator(".quick-input-list .monaco-list-row", { hasText: words });
const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
