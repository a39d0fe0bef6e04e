// Several sessions of one window: they work at once in two processes, keep their drafts, and survive a reload and a restart.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inProject } from "../../scripts/tools/project.mjs";
import { agentFile, demoAgent, openJoined, useJoined, type AgentSettings, type JoinedWindow } from "./joinedPanel.ts";

const agents: AgentSettings = { ...demoAgent, second: { ...demoAgent["demo"], name: "Second Agent" } };
const streams = (word: string): object => ({ chunk: `${word} `, times: 20 });
const call = { sessionUpdate: "tool_call", toolCallId: "t1", title: "Run npm test", kind: "execute" };
const asks = [{ update: call }, { permission: { toolCall: { toolCallId: "t1" } } }];
/** Streams, and works until the user stops it. */
const works = (word: string): string => JSON.stringify([streams(word), { hang: true }]);
/** Streams, asks, writes a file, and ends. */
const asksFirst = (word: string): string =>
  JSON.stringify([streams(word), ...asks, { write: `${word}.txt`, text: word }, { chunk: `${word} has ended.` }]);

/** Starts two sessions of one agent and one of another, one for each script. The last one is shown. */
async function openThree(scripts: Readonly<Record<string, string>>): Promise<{ window: JoinedWindow; ids: string[] }> {
  const files = Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`${name}.json`, text]));
  const window = await openJoined({ agents, files });
  const ids: string[] = [];
  for (const [at, name] of Object.keys(scripts).entries()) {
    if (at === 1) await window.newSession();
    if (at === 2) await window.chooseAgent("second");
    await window.send(`#script ${name}.json`);
    await window.log.getByText(new RegExp(`^${name} ${name}`)).waitFor();
    ids.push(window.session.id);
  }
  return { window, ids };
}

describe("three sessions that work at the same time", () => {
  useJoined();

  it("have their own questions, conversations and files, and one that asks does not replace the shown one", async () => {
    const { window, ids } = await openThree({
      alpha: asksFirst("alpha"),
      beta: asksFirst("beta"),
      gamma: works("gamma"),
    });
    const { log, page } = window;
    const [alpha = "", beta = "", gamma = ""] = ids;
    assert.equal(new Set(ids).size, 3);
    const question = page.getByRole("group", { name: "Run npm test" });
    assert.equal(window.session.id, gamma);
    assert.equal(await question.count(), 0, "the questions are in the other sessions");
    await window.stop.waitFor();

    await window.show(alpha);
    await log.getByText(/^alpha alpha/).waitFor();
    assert.equal(await log.getByText(/beta|gamma/).count(), 0);
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await log.getByText("alpha has ended.").waitFor();
    await window.idle();
    assert.deepEqual(
      ["alpha", "beta"].map(name => existsSync(join(window.folder, `${name}.txt`))),
      [true, false],
    );
    await window.show(beta);
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await log.getByText("beta has ended.").waitFor();
    assert.equal(readFileSync(join(window.folder, "beta.txt"), "utf8"), "beta");
    await window.show(gamma);
    await log.getByText(/^gamma gamma/).waitFor();
    await window.stop.waitFor();
    assert.deepEqual(window.failures, []);
  });

  it("are all there after a reload during their turns, each says that it was interrupted, and keeps its draft", async () => {
    const { window, ids } = await openThree({ one: works("one"), two: asksFirst("two"), three: works("three") });
    const { composer, log } = window;
    const [one = "", two = "", three = ""] = ids;
    const interrupted = (agent: string) =>
      log.getByText(new RegExp(`^The window was closed or reloaded while ${agent} was working`));
    await window.show(one);
    await composer.fill("a draft for one");
    await window.show(three);
    assert.equal(await composer.inputValue(), "");

    await window.reload();
    assert.equal(window.session.id, three);
    await log.getByText(/^three three/).waitFor();
    await interrupted("Second Agent").waitFor();
    await window.scene("reloaded");
    assert.equal(await window.stop.isVisible(), false);
    await window.show(two);
    await log.getByText(/^two two/).waitFor();
    await interrupted("Demo Agent").waitFor();
    assert.equal(await window.page.getByRole("group", { name: "Run npm test" }).count(), 0, "its question is closed");
    await window.show(one);
    await log.getByText(/^one one/).waitFor();
    await interrupted("Demo Agent").waitFor();
    assert.equal(await composer.inputValue(), "a draft for one");
    await composer.fill("");
    await window.send("hello");
    await log.getByText(/no longer has this conversation in its context/).waitFor();
    await log.getByText("Try one of these prompts").waitFor();
    await window.idle();
  });

  it("say why their process ended when another session restarts it, and that of the other agent goes on", async () => {
    const { window, ids } = await openThree({ left: works("left"), right: works("right"), third: asksFirst("third") });
    const { log, page } = window;
    const [left = "", right = "", third = ""] = ids;
    await window.show(right);
    await window.session.restart();
    await window.idle();
    await window.show(left);
    await log.getByText(/^left left/).waitFor();
    await page
      .getByText(/^Demo Agent was stopped because another session restarted it\./)
      .first()
      .waitFor();
    for (const [id, word] of [
      [left, "left"],
      [right, "right"],
    ] as const) {
      await window.show(id);
      await window.send("hello");
      await log.getByText("Try one of these prompts").waitFor();
      await window.idle();
      await log.getByText(new RegExp(`^${word} ${word}`)).waitFor();
    }
    await window.show(third);
    await window.stop.waitFor();
    await page
      .getByRole("group", { name: "Run npm test" })
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await log.getByText("third has ended.").waitFor();
  });
});

describe("the changes of another session", () => {
  useJoined();

  const writes = (name: string): string =>
    JSON.stringify([
      {
        request: {
          method: "fs/write_text_file",
          params: { sessionId: "$session", path: `$cwd/${name}`, content: "1\n" },
        },
      },
      { chunk: `${name} is written.` },
    ]);

  it("name it in the changes bar, and lead to it by mouse and keyboard", async () => {
    const window = await openJoined({
      agents: demoAgent,
      files: { "fix.json": writes("sum.js"), "tax.json": writes("tax.js"), "all.json": writes("all.js") },
    });
    const { log, page } = window;
    const bar = page.getByRole("region", { name: "Changes" });
    const writesIn = async (script: string, file: string): Promise<string> => {
      await window.send(`#script ${script}.json`);
      await log.getByText(`${file} is written.`).waitFor();
      await window.idle();
      return window.session.id;
    };
    const fix = await writesIn("fix", "sum.js");
    window.session.rename("Fix sum");
    await bar.getByRole("button", { name: /^1 file/ }).waitFor();
    assert.equal(await bar.getByRole("link").count(), 0, "its own changes need no link");

    await window.newSession();
    const link = bar.getByRole("link", { name: "from Fix sum", exact: true });
    await link.click();
    await page.locator(`main[data-session="${fix}"]`).waitFor();
    await log.getByText("sum.js is written.").waitFor();
    await link.waitFor({ state: "detached" });

    await window.newSession();
    const tax = await writesIn("tax", "tax.js");
    await bar.getByRole("button", { name: /^2 files/ }).focus();
    await page.keyboard.press("Tab");
    await bar.getByRole("link", { name: "1 from Fix sum", exact: true }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(`main[data-session="${fix}"]`).waitFor();
    await bar.getByRole("link", { name: "1 from #script tax.json", exact: true }).waitFor();

    await window.newSession();
    await writesIn("all", "all.js");
    await bar.getByRole("button", { name: "Other sessions: 2 from 2 other sessions" }).press("Enter");
    await page.getByRole("menuitem", { name: "#script tax.json" }).press("Enter");
    await page.locator(`main[data-session="${tax}"]`).waitFor();
    assert.deepEqual(window.failures, []);
  });
});

describe("the sessions of an agent that starts late", () => {
  useJoined();

  it("get the prompts that are typed while they begin, each its own", async () => {
    const go = join(dirname(agentFile()), "go");
    const command = `while [ ! -e "${go}" ]; do sleep 0.05; done; exec "$0" "$@"`;
    const slow = {
      ...{ name: "Slow Agent", env: { PARLEY_DEMO_SPEED: "0" }, command: "sh" },
      args: ["-c", command, process.execPath, inProject("dist", "demo-agent.mjs")],
    };
    const window = await openJoined({ agents: { slow } });
    const { composer, log } = window;
    const prompts = () => log.getByRole("heading", { name: /^You: / });
    const first = window.session.id;
    await window.send("plan a refactor");
    assert.equal(await composer.inputValue(), "");
    const second = await window.newSession();
    await window.send("hello");
    assert.equal(await composer.inputValue(), "");
    writeFileSync(go, "");
    await log.getByText("Try one of these prompts").waitFor();
    await window.prompt("hello").waitFor();
    assert.equal(await prompts().count(), 1);
    assert.equal(window.session.id, second);
    await window.show(first);
    await window.prompt("plan a refactor").waitFor();
    await window.idle();
    assert.equal(await prompts().count(), 1);
  });
});

describe("a long conversation", () => {
  useJoined();

  it("is restored with its end first, ready for input, the rest on demand, and is not changed by IDs that the agent reuses", async () => {
    const update = {
      ...{ sessionUpdate: "tool_call", toolCallId: "t$n", title: "Step $n", kind: "other", status: "completed" },
      content: [{ type: "content", content: { type: "text", text: "Nothing found in step $n." } }],
    };
    const steps = [{ update, times: 230 }, { chunk: "That is **the end**." }];
    const more = [{ update: { ...update, toolCallId: "t229", title: "Another step" } }, { chunk: "That is all." }];
    const window = await openJoined({
      agents: demoAgent,
      files: { "long.json": JSON.stringify(steps), "more.json": JSON.stringify(more) },
    });
    const { composer, log, page } = window;
    const end = log.getByText("That is the end.", { exact: true });
    const step = (n: number) => log.getByRole("article", { name: `Step ${n}`, exact: true });
    await window.send("#script long.json");
    await end.waitFor();
    await window.idle();

    await window.reload();
    await composer.fill("And now?");
    await end.waitFor();
    await step(229).waitFor();
    assert.ok(await end.evaluate(node => node.getBoundingClientRect().bottom <= innerHeight), "the end is in sight");
    const earlier = page.getByRole("button", { name: /^Show Earlier Entries \(\d+\)$/ });
    await earlier.waitFor({ state: "attached" });
    assert.equal(await step(0).count(), 0);
    await earlier.focus();
    await page.keyboard.press("Enter");
    await step(0).waitFor({ state: "attached" });
    assert.equal(await earlier.count(), 0, "no earlier entries are left");
    assert.equal(await log.getByRole("article", { name: /^Step/ }).count(), 230);
    assert.equal(await composer.inputValue(), "And now?");
    await composer.fill("");
    await window.send("#script more.json");
    await log.getByRole("article", { name: "Another step", exact: true }).waitFor();
    await log.getByText("That is all.", { exact: true }).waitFor();
    await window.idle();
    assert.equal(await step(229).count(), 1);
    await end.waitFor({ state: "attached" });
  });
});
