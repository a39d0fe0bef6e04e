// Several sessions that work at the same time, in two processes: one that asks while another is shown, and whose changes
// are whose. test/joined/sessions.test.ts has their reload, and the restart of a process that they share.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import {
  allowCommand,
  chooseRow,
  expandView,
  newSession,
  runCommand,
  screenshot,
  sharedWorkbench,
  viewPane,
} from "./harness.ts";

const second = { command: process.execPath, args: [inProject("dist", "demo-agent.mjs")], name: "Second Agent" };
const settings = { "parley.agents": { second } };

const composer = (panel: FrameLocator): Locator => panel.getByRole("textbox", { name: "Message" });
const conversation = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });
const session = (panel: FrameLocator): Promise<string | null> =>
  panel.locator("main[data-session]").getAttribute("data-session");

async function rowsOf(page: Page, name: string): Promise<readonly string[]> {
  const texts = await viewPane(page, name).locator(".monaco-list-row").allInnerTexts();
  return texts.map(text => text.replace(/\s+/g, " ").trim());
}

async function send(panel: FrameLocator, text: string): Promise<void> {
  await composer(panel).fill(text);
  await composer(panel).press("Enter");
  await conversation(panel)
    .getByRole("heading", { name: `You: ${text}`, exact: true })
    .waitFor();
}

/** Writes, waits in a command until the file `go` exists, then does the steps. */
const script = (word: string, ...then: readonly unknown[]): string => {
  const wait = { command: "sh", args: ["-c", "while [ ! -e go ]; do sleep 0.1; done"] };
  return JSON.stringify([
    { chunk: `${word} `, times: 20, delayMs: 20 },
    { request: { method: "terminal/create", params: { sessionId: "$session", ...wait } }, as: "waiting" },
    {
      request: {
        method: "terminal/wait_for_exit",
        params: { sessionId: "$session", terminalId: "$waiting.terminalId" },
      },
    },
    ...then,
  ]);
};
const wrote = (file: string, content: string): unknown => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path: `$cwd/${file}`, content } },
});

describe("three sessions that work at the same time", () => {
  /** Starts two sessions of one agent and one of another. The last one is shown. */
  async function start(
    panel: FrameLocator,
    page: Page,
    ...names: readonly [string, string, string]
  ): Promise<string[]> {
    const ids: string[] = [];
    for (const [at, name] of names.entries()) {
      if (at > 0) await newSession(page, panel);
      if (at !== 1) await chooseAgent(panel, at === 0 ? "demo" : "second");
      await send(panel, `#script ${name}.json`);
      await conversation(panel)
        .getByText(new RegExp(`^${name} ${name}`))
        .waitFor();
      await allowCommand(panel);
      ids.push((await session(panel)) ?? "");
    }
    await expandView(page, "Sessions");
    // A row moves when its session no longer waits.
    await until(async () => (await rowsOf(page, "Sessions")).some(text => /^Working ?3$/.test(text)));
    return ids;
  }

  it("stream at once, one asks while another is shown and can be found, and each has its own changes", async () => {
    const ask = [
      { update: { sessionUpdate: "tool_call", toolCallId: "t1", title: "Run npm test", kind: "execute" } },
      { permission: { toolCall: { toolCallId: "t1" } }, as: "answer" },
      { chunk: "The tests have passed." },
    ];
    // Both can have written the file.
    const command = {
      update: {
        sessionUpdate: "tool_call",
        toolCallId: "c1",
        title: "Run a script",
        kind: "execute",
        status: "in_progress",
      },
    };
    const works = { chunk: "word ", times: 400, delayMs: 50 };
    const { page, panel, folder, errors } = await sharedWorkbench(
      {
        "alpha.json": script("alpha", wrote("alpha.txt", "alpha\n"), ...ask),
        "beta.json": script("beta", command, wrote("beta.txt", "beta\n"), works),
        "gamma.json": script("gamma", command, { write: "gamma.txt", text: "gamma\n" }, works),
      },
      settings,
    );
    const [alpha, beta, gamma] = await start(panel, page, "alpha", "beta", "gamma");
    await composer(panel).fill("a draft for gamma");
    writeFileSync(join(folder, "go"), "");

    await page.locator('.activitybar .badge-content:text-is("1")').waitFor();
    await runCommand(page, "Notifications: Show Notifications");
    const notification = page.locator(".notifications-center .notification-list-item");
    await notification.getByText("Demo Agent is waiting for you: Run npm test").waitFor();
    assert.equal(await session(panel), gamma, "the shown session stays");
    await panel.getByRole("button", { name: "Stop" }).waitFor();
    const waiting = "Demo Agent: Waiting for you, #script alpha.json, Sessions waiting for you: 1, Sessions working: 2";
    await page.locator(`[aria-label^="${waiting}"]`).first().waitFor();
    await screenshot(page, "status-bar-waiting");
    await page.locator(".statusbar-item", { hasText: "Demo Agent" }).first().click();
    const question = panel.getByRole("group", { name: /^Run / });
    await question.waitFor();
    assert.equal(await session(panel), alpha);
    await runCommand(page, "Parley: Switch Session…");
    await chooseRow(page.locator(".quick-input-list .monaco-list-row", { hasText: "#script gamma.json" }));
    await question.waitFor({ state: "hidden" });
    await runCommand(page, "Notifications: Show Notifications");
    await notification.getByRole("button", { name: "Show" }).click();
    await question.waitFor();
    assert.equal(await session(panel), alpha);
    assert.equal(await composer(panel).inputValue(), "");
    await runCommand(page, "Notifications: Clear All Notifications");

    await expandView(page, "Changes");
    await until(async () => (await rowsOf(page, "Changes")).some(text => text.startsWith("Unknown agent")));
    const changes = await rowsOf(page, "Changes");
    assert.deepEqual(
      changes.filter(text => /^(#script|Unknown|\w+\.txt)/.test(text)).map(text => text.replace(/ ?\+\d.*$/, "")),
      ["#script alpha.json", "alpha.txt", "#script beta.json", "beta.txt", "Unknown agent", "gamma.txt"],
    );
    await screenshot(page, "changes-by-session");
    const row = viewPane(page, "Changes").locator(".monaco-list-row", { hasText: "#script beta.json" });
    await row.hover();
    await row.getByRole("button", { name: /^Undo Changes of Session/ }).click();
    // If the tree changes at the moment of the click, VS Code runs the command without the row, and Parley asks for it.
    const asked = page.locator(".quick-input-list .monaco-list-row", { hasText: "#script beta.json" });
    await until(async () => {
      if (await asked.isVisible()) await asked.click();
      return !(await rowsOf(page, "Changes")).some(text => text.startsWith("beta.txt"));
    });
    assert.ok((await rowsOf(page, "Changes")).some(text => text.startsWith("alpha.txt")));

    // By keyboard: to the session that streams, and back to the one that waits.
    await runCommand(page, "Parley: Switch Session…");
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: "#script beta.json" }).filter({ hasText: "Working" }).waitFor();
    assert.match((await rows.first().textContent()) ?? "", /#script alpha\.json.*Waiting for you/);
    const chooseBeta = async (): Promise<void> => {
      await page.keyboard.type("beta");
      await page.keyboard.press("Enter");
      await conversation(panel)
        .getByText(/^beta beta/)
        .waitFor();
      assert.equal(await session(panel), beta);
    };
    await chooseBeta();
    // The bar above the message box names the session of the other changes, and leads there.
    await panel
      .getByRole("region", { name: "Changes" })
      .getByRole("link", { name: /from #script alpha\.json$/ })
      .click();
    await question.waitFor();
    assert.equal(await session(panel), alpha);
    await runCommand(page, "Parley: Switch Session…");
    await rows.filter({ hasText: "#script beta.json" }).waitFor();
    await chooseBeta();
    await runCommand(page, "Parley: Stop");
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await runCommand(page, "Parley: Next Waiting Session");
    await question.waitFor();
    // The card ignores keys at first, so that no key that is meant for something else allows anything.
    await until(async () => {
      if (await question.isVisible()) await page.keyboard.press("Enter");
      return (await question.count()) === 0;
    });
    await conversation(panel).getByText("The tests have passed.").waitFor();
    await runCommand(page, "Parley: Switch Session…");
    await chooseRow(rows.filter({ hasText: "#script gamma.json" }));
    await panel.locator(`main[data-session="${gamma}"]`).waitFor();
    assert.equal(await composer(panel).inputValue(), "a draft for gamma");
    await composer(panel).clear();
    assert.deepEqual(errors, []);
  });
});
