// Attachments of a prompt: chips, pasted images, dropped files, and refusals.
import assert from "node:assert/strict";
import type { Intent } from "../../src/panel/intents.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { busyHead, snapshot, view } from "./scenes.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
const file = (id: string, label: string): Attachment => ({
  id,
  kind: "file",
  label,
  detail: `src/${label}`,
  bytes: 1234,
  source: { type: "path", path: `/w/src/${label}` },
});
const image = (id: string, data: string): Attachment => ({
  id,
  kind: "image",
  label: "photo.png",
  bytes: 75,
  source: { type: "data", mimeType: "image/png", data },
});

const chips = (panel: PanelPage): Promise<readonly string[]> =>
  panel.page
    .getByRole("list", { name: "Attachments" })
    .getByRole("listitem")
    .evaluateAll(all => all.map(each => (each.textContent ?? "").replace(/\s+/g, " ").trim()));
const attach = (panel: PanelPage, ...attachments: readonly Attachment[]): Promise<void> =>
  panel.post({ type: "attached", attachments });

interface Given {
  readonly files?: readonly { readonly name: string; readonly type: string; readonly bytes: number | string }[];
  readonly data?: Readonly<Record<string, string>>;
}

/** Pastes into the composer or drops onto the panel, as a user would. */
async function give(panel: PanelPage, how: "paste" | "drop", given: Given): Promise<void> {
  await panel.composer.evaluate(
    (box, { how, files = [], data = {} }) => {
      const transfer = new DataTransfer();
      for (const [type, text] of Object.entries(data)) transfer.setData(type, text);
      for (const { name, type, bytes } of files) {
        const content =
          typeof bytes === "number" ? new Uint8Array(bytes) : Uint8Array.from(atob(bytes), c => c.charCodeAt(0));
        transfer.items.add(new File([content], name, { type }));
      }
      const init = { bubbles: true, cancelable: true };
      box.dispatchEvent(
        how === "paste"
          ? new ClipboardEvent("paste", { ...init, clipboardData: transfer })
          : new DragEvent("drop", { ...init, dataTransfer: transfer }),
      );
    },
    { how, ...given },
  );
}

const last = async (panel: PanelPage): Promise<Intent | undefined> => (await panel.intents()).at(-1);

describe("attachments", () => {
  usePanel();

  it("appear as chips with name and size, are sent with the prompt, and are not added twice", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 260 });
    const long = {
      ...file("c", "a-name-that-is-much-too-long-for-such-a-narrow-side-bar.component.ts"),
      kind: "editor",
    } as const;
    await attach(panel, file("a", "sum.js"), image("b", PIXEL), long);
    await attach(panel, file("other", "sum.js"), image("b2", PIXEL), file("a", "renamed.js"));
    assert.deepEqual((await chips(panel)).slice(0, 2), ["sum.js 1.2 kB", "photo.png 75 bytes"]);
    assert.equal((await chips(panel)).length, 3);
    assert.ok(await panel.page.locator(".thumbnail").evaluate(img => (img as HTMLImageElement).naturalWidth === 10));
    assert.equal(await panel.page.evaluate(() => document.scrollingElement?.scrollWidth), 260);
    await panel.composer.fill("look");
    await panel.composer.press("Enter");
    const attachments = [file("a", "sum.js"), image("b", PIXEL), long];
    assert.deepEqual(await panel.intents(), [{ type: "send", text: "look", attachments }]);
    assert.deepEqual(await chips(panel), []);
    await panel.assertClean();
  });

  it("can be removed by their buttons, by arrow keys and Delete, and by Backspace at the start of the text", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await attach(panel, file("a", "a.js"), file("b", "b.js"), file("c", "c.js"), file("d", "d.js"));
    const remove = (name: string) => panel.page.getByRole("button", { name: `Remove ${name}` });
    await panel.composer.focus();
    await panel.page.keyboard.press("Shift+Tab");
    await remove("a.js").and(panel.page.locator(":focus")).waitFor();
    await panel.page.keyboard.press("ArrowRight");
    await panel.page.keyboard.press("Delete");
    await remove("c.js").and(panel.page.locator(":focus")).waitFor();
    await remove("a.js").click();
    assert.deepEqual(await chips(panel), ["c.js 1.2 kB", "d.js 1.2 kB"]);
    await panel.composer.fill("x");
    await panel.composer.press("Backspace");
    assert.equal((await chips(panel)).length, 2);
    await panel.composer.press("Backspace");
    assert.deepEqual(await chips(panel), ["c.js 1.2 kB"]);
    await remove("c.js").press("Enter");
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
  });

  it("survive a reload with the draft and the caret, except those that are too large, which are listed", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.composer.pressSequentially("half a thought");
    await panel.composer.press("Home");
    await panel.composer.press("ArrowRight");
    await attach(panel, file("a", "sum.js"), { ...image("b", "A".repeat(4_000_000)), label: "huge.png" });
    assert.equal((await chips(panel)).length, 2);
    await panel.page.reload();
    await panel.composer.waitFor();
    assert.deepEqual(await chips(panel), ["sum.js 1.2 kB"]);
    await panel.page
      .getByRole("alert")
      .getByText("Too large to restore after the panel was reloaded: huge.png.")
      .waitFor();
    await panel.composer.focus();
    await panel.page.keyboard.type("X");
    assert.equal(await panel.composer.inputValue(), "hXalf a thought");
  });

  it("chosen just before Enter are sent with the prompt; after a refusal the text is kept", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const choose = async (): Promise<void> => {
      await panel.composer.pressSequentially("@s");
      const asked = await last(panel);
      assert.ok(asked?.type === "complete");
      const items = [{ key: "k", kind: "file", label: "sum.js" } as const];
      await panel.post({ type: "completions", request: asked.request, items });
      await panel.composer.press("Enter");
    };
    await choose();
    await panel.page.getByText("Attaching sum.js…").waitFor();
    await panel.composer.press("Enter");
    assert.equal((await last(panel))?.type, "attachItem");
    // Another attachment does not answer for the chosen one.
    await attach(panel, file("b", "other.js"));
    assert.equal((await last(panel))?.type, "attachItem");
    await panel.post({ type: "attached", attachments: [file("a", "sum.js")], key: "k" });
    assert.deepEqual(await last(panel), {
      type: "send",
      text: "@sum.js ",
      attachments: [file("b", "other.js"), { ...file("a", "sum.js"), mentions: ["@sum.js"] }],
    });
    await choose();
    await panel.composer.press("Enter");
    await panel.post({ type: "refused", reason: "sum.js is too large to attach.", key: "k" });
    await panel.page.getByRole("alert").getByText("sum.js is too large to attach.").waitFor();
    assert.equal(await panel.composer.inputValue(), "@sum.js ");
    await panel.page.getByRole("button", { name: "Dismiss" }).click();
    assert.equal(await panel.page.getByRole("alert").textContent(), "");
  });

  it("of an unsent prompt are restored with its text, before the text typed since", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const unsent = {
      type: "unsent",
      text: "first",
      attachments: [file("a", "sum.js")],
      reason: "It is gone.",
    } as const;
    await panel.post(unsent);
    assert.equal(await panel.composer.inputValue(), "first");
    await panel.composer.fill("second");
    await panel.post(unsent);
    assert.equal(await panel.composer.inputValue(), "first\nsecond");
    assert.deepEqual(await chips(panel), ["sum.js 1.2 kB"]);
    await panel.page.getByRole("alert").getByText("It is gone.").waitFor();
  });

  it("can be pasted images; pasted text stays text even if it also comes as an image", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const png = { name: "image.png", type: "image/png", bytes: PIXEL };
    await give(panel, "paste", { files: [png] });
    await panel.page.getByRole("button", { name: "Remove Pasted image" }).waitFor();
    await give(panel, "paste", { files: [png], data: { "text/plain": "a table" } });
    await panel.composer.fill("what is it?");
    await panel.composer.press("Enter");
    const sent = await last(panel);
    assert.ok(sent?.type === "send" && sent.attachments?.length === 1);
    assert.deepEqual(sent.attachments[0]?.source, { type: "data", mimeType: "image/png", data: PIXEL });
    await panel.assertClean();
  });

  it("can be long pasted texts, which move into the message by a button", async () => {
    const panel = await openPanel([snapshot(view([]))], { width: 280 });
    const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");
    await give(panel, "paste", { data: { "text/plain": lines(39) } });
    assert.deepEqual(await chips(panel), [], "a short text is left to the browser");
    await give(panel, "paste", { data: { "text/plain": "x".repeat(300_000) } });
    assert.deepEqual(await chips(panel), [], "a text that no attachment can carry is left to the browser");
    await give(panel, "paste", { data: { "text/plain": `${lines(40).replaceAll("\n", "\r\n")}\r\n` } });
    await give(panel, "paste", { data: { "text/plain": `${lines(39)}\nlast` } });
    await give(panel, "paste", { data: { "text/plain": "x".repeat(4000) } });
    assert.deepEqual(await chips(panel), [
      "Pasted text (40 lines) 311 bytes",
      "Pasted text (40 lines) 2 307 bytes",
      "Pasted text (1 line) 4.0 kB",
    ]);
    await panel.page.locator(".chip", { hasText: "Pasted text (1 line)" }).hover();
    const preview = panel.page.getByRole("tooltip");
    await preview.getByText("xxxx").waitFor();
    assert.equal((await preview.locator("div").first().innerText()).trim(), "Pasted text (1 line)");
    await panel.page.screenshot({ path: "out/screenshots/pasted-text.png" });
    await panel.composer.fill("see: ");
    await panel.page.getByRole("button", { name: "Insert Pasted text (40 lines) 2 into the Message" }).click();
    assert.equal(await panel.composer.inputValue(), `see: ${lines(39)}\nlast`);
    await panel.page.getByRole("button", { name: "Remove Pasted text (1 line)" }).click();
    await panel.composer.fill("what is this?");
    await panel.composer.press("Enter");
    const sent = await last(panel);
    assert.ok(sent?.type === "send" && sent.attachments?.length === 1);
    assert.deepEqual(sent.attachments[0]?.source, { type: "text", text: `${lines(40)}\n` });
    await panel.assertClean();
  });

  it("are refused immediately with the reason: too large, not an image, or not supported by the agent", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const alert = panel.page.getByRole("alert");
    await give(panel, "paste", { files: [{ name: "big.png", type: "image/png", bytes: 3_900_001 }] });
    await alert.getByText("big.png is too large to attach: its size is 3.9 MB, and the limit is 3.9 MB.").waitFor();
    await give(panel, "drop", { files: [{ name: "a.zip", type: "application/zip", bytes: 10 }] });
    await alert.getByText(/a\.zip was not attached\. .*“Add to Chat”/).waitFor();
    await panel.patch({ op: "head", head: { accepts: { image: false, audio: false, embedded: true } } as never });
    await give(panel, "paste", { files: [{ name: "image.png", type: "image/png", bytes: 10 }] });
    await alert.getByText("Demo Agent does not support images").waitFor();
    assert.deepEqual(await chips(panel), []);
    await panel.composer.fill("go on");
    await panel.composer.press("Enter");
    assert.equal(await alert.textContent(), "");
  });

  it("can be files dropped anywhere in the panel, by their URIs", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    for (const { data, uris } of [
      {
        data: { "application/vnd.code.uri-list": "file:///w/a.ts\r\nfile:///w/b%20c.ts" },
        uris: ["file:///w/a.ts", "file:///w/b%20c.ts"],
      },
      { data: { "text/uri-list": "# comment\r\nvscode-remote://ssh/w/a.ts" }, uris: ["vscode-remote://ssh/w/a.ts"] },
      { data: { resourceurls: '["file:///w/a.ts"]', "text/uri-list": "file:///w/a.ts" }, uris: ["file:///w/a.ts"] },
    ]) {
      await give(panel, "drop", { data });
      assert.deepEqual(await last(panel), { type: "attachUris", uris });
    }
    const count = (await panel.intents()).length;
    await give(panel, "drop", {
      data: { "text/uri-list": "https://example.com/", "text/plain": "https://example.com/" },
    });
    assert.equal(await panel.composer.inputValue(), "https://example.com/");
    assert.equal((await panel.intents()).length, count);
  });

  it("have a button, a hint about dropping, and a highlight during a drag", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const button = panel.page.getByRole("button", { name: "Attach" });
    assert.match((await button.getAttribute("title")) ?? "", /hold Shift/);
    await panel.page.getByText("Hold Shift to drop files").waitFor();
    await button.click();
    assert.deepEqual(await panel.intents(), [{ type: "pickAttachment" }]);
    const drag = (type: string): Promise<void> =>
      panel.page.evaluate(name => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData("text/uri-list", "file:///a");
        document.body.dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer }));
      }, type);
    await drag("dragover");
    await panel.page.locator(".composer[data-dropping]").waitFor();
    await drag("dragleave");
    await panel.page.locator(".composer:not([data-dropping])").waitFor();
  });

  it("and the context usage can be reached by keyboard", async () => {
    const panel = await openPanel([snapshot(view([], busyHead))]);
    const ring = panel.page.getByRole("img", { name: /^Context/ });
    await ring.focus();
    await panel.page.locator(".usage-tip", { hasText: "53,000 of 200,000" }).waitFor();
  });
});
