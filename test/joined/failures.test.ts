// Misbehaving agents: each failure appears in the panel as a sentence with a next step, nothing is lost, and the panel
// stays usable.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { until } from "../support/fakes/until.ts";
import {
  agentFile,
  badAgents,
  badProgram,
  openJoined,
  testAgent,
  useJoined,
  type JoinedWindow,
} from "./joinedPanel.ts";

/** A program that may not be executed. */
const unrunnable = join(dirname(agentFile()), "unrunnable-agent");
writeFileSync(unrunnable, "#!/bin/sh\n", { mode: 0o644 });

/** A window with the agent of this behavior, and a correct one. */
const open = (behaviour: string, more: object = {}): Promise<JoinedWindow> =>
  openJoined({ agents: { [behaviour]: { ...badAgents(behaviour)[behaviour], ...more }, ...badAgents("none") } });

/** The session works with a correct agent. */
async function worksWithAnother(window: JoinedWindow): Promise<void> {
  await window.chooseAgent("none");
  await window.send("hello");
  await window.log.getByText("You said: hello").waitFor();
  await window.idle();
  assert.deepEqual(window.failures, []);
}

describe("an agent that does not start", () => {
  useJoined();

  for (const { id, more, says, offers, scene } of [
    {
      id: "missing",
      more: { command: "no-such-agent-program", args: [] },
      says: /Could not start Bad Agent: .?no-such-agent-program.? was not found on the PATH that VS Code sees/,
      offers: "Open Settings",
      scene: "agent-missing",
    },
    {
      id: "folder",
      more: { command: "/", args: [] },
      says: /Could not start Bad Agent/,
      offers: "Open Settings",
      scene: "agent-not-a-program",
    },
    {
      id: "unrunnable",
      more: { command: unrunnable, args: [] },
      says: /Could not start Bad Agent: .*unrunnable-agent.? is not executable/,
      offers: "Open Settings",
      scene: "agent-not-executable",
    },
    {
      id: "exit",
      says: /Bad Agent ended with code 3 before it was ready/,
      offers: "Restart Agent",
      scene: "agent-exits",
    },
    {
      id: "version",
      says: /Bad Agent speaks version 0 of the Agent Client Protocol; Parley speaks version 1/,
      offers: "Select Agent",
      scene: "agent-version",
    },
    {
      id: "version-refused",
      says: /Bad Agent needs version 2 of the Agent Client Protocol, which is a draft/,
      offers: "Use Version 2",
      scene: "agent-version-refused",
    },
    {
      id: "initialize-error",
      says: /Bad Agent refused to start a conversation: The model store is corrupt\./,
      offers: "Restart Agent",
      scene: "agent-refuses",
    },
    {
      id: "auth-required",
      says: /Bad Agent needs you to sign in\./,
      offers: "Log in at the terminal",
      scene: "agent-sign-in",
    },
  ]) {
    it(`causes a message with a next step, and the panel stays usable: ${id}`, async () => {
      const window = await open(id, more);
      await window.problem.getByText(says).waitFor();
      const next = window.problem.getByRole("button", { name: offers });
      await next.waitFor();
      await window.composer.fill(`typed while ${id} is broken`);
      await window.scene(scene);
      if (offers === "Open Settings") {
        await next.click();
        await window.asked("openSettings");
      }
      assert.equal(await window.composer.inputValue(), `typed while ${id} is broken`);
      await window.composer.fill("");
      await worksWithAnother(window);
    });
  }

  it("within its limit is waited for once more, and then stopped", async () => {
    const window = await open("initialize-never", { startTimeout: 1 });
    const late = window.status.getByText("Bad Agent has not answered within 1 s.");
    await late.waitFor();
    await window.scene("agent-late");
    await window.status.getByRole("button", { name: "Keep Waiting" }).click();
    await late.waitFor({ state: "hidden" });
    await late.waitFor();
    await window.status.getByRole("button", { name: "Stop" }).click();
    await window.problem.getByText(/Connecting to Bad Agent was cancelled\./).waitFor();
    await window.problem.getByRole("button", { name: "Check Agent" }).waitFor();
    await window.scene("agent-hangs");
    await worksWithAnother(window);
  });

  for (const [id, words] of [
    ["initialize-never", "Connecting to Bad Agent…"],
    ["session-never", "Opening the session…"],
  ] as const) {
    it(`can be cancelled, and Retry or a prompt starts it again: ${id}`, async () => {
      const window = await open(id);
      const { problem, status } = window;
      const cancel = status.getByRole("button", { name: "Cancel" });
      await status.filter({ hasText: words }).getByText(/\d s$/).waitFor();
      await window.scene(id === "session-never" ? id : "connects-never");
      await cancel.click();
      await problem.getByText("Connecting to Bad Agent was cancelled.").waitFor();
      await status.waitFor({ state: "hidden" });
      await problem.getByRole("button", { name: "Retry" }).click();
      await status.filter({ hasText: words }).waitFor();
      await cancel.press("Enter");
      await problem.getByText("Connecting to Bad Agent was cancelled.").waitFor();
      await window.send("start again");
      await status.filter({ hasText: words }).waitFor();
      await window.page.getByRole("button", { name: "Remove from queue: start again" }).click();
      await worksWithAnother(window);
    });
  }

  it("starts with one button once its program exists, and the queued prompt is sent", async () => {
    const program = join(dirname(agentFile()), "late-agent");
    const window = await openJoined({ agents: { late: { name: "Bad Agent", command: program, args: [] } } });
    await window.problem.getByText(/there is no program at/).waitFor();
    await window.send("hello anyway");
    await window.page.getByText("hello anyway").first().waitFor();
    // The prompt starts the agent once more. Retry has no effect until that has failed too.
    await until(() => window.session.state.lost !== null);
    badProgram(program, "none");
    await window.problem.getByRole("button", { name: "Retry" }).click();
    await window.log.getByText("You said: hello anyway").waitFor();
  });
});

describe("an agent that breaks while it works", () => {
  useJoined();

  it("prints lines that are no messages", async () => {
    const window = await open("banner");
    await window.send("hi");
    await window.log.getByText("after the banner").waitFor();
    await window.idle();
  });

  it("fails a turn: the reason is at the prompt, with Retry, and its usage is shown", async () => {
    const window = await open("prompt-error");
    const { log } = window;
    await window.send("do it");
    await log.getByText("Reconnecting 1/1").waitFor();
    await log.getByText(/Bad Agent could not finish this turn: The model is overloaded\./).waitFor();
    await log.getByRole("button", { name: "Retry" }).waitFor();
    await window.scene("prompt-refused");
    await window.idle();
    await worksWithAnother(window);
    await window.page
      .getByRole("img", { name: /^Context: 1,234 of 10,000 tokens used \(12%\)\. This turn: 1,200 input tokens, 34/ })
      .waitFor();
  });

  it("declines to answer: the turn is no longer part of the conversation", async () => {
    const window = await open("refusal");
    const { log } = window;
    await window.send("do something else");
    await log.getByText(/^The agent declined to answer\. Your message and everything after it are no longer/).waitFor();
    await log.getByText("No longer part of the conversation", { exact: true }).waitFor();
    assert.equal(await log.locator("[data-excluded]").count(), 3);
    await window.scene("refusal");
  });

  it("sends values of wrong types", async () => {
    const window = await open("wrong-types");
    await window.send("go");
    await window.log.getByText("still here").waitFor();
    await window.idle();
  });

  it("asks for two permissions at once, which are answered one after the other", async () => {
    const window = await open("two-questions");
    const { page, log } = window;
    await window.send("ask me");
    await page.getByText("1 of 2").waitFor();
    await window.scene("two-questions");
    await page
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await page.getByText("1 of 2").waitFor({ state: "hidden" });
    await page
      .getByRole("button", { name: /^Reject/ })
      .first()
      .click();
    await log.getByText("allow then reject").waitFor();
  });

  it("exits with an open question, which closes", async () => {
    const window = await open("dies-with-question");
    const allow = window.page.getByRole("button", { name: /^Allow/ });
    await window.send("ask and die");
    await allow.first().click();
    await window.page
      .getByText(/Bad Agent ended with code 1/)
      .first()
      .waitFor();
    await allow.waitFor({ state: "hidden" });
  });

  it("exits in its turn: the conversation stays, a screen reader learns it, and Restart Agent goes on", async () => {
    const window = await open("dies-in-turn");
    const { page, log, problem } = window;
    await window.send("work hard");
    await problem.getByText(/Bad Agent ended with code 137/).waitFor();
    await log.getByText("I feel unwell").waitFor();
    const spoken = page.locator(".speech");
    await spoken.getByText(/Bad Agent ended with code 137/).waitFor({ state: "attached" });
    assert.doesNotMatch(await spoken.innerText(), /finished/);
    await window.scene("agent-died");
    const title = await page.getByRole("heading", { name: /^Work of process/ }).innerText();
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.waitFor();
    await problem.getByRole("button", { name: "Restart Agent" }).click();
    await log.getByText(/no longer has this conversation in its context/).waitFor();
    await log.getByText("work hard", { exact: true }).waitFor();
    await page.getByRole("heading", { name: title }).waitFor();
    await plan.waitFor({ state: "hidden" });
    await window.composer.fill("still usable");
  });
});

describe("a turn that is interrupted", () => {
  useJoined();

  it("offers to restart an agent that ignores Stop, and then sends the queue on request", async () => {
    const window = await open("ignores-cancel");
    const { page, log } = window;
    await window.send("work");
    await log.getByText("I do not stop").waitFor();
    await window.send("the next prompt");
    await page.keyboard.press("Escape");
    await window.status.filter({ hasText: "Bad Agent has not stopped yet." }).waitFor();
    await window.scene("stop-ignored");
    await page.getByRole("button", { name: "Restart Agent" }).click();
    await log.getByText(/no longer has this conversation in its context/).waitFor();
    await window.idle();
    await page.getByRole("button", { name: "Resume" }).click();
    await window.prompt("the next prompt").waitFor({ state: "attached" });
  });

  it("shows what the agent does after its turn as background work, which Stop ends", async () => {
    const window = await open("works-after-turn");
    const { page, log } = window;
    await window.send("start the server");
    await log.getByText("The server has started.").waitFor();
    await page.getByRole("group", { name: "Watch the server" }).getByRole("button", { name: "Reject" }).click();
    await window.status.filter({ hasText: "Working in the background…" }).waitFor();
    await window.stop.click();
    await log.getByText("I was cancelled.").waitFor();
    await window.idle();
  });

  it("closes its permission request on Stop, and the tool call is cancelled", async () => {
    const window = await openJoined({
      agents: { sdk: testAgent("bad.mjs", ["two-questions"], { name: "Bad Agent" }) },
    });
    const allow = window.page.getByRole("button", { name: /^Allow/ }).first();
    await window.send("ask me");
    await allow.waitFor();
    await window.composer.press("Escape");
    await allow.waitFor({ state: "hidden" });
    await window.idle();
    await window.log.locator("[data-status=cancelled]").first().waitFor();
  });
});
