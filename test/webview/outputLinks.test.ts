// Links to files in the output of commands: terminals and preformatted text.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { ToolPart, ViewTool } from "../../src/panel/protocol.ts";
import { openPanel, picture, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { snapshot, tool, view } from "./scenes.ts";

const terminal = (text: string, cwd?: string): ToolPart => ({
  type: "terminal",
  terminalId: "t1",
  command: "npm test",
  text,
  truncated: false,
  ...(cwd !== undefined && { cwd }),
});
const output = (text: string, language?: string): ToolPart => ({
  type: "text",
  text,
  pre: { ...(language !== undefined && { language }) },
});

/** A card that is open because it failed. */
const card = (...parts: readonly ToolPart[]): ViewTool =>
  tool("c1", "npm test", { toolKind: "execute", status: "failed", parts });

const open = (part: ToolPart, options?: Options): Promise<PanelPage> =>
  openPanel([snapshot(view([card(part)]))], options);

const append = (panel: PanelPage, text: string): Promise<void> =>
  panel.patch({ op: "append", id: "c1", part: 0, text });

const linksOf = (panel: PanelPage): Locator => panel.log.locator(".tool-body").getByRole("link");

/** Waits until these are the links. */
async function hasLinks(panel: PanelPage, ...texts: readonly string[]): Promise<void> {
  await panel.page
    .waitForFunction(
      expected =>
        JSON.stringify([...document.querySelectorAll(".tool-body [role=link]")].map(link => link.textContent)) ===
        expected,
      JSON.stringify(texts),
      { timeout: 15_000 },
    )
    .catch(async () => assert.deepEqual(await linksOf(panel).allTextContents(), texts));
}

const focused = (panel: PanelPage): Promise<string | null | undefined> =>
  panel.page.evaluate(() => document.activeElement?.textContent);

/** What compilers and test runners print, and the links in it. */
const lines = [
  "\u001b[96msrc/sum.ts\u001b[0m:\u001b[93m3\u001b[0m:\u001b[93m14\u001b[0m - \u001b[91merror\u001b[0m TS2304",
  "    at app/[slug]/page.tsx:10:5",
  "    at <app>/deep.tsx:4 and $HOME/x.ts:5, a{b}/page.tsx:6",
  "错误：文档/说明.md:7 写错了",
  "שגיאה בקובץ מסמכים/קריאה.md:8:2 כאן",
  '  File "/shop/tests/test_sum.py", line 12, in test',
  "\u001b[31m✖ \u001b[4mlib/over\u001b[1mlap.js:9\u001b[0m",
  "example.com:443 took 3.5 s",
];
const paths = [
  "src/sum.ts:3:14",
  "app/[slug]/page.tsx:10:5",
  "文档/说明.md:7",
  "מסמכים/קריאה.md:8:2",
  "/shop/tests/test_sum.py",
  "lib/overlap.js:9",
];

describe("a path in the output of a command", () => {
  usePanel();

  for (const [what, part] of [
    ["a terminal", terminal(lines.join("\n"))],
    ["a text", output(lines.join("\n").replace(/\u001b\[\d*m/g, ""))],
  ] as const)
    it(`of ${what} opens the file at its position`, async () => {
      const panel = await open(part);
      await hasLinks(panel, ...paths);
      for (const link of await linksOf(panel).all()) await link.click();
      const opened = (await panel.intents()).map(intent => ({ ...intent, type: undefined, leading: undefined }));
      const at = (path: string, line: number, column?: number): object => ({
        ...{ type: undefined, leading: undefined, path, line },
        ...(column !== undefined && { column }),
      });
      assert.deepEqual(opened, [
        at("src/sum.ts", 3, 14),
        at("app/[slug]/page.tsx", 10, 5),
        at("文档/说明.md", 7),
        at("מסמכים/קריאה.md", 8, 2),
        at("/shop/tests/test_sum.py", 12),
        at("lib/overlap.js", 9),
      ]);
      assert.ok((await panel.intents()).every(({ type }) => type === "openFile"));
      assert.equal(await linksOf(panel).nth(4).getAttribute("title"), "/shop/tests/test_sum.py:12");
      await panel.assertClean();
    });

  it("keeps the colours and the text of the line", async () => {
    const panel = await open(terminal(lines.join("\n")));
    await hasLinks(panel, ...paths);
    const painted = await panel.log
      .locator("parley-terminal > div > div > div")
      .evaluateAll(all => all.map(each => each.textContent));
    assert.deepEqual(painted, lines.join("\n").replace(/\u001b\[\d*m/g, "").split("\n")); // prettier-ignore
    const colours = await linksOf(panel)
      .first()
      .evaluate(link => [...link.childNodes].map(node => [(node as Element).className ?? "", node.textContent]));
    assert.deepEqual(colours, [
      ["ansi-fg-bright-cyan", "src/sum.ts"],
      ["", ":"],
      ["ansi-fg-bright-yellow", "3"],
      ["", ":"],
      ["ansi-fg-bright-yellow", "14"],
    ]);
    const colourOf = (selector: string): Promise<string> =>
      panel.log.locator(selector).first().evaluate(node => getComputedStyle(node).color); // prettier-ignore
    assert.equal(await colourOf(".output-link"), await colourOf("parley-terminal"));
    await panel.log.getByRole("button", { name: "Copy Output" }).click();
    assert.deepEqual(
      (await panel.intents()).map(intent => (intent.type === "copy" ? intent.text : intent.type)),
      [painted.join("\n")],
    );
  });

  it("is looked up in the folder of the command first, unless it is absolute", async () => {
    const panel = await open(terminal("src/a.ts:3\n/shop/b.ts:4\nfile:///shop/c.ts:5\n", "/shop/packages/app/"));
    await hasLinks(panel, "src/a.ts:3", "/shop/b.ts:4", "file:///shop/c.ts:5");
    for (const link of await linksOf(panel).all()) await link.click();
    assert.deepEqual(await panel.intents(), [
      { type: "openFile", path: "src/a.ts", line: 3, leading: "/shop/packages/app/" },
      { type: "openFile", path: "/shop/b.ts", line: 4 },
      { type: "openFile", path: "/shop/c.ts", line: 5 },
    ]);
  });

  it("is reached by the arrow keys of the card, and Enter opens it", async () => {
    const panel = await open(terminal("one\nsrc/a.ts:3\nsrc/b.ts:4\n"));
    await hasLinks(panel, "src/a.ts:3", "src/b.ts:4");
    await panel.log.focus();
    await panel.page.keyboard.press("Tab");
    await panel.page.keyboard.press("End");
    assert.equal(await focused(panel), "src/b.ts:4");
    await panel.page.keyboard.press("ArrowUp");
    assert.equal(await focused(panel), "src/a.ts:3");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "openFile", path: "src/a.ts", line: 3 }]);
    const stops = await panel.log.locator(".tool [tabindex='0']:is(button, [role=link])").allTextContents();
    assert.deepEqual(stops, ["src/a.ts:3"]);
  });

  it("keeps the focus while the output grows, and leaves the card a tab stop when it is overwritten", async () => {
    const panel = await open(terminal("src/a.ts:3\nbar 0 %"));
    await hasLinks(panel, "src/a.ts:3");
    await linksOf(panel).first().focus();
    await append(panel, "\rbar 50 % of src/b.ts:4");
    await hasLinks(panel, "src/a.ts:3", "src/b.ts:4");
    assert.equal(await focused(panel), "src/a.ts:3");
    await append(panel, "\u001b[2J\u001b[Hdone");
    await hasLinks(panel);
    assert.equal(await panel.log.locator(".tool button[tabindex='0']").count(), 1);
  });

  it("is one link however it arrives, and keeps a selection in earlier lines", async () => {
    const panel = await open(output("select me\nsee src/a.t"));
    await panel.log.locator("pre code").evaluate(code => {
      const text = code.firstChild as Text;
      getSelection()?.setBaseAndExtent(text, 0, text, 9);
    });
    for (const piece of ["s", ":1", "2", ":5 and src/b", ".ts:7", "\nsrc/c.ts:9", "\n"]) await append(panel, piece);
    await hasLinks(panel, "src/a.ts:12:5", "src/b.ts:7", "src/c.ts:9");
    assert.equal(
      await panel.log.locator("pre code").textContent(),
      "select me\nsee src/a.ts:12:5 and src/b.ts:7\nsrc/c.ts:9\n",
    );
    assert.equal(await panel.page.evaluate(() => getSelection()?.toString()), "select me");
  });

  it("is a link in output with the colours of a shell, and none in code", async () => {
    const panel = await openPanel([
      snapshot(view([card(output("$ npm test src/a.ts:3\nsrc/a.ts:4 failed", "console"), output('import "src/b.ts:5";', "ts"))])),
    ]); // prettier-ignore
    await panel.log.locator(".hljs-meta").waitFor();
    await panel.log.locator(".hljs-string").waitFor();
    await hasLinks(panel, "src/a.ts:3", "src/a.ts:4");
  });

  it("is not opened by selecting its text", async () => {
    const panel = await open(terminal("src/a-long-name.ts:3\n"));
    await hasLinks(panel, "src/a-long-name.ts:3");
    const box = await linksOf(panel).first().boundingBox();
    assert.ok(box);
    const y = box.y + box.height / 2;
    await panel.page.mouse.move(box.x + 2, y);
    await panel.page.mouse.down();
    await panel.page.mouse.move(box.x + 60, y, { steps: 4 });
    await panel.page.mouse.up();
    assert.notEqual(await panel.page.evaluate(() => getSelection()?.toString()), "");
    assert.deepEqual(await panel.intents(), []);
    await linksOf(panel).first().click();
    assert.deepEqual(await panel.intents(), [{ type: "openFile", path: "src/a-long-name.ts", line: 3 }]);
  });

  for (const theme of ["dark", "light"] as const)
    for (const width of [280, 480])
      it(`is underlined in the colours of the output in ${theme}, ${width} px wide`, async () => {
        const text = [...lines, "\u001b[7m src/inverse.ts:5 \u001b[0m \u001b[48;5;226msrc/yellow.ts:6\u001b[0m"].join("\n");
        const plain = output("src/sum.ts:3:14 - error TS2304\nno path here\n  at app/[slug]/page.tsx:10:5");
        const panel = await openPanel([snapshot(view([card(terminal(text, "/shop"), plain)]))], { theme, width, height: 640 });
        await hasLinks(panel, ...paths, "src/inverse.ts:5", "src/yellow.ts:6", "src/sum.ts:3:14", "app/[slug]/page.tsx:10:5");
        for (const link of await linksOf(panel).all())
          assert.match(await link.evaluate(node => getComputedStyle(node).textDecorationLine), /underline/);
        await picture(panel, `outputLinks-${theme}-${width}`);
      }); // prettier-ignore

  it("costs little in long output", async () => {
    const panel = await open(terminal("first\n"));
    const text = Array.from({ length: 2000 }, (_, i) => `\u001b[36msrc/file${i}.ts\u001b[0m:${i + 1}:5 - error\n`).join(
      "",
    );
    const used = await panel.taskTime(async () => {
      await append(panel, text);
      await panel.page.waitForFunction(() => document.querySelectorAll(".output-link").length === 2000);
    }); // prettier-ignore
    assert.ok(used < 1, `${used} s`);
  });
});
