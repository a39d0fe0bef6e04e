// “Allow All Edits in This Session” in the real VS Code, by keyboard: edits arrive without a question and are reviewed, and a
// command and a file with secrets still ask.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/fakes/until.ts";
import { screenshot, sharedWorkbench } from "./harness.ts";
import { focused, focusIs, pressTo, typeCommand } from "./keyboard.ts";

const asks = (id: string, title: string, fields: object): readonly object[] => [
  { update: { sessionUpdate: "tool_call", toolCallId: id, title, status: "pending", ...fields } },
  { permission: { toolCall: { toolCallId: id } } },
];
/** An edit that asks first and then writes the file. */
const edit = (name: string): readonly object[] => [
  ...asks(name, `Edit ${name}`, { kind: "edit", locations: [{ path: `$cwd/${name}` }] }),
  {
    request: {
      method: "fs/write_text_file",
      params: { sessionId: "$session", path: `$cwd/${name}`, content: "by the agent\n" },
    },
  },
  { update: { sessionUpdate: "tool_call_update", toolCallId: name, status: "completed" } },
];
const steps = [
  ...edit("one.txt"),
  ...edit("two.txt"),
  ...asks("secret", "Edit the keys", { kind: "edit", locations: [{ path: "$cwd/.env" }] }),
  ...asks("command", "Run the tests", { kind: "execute", rawInput: { command: "npm test" } }),
  { chunk: "All asked." },
];

describe("all edits of a session in a real VS Code", () => {
  it("are allowed by keyboard and listed for review, a file with secrets and a command still ask, and a new session asks again", async () => {
    const before = "by the user\n";
    const { page, panel, folder, errors } = await sharedWorkbench({
      ...{ "one.txt": before, "two.txt": before, ".env": "KEY=1\n" },
      "edits.json": JSON.stringify({ steps }),
      "again.json": JSON.stringify({ steps: [...edit("one.txt"), { chunk: "Asked again." }] }),
    });
    const { keyboard } = page;
    const text = (name: string): string => readFileSync(join(folder, name), "utf8");
    const question = (name: string) => panel.getByRole("group", { name, exact: true });
    const isOn = panel.getByRole("status").filter({ hasText: "All edits are allowed in this session." });
    const log = panel.getByRole("log", { name: "Conversation" });
    const toQuestion = async (): Promise<void> => {
      await keyboard.press("Alt+Shift+Q");
      await focusIs(page, /^button "Allow/);
    };
    /** Presses the key until the question is gone, because it ignores keys for 500 ms after it gets the focus. */
    const answered = async (name: string, key: string, at: RegExp): Promise<void> => {
      await until(async () => {
        if ((await question(name).count()) === 0) return true;
        if (at.test(await focused(page).catch(() => ""))) await keyboard.press(key);
        return (await question(name).count()) === 0;
      });
    };

    await keyboard.press("Alt+Shift+P");
    await focusIs(page, /^textbox "Message"/);
    await keyboard.type("#script edits.json");
    await keyboard.press("Enter");
    await question("Edit one.txt").waitFor();
    await toQuestion();
    await pressTo(page, "ArrowRight", /^button "Allow All Edits in This Session"/);
    await screenshot(page, "all-edits-question");
    await answered("Edit one.txt", "Enter", /^button "Allow All Edits in This Session"/);

    // Both edits arrive, the second without a question, and then the file with secrets asks.
    await question("Edit the keys").waitFor();
    assert.deepEqual([text("one.txt"), text("two.txt")], ["by the agent\n", "by the agent\n"]);
    await isOn.waitFor();
    await panel.getByRole("button", { name: "Ask About Edits Again" }).waitFor();
    await panel
      .getByRole("region", { name: "Changes" })
      .getByRole("button", { name: /^2 files/ })
      .waitFor();
    assert.equal(
      await question("Edit the keys").getByRole("button", { name: "Allow All Edits in This Session" }).count(),
      0,
    );
    await screenshot(page, "all-edits-on");
    await toQuestion();
    await answered("Edit the keys", "1", /^button "Allow/);
    await question("Run the tests").waitFor();
    await toQuestion();
    await answered("Run the tests", "1", /^button "Allow/);
    await log.getByText("All asked.").waitFor();
    await typeCommand(page, "Parley: Focus on Changes View");
    const changes = page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Changes" }) });
    for (const name of ["one.txt", "two.txt"]) await changes.getByRole("treeitem", { name }).first().waitFor();

    await keyboard.press("Alt+Shift+N");
    await panel.getByRole("group", { name: "Example prompts" }).waitFor();
    await focusIs(page, /^textbox "Message"/);
    await isOn.waitFor({ state: "hidden" });
    await keyboard.type("#script again.json");
    await keyboard.press("Enter");
    await question("Edit one.txt").waitFor();
    await toQuestion();
    await answered("Edit one.txt", "1", /^button "Allow/);
    await log.getByText("Asked again.").waitFor();
    assert.equal(await isOn.count(), 0);
    assert.deepEqual(errors, []);
  });
});
