// A day by keyboard: no click, and no focus that a script sets. After each station, the focus is where a keyboard user goes
// on, and the accessibility tree is the stored one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chat, openWorkbench, screenshot, type Workbench } from "./harness.ts";
import {
  chord,
  editorHasFocus,
  focused,
  focusIs,
  hasTree,
  pressTo,
  quickInputHasFocus,
  typeCommand,
} from "./keyboard.ts";

const lines = (...words: readonly (number | string)[]): string => words.map(word => `line ${word}\n`).join("");
const before = lines(1, 2, 3, 4, 5, 6, 7, 8, 9);
const after = lines(1, "two", 3, 4, 5, 6, 7, "eight", 9);

const day = {
  steps: [
    { update: { sessionUpdate: "tool_call", toolCallId: "t1", title: "Change list.txt", kind: "edit" } },
    { permission: { toolCall: { toolCallId: "t1" } } },
    {
      request: {
        method: "fs/write_text_file",
        params: { sessionId: "$session", path: "$cwd/list.txt", content: after },
      },
    },
    { update: { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" } },
    { chunk: "The needle is in line two." },
  ],
};

/** Two agents that need nothing of the machine. */
const agents = {
  ...Object.fromEntries(
    ["claude", "codex", "gemini", "opencode", "qwen", "copilot", "auggie", "goose", "kimi"].map(id => [id, false]),
  ),
  helper: {
    name: "Helper",
    description: "Another agent",
    command: process.execPath,
    args: [inProject("dist", "demo-agent.mjs")],
  },
};

/** Gives errors of a station its name. */
async function station(page: Page, name: string, steps: () => Promise<void>): Promise<void> {
  try {
    await steps();
    await until(async () => (await focused(page).catch(() => "nothing")) !== "nothing", 10_000).catch(() =>
      assert.fail("The focus is lost."),
    );
  } catch (thrown) {
    await screenshot(page, `day-${name}`);
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    error.message = `At the station “${name}”: ${error.message}`;
    throw error;
  }
}

/** A desktop VS Code doesn't report which process is its extension host, and on Windows, the server reports none. */
const reportsHost = (server: Workbench["server"]): boolean => process.platform !== "win32" && "extensionHost" in server;

/** The extension starts its watchdog when it is loaded. */
const isLoaded = (server: Workbench["server"]): boolean =>
  server.tree().some(({ command }) => /dist[\\/]watchdog\.js/.test(command));

describe("a day by keyboard in a real VS Code", () => {
  it("goes from the first start, which loads the extension, through review and sessions to a restored checkpoint, keeps the focus, and has the stored accessibility trees", async () => {
    const files = {
      "list.txt": before,
      "day.json": JSON.stringify(day),
      "second.json": JSON.stringify([{ chunk: "Nothing to do." }]),
    };
    const { page, folder, errors, server } = await openWorkbench({ files, settings: { "parley.agents": agents } });
    const { keyboard } = page;
    const panel = chat(page);
    const body = panel.locator("body");
    const log = panel.getByRole("log", { name: "Conversation" });
    const changes = panel.getByRole("region", { name: "Changes" });
    const list = (): string => readFileSync(join(folder, "list.txt"), "utf8");
    const tree = (name: string): Promise<void> => hasTree(body, name, folder);
    const idle = (): Promise<void> => panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    const message = /^textbox "Message"/;
    const restoreCheckpoint = /^button "Restore Checkpoint"/;
    const line = (number: number): Locator => page.locator(".statusbar-item", { hasText: `Ln ${number},` });
    const sessions = page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Sessions" }) });
    const sessionsTree = (name: string): Promise<void> => hasTree(sessions.getByRole("tree"), name, folder);
    const sessionRow = (name: string): RegExp => new RegExp(`^treeitem "#script ${name}\\.json`);

    await station(page, "start", async () => {
      // VS Code knows the keys of the extension when it shows the extension.
      await page.locator(".statusbar-item", { hasText: "Parley" }).waitFor();
      assert.ok(!isLoaded(server), "the extension is not loaded before its first use");
      await keyboard.press("Alt+Shift+P");
      await panel.locator("parley-header").waitFor();
      await focusIs(page, message);
      await panel.getByText("Choose an agent").waitFor();
      if (reportsHost(server)) await until(() => isLoaded(server));
      await tree("start");
    });

    await station(page, "choose", async () => {
      await pressTo(page, "Shift+Tab", /^button "Helper/);
      await keyboard.press("Enter");
      await focusIs(page, message);
      await panel.locator("details.chosen-agent", { hasText: "Helper" }).waitFor();
      await tree("choose");
    });

    await station(page, "prompt", async () => {
      await keyboard.type("#script day.json");
      await keyboard.press("Enter");
      await panel.getByRole("group", { name: "Change list.txt" }).waitFor();
      await focusIs(page, message);
      await keyboard.press("Alt+Shift+Q");
      await focusIs(page, /^button "Allow/);
      await tree("question");
    });

    await station(page, "answer", async () => {
      const question = panel.getByRole("group", { name: "Change list.txt" });
      // The question ignores keys for 500 ms after it gets the focus.
      await until(async () => {
        if ((await question.count()) === 0) return true;
        // The focus can be read while the question goes away.
        if (/^button "Allow/.test(await focused(page).catch(() => ""))) await keyboard.press("1");
        return (await question.count()) === 0;
      });
      await log.getByText("The needle is in line two.").waitFor();
      await idle();
      await focusIs(page, message);
      await until(() => list() === after);
      await changes.getByRole("button", { name: /^1 file/ }).waitFor();
      await tree("answer");
    });

    await station(page, "review", async () => {
      await keyboard.press("Control+P");
      await quickInputHasFocus(page);
      await keyboard.type("list.txt");
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "list.txt" }).waitFor();
      await keyboard.press("Enter");
      await editorHasFocus(page);
      await keyboard.press("Control+F8");
      await line(2).waitFor();
      await chord(page, "K", async () => (await changes.getByText("+1", { exact: true }).count()) > 0);
      // The cursor goes on to the next change.
      await line(8).waitFor();
      const half = before.replace("line 2", "line two");
      await chord(page, "X", async () => list() === half);
      assert.equal(list(), half);
      await changes.waitFor({ state: "hidden" });
      await editorHasFocus(page);
      await typeCommand(page, "Parley: Undo Last Review Decision");
      await until(() => list() === after);
      await changes.getByRole("button", { name: /^1 file/ }).waitFor();
      await editorHasFocus(page);
      await tree("review");
    });

    await station(page, "find", async () => {
      await keyboard.press("Alt+Shift+P");
      await focusIs(page, message);
      await keyboard.press("Control+F");
      await focusIs(page, /^textbox "Find in conversation"/);
      await keyboard.type("needle");
      await panel.getByRole("search").getByText("1 result").first().waitFor();
      await keyboard.press("Enter");
      await panel.getByRole("search").getByText("1 of 1").first().waitFor();
      await tree("find");
      await keyboard.press("Escape");
      await focusIs(page, message);
    });

    await station(page, "second-session", async () => {
      await keyboard.press("Alt+Shift+N");
      await panel.getByRole("group", { name: "Example prompts" }).waitFor();
      await focusIs(page, message);
      await keyboard.type("#script second.json");
      await keyboard.press("Enter");
      await log.getByText("Nothing to do.").waitFor();
      await idle();
      await focusIs(page, message);
      await tree("second-session");
    });

    await station(page, "list", async () => {
      await keyboard.press("Alt+Shift+B");
      await focusIs(page, sessionRow("second"));
      await pressTo(page, "ArrowDown", sessionRow("day"));
      await sessionsTree("list");
    });

    await station(page, "rename", async () => {
      await keyboard.press("F2");
      await quickInputHasFocus(page);
      await keyboard.press("Control+A");
      await keyboard.type("Lines of the list");
      await keyboard.press("Enter");
      await focusIs(page, /^treeitem "Lines of the list/);
      await sessionsTree("rename");
    });

    await station(page, "delete", async () => {
      await keyboard.press("Delete");
      await page.getByRole("dialog").filter({ hasText: "Delete the session “Lines of the list”?" }).waitFor();
      await focusIs(page, /^button "Delete"/);
      await keyboard.press("Enter");
      await sessions.getByRole("treeitem", { name: /^Lines of the list/ }).waitFor({ state: "detached" });
      await focusIs(page, /^(tree|treeitem)/);
      await sessionsTree("delete");
    });

    await station(page, "undo-deletion", async () => {
      await typeCommand(page, "Notifications: Show Notifications");
      await page.locator(".notifications-center").getByText("Deleted the session “Lines of the list”.").waitFor();
      await pressTo(page, "Tab", /^button "Undo"/);
      await keyboard.press("Enter");
      await sessions.getByRole("treeitem", { name: /^Lines of the list/ }).waitFor();
      await sessionsTree("undo-deletion");
    });

    await station(page, "switch", async () => {
      await typeCommand(page, "Parley: Switch Session");
      // The list of commands can still be closing, and the focus is in the editor then.
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "Lines of the list" }).waitFor();
      await quickInputHasFocus(page);
      await keyboard.type("Lines of");
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "Lines of the list" }).waitFor();
      await keyboard.press("Enter");
      await log.getByText("The needle is in line two.").waitFor();
      await focusIs(page, message);
      await tree("switch");
    });

    await station(page, "restore", async () => {
      await pressTo(page, "Shift+Tab", restoreCheckpoint);
      await keyboard.press("Enter");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "1 file will be restored." }).waitFor();
      await quickInputHasFocus(page);
      await keyboard.press("Enter");
      await until(() => list() === before);
      await changes.waitFor({ state: "hidden" });
      await focusIs(page, message);
      await tree("restore");
    });

    await station(page, "undo-restore", async () => {
      await typeCommand(page, "Parley: Undo Restore");
      await until(() => list() === after);
      // VS Code moves the focus from its list of commands to the message box or to the editor.
      await focusIs(page, /^textbox "(?:Message|list\.txt)"/);
      await tree("undo-restore");
    });

    assert.deepEqual(errors, []);
  });
});
