// Streaming: patches give the same page as a snapshot, and change nothing else.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Locator } from "playwright-core";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { ANSWER, START, everyEntry, message, snapshot, tool, view } from "./scenes.ts";

const running = { state: "running", since: START, cancelling: false } as const;

/** A link definition, which can change any block before it when the text ends. */
const DEFINITION = "\n\n[ref]: https://example.com/ref\n\n";

/** Pieces of Markdown whose boundaries are critical. */
const pieces = [
  "# Title\n", "Some text", " and `code`", "\n\n", "\n", "- item\n", "  - nested\n", "1. one\n", "- [ ] task\n", "```js\nlet a = 1;\n", "```ts title=\"src/a.ts\"\n", "```mermaid\n", "```\n",
  "~~~\nplain\n~~~\n", "| a | b |\n| - | - |\n| 1 | 2 |\n", "> quote\n", "---\n", "Setext\n===\n", "**bold", "** rest", "*x*", "[a](src/a.ts#L10)",
  " src/a.ts:3 ", "<b>raw</b>", "<div>\n", "    indented\n", "https://example.com ", "![i](x.png)", "a\r\nb", "\\*", "🙂", "\n\n\n## Next\n",
  " [ref] ", DEFINITION, "\n\n### Deep\n", "\n\n###### Deepest\n", "\n\n> - ## In a list\n",
]; // prettier-ignore

describe("streaming", () => {
  usePanel();

  it("appended text is shown immediately and announced only when it is complete", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "One")], { live: "m1", activity: running }))]);
    const speech = panel.page.locator(".speech");
    await panel.patch({ op: "append", id: "m1", part: 0, text: " two" });
    await panel.log.getByText("One two").waitFor();
    assert.equal(await speech.textContent(), "");
    await panel.patch({ op: "append", id: "m1", part: 0, text: " **three**" }, { op: "head", head: { live: null } });
    await speech.getByText("One two three").waitFor();
  });

  it("an answer that continues after a thought is announced in two parts", async () => {
    const entries = [message("m1", "agent", "One")];
    const panel = await openPanel([snapshot(view(entries, { live: "m1", activity: running }))]);
    const spoken = panel.page.locator(".speech p");
    await panel.patch(
      { op: "put", at: 1, entry: message("t1", "thought", "Hm.") },
      { op: "head", head: { live: "t1" } },
    );
    await spoken.getByText("One", { exact: true }).waitFor({ state: "attached" });
    await panel.patch({ op: "append", id: "m1", part: 0, text: " and two." }, { op: "head", head: { live: "m1" } });
    await panel.log.getByText("One and two.").waitFor();
    await panel.patch({ op: "head", head: { live: null } });
    await spoken.getByText("and two.", { exact: true }).waitFor({ state: "attached" });
  });

  it("a chunk changes only its own message", async () => {
    const live = message("m9", "agent", "Streaming");
    const panel = await openPanel([snapshot(view([...everyEntry, live], { live: "m9", activity: running }))]);
    await panel.log.locator("pre .hljs-keyword").first().waitFor();
    await panel.page.evaluate(() => {
      const changed: string[] = [];
      const entryOf = (node: Node): string => {
        const element = node instanceof Element ? node : node.parentElement;
        return element?.closest(".entry")?.textContent?.trim().slice(0, 9) ?? String(element?.className);
      };
      new MutationObserver(records => changed.push(...records.map(record => entryOf(record.target)))).observe(
        document.querySelector(".panel") as Element,
        { subtree: true, childList: true, characterData: true, attributes: true },
      );
      Object.assign(window, { changed });
    });
    await panel.patch({ op: "append", id: "m9", part: 0, text: " on and on" });
    await panel.log.getByText("Streaming on and on").waitFor();
    const changed = await panel.page.evaluate(() => (window as unknown as { changed: string[] }).changed);
    assert.deepEqual([...new Set(changed)], ["Streaming"]);
  });

  it("each paint is acknowledged to the host, once for messages that arrived together", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "One")], { live: "m1" }))]);
    for (const text of [" two", " three", " four"]) await panel.patch({ op: "append", id: "m1", part: 0, text });
    await panel.page.waitForFunction(() => window.play.painted === 4);
  });

  it("a message that arrived after the frame is acknowledged after its own frame", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "One")], { live: "m1" }))]);
    await panel.page.waitForFunction(() => window.play.painted === 1);
    const acknowledged = await panel.page.evaluate(async () => {
      const acknowledged: number[] = [];
      Object.defineProperty(window.play, "painted", { set: revision => acknowledged.push(Number(revision)) });
      const hear = (base: number): void => {
        dispatchEvent(new MessageEvent("message", { data: { type: "text", base, text: " more" } }));
      };
      hear(1);
      // After the panel's own callback of this frame, before it acknowledges.
      requestAnimationFrame(() => hear(2));
      while (acknowledged.length < 2) await new Promise(requestAnimationFrame);
      return acknowledged;
    });
    assert.deepEqual(acknowledged, [2, 3]);
  });

  it("text that arrives at once is painted in pieces, and the blocks of long answers are in boxes", async () => {
    const section = (n: number): string => `## Part ${n}\n\nSome *text*.\n\n\`\`\`js\nlet a = ${n};\n\`\`\`\n\n`;
    const text = Array.from({ length: 300 }, (_, n) => section(n)).join("");
    const streamed = await openPanel([snapshot(view([message("m1", "agent", "Begin\n\n")], { live: "m1" }))]);
    await streamed.patch({ op: "append", id: "m1", part: 0, text: `${text}\`\`\`js\nlet open = 1;` });
    await streamed.log.getByText("let open = 1;").waitFor();
    await streamed.patch({ op: "append", id: "m1", part: 0, text: text.slice(0, 9000) });
    await streamed.patch(
      { op: "append", id: "m1", part: 0, text: "\n```\n\nThe end" },
      { op: "head", head: { live: null } },
    );
    await streamed.log.getByText("The end").waitFor();
    await complete(streamed);
    const whole = `Begin\n\n${text}\`\`\`js\nlet open = 1;${text.slice(0, 9000)}\n\`\`\`\n\nThe end`;
    const html = await streamed.html();
    const once = await openPanel([snapshot(view([message("m1", "agent", whole)]))]);
    await once.log.getByText("The end").waitFor();
    await complete(once);
    assert.equal(html, await once.html());
    assert.ok((await once.log.locator(".blocks").count()) > 10);
    assert.equal(await once.log.locator(".blocks > .blocks").count(), 0);
  });

  it("code that streams past is highlighted when it is about to become visible", async () => {
    const section = (n: number): string => `Part ${n}\n\n\`\`\`js\nlet a = ${n};\n\`\`\`\n\n`;
    const text = Array.from({ length: 200 }, (_, n) => section(n)).join("");
    const panel = await openPanel([snapshot(view([message("m1", "agent", "Begin\n\n")], { live: "m1" }))]);
    await panel.patch({ op: "append", id: "m1", part: 0, text });
    const pre = (n: number): Locator => panel.log.locator("pre").nth(n);
    const isPlain = async (n: number): Promise<boolean> => (await pre(n).locator(".plain").count()) === 1;
    const seenInColour = async (n: number): Promise<void> => {
      await pre(n).evaluate(element => element.scrollIntoView());
      await pre(n).locator(".hljs-keyword").waitFor();
    };
    await pre(199).locator(".hljs-keyword").waitFor();
    const plain = await panel.log
      .locator("pre")
      .evaluateAll(all => all.flatMap((one, n) => (one.querySelector(".plain") ? [n] : [])));
    assert.ok(plain.length > 20, `${plain.length} are plain`);
    const [first = 0] = plain;
    const last = plain.at(-1) ?? 0;
    await panel.log.hover();
    await panel.page.mouse.wheel(0, -200);
    await panel.page.getByRole("button", { name: "Jump to Latest" }).waitFor();
    await seenInColour(last);
    assert.ok(await isPlain(first));
    await panel.patch({ op: "head", head: { live: null } });
    await panel.log.locator(".blocks.far").first().waitFor({ state: "attached" });
    assert.ok(await isPlain(first));
    await seenInColour(first);
  });

  it("boxes are left out of the layout: many together while text streams in, all but the last when the text has ended", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "Begin\n\n")], { live: "m1" }))]);
    const hidden = (): Promise<number> =>
      panel.log
        .locator(".blocks")
        .evaluateAll(boxes => boxes.filter(box => getComputedStyle(box).contentVisibility === "auto").length);
    const seen = new Set<number>();
    for (let n = 0; n < 300; n += 10) {
      const text = Array.from({ length: 10 }, (_, i) => `Paragraph ${n + i}.\n\n`).join("");
      await panel.patch({ op: "append", id: "m1", part: 0, text });
      await panel.log.getByText(`Paragraph ${n + 9}.`, { exact: true }).waitFor();
      seen.add(await hidden());
    }
    const steps = [...seen].map((count, i, all) => count - (all[i - 1] ?? 0));
    assert.ok(steps.length > 2 && steps.slice(1).every(step => step >= 24), `${steps.join(", ")}`);
    await panel.patch({ op: "head", head: { live: null } });
    const boxes = await panel.log.locator(".blocks").count();
    assert.ok(boxes > 40, `${boxes} boxes`);
    await panel.page.waitForFunction(count => document.querySelectorAll(".blocks.far").length === count, boxes - 6);
    assert.equal(await hidden(), boxes - 6);
  });

  describe("of text that arrives at once", () => {
    const paragraph = (n: number): string => `Paragraph ${n} of what rushes by.\n\n`;
    const text = `${Array.from({ length: 400 }, (_, n) => paragraph(n)).join("")}The end.`;
    const waiting = (panel: PanelPage): Locator => panel.log.locator(".blocks.waiting");

    /** A panel that has received the text, with the clock frozen before deferred parts are painted. */
    async function flooded(): Promise<PanelPage> {
      const panel = await openPanel([snapshot(view([message("m1", "agent", "Begin\n\n")], { live: "m1" }))], {
        frozen: true,
      });
      await panel.patch({ op: "append", id: "m1", part: 0, text });
      await panel.page.clock.runFor(50);
      await panel.log.getByText("The end.").waitFor();
      const count = await waiting(panel).count();
      assert.ok(count > 20, `${count} boxes wait`);
      return panel;
    }
    const paragraphs = (panel: PanelPage): Promise<string[]> => panel.log.locator(".markdown p").allTextContents();
    const all = ["Begin", ...Array.from({ length: 400 }, (_, n) => paragraph(n).trim()), "The end."];

    it("parts outside the view are painted when the page is idle", async () => {
      const panel = await flooded();
      assert.ok((await paragraphs(panel)).length < 200);
      await panel.page.clock.runFor(5000);
      assert.equal(await waiting(panel).count(), 0);
      assert.deepEqual(await paragraphs(panel), all);
    });

    it("parts that become visible are painted then", async () => {
      const panel = await flooded();
      const place = waiting(panel).nth(5);
      await place.evaluate(box => {
        box.id = "place";
        box.scrollIntoView({ block: "center" });
      });
      await panel.page.waitForFunction(() => document.querySelectorAll("#place:not(.waiting) > p").length > 1);
      assert.ok((await waiting(panel).count()) > 10);
    });

    it("a copy contains all of the text", async () => {
      const panel = await flooded();
      await panel.log.evaluate(log => getSelection()?.selectAllChildren(log.querySelector(".markdown") as Element));
      const copied = await panel.page.evaluate(() => {
        document.execCommand("copy");
        return getSelection()?.toString() ?? "";
      });
      assert.deepEqual(copied.split(/\n+/), all);
    });

    it("the announcement contains all of the text", async () => {
      const panel = await flooded();
      await panel.patch({ op: "head", head: { live: null } });
      const speech = panel.page.locator(".speech");
      assert.equal(await speech.textContent(), "");
      await panel.page.clock.runFor(5000);
      await panel.page.waitForFunction(() =>
        (document.querySelector(".speech")?.textContent ?? "").includes("The end."),
      );
      assert.deepEqual((await speech.locator("p").first().textContent())?.split("\n"), all);
    });
  });

  it("an ended answer that grows again keeps its nodes", async () => {
    const text = Array.from({ length: 300 }, (_, n) => `Paragraph ${n}.\n\n`).join("");
    const panel = await openPanel([snapshot(view([message("m1", "agent", text)]))]);
    await complete(panel);
    await panel.page.evaluate(() => {
      const fewest = Object.assign(window, { fewest: Infinity });
      new MutationObserver(() => {
        fewest.fewest = Math.min(fewest.fewest, document.querySelectorAll(".markdown p").length);
      }).observe(document.querySelector(".log") as Element, { childList: true, subtree: true });
    });
    await panel.patch({ op: "head", head: { live: "m1" } }, { op: "append", id: "m1", part: 0, text: "And more." });
    await panel.log.getByText("And more.").waitFor();
    const fewest = await panel.page.evaluate(() => (window as unknown as { fewest: number }).fewest);
    assert.ok(fewest >= 299, `${fewest} paragraphs`);
  });

  it("an open fence only has its text node extended", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "```ts\nlet a")], { live: "m1" }))]);
    const kept = await panel.log.locator("pre code").evaluateHandle(code => code.firstChild);
    await panel.patch({ op: "append", id: "m1", part: 0, text: " = 1;\nlet b" });
    await panel.patch({ op: "append", id: "m1", part: 0, text: " = 2;\n" });
    await panel.log.locator("pre code", { hasText: "let b = 2;" }).waitFor();
    assert.equal(await panel.log.locator("pre code").textContent(), "let a = 1;\nlet b = 2;");
    assert.ok(await kept.evaluate(text => text?.isConnected && (text as Text).data === "let a = 1;\nlet b = 2;"));
    await panel.patch({ op: "append", id: "m1", part: 0, text: "```\nDone" });
    await panel.log.locator("pre .hljs-keyword").first().waitFor();
    await panel.log.locator("p", { hasText: "Done" }).waitFor();
  });

  it("a link whose definition is last becomes a link when the text has ended", async () => {
    const panel = await openPanel([
      snapshot(view([message("m1", "agent", "See [it][1].\n\nB\n\nC\n\n")], { live: "m1" })),
    ]);
    await panel.patch({ op: "append", id: "m1", part: 0, text: "D\n\n[1]: https://example.com/it\n" });
    await panel.log.locator("p", { hasText: "D" }).waitFor();
    assert.equal(await panel.log.getByRole("link").count(), 0);
    await panel.patch({ op: "head", head: { live: null } });
    await panel.log.getByRole("link", { name: "it", exact: true }).waitFor();
  });

  it("a selection in the streaming paragraph survives", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "Select **these** wor")], { live: "m1" }))]);
    await panel.log.getByText("these").evaluate(node => getSelection()?.selectAllChildren(node));
    for (const text of ["ds", " and", " more\n\n", "New paragraph"]) {
      await panel.patch({ op: "append", id: "m1", part: 0, text });
    }
    await panel.log.getByText("New paragraph").waitFor();
    assert.equal(await panel.page.evaluate(() => getSelection()?.toString()), "these");
  });

  it("a thought shows its tail while it streams and folds when it ends", async () => {
    const head = { live: "h1", activity: running };
    const panel = await openPanel([snapshot(view([message("h1", "thought", "Let me look", 3)], head))]);
    await panel.log.getByRole("button", { name: /^Thinking/ }).waitFor();
    await panel.log.getByText("Let me look").waitFor();
    await panel.patch({ op: "append", id: "h1", part: 0, text: " closer" });
    await panel.log.getByText("Let me look closer").waitFor();
    await panel.patch({ op: "head", head: { live: null } });
    await panel.log.getByRole("button", { name: "Thought for 3 s" }).waitFor();
    assert.equal(await panel.log.getByText("Let me look closer").count(), 0);
  });

  it("patches and a snapshot of the same view give the same page", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    const full = [...everyEntry, message("m9", "agent", ANSWER)];
    for (const [at, entry] of full.entries()) {
      const early = entry.kind === "tool" ? tool(entry.id, "Not yet named", { status: "pending" }) : entry;
      await panel.patch({ op: "put", at, entry: early });
      await panel.patch({ op: "put", at, entry });
    }
    await panel.log.locator("pre .hljs-keyword").last().waitFor();
    await panel.log.locator(".ansi-fg-red").first().waitFor();
    const patched = await panel.html();
    await panel.page.reload();
    await panel.composer.waitFor();
    await panel.show(view(full));
    await panel.log.locator("pre .hljs-keyword").last().waitFor();
    await panel.log.locator(".ansi-fg-red").first().waitFor();
    assert.equal(await settledHtml(panel, patched), patched);
    await panel.assertClean();
  });

  it("removed entries disappear", async () => {
    const panel = await openPanel([snapshot(view(everyEntry))]);
    await panel.patch({ op: "keep", count: 1 });
    await panel.log.getByText("Why does sum").first().waitFor();
    assert.equal(await panel.log.locator(".entry").count(), 1);
  });

  it("a patch for another revision requests the whole view once", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "One")]))]);
    for (const base of [7, 8]) {
      await panel.post({
        type: "patch",
        base,
        revision: base + 1,
        patches: [{ op: "append", id: "m1", part: 0, text: "!" }],
      });
    }
    assert.deepEqual(await panel.intents(), [{ type: "resync" }]);
    await panel.post(snapshot(view([message("m1", "agent", "One!!")]), 9));
    await panel.post({
      type: "patch",
      base: 9,
      revision: 10,
      patches: [{ op: "append", id: "m1", part: 0, text: " Two" }],
    });
    await panel.log.getByText("One!! Two").waitFor();
  });

  it("a text message is appended to the last entry, and requests the whole view if there is none", async () => {
    const panel = await openPanel([snapshot(view([message("m1", "agent", "One"), message("m2", "agent", "Two")]), 4)]);
    await panel.post({ type: "text", base: 4, text: " and a" });
    await panel.post({ type: "text", base: 5, text: " half" });
    await panel.log.getByText("Two and a half").waitFor();
    await panel.post({ type: "text", base: 5, text: "!" });
    assert.deepEqual(await panel.intents(), [{ type: "resync" }]);
    await panel.post(snapshot(view([]), 7));
    await panel.post({ type: "text", base: 7, text: "!" });
    assert.deepEqual(await panel.intents(), [{ type: "resync" }, { type: "resync" }]);
  });

  it("any Markdown in any chunks is painted as if it had arrived at once", async function () {
    const panel = await openPanel([snapshot(view([message("warm", "agent", "```js\nlet a\n```")]))]);
    await panel.log.locator("pre .hljs-keyword").waitFor();
    const list = (minLength: number, maxLength: number): fc.Arbitrary<string[]> =>
      fc.array(fc.constantFrom(...pieces, "\n\n"), { minLength, maxLength, size: "max" });
    const documents = fc
      .oneof({ arbitrary: list(1, 25), weight: 3 }, { arbitrary: list(200, 600), weight: 1 })
      .map(all => all.join(""));
    const cuts = fc.array(fc.nat(4000), { maxLength: 12 });
    let waited = 0;
    let painted = 0;
    await fc.assert(
      fc.asyncProperty(documents, cuts, async (text, places) => {
        const { streamed, middle, whole, half, ...seen } = await paintBothWays(panel, text, places);
        waited += seen.waited;
        if (middle !== "") painted++;
        assert.equal(streamed, whole);
        if (!text.includes(DEFINITION)) assert.equal(blankEndsOff(middle), blankEndsOff(half));
      }),
      { numRuns: 150, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: true },
    );
    assert.ok(waited > 0 && painted > 100, `${waited} boxes waited, ${painted} of 150 were painted half way`);
    await panel.assertClean();
  });
});

/** Waits until everything is painted, including parts outside the view. */
async function complete(panel: PanelPage): Promise<void> {
  await panel.page.waitForFunction(() => document.querySelector(".blocks.waiting") === null);
}

/** Trailing blank lines of an open code block can be painted later, with the line after them. */
const blankEndsOff = (html: string): string => html.replace(/\n+(?=<\/code>)/g, "");

/** The page after code was highlighted, or as it is if that does not happen. */
async function settledHtml(panel: PanelPage, expected: string): Promise<string> {
  await panel.page
    .waitForFunction(html => (window as unknown as { transcriptHtml(): string }).transcriptHtml() === html, expected, {
      timeout: 3000,
    })
    .catch(() => undefined);
  return panel.html();
}

interface BothWays {
  /** The pages painted by appends, when the text has ended and half way. */
  readonly streamed: string;
  readonly middle: string;
  /** The pages of the same texts painted at once. */
  readonly whole: string;
  readonly half: string;
  /** The greatest number of unpainted boxes at one time. */
  readonly waited: number;
}

async function paintBothWays(panel: PanelPage, text: string, places: readonly number[]): Promise<BothWays> {
  const cuts = [...new Set([0, ...places.map(place => place % (text.length + 1)), text.length])].sort((a, b) => a - b);
  const chunks = cuts.slice(1).map((end, i) => text.slice(cuts[i], end));
  const stop = Math.floor(chunks.length / 2);
  return panel.page.evaluate(
    async ({ chunks, stop }) => {
      interface Markdown extends HTMLElement {
        content: { text: string; live: boolean };
        paintPortion(characters: number): unknown;
        complete(): void;
      }
      const make = (): Markdown => {
        const element = document.createElement("parley-markdown") as Markdown;
        document.querySelector(".entries")?.append(element);
        return element;
      };
      /** Paints a portion as in a frame, without a frame in between. */
      const append = (element: Markdown, text: string): void => {
        element.content = { text, live: true };
        element.paintPortion(Infinity);
      };
      /** Code in far boxes is highlighted when visible, and which boxes are far depends on the text that followed. */
      const html = (element: Markdown): string => {
        element.complete();
        const copy = element.cloneNode(true) as HTMLElement;
        for (const box of copy.querySelectorAll(".blocks")) {
          box.className = "blocks";
          for (const code of box.querySelectorAll("pre code")) {
            code.replaceChildren(code.textContent ?? "");
            code.removeAttribute("class");
          }
        }
        return copy.innerHTML;
      };
      const paint = (text: string, live: boolean): string => {
        const element = make();
        if (live) append(element, text);
        else element.content = { text, live };
        const painted = html(element);
        element.remove();
        return painted;
      };
      const element = make();
      let text = "";
      let middle = "";
      let half = "";
      let waited = 0;
      for (const [i, chunk] of chunks.entries()) {
        text += chunk;
        append(element, text);
        waited = Math.max(waited, element.querySelectorAll(".waiting").length);
        if (i === stop) {
          middle = html(element);
          half = paint(text, true);
        }
      }
      element.content = { text, live: false };
      const streamed = html(element);
      element.remove();
      await Promise.resolve();
      return { streamed, middle, whole: paint(text, false), half, waited };
    },
    { chunks, stop },
  );
}
