// The page that searches all conversations: hits while typing, by conversation, with mouse and keyboard. The host is a list
// of conversations in memory with the search that the worker uses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Locator } from "playwright-core";
import { searchPattern } from "../../src/panel/find/searchPattern.ts";
import {
  isSearchIntent,
  type FoundFolder,
  type FoundSession,
  type SearchIntent,
  type SearchMessage,
  type UnsearchedSession,
} from "../../src/panel/searchPage.ts";
import { searchJoinedText } from "../../src/search/searchJoinedText.ts";
import { openPanel, picture, usePanel, type Options, type PanelPage } from "./panelPage.ts";

interface StoredConversation {
  readonly session: string;
  readonly title: string;
  readonly text: string;
  readonly isDone?: true;
  /** The conversation is one of this other folder. */
  readonly folder?: FoundFolder;
}

/** The host of the page. */
class SearchHost {
  readonly intents: SearchIntent[] = [];
  readonly unsearched: UnsearchedSession[] = [];
  readonly #conversations: readonly StoredConversation[];
  /** The host answers no search while this is true. */
  isSilent = false;
  panel: PanelPage | undefined;

  constructor(...conversations: readonly StoredConversation[]) {
    this.#conversations = conversations;
  }

  async receive(message: unknown): Promise<void> {
    assert.ok(isSearchIntent(message), JSON.stringify(message));
    this.intents.push(message);
    if (message.type === "ready") return this.post({ type: "focus", on: "box" });
    if (message.type !== "search" || this.isSilent) return;
    const { request, query } = message;
    const sessions =
      query === ""
        ? []
        : this.#conversations.flatMap((each, index) =>
            each.folder && !message.allFolders ? [] : this.#found(each, index, message),
          );
    if (sessions.length > 0) await this.post({ type: "found", request, sessions });
    await this.post({ type: "done", request, isCut: false, unsearched: this.unsearched });
  }

  #found(
    { session, title, text, isDone, folder }: StoredConversation,
    index: number,
    query: SearchIntent & { readonly type: "search" },
  ): readonly FoundSession[] {
    const lines = text.split("\n").length;
    const result = searchJoinedText(
      { text: `${text}\n`, entries: [[3, lines]] },
      searchPattern(query),
      query.regex,
      200,
    );
    assert.ok(result);
    if (result.rows.length === 0) return [];
    const updated = Date.UTC(2026, 10, 28 - index);
    const more = folder && { folder };
    return [{ session, title, agent: "Demo Agent", updated, isDone: isDone === true, ...result, ...more }];
  }

  async post(message: SearchMessage): Promise<void> {
    await this.panel?.page.evaluate(sent => window.play.post(sent), message);
  }

  get searches(): readonly (SearchIntent & { readonly type: "search" })[] {
    return this.intents.flatMap(intent => (intent.type === "search" ? [intent] : []));
  }
  get attached(): readonly SearchIntent[] {
    return this.intents.filter(({ type }) => type === "attachHit" || type === "attachSession");
  }
  get opened(): readonly unknown[] {
    return this.intents.flatMap(intent => (intent.type === "open" ? [[intent.session, intent.entry, intent.nth]] : []));
  }
}

const parser: StoredConversation = {
  session: "s1",
  title: "Fix the parser",
  text: "Please fix the parser.\nIt fails at line 3.\n\nThe parser reads tokens, and the Parser test fails.\nDone.",
};
const other: StoredConversation = {
  session: "s2",
  title: "Write docs",
  text: "$ cat src/parser.ts\nexport class Parser {}",
  isDone: true,
};

const web: FoundFolder = { uri: "file:///home/ada/work/web", name: "web", label: "~/work/web" };
const api: FoundFolder = { uri: "file:///home/ada/api", name: "api", label: "~/api" };
const elsewhere: readonly StoredConversation[] = [
  { session: `${web.uri} s1`, title: "Change the router", text: "The parser of routes\nis fine.", folder: web },
  { session: `${api.uri} s1`, title: "Add an endpoint", text: "Use the parser.", folder: api },
  { session: `${web.uri} s2`, title: "Fix a link", text: "The link parser", folder: web },
];

async function openSearch(host: SearchHost, options: Options = {}): Promise<PanelPage> {
  const panel = await openPanel([], { ...options, page: "search", host: message => void host.receive(message) });
  host.panel = panel;
  await box(panel).waitFor();
  // The page can ask before the test knows the page.
  await host.post({ type: "focus", on: "box" });
  await box(panel).and(panel.page.locator(":focus")).waitFor();
  return panel;
}
const box = (panel: PanelPage): Locator => panel.page.getByRole("textbox", { name: "Search conversations" });
const found = (panel: PanelPage, title: string): Locator =>
  panel.page.getByRole("region", { name: title, exact: true });
const hits = (panel: PanelPage): Locator => panel.page.locator(".hit");
const says = (panel: PanelPage, words: string): Promise<void> =>
  panel.page.getByRole("status").getByText(words, { exact: true }).waitFor();
const current = (panel: PanelPage): Locator => panel.page.locator('.hit[aria-current="true"]');

const axeSource = readFileSync(
  createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js"),
  "utf8",
);

async function axeViolations({ page }: PanelPage): Promise<readonly unknown[]> {
  await page.evaluate(axeSource);
  const results = await page.evaluate(() => (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  return results.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

describe("the page that searches all conversations", () => {
  usePanel();

  it("shows hits while the user types, by conversation, with the lines around them and the words marked", async () => {
    const host = new SearchHost(parser, other);
    const panel = await openSearch(host);
    await box(panel).pressSequentially("parser");
    await says(panel, "5 hits in 2 conversations");
    const first = found(panel, "Fix the parser");
    assert.deepEqual(await first.locator(".hit").nth(1).locator("span").allTextContents(), [
      ...["It fails at line 3.", "\u00a0", "The parser reads tokens, and the Parser test fails.", "Done."],
    ]);
    assert.deepEqual(await first.locator("mark").allTextContents(), ["parser", "parser", "Parser"]);
    await first.getByText("Demo Agent · ").waitFor();
    await found(panel, "Write docs")
      .getByText(/ · Done$/)
      .waitFor();
    await picture(panel, "search-conversations");
    await panel.assertClean();
  });

  it("opens a hit by a click, with its place in the entry", async () => {
    const host = new SearchHost(parser, other);
    const panel = await openSearch(host);
    await box(panel).fill("parser");
    await hits(panel).nth(1).click();
    assert.deepEqual(host.opened, [["s1", 3, 1]]);
    await current(panel).and(hits(panel).nth(1)).waitFor();
    const last = host.intents.at(-1);
    assert.ok(last?.type === "open");
    assert.deepEqual([last.query, last.matchCase, last.regex], ["parser", false, false]);
  });

  it("is used with the keyboard only: Enter, the arrow keys, F4 across conversations, and Escape", async () => {
    const host = new SearchHost(parser, other);
    const panel = await openSearch(host);
    const { keyboard } = panel.page;
    await box(panel).fill("parser");
    await says(panel, "5 hits in 2 conversations");
    await keyboard.press("Enter");
    assert.deepEqual(host.opened, [["s1", 3, 0]]);
    await keyboard.press("F4");
    await keyboard.press("F4");
    await keyboard.press("Shift+F4");
    assert.deepEqual(host.opened, [["s1", 3, 0], ["s1", 3, 1], ["s2", 3, 0], ["s1", 3, 1]]); // prettier-ignore
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowDown");
    await current(panel).and(panel.page.locator(":focus")).getByText("export class Parser {}").waitFor();
    assert.equal(host.opened.length, 4);
    await keyboard.press("Enter");
    assert.deepEqual(host.opened.at(-1), ["s2", 3, 1]);
    await keyboard.press("Escape");
    await box(panel).and(panel.page.locator(":focus")).waitFor();
    await keyboard.press("ArrowDown");
    await current(panel).and(panel.page.locator(":focus")).waitFor();
    for (let i = 0; i < 4; i++) await keyboard.press("ArrowUp");
    await box(panel).and(panel.page.locator(":focus")).waitFor();
    // The way back from a conversation is to the hit, and the command of the search goes to the box.
    await host.post({ type: "focus", on: "hit" });
    await current(panel).and(panel.page.locator(":focus")).waitFor();
    await host.post({ type: "focus", on: "box" });
    await box(panel).and(panel.page.locator(":focus")).waitFor();
    // The commands of VS Code do the same.
    await host.post({ type: "go", step: 1 });
    await current(panel).and(hits(panel).nth(1)).waitFor();
    await panel.assertClean();
  });

  it("attaches a hit or a conversation to the message, by its button", async () => {
    const host = new SearchHost(parser, other);
    const panel = await openSearch(host);
    await box(panel).fill("parser");
    await says(panel, "5 hits in 2 conversations");
    await panel.page
      .getByRole("button", { name: "Attach to Message: The parser reads tokens, and the Parser test fails." })
      .click();
    const hit = { type: "attachHit", session: "s1", entry: 3, lineInEntry: 3, column: 4 };
    assert.deepEqual(host.attached, [hit]);
    await current(panel).and(hits(panel).nth(1)).waitFor();
    const whole = panel.page.getByRole("button", { name: "Attach to Message: Write docs" });
    assert.equal((await whole.textContent())?.trim(), "Attach to Message");
    await whole.click();
    assert.deepEqual(host.attached, [hit, { type: "attachSession", session: "s2" }]);
    assert.deepEqual(host.opened, []);
    const problem = "“Write docs” could not be attached: It was deleted.";
    await host.post({ type: "failed", problem });
    await says(panel, problem);
    await panel.assertClean();
  });

  it("attaches the hit that has the focus with Ctrl+Enter or Cmd+Enter, and in the box the one that Enter opens", async () => {
    const host = new SearchHost(parser, other);
    const panel = await openSearch(host);
    const { keyboard } = panel.page;
    const places = (): readonly unknown[] =>
      host.attached.map(each => (each.type === "attachHit" ? [each.session, each.lineInEntry, each.column] : each));
    await box(panel).fill("parser");
    await says(panel, "5 hits in 2 conversations");
    await keyboard.press("Control+Enter");
    assert.deepEqual(places(), [["s1", 0, 15]]);
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowDown");
    await current(panel).and(panel.page.locator(":focus")).getByText("$ cat src/parser.ts").waitFor();
    await keyboard.press("Meta+Enter");
    await keyboard.press("Tab");
    await panel.page.locator("[data-action=attach]:focus").waitFor();
    await keyboard.press("Control+Enter");
    assert.deepEqual(places().slice(1), [["s2", 0, 10], ["s2", 0, 10]]); // prettier-ignore
    await keyboard.press("Control+Shift+Enter");
    assert.equal(places().length, 3);
    // What was typed last is searched first.
    await box(panel).focus();
    await keyboard.type("x");
    await keyboard.press("Control+Enter");
    await says(panel, "No results");
    await keyboard.press("Control+Enter");
    assert.deepEqual([places().length, host.opened], [3, []]);
    await panel.assertClean();
  });

  it("has the switches of Find", async () => {
    const host = new SearchHost(parser, other);
    const panel = await openSearch(host);
    await box(panel).fill("Parser");
    await says(panel, "5 hits in 2 conversations");
    await panel.page.getByRole("button", { name: "Match Case (Alt+C)" }).click();
    await says(panel, "2 hits in 2 conversations");
    await box(panel).press("Alt+r");
    await box(panel).fill("^export");
    await says(panel, "1 hit in 1 conversation");
    await box(panel).press("Alt+w");
    await panel.page.getByRole("button", { name: "Match Whole Word (Alt+W)", pressed: true }).waitFor();
    assert.deepEqual(host.searches.at(-1), {
      ...{ type: "search", request: host.searches.length, query: "^export" },
      ...{ matchCase: true, wholeWord: true, regex: true, allFolders: false },
    });
  });

  it("has the switches of Find on the physical keys of other layouts", async () => {
    const host = new SearchHost(parser, other);
    const panel = await openSearch(host);
    await box(panel).fill("Parser");
    await says(panel, "5 hits in 2 conversations");
    const press = (key: string, code: string): Promise<void> =>
      box(panel).dispatchEvent("keydown", { key, code, altKey: true, bubbles: true, cancelable: true });
    // Hebrew, where the key of C types another letter, and the letter c on another key.
    await press("c", "KeyI");
    await press("\u05d1", "KeyC");
    await panel.page.getByRole("button", { name: "Match Case (Alt+C)", pressed: true }).waitFor();
    await says(panel, "2 hits in 2 conversations");
    await press("\u2211", "KeyW");
    await panel.page.getByRole("button", { name: "Match Whole Word (Alt+W)", pressed: true }).waitFor();
    const { matchCase, wholeWord, regex } = host.searches.at(-1) ?? {};
    assert.deepEqual({ matchCase, wholeWord, regex }, { matchCase: true, wholeWord: true, regex: false });
    await panel.assertClean();
  });

  it("searches all folders with a switch, and groups the hits of other folders by their names", async () => {
    const host = new SearchHost(parser, ...elsewhere, other);
    const panel = await openSearch(host);
    await box(panel).fill("parser");
    await says(panel, "5 hits in 2 conversations");
    await panel.page.getByRole("button", { name: "Search All Folders (Alt+A)" }).click();
    await says(panel, "8 hits in 5 conversations");
    await panel.page.getByRole("button", { name: "Search All Folders (Alt+A)", pressed: true }).waitFor();
    const headings = panel.page.getByRole("heading");
    const outline = await headings.evaluateAll(all =>
      all.map(each => [each.tagName, (each.querySelector(".found-title") ?? each).textContent?.trim()].join(" ")),
    );
    assert.deepEqual(outline, [
      ...["H1 Search Conversations", "H2 Fix the parser", "H2 Write docs"],
      ...["H2 web", "H3 Change the router", "H3 Fix a link"],
      ...["H2 api", "H3 Add an endpoint"],
    ]);
    const folder = panel.page.getByRole("region", { name: "Folder web", exact: true });
    await folder.getByText("~/work/web").waitFor();
    await folder.getByRole("region", { name: "Fix a link" }).waitFor();
    assert.equal(await folder.getByRole("button", { name: /^Attach/ }).count(), 0);
    assert.equal(
      await found(panel, "Fix the parser")
        .getByRole("button", { name: /^Attach/ })
        .count(),
      3,
    );
    await folder.getByRole("button", { name: "The link parser" }).click();
    assert.deepEqual(host.opened, [[`${web.uri} s2`, 3, 0]]);
    assert.equal(
      await folder.getByRole("button", { name: "The link parser" }).getAttribute("title"),
      "Open the Folder web in a New Window",
    );
    await panel.assertClean();
  });

  it("reaches hits of other folders with the keyboard, and only Enter opens their window", async () => {
    const host = new SearchHost(other, ...elsewhere);
    const panel = await openSearch(host);
    const { keyboard } = panel.page;
    await box(panel).fill("parser");
    await box(panel).press("Alt+a");
    await says(panel, "5 hits in 4 conversations");
    // F4 goes on in the folder of the window, and stays at its last hit.
    for (let i = 0; i < 4; i++) await keyboard.press("F4");
    assert.deepEqual(host.opened, [["s2", 3, 0], ["s2", 3, 1]]); // prettier-ignore
    await keyboard.press("ArrowDown");
    await current(panel).and(panel.page.locator(":focus")).getByText("The parser of routes").waitFor();
    await keyboard.press("Control+Enter");
    await says(panel, "A conversation of another folder cannot be attached. Open its folder first.");
    assert.deepEqual(host.attached, []);
    await keyboard.press("Enter");
    assert.deepEqual(host.opened.at(-1), [`${web.uri} s1`, 3, 0]);
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowDown");
    await current(panel).and(panel.page.locator(":focus")).getByText("Use the parser.").waitFor();
    await keyboard.press("Shift+F4");
    assert.deepEqual(host.opened.at(-1), ["s2", 3, 1]);
    await box(panel).press("Alt+a");
    await says(panel, "2 hits in 1 conversation");
    assert.equal(await hits(panel).count(), 2);
    assert.equal(host.searches.at(-1)?.allFolders, false);
    await panel.assertClean();
  });

  it("keeps the old hits until the new ones come, and ignores late ones", async () => {
    const host = new SearchHost(parser, other);
    const panel = await openSearch(host);
    await box(panel).fill("tokens");
    await says(panel, "1 hit in 1 conversation");
    host.isSilent = true;
    await box(panel).fill("docs");
    await says(panel, "Searching…");
    assert.equal(await hits(panel).count(), 1);
    const [before, request] = host.searches.slice(-2).map(each => each.request) as [number, number];
    await host.post({ type: "reading", request, left: 12 });
    await says(panel, "Reading 12 conversations for the first time or after a change…");
    await host.post({ type: "done", request: before, isCut: false, unsearched: [], problem: "Late." });
    await host.post({ type: "done", request, isCut: false, unsearched: [] });
    await says(panel, "No results");
    assert.equal(await hits(panel).count(), 0);
  });

  it("names conversations that cannot be searched, and says what is wrong with a search", async () => {
    const host = new SearchHost(parser);
    host.unsearched.push({ title: "Broken", reason: "Its log contains nothing that Parley can read." });
    const panel = await openSearch(host);
    await box(panel).fill("parser");
    const note = panel.page.getByText("1 conversation was not searched, or not all of it");
    await note.click();
    await panel.page.getByText("“Broken”: Its log contains nothing that Parley can read.").waitFor();
    host.unsearched.push({ title: "x.session.json", reason: "It is damaged.", folder: "web\u202e" });
    await box(panel).press("Alt+a");
    await panel.page.getByText("“x.session.json” in web[U+202E]: It is damaged.").waitFor({ state: "attached" });
    host.isSilent = true;
    await box(panel).fill("after:soon");
    await panel.page.getByText("Searching…").waitFor();
    const request = host.searches.at(-1)?.request ?? 0;
    const problem = "The filter “after:” needs a date such as 2026-01-31, “today” or “yesterday”.";
    await host.post({ type: "done", request, isCut: false, unsearched: [], problem });
    await says(panel, problem);
    assert.equal(await box(panel).getAttribute("aria-invalid"), "true");
    await panel.assertClean();
  });

  it("paints many hits in parts, and goes on to those that are not painted", async () => {
    const many = Array.from({ length: 120 }, (_, i): StoredConversation => ({
      ...{
        session: `m${i}`,
        title: `Part ${i}`,
        text: Array.from({ length: 15 }, (__, n) => `needle ${n}`).join("\n"),
      },
    }));
    const panel = await openSearch(new SearchHost(...many));
    await box(panel).fill("needle");
    await says(panel, "1,800 hits in 120 conversations");
    assert.equal(await hits(panel).count(), 500);
    await found(panel, "Part 0").getByRole("button", { name: "Show 5 more lines" }).click();
    assert.equal(await hits(panel).count(), 505);
    await panel.page.getByRole("button", { name: "Show More Conversations" }).click();
    assert.equal(await panel.page.locator(".found").count(), 100);
    await found(panel, "Part 1").locator(".hit").last().click();
    await panel.page.keyboard.press("F4");
    assert.equal(await found(panel, "Part 1").locator(".hit").count(), 15);
  });

  it("shows hostile titles and lines as text", async () => {
    const panel = await openSearch(
      new SearchHost({ session: "x", title: "<b>a</b>\u202e", text: "<img src=x onerror=alert(1)> needle \u202e" }),
    );
    await box(panel).fill("needle");
    await found(panel, "<b>a</b>[U+202E]").getByText("<img src=x onerror=alert(1)> needle [U+202E]").waitFor();
    await panel.assertClean();
  });

  for (const theme of ["dark", "light", "hc", "hc-light"] as const) {
    it(`has no fault of accessibility with hits of other folders in the theme ${theme}, also in a narrow tab`, async () => {
      const host = new SearchHost(parser, ...elsewhere);
      host.unsearched.push({ title: "Broken", reason: "It is damaged.", folder: "web" });
      const panel = await openSearch(host, { theme });
      await box(panel).fill("parser");
      await box(panel).press("Alt+a");
      await says(panel, "6 hits in 4 conversations");
      await panel.page.getByText("1 conversation was not searched, or not all of it").click();
      await hits(panel).nth(2).focus();
      assert.deepEqual(await axeViolations(panel), []);
      for (const width of [480, 280]) {
        await panel.page.setViewportSize({ width, height: 800 });
        assert.ok(await panel.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await picture(panel, `search-all-folders-${theme}-${width}`);
      }
    });

    it(`has no fault of accessibility in the theme ${theme}, also in a narrow tab`, async () => {
      const host = new SearchHost(parser, other);
      host.unsearched.push({ title: "Broken", reason: "Its log contains nothing that Parley can read." });
      const panel = await openSearch(host, { theme });
      await box(panel).fill("parser");
      await hits(panel).nth(1).click();
      const mark = await panel.page
        .locator("mark")
        .first()
        .evaluate(each => [getComputedStyle(each).backgroundColor, getComputedStyle(each).outlineColor]);
      assert.ok(
        mark.some(color => color !== "rgba(0, 0, 0, 0)"),
        "words are marked without a color",
      );
      await picture(panel, `search-conversations-${theme}`);
      assert.deepEqual(await axeViolations(panel), []);
      await panel.page.setViewportSize({ width: 280, height: 600 });
      assert.ok(await panel.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await picture(panel, `search-conversations-${theme}-narrow`);
    });
  }
});
