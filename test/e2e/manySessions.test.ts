// Several sessions that work at the same time, in two processes: one that asks while another is shown, whose changes are
// whose, a reload during all turns, and the restart of a process that sessions share.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import {
  allowCommand,
  chat,
  newSession,
  openChat,
  reloadWindow,
  runCommand,
  screenshot,
  sharedWorkbench,
} from "./harness.ts";
import { whenStored } from "./whenStored.ts";

const second = { command: process.execPath, args: [inProject("dist", "demo-agent.mjs")], name: "Second Agent" };
/** The demo agent, which starts once the test has written a file. */
const waiting = mkdtempSync(join(tmpdir(), "parley-slow-"));
after(() => rmSync(waiting, { recursive: true, force: true }));
const slow = {
  command: "sh",
  args: [
    "-c",
    `while [ ! -e "${waiting}/go" ]; do sleep 0.1; done; exec "${second.command}" "${second.args.join("")}"`,
  ],
  name: "Slow Agent",
};
const settings = { "parley.agents": { second, slow } };

const composer = (panel: FrameLocator): Locator => panel.getByRole("textbox", { name: "Message" });
const conversation = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });
const session = (panel: FrameLocator): Promise<string | null> =>
  panel.locator("main[data-session]").getAttribute("data-session");
const pane = (page: Page, name: string): Locator =>
  page.locator(".pane", { has: page.locator(".pane-header", { hasText: name }) });

async function rowsOf(page: Page, name: string): Promise<readonly string[]> {
  const texts = await pane(page, name).locator(".monaco-list-row").allInnerTexts();
  return texts.map(text => text.replace(/\s+/g, " ").trim());
}

async function expand(page: Page, name: string): Promise<void> {
  const header = pane(page, name).locator(".pane-header");
  if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
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
    await expand(page, "Sessions");
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
    const end = { chunk: "word ", times: 200, delayMs: 50 };
    const { page, panel, folder, errors } = await sharedWorkbench(
      {
        "alpha.json": script("alpha", wrote("alpha.txt", "alpha\n"), ...ask),
        "beta.json": script("beta", wrote("beta.txt", "beta\n"), end, { chunk: "Beta has ended." }),
        "gamma.json": script("gamma", { write: "gamma.txt", text: "gamma\n" }, end, { chunk: "Gamma has ended." }),
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
    await notification.getByRole("button", { name: "Show" }).click();
    const question = panel.getByRole("group", { name: /^Run / });
    await question.waitFor();
    assert.equal(await session(panel), alpha);
    assert.equal(await composer(panel).inputValue(), "");
    await runCommand(page, "Notifications: Clear All Notifications");

    await expand(page, "Changes");
    await until(async () => (await rowsOf(page, "Changes")).some(text => text.startsWith("Unknown agent")));
    const changes = await rowsOf(page, "Changes");
    assert.deepEqual(
      changes.filter(text => /^(#script|Unknown|\w+\.txt)/.test(text)).map(text => text.replace(/ ?\+\d.*$/, "")),
      ["#script alpha.json", "alpha.txt", "#script beta.json", "beta.txt", "Unknown agent", "gamma.txt"],
    );
    await screenshot(page, "changes-by-session");
    const row = pane(page, "Changes").locator(".monaco-list-row", { hasText: "#script beta.json" });
    await row.hover();
    await row.getByRole("button", { name: /^Undo Changes of Session/ }).click();
    await until(async () => !(await rowsOf(page, "Changes")).some(text => text.startsWith("beta.txt")));
    assert.ok((await rowsOf(page, "Changes")).some(text => text.startsWith("alpha.txt")));

    // By keyboard: to the session that streams, and back to the one that waits.
    await runCommand(page, "Parley: Switch Session…");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "#script beta.json" }).waitFor();
    await page.keyboard.type("beta");
    await page.keyboard.press("Enter");
    await conversation(panel)
      .getByText(/^beta beta/)
      .waitFor();
    assert.equal(await session(panel), beta);
    await runCommand(page, "Parley: Next Waiting Session");
    await question.waitFor();
    // The card ignores keys at first, so that no key that is meant for something else allows anything.
    await until(async () => {
      if (await question.isVisible()) await page.keyboard.press("Enter");
      return (await question.count()) === 0;
    });
    await conversation(panel).getByText("The tests have passed.").waitFor();
    await runCommand(page, "Parley: Switch Session…");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "#script gamma.json" }).click();
    await conversation(panel).getByText("Gamma has ended.").waitFor();
    assert.equal(await composer(panel).inputValue(), "a draft for gamma");
    await composer(panel).clear();
    assert.deepEqual(errors, []);
  });

  it("are all there after a reload during their turns, each says that it was interrupted, and keeps its draft", async () => {
    const { page, panel } = await sharedWorkbench(
      { "one.json": script("one"), "two.json": script("two"), "three.json": script("three") },
      settings,
    );
    const [one] = await start(panel, page, "one", "two", "three");
    const interrupted = (agent: string): RegExp =>
      new RegExp(`^The window was closed or reloaded while ${agent} was working`);
    await pane(page, "Sessions").locator(".monaco-list-row", { hasText: "#script one.json" }).click();
    await conversation(panel)
      .getByText(/^one one/)
      .waitFor();
    await composer(panel).fill("a draft for one");
    await pane(page, "Sessions").locator(".monaco-list-row", { hasText: "#script three.json" }).click();
    await conversation(panel)
      .getByText(/^three three/)
      .waitFor();
    assert.equal(await composer(panel).inputValue(), "");
    await whenStored(page, "a draft for one");
    await reloadWindow(page);
    const again = chat(page);
    await openChat(page);
    await conversation(again)
      .getByText(/^three three/)
      .waitFor();
    await conversation(again).getByText(interrupted("Second Agent")).waitFor();
    assert.equal(await again.getByRole("button", { name: "Stop" }).isVisible(), false);
    await expand(page, "Sessions");
    for (const name of ["one", "two", "three"])
      await pane(page, "Sessions")
        .getByRole("treeitem", { name: new RegExp(`^#script ${name}\\.json,.*, Interrupted, `) })
        .waitFor();
    await screenshot(page, "sessions-interrupted");
    for (const name of ["two", "one"]) {
      await pane(page, "Sessions")
        .locator(".monaco-list-row", { hasText: `#script ${name}.json` })
        .click();
      await conversation(again)
        .getByText(new RegExp(`^${name} ${name}`))
        .waitFor();
      await conversation(again).getByText(interrupted("Demo Agent")).waitFor();
    }
    assert.equal(await session(again), one);
    assert.equal(await composer(again).inputValue(), "a draft for one");
    await composer(again).fill("hello");
    await composer(again).press("Enter");
    await conversation(again).getByRole("heading", { name: "You: hello" }).waitFor();
    await again.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
  });

  it("say why their process ended when another session restarts it, and that of the other agent goes on", async () => {
    const { page, panel, folder } = await sharedWorkbench(
      {
        "left.json": script("left"),
        "right.json": script("right"),
        "third.json": script("third", { chunk: "Third has ended." }),
      },
      settings,
    );
    await start(panel, page, "left", "right", "third");
    const show = (name: string): Promise<void> =>
      until(async () => {
        const row = pane(page, "Sessions").locator(".monaco-list-row", { hasText: `#script ${name}.json` });
        await row.click();
        // A row moves when the state of its session changes, also just before the click.
        const shown = conversation(panel).getByRole("heading", { name: `You: #script ${name}.json`, exact: true });
        return shown.waitFor({ timeout: 2000 }).then(
          () => true,
          () => false,
        );
      });
    await show("right");
    await conversation(panel)
      .getByText(/^right right/)
      .waitFor();
    await runCommand(page, "Parley: Restart Agent");
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await show("left");
    await conversation(panel)
      .getByText(/^left left/)
      .waitFor();
    await panel
      .getByText(/^Demo Agent was stopped because another session restarted it\./)
      .first()
      .waitFor();
    await screenshot(page, "shared-process-restarted");
    await send(panel, "hello");
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await conversation(panel).getByText("Try one of these prompts").waitFor();
    // The one that was used last moves to the top.
    await until(async () => {
      const rows = await rowsOf(page, "Sessions");
      const [left, right] = ["left", "right"].map(name => rows.findIndex(row => row.includes(`#script ${name}.json`)));
      return left !== undefined && right !== undefined && left >= 0 && left < right;
    });
    await show("right");
    await conversation(panel)
      .getByText(/^right right/)
      .waitFor();
    await send(panel, "hello");
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await conversation(panel).getByText("Try one of these prompts").waitFor();
    await screenshot(page, "restarted-session-continues");
    await show("third");
    await panel.getByRole("button", { name: "Stop" }).waitFor();
    writeFileSync(join(folder, "go"), "");
    await conversation(panel).getByText("Third has ended.").waitFor();
  });

  it("get the prompts that are typed while they begin, each its own", async () => {
    const { page, panel } = await sharedWorkbench({}, settings);
    rmSync(join(waiting, "go"), { force: true });
    await chooseAgent(panel, "slow");
    await composer(panel).and(panel.locator(":focus")).waitFor();
    await page.keyboard.type("plan a refactor");
    await page.keyboard.press("Enter");
    await until(async () => (await composer(panel).inputValue()) === "");
    const first = await session(panel);
    await panel.getByRole("button", { name: "New Session" }).press("Enter");
    await panel.locator(`main[data-session]:not([data-session="${first}"])`).waitFor();
    await composer(panel).and(panel.locator(":focus")).waitFor();
    await page.keyboard.type("hello");
    await page.keyboard.press("Enter");
    await until(async () => (await composer(panel).inputValue()) === "");
    await screenshot(page, "typed-while-it-begins");
    writeFileSync(join(waiting, "go"), "");
    await conversation(panel).getByText("Try one of these prompts").waitFor();
    await conversation(panel).getByRole("heading", { name: "You: hello", exact: true }).waitFor();
    assert.equal(
      await conversation(panel)
        .getByRole("heading", { name: /^You: / })
        .count(),
      1,
    );
    await runCommand(page, "Parley: Switch Session…");
    await page
      .locator(".quick-input-list .monaco-list-row", { hasText: /refactor/i })
      .first()
      .click();
    await panel.locator(`main[data-session="${first}"]`).waitFor();
    await conversation(panel).getByRole("heading", { name: "You: plan a refactor", exact: true }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    assert.equal(
      await conversation(panel)
        .getByRole("heading", { name: /^You: / })
        .count(),
      1,
    );
  });
});
