// The review of everything that an agent does to files, once by mouse and once by keyboard: the agent writes through the
// client, writes to disk itself, and runs a command. The tests of test/review prove the attribution for each kind of
// agent.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
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

const throughClient = (path: string, content: string): object => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path, content } },
});

/** Runs the command in a terminal, and waits for its end. */
const commandSteps = (command: string): readonly object[] => [
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

/** What the agent does in a tool call that names no file. */
const inCall = (...steps: readonly object[]): readonly object[] => [
  {
    update: {
      sessionUpdate: "tool_call",
      toolCallId: "work",
      title: "Run a script",
      kind: "execute",
      status: "in_progress",
    },
  },
  ...steps,
];
const callEnds = { update: { sessionUpdate: "tool_call_update", toolCallId: "work", status: "completed" } };

/** The agent asks for the file outside the workspace, and writes it to disk itself. */
const outsideSteps = (path: string): readonly object[] => [
  {
    permission: {
      toolCall: {
        toolCallId: "outside",
        title: "Edit the file outside",
        kind: "edit",
        content: [{ type: "diff", path, oldText: before["work.txt"], newText: changed }],
      },
    },
  },
  { write: path, text: changed },
  { update: { sessionUpdate: "tool_call_update", toolCallId: "outside", status: "completed" } },
];

describe("the review of the files of an agent", () => {
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "parley-elsewhere-")));
  /** One file that the agent writes through the client, and one that it writes to disk itself. */
  const outside = [join(elsewhere, "client.txt"), join(elsewhere, "disk.txt")] as const;
  after(() => rmSync(elsewhere, { recursive: true, force: true }));

  /** Starts the turn in the shared window. */
  async function began(steps: readonly object[]) {
    for (const path of outside) writeFileSync(path, before["work.txt"] ?? "");
    const workbench = await sharedWorkbench({ ...before, "agent.json": JSON.stringify({ steps }) });
    const { panel, folder } = workbench;
    const at = (name: string): string => join(folder, name);
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script agent.json");
    await composer.press("Enter");
    /** The files that are not as before the turn, with their texts. */
    const changedFiles = (): readonly string[] => [
      ...Object.entries(before)
        .filter(([name, text]) => textOf(at(name)) !== text)
        .map(([name]) => `${name}: ${JSON.stringify(textOf(at(name)))}`),
      ...["new", "other"].filter(name => existsSync(at(name))),
      ...(existsSync(at("ends.txt")) && (statSync(at("ends.txt")).mode & 0o111) !== 0
        ? ["ends.txt is executable"]
        : []),
      ...outside.filter(path => textOf(path) !== before["work.txt"]),
    ];
    const isAsBefore = async (): Promise<void> => {
      await until(() => changedFiles().length === 0).catch(() => undefined);
      assert.deepEqual(changedFiles(), []);
    };
    /** Whether these files are as the agent left them: written, created and deleted. */
    const isAgents = (...more: readonly boolean[]): boolean =>
      textOf(at("work.txt")) === changed &&
      textOf(at("new/in/made.txt")) === "made\n" &&
      !existsSync(at("pkg/a.txt")) &&
      !existsSync(at("pkg/in/b.txt")) &&
      more.every(Boolean);
    return { ...workbench, at, composer, isAsBefore, isAgents };
  }

  it("undoes single files and all of them by mouse", async () => {
    const { page, panel, at, errors, isAsBefore, ...turn } = await began([
      throughClient("$cwd/work.txt", changed),
      throughClient("$cwd/new/in/made.txt", "made\n"),
      throughClient(outside[0], changed),
      ...inCall({ write: "ends.txt", text: "one\nother\n" }, { write: "pkg/a.txt" }, { write: "pkg/in/b.txt" }),
      callEnds,
      ...outsideSteps(outside[1]),
      { chunk: "All done." },
    ]);
    const isAgents = (): boolean => turn.isAgents(...outside.map(path => textOf(path) === changed));
    for (const request of [/wants to write .*outside this workspace/, /Edit the file outside/])
      await panel.getByRole("group", { name: request }).getByRole("button", { name: /Allow/ }).first().click();
    await panel.getByRole("log", { name: "Conversation" }).getByText("All done.").waitFor();
    const files = bar(panel).getByRole("button", { name: /^7 files/ });
    await files.waitFor();
    assert.ok(isAgents());
    // The bar stays expanded from one test to the next.
    if ((await files.getAttribute("aria-expanded")) !== "true") await files.click();
    for (const name of ["work.txt", "ends.txt", "new/in/made.txt", "pkg/a.txt", "pkg/in/b.txt"])
      await bar(panel).getByRole("link", { name, exact: true }).waitFor();
    await bar(panel).getByText("Outside the workspace", { exact: true }).nth(1).waitFor();
    const card = panel.getByRole("article", { name: "Edit the file outside" });
    await card.getByText("Outside the workspace", { exact: true }).waitFor();
    await screenshot(page, "review-agents");
    await bar(panel).getByRole("button", { name: "Undo new/in/made.txt" }).click();
    await until(() => !existsSync(at("new")));
    // While the created file is listed, Undo All asks before it deletes it.
    await bar(panel)
      .getByRole("button", { name: /^6 files/ })
      .waitFor();
    await bar(panel).getByRole("button", { name: "Undo All" }).click();
    await bar(panel).waitFor({ state: "detached" });
    await isAsBefore();
    assert.equal(await page.locator(".tab", { hasText: ".txt" }).count(), 0, "no tab is left");
    await runCommand(page, "Parley: Undo Last Review Decision");
    await runCommand(page, "Parley: Undo Last Review Decision");
    await until(isAgents);

    await files.waitFor();
    await bar(panel).getByRole("button", { name: "Undo All" }).click();
    const dialog = page.locator(".monaco-dialog-box");
    await dialog.getByText("new/in/made.txt").waitFor();
    await screenshot(page, "undo-all-deletes");
    await dialog.getByRole("button", { name: "Undo Changes" }).click();
    await isAsBefore();
    await bar(panel).waitFor({ state: "detached" });
    assert.deepEqual(errors, []);
  });

  it("undoes and keeps all of them by keyboard, also what was done just before Stop, and after a reload", async () => {
    const { page, panel, at, composer, isAsBefore, ...turn } = await began([
      ...commandSteps(
        "sed -i 's/line 2/line two/' work.txt && sed -i 's/two/other/' ends.txt && chmod +x ends.txt && mv lib other",
      ),
      ...inCall({ write: "pkg/a.txt" }, { write: "pkg/in/b.txt" }, { write: "new/in/made.txt", text: "made\n" }),
      { waitMs: 600_000 },
    ]);
    const isAgents = (): boolean => turn.isAgents(existsSync(at("other/moved.txt")), !existsSync(at("lib/moved.txt")));
    await allowCommand(panel);
    await until(isAgents);
    await composer.press("Escape");
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    // The moved file is one row.
    const isListed = (within: FrameLocator): Promise<void> =>
      bar(within)
        .getByRole("button", { name: /^6 files/ })
        .waitFor();
    await isListed(panel);
    await reloadWindow(page);
    const again = await openChat(page);
    await isListed(again);
    await runCommand(page, "Parley: Undo All Changes");
    await page.locator(".monaco-dialog-box").getByText("new/in/made.txt").waitFor();
    await page.keyboard.press("Enter");
    await isAsBefore();
    await bar(again).waitFor({ state: "detached" });
    await runCommand(page, "Parley: Undo Last Review Decision");
    await until(isAgents);
    await isListed(again);
    await runCommand(page, "Parley: Keep All Changes");
    await bar(again).waitFor({ state: "detached" });
    assert.ok(isAgents());
  });
});

const bar = (panel: FrameLocator): Locator => panel.getByRole("region", { name: "Changes" });
const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
