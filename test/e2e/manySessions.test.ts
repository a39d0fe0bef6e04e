// Several sessions that work at the same time, in two processes: one that asks while another is shown, whose changes are
// whose, a reload during all turns, and the restart of a process that sessions share.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
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
  openWorkbench,
  reloadWindow,
  runCommand,
  screenshot,
  sharedWorkbench,
} from "./harness.ts";
import { whenStored } from "./whenStored.ts";

const second = { command: process.execPath, args: [inProject("dist", "demo-agent.mjs")], name: "Second Agent" };
const settings = { "parley.agents": { second } };

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
      if (at === 2) await chooseAgent(panel, "second");
      await send(panel, `#script ${name}.json`);
      await conversation(panel)
        .getByText(new RegExp(`^${name} ${name}`))
        .waitFor();
      await allowCommand(panel);
      ids.push((await session(panel)) ?? "");
    }
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
    await expand(page, "Sessions");
    await until(async () => (await rowsOf(page, "Sessions")).some(text => /^Working ?3$/.test(text)));
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
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .press("Enter");
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
    await expand(page, "Sessions");
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
        "one.json": script("one"),
        "two.json": script("two"),
        "three.json": script("three", { chunk: "Three has ended." }),
      },
      settings,
    );
    await start(panel, page, "one", "two", "three");
    await expand(page, "Sessions");
    const show = (name: string): Promise<void> =>
      pane(page, "Sessions")
        .locator(".monaco-list-row", { hasText: `#script ${name}.json` })
        .click();
    await show("two");
    await conversation(panel)
      .getByText(/^two two/)
      .waitFor();
    await runCommand(page, "Parley: Restart Agent");
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await show("one");
    await conversation(panel)
      .getByText(/^one one/)
      .waitFor();
    await panel
      .getByText(/^Demo Agent was stopped because another session restarted it\./)
      .first()
      .waitFor();
    await screenshot(page, "shared-process-restarted");
    await composer(panel).fill("hello");
    await composer(panel).press("Enter");
    await conversation(panel).getByRole("heading", { name: "You: hello" }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await show("three");
    await panel.getByRole("button", { name: "Stop" }).waitFor();
    writeFileSync(join(folder, "go"), "");
    await conversation(panel).getByText("Three has ended.").waitFor();
  });
});

describe("a new session in a workspace with several folders", () => {
  it("asks for the folder, offers the last one first, and shows it in the header", async () => {
    const { page, folder } = await openWorkbench({
      files: {
        "one/where.json": JSON.stringify([{ chunk: "in $cwd" }]),
        "two/where.json": JSON.stringify([{ chunk: "in $cwd" }]),
        "both.code-workspace": JSON.stringify({ folders: [{ path: "one" }, { path: "two" }] }),
      },
      workspaceFile: "both.code-workspace",
    });
    // On a busy machine, VS Code in a browser can open such a workspace before it can read the list of folders.
    const listed = page.locator(".explorer-viewlet").getByText("two", { exact: true });
    for (let tries = 0; tries < 3; tries++) {
      const isListed = await listed.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
      if (isListed) break;
      await reloadWindow(page);
    }
    const panel = await openChat(page);
    const shown = panel.locator("parley-header .folder");
    await shown.getByText("one", { exact: true }).waitFor();
    const first = await session(panel);

    const rows = page.locator(".quick-input-list .monaco-list-row");
    await panel.getByRole("button", { name: "New Session" }).click();
    await rows.filter({ hasText: "two" }).waitFor();
    await screenshot(page, "folder-of-new-session");
    await page.keyboard.press("Escape");
    await rows.first().waitFor({ state: "detached" });
    assert.equal(await session(panel), first, "nothing has started");

    await runCommand(page, "Parley: New Session");
    await rows.filter({ hasText: "two" }).click();
    await shown.getByText("two", { exact: true }).waitFor();
    await send(panel, "#script where.json");
    await conversation(panel)
      .getByText(`in ${join(folder, "two")}`, { exact: true })
      .waitFor();
    await screenshot(page, "folder-in-header");

    const before = await session(panel);
    await runCommand(page, "Parley: New Session");
    await rows.filter({ hasText: "one" }).waitFor();
    assert.match((await rows.first().textContent()) ?? "", /^two/);
    await page.keyboard.press("Enter");
    await panel.locator(`main[data-session]:not([data-session="${before ?? ""}"])`).waitFor();
    await shown.getByText("two", { exact: true }).waitFor();
  });
});
