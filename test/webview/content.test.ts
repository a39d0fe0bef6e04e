// Every kind of content in every place where it can appear, and code blocks with their actions.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { ViewEntry, ViewPart } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { files, noFiles } from "./pathTable.ts";
import { PIXEL, START, ask, message, snapshot, tool, view } from "./scenes.ts";

/** A tenth of a second of silence. */
const SILENCE = Buffer.concat([
  Buffer.from("RIFF"),
  Buffer.from([0x44, 0x03, 0, 0]),
  Buffer.from("WAVEfmt "),
  Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]),
  Buffer.from("data"),
  Buffer.from([0x20, 0x03, 0, 0]),
  Buffer.alloc(800, 128),
]).toString("base64");

interface Kind {
  readonly part: ViewPart;
  /** Fails if the content is not visible in its place. */
  readonly seen: (place: Locator) => Promise<unknown>;
}

const kinds: Readonly<Record<string, Kind>> = {
  text: { part: { type: "text", text: "Plain words" }, seen: place => place.getByText("Plain words").last().waitFor() },
  "text for the agent": {
    part: { type: "resource", uri: "file:///w/hint.txt", text: "Psst", forAgent: true },
    seen: async place => {
      await place.getByText("For the agent").waitFor();
      await place.getByText("hint.txt", { exact: true }).waitFor();
    },
  },
  image: {
    part: { type: "image", mimeType: "image/png", data: PIXEL, uri: "file:///w/chart.png", width: 10, height: 10 },
    seen: async place => {
      const image = place.getByRole("button", { name: "Enlarge chart.png" }).locator("img");
      assert.equal(await image.evaluate(async (img: HTMLImageElement) => (await img.decode(), img.naturalWidth)), 10);
    },
  },
  "an image that is too large": {
    part: { type: "image", mimeType: "image/png", bytes: 9_000_000, uri: "file:///w/huge.png" },
    seen: async place => {
      await place.getByText("image/png · 9.0 MB").waitFor();
      await place.getByRole("button", { name: "Open huge.png" }).waitFor();
    },
  },
  audio: {
    part: { type: "audio", mimeType: "audio/wav", data: SILENCE },
    seen: place =>
      place.locator("audio[aria-label=Audio]").evaluate((audio: HTMLAudioElement) =>
        audio.readyState > 0
          ? undefined
          : new Promise((resolve, reject) => {
              audio.addEventListener("loadedmetadata", resolve);
              audio.addEventListener("error", () => reject(new Error(audio.error?.message)));
            }),
      ),
  },
  "a sound that is too large": {
    part: { type: "audio", mimeType: "audio/wav", bytes: 8_000_000 },
    seen: place => place.getByRole("button", { name: "Open Audio" }).waitFor(),
  },
  "a link to a file": {
    part: {
      type: "link",
      uri: "file:///w/a.ts",
      name: "a.ts",
      description: "The entry point",
      mimeType: "text/x-ts",
      size: 2048,
    },
    seen: async place => {
      await place.getByRole("link", { name: "a.ts", exact: true }).waitFor();
      await place.getByText("text/x-ts · 2.0 kB").waitFor();
      await place.getByText("The entry point").waitFor();
    },
  },
  "a link to the web": {
    part: { type: "link", uri: "https://example.com/x", name: "The manual" },
    seen: place => place.getByRole("link", { name: "The manual" }).waitFor(),
  },
  "an embedded text": {
    part: { type: "resource", uri: "file:///w/main.py", mimeType: "text/x-python", text: "def f(): pass", cut: 12 },
    seen: async place => {
      await place.getByText("main.py", { exact: true }).click();
      await place.locator(".hljs-keyword").filter({ hasText: "def" }).waitFor();
      await place.getByRole("button", { name: "Copy main.py" }).waitFor();
      await place.getByRole("button", { name: "Open main.py" }).waitFor();
      await place.getByText("12 more characters are not shown.").waitFor();
    },
  },
  "an embedded image": {
    part: { type: "resource", uri: "file:///w/photo.png", mimeType: "image/png", data: PIXEL, bytes: 78 },
    seen: async place => {
      const file = place.getByRole("group", { name: "photo.png" });
      await file.getByRole("button", { name: "Enlarge photo.png" }).waitFor();
      await file.getByText("image/png · 78 bytes").waitFor();
    },
  },
  "an embedded file": {
    part: { type: "resource", uri: "file:///w/data.zip", mimeType: "application/zip", bytes: 4096 },
    seen: async place => {
      const file = place.getByRole("group", { name: "data.zip" });
      await file.getByText("application/zip · 4.1 kB").waitFor();
      await file.getByRole("button", { name: "Open data.zip" }).waitFor();
      await file.getByRole("button", { name: "Save data.zip" }).waitFor();
    },
  },
  "what is newer than the panel": {
    part: { type: "placeholder", kind: "hologram" },
    seen: place => place.getByText("Unsupported content: hologram").waitFor(),
  },
};
const parts = Object.values(kinds).map(kind => kind.part);

const entries: readonly ViewEntry[] = [
  { ...message("u1", "user", ""), parts },
  { ...message("m1", "agent", ""), parts },
  { ...message("h1", "thought", ""), parts },
  tool("c1", "Look around", { parts }),
  { id: "k1", kind: "compaction", status: "completed", parts, at: START },
];
const places: Readonly<Record<string, (panel: PanelPage) => Locator>> = {
  "a prompt": panel => panel.log.locator("[data-kind=user]"),
  "an answer": panel => panel.log.locator("[data-kind=agent]"),
  "a thought": panel => panel.log.locator("[data-kind=thought]"),
  "a tool card": panel => panel.log.getByRole("article", { name: "Look around" }),
  "a summary": panel => panel.log.locator("[data-kind=compaction]"),
  "a question": panel => panel.page.getByRole("group", { name: "May I look?" }),
};

/** A panel that shows a complete answer. */
const answer = (text: string): Promise<PanelPage> => openPanel([snapshot(view([message("m1", "agent", text)]))]);

describe("content", () => {
  usePanel();

  it("of every kind is visible in every place", async function () {
    const questions = [{ ...ask, title: "May I look?", entry: "c1", parts }];
    const panel = await openPanel([snapshot(view(entries, { questions }))], { height: 2000 });
    const folds = panel.log.locator("button[aria-expanded=false]");
    await folds.evaluateAll(all => all.forEach(fold => (fold as HTMLElement).click()));
    const missing: string[] = [];
    for (const [where, find] of Object.entries(places)) {
      const place = find(panel);
      for (const [what, { seen }] of Object.entries(kinds))
        await seen(place).catch((error: Error) => missing.push(`${what} in ${where}: ${error.message.split("\n")[0]}`));
    }
    assert.deepEqual(missing, []);
    await panel.assertClean();
  });

  it("is opened and saved by entry and part, in a question by those of its tool card", async () => {
    const questions = [{ ...ask, title: "May I look?", entry: "c1", parts }];
    const panel = await openPanel([snapshot(view(entries, { questions }))]);
    await panel.log.locator("[data-kind=user]").getByRole("button", { name: "Save data.zip" }).click();
    await places["a question"]?.(panel).getByRole("button", { name: "Open huge.png" }).click();
    assert.deepEqual(await panel.intents(), [
      { type: "saveContent", entry: "u1", part: parts.findIndex(part => "uri" in part && part.uri.endsWith(".zip")) },
      { type: "openContent", entry: "c1", part: parts.findIndex(part => "bytes" in part && part.bytes === 9_000_000) },
    ]);
  });

  it("that is an image can be enlarged by keyboard, and Escape returns the focus without stopping the agent", async () => {
    const running = { state: "running", since: START, cancelling: false } as const;
    const panel = await openPanel([snapshot(view(entries, { activity: running }))]);
    const image = panel.log.locator("[data-kind=user]").getByRole("button", { name: "Enlarge chart.png" });
    await image.press("Enter");
    const dialog = panel.page.getByRole("dialog", { name: "chart.png" });
    await dialog.getByRole("img", { name: "chart.png" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).and(panel.page.locator(":focus")).waitFor();
    await panel.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await image.and(panel.page.locator(":focus")).waitFor();
    assert.deepEqual(await panel.intents(), []);
    await image.click();
    await dialog.getByRole("button", { name: "Open in Editor" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "openContent", entry: "u1", part: 2 }]);
  });

  it("that is an image reserves its space before it is decoded", async () => {
    const large = { type: "image", mimeType: "image/png", data: "AAAA", width: 3000, height: 1500 } as const;
    const panel = await openPanel([snapshot(view([{ ...message("m1", "agent", ""), parts: [large] }]))], {
      width: 280,
    });
    const box = await panel.log.locator("img").boundingBox();
    assert.ok(box && box.width < 280 && Math.abs(box.width / box.height - 2) < 0.05, JSON.stringify(box));
  });
});

describe("code of an answer", () => {
  usePanel();
  const code = '```ts title="src/a.ts"\nlet a = 1;\n```\n\n```mermaid\ngraph TD\n```\n\n```\nplain\n```\n';

  it("can be copied, inserted or applied to a file, and a diagram opens in its own panel", async () => {
    const panel = await answer(code);
    const [first, second] = [panel.log.locator(".code").first(), panel.log.locator(".code").nth(1)];
    for (const name of ["Copy Code", "Insert at Cursor", "Apply to File"])
      await first.getByRole("button", { name }).press("Enter");
    await first.getByRole("link", { name: "src/a.ts" }).click();
    await second.getByRole("button", { name: "Open Diagram" }).click();
    await panel.log.locator(".code").last().getByRole("button", { name: "Apply to File" }).click();
    const text = "let a = 1;";
    assert.deepEqual(await panel.intents(), [
      { type: "copy", text },
      { type: "insertCode", text },
      { type: "applyCode", text, path: "src/a.ts" },
      { type: "openFile", path: "src/a.ts" },
      { type: "openDiagram", text: "graph TD" },
      { type: "applyCode", text: "plain" },
    ]);
    assert.equal(await second.getByRole("button", { name: "Insert at Cursor" }).count(), 0);
  });

  it("is selected and copied without buttons and labels", async () => {
    const panel = await answer(`Before\n\n${code}\nAfter`);
    const selected = await panel.page.evaluate(() => {
      const log = document.querySelector(".entries") as Element;
      getSelection()?.selectAllChildren(log);
      return getSelection()?.toString().replace(/\s+/g, " ").trim();
    });
    assert.equal(selected, "Before let a = 1; graph TD plain After");
  });

  it("has actions only when its fence is closed", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "```ts\nlet a = 1;\n")], { live: "m1" }))]);
    const apply = panel.log.getByRole("button", { name: "Apply to File" });
    await panel.log.getByRole("button", { name: "Copy Code" }).waitFor();
    assert.equal(await apply.count(), 0);
    assert.equal(await panel.log.locator("[class*=hljs]").count(), 0);
    await panel.patch({ op: "append", id: "m1", part: 0, text: "```\n" });
    await apply.waitFor();
    await panel.log.locator(".hljs-keyword").waitFor();
  });
});

describe("files in an answer", () => {
  usePanel();

  it("are links in prose and in code, but text that only looks like a file is not", async () => {
    const lines = (words: readonly string[]): string =>
      words.map(word => `- see ${word} now\n- and \`${word}\``).join("\n");
    // In prose, a backslash before punctuation is an escape.
    const panel = await answer(lines(files));
    const titles = (): Promise<string[]> =>
      panel.log.locator("a.link").evaluateAll(links => links.map(link => (link as HTMLElement).dataset["href"] ?? ""));
    assert.deepEqual(
      await panel.log.locator("a.link").allTextContents(),
      files.flatMap(file => [file, file]),
    );
    await panel.show(view([message("m2", "agent", lines(noFiles))]));
    await panel.log.getByText("see Array.from now").waitFor();
    const odd = (await titles()).filter(href => !/^(?:https?:|mailto:)/.test(href));
    assert.deepEqual(odd, []);
  });

  it("open with all letters of their path, and never as the end of a longer path", async () => {
    const rows: readonly (readonly [text: string, ...intents: readonly object[]])[] = [
      ["app/\\[slug\\]/page.tsx", { path: "app/[slug]/page.tsx" }],
      ["**app/[slug]/page.tsx**", { path: "app/[slug]/page.tsx" }],
      ["src/**/a.ts and lib/**/b.ts"],
      ["`docs/my file.md:3`", { path: "docs/my file.md", line: 3 }],
      ['in "docs/my file.md" there', { path: "docs/my file.md" }],
      ["`node scripts/test.mjs`"],
      ["`docs/C#/intro.md` `src/100%25.ts`", { path: "docs/C#/intro.md" }, { path: "src/100%25.ts" }],
      ["打开了src/组件/按钮.tsx，然后。", { path: "src/组件/按钮.tsx", leading: "打开了" }],
      ["in /work/My Project/a.ts", { path: "Project/a.ts", leading: "/work/My " }],
      ["[x](app/[slug]/page.tsx#L3)", { path: "app/[slug]/page.tsx", line: 3 }],
    ];
    const panel = await answer(rows.map(([text]) => `- ${text}`).join("\n"));
    for (const link of await panel.log.getByRole("link").all()) await link.press("Enter");
    assert.deepEqual(
      await panel.intents(),
      rows.flatMap(([, ...intents]) => intents.map(intent => ({ type: "openFile", ...intent }))),
    );
  });

  it("leave a URL as it is, without the punctuation of a sentence in any script", async () => {
    const panel = await answer(
      "见https://example.com/文档/a.ts。然后 （https://example.com/b，c） https://example.com/c.ts.",
    );
    const links = await panel.log.locator("a.link").allTextContents();
    assert.deepEqual(links, ["https://example.com/文档/a.ts", "https://example.com/b", "https://example.com/c.ts"]);
  });

  it("do not change the order of the words around them, which have the direction of their own paragraph", async () => {
    const panel = await answer(
      [
        "ראו את src/a.ts:10 עכשיו",
        "see src/קובץ.ts now",
        "- פתחו את `src/b.ts:3` שוב",
        "| ראשון | second |\n| --- | --- |\n| שלום לכולם | hello |",
      ].join("\n\n"),
    );
    /** How far a text is from the left and the right edge of its block (px). */
    const gaps = (block: Locator): Promise<{ left: number; right: number }> =>
      block.evaluate(element => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
        return { left: text.left - box.left, right: box.right - text.right };
      });
    const paragraphs = panel.log.locator(".markdown p");
    const [hebrew, latin] = [await gaps(paragraphs.nth(0)), await gaps(paragraphs.nth(1))];
    assert.ok(hebrew.right < 2 && hebrew.left > 50, JSON.stringify(hebrew));
    assert.ok(latin.left < 2 && latin.right > 50, JSON.stringify(latin));
    const item = await gaps(panel.log.locator(".markdown li"));
    assert.ok(item.right < 2 && item.left > 50, JSON.stringify(item));
    // Its marker is beside its first word, and not cut off.
    const list = panel.log.locator(".markdown ul");
    assert.equal(await list.locator("li").evaluate(element => getComputedStyle(element).direction), "rtl");
    assert.ok(await list.evaluate(element => parseFloat(getComputedStyle(element).paddingRight) > 10));
    // The first word is on the right of the link, and the last on its left.
    const order = await paragraphs.nth(0).evaluate(element => {
      const rectOf = (node: Node | null): DOMRect => {
        const range = document.createRange();
        if (node) range.selectNodeContents(node);
        return range.getBoundingClientRect();
      };
      const link = element.querySelector("a.link");
      return [link?.previousSibling, link, link?.nextSibling].map(node => rectOf(node ?? null).left);
    });
    assert.deepEqual(
      order,
      [...order].sort((a, b) => b - a),
    );
    for (const box of [panel.composer, panel.log.locator("td").first()])
      assert.equal(await box.evaluate(element => getComputedStyle(element).unicodeBidi), "plaintext");
  });

  it("open at their line", async () => {
    const panel = await answer("[a](src/a.ts#L10-L20), `src/b.ts:10:5` and [out](https://example.com)");
    for (const link of await panel.log.getByRole("link").all()) await link.press("Enter");
    assert.deepEqual(await panel.intents(), [
      { type: "openFile", path: "src/a.ts", line: 10, endLine: 20 },
      { type: "openFile", path: "src/b.ts", line: 10, column: 5 },
      { type: "openLink", href: "https://example.com" },
    ]);
  });
});
