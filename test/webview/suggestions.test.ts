// The lists above the composer: suggestions after `@` and a leading `/`, and the search in an option with many choices.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Intent } from "../../src/panel/intents.ts";
import type { Completion } from "../../src/panel/mentionKinds.ts";
import type { SessionOption } from "../../src/session/events.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { START, snapshot, view } from "./scenes.ts";

const commands = [
  { name: "explain", description: "Explain a file", hint: "file" },
  { name: "test", description: "Run the tests in a terminal" },
  { name: "plan", description: "Plan a refactor that touches tests" },
];
const running = { state: "running", since: START, cancelling: false } as const;
const list = (panel: PanelPage): Locator => panel.page.getByRole("listbox", { name: /Suggestions|Commands/ });
const rows = (panel: PanelPage): Promise<readonly string[]> =>
  list(panel)
    .getByRole("option")
    .evaluateAll(all => all.map(each => (each.textContent ?? "").replace(/\s+/g, " ").trim()));
/** The row that the text box references as current. */
const current = (panel: PanelPage): Promise<string | undefined> =>
  panel.composer.evaluate(box => {
    const row = document.getElementById(box.getAttribute("aria-activedescendant") ?? "");
    return row?.getAttribute("aria-selected") === "true"
      ? (row.textContent ?? "").replace(/\s+/g, " ").trim()
      : undefined;
  });
const file = (key: string, label: string, more: Partial<Completion> = {}): Completion => ({
  key,
  kind: "file",
  label,
  ...more,
});

async function asked(panel: PanelPage): Promise<Extract<Intent, { type: "complete" }>> {
  const last = (await panel.intents()).findLast(intent => intent.type === "complete");
  assert.ok(last?.type === "complete", "The composer sent no request.");
  return last;
}
/** Responds to the composer's latest request. */
async function answer(panel: PanelPage, items: readonly Completion[], indexing = false): Promise<number> {
  const { request } = await asked(panel);
  await panel.post({ type: "completions", request, items, ...(indexing && { indexing }) });
  return request;
}
const sent = async (panel: PanelPage): Promise<readonly Intent[]> =>
  (await panel.intents()).filter(({ type }) => type !== "complete" && type !== "preview");

describe("suggestions after @", () => {
  usePanel();

  it("are requested only at the start of a word or after a bracket, with the text up to the caret", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    for (const { text, query } of [
      { text: "@", query: "" },
      { text: "see @sum", query: "sum" },
      { text: "see (@src/a.ts", query: "src/a.ts" },
      { text: "line\n@é", query: "é" },
      { text: "请看@src", query: "src" },
      { text: "ファイル、@文档", query: "文档" },
      { text: "파일을@a", query: "a" },
      { text: "（@b", query: "b" },
      { text: "ראו ב@src", query: "src" },
      { text: "ראו ב־@קובץ", query: "קובץ" },
      { text: "انظر في،@ملف", query: "ملف" },
      { text: "انظر ب@a", query: "a" },
      { text: "「@テスト", query: "テスト" },
      { text: "voir l’@été", query: "été" },
      { text: "« voir «@été", query: "été" },
      { text: "viz „@žluťoučký", query: "žluťoučký" },
    ]) {
      await panel.composer.fill("");
      await panel.composer.pressSequentially(text);
      assert.equal((await asked(panel)).query, query, text);
    }
    const before = (await panel.intents()).length;
    for (const text of ["ada@example.org", "@sum is", "a@b", "é@b", "я@b", "x"]) await panel.composer.fill(text);
    assert.equal((await panel.intents()).length, before);
  });

  it("name the kinds that can be typed: choosing one continues the query, or does nothing", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("see @");
    const hint = { detail: "Type a name", continuesWith: "" };
    const symbols: Completion = { key: "kind:symbol", kind: "symbol", label: "Symbols", continuesWith: "#" };
    await answer(panel, [file("kind:file", "Files", hint), symbols]);
    await panel.composer.press("Enter");
    assert.equal(await panel.composer.inputValue(), "see @");
    await list(panel).getByRole("option", { name: "Symbols" }).click();
    assert.equal(await panel.composer.inputValue(), "see @#");
    assert.equal((await asked(panel)).query, "#");
    assert.deepEqual(await sent(panel), []);
  });

  it("are chosen by keyboard: the text box keeps the focus and references the row, and the choice is attached and inserted", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("Look at @su");
    const items = Array.from({ length: 12 }, (_, i) => file(`k${i}`, `sum${i}.js`, { detail: "src", matches: [0, 1] }));
    const request = await answer(panel, items);
    const seen: (string | undefined)[] = [await current(panel)];
    for (const key of ["ArrowDown", "ArrowUp", "ArrowUp", "Home", "PageDown", "End", "PageUp", "ArrowDown"]) {
      await panel.composer.press(key);
      seen.push(await current(panel));
    }
    assert.deepEqual(
      seen.map(row => Number(/sum(\d+)/.exec(row ?? "")?.[1])),
      [0, 1, 0, 11, 0, 8, 11, 3, 4],
    );
    assert.equal(await list(panel).locator("[aria-selected=true] b").textContent(), "su");
    await panel.composer.press("Enter");
    assert.equal(await panel.composer.inputValue(), "Look at @sum4.js ");
    assert.equal(await list(panel).count(), 0);
    assert.deepEqual(await sent(panel), [{ type: "attachItem", request, key: "k4" }]);
    await panel.composer.pressSequentially("please");
    // The first undo reverts the typed text, the second the choice.
    await panel.composer.press("Control+z");
    await panel.composer.press("Control+z");
    assert.match(await panel.composer.inputValue(), /^Look at @su/);
  });

  it("can be chosen by Tab and by mouse, without moving the focus", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("@a");
    const first = await answer(panel, [file("1", "a.ts"), file("2", "b.ts")]);
    await list(panel).getByRole("option", { name: "b.ts" }).click();
    assert.ok(await panel.composer.evaluate(box => box === document.activeElement));
    await panel.post({ type: "attached", attachments: [], key: "2" });
    await panel.composer.pressSequentially("@a");
    const second = await answer(panel, [file("1", "a.ts")]);
    await panel.composer.press("Tab");
    assert.equal(await panel.composer.inputValue(), "@b.ts @a.ts ");
    assert.deepEqual(await sent(panel), [
      { type: "attachItem", request: first, key: "2" },
      { type: "attachItem", request: second, key: "1" },
    ]);
  });

  it("of a stale response are not shown, and Enter before the response chooses its first row", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("@s");
    const { request: stale } = await asked(panel);
    await panel.composer.pressSequentially("u");
    await panel.post({ type: "completions", request: stale, items: [file("old", "old.ts")] });
    assert.equal(await list(panel).count(), 0);
    await answer(panel, [file("x", "sub.ts"), file("y", "sum.ts")]);
    await panel.composer.pressSequentially("m");
    await panel.composer.press("Enter");
    assert.deepEqual(await sent(panel), []);
    const request = await answer(panel, [file("y", "sum.ts")]);
    assert.deepEqual(await sent(panel), [{ type: "attachItem", request, key: "y" }]);
  });

  it("are closed by Escape before it stops the agent, and stay closed for that word", async () => {
    const panel = await openPanel([snapshot(view([], { activity: running }))]);
    await panel.composer.pressSequentially("@s");
    await answer(panel, [file("1", "s.ts")]);
    await panel.composer.press("Escape");
    assert.equal(await list(panel).count(), 0);
    assert.deepEqual(await sent(panel), []);
    const before = (await panel.intents()).length;
    await panel.composer.pressSequentially("um");
    assert.equal((await panel.intents()).length, before);
    await panel.composer.pressSequentially(" @t");
    assert.equal((await asked(panel)).query, "t");
    await panel.composer.press("Escape");
    assert.deepEqual(await sent(panel), [{ type: "stop" }]);
  });

  it("show that the workspace is being indexed, accept further responses, and show that nothing matches", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("@su");
    const request = await answer(panel, [], true);
    await panel.page.locator(".popup-note", { hasText: "Indexing…" }).waitFor();
    assert.equal(await answer(panel, [file("1", "sum.js")]), request);
    assert.deepEqual(await rows(panel), ["sum.js"]);
    await answer(panel, []);
    await panel.page.locator(".popup-note", { hasText: "No matches" }).waitFor();
    assert.equal(await panel.composer.getAttribute("aria-activedescendant"), null);
    await panel.composer.press("Enter");
    assert.deepEqual(await sent(panel), [{ type: "send", text: "@su" }]);
  });

  it("close when the caret leaves the word or the box loses the focus", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    for (const leave of [() => panel.composer.press("Control+Home"), () => panel.page.keyboard.press("Shift+Tab")]) {
      await panel.composer.fill("");
      await panel.composer.pressSequentially("go @s");
      await answer(panel, [file("1", "s.ts")]);
      await list(panel).waitFor();
      await leave();
      await list(panel).waitFor({ state: "detached" });
    }
  });

  it("open upwards without covering the text, at most ten rows high, within 260 pixels; paths are shortened at the start", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 260, height: 420 });
    await panel.composer.fill("line\n".repeat(8));
    await panel.composer.press("Control+End");
    await panel.composer.pressSequentially("@r");
    const path = "src/a/very/long/path/of/folders/that/does/not/fit";
    await answer(panel, [
      file("0", `${path}/reduce.ts`),
      file("1", "reduce.ts", { detail: path }),
      ...Array.from({ length: 20 }, (_, i) => file(`k${i}`, `r${i}.ts`)),
    ]);
    const box = await panel.page.locator(".composer").boundingBox();
    const popup = await panel.page.locator(".popup").boundingBox();
    assert.ok(box && popup);
    assert.ok(popup.y >= 0 && popup.y + popup.height <= box.y, "The list must be above the box and within the window.");
    assert.ok(popup.x >= 0 && popup.x + popup.width <= 260 && popup.height <= 252);
    assert.equal(await panel.page.evaluate(() => document.scrollingElement?.scrollWidth), 260);
    const name = list(panel).locator(".match-name").first();
    assert.ok(
      await name.evaluate(element => element.scrollWidth <= element.clientWidth),
      "The name must not be cut off.",
    );
    const end = list(panel).locator(".popup-detail bdi").first();
    assert.ok(
      await end.evaluate(element => {
        const outer = element.parentElement?.getBoundingClientRect();
        return outer !== undefined && Math.abs(element.getBoundingClientRect().right - outer.right) < 2;
      }),
      "the end of the path is shown",
    );
    await panel.composer.press("End");
    const last = list(panel).getByRole("option").last();
    assert.ok(
      await last.evaluate(
        row => row.getBoundingClientRect().bottom <= (row.parentElement?.getBoundingClientRect().bottom ?? 0),
      ),
    );
  });
});

describe("commands after /", () => {
  usePanel();

  it("are suggested only at the very start, name matches first, and show their hint when chosen", async () => {
    const panel = await openPanel([snapshot(view([], { commands }))]);
    await panel.composer.pressSequentially("/");
    assert.deepEqual(await rows(panel), [
      "/explainfileExplain a file",
      "/testRun the tests in a terminal",
      "/planPlan a refactor that touches tests",
    ]);
    await panel.composer.pressSequentially("te");
    assert.deepEqual(await rows(panel), [
      "/testRun the tests in a terminal",
      "/planPlan a refactor that touches tests",
    ]);
    assert.equal(await list(panel).locator("b").first().textContent(), "te");
    await panel.composer.fill("");
    await panel.composer.pressSequentially("/xpl");
    assert.match((await current(panel)) ?? "", /explain/);
    await panel.composer.press("Enter");
    assert.equal(await panel.composer.inputValue(), "/explain ");
    await panel.page.locator(".ghost", { hasText: "file" }).waitFor();
    assert.equal(await panel.composer.getAttribute("aria-description"), "file");
    await panel.composer.pressSequentially("sum.js");
    assert.equal(await panel.page.locator(".ghost").count(), 0);
    await panel.composer.press("Enter");
    await panel.composer.pressSequentially("either /");
    assert.equal(await list(panel).count(), 0);
    const sent = (await panel.intents()).filter(({ type }) => type !== "listPrompts");
    assert.deepEqual(sent, [{ type: "send", text: "/explain sum.js" }]);
  });

  it("are found by names and descriptions of every script", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    for (const [name, description, query] of [
      ["תרגום", "מתרגם קובץ", "תרג"],
      ["ترجمة", "يترجم ملفا", "ترج"],
      ["翻译", "翻译文件", "译"],
      ["テスト", "テストを実行", "テス"],
      ["번역", "파일 번역", "번"],
      ["résumé", "Résume la séance", "rés"],
      ["překlad", "Přeloží soubor", "přek"],
      ["other", "žluťoučký kůň", "KŮŇ"],
    ] as const) {
      const named = { name, description };
      await panel.patch({ op: "head", head: { commands: [...commands, named] } });
      await panel.composer.fill("");
      await panel.composer.pressSequentially(`/${query}`);
      assert.deepEqual(await rows(panel), [`/${name}${description}`]);
      await panel.composer.press("Enter");
      assert.equal(await panel.composer.inputValue(), `/${name} `);
    }
  });

  it("that are complete and take no arguments are sent by one Enter", async () => {
    const panel = await openPanel([snapshot(view([], { commands }))]);
    await panel.composer.pressSequentially("/test");
    await panel.composer.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "listPrompts" }, { type: "send", text: "/test" }]);
  });
});

describe("an option with many choices", () => {
  usePanel();
  const choices = Array.from({ length: 24 }, (_, i) => ({
    value: `m${i}`,
    name: `Model ${i}`,
    group: i < 12 ? "Fast" : "Thorough",
  }));
  const options: readonly SessionOption[] = [{ id: "model", name: "Model", type: "select", value: "m3", choices }];

  it("can be searched and chosen by keyboard, and Escape returns the focus", async () => {
    const panel = await openPanel([snapshot(view([], { options, activity: running }))], { width: 280 });
    const button = panel.page.getByRole("button", { name: "Model: Model 3" });
    const search = panel.page.getByRole("combobox", { name: "Search Model" });
    const option = panel.page.getByRole("listbox", { name: "Model" }).getByRole("option");
    await button.press("Enter");
    await search.and(panel.page.locator(":focus")).waitFor();
    assert.equal(await option.count(), 24);
    await search.press("Escape");
    await button.and(panel.page.locator(":focus")).waitFor();
    await button.press("ArrowDown");
    await search.pressSequentially("2");
    assert.deepEqual(await option.allInnerTexts(), [
      "Model 2\nFast",
      "Model 20\nThorough",
      "Model 21\nThorough",
      "Model 22\nThorough",
      "Model 23\nThorough",
      "Model 12\nThorough",
    ]);
    await search.press("ArrowDown");
    const selected = panel.page.locator("[role=option][aria-selected=true]");
    assert.equal(await selected.getAttribute("id"), await search.getAttribute("aria-activedescendant"));
    await search.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "setOption", option: "model", value: "m20" }]);
    await button.and(panel.page.locator(":focus")).waitFor();
    await button.click();
    await search.waitFor();
    await panel.log.click({ position: { x: 5, y: 5 } });
    await search.waitFor({ state: "detached" });
  });
});
