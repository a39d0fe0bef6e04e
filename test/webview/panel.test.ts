// The panel around the conversation: header, empty state, waiting, problems, plan, scrolling and saved state.
import assert from "node:assert/strict";
import type { HostMessage, View, ViewPatch, ViewTool } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { START, busy, busyHead, everyEntry, message, quietHead, scenes, snapshot, tool, view } from "./scenes.ts";

/** The end of a view, as the host sends it before the rest. */
const ending = ({ head, entries }: View, earlier: number, revision = 1): HostMessage => ({
  type: "snapshot",
  revision,
  view: { head, entries: entries.slice(earlier) },
  earlier,
});

describe("the panel", () => {
  usePanel();

  it("sends hello with its revision", async () => {
    const { page } = await openPanel([]);
    assert.deepEqual(await page.evaluate(() => window.play.intents), [{ type: "hello", revision: 0 }]);
  });

  it("reports the first click or key after it got the focus, because commands act on the panel that the user uses", async () => {
    const panel = await openPanel([snapshot(view([message("u", "user", "one")]))]);
    assert.equal(await panel.uses(), 0);
    await panel.composer.click();
    await panel.page.keyboard.type("two");
    assert.equal(await panel.uses(), 1);
    await panel.page.evaluate(() => window.dispatchEvent(new Event("blur")));
    assert.equal(await panel.uses(), 1);
    await panel.page.keyboard.press("ArrowLeft");
    assert.equal(await panel.uses(), 2);
    await panel.assertClean();
  });

  it("plays a sound when the host requests it, and none before", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.page.evaluate(() => {
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (when) {
        window.play.reports.push(`tone ${this.frequency.value}`);
        start.call(this, when);
      };
    });
    const tones = (): Promise<string[]> => panel.page.evaluate(() => window.play.reports.splice(0));
    assert.deepEqual(await tones(), []);
    await panel.post({ type: "sound", sound: "question" });
    assert.deepEqual(await tones(), ["tone 660", "tone 880"]);
    await panel.post({ type: "sound", sound: "turnEnd" });
    assert.deepEqual(await tones(), ["tone 880", "tone 587"]);
  });

  it("the header has the title, New Session and a menu of agents, which acts only on a choice", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.page.getByRole("heading", { name: "Fix the sum of empty lists", level: 1 }).waitFor();
    await panel.page.getByRole("button", { name: "New Session" }).click();
    const picker = panel.page.getByRole("button", { name: "Agent: Demo Agent", exact: true });
    const menu = panel.page.getByRole("menu", { name: "Agent" });
    const item = (name: string, checked: boolean) => menu.getByRole("menuitemradio", { name, checked });
    const isFocused = (name: string) =>
      item(name, name === "Demo Agent")
        .and(panel.page.locator(":focus"))
        .waitFor();
    await picker.press("ArrowDown");
    await isFocused("Demo Agent");
    await panel.page.keyboard.press("ArrowDown");
    await isFocused("Gemini CLI");
    await panel.page.keyboard.press("Escape");
    await picker.and(panel.page.locator(":focus")).waitFor();
    assert.equal(await menu.count(), 0);
    await picker.press("Enter");
    await panel.page.keyboard.press("Enter");
    assert.equal(await menu.count(), 0);
    assert.deepEqual(await panel.intents(), [{ type: "newSession" }], "the agent in effect is not started again");
    await picker.press("Enter");
    await panel.page.keyboard.press("g");
    await panel.page.keyboard.press("Enter");
    await picker.click();
    await item("Gemini CLI", false).click();
    const chosen = { type: "selectAgent", agent: "gemini" };
    assert.deepEqual(await panel.intents(), [{ type: "newSession" }, chosen, chosen]);
  });

  it("an empty session offers example prompts, which fill the box without sending", async () => {
    const panel = await openPanel(scenes["empty"] ?? []);
    await panel.page.getByRole("button", { name: "Run the tests" }).click();
    assert.equal(await panel.composer.inputValue(), "Run the tests");
    assert.deepEqual(await panel.intents(), []);
    await panel.patch({ op: "put", at: 0, entry: message("u1", "user", "Hello") });
    assert.equal(await panel.page.getByRole("button", { name: "Run the tests" }).count(), 0);
  });

  it("waiting is described as text, with the output of the agent's start", async () => {
    const panel = await openPanel(scenes["starting"] ?? []);
    await panel.page.getByText("Starting Demo Agent…").waitFor();
    await panel.page.getByText("npm warn: downloading").waitFor();
    await panel.patch({ op: "head", head: { connection: { state: "connecting" } } });
    await panel.page.locator(".status-line", { hasText: "Connecting to Demo Agent…" }).waitFor();
    await panel.page.locator(".speech", { hasText: "Connecting to Demo Agent…" }).waitFor({ state: "attached" });
    const since = await panel.page.evaluate(() => Date.now() - 90_000);
    await panel.patch({ op: "head", head: { connection: { state: "connecting", since } } });
    await panel.page.locator(".status-line", { hasText: "1 min 30 s" }).waitFor();
    await panel.page.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "cancelConnecting" }]);
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await panel.patch({ op: "head", head: { connection: { state: "ready" } } });
    assert.equal(await panel.page.locator(".status-line").count(), 0);
  });

  it("a problem shows the message, the output, a command to run, and the next steps", async () => {
    const panel = await openPanel(scenes["problem"] ?? []);
    const banner = panel.page.getByRole("group", { name: "Problem" });
    await banner.getByText("Could not start Gemini CLI").waitFor();
    assert.equal(await banner.getByText("spawn npx ENOENT").isVisible(), false);
    await banner.getByText("Details", { exact: true }).click();
    await banner.getByText("spawn npx ENOENT").waitFor();
    await banner.getByRole("button", { name: "Copy Command" }).click();
    for (const name of ["Restart Agent", "Open Settings", "Show Log"])
      await banner.getByRole("button", { name }).click();
    assert.deepEqual(await panel.intents(), [
      { type: "copy", text: "npm install --global @google/gemini-cli" },
      { type: "nextStep", step: "restartAgent" },
      { type: "nextStep", step: "openSettings" },
      { type: "nextStep", step: "showLog" },
    ]);
    await panel.patch({ op: "head", head: { problem: null } });
    assert.equal(await banner.count(), 0);
  });

  it("the banner of a lost agent offers to continue a conversation with another agent", async () => {
    const problem = { message: "Claude ended.", next: ["restartAgent"] } as const;
    const panel = await openPanel([snapshot(view([], { problem, title: "", connection: { state: "closed" } }))]);
    const button = panel.page.getByRole("group", { name: "Problem" }).getByRole("button", { name: "Continue With…" });
    await panel.page.getByRole("button", { name: "Restart Agent" }).waitFor();
    assert.equal(await button.count(), 0);
    await panel.patch({ op: "head", head: { title: "Fix sum" } });
    await button.focus();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "nextStep", step: "continueWith" }]);
    await panel.patch({ op: "head", head: { connection: { state: "ready" } } });
    await button.waitFor({ state: "detached" });
  });

  it("every next step has a label", async () => {
    const next = ["retry", "restartAgent", "selectAgent", "openSettings", "showLog", "showTraffic", "manageTrust", "openFolder", "newSession"] as const; // prettier-ignore
    const panel = await openPanel([snapshot(view([], { problem: { message: "It broke.", next } }))]);
    const names = await panel.page.getByRole("group", { name: "Problem" }).getByRole("button").allInnerTexts();
    assert.deepEqual(names, [
      "Retry",
      "Restart Agent",
      "Select Agent",
      "Open Settings",
      "Show Log",
      "Show in Inspector",
      "Manage Workspace Trust",
      "Open Folder",
      "New Session",
    ]);
  });

  it("the plan is one line that expands to its steps", async () => {
    const panel = await openPanel([snapshot(view([], busyHead))]);
    const plan = panel.page.getByRole("region", { name: "Plan" });
    await plan.getByRole("button", { name: "2/4 · Writing tests" }).click();
    assert.deepEqual(
      await plan
        .getByRole("listitem")
        .allTextContents()
        .then(texts => texts.map(tidy)),
      [
        "Done: Find the bug High priority",
        "Done: Fix it Medium priority",
        "In progress: Writing tests High priority",
        "Open: Update the changelog Low priority",
      ],
    );
  });

  it("follows the end until the user scrolls up, then stays in place and offers a button back to the end", async () => {
    const panel = await openPanel([snapshot(view(longTalk(), { live: "m39", activity: running }))]);
    await atEnd(panel, true);
    await panel.patch({ op: "append", id: "m39", part: 0, text: "\n\nmore".repeat(40) });
    await atEnd(panel, true);
    await panel.log.hover();
    await panel.page.mouse.wheel(0, -600);
    await atEnd(panel, false);
    const top = await settledTop(panel);
    await panel.patch({ op: "append", id: "m39", part: 0, text: "\n\nand more".repeat(40) });
    await panel.patch({ op: "put", at: 40, entry: tool("c40", "Read a.js") });
    const jump = panel.page.getByRole("button", { name: "Jump to Latest (1 new)" });
    await jump.waitFor();
    assert.equal(await scrollTop(panel), top);
    await jump.click();
    await atEnd(panel, true);
    assert.equal(await jump.count(), 0);
    await panel.patch({ op: "put", at: 41, entry: message("m41", "agent", "line\n\n".repeat(50)) });
    await atEnd(panel, true);
  });

  it("the end is followed again, without a button over the text, once all of the conversation fits", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "user", "line\n\n".repeat(20))]))]);
    const jump = panel.page.getByRole("button", { name: "Jump to Latest" });
    const size = panel.page.viewportSize() ?? assert.fail();
    await panel.page.setViewportSize({ ...size, height: 400 });
    await atEnd(panel, true);
    await panel.log.hover();
    await panel.page.mouse.wheel(0, -5000);
    await jump.waitFor();
    await panel.page.waitForFunction(() => document.querySelector(".log")?.scrollTop === 0);
    await panel.page.setViewportSize({ ...size, height: 1600 });
    await jump.waitFor({ state: "detached" });
    await panel.patch({ op: "put", at: 1, entry: message("m2", "agent", "line\n\n".repeat(100)) });
    await atEnd(panel, true);
  });

  it("a pressed card stays under the pointer until the release, whatever arrives", async () => {
    const entries = [...longTalk(), tool("c40", "Look", { parts: [{ type: "text", text: "The body of it." }] })];
    const talk = [...entries, message("m41", "agent", "So")];
    const panel = await openPanel([snapshot(view(talk, { live: "m41", activity: running }))]);
    await atEnd(panel, true);
    const top = await scrollTop(panel);
    await panel.log.getByRole("button", { name: "Look" }).hover();
    await panel.page.mouse.down();
    await panel.patch({ op: "append", id: "m41", part: 0, text: "\n\nmore".repeat(10) });
    await panel.page.waitForFunction(() => (document.querySelector(".log")?.textContent ?? "").includes("more"));
    assert.equal(await settledTop(panel), top);
    await panel.page.mouse.up();
    await panel.log.getByText("The body of it.").waitFor();
    await atEnd(panel, true);
  });

  it("new content does not move text selected with the mouse", async () => {
    const talk = longTalk();
    const panel = await openPanel([snapshot(view(talk, { live: "m39", activity: running }))]);
    await atEnd(panel, true);
    const top = await settledTop(panel);
    await panel.log.locator("p").last().dblclick();
    assert.notEqual(await panel.page.evaluate(() => getSelection()?.toString()), "");
    await atEnd(panel, true);
    await panel.patch({ op: "append", id: "m39", part: 0, text: "\n\nmore".repeat(10) });
    await atEnd(panel, false);
    assert.equal(await settledTop(panel), top);
    await panel.page.getByRole("button", { name: "Jump to Latest" }).click();
    await atEnd(panel, true);
    await panel.patch({ op: "append", id: "m39", part: 0, text: "\n\neven more".repeat(10) });
    await panel.log.getByText("even more").last().waitFor();
    await atEnd(panel, true);
  });

  it("scrolls to the end when a prompt is sent", async () => {
    const panel = await openPanel([snapshot(view(longTalk()))]);
    await panel.log.hover();
    await panel.page.mouse.wheel(0, -1500);
    await atEnd(panel, false);
    await panel.composer.fill("next");
    await panel.composer.press("Enter");
    await atEnd(panel, true);
  });

  it("open cards and the scroll position survive a reload", async () => {
    const entries = [...longTalk(), tool("c40", "Look", { parts: [{ type: "text", text: "The body of it." }] })];
    const panel = await openPanel([snapshot(view(entries))]);
    await panel.log.getByRole("button", { name: "Look" }).click();
    await panel.log.getByText("The body of it.").waitFor();
    await panel.log.hover();
    await panel.page.mouse.wheel(0, -1200);
    await atEnd(panel, false);
    const before = await settledTop(panel);
    const firstSeen = await topEntry(panel);
    await panel.page.waitForFunction(() => sessionStorage.getItem("parley.play")?.includes('"anchor":{"id"'));
    await panel.page.reload();
    await panel.composer.waitFor();
    await panel.page.getByRole("button", { name: "Jump to Latest" }).waitFor();
    await panel.page.waitForFunction(() => (document.querySelector(".log")?.scrollTop ?? 0) > 0);
    assert.equal(await topEntry(panel), firstSeen, `scrolled to ${before}`);
    assert.equal(await panel.log.getByText("The body of it.").count(), 1);
  });

  it("a long conversation opens at its end and shows earlier entries on demand without a jump", async () => {
    const entries = Array.from({ length: 450 }, (_, i) => message(`m${i}`, "agent", `Message ${i}.`));
    const panel = await openPanel([snapshot(view(entries))]);
    await atEnd(panel, true);
    await painted(panel, 200);
    await panel.log.getByRole("button", { name: "Show Earlier Entries (250)" }).focus();
    await atEnd(panel, false);
    await settledTop(panel);
    const top = (): Promise<number> =>
      panel.log.getByText("Message 250.").evaluate(it => it.getBoundingClientRect().top);
    const before = await top();
    await panel.page.keyboard.press("Enter");
    await panel.log.getByRole("button", { name: "Show Earlier Entries (50)" }).waitFor({ state: "attached" });
    await settledTop(panel);
    assert.ok(Math.abs((await top()) - before) <= 1, `${before} became ${await top()}`);
    await panel.log.getByRole("button", { name: "Show Earlier Entries (50)" }).click();
    await panel.log.getByText("Message 0.").waitFor();
    assert.equal(await panel.log.locator(".entry").count(), 450);
    assert.equal(await panel.page.evaluate(() => document.activeElement?.getAttribute("role")), "log");
  });

  it("of many calls that arrive at once, the visible ones are painted first, and only a few screens in all", async () => {
    const call = (i: number): ViewTool =>
      tool(`c${i}`, `Edit ${i}`, { toolKind: "edit", status: "done", parts: [{ type: "text", text: "Done." }] });
    const add = (from: number, to: number): ViewPatch[] =>
      Array.from({ length: to - from }, (_, i) => ({ op: "put", at: from + i, entry: call(from + i) }) as const);
    const panel = await openPanel([snapshot(view([call(0)]))]);
    const cards = panel.log.locator("parley-tool");
    await panel.log.getByText("Edit 0").waitFor();
    // The observer reports the cards in the order in which they are painted.
    await panel.page.evaluate(() => {
      const painted: string[] = [];
      Object.assign(window, { painted });
      new MutationObserver(records => {
        for (const { addedNodes } of records)
          for (const node of addedNodes) if (node.nodeName === "PARLEY-TOOL") painted.push((node as HTMLElement).id);
      }).observe(document.querySelector(".entries") as Element, { childList: true });
    });
    await panel.patch(...add(1, 2000));
    await panel.log.getByText("Edit 1999").waitFor();
    await atEnd(panel, true);
    const screens = 3 * Math.ceil(800 / 30);
    await panel.page.waitForFunction(count => document.querySelectorAll("parley-tool").length === count, screens);
    await panel.log
      .getByRole("button", { name: `Show Earlier Entries (${(2000 - screens).toLocaleString("en")})` })
      .waitFor({ state: "attached" });
    const counts = await panel.page.evaluate(() => (window as unknown as { painted: string[] }).painted.length);
    assert.equal(counts, screens, "no card is painted that leaves the page again");
    await atEnd(panel, true);

    // A card that is in use stays.
    await cards.last().getByRole("button").focus();
    await panel.patch(...add(2000, 2100));
    await panel.log.getByText("Edit 2099").waitFor({ state: "attached" });
    assert.equal(await panel.page.evaluate(() => document.activeElement?.textContent?.includes("Edit 1999")), true);
    await panel.assertClean();
  });

  it("while the end of a growing conversation is followed, only its end is on the page, and the rest on demand", async () => {
    const entry = (i: number): ReturnType<typeof message> => message(`m${i}`, "agent", `Message ${i}.`);
    const panel = await openPanel([snapshot(view(Array.from({ length: 190 }, (_, i) => entry(i))))]);
    await painted(panel, 190);
    for (let at = 190; at < 500; at++) await panel.patch({ op: "put", at, entry: entry(at) });
    await panel.log.getByText("Message 499.").waitFor();
    await atEnd(panel, true);
    const count = await panel.log.locator(".entry").count();
    assert.ok(count >= 200 && count <= 300, `${count} entries`);
    const earlier = panel.log.getByRole("button", { name: `Show Earlier Entries (${500 - count})` });
    await earlier.focus();
    await atEnd(panel, false);
    for (let at = 500; at < 700; at++) await panel.patch({ op: "put", at, entry: entry(at) });
    await painted(panel, count + 200);
    await panel.page.keyboard.press("Enter");
    await panel.log.getByText(`Message ${500 - count - 1}.`).waitFor();
  });

  it("the end of a long conversation is shown before the rest, which is added above without a jump", async () => {
    const entries = Array.from({ length: 450 }, (_, i) => message(`m${i}`, "agent", `Message ${i}.`));
    const whole = view(entries);
    const panel = await openPanel([ending(whole, 420)]);
    await painted(panel, 30);
    await atEnd(panel, true);
    await panel.log.getByText("Message 449.").waitFor();
    await panel.log.getByText("Message 420.").click();
    await panel.page.mouse.wheel(0, -200);
    await atEnd(panel, false);
    await settledTop(panel);
    const top = (): Promise<number> =>
      panel.log.getByText("Message 430.").evaluate(it => it.getBoundingClientRect().top);
    const before = await top();
    const more = message("m449", "agent", "Message 449, changed.");
    await panel.patch({ op: "prepend", entries: entries.slice(0, 420) }, { op: "put", at: 449, entry: more });
    await painted(panel, 200);
    await settledTop(panel);
    assert.ok(Math.abs((await top()) - before) <= 1, `${before} became ${await top()}`);
    await panel.log.getByRole("button", { name: "Show Earlier Entries (250)" }).waitFor({ state: "attached" });
    await panel.log.getByText("Message 449, changed.").waitFor();
    assert.equal(
      await panel.page
        .locator(".jump")
        .textContent()
        .then(text => text?.trim()),
      "Jump to Latest",
    );
  });

  it("an opened entry stays open even if it arrives after the end of the conversation", async () => {
    const talk = Array.from({ length: 100 }, (_, i) => message(`m${i}`, "agent", `Message ${i}.`));
    const entries = [tool("t1", "Look around", { parts: [{ type: "text", text: "The body of it." }] }), ...talk];
    const panel = await openPanel([snapshot(view(entries))]);
    await painted(panel, 101);
    await panel.log.getByText("Look around").click();
    await panel.log.getByText("The body of it.").waitFor();
    await panel.post(ending(view(entries), 60, 2));
    await painted(panel, 41);
    await panel.post({
      type: "patch",
      base: 2,
      revision: 3,
      patches: [{ op: "prepend", entries: entries.slice(0, 60) }],
    });
    await painted(panel, 101);
    await panel.log.getByText("The body of it.").waitFor();
  });

  it("the user can type and send before the first view, and the prompt is sent when the view arrives", async () => {
    const panel = await openPanel([]);
    await panel.composer.fill("Fix the sum");
    await panel.composer.press("Enter");
    assert.equal(await panel.composer.inputValue(), "Fix the sum");
    assert.deepEqual(await panel.intents(), []);
    await panel.post(snapshot(view([])));
    assert.deepEqual(await panel.intents(), [{ type: "send", text: "Fix the sum" }]);
    assert.equal(await panel.composer.inputValue(), "");
  });

  it("Enter before the first view inserts a line break if the send key is Ctrl+Enter", async () => {
    const panel = await openPanel([]);
    await panel.composer.fill("Fix the sum");
    await panel.composer.press("Enter");
    await panel.post(snapshot(view([], { sendKey: "modEnter" })));
    await panel.page.waitForFunction(() => document.querySelector("textarea")?.value === "Fix the sum\n");
    assert.deepEqual(await panel.intents(), []);
    const other = await openPanel([]);
    await other.composer.fill("Fix the sum");
    await other.composer.press("Control+Enter");
    await other.post(snapshot(view([], { sendKey: "modEnter" })));
    assert.deepEqual(await other.intents(), [{ type: "send", text: "Fix the sum" }]);
  });

  it("requests the first view again if it does not arrive", async () => {
    const panel = await openPanel([], { frozen: true });
    assert.deepEqual(await panel.intents(), []);
    await panel.page.clock.runFor(2000);
    assert.deepEqual(await panel.intents(), [{ type: "resync" }]);
  });

  it("very long answers are painted one at a time", async () => {
    const long = (i: number): ReturnType<typeof message> => message(`m${i}`, "agent", "word ".repeat(30_000));
    const panel = await openPanel([snapshot(view(Array.from({ length: 6 }, (_, i) => long(i))))]);
    await painted(panel, 3);
    await panel.log.getByRole("button", { name: "Show Earlier Entries (3)" }).waitFor({ state: "attached" });
  });

  it("the end of a turn is announced", async () => {
    const panel = await openPanel([snapshot(view([message("u1", "user", "Hi")], { activity: running }))]);
    await panel.patch({ op: "head", head: { activity: quietHead.activity } });
    await panel.page.locator(".speech", { hasText: "Demo Agent has finished." }).waitFor({ state: "attached" });
  });

  it("an agent that was lost, a failed turn and a turn that stopped early are not announced as finished", async () => {
    const problem = { message: "Demo Agent was killed.", next: [] };
    for (const [head, entry] of [
      [{ problem }, undefined],
      [{}, { id: "p1", kind: "problem", problem, at: START }],
      [{}, { id: "e1", kind: "turnEnd", stopReason: "refusal", at: START }],
    ] as const) {
      const panel = await openPanel([snapshot(view([message("u1", "user", "Hi")], { activity: running }))]);
      const ended = { op: "head", head: { ...head, activity: { ...quietHead.activity, unfinished: true } } } as const;
      await (entry ? panel.patch({ op: "put", at: 1, entry }, ended) : panel.patch(ended));
      await panel.patch({ op: "put", at: entry ? 2 : 1, entry: message("m9", "agent", "The end.") });
      const spoken = panel.page.locator(".speech p");
      await spoken.getByText("The end.").waitFor({ state: "attached" });
      assert.equal((await spoken.allTextContents()).length, 2);
      assert.doesNotMatch((await spoken.allTextContents()).join(), /finished/);
    }
  });

  it("an answer that arrived complete is announced too, but old answers are not", async () => {
    const panel = await openPanel([snapshot(view(everyEntry))]);
    const speech = panel.page.locator(".speech");
    assert.equal(await speech.textContent(), "");
    await panel.patch({ op: "put", at: everyEntry.length, entry: message("m9", "agent", "A **whole** answer.") });
    await speech.getByText("A whole answer.").waitFor({ state: "attached" });
  });

  it("fits 260 pixels without scrolling sideways", async () => {
    for (const shown of [view(everyEntry, { title: "A title ".repeat(20) }), busy, view([])]) {
      const panel = await openPanel([snapshot(shown)], { width: 260, height: 700 });
      const overflow = await panel.page.evaluate(() =>
        [document.documentElement, ...document.querySelectorAll(".log, .dock, .header")]
          .filter(box => box.scrollWidth > box.clientWidth + 1)
          .map(box => box.className || box.tagName),
      );
      assert.deepEqual(overflow, []);
    }
  });

  it("an error in the panel is reported to the host", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.page.evaluate(() => setTimeout(() => dispatchEvent(new ErrorEvent("error", { message: "it broke" }))));
    await panel.page.waitForFunction(() => window.play.intents.some(intent => intent.type === "report"));
    assert.deepEqual(await panel.intents(), [{ type: "report", kind: "error", text: "it broke" }]);
  });
});

const running = { state: "running", since: START, cancelling: false } as const;

function longTalk(): ReturnType<typeof message>[] {
  return Array.from({ length: 40 }, (_, i) =>
    message(`m${i}`, "agent", `Message ${i}\n\n${"words and words ".repeat(30)}`),
  );
}

function tidy(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const scrollTop = (panel: PanelPage): Promise<number> => panel.log.evaluate(log => log.scrollTop);

/** Waits until this many entries are on the page. */
async function painted(panel: PanelPage, count: number): Promise<void> {
  await panel.page.waitForFunction(count => document.querySelectorAll(".entry").length === count, count);
}

/** Waits until the transcript is at its end, or is not. */
async function atEnd(panel: PanelPage, expected: boolean): Promise<void> {
  await panel.page.waitForFunction(wanted => {
    const log = document.querySelector(".log") as HTMLElement;
    const jump = document.querySelector(".jump") !== null;
    const there = log.scrollHeight - log.scrollTop - log.clientHeight <= 8;
    return there === wanted && jump !== wanted;
  }, expected);
}

/** The scroll position after it was the same in five frames. */
async function settledTop(panel: PanelPage): Promise<number> {
  return panel.page.evaluate(async () => {
    const log = document.querySelector(".log") as HTMLElement;
    let last = -1;
    for (let same = 0; same < 5;) {
      await new Promise(requestAnimationFrame);
      same = log.scrollTop === last ? same + 1 : 0;
      last = log.scrollTop;
    }
    return last;
  });
}

async function topEntry(panel: PanelPage): Promise<string> {
  await settledTop(panel);
  return panel.page.evaluate(() => {
    const top = document.querySelector(".log")?.getBoundingClientRect().top ?? 0;
    const seen = [...document.querySelectorAll(".entry")].find(entry => entry.getBoundingClientRect().bottom > top + 1);
    return seen?.textContent?.slice(0, 12) ?? "";
  });
}
