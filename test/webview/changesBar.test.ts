// The bar with the changes to review, by mouse and keyboard.
import assert from "node:assert/strict";
import { openPanel, usePanel } from "./panelPage.ts";
import { delegated, snapshot } from "./scenes.ts";

describe("the changes bar", () => {
  usePanel();

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

  it("the bar counts the files that are marked as reviewed, also in a narrow panel", async () => {
    const panel = await openPanel([snapshot(delegated)], { width: 280, height: 500 });
    const { changes } = delegated.head;
    assert.ok(changes);
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.waitFor();
    assert.equal(await bar.getByText(/reviewed/).count(), 0);
    await panel.patch({ op: "head", head: { changes: { ...changes, reviewed: 1 } } });
    await bar.getByRole("button", { name: /^2 files .*1 of 2 reviewed/ }).waitFor();
    await panel.page.screenshot({ path: "out/screenshots/changes-bar-reviewed.png" });
    await panel.assertClean();
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

  it("comments that are not sent have a button in the bar, also without changes", async () => {
    const panel = await openPanel([snapshot(delegated)]);
    await panel.patch({ op: "head", head: { comments: 3 } });
    const bar = panel.page.getByRole("region", { name: "Changes" });
    await bar.getByRole("button", { name: "Send Comments (3)" }).click();
    await panel.patch({ op: "head", head: { changes: null } });
    assert.equal(await bar.count(), 0);
    const alone = panel.page.getByRole("region", { name: "Comments" });
    await alone.getByRole("button", { name: "Send Comments (3)" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "sendComments" }, { type: "sendComments" }]);
    await panel.page.screenshot({ path: "out/screenshots/changes-bar-comments.png" });
    await panel.patch({ op: "head", head: {}, gone: ["comments"] });
    assert.equal(await alone.count(), 0);
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

  it("leads to the other session whose changes it lists, or to one of several, by mouse and keyboard", async () => {
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
    const one = bar.getByRole("link", { name: "1 from Fix sum", exact: true });
    await one.click();
    await show(2, 1);
    const all = bar.getByRole("link", { name: "from Fix sum", exact: true });
    assert.equal(await all.getAttribute("title"), "Show the session “Fix sum”");
    await bar.getByRole("button", { name: /^2 files/ }).focus();
    await panel.page.keyboard.press("Tab");
    await all.and(panel.page.locator(":focus")).waitFor();
    await panel.page.keyboard.press("Enter");
    await panel.page.screenshot({ path: "out/screenshots/changes-bar-session.png" });
    await show(2, 2);
    const several = bar.getByRole("button", { name: "Other sessions: 2 from 2 other sessions" });
    await several.click();
    const menu = panel.page.getByRole("menu", { name: "Other sessions" });
    await panel.page.screenshot({ path: "out/screenshots/changes-bar-sessions.png" });
    const [menuBox, buttonBox] = [await menu.boundingBox(), await several.boundingBox()];
    assert.ok(menuBox && buttonBox);
    assert.ok(Math.abs(menuBox.x + menuBox.width - buttonBox.x - buttonBox.width) < 2, "the menu is at its button");
    await menu.getByRole("menuitem", { name: "Fix sum" }).click();
    await several.press("Enter");
    await panel.page.keyboard.press("ArrowDown");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [
      { type: "showSession", id: "s2" },
      { type: "showSession", id: "s2" },
      { type: "showSession", id: "s2" },
      { type: "showSession", id: "s3" },
    ]);
    assert.equal(await bar.getByRole("list").count(), 0, "the bar did not expand");
    await panel.assertClean();
  });

  for (const width of [260, 480]) {
    it(`cuts a long title of another session at ${width} pixels, and keeps every button in sight`, async () => {
      const panel = await openPanel([snapshot(delegated)], { width, height: 500 });
      const title = "Fix the sum of empty lists and document the edge cases of it in every package";
      const files = [{ path: "/home/ada/shop/a.js", label: "a.js", added: 1200, removed: 345 }];
      const others = { files: 1, sessions: [{ id: "s2", title }] };
      await panel.patch({ op: "head", head: { changes: { added: 1200, removed: 345, files, others } } });
      const bar = panel.page.getByRole("region", { name: "Changes" });
      const link = bar.getByRole("link", { name: `from ${title}` });
      for (const part of [link, ...(await bar.getByRole("button").all())]) {
        const box = await part.boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= width && box.height < 30, JSON.stringify(box));
      }
      assert.ok(await link.evaluate(node => node.scrollWidth > node.clientWidth && node.clientWidth > 100));
      await panel.page.screenshot({ path: `out/screenshots/changes-bar-long-title-${width}.png` });
    });
  }

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
});
