// Reviews an agent's changes in the editor by keyboard, for every way in which agents change files.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { allowCommand, chord, openFile, runCommand, screenshot, sharedWorkbench } from "./harness.ts";

const numbered = (...words: readonly (number | string)[]): string => words.map(one => `line ${one}\n`).join("");
const before = numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
const after = numbered(1, "two", 3, 4, 5, 6, 7, 8, 9, 10, "eleven", 12);
/** The text with the first hunk kept and the second undone. */
const reviewed = numbered(1, "two", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);

const edit = (toolCallId: string, more: object): object => ({
  update: {
    sessionUpdate: "tool_call",
    toolCallId,
    title: "Edit work.txt",
    kind: "edit",
    status: "in_progress",
    ...more,
  },
});
const done = (toolCallId: string, more: object = {}): object => ({
  update: { sessionUpdate: "tool_call_update", toolCallId, status: "completed", ...more },
});
const path = "$cwd/work.txt";
const said = { chunk: "All done." };

/** The actions of each agent as a script of the demo agent. */
const agents: Readonly<Record<string, readonly object[]>> = {
  "writes through the client": [
    edit("1", { locations: [{ path }] }),
    { request: { method: "fs/write_text_file", params: { sessionId: "$session", path, content: after } } },
    done("1"),
    said,
  ],
  "writes to disk itself and reports fragments": [
    { write: "work.txt", text: numbered(1, "two", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) },
    edit("1", { status: "completed", content: [{ type: "diff", path, oldText: "line 2\n", newText: "line two\n" }] }),
    { write: "work.txt", text: after },
    edit("2", { status: "completed", content: [{ type: "diff", path, oldText: "line 11", newText: "line eleven" }] }),
    said,
  ],
  "runs sed in a terminal": [
    {
      request: {
        method: "terminal/create",
        params: {
          sessionId: "$session",
          command: "sed",
          args: ["-i", "s/line 2$/line two/; s/line 11/line eleven/", path],
          cwd: "$cwd",
        },
      },
      as: "sed",
    },
    {
      request: {
        method: "terminal/wait_for_exit",
        params: { sessionId: "$session", terminalId: "$sed.terminalId" },
      },
    },
    said,
  ],
  "reports changes as a patch of git's": [
    { write: "work.txt", text: after },
    edit("1", {
      status: "completed",
      content: [
        {
          type: "diff",
          changes: [{ operation: "modify", path }],
          patch: {
            format: "git_patch",
            text: [
              "diff --git a$cwd/work.txt b$cwd/work.txt",
              "--- a$cwd/work.txt",
              "+++ b$cwd/work.txt",
              "@@ -1,3 +1,3 @@",
              " line 1",
              "-line 2",
              "+line two",
              " line 3",
              "@@ -10,3 +10,3 @@",
              " line 10",
              "-line 11",
              "+line eleven",
              " line 12",
              "",
            ].join("\n"),
          },
        },
      ],
    }),
    said,
  ],
};

describe("reviewing the changes of an agent", () => {
  for (const [does, steps] of Object.entries(agents)) {
    it(`that ${does}: a hunk is kept and another undone, by keyboard`, async () => {
      const { page, panel, folder, errors } = await sharedWorkbench({
        "work.txt": before,
        "agent.json": JSON.stringify({ steps }),
      });
      const onDisk = (): string => readFileSync(join(folder, "work.txt"), "utf8");
      await play(panel, "agent.json", does.startsWith("runs"));
      const changes = panel.getByRole("region", { name: "Changes" });
      await changes.getByText("1 file").waitFor();
      assert.equal(onDisk(), after);

      await openFile(page, "work.txt");
      await lens(page, "Keep").nth(1).waitFor();
      await screenshot(page, `review-${does.replaceAll(" ", "-")}`);
      // Go from the start of the file to its first hunk, and then to the remaining one.
      await page.keyboard.press("Control+Home");
      await page.keyboard.press("Control+F8");
      await line(page, "Ln 2,").waitFor();
      await chord(page, "K", async () => (await lens(page, "Keep").count()) === 1);
      await page.keyboard.press("Control+F8");
      await line(page, "Ln 11,").waitFor();
      await chord(page, "X", async () => (await lens(page, "Keep").count()) === 0);
      await changes.waitFor({ state: "hidden" });
      await page.locator(".view-line", { hasText: "line 11" }).waitFor();
      await savedAs(onDisk, reviewed);

      // Revert both decisions, the last one first.
      await runCommand(page, "Parley: Undo Last Review Decision");
      await savedAs(onDisk, after);
      await lens(page, "Keep").first().waitFor();
      await runCommand(page, "Parley: Undo Last Review Decision");
      await lens(page, "Keep").nth(1).waitFor();
      assert.deepEqual(errors, []);
    });
  }
});

/** A link above a hunk. */
function lens(page: Page, name: string): ReturnType<Page["locator"]> {
  return page.locator(".codelens-decoration a", { hasText: new RegExp(`^${name}$`) });
}

/** The position of the cursor in the status bar. */
function line(page: Page, place: string): ReturnType<Page["locator"]> {
  return page.locator(".statusbar-item", { hasText: place });
}

async function play(panel: FrameLocator, script: string, runsCommand: boolean): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(`#script ${script}`);
  await composer.press("Enter");
  if (runsCommand) await allowCommand(panel);
  await panel.getByRole("log", { name: "Conversation" }).getByText("All done.").waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

async function savedAs(read: () => string, text: string): Promise<void> {
  while (read() !== text) await new Promise(resolve => setTimeout(resolve, 20));
}
