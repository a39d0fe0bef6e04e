// The header, the changes bar and the empty conversation, by mouse and keyboard.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { busy, delegated, scenes, snapshot, view } from "./scenes.ts";

const focused = (panel: PanelPage): Promise<string> =>
  panel.page.evaluate(
    () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? "",
  );

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
      "Rename Session, Copy Conversation as Markdown, Save Transcript, Show Protocol Traffic, Restart Agent, Select Agent…, Show Log",
    );
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
    await panel.page.getByRole("button", { name: "Open in Editor" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "copyConversation" }, { type: "openInEditor" }]);
  });

  it("a menu that the user opened after the session appeared keeps the focus when a command's focus arrives late", async () => {
    const panel = await openPanel([snapshot(busy)]);
    const menu = panel.page.getByRole("menu", { name: "Agent" });
    await panel.page.getByRole("button", { name: "Agent: Demo Agent", exact: true }).click();
    await menu.waitFor();
    await panel.post({ type: "focus", target: "composer" });
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
    assert.deepEqual(
      await panel.page
        .getByRole("menuitem")
        .allInnerTexts()
        .then(all => all.map(each => each.trim())),
      ["Select Agent…", "Show Log"],
    );
  });

  it("an empty conversation lists the agents, and only the other agents can be chosen", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const list = panel.log.getByRole("list", { name: "Agents" });
    await list.getByRole("button", { name: /^Demo Agent/, pressed: true }).click();
    assert.deepEqual(await panel.intents(), []);
    await list.getByRole("button", { name: "Gemini CLI", pressed: false }).press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "selectAgent", agent: "gemini" }]);
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

  it("files that were changed meanwhile are a group of their own in the bar", async () => {
    const panel = await openPanel([snapshot(delegated)], { width: 280, height: 500 });
    const file = { label: "src/sum.js", added: 2, removed: 1 };
    const files = [
      { ...file, path: "/home/ada/shop/src/sum.js" },
      { ...file, path: "/home/ada/shop/notes.md", label: "notes.md", isMeanwhile: true as const },
    ];
    await panel.patch({ op: "head", head: { changes: { added: 4, removed: 2, files } } });
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.getByRole("button", { name: /^2 files/ }).click();
    const group = bar.getByRole("list", { name: "Changed meanwhile, perhaps by you" });
    await group.getByRole("button", { name: "Undo notes.md" }).waitFor();
    assert.equal(await group.getByRole("listitem").count(), 1);
    assert.equal(await bar.getByText("Changed meanwhile, perhaps by you", { exact: true }).count(), 1);
    await group.getByRole("button", { name: "Keep notes.md" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "keepChanges", path: "/home/ada/shop/notes.md" }]);
    await panel.page.screenshot({ path: "out/screenshots/changes-bar-meanwhile.png" });
  });

  it("unreviewed changes are in a bar that expands to the files, and without changes there is no bar", async () => {
    const panel = await openPanel([snapshot(delegated)]);
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.getByRole("button", { name: /^2 files/ }).press("Enter");
    assert.deepEqual(await bar.getByRole("link").allInnerTexts(), ["src/sum.js", "src/bill.js"]);
    for (const name of ["Review", "Keep All", "Undo All"]) await bar.getByRole("button", { name }).click();
    assert.deepEqual(await panel.intents(), [
      { type: "reviewChanges" },
      { type: "keepChanges" },
      { type: "undoChanges" },
    ]);
    await panel.patch({ op: "head", head: { changes: null } });
    assert.equal(await bar.count(), 0);
  });

  it("each changed file can be kept or undone by mouse and keyboard; an unknown change can only be kept", async () => {
    const panel = await openPanel([snapshot(delegated)]);
    const unknown = { path: "/home/ada/shop/data.bin", label: "data.bin", added: 0, removed: 0 };
    const changes = delegated.head.changes;
    assert.ok(changes);
    const why = "Changed by a command; there is no earlier text.";
    await panel.patch({
      op: "head",
      head: { changes: { ...changes, files: [...changes.files, { ...unknown, unknown: why }] } },
    });
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.getByRole("button", { name: /^3 files/ }).click();
    await bar.getByRole("button", { name: "Keep src/sum.js" }).click();
    await bar.getByRole("button", { name: "Undo src/bill.js" }).press("Enter");
    await bar.getByRole("button", { name: "Keep data.bin" }).press("Space");
    assert.equal(await bar.getByRole("button", { name: "Undo data.bin" }).count(), 0);
    await bar.getByText(why).waitFor();
    assert.deepEqual(await panel.intents(), [
      { type: "keepChanges", path: "/home/ada/shop/src/sum.js" },
      { type: "undoChanges", path: "/home/ada/shop/src/bill.js" },
      { type: "keepChanges", path: "/home/ada/shop/data.bin" },
    ]);
  });

  it("a file that programs run or agents follow has a mark, which counts in the bar if it runs by itself", async () => {
    const panel = await openPanel([snapshot(delegated)], { width: 280, height: 500 });
    const file = (name: string) => ({ path: `/home/ada/shop/${name}`, label: name, added: 1, removed: 0 });
    const files = [
      { ...file(".vscode/tasks.json"), runs: "byItself" as const },
      { ...file("package.json"), runs: "withBuild" as const },
      { ...file("AGENTS.md"), runs: "byAgents" as const },
      file("a.js"),
    ];
    await panel.patch({ op: "head", head: { changes: { added: 4, removed: 0, files } } });
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.getByRole("button", { name: /^4 files.*1 runs by itself$/ }).click();
    const [byItself, withBuild, byAgents, plain] = await bar.getByRole("listitem").allInnerTexts();
    assert.match(byItself ?? "", /Runs by itself/);
    assert.match(withBuild ?? "", /Runs with the next build/);
    assert.match(byAgents ?? "", /Instructs agents/);
    assert.doesNotMatch(plain ?? "", /Runs|Instructs/);
  });

  it("a file outside the workspace has a mark, which counts in the bar", async () => {
    const panel = await openPanel([snapshot(delegated)], { width: 280, height: 500 });
    const files = [
      { path: "/etc/hosts", label: "/etc/hosts", added: 1, removed: 0, isOutside: true as const },
      { path: "/home/ada/shop/a.js", label: "a.js", added: 1, removed: 0 },
    ];
    await panel.patch({ op: "head", head: { changes: { added: 2, removed: 0, files } } });
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.getByRole("button", { name: /^2 files.*1 outside the workspace$/ }).click();
    const [outside, inside] = await bar.getByRole("listitem").allInnerTexts();
    assert.match(outside ?? "", /Outside the workspace/);
    assert.doesNotMatch(inside ?? "", /Outside/);
  });

  it("the bar names the other session whose changes it lists, and counts several", async () => {
    const panel = await openPanel([snapshot(delegated)], { width: 280, height: 500 });
    const files = ["a.js", "b.js"].map(label => ({ path: `/home/ada/shop/${label}`, label, added: 1, removed: 0 }));
    const sessions = [
      { id: "s2", title: "Fix sum" },
      { id: "s3", title: "Fix tax" },
    ];
    const bar = panel.page.getByRole("region", { name: "Changes" });
    const show = (count: number, ofSessions: number) => {
      const others = { files: count, sessions: sessions.slice(0, ofSessions) };
      return panel.patch({ op: "head", head: { changes: { added: 2, removed: 0, files, others } } });
    };
    await show(1, 1);
    await bar.getByRole("button", { name: /^2 files.* 1 from Fix sum$/ }).waitFor();
    await show(2, 1);
    await bar.getByRole("button", { name: /^2 files.*(added|removed) from Fix sum$/ }).waitFor();
    await show(2, 2);
    await bar.getByRole("button", { name: /^2 files.* 2 from 2 other sessions$/ }).waitFor();
  });

  it("a moved file names its earlier path, without counts if its text is the same, and can be undone", async () => {
    const panel = await openPanel([snapshot(delegated)], { width: 280, height: 500 });
    const file = (name: string) => ({ path: `/home/ada/shop/lib/${name}`, label: `lib/${name}`, added: 0, removed: 0 });
    const files = [
      { ...file("a.js"), movedFrom: "pkg/a.js" },
      { ...file("b.bin"), movedFrom: "pkg/b.bin", unknown: "The file is binary.", canUndo: true as const },
    ];
    await panel.patch({ op: "head", head: { changes: { added: 0, removed: 0, files } } });
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.getByRole("button", { name: /^2 files/ }).click();
    const [text, binary] = await bar.getByRole("listitem").allInnerTexts();
    assert.match(text ?? "", /^lib\/a\.js\s+Moved from pkg\/a\.js$/);
    assert.match(binary ?? "", /The file is binary\.\s+Moved from pkg\/b\.bin$/);
    await panel.page.screenshot({ path: "out/screenshots/changes-bar-moved.png" });
    await bar.getByRole("button", { name: "Undo lib/b.bin" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "undoChanges", path: "/home/ada/shop/lib/b.bin" }]);
  });

  it("a long file name stays on one line and shows its end, also next to a long explanation", async () => {
    const panel = await openPanel([snapshot(delegated)], { width: 260, height: 500 });
    const label = "src/components/settings/ASettingsPageWithAVeryLongNameThatNobodyWouldType.tsx";
    const file = { path: `/home/ada/shop/${label}`, label, added: 1200, removed: 345 };
    const why = "Changed by a command. There is no earlier text to compare with.";
    await panel.patch({
      op: "head",
      head: { changes: { added: 1200, removed: 345, files: [file, { ...file, added: 0, removed: 0, unknown: why }] } },
    });
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.getByRole("button", { name: /^2 files/ }).click();
    await panel.page.screenshot({ path: "out/screenshots/changes-bar-long-name.png" });
    for (const link of await bar.getByRole("link").all()) {
      const shape = await link.evaluate(node => {
        const [own, box] = [node.getBoundingClientRect(), (node.parentElement ?? node).getBoundingClientRect()];
        const lineHeight = Number.parseFloat(getComputedStyle(node).lineHeight) || 20;
        return { lines: own.height / lineHeight, width: box.width, endIsShown: Math.abs(own.right - box.right) <= 1 };
      });
      assert.ok(shape.lines < 1.6, `the name has ${shape.lines} lines`);
      assert.ok(shape.width > 70, `the name is ${shape.width} pixels wide`);
      assert.ok(shape.endIsShown, "the end of the name is visible");
    }
    assert.ok(await bar.getByText(why).evaluate(node => node.clientWidth > 150));
  });

  it("messages from the host are announced to screen readers", async () => {
    const panel = await openPanel([snapshot(delegated)]);
    await panel.post({ type: "say", text: "All changes reviewed." });
    await panel.page.getByRole("status").getByText("All changes reviewed.").waitFor();
  });
});
