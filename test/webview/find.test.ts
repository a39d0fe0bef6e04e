// Find in conversation as users see it: the bar, its keys, the highlights in the text, and hits that are not painted
// yet. The results come from the host's own search over the same view.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { Finder } from "../../src/panel/find/finder.ts";
import type { ToolPart, ViewHead, View } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { START, delegated, everyEntry, message, snapshot, sumDiff, testRun, tool, view } from "./scenes.ts";

const running: ViewHead["activity"] = { state: "running", since: START, cancelling: false };

const toggles = { matchCase: false, wholeWord: false, regex: false };

/** A panel with answers to its searches. */
class FindPage {
  readonly panel: PanelPage;
  #view: View;
  #answered = 0;

  constructor(panel: PanelPage, shown: View) {
    this.panel = panel;
    this.#view = shown;
  }

  get input(): Locator {
    return this.panel.page.getByRole("textbox", { name: "Find in conversation" });
  }
  get words(): Locator {
    return this.panel.page.locator(".find-words");
  }

  async open(): Promise<void> {
    await this.panel.post({ type: "focus", target: "find" });
    await this.input.and(this.panel.page.locator(":focus")).waitFor();
  }

  /** Types a query and sends the results. */
  async type(query: string): Promise<void> {
    await this.input.fill(query);
    await this.answer();
  }

  async press(key: string): Promise<void> {
    await this.panel.page.keyboard.press(key);
  }

  /** Waits for the next search and sends the results of the newest, over `shown` if that is given. */
  async answer(shown = this.#view): Promise<void> {
    this.#view = shown;
    await this.panel.page.waitForFunction(
      answered => window.play.intents.some(intent => intent.type === "find" && intent.request > answered),
      this.#answered,
    );
    const intent = (await this.panel.intents()).findLast(each => each.type === "find");
    assert.ok(intent?.type === "find");
    this.#answered = intent.request;
    const result = await new Finder(() => new Promise(setImmediate)).find(intent, shown.entries);
    assert.ok(result);
    const { hits, problem } = result;
    await this.panel.post({
      type: "found",
      request: intent.request,
      total: hits.length,
      hits,
      ...(result.truncated && { truncated: true }),
      ...(problem && { problem: "The regular expression is invalid." }),
    });
  }

  async says(words: string): Promise<void> {
    await this.words.filter({ hasText: new RegExp(`^\\s*${words.replace(/[+.]/g, "\\$&")}\\s*$`) }).waitFor();
  }

  /** The highlighted texts, and the one highlighted as the current hit. */
  marks(): Promise<{ all: string[]; current: string[] }> {
    return this.panel.page.evaluate(() => {
      const texts = (name: string): string[] =>
        [...(CSS.highlights.get(name) ?? [])].map(range => (range as Range).toString());
      return { all: texts("parley-find"), current: texts("parley-find-current") };
    });
  }

  /** Waits until the current hit is this text and is visible, within one pixel. */
  async atHit(text: string): Promise<void> {
    await this.panel.page.waitForFunction(wanted => {
      const [range] = [...(CSS.highlights.get("parley-find-current") ?? [])] as Range[];
      const log = document.querySelector(".log")?.getBoundingClientRect();
      const box = range?.getBoundingClientRect();
      return range?.toString() === wanted && box && log && box.height > 0 && box.top >= log.top - 1 && box.bottom <= log.bottom + 1; // prettier-ignore
    }, text);
  }
}

async function openFind(
  entries: View["entries"],
  head: Partial<ViewHead> = {},
  options: Options = {},
): Promise<FindPage> {
  const shown = view(entries, head);
  const find = new FindPage(await openPanel([snapshot(shown)], options), shown);
  await find.open();
  return find;
}

const long = Array.from({ length: 460 }, (_, i) =>
  message(`m${i}`, i % 2 ? "agent" : "user", i === 3 ? "a rare word" : `common words of ${i}`),
);

describe("find in conversation", () => {
  usePanel();

  it("opens at a hit of the search of all conversations, also before its conversation and its entry are shown", async () => {
    const entries = [
      message("m1", "agent", "a parser"),
      message("m2", "agent", "one parser, two Parsers, three parsers"),
    ];
    const session = "first";
    const shown = view(entries, { session });
    const at = { type: "findAt", entry: "m2", nth: 1, query: "parser", ...toggles } as const;
    const page = new FindPage(await openPanel([snapshot(shown)]), shown);
    await page.panel.post({ ...at, session });
    await page.input.and(page.panel.page.locator(":focus")).waitFor();
    await page.answer();
    await page.says("3 of 4");
    assert.deepEqual((await page.marks()).current, ["Parser"]);
    await page.press("Shift+Enter");
    await page.says("2 of 4");

    // Another conversation is opened after the message, and its beginning arrives after its end.
    const next: View = { ...shown, head: { ...shown.head, session: "next" } };
    await page.panel.post({ ...at, entry: "m1", nth: 7, session: "next" });
    await page.says("2 of 4");
    await page.panel.post(snapshot({ ...next, entries: entries.slice(1) }, 2));
    await page.answer(next);
    await page.says("4 results");
    await page.panel.post(snapshot(next, 3));
    await page.says("1 of 4");
  });

  it("finds an unpainted part of a very long answer and scrolls it into view", async () => {
    const text = Array.from({ length: 400 }, (_, n) => `Paragraph ${n} of a long answer.`).join("\n\n");
    // The clock is frozen, so deferred parts are not painted.
    const find = await openFind([], {}, { frozen: true });
    const { log, page } = find.panel;
    const shown = view([message("m1", "agent", text)]);
    await find.panel.show(shown);
    assert.ok((await log.locator(".blocks.waiting").count()) > 20);
    assert.equal(await log.getByText("Paragraph 200 of").count(), 0);
    await find.input.fill("Paragraph 200 of");
    await find.answer(shown);
    await find.says("1 result");
    await find.press("Enter");
    await page.clock.runFor(2000);
    const paragraph = log.getByText("Paragraph 200 of");
    await paragraph.waitFor();
    const at = await paragraph.evaluate(it => it.getBoundingClientRect().toJSON() as DOMRect);
    assert.ok(at.top > 0 && at.bottom < 800, JSON.stringify(at));
  });

  it("highlights hits around a folded run of look-ups, and opens the run for a hit in it", async () => {
    const find = await openFind(delegated.entries, delegated.head);
    const run = find.panel.log.getByRole("button", { name: "Read 3 files, searched once" });
    assert.equal(await run.getAttribute("aria-expanded"), "false");
    await find.type("calls sum");
    await find.says("2 results");
    assert.deepEqual((await find.marks()).all, ["calls sum", "calls sum"]);
    await find.press("Enter");
    await find.atHit("calls sum");
    await find.type("Read src/cart.js");
    await find.press("Enter");
    await find.panel.page.waitForFunction(() => (CSS.highlights.get("parley-find-current")?.size ?? 0) > 0);
    assert.deepEqual((await find.marks()).current, ["Read src/cart.js"]);
    assert.equal(await run.getAttribute("aria-expanded"), "true");
  });

  it("counts hits while typing without scrolling, then goes through them by keys and buttons and wraps around", async () => {
    const find = await openFind([
      message("u", "user", "Sum this sum"),
      message("a", "agent", "The **su**m is `sum`, see [sum](https://example.com/sum).\n\n```js\nlet sum;\n```"),
    ]);
    await find.type("sum");
    await find.says("6 results");
    assert.deepEqual(await find.marks(), { all: ["Sum", "sum", "sum", "sum", "sum", "sum"], current: [] });
    await find.panel.page.getByRole("status").filter({ hasText: "6 results" }).waitFor({ state: "attached" });
    await find.press("Enter");
    await find.says("1 of 6");
    await find.press("F3");
    await find.says("2 of 6");
    await find.press("Shift+Enter");
    await find.press("Shift+F3");
    await find.says("6 of 6");
    await find.panel.page.getByRole("button", { name: "Next Match (Enter)" }).click();
    await find.says("1 of 6");
    await find.panel.page.getByRole("button", { name: "Previous Match (Shift+Enter)" }).click();
    await find.says("6 of 6");
    await find.atHit("sum");
    assert.equal((await find.marks()).all.length, 5);
    await find.type("absent");
    await find.says("No results");
    await find.panel.page.getByRole("status").filter({ hasText: "No results" }).waitFor({ state: "attached" });
    await find.panel.assertClean();
  });

  it("highlights as many hits as it counts, in every kind of entry, once all are open", async () => {
    const find = await openFind(everyEntry, {}, { height: 3000 });
    const { log } = find.panel;
    await log
      .locator("button[aria-expanded=false], details:not([open]) > summary")
      .evaluateAll(all => all.forEach(each => (each as HTMLElement).click()));
    await log.locator(".ansi-fg-red").first().waitFor();
    for (const query of ["s", "sum", "src/", "the", "0", "npm test", "expected", "retry", "notes", "busy"]) {
      await find.type(query);
      const total = Number.parseInt((await find.words.textContent()) ?? "", 10);
      const { all } = await find.marks();
      assert.ok(total > 0, query);
      assert.equal(all.length, total, query);
      // An elapsed time that is painted again at this moment empties its mark.
      const marked = all.filter(text => text !== "").map(text => text.toLowerCase());
      assert.ok(marked.length >= total - 1, query);
      assert.deepEqual(new Set(marked), new Set([query]));
    }
    await find.panel.assertClean();
  });

  it("highlights a hit that begins before a path of command output and ends after it", async () => {
    const output: ToolPart = { type: "terminal", terminalId: "t1", text: "error in src/a.ts:3 here", truncated: false };
    const find = await openFind([tool("c1", "make", { toolKind: "execute", status: "failed", parts: [output] })]);
    await find.panel.log.getByRole("link", { name: "src/a.ts:3" }).waitFor();
    await find.type("in src/a.ts:3 here");
    await find.says("1 result");
    assert.deepEqual((await find.marks()).all, ["in src/a.ts:3 here"]);
  });

  it("highlights hits that begin before a link in an answer and end after it, or are a part of it", async () => {
    const answer = "See [the notes](https://example.org)/sum, (src/a.ts:3), and\n\n- <https://b.example> ends.";
    const find = await openFind([message("m", "agent", answer), message("u", "user", "before https://c.example.")]);
    await find.panel.log.getByRole("link", { name: "the notes" }).waitFor();
    for (const query of ["See the notes/sum", "the notes", "(src/a.ts:3),", "https://b.example ends", "c.example."]) {
      await find.type(query);
      await find.says("1 result");
      assert.deepEqual((await find.marks()).all, [query]);
    }
  });

  it("finds formulas as they are written, and outlines a drawn one that contains the hit", async () => {
    const find = await openFind([message("m", "agent", "so \\(x^2\\), which is `x^2`, and\n\n$$\nx^2\n$$")]);
    await find.panel.log.locator(".formula.drawn").nth(1).waitFor();
    await find.type("x^2");
    await find.says("3 results");
    assert.equal((await find.marks()).all.length, 3);
    await find.press("Enter");
    await find.panel.log.locator(".formula[data-found]").waitFor();
    await find.panel.assertClean();
  });

  it("has toggles with Alt+C, Alt+W and Alt+R, and shows the error in a pattern", async () => {
    const find = await openFind([message("u", "user", "Cat concat cat c.t")]);
    await find.type("cat");
    await find.says("3 results");
    await find.press("Alt+c");
    await find.answer();
    await find.says("2 results");
    await find.press("Alt+w");
    await find.answer();
    await find.says("1 result");
    assert.deepEqual(await find.marks(), { all: ["cat"], current: [] });
    await find.press("Alt+r");
    await find.answer();
    await find.type("c.t");
    await find.says("2 results");
    const regex = find.panel.page.getByRole("button", { name: "Use Regular Expression (Alt+R)" });
    assert.equal(await regex.getAttribute("aria-pressed"), "true");
    await find.type("(");
    await find.says("The regular expression is invalid.");
    assert.equal(await find.input.inputValue(), "(", "the toggle keys type no text");
  });

  it("opens and switches by the physical keys if they type no Latin letters, and by the letter otherwise", async () => {
    const shown = view([message("u", "user", "Cat concat cat")]);
    const find = new FindPage(await openPanel([snapshot(shown)]), shown);
    const { composer, page } = find.panel;
    const bar = page.getByRole("search");
    const press = (on: Locator, key: string, code: string, modifier: "ctrlKey" | "altKey"): Promise<void> =>
      on.dispatchEvent("keydown", { key, code, [modifier]: true, bubbles: true, cancelable: true });
    // On Dvorak, the key of QWERTY's F types u.
    await press(composer, "u", "KeyF", "ctrlKey");
    await press(composer, "\u05e2", "KeyG", "ctrlKey");
    assert.equal(await bar.count(), 0);
    await press(composer, "f", "KeyY", "ctrlKey");
    await bar.waitFor();
    await find.press("Escape");
    await bar.waitFor({ state: "detached" });
    await press(composer, "\u05db", "KeyF", "ctrlKey");
    await find.input.and(page.locator(":focus")).waitFor();
    await find.type("cat");
    await find.says("3 results");
    // Hebrew, and a letter that Option types on macOS.
    await press(find.input, "\u05d1", "KeyC", "altKey");
    await find.answer();
    await find.says("2 results");
    await press(find.input, "\u2211", "KeyW", "altKey");
    await find.answer();
    await find.says("1 result");
    assert.deepEqual((await find.marks()).all, ["cat"]);
  });

  it("goes to hits in an unpainted entry, in a folded thought, in a card, and in a folded part of a card", async () => {
    const entries = [
      ...long,
      message("h", "thought", "a **hidden** idea", 5),
      tool("c1", "Edit", { parts: [sumDiff] }),
      tool("c2", "Run", { parts: [testRun, { type: "json", label: "Input", text: '{ "secret": 1 }' }] }),
    ];
    const find = await openFind(entries);
    const rare = find.panel.log.getByText("a rare word");
    assert.equal(await rare.count(), 0);
    await find.type("rare word");
    await find.press("Enter");
    await find.atHit("rare word");
    await find.says("1 of 1");
    for (const hit of ["hidden idea", "nothing", "expected 0", '"secret"']) {
      await find.type(hit);
      await find.press("Enter");
      await find.atHit(hit);
    }
    assert.equal(
      await find.panel.log.getByRole("button", { name: /Thought for/ }).getAttribute("aria-expanded"),
      "true",
    );
    await find.panel.assertClean();
  });

  it("starts at the visible entry", async () => {
    const find = await openFind(long);
    await find.type("common");
    await find.press("Shift+Enter");
    const upwards = Number.parseInt((await find.words.textContent()) ?? "", 10);
    assert.ok(upwards > 440 && upwards < 459, `${upwards}`);
  });

  it("Enter pressed before the results goes to the first hit when they arrive", async () => {
    const find = await openFind(long);
    await find.input.fill("rare");
    await find.press("Enter");
    await find.answer();
    await find.atHit("rare");
  });

  it("highlights hits in the plans of a sub-agent and in its name", async () => {
    const step = { content: "Bill twice", priority: "high", status: "in_progress" };
    const card = tool("s", "Plan", {
      ...{ toolKind: "subagent", status: "failed" },
      parts: [
        { type: "session", entry: "x", title: "Bill helper" },
        { type: "session" },
        { type: "plan", entries: [step], file: { path: "/w/bill.md", label: "bill.md" } },
        { type: "plan", entries: [], markdown: "# The bill\n\n- a **bill**" },
        { type: "plan", entries: [], uri: "file:///w/bill.txt" },
      ],
    });
    const find = await openFind([card]);
    await find.type("bill");
    await find.says("6 results");
    const words = (await find.marks()).all.map(text => text.toLowerCase());
    assert.deepEqual(
      words,
      Array.from({ length: 6 }, () => "bill"),
    );
    for (const own of ["In progress", "High priority", "A session of"]) {
      await find.type(own);
      await find.says("No results");
    }
  });

  it("keeps the current hit and its position while the conversation grows, and counts new hits", async () => {
    const find = await openFind([...long, message("live", "agent", "common")], { live: "live", activity: running });
    await find.type("rare");
    await find.press("Enter");
    await find.atHit("rare");
    const { log } = find.panel;
    const top = await log.evaluate(element => element.scrollTop);
    const asked = async (): Promise<number> =>
      (await find.panel.intents()).filter(({ type }) => type === "find").length;
    const before = await asked();
    for (let i = 0; i < 20; i++) await find.panel.patch({ op: "append", id: "live", part: 0, text: " and rare\n\n" });
    await find.answer(view([...long, message("live", "agent", `common${" and rare\n\n".repeat(20)}`)]));
    await find.says("1 of 21");
    assert.ok((await asked()) - before <= 5, "not for every chunk");
    assert.equal(await log.evaluate(element => element.scrollTop), top);
    await find.atHit("rare");
  });

  it("shows the diff lines that contain a hit, and outlines the part with a hit that is not painted", async () => {
    const lines = Array.from({ length: 900 }, (_, i) => ({ op: "add", text: `line ${i} of many` }) as const);
    const part = { ...sumDiff, hunks: [{ oldStart: 0, newStart: 1, lines }] };
    const overwritten = { ...testRun, text: "abc\u001b[1D\u001b[1Dxyz" };
    const find = await openFind([tool("c", "Write", { parts: [part] }), tool("t", "Run", { parts: [overwritten] })]);
    await find.type("line 899");
    await find.press("Enter");
    await find.atHit("line 899");
    await find.type("abcx");
    await find.press("Enter");
    await find.panel.log.locator("[data-found]").waitFor();
    await find.says("1 of 1");
    await find.press("Escape");
    await find.panel.log.locator("[data-found]").waitFor({ state: "detached" });
  });

  it("Escape closes the bar before it stops the agent, and returns the focus", async () => {
    const shown = view([message("u", "user", "hello")], { activity: running });
    const panel = await openPanel([snapshot(shown)]);
    const find = new FindPage(panel, shown);
    await panel.composer.focus();
    await find.press("Control+f");
    await find.input.and(panel.page.locator(":focus")).waitFor();
    await find.type("hello");
    assert.equal((await find.marks()).all.length, 1);
    await panel.composer.focus();
    await find.press("Escape");
    await find.input.waitFor({ state: "detached" });
    assert.deepEqual(await find.marks(), { all: [], current: [] });
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await find.open();
    assert.equal(await find.input.inputValue(), "hello", "the query is still there");
    await find.press("Escape");
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    const types = async (): Promise<string[]> => (await panel.intents()).map(({ type }) => type);
    assert.ok(!(await types()).includes("stop"));
    await find.press("Escape");
    assert.ok((await types()).includes("stop"));
  });

  it("fits a narrow panel, and searches for the selected text", async () => {
    const find = await openFind(everyEntry, {}, { width: 260 });
    await find.press("Escape");
    await find.panel.log.getByText("Please fix it.").first().selectText();
    await find.panel.page.evaluate(() => getSelection()?.modify("extend", "backward", "character"));
    const bar = find.panel.page.getByRole("search");
    await find.open();
    const box = await bar.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 260, JSON.stringify(box));
    assert.ok(await find.panel.page.evaluate(() => document.documentElement.scrollWidth <= 260));
  });
});
