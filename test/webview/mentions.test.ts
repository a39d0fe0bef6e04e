// Mentions in the message and the chips of their attachments: one goes with the other.
import assert from "node:assert/strict";
import type { Completion } from "../../src/panel/mentionKinds.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { snapshot, view } from "./scenes.ts";

const file = (path: string): Attachment => ({
  id: path,
  kind: "file",
  label: path.slice(path.lastIndexOf("/") + 1),
  detail: "w",
  source: { type: "path", path: `/w/${path}` },
});
const selection = (id: string, text: string): Attachment => ({
  id,
  kind: "selection",
  label: "a.ts:1",
  source: { type: "text", text },
});
const completion = (path: string): Completion => {
  const at = path.lastIndexOf("/");
  return {
    key: `file:${path}`,
    kind: "file",
    label: path.slice(at + 1),
    ...(at > 0 && { detail: path.slice(0, at) }),
  };
};
const selectionItem: Completion = {
  key: "selection:Selection",
  kind: "selection",
  label: "Selection",
  detail: "a.ts:1",
};

/** Chooses an item after `@`, which the host attaches. */
async function mention(panel: PanelPage, item: Completion, attachment: Attachment): Promise<void> {
  await panel.composer.pressSequentially("@");
  const asked = (await panel.intents()).findLast(intent => intent.type === "complete");
  assert.ok(asked?.type === "complete");
  await panel.post({ type: "completions", request: asked.request, items: [item] });
  await panel.composer.press("Enter");
  await panel.post({ type: "attached", attachments: [attachment], key: item.key });
}
const mentionFile = (panel: PanelPage, path: string, id = path): Promise<void> =>
  mention(panel, completion(path), { ...file(path), id });

const chips = (panel: PanelPage): Promise<readonly string[]> =>
  panel.page
    .getByRole("list", { name: "Attachments" })
    .getByRole("listitem")
    .evaluateAll(all => all.map(each => each.dataset["id"] ?? ""));
const text = (panel: PanelPage): Promise<string> => panel.composer.inputValue();
const caret = (panel: PanelPage): Promise<number> =>
  panel.composer.evaluate(box => (box as HTMLTextAreaElement).selectionStart);
const remove = (panel: PanelPage, name: string) => panel.page.getByRole("button", { name: `Remove ${name}` });

describe("a mention and its chip", () => {
  usePanel();

  it("leave together when the text changes, and come back together with Ctrl+Z", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("look at ");
    await mentionFile(panel, "src/sum.js");
    assert.equal(await text(panel), "look at @sum.js ");
    assert.deepEqual(await chips(panel), ["src/sum.js"]);
    // The mention is changed, deleted and written again.
    await panel.composer.press("Backspace");
    for (const [typed, shown] of [
      [".", true],
      ["map", false],
    ] as const) {
      await panel.composer.pressSequentially(typed);
      assert.deepEqual(await chips(panel), shown ? ["src/sum.js"] : [], typed);
    }
    while ((await text(panel)).startsWith("look at @sum.js.m")) await panel.composer.press("Control+z");
    assert.deepEqual(await chips(panel), ["src/sum.js"], await text(panel));
    await panel.composer.fill("look");
    assert.deepEqual(await chips(panel), []);
    await panel.composer.press("Control+z");
    assert.match(await text(panel), /^look at @sum\.js/);
    assert.deepEqual(await chips(panel), ["src/sum.js"]);
    await panel.composer.fill("nothing is attached");
    await panel.composer.press("Enter");
    assert.deepEqual((await panel.intents()).at(-1), { type: "send", text: "nothing is attached" });
    await panel.composer.fill("@sum.js");
    assert.deepEqual(await chips(panel), [], "a new draft knows no mentions");
    await panel.assertClean();
  });

  it("leave together when the chip is removed by mouse or keyboard; the caret keeps its place", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("compare ");
    await mentionFile(panel, "a.js");
    await panel.composer.pressSequentially("with ");
    await mentionFile(panel, "b.js");
    await panel.composer.pressSequentially("and (@a.js), please");
    for (let i = 0; i < 3; i++) await panel.composer.press("ArrowLeft");
    await remove(panel, "a.js").click();
    assert.equal(await text(panel), "compare with @b.js and (), please");
    assert.equal(await caret(panel), "compare with @b.js and (), ple".length);
    await remove(panel, "b.js").and(panel.page.locator(":focus")).waitFor();
    await panel.page.keyboard.press("Delete");
    assert.equal(await text(panel), "compare with and (), please");
    assert.deepEqual(await chips(panel), []);
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await panel.composer.press("Control+z");
    await panel.composer.press("Control+z");
    assert.equal(await text(panel), "compare @a.js with @b.js and (@a.js), please");
    assert.deepEqual(await chips(panel), ["a.js", "b.js"]);
    await panel.composer.press("Control+Home");
    await panel.composer.press("Backspace");
    assert.equal(await text(panel), "compare @a.js with and (@a.js), please");
    assert.equal(await caret(panel), 0);
    await panel.composer.press("Enter");
    const sent = (await panel.intents()).at(-1);
    assert.ok(sent?.type === "send");
    assert.deepEqual(
      sent.attachments?.map(({ id }) => id),
      ["a.js"],
    );
  });

  it("are one chip for two mentions of a file, until the last one is gone", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await mentionFile(panel, "a.js");
    await panel.composer.pressSequentially("or ");
    await mentionFile(panel, "a.js", "second answer");
    assert.equal(await text(panel), "@a.js or @a.js ");
    assert.deepEqual(await chips(panel), ["a.js"]);
    for (let i = 0; i < 7; i++) await panel.composer.press("Backspace");
    assert.deepEqual(await chips(panel), ["a.js"], await text(panel));
    await panel.composer.fill("or");
    assert.deepEqual(await chips(panel), []);
  });

  it("tell files of one name and two selections apart", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await mentionFile(panel, "a/index.ts");
    await mentionFile(panel, "b/index.ts");
    await mentionFile(panel, "index.ts");
    await mention(panel, selectionItem, selection("one", "1"));
    await mention(panel, selectionItem, selection("two", "2"));
    await mention(panel, selectionItem, selection("three", "3"));
    assert.equal(
      await text(panel),
      "@index.ts @b/index.ts @./index.ts @Selection @Selection (a.ts:1) @Selection (a.ts:1) 2 ",
    );
    assert.deepEqual(await chips(panel), ["a/index.ts", "b/index.ts", "index.ts", "one", "two", "three"]);
    await panel.composer.fill("@b/index.ts @Selection (a.ts:1) 2");
    assert.deepEqual(await chips(panel), ["b/index.ts", "three"]);
  });

  it("stay linked after a reload, and in the draft of a session that is shown again", async () => {
    const panel = await openPanel([snapshot(view([], { session: "s1", title: "One" }))]);
    await mentionFile(panel, "a.js");
    await panel.post({ type: "attached", attachments: [file("b.js")] });
    await panel.page.reload();
    await panel.composer.waitFor();
    assert.deepEqual(await chips(panel), ["a.js", "b.js"]);
    await panel.show(view([], { session: "s2", title: "Two" }));
    assert.deepEqual(await chips(panel), []);
    await panel.show(view([], { session: "s1", title: "One" }));
    assert.deepEqual(await chips(panel), ["a.js", "b.js"]);
    await remove(panel, "a.js").click();
    assert.equal(await text(panel), "");
    await panel.composer.press("Control+z");
    assert.deepEqual(await chips(panel), ["a.js", "b.js"]);
    await panel.composer.fill("x");
    assert.deepEqual(await chips(panel), ["b.js"]);
  });

  it("do not bind an attachment that was also added without a mention", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await mentionFile(panel, "a.js");
    await panel.post({ type: "attached", attachments: [{ ...file("a.js"), id: "from the Explorer" }] });
    await panel.composer.fill("x");
    assert.deepEqual(await chips(panel), ["a.js"]);
    await panel.composer.fill("@a.js x");
    await remove(panel, "a.js").click();
    assert.equal(await text(panel), "x");
    assert.deepEqual(await chips(panel), []);
  });

  it("are not attached if the mention is deleted before the host answers", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("@");
    const asked = (await panel.intents()).findLast(intent => intent.type === "complete");
    assert.ok(asked?.type === "complete");
    await panel.post({ type: "completions", request: asked.request, items: [completion("a.js")] });
    await panel.composer.press("Enter");
    await panel.page.getByText("Attaching a.js…").waitFor();
    await panel.composer.fill("x");
    await panel.page.getByText("Attaching a.js…").waitFor({ state: "detached" });
    await panel.post({ type: "attached", attachments: [file("a.js")], key: "file:a.js" });
    await panel.composer.press("Enter");
    assert.deepEqual((await panel.intents()).at(-1), { type: "send", text: "x" });
  });
});
