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
});
