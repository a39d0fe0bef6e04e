// Turns of an agent, from the keyboard to the process of the agent and back to the screen.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { badAgents, demoAgent, openJoined, useJoined } from "./joinedPanel.ts";

const write = { sessionUpdate: "tool_call", toolCallId: "w", title: "Write sum.js", kind: "edit", status: "pending" };
const done = { sessionUpdate: "tool_call_update", toolCallId: "w", status: "completed" };
const fixed = "export const sum = (a, b) => a + b;\n";
const path = "$cwd/sum.js";
const writes = JSON.stringify([
  { chunk: "I **look** at it. ", times: 20, delayMs: 2 },
  { update: { ...write, content: [{ type: "diff", path, newText: fixed }] } },
  { permission: { toolCall: { toolCallId: "w" } }, as: "answer" },
  { request: { method: "fs/write_text_file", params: { sessionId: "$session", path, content: fixed } } },
  { update: done },
  { chunk: "The sum is right now." },
]);

describe("a turn", () => {
  useJoined();

  it("begins by keyboard, streams its answer and a tool card, and writes after a permission by mouse", async () => {
    const window = await openJoined({ agents: demoAgent, files: { "fix.json": writes } });
    const { log, page } = window;
    await window.send("#script fix.json");
    await window.prompt("#script fix.json").waitFor();
    assert.equal(await window.composer.inputValue(), "");
    const card = log.getByRole("article", { name: "Write sum.js" });
    await card.waitFor();
    await log.locator("strong").nth(19).waitFor();
    assert.equal(await log.locator("strong").count(), 20);
    await window.stop.waitFor();
    const file = join(window.folder, "sum.js");
    assert.ok(!existsSync(file));
    await page
      .getByRole("group", { name: "Write sum.js" })
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await log.getByText("The sum is right now.").waitFor();
    await window.idle();
    assert.equal(readFileSync(file, "utf8"), fixed);
    await card.getByText("+1").first().waitFor();
    assert.deepEqual(window.failures, []);
  });

  it("that ends without an update says so, and offers the log", async () => {
    const window = await openJoined({ agents: demoAgent, files: { "nothing.json": "[]" } });
    await window.send("#script nothing.json");
    const problem = window.log.getByRole("group", { name: "Problem" });
    await problem.getByText("Demo Agent ended the turn without an answer. The log may say why.").waitFor();
    await problem.getByRole("button", { name: "Show Log" }).click();
    await window.idle();
    assert.deepEqual([window.commands, window.failures], [["showLog"], []]);
  });

  it("goes on with the next agent of the menu, in a session of its own", async () => {
    const window = await openJoined({ agents: { ...badAgents("none"), ...demoAgent } });
    await window.send("hello");
    await window.log.getByText("You said: hello").waitFor();
    await window.chooseAgent("demo");
    await window.send("hello");
    await window.log.getByText("Try one of these prompts").waitFor();
    assert.equal(await window.prompt("hello").count(), 1);
  });
});
