// The page of the protocol inspector with the rows that the extension host makes: the list, its filter, the content of a
// message, and the way from a request to its answer.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { maskRecord, TrafficRecorder } from "../../src/acp/trafficRecorder.ts";
import { createGate } from "../../src/base/async.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import { systemClock } from "../../src/base/log.ts";
import { InspectedMessages } from "../../src/inspector/inspectedMessages.ts";
import { isInspectorIntent, type InspectorIntent } from "../../src/panel/inspectorPage.ts";
import { openPanel, picture, usePanel, type Options, type PanelPage } from "./panelPage.ts";

const axeSource = readFileSync(
  createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The page, with the messages of one connection. */
class Bench {
  recorder = new TrafficRecorder(systemClock);
  readonly recorded = new Emitter<string>();
  readonly intents: InspectorIntent[] = [];
  panel!: PanelPage;
  readonly #opened = createGate();
  #posted: Promise<unknown> = this.#opened.settled;
  readonly messages = new InspectedMessages({
    traffic: {
      recordedAgents: ["demo"],
      tap: agent => (agent === "demo" ? this.recorder : undefined),
      onDidRecord: this.recorded.event,
    },
    masking: { record: maskRecord, text: text => text },
    nameOf: () => "Demo <b>Agent</b>",
    post: message => {
      this.#posted = this.#posted.then(() => this.panel.page.evaluate(sent => window.play.post(sent), message));
    },
    clock: systemClock,
  });

  sent(message: object): this {
    this.recorder.recordMessage("c>a", message, JSON.stringify(message).length);
    return this;
  }
  received(message: object): this {
    this.recorder.recordMessage("a>c", message, JSON.stringify(message).length);
    return this;
  }
  chunks(count: number, from = 0): this {
    for (let at = from; at < from + count; at++) this.received(chunk(`chunk ${at}`));
    return this;
  }
  /** A connection with a session, a prompt that is answered, one that fails, and messages with faults. */
  filled(): this {
    this.sent({ id: 0, method: "initialize", params: { protocolVersion: 1, clientCapabilities: { fs: {} } } });
    this.received({ id: 0, result: { protocolVersion: 1, authMethods: [] } });
    this.sent({
      ...{ id: 1, method: "session/new" },
      params: { cwd: "/w", mcpServers: [], apiKey: "s3cr3t" },
    });
    this.received({ id: 1, result: { sessionId: "session-1" } });
    this.sent({ id: 2, method: "session/prompt", params: { sessionId: "session-1", prompt: [text("Hi")] } });
    this.chunks(3);
    this.received({ method: "session/nonsense\u202e", params: {} });
    this.received({ id: 2, result: { stopReason: "end_turn" } });
    this.sent({ id: 3, method: "session/prompt", params: { sessionId: "session-1", prompt: [text("Again")] } });
    this.received({ id: 3, error: { code: -32603, message: "The model is overloaded." } });
    this.recorder.recordText("err", "warning: API_KEY=s3cr3t");
    return this;
  }

  async open(options: Options = {}): Promise<PanelPage> {
    const host = (message: unknown): void => {
      assert.ok(isInspectorIntent(message), JSON.stringify(message));
      this.intents.push(message);
      if (message.type === "ready") this.messages.start();
      else if (message.type !== "copy" && message.type !== "export") this.messages.run(message);
    };
    this.messages.show("demo");
    this.panel = await openPanel([], { width: 1100, ...options, page: "inspector", host });
    this.#opened.settle();
    await this.panel.page.getByRole("listbox", { name: "Messages" }).waitFor();
    return this.panel;
  }
  dispose(): void {
    this.messages.dispose();
  }
}

const text = (words: string): object => ({ type: "text", text: words });
const chunk = (words: string): object => ({
  method: "session/update",
  params: { sessionId: "session-1", update: { sessionUpdate: "agent_message_chunk", content: text(words) } },
});

describe("the page of the protocol inspector", () => {
  usePanel();
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.dispose());

  it("shows each message with its direction, method, id, time to answer and size", async () => {
    const { page } = await bench.filled().open();
    await page.getByRole("status").getByText("13 messages").waitFor();
    const option = (name: RegExp): Promise<void> => page.getByRole("option", { name }).first().waitFor();
    await option(/^To agent, initialize, ID 0, Answered after [\d.]+ ms, \d+ bytes$/);
    await option(/^From agent, Answer to session\/new, ID 1, Session session-1, Answered after/);
    await option(/^From agent, session\/update agent_message_chunk, Session session-1, \d+ bytes$/);
    await option(
      /^From agent, session\/nonsense\[U\+202E\], The protocol has no method “session\/nonsense\[U\+202E\]”\./,
    );
    await option(/^From agent, Answer to session\/prompt, Error, ID 3/);
    await option(/^Error output, 23 bytes$/);
    await bench.panel.assertClean();
  });

  it("shows the content of the selected message without secrets, and folds it", async () => {
    const { page } = await bench.filled().open();
    await page
      .getByRole("option", { name: /session\/new, ID 1/ })
      .first()
      .click();
    const tree = page.getByRole("tree", { name: "Content of the message" });
    await tree.getByRole("treeitem", { name: 'cwd: "/w"' }).waitFor();
    await tree.getByRole("treeitem", { name: 'apiKey: "•••"' }).waitFor();
    assert.ok(!(await page.content()).includes("s3cr3t"));
    await tree.getByText("params", { exact: true }).click();
    await tree
      .getByRole("treeitem", { name: "params: 3 fields" })
      .and(page.locator('[aria-expanded="false"]'))
      .waitFor();
    assert.equal(await tree.getByRole("treeitem", { name: 'cwd: "/w"' }).count(), 0);
  });

  it("goes from a request to its answer and back by keyboard", async () => {
    const { page } = await bench.filled().open();
    await page.getByRole("option", { name: /^To agent, session\/prompt, ID 2/ }).waitFor();
    await page.getByRole("listbox", { name: "Messages" }).focus();
    for (const key of ["Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    const selected = page.getByRole("listbox", { name: "Messages" }).getByRole("option", { selected: true });
    await selected.and(page.getByRole("option", { name: /^To agent, session\/prompt, ID 2/ })).waitFor();
    const active = await page.getByRole("listbox").getAttribute("aria-activedescendant");
    assert.equal(active, await selected.getAttribute("id"));
    await page.keyboard.press("Enter");
    await page.locator('[role="treeitem"]:focus').waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator('[role="treeitem"]:focus', { hasText: "id: 2" }).waitFor();
    await page.getByRole("button", { name: "Go to Answer" }).focus();
    await page.keyboard.press("Enter");
    await selected.and(page.getByRole("option", { name: /^From agent, Answer to session\/prompt, ID 2/ })).waitFor();
    await page.getByRole("treeitem", { name: 'stopReason: "end_turn"' }).waitFor();
    await page.getByRole("button", { name: "Go to Request" }).click();
    await selected.and(page.getByRole("option", { name: /^To agent, session\/prompt, ID 2/ })).waitFor();
    await page.getByRole("button", { name: "Go to Answer" }).focus();
    await page.keyboard.press("Escape");
    await page.locator(".message-list:focus").waitFor();
  });

  it("filters by method, session, text, errors and faults, and shows a hidden answer without the filter", async () => {
    const { page } = await bench.filled().open();
    const status = page.getByRole("status");
    const shows = (words: string): Promise<void> => status.getByText(words, { exact: true }).waitFor();
    await shows("13 messages");
    await page.getByRole("combobox", { name: "Method" }).selectOption("session/prompt");
    await shows("4 of 13 messages");
    await page.getByRole("combobox", { name: "Session" }).selectOption("session-1");
    await shows("4 of 13 messages");
    await page.getByRole("textbox", { name: "Text in messages" }).fill("AGAIN");
    await shows("1 of 13 messages");
    await page.getByRole("option", { name: /^To agent, session\/prompt/ }).click();
    await page.getByRole("button", { name: "Go to Answer" }).click();
    await shows("13 messages");
    await page.getByRole("option", { name: /Error, ID 3/, selected: true }).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Text in messages" }).inputValue(), "");
    assert.equal(await page.getByRole("combobox", { name: "Method" }).inputValue(), "");
    await page.getByRole("button", { name: "Errors Only" }).click();
    await shows("1 of 13 messages");
    await page.getByRole("button", { name: "Faults Only" }).click();
    await shows("1 of 13 messages");
    await page.getByRole("option", { name: /^From agent, session\/nonsense/ }).click();
    await page.getByRole("list", { name: "Faults" }).getByText("The protocol has no method").waitFor();
    await page.getByRole("button", { name: "Faults Only" }).click();
    await shows("13 messages");
    await page.getByRole("textbox", { name: "Text in messages" }).fill("s3cr3t");
    await shows("0 of 13 messages");
  });

  it("follows new messages until the user scrolls up, and again when asked to", async () => {
    const { page } = await bench.filled().chunks(300).open();
    const more = (from: number): void => {
      bench.chunks(10, from);
      bench.recorded.fire("demo");
    };
    const list = page.getByRole("listbox", { name: "Messages" });
    const last = (count: number): Promise<void> =>
      page.locator(`[aria-posinset="${count}"]`, { hasText: "session/update" }).waitFor();
    const isAtEnd = (): Promise<boolean> =>
      list.evaluate(box => box.scrollHeight - box.scrollTop - box.clientHeight < 9);
    await last(313);
    more(300);
    await last(323);
    assert.ok(await isAtEnd());
    const follow = page.getByRole("button", { name: "Follow New Messages" });
    assert.equal(await follow.getAttribute("aria-pressed"), "true");
    await list.hover();
    await page.mouse.wheel(0, -600);
    await page.locator('[aria-label="Follow New Messages"][aria-pressed="false"]').waitFor();
    const top = await list.evaluate(box => box.scrollTop);
    more(310);
    await page.locator(".inspector-status").getByText("333 messages").waitFor();
    assert.equal(await page.getByRole("status").textContent(), "313 messages", "it is announced once");
    assert.equal(await list.evaluate(box => box.scrollTop), top);
    await follow.click();
    await last(333);
    assert.ok(await isAtEnd());
    more(320);
    await last(343);
  });

  it("shows that an answer arrived, and that a request was never answered", async () => {
    const { page } = await bench.filled().open();
    await page.getByRole("option", { name: /ID 3/ }).first().waitFor();
    for (const id of [4, 5]) bench.sent({ id, method: "session/close", params: { sessionId: "session-1" } });
    bench.recorded.fire("demo");
    await page.getByRole("option", { name: /session\/close, ID 4, Session session-1, \d+ bytes/ }).click();
    bench.received({ id: 4, result: {} });
    bench.recorded.fire("demo");
    await page.getByRole("button", { name: "Go to Answer" }).waitFor();
    await page
      .getByRole("option", { name: /session\/close, ID 4, Session session-1, Answered after/ })
      .first()
      .waitFor();
    bench.recorder.close();
    bench.recorded.fire("demo");
    await page.getByRole("option", { name: /session\/close, This request was never answered\., ID 5/ }).waitFor();
    await page.getByRole("status").getByText("the connection has ended").waitFor();
  });

  it("announces each outcome again, until the list is another one", async () => {
    const { page } = await bench.filled().open();
    const status = page.getByRole("status");
    await page.getByRole("option", { name: /ID 3/ }).first().click();
    const copied = (): Promise<unknown> =>
      page.evaluate(() => window.play.post({ type: "outcome", text: "Copied the message." }));
    for (let time = 0; time < 2; time++) {
      await page.getByRole("button", { name: "Copy Message" }).click();
      await status.and(page.locator(":empty")).waitFor({ state: "attached" });
      await copied();
      await status.getByText("Copied the message.").waitFor();
    }
    await page.locator(".inspector-status").getByText("Copied the message.").waitFor();
    bench.messages.run({ type: "filter", method: "initialize" });
    await status.getByText("2 of 13 messages").waitFor();
    await page.locator(".inspector-status").getByText("2 of 13 messages").waitFor();
    bench.messages.show("demo", { session: "other" });
    await page.locator('.inspector-status[data-failed="true"]').getByText("no longer recorded").waitFor();
  });

  it("shows long values in full, and how many are missing as a field that the keys reach", async () => {
    const cwd = `/${"w".repeat(90)}`;
    bench.sent({
      id: 1,
      method: "session/new",
      params: { cwd, mcpServers: [] },
      list: Array.from({ length: 201 }, () => 1),
    });
    const { page } = await bench.open({ width: 600 });
    await page.getByRole("option", { name: /^To agent, session\/new/ }).click();
    const tree = page.getByRole("tree", { name: "Content of the message" });
    const field = tree.getByRole("treeitem", { name: "cwd:" }).locator(".json-field");
    await field.waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    assert.ok(await field.evaluate(box => box.scrollWidth <= box.clientWidth), "it is not cut");
    await tree.getByRole("treeitem", { name: "list: 201 items" }).click();
    await page.keyboard.press("End");
    await page.locator('[role="treeitem"]:focus', { hasText: "1 more is not shown." }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.locator('[role="treeitem"]:focus', { hasText: "199: 1" }).waitFor();
  });

  it("shows no message of the connection before once the agent was restarted", async () => {
    const { page } = await bench.filled().open();
    await page.getByRole("option", { name: /^To agent, session\/prompt, ID 2/ }).click();
    await page.getByRole("button", { name: "Go to Answer" }).waitFor();
    await page.getByRole("combobox", { name: "Method" }).selectOption("session/prompt");
    bench.recorder = new TrafficRecorder(systemClock);
    bench.sent({ id: 0, method: "initialize", params: { protocolVersion: 1 } });
    bench.recorded.fire("demo");
    await page.getByRole("button", { name: "Go to Answer" }).waitFor({ state: "hidden" });
    assert.equal(await page.locator(".message-detail").isVisible(), false);
    assert.equal(await page.getByRole("combobox", { name: "Method" }).inputValue(), "session/prompt");
  });

  it("shows an answer in rows that were shown earlier and are far away", async () => {
    bench.filled().sent({ id: 9, method: "session/close", params: { sessionId: "session-1" } });
    const { page } = await bench.chunks(900).open();
    const list = page.getByRole("listbox", { name: "Messages" });
    await page.locator('[aria-posinset="914"]', { hasText: "session/update" }).waitFor();
    await list.evaluate(box => box.scrollTo(0, 0));
    const waiting = page.getByRole("option", { name: /session\/close, ID 9, Session session-1, \d+ bytes/ });
    await waiting.waitFor();
    await list.evaluate(box => box.scrollTo(0, 800 * 22));
    await page.locator('[aria-posinset="801"]', { hasText: "session/update" }).waitFor();
    bench.received({ id: 9, result: {} });
    bench.recorded.fire("demo");
    await page.locator('[aria-setsize="915"]').first().waitFor();
    await list.evaluate(box => box.scrollTo(0, 0));
    await page.getByRole("option", { name: /session\/close, ID 9, Session session-1, Answered after/ }).waitFor();
  });

  it("shows only the rows near the visible ones, and any row of many when the user scrolls there", async () => {
    const { page } = await bench.filled().chunks(49_987).open();
    await page.getByRole("status").getByText("50,000 messages").waitFor();
    await page.locator('[aria-posinset="50000"]', { hasText: "session/update" }).waitFor();
    const list = page.getByRole("listbox", { name: "Messages" });
    await list.evaluate(box => box.scrollTo(0, 25_000 * 22));
    await page.locator('[aria-posinset="25001"]', { hasText: "session/update" }).waitFor();
    assert.ok((await page.getByRole("option").count()) < 120);
    await list.focus();
    await page.keyboard.press("Home");
    await page.getByRole("option", { name: /initialize, ID 0/, selected: true }).waitFor();
    await page.keyboard.press("End");
    await page.locator('[aria-posinset="50000"][aria-selected="true"]').waitFor();
    await list.evaluate(box => box.scrollTo(0, 0));
    await page.locator('[aria-posinset="1"]').waitFor();
    assert.equal(await list.getAttribute("aria-activedescendant"), null, "the selected row is not on the page");
  });

  for (const theme of ["dark", "light", "hc", "hc-light"] as const) {
    it(`has no fault of accessibility in the theme ${theme}, also in a narrow tab`, async () => {
      const { page } = await bench.filled().open({ theme });
      await page.getByRole("option", { name: /ID 3/ }).first().click();
      await page.getByRole("treeitem", { name: "prompt: 1 item" }).waitFor();
      await page.evaluate(axeSource);
      const results = await page.evaluate(() =>
        (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
      );
      assert.deepEqual(
        results.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
      );
      for (const width of [1100, 600, 280]) {
        await page.setViewportSize({ width, height: 700 });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await picture(bench.panel, `inspector-${theme}-${width}`);
      }
    });
  }
});
