// Formulas in the panel: drawn, sanitized, stable while text streams, found and copied as they are written.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import type { Locator } from "playwright-core";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { message, snapshot, START, view } from "./scenes.ts";

const answer = (text: string): ReturnType<typeof view> => view([message("m", "agent", text)]);

const running = { state: "running", since: START, cancelling: false } as const;

/** A panel with an answer whose formulas are drawn. */
async function openAnswer(text: string, count: number, options: Options = {}): Promise<PanelPage> {
  const panel = await openPanel([snapshot(answer(text))], options);
  await drawn(panel)
    .nth(count - 1)
    .waitFor();
  return panel;
}

const drawn = ({ log }: PanelPage): Locator => log.locator(".formula.drawn");

const textbook = [
  "The roots of \\(ax^2 + bx + c = 0\\) are",
  "\\[\nx_{1,2} = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}\n\\]",
  "and 设 $$\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}$$，则 $5 and $10 stay money.",
  "$$\n\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}^{-1} = \\frac{1}{ad - bc} \\begin{pmatrix} d & -b \\\\ -c & a \\end{pmatrix}\n$$",
  "- a list with \\(\\vec{v} \\cdot \\mathbb{R}^n\\) and \\(\\int_0^\\infty e^{-x}\\,dx\\)\n- \\(f'(x) = \\lim_{h \\to 0} \\frac{f(x+h) - f(x)}{h}\\), \\(\\cancel{x}\\), \\(\\boxed{y}\\), \\(\\color{red} z\\)",
  "| n | n! |\n| - | - |\n| \\(5\\) | \\(120\\) |",
  "Wrong: \\(\\frac{1}{\\) and \\(\\nosuchcommand\\).",
].join("\n\n");

describe("formulas in the panel", () => {
  usePanel();

  for (const theme of ["dark", "light", "hc"] as const)
    it(`are drawn in the color of the text, ${theme}`, async () => {
      const panel = await openAnswer(textbook, 12, { theme });
      assert.equal(await drawn(panel).count(), 12);
      const { log } = panel;
      assert.equal(await log.locator("math mfrac").count(), 4);
      const colors = await log
        .locator("math *")
        .evaluateAll(all => [...new Set(all.map(each => getComputedStyle(each).color))]);
      const color = await log
        .locator("parley-markdown p")
        .first()
        .evaluate(each => getComputedStyle(each).color);
      assert.deepEqual(colors, [color]);
      assert.equal(await log.getByText("$5 and $10 stay money").count(), 1);
      await log.getByText("Wrong: \\(\\frac{1}{\\) and \\(\\nosuchcommand\\).").waitFor();
      if (process.env["PARLEY_PICTURES"] !== undefined) {
        mkdirSync("out/screenshots", { recursive: true });
        await panel.page.screenshot({ path: `out/screenshots/formulas-${theme}.png` });
      }
      await panel.assertClean();
    });

  it("load the chunk that draws them once, with the first formula", async () => {
    const panel = await openPanel([snapshot(answer("no formula, $5"))]);
    const requested: string[] = [];
    panel.page.on("request", request => requested.push(request.url()));
    await panel.show(answer("\\(x\\)"));
    await drawn(panel).waitFor();
    assert.equal(requested.filter(url => /mathml/.test(url)).length, 1, requested.join());
    const before = requested.length;
    await panel.show(answer("\\(x\\) and \\(y\\)"));
    await drawn(panel).nth(1).waitFor();
    assert.equal(requested.length, before);
    await panel.assertClean();
  });

  it("keep their drawing while text streams, and show an unfinished formula as it is written", async () => {
    const panel = await openPanel([
      snapshot(view([message("m", "agent", "so \\(x^2\\) is ")], { live: "m", activity: running })),
    ]);
    await drawn(panel).waitFor();
    const marked = drawn(panel).first();
    await marked.evaluate(element => Object.assign(element, { kept: element.lastElementChild }));
    const append = (text: string): Promise<void> => panel.patch({ op: "append", id: "m", part: 0, text });
    const paragraph = panel.log.locator("parley-markdown p").first();
    const shows = (text: string): Promise<void> => paragraph.getByText(text).first().waitFor();
    await append("small, **but** \\(a*b");
    await shows("\\(a*b");
    await append("*c");
    await shows("\\(a*b*c");
    assert.equal(await paragraph.locator("em").count(), 0);
    assert.equal(
      await marked.evaluate(element => (element as Element & { kept?: unknown }).kept === element.lastElementChild),
      true,
    );
    await append("\\) and \\[ x");
    await drawn(panel).nth(1).waitFor();
    await append("\n\n$$\nx\n- y");
    const open = panel.log.locator("div.formula.open");
    await open.waitFor();
    assert.equal(await open.textContent(), "$$\nx\n- y");
    assert.equal(await panel.log.locator("li").count(), 0);
    await append("\n$$\n");
    await drawn(panel).nth(2).waitFor();
    await append("\nend \\(b *c*");
    await panel.log.getByText("\\(b *c*").waitFor();
    await panel.patch({ op: "head", head: { live: null } });
    await panel.log.getByText("(b c").waitFor();
    assert.equal(
      await marked.evaluate(element => (element as Element & { kept?: unknown }).kept === element.lastElementChild),
      true,
    );
    await panel.assertClean();
  });

  it("are copied as they are written, with the text around them", async () => {
    const panel = await openAnswer("so \\(x^2\\) is\n\n\\[\n\\frac{a}{b}\n\\]\n\nend", 2);
    const copied = await panel.page.evaluate(() => {
      const text = document.querySelector("parley-markdown");
      if (text) getSelection()?.selectAllChildren(text);
      return getSelection()?.toString() ?? "";
    });
    assert.equal(copied.replace(/\s+/g, " ").trim(), "so \\(x^2\\) is \\[ \\frac{a}{b} \\] end");
  });

  it("stay in their place, whatever their sizes are", async () => {
    const hostile = [
      "a \\(\\rule{5000em}{5000em}\\) b \\(x\\kern-5000em y\\) c \\(\\raisebox{500em}{x}\\)",
      "$$\\rule{100000pt}{100000pt}$$",
      `\\[ ${"x + ".repeat(300)} y \\]`,
      `\\(${"\\quad".repeat(300)}^{x}\\)`,
      "\\(\\Huge\\text{Allow}\\) \\(\\hspace{-900em}\\text{Allow}\\)",
    ].join("\n\n");
    const panel = await openAnswer(hostile, 6, { width: 280 });
    assert.equal(await panel.page.evaluate(() => document.documentElement.scrollWidth), 280);
    const faults = await panel.page.evaluate(() => {
      const log = document.querySelector(".log")?.getBoundingClientRect();
      return [...document.querySelectorAll(".formula.drawn")].flatMap(element => {
        const { left, right, height } = element.getBoundingClientRect();
        const isInside = log && left >= log.left && right <= log.right + 1 && height < 1500;
        return isInside && getComputedStyle(element).contain === "paint" ? [] : [`${left} ${right} ${height}`];
      });
    });
    assert.deepEqual(faults, []);
    await panel.assertClean();
  });

  it("neither run, load nor define anything, and are bounded in number", async () => {
    const bombs = [
      "\\href{javascript:window.hacked=1}{x}",
      "\\url{https://evil.example}",
      "\\includegraphics{https://evil.example/pixel.png}",
      "\\class{banner}{x}",
      "\\id{parley}{x}",
      "\\style{position:fixed}{x}",
      "\\data{x=1}{x}",
      "\\def\\a#1{#1#1}\\a{\\a{x}}",
      "\\newcommand{\\b}{x}\\b",
      `${"{".repeat(300)}x${"}".repeat(300)}`,
      `\\begin{matrix}${"&".repeat(1900)}\\end{matrix}`,
      "\\text{<img src=x onerror=window.hacked=1>}",
      "\\label{parley}x\\ref{parley}",
    ];
    const panel = await openPanel([snapshot(answer(""))]);
    const requested: string[] = [];
    panel.page.on("request", request => requested.push(request.url()));
    await panel.show(answer(`${bombs.map(bomb => `\\(${bomb}\\)`).join("\n\n")}\n\n\\(end\\)`));
    await drawn(panel).last().getByText("d", { exact: true }).waitFor();
    const found = await panel.log.evaluate(log => ({
      attributes: [...new Set([...log.querySelectorAll("math, math *")].flatMap(each => each.getAttributeNames()))].filter(
        name => !["class", "style", "displaystyle", "scriptlevel", "width", "height", "fence", "form", "stretchy", "lspace", "rspace"].includes(name),
      ),
      elements: log.querySelectorAll("math a, math img, math [href], math [src], math [id]").length,
      fixed: [...log.querySelectorAll<HTMLElement>("math *")].filter(each => /fixed|url\(/.test(each.getAttribute("style") ?? "")).length,
    })); // prettier-ignore
    assert.deepEqual(found, { attributes: [], elements: 0, fixed: 0 });
    assert.equal(await panel.page.evaluate(() => (window as { hacked?: unknown }).hacked), undefined);
    assert.deepEqual(requested.filter(url => !/mathml|\/fonts\//.test(url)), []); // prettier-ignore
    for (const bomb of bombs.slice(7, 11)) await panel.log.getByText(`\\(${bomb}\\)`.slice(0, 60)).first().waitFor();
    const many = Array.from({ length: 1200 }, (_, i) => `\\(x_{${i}}\\)${i % 200 === 199 ? "\n\n" : " "}`);
    await panel.show(answer(many.join("")));
    await drawn(panel).nth(999).waitFor({ state: "attached" });
    await panel.page.evaluate(() => new Promise(resolve => setTimeout(() => requestAnimationFrame(resolve))));
    assert.equal(await drawn(panel).count(), 1000);
    await panel.assertClean();
  });
});
