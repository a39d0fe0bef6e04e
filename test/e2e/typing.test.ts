// The user types by keyboard while an agent writes the same file through Parley: no word is lost, and Undo All keeps
// them all.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/fakes/until.ts";
import { openChat, openFile, openWorkbench, runCommand, screenshot } from "./harness.ts";

const numbered = (last: string): string =>
  [...Array.from({ length: 11 }, (_, i) => `line ${i + 1}`), last].map(line => `${line}\n`).join("");
const words = Array.from({ length: 40 }, (_, i) => `word${i + 1}`);
const path = "$cwd/typed.txt";

/** The agent builds on the text that it read once, and writes it again and again. */
const steps = [
  { request: { method: "fs/read_text_file", params: { sessionId: "$session", path } } },
  { chunk: "I have read it." },
  ...Array.from({ length: 12 }, (_, i) => [
    {
      request: {
        method: "fs/write_text_file",
        params: { sessionId: "$session", path, content: numbered(`agent ${i + 1}`) },
      },
    },
    { waitMs: 250 },
  ]).flat(),
  { chunk: " All done." },
];

describe("typing while an agent writes the same file", () => {
  it("loses none of 40 words, and Undo All keeps them", async () => {
    // VS Code can report an edited file late, after another test has removed it.
    const { page, folder, errors } = await openWorkbench({
      files: { "typed.txt": numbered("line 12"), "agent.json": JSON.stringify({ steps }) },
    });
    const panel = await openChat(page);
    const onDisk = (): string => readFileSync(join(folder, "typed.txt"), "utf8");
    const saved = async (fits: (text: string) => boolean): Promise<string> => {
      let text = onDisk();
      const isSaved = async (): Promise<boolean> => {
        text = onDisk();
        // VS Code empties the file before it writes it.
        if (text.endsWith("\n") && fits(text)) return true;
        await page.keyboard.press("Control+S");
        return false;
      };
      await until(isSaved, 60_000).catch(async (cause: unknown) => {
        await runCommand(page, "Notifications: Show Notifications");
        const shown = await page.locator(".notifications-center").allInnerTexts();
        throw new Error(`The file has this text: ${text}\nVS Code says: ${shown.join("\n")}`, { cause });
      });
      return text;
    };
    await openFile(page, "typed.txt");
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script agent.json");
    await composer.press("Enter");
    const conversation = panel.getByRole("log", { name: "Conversation" });
    await conversation.getByText("I have read it.").waitFor();
    await page.locator(".editor-instance .view-line", { hasText: "line 3" }).first().click();
    await page.keyboard.press("End");
    for (const word of words) await page.keyboard.type(` ${word}`, { delay: 8 });
    await conversation.getByText("All done.").waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    const text = await saved(disk => disk.includes("word40"));
    assert.equal(text.split("\n")[2], `line 3 ${words.join(" ")}`);
    // A write is refused if keys come first each time, or if the save fails on a busy machine.
    assert.match(text.split("\n")[11] ?? "", /^agent \d+$/);
    await screenshot(page, "typing-while-the-agent-writes");

    await runCommand(page, "Parley: Undo All Changes");
    const undone = await saved(disk => !disk.includes("agent"));
    assert.equal(undone, numbered("line 12").replace("line 3", `line 3 ${words.join(" ")}`));
    await panel.getByRole("region", { name: "Changes" }).waitFor({ state: "hidden" });
    // VS Code reports each edit of the agent that it refused because a key came first. The agent's write tries again.
    const expected = /has changed in the meantime/;
    const others = errors.filter(error => !expected.test(error));
    assert.deepEqual(others, []);
  });
});
