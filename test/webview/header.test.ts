// The header and the empty conversation, by mouse and keyboard.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { busy, delegated, scenes, snapshot, view } from "./scenes.ts";

const focused = (panel: PanelPage): Promise<string> =>
  panel.page.evaluate(
    () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? "",
  );

/** The page of the panel in a side bar of 300 pixels, as measured in VS Code. */
const sideBar = { width: 289, height: 600 };

/** How many letters of a text are visible before its ellipsis. */
const shownLetters = (text: Locator): Promise<number> =>
  text.evaluate(node => {
    const child = [...node.childNodes].find(each => each.nodeType === Node.TEXT_NODE && each.nodeValue !== "");
    const context = document.createElement("canvas").getContext("2d");
    if (!child || !context) throw new Error("There is no text to measure.");
    context.font = getComputedStyle(node).font;
    const range = document.createRange();
    const whole = child.nodeValue ?? "";
    const width = (letters: number): number => {
      range.setStart(child, 0);
      range.setEnd(child, letters);
      return range.getBoundingClientRect().width;
    };
    if (width(whole.length) <= node.clientWidth) return whole.length;
    const room = node.clientWidth - context.measureText("…").width;
    let letters = 0;
    while (width(letters + 1) <= room) letters++;
    return letters;
  });

describe("the header", () => {
  usePanel();

  it("the menu of agents shows the account of an agent", async () => {
    const account = "ada@example.com";
    const panel = await openPanel([snapshot(view([], { agents: [{ id: "demo", name: "Demo Agent", account }] }))]);
    await panel.page.getByRole("button", { name: "Agent: Demo Agent" }).click();
    await panel.page.getByRole("menuitemradio", { name: "Demo Agent (ada@example.com)" }).waitFor();
  });

  it("the menu of agents has the icons of the settings, and marks the current agent", async () => {
    const agents = [
      { id: "demo", name: "Demo Agent", icon: "beaker" },
      { id: "mine", name: "Mine", icon: "rocket" },
    ];
    const panel = await openPanel([snapshot(view([], { agents }))]);
    await panel.page.locator(".codicon-rocket").first().waitFor();
    await panel.page.getByRole("button", { name: "Agent: Demo Agent" }).click();
    const item = (name: string): Locator => panel.page.getByRole("menuitemradio", { name });
    await item("Mine").locator(".codicon-rocket").waitFor();
    await item("Demo Agent").locator(".codicon-check").waitFor();
  });

  it("goes from hit to hit of the search of all conversations by F4, only while there are hits", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.composer.press("F4");
    await panel.patch({ op: "head", head: { hasSearchHits: true } });
    await panel.composer.press("F4");
    await panel.composer.press("Control+f");
    await panel.page.keyboard.press("Shift+F4");
    await panel.page.keyboard.press("Alt+F4");
    assert.deepEqual(await panel.intents(), [
      { type: "goToSearchHit", step: "next" },
      { type: "goToSearchHit", step: "previous" },
    ]);
    await panel.patch({ op: "head", head: { hasSearchHits: false } });
    await panel.composer.press("F4");
    assert.equal((await panel.intents()).length, 2);
  });

  it("renames the session by its button or F2; Enter saves, Escape does not, and an unchanged title is not sent", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const input = panel.page.getByRole("textbox", { name: "Session title" });
    await panel.page.getByRole("button", { name: "Rename Session" }).focus();
    await panel.page.keyboard.press("Enter");
    await input.fill("Sums");
    await input.press("Escape");
    assert.equal(await focused(panel), "Rename Session");
    await panel.composer.press("F2");
    assert.equal(await input.inputValue(), "Fix the sum of empty lists");
    await input.press("Enter");
    assert.deepEqual(await panel.intents(), []);
    await panel.composer.press("F2");
    await panel.page.keyboard.type("Sums of lists");
    await input.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "rename", title: "Sums of lists" }]);
    await panel.patch({ op: "head", head: { title: "Sums of lists" } });
    await panel.page.getByRole("heading", { name: "Sums of lists", level: 1 }).waitFor();
    await panel.assertClean();
  });

  it("shows the folder of the session below its title, also when it is narrow", async () => {
    const panel = await openPanel([snapshot(view([], { folder: "a folder of the workspace with a long name" }))]);
    await panel.page.setViewportSize({ width: 280, height: 600 });
    const folder = panel.page.locator(".header .folder");
    assert.match(await folder.innerText(), /a folder of the workspace/);
    assert.match((await folder.getAttribute("title")) ?? "", /^The agent works in \//);
    const box = await folder.boundingBox();
    const title = await panel.page.getByRole("heading", { level: 1 }).first().boundingBox();
    assert.ok(box && title && box.y >= title.y + title.height - 1 && box.x + box.width <= 280);
    await panel.patch({ op: "head", head: {}, gone: ["folder"] });
    await folder.waitFor({ state: "detached" });
    await panel.assertClean();
  });

  it("shows the branch of a worktree with its commits and lines, in place of the folder, and offers what can be done with it", async () => {
    const worktree = {
      branch: "parley/fix-the-sum-of-empty-lists-and-more",
      state: { comparedWith: "main", ahead: 2, behind: 1, files: 3, added: 12, removed: 3 },
    };
    const panel = await openPanel([snapshot(view([], { folder: "parley-fix", worktree }))], sideBar);
    const chip = panel.page.getByRole("button", { name: /^Worktree: / });
    const spoken = `Worktree: ${worktree.branch}, 2 commits ahead of main, 1 commit behind main, 3 files changed since the base, +12 −3 lines`;
    await panel.page.getByRole("button", { name: spoken, exact: true }).waitFor();
    assert.match((await chip.getAttribute("title")) ?? "", /^Worktree on parley.*\n2 commits ahead of main\n/);
    await chip.getByText("↑2 ↓1 +12 −3").waitFor();
    assert.equal(await panel.page.locator(".header .folder").count(), 0);
    const fits = async (locator: Locator): Promise<void> => {
      const box = await locator.boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= (panel.page.viewportSize()?.width ?? 0));
    };
    for (const width of [sideBar.width, 280, 700]) {
      await panel.page.setViewportSize({ width, height: 600 });
      await fits(chip);
      await fits(chip.getByText("↑2 ↓1 +12 −3"));
      await panel.page.screenshot({ path: `out/screenshots/header-worktree-${width}.png` });
    }
    await chip.click();
    const items = panel.page.getByRole("menu", { name: "Worktree" }).getByRole("menuitem");
    await fits(items.first());
    await panel.page.screenshot({ path: "out/screenshots/header-worktree-menu.png" });
    const names = [
      "Show Worktree Changes",
      "Open Terminal in Worktree",
      "Open Worktree in New Window",
      "Bring Back Changes…",
      "Commit and Merge Worktree…",
      "Update Worktree from Base",
      "Remove Worktree…",
    ];
    assert.deepEqual(
      (await items.allInnerTexts()).map(text => text.trim()),
      names,
    );
    await panel.page.keyboard.press("Escape");
    for (const name of names) {
      await chip.click();
      await panel.page.getByRole("menuitem", { name }).click();
    }
    assert.deepEqual(
      await panel.intents(),
      ["showChanges", "openTerminal", "openWindow", "bringBack", "commit", "update", "remove"].map(action => ({
        type: "worktree",
        action,
      })),
    );
    await panel.patch({ op: "head", head: { worktree: { branch: "ma\u202ein", problem: "Git cannot read it." } } });
    const name = "Worktree: ma[U+202E]in, Git cannot read it.";
    await panel.page.getByRole("button", { name }).getByText("ma[U+202E]in", { exact: true }).waitFor();
    await panel.patch({ op: "head", head: { worktree: null } });
    await chip.waitFor({ state: "detached" });
    await panel.page.locator(".header .folder").waitFor();
    await panel.assertClean();
  });

  it("a session whose agent left the settings says so in place of the composer, and offers to export it", async () => {
    const panel = await openPanel([snapshot({ ...busy, head: { ...busy.head, isReadOnly: true } })]);
    await panel.page.getByText(/ is no longer in your settings, so you can only read and export/).waitFor();
    assert.equal(await panel.composer.isVisible(), false);
    await panel.post({ type: "focus", target: "composer" });
    assert.equal(await focused(panel), "Export Session…");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "nextStep", step: "exportSession" }]);
    await panel.patch({ op: "head", head: { isReadOnly: false } });
    await panel.composer.waitFor();
    assert.equal(await panel.page.getByRole("group", { name: "Read only" }).count(), 0);
    await panel.assertClean();
  });

  it("names the keys of New Session and Follow in their tooltips, as the system writes them", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const titles = (): Promise<(string | null)[]> =>
      Promise.all(
        ["New Session", "Follow"].map(name =>
          panel.page.getByRole("button", { name, exact: true }).getAttribute("title"),
        ),
      );
    await panel.page.evaluate(() =>
      Object.defineProperty(navigator, "platform", { value: "Win32", configurable: true }),
    );
    await panel.patch({ op: "head", head: { follow: "on" } });
    await panel.page.getByRole("button", { name: "Follow", exact: true, pressed: true }).waitFor();
    assert.deepEqual(await titles(), ["New Session (Alt+Shift+N)", "Following the agent in the editor (Alt+Shift+T)"]);
    await panel.page.evaluate(() => Object.defineProperty(navigator, "platform", { value: "MacIntel" }));
    await panel.patch({ op: "head", head: { follow: "off" } });
    await panel.page.getByRole("button", { name: "Follow", exact: true, pressed: false }).waitFor();
    assert.deepEqual(await titles(), ["New Session (⌘⌥⇧N)", "Follow the agent in the editor (⌘⌥⇧T)"]);
    await panel.assertClean();
  });

  it("turns following on and off, and announces when it is paused", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const follow = panel.page.getByRole("button", { name: "Follow", exact: true });
    const pressed = (): Promise<string | null> => follow.getAttribute("aria-pressed");
    assert.equal(await pressed(), "false");
    await follow.press("Enter");
    assert.equal(await pressed(), "false", "the button shows the state of the host");
    await panel.patch({ op: "head", head: { follow: "on" } });
    await panel.page.getByRole("button", { name: "Follow", exact: true, pressed: true }).click();
    await panel.patch({ op: "head", head: { follow: "paused" } });
    await panel.page.getByRole("status").getByText("Following paused").waitFor();
    assert.equal(await pressed(), "false");
    await follow.click();
    assert.deepEqual(await panel.intents(), [
      { type: "follow", on: true },
      { type: "follow", on: false },
      { type: "follow", on: true },
    ]);
    await panel.assertClean();
  });

  it("opens a menu with keyboard navigation, which Escape closes before anything else", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const button = panel.page.getByRole("button", { name: "More Actions" });
    const menu = panel.page.getByRole("menu", { name: "More Actions" });
    await button.focus();
    await panel.page.keyboard.press("ArrowDown");
    await menu.waitFor();
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    const names = (await menu.getByRole("menuitem").locator(".menu-label").allInnerTexts()).join(", ");
    assert.equal(
      names,
      "Rename Session, Open in Editor, Copy Conversation as Markdown, Save Transcript, Select Agent…, Restart Agent, Continue With…, Show Sessions, Show Changes, Manage Permission Rules, Show Permission Log, Show Protocol Inspector, Show Log",
    );
    assert.equal(await menu.getByRole("separator").count(), 4);
    await panel.page.screenshot({ path: "out/screenshots/header-menu.png" });
    await panel.page.keyboard.press("End");
    assert.equal(await focused(panel), "Show Log");
    await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("s");
    assert.equal(await focused(panel), "Save Transcript");
    await panel.page.keyboard.press("Escape");
    assert.equal(await menu.count(), 0);
    assert.equal(await focused(panel), "More Actions");
    assert.deepEqual(await panel.intents(), [], "Escape stopped nothing");
    await button.click();
    await menu.getByRole("menuitem", { name: "Copy Conversation as Markdown" }).click();
    assert.equal(await menu.count(), 0);
    await panel.page.keyboard.press("Enter");
    await panel.composer.click();
    assert.equal(await menu.count(), 0, "a press outside closes the menu");
    assert.deepEqual(await panel.intents(), [{ type: "copyConversation" }]);
  });

  it("opens the history of sessions, and its menu opens the editor tab, lists and logs of the window", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.page.getByRole("button", { name: "Session History" }).click();
    await panel.page.getByRole("button", { name: "Session History" }).press("Enter");
    const menu = panel.page.getByRole("menu", { name: "More Actions" });
    await panel.page.getByRole("button", { name: "More Actions" }).click();
    const keys = await menu
      .getByRole("menuitem")
      .filter({ has: panel.page.locator("kbd") })
      .evaluateAll(all => all.map(item => [".menu-label", "kbd"].map(each => item.querySelector(each)?.textContent)));
    assert.deepEqual(keys, [
      ["Rename Session", "F2"],
      ["Show Sessions", "Alt+Shift+B"],
    ]);
    await panel.page.keyboard.press("Escape");
    for (const name of ["Open in Editor", "Show Sessions", "Show Changes", "Show Permission Log"]) {
      await panel.page.getByRole("button", { name: "More Actions" }).click();
      await menu.getByRole("menuitem", { name }).click();
    }
    await panel.page.getByRole("button", { name: "More Actions" }).press("Enter");
    await panel.page.keyboard.press("m");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [
      { type: "show", place: "sessionHistory" },
      { type: "show", place: "sessionHistory" },
      { type: "openInEditor" },
      { type: "show", place: "sessions" },
      { type: "show", place: "changes" },
      { type: "show", place: "permissionLog" },
      { type: "manageRules" },
    ]);
    await panel.assertClean();
  });

  it("shows at least 20 letters of a title in a side bar of 300 pixels, and all of it in a tooltip", async () => {
    const title = "Fix the sum of empty lists and document the edge cases of it";
    for (const folder of [undefined, "shop"]) {
      const panel = await openPanel([snapshot(view([], { title, ...(folder && { folder }) }))], sideBar);
      const heading = panel.page.getByRole("heading", { name: title, level: 1 });
      assert.equal(await heading.getAttribute("title"), title);
      const letters = await shownLetters(heading);
      assert.ok(letters >= 20, `${letters} letters of the title are visible`);
      await panel.page.getByRole("button", { name: "Rename Session" }).focus();
      const beside = await shownLetters(heading);
      assert.ok(beside >= 20, `${beside} letters of the title are visible beside its button`);
      const buttons = await panel.page.locator(".header").getByRole("button").all();
      const names = await Promise.all(buttons.map(button => button.getAttribute("aria-label")));
      assert.deepEqual(names, [
        "Rename Session",
        "Agent: Demo Agent",
        "Follow",
        "Session History",
        "New Session",
        "More Actions",
      ]);
      for (const button of buttons) {
        const box = await button.boundingBox();
        assert.ok(box && box.width >= 20 && box.x >= 0 && box.x + box.width <= sideBar.width);
      }
      await panel.page.screenshot({ path: `out/screenshots/header-300${folder ? "-folder" : ""}.png` });
      await panel.free();
    }
  });

  it("shows the start of a title in its own direction, on one line", async () => {
    const titles = [
      ["תיקון הסכום של רשימות ריקות ותיעוד מקרי הקצה שלו", "rtl"],
      ["إصلاح مجموع القوائم الفارغة وتوثيق الحالات الخاصة", "rtl"],
      ["修正空列表的求和函数并且为所有的边界情况补充文档和测试用例", "ltr"],
      ["空のリストの合計を直してすべての境界条件を文書化する作業を進める", "ltr"],
    ] as const;
    const panel = await openPanel([snapshot(busy)], sideBar);
    for (const [at, [title, direction]] of titles.entries()) {
      await panel.patch({ op: "head", head: { title } });
      const heading = panel.page.getByRole("heading", { name: title, level: 1 });
      const shown = await heading.evaluate(node => {
        const range = document.createRange();
        const text = [...node.childNodes].find(child => child.nodeType === Node.TEXT_NODE && child.nodeValue !== "");
        if (!text) throw new Error("The title has no text.");
        range.setStart(text, 0);
        range.setEnd(text, 1);
        const [first, box] = [range.getBoundingClientRect(), node.getBoundingClientRect()];
        const { direction: own, lineHeight } = getComputedStyle(node);
        return {
          direction: own,
          startIsShown: own === "rtl" ? Math.abs(first.right - box.right) < 2 : Math.abs(first.left - box.left) < 2,
          lines: Math.round(box.height / (Number.parseFloat(lineHeight) || 20)),
        };
      });
      assert.deepEqual(shown, { direction, startIsShown: true, lines: 1 }, title);
      assert.ok((await shownLetters(heading)) >= 10, title);
      await panel.page.locator(".header").screenshot({ path: `out/screenshots/header-title-${at}.png` });
    }
    await panel.assertClean();
  });

  it("a menu that the user opened after the session appeared keeps the focus when a command's focus arrives late", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const menu = panel.page.getByRole("menu", { name: "Agent" });
    await panel.page.getByRole("button", { name: "Agent: Demo Agent", exact: true }).click();
    await menu.waitFor();
    await panel.post({ type: "focus", target: "composer" });
    assert.equal(await focused(panel), "Demo Agent");
    await panel.patch({ op: "head", head: { questions: [] } });
    await panel.post({ type: "focus", target: "question" });
    assert.equal(await focused(panel), "Demo Agent");
    await panel.page.keyboard.press("Escape");
    await panel.post({ type: "focus", target: "composer" });
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
  });

  it("the title that the user edits keeps the focus, and its text, when a command's focus arrives late", async () => {
    const panel = await openPanel([snapshot(busy)]);
    await panel.composer.press("F2");
    const title = panel.page.getByRole("textbox", { name: "Session title" });
    await title.fill("Half a ti");
    await panel.post({ type: "focus", target: "composer" });
    await panel.page.keyboard.type("tle");
    assert.equal(await title.inputValue(), "Half a title");
    assert.deepEqual(await panel.intents(), []);
  });

  it("a menu that was open before the session appeared, or before the user came back to the panel, closes", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const menu = panel.page.getByRole("menu", { name: "Agent" });
    const closes = async (): Promise<void> => {
      await panel.post({ type: "focus", target: "composer" });
      await panel.composer.and(panel.page.locator(":focus")).waitFor();
      assert.equal(await menu.count(), 0);
    };
    await panel.page.getByRole("button", { name: "Agent: Demo Agent", exact: true }).click();
    await menu.waitFor();
    await panel.show({ ...busy, head: { ...busy.head, session: "another" } });
    await closes();
    await panel.page.getByRole("button", { name: "Agent: Demo Agent", exact: true }).click();
    await menu.waitFor();
    await panel.page.evaluate(() => void dispatchEvent(new Event("focus")));
    await closes();
  });

  it("offers no session actions without a session", async () => {
    const panel = await openPanel(scenes["noAgent"] ?? []);
    assert.equal(await panel.page.getByRole("button", { name: "Rename Session" }).count(), 0);
    await panel.page.getByRole("button", { name: "More Actions" }).click();
    assert.deepEqual(await panel.page.getByRole("menuitem").locator(".menu-label").allInnerTexts(), [
      "Open in Editor",
      "Select Agent…",
      "Show Sessions",
      "Show Changes",
      "Manage Permission Rules",
      "Show Permission Log",
      "Show Log",
    ]);
  });

  it("an empty conversation shows its beginning, also when the panel becomes shorter than it", async () => {
    const panel = await openPanel(scenes["empty"] ?? []);
    await panel.page.setViewportSize({ width: 400, height: 260 });
    const box = await panel.log.evaluate(async log => {
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
      return { length: log.scrollHeight, height: log.clientHeight, top: log.scrollTop };
    });
    assert.ok(box.length > box.height);
    assert.equal(box.top, 0);
  });

  it("messages from the host are announced to screen readers", async () => {
    const panel = await openPanel([snapshot(delegated)]);
    await panel.post({ type: "say", text: "All changes reviewed." });
    await panel.page.getByRole("status").getByText("All changes reviewed.").waitFor();
  });
});
