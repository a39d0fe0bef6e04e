// The question before a large conversation is resumed, with what the agent reported over the wire.
import assert from "node:assert/strict";
import { until } from "../support/fakes/until.ts";
import { agentFile, openJoined, testAgent, useJoined, type JoinedWindow } from "./joinedPanel.ts";

/** An agent that keeps its sessions, and reports this many tokens. */
const lasting = (kind: string, tokens: number): object =>
  testAgent("continuing.mjs", [kind, agentFile(), String(tokens)], { name: "Lasting Agent" });

/** How often Parley sent this request. */
const requests = (window: JoinedWindow, method: string): number =>
  window.traffic("lasting").split(`"method":"${method}"`).length - 1;

describe("a large conversation after a reload of the window", () => {
  useJoined();

  /** A window that was reloaded after one turn, with a second prompt. */
  async function reloaded(kind: string, tokens = 180_000): Promise<JoinedWindow> {
    const window = await openJoined({
      agents: { lasting: lasting(kind, tokens) },
      resume: { tokens: 150_000, bytes: 5_000_000 },
    });
    await window.send("remember the walrus");
    await window.log.getByText("Prompt 1 of this session.", { exact: true }).waitFor();
    await window.idle();
    await window.reload();
    await window.send("go on");
    return window;
  }
  const question = (window: JoinedWindow) =>
    window.page.getByRole("group", { name: "Resume this large conversation?" });

  for (const kind of ["resumes", "loads"])
    it(`is not given to an agent that ${kind} it before the user chooses Resume, and then once per window`, async () => {
      const window = await reloaded(kind);
      const text = await question(window).innerText();
      assert.match(text, /180.000 tokens · Size: [\d.]+ kB · Cost so far: \$0\.50/);
      assert.match(text, /Lasting Agent gets all of it again/);
      assert.match(text, /Your message waits for your answer\./);
      assert.equal(requests(window, "session/resume") + requests(window, "session/load"), 0);
      assert.deepEqual(
        window.session.state.pendingPrompts.map(({ content }) => content),
        [[{ type: "text", text: "go on" }]],
      );
      await question(window).getByRole("button", { name: "Resume" }).click();
      await window.log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
      await question(window).waitFor({ state: "detached" });
      await window.idle();
      assert.equal(requests(window, "session/resume") + requests(window, "session/load"), 1);
      await window.session.restart();
      await window.send("and on");
      await window.log.getByText("Prompt 3 of this session.", { exact: true }).waitFor();
      assert.deepEqual(window.failures, []);
    });

  it("is read only by the button or by Escape, and the message is in the message box again", async () => {
    const window = await reloaded("resumes");
    const { page, composer } = window;
    await question(window).waitFor();
    await page.keyboard.type("and ");
    await page.keyboard.press("Escape");
    await question(window).waitFor({ state: "detached" });
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "go on\nand ");
    assert.equal(window.session.state.pendingPrompts.length, 0);
    await page.getByText("Lasting Agent starts with your next message.").first().waitFor();
    // The next message asks again, and the keyboard reaches the answers from the message box.
    await page.keyboard.press("Enter");
    await question(window).waitFor();
    await composer.press("Shift+Tab");
    while (
      !(await question(window)
        .getByRole("button", { name: "Read Only" })
        .evaluate(each => each === document.activeElement))
    )
      await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    await question(window).waitFor({ state: "detached" });
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "go on\nand");
    assert.ok(await composer.evaluate(box => box === document.activeElement));
    await page.keyboard.press("Enter");
    await question(window).getByRole("button", { name: "Resume" }).focus();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "go on\nand");
    assert.equal(requests(window, "session/resume"), 0);
    assert.deepEqual(window.failures, []);
  });

  it("continues from its digest in a new session with the same mode, and the message stays in its message box", async () => {
    const window = await openJoined({
      agents: { lasting: lasting("resumes", 180_000) },
      resume: { tokens: 150_000, bytes: 0 },
    });
    await window.send("remember the walrus");
    await window.log.getByText("Prompt 1 of this session.", { exact: true }).waitFor();
    await window.idle();
    await window.session.setOption("parley.mode", "plan");
    await window.reload();
    const origin = window.session.id;
    await window.send("go on");
    await question(window).getByRole("button", { name: "Continue From Digest" }).click();
    const { page, log } = window;
    await page.getByRole("button", { name: /^Remove Digest of / }).waitFor();
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "go on");
    const next = window.session.id;
    assert.notEqual(next, origin);
    await page.keyboard.press("Enter");
    await log.getByText("Prompt 1 of this session, with the conversation.", { exact: true }).waitFor();
    const { agent, options } = window.session.state;
    assert.deepEqual([agent?.id, options.map(({ value }) => value)], ["lasting", ["plan"]]);
    await log.getByRole("button", { name: /^Show the session “/ }).click();
    await page.locator(`main[data-session="${origin}"]`).waitFor();
    assert.equal(await question(window).count(), 0);
    assert.equal(window.session.state.pendingPrompts.length, 0);
    assert.equal(requests(window, "session/resume"), 0);
    assert.deepEqual(window.failures, []);
  });

  it("makes its session wait for the user in the lists until each of the answers, and not before the question", async () => {
    const window = await reloaded("resumes");
    const { session } = window;
    const waits = { statuses: { [session.id]: "waiting" }, longest: session.id };
    const answer = async (name: string): Promise<void> => {
      await question(window).waitFor();
      assert.deepEqual(window.shownInLists, waits);
      await question(window).getByRole("button", { name, exact: true }).click();
      await question(window).waitFor({ state: "detached" });
    };
    const isAnswered = (): boolean =>
      window.shownInLists.longest === undefined && window.shownInLists.statuses[session.id] !== "waiting";
    await answer("Read Only");
    assert.ok(isAnswered());
    await window.composer.press("Enter");
    await answer("Resume");
    assert.ok(isAnswered());
    await window.log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
    await window.idle();
    await window.reload();
    assert.deepEqual(window.shownInLists, { statuses: { [session.id]: "idle" } });
    await window.send("once more");
    await answer("Continue From Digest");
    // The question ends when the new session has the message.
    await until(isAnswered);
    assert.equal(Object.keys(window.shownInLists.statuses).length, 2);
  });

  it("is given to the agent without a question if it is not large", async () => {
    const window = await reloaded("resumes", 150_000);
    await window.log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
    assert.equal(await question(window).count(), 0);
  });

  it("is not asked about if the agent cannot continue it, because Parley attaches only a part", async () => {
    const window = await reloaded("expires");
    await window.log.getByText("Prompt 1 of this session, with the conversation.", { exact: true }).waitFor();
    assert.equal(await question(window).count(), 0);
  });
});
