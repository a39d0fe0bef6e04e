// The composer: typing, sending, stopping, queueing, and the agent's options.
import assert from "node:assert/strict";
import type { Attachment } from "../../src/panel/protocol.ts";
import { until } from "../support/fakes/until.ts";
import { openPanel, picture, usePanel } from "./panelPage.ts";
import { START, busy, busyHead, message, snapshot, view } from "./scenes.ts";

const running = { state: "running", since: START, cancelling: false } as const;

describe("the composer", () => {
  usePanel();

  it("shows that all edits are allowed, and asks about them again, at 280 and 480 pixels", async () => {
    for (const width of [280, 480]) {
      const panel = await openPanel(
        [snapshot(view([message("m1", "user", "Add a field")], { ...busyHead, allowsEdits: true }))],
        { width },
      );
      await panel.page.getByRole("status").getByText("All edits are allowed in this session.").waitFor();
      await picture(panel, `all-edits-${width}`);
      const again = panel.page.getByRole("button", { name: "Ask About Edits Again" });
      await (width === 280 ? again.click() : again.press("Enter"));
      assert.deepEqual(await panel.intents(), [{ type: "allowAllEdits", isOn: false }]);
      assert.equal(await panel.composer.evaluate(each => each === document.activeElement), true);
      await panel.patch({ op: "head", head: { allowsEdits: false } });
      await again.waitFor({ state: "hidden" });
      await panel.free();
    }
  });

  it("shows the active file dim, with a switch for it and one for its selection, at 280 and 480 pixels", async () => {
    const activeFile = { name: "sum.js", path: "src/sum.js", sends: { file: false, selection: true } };
    for (const width of [280, 480]) {
      const panel = await openPanel(
        [
          snapshot(
            view([message("m1", "user", "Hi")], {
              ...busyHead,
              activity: { state: "idle", since: START, cancelling: false },
              activeFile: { ...activeFile, lines: { from: 3, to: 7 } },
            }),
          ),
        ],
        { width },
      );
      const file = panel.page.getByRole("group", { name: "Active file" });
      const [link, selection] = [
        file.getByRole("button", { name: "sum.js" }),
        file.getByRole("button", { name: "lines 3-7" }),
      ];
      assert.deepEqual(
        [await link.getAttribute("aria-pressed"), await selection.getAttribute("aria-pressed")],
        ["false", "true"],
      );
      await picture(panel, `active-file-${width}`);
      await link.click();
      await selection.click();
      assert.deepEqual((await panel.intents()).slice(-2), [
        { type: "sendActiveFile", part: "file", isOn: true },
        { type: "sendActiveFile", part: "selection", isOn: false },
      ]);
      await panel.patch({
        op: "head",
        head: { activeFile: { ...activeFile, sends: { file: true, selection: true } } } as never,
      });
      await selection.waitFor({ state: "detached" });
      assert.equal(await link.getAttribute("aria-pressed"), "true");
      await panel.patch({ op: "head", head: { activeFile: null } as never });
      await file.waitFor({ state: "detached" });
      await panel.assertClean();
    }
  });

  it("Enter sends and clears the box, Shift+Enter inserts a line break", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("one");
    await panel.composer.press("Shift+Enter");
    await panel.composer.pressSequentially("two");
    await panel.composer.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "send", text: "one\ntwo" }]);
    assert.equal(await panel.composer.inputValue(), "");
  });

  it("with the keys swapped Enter inserts a line break and Ctrl+Enter sends", async () => {
    const panel = await openPanel([snapshot(view([], { sendKey: "modEnter" }))]);
    await panel.composer.pressSequentially("one");
    await panel.composer.press("Enter");
    await panel.composer.pressSequentially("two");
    assert.deepEqual(await panel.intents(), []);
    await panel.composer.press("Control+Enter");
    assert.deepEqual(await panel.intents(), [{ type: "send", text: "one\ntwo" }]);
  });

  it("Enter during input method composition never sends", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.fill("にほん");
    for (const init of [
      { key: "Enter", isComposing: true },
      { key: "Enter", keyCode: 229 },
    ]) {
      await panel.composer.dispatchEvent("keydown", { ...init, bubbles: true, cancelable: true });
    }
    assert.deepEqual(await panel.intents(), []);
    await panel.composer.dispatchEvent("keydown", { key: "Enter", keyCode: 13, bubbles: true, cancelable: true });
    assert.deepEqual(await panel.intents(), [{ type: "send", text: "にほん" }]);
  });

  it("blank text is not sent, and nothing is sent without an agent", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const button = panel.page.getByRole("button", { name: "Send" });
    await panel.composer.fill(" \n ");
    await panel.composer.press("Enter");
    assert.ok(await button.isDisabled());
    await panel.composer.fill("hello");
    assert.ok(await button.isEnabled());
    await panel.patch({ op: "head", head: { agent: null } });
    assert.ok(await button.isDisabled());
    await panel.composer.press("Enter");
    assert.deepEqual(await panel.intents(), []);
  });

  it("the placeholder names the agent", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    assert.equal(await panel.composer.getAttribute("placeholder"), "Message Demo Agent");
  });

  it("Stop and Escape stop a running turn, but not again while it is stopping", async () => {
    const panel = await openPanel([snapshot(view([], { activity: running }))]);
    const stop = panel.page.getByRole("button", { name: "Stop" });
    assert.equal(await stop.getAttribute("title"), "Stop (Escape or Alt+Shift+S)");
    await stop.click();
    await panel.composer.press("Escape");
    assert.deepEqual(await panel.intents(), [{ type: "stop" }, { type: "stop" }]);
    await panel.patch({ op: "head", head: { activity: { ...running, cancelling: true } } });
    assert.ok(await stop.isDisabled());
    await panel.page.getByText("Stopping…").waitFor();
    await panel.composer.press("Escape");
    assert.equal((await panel.intents()).length, 2);
    await panel.patch({ op: "head", head: { activity: { ...running, state: "idle" } } });
    assert.equal(await stop.count(), 0);
    await panel.composer.press("Escape");
    assert.equal((await panel.intents()).length, 2);
  });

  it("a prompt sent during a turn is queued above the composer and can be removed", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.composer.fill("and then this");
    await panel.composer.press("Enter");
    const queue = panel.page.getByRole("list", { name: "Queued messages" });
    assert.equal(await queue.getByRole("listitem").count(), 2);
    await queue.getByRole("button", { name: "Remove from queue: Then update the changelog" }).click();
    assert.equal(await queue.getByRole("button", { name: /^Remove/ }).count(), 1);
    assert.deepEqual(await panel.intents(), [
      { type: "send", text: "and then this" },
      { type: "withdraw", prompt: "s2" },
    ]);
  });

  it("a queued prompt can be sent immediately", async () => {
    const queue = [
      { id: "s1", text: "first", sent: false },
      { id: "s2", text: "second", sent: false },
    ];
    const panel = await openPanel([snapshot(view([], { ...busyHead, queue }))]);
    await panel.page.getByRole("button", { name: "Send now: second" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "sendNow", prompt: "s2" }]);
  });

  it("if no agent can be started nothing is sent and the text is kept", async () => {
    const problem = { message: "This workspace is not trusted.", next: ["manageTrust"] } as const;
    const panel = await openPanel([snapshot(view([], { connection: null, problem }))]);
    await panel.composer.pressSequentially("later");
    await panel.composer.press("Enter");
    assert.deepEqual(await panel.intents(), []);
    assert.equal(await panel.composer.inputValue(), "later");
  });

  it("Up in an empty box recalls earlier prompts, Down later ones", async () => {
    const entries = [message("u1", "user", "first"), message("m1", "agent", "ok"), message("u2", "user", "second")];
    const panel = await openPanel([snapshot(view(entries))]);
    const seen: string[] = [];
    for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown"]) {
      await panel.composer.press(key);
      seen.push(await panel.composer.inputValue());
    }
    assert.deepEqual(seen, ["second", "first", "first", "second", ""]);
    await panel.composer.fill("mine");
    await panel.composer.press("ArrowUp");
    assert.equal(await panel.composer.inputValue(), "mine");
  });

  it("the draft survives a reload", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.fill("half a thought");
    await panel.page.reload();
    await panel.composer.waitFor();
    assert.equal(await panel.composer.inputValue(), "half a thought");
  });

  it("empties the draft that was sent elsewhere, shown or hidden, and keeps one that has changed since", async () => {
    const session = (id: string) => view([], { ...busyHead, session: id, title: id, queue: [], questions: [] });
    const panel = await openPanel([snapshot(session("a"))]);
    const isDraft = (text: string): Promise<void> => until(async () => (await panel.composer.inputValue()) === text);
    await panel.composer.fill("fix it");
    await panel.post({ type: "draftUsed", session: "a", text: "fix" });
    await isDraft("fix it");
    await panel.post({ type: "draftUsed", session: "a", text: "fix it" });
    await isDraft("");
    await panel.composer.fill("fix that");
    await panel.show(session("b"));
    await isDraft("");
    await panel.post({ type: "draftUsed", session: "a", text: "fix that" });
    await panel.show(session("a"));
    await isDraft("");
  });

  it("each session has its own draft, also after a reload, and that of a session without messages moves along", async () => {
    const image: Attachment = {
      id: "i",
      kind: "image",
      label: "plan.png",
      source: { type: "data", mimeType: "image/png", data: "AA" },
    };
    const session = (id: string, title: string) =>
      view([], { ...busyHead, session: id, title, queue: [], questions: [] });
    const panel = await openPanel([snapshot(session("a", "A"))]);
    const chips = panel.page.getByRole("list", { name: "Attachments" }).getByText("plan.png");
    const isDraft = (text: string): Promise<void> => until(async () => (await panel.composer.inputValue()) === text);
    await panel.post({ type: "draft", text: "half a thought", attachments: [image] });
    await isDraft("half a thought");
    // Only a panel that shows the session answers.
    for (const [request, of] of ["b", "a"].entries()) await panel.post({ type: "readDraft", request, session: of });
    const read = { type: "draft", request: 1, text: "half a thought", attachments: [image] };
    await until(async () => (await panel.intents()).some(({ type }) => type === "draft"));
    assert.deepEqual(
      (await panel.intents()).filter(({ type }) => type === "draft"),
      [read],
    );
    await panel.show(session("b", "B"));
    await isDraft("");
    assert.equal(await chips.count(), 0);
    await panel.composer.fill("another one");
    await panel.show(session("a", "A"));
    await chips.waitFor();
    await isDraft("half a thought");
    await panel.show(session("new", ""));
    await isDraft("");
    await panel.composer.fill("for whom it may concern");
    await panel.show(session("b", "B"));
    await isDraft("another one\nfor whom it may concern");
    // The window shows another session first.
    await panel.page.reload();
    await panel.page.locator('main[data-session="a"]').waitFor();
    await chips.waitFor();
    await isDraft("half a thought");
    await panel.show(session("b", "B"));
    await isDraft("another one\nfor whom it may concern");
    await panel.show(session("a", "A"));
    await isDraft("half a thought");
    await panel.composer.press("Enter");
    await panel.show(session("b", "B"));
    await panel.show(session("a", "A"));
    await isDraft("");
    await panel.assertClean();
  });

  it("a prompt that is typed before the first view belongs to the session of that view, whatever the reload restores", async () => {
    const session = (id: string) => view([], { ...busyHead, session: id, title: id, queue: [], questions: [] });
    const panel = await openPanel([]);
    await panel.post(snapshot(session("a")));
    await panel.page.locator('main[data-session="a"]').waitFor();
    // VS Code can store what the panel saves later than the window is reloaded.
    await panel.page.reload();
    await panel.composer.fill("right after the reload");
    await panel.composer.press("Enter");
    await panel.post(snapshot(session("b")));
    await until(async () => (await panel.intents()).some(({ type }) => type === "send"));
    assert.equal(await panel.composer.inputValue(), "");
  });

  it("a text from a link comes below what the user has written, with a note, and is not sent", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.fill("mine");
    const note = "A link filled the message box.";
    await panel.post({ type: "draft", text: "from a link", attachments: [], below: true, note });
    await panel.page.getByText(note).waitFor();
    assert.equal(await panel.composer.inputValue(), "mine\nfrom a link");
    assert.ok((await panel.intents()).every(({ type }) => type !== "send"));
  });

  it("a note about a text from a link stays with the text", async () => {
    const session = (id: string) => view([], { ...busyHead, session: id, title: id, queue: [], questions: [] });
    const panel = await openPanel([snapshot(session("a"))]);
    const note = "A link filled the message box.";
    await panel.post({ type: "draft", text: "from a link", attachments: [], below: true, note });
    const shown = panel.page.getByText(note);
    await shown.waitFor();
    await panel.show(session("b"));
    await shown.waitFor({ state: "detached" });
    await panel.page.reload();
    await panel.post(snapshot(session("b")));
    await panel.show(session("a"));
    await shown.waitFor();
    assert.equal(await panel.composer.inputValue(), "from a link");
    await panel.page.reload();
    await panel.post(snapshot(session("a")));
    await shown.waitFor();
  });

  it("a text from a link below a recalled prompt is not overwritten", async () => {
    const panel = await openPanel([snapshot(view([message("u1", "user", "earlier")]))]);
    await panel.composer.press("ArrowUp");
    await until(async () => (await panel.composer.inputValue()) === "earlier");
    await panel.post({ type: "draft", text: "from a link", attachments: [], below: true });
    await until(async () => (await panel.composer.inputValue()) === "earlier\nfrom a link");
    await panel.composer.press("ArrowDown");
    assert.equal(await panel.composer.inputValue(), "earlier\nfrom a link");
  });

  it("a prompt that its session refuses appears in the session that is shown next", async () => {
    const session = (id: string) => view([], { ...busyHead, session: id, title: id, queue: [], questions: [] });
    const panel = await openPanel([snapshot(session("a"))]);
    await panel.post({ type: "unsent", text: "right away", attachments: [], reason: "Another session is shown." });
    await panel.show(session("b"));
    await panel.page.locator('main[data-session="b"]').waitFor();
    assert.equal(await panel.composer.inputValue(), "right away");
    await panel.show(session("a"));
    await until(async () => (await panel.composer.inputValue()) === "");
    await panel.show(session("b"));
    await until(async () => (await panel.composer.inputValue()) === "right away");
  });

  it("the box grows with its text up to twelve lines", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const height = async (text: string): Promise<number> => {
      await panel.composer.fill(text);
      return panel.composer.evaluate(box => box.clientHeight);
    };
    const one = await height("x");
    const three = await height("x\nx\nx");
    const fifty = await height("x\n".repeat(50));
    assert.ok(three > one * 2 && fifty > three && fifty < one * 13, `${one} ${three} ${fifty}`);
  });

  it("the options are in the agent's order and are set by intent", async () => {
    const panel = await openPanel([snapshot(view([], busyHead))]);
    const { page } = panel;
    await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("Automatic");
    await page.getByRole("combobox", { name: "Model" }).selectOption("Large 4");
    await page.getByRole("checkbox", { name: "Web search" }).uncheck();
    assert.deepEqual(await panel.intents(), [
      { type: "setOption", option: "mode", value: "auto" },
      { type: "setOption", option: "model", value: "large" },
      { type: "setOption", option: "web", value: false },
    ]);
    const controls = page.locator(".option-list").locator("select, label");
    assert.deepEqual(await controls.evaluateAll(all => all.map(each => each.ariaLabel ?? each.textContent.trim())), [
      "Mode",
      "Model",
      "Web search",
    ]);
  });

  it("an option changed by the host shows its new value", async () => {
    const panel = await openPanel([snapshot(view([], busyHead))]);
    const options = (busyHead.options ?? []).map(option =>
      option.id === "mode" && option.type === "select" ? { ...option, value: "auto" } : option,
    );
    await panel.patch({ op: "head", head: { options } });
    assert.equal(await panel.page.getByRole("combobox", { name: "Mode", exact: true }).inputValue(), "auto");
  });

  it("the ring names the context usage and the cost", async () => {
    const panel = await openPanel([snapshot(view([], busyHead))]);
    await panel.page.getByRole("img", { name: "Context: 53,000 of 200,000 tokens used (27%) · Cost: $0.12" }).waitFor();
  });

  it("the ring names the usage of the turn, by model if there are several", async () => {
    const counts = { input: 1200, output: 34, total: 1234, thought: 0, cachedRead: 500 };
    const panel = await openPanel([snapshot(view([], { ...busyHead, turnUsage: counts }))]);
    const tip = panel.page.locator(".usage-tip");
    assert.equal(await tip.isVisible(), false);
    await panel.page.locator(".usage").hover();
    await tip.getByText("Context: 53,000 of 200,000 tokens used (27%)").waitFor();
    await tip.getByText("This turn: 1,200 input tokens, 34 output tokens, 500 cached tokens read").waitFor();
    const models = [
      { model: "large", input: 1000, output: 30 },
      { model: "small", total: 204 },
    ];
    await panel.patch({ op: "head", head: { turnUsage: { ...counts, models } } });
    await tip.getByText("large: 1,000 input tokens, 30 output tokens").waitFor();
    await tip.getByText("small: 204 tokens").waitFor();
  });

  it("the ring is empty if the agent reports only the usage of the turn, or no size", async () => {
    const panel = await openPanel([
      snapshot(view([], { ...busyHead, usage: null, turnUsage: { input: 5, output: 2 } })),
    ]);
    const ring = panel.page.getByRole("img", { name: "This turn: 5 input tokens, 2 output tokens", exact: true });
    await ring.waitFor();
    assert.doesNotMatch(await ring.innerText(), /%/);
    await panel.patch({ op: "head", head: { usage: { used: 1300, size: 0 }, turnUsage: null } });
    const context = panel.page.getByRole("img", { name: "Context: 1,300 tokens used", exact: true });
    await context.waitFor();
    assert.doesNotMatch(await context.innerText(), /%/);
  });

  it("is rendered only for the keys of the head that it shows", async () => {
    const panel = await openPanel([snapshot(view([], busyHead))]);
    await panel.composer.fill("half a message");
    await panel.page.evaluate(() => {
      const composer = document.querySelector("parley-composer") as unknown as CountedElement;
      composer.renders = 0;
      const render = composer.performUpdate.bind(composer);
      composer.performUpdate = () => {
        composer.renders++;
        render();
      };
    });
    const renders = (): Promise<number> =>
      panel.page.evaluate(async () => {
        const composer = document.querySelector("parley-composer") as unknown as CountedElement;
        await composer.updateComplete;
        return composer.renders;
      });
    await panel.patch({ op: "head", head: { usage: { used: 60_000, size: 200_000 }, turnUsage: { input: 5 } } });
    await panel.page.getByRole("img", { name: /Context: 60,000 of 200,000 tokens used .*5 input tokens/ }).waitFor();
    await panel.patch({ op: "head", head: { changes: null, plans: [], live: "m1", questions: [], follow: "on" } });
    assert.equal(await renders(), 0);
    await panel.patch({ op: "head", head: { sendKey: "modEnter" } });
    assert.equal(await renders(), 1);
    assert.equal(await panel.composer.inputValue(), "half a message");
  });
});

/** An element whose renderings are counted. */
interface CountedElement {
  renders: number;
  performUpdate(): void;
  readonly updateComplete: Promise<unknown>;
}
