// Terminal output in a tool card: painting by the emulator, scrolling, and the buttons.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { ToolPart } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { snapshot, tool, view } from "./scenes.ts";

type Terminal = Extract<ToolPart, { type: "terminal" }>;

const started: Terminal = {
  type: "terminal",
  terminalId: "t1",
  command: "make",
  cwd: "/shop",
  text: "",
  truncated: false,
};

/** A single card that is open because it failed. */
const card = (part: Partial<Terminal>): ReturnType<typeof tool> =>
  tool("c1", "make", { toolKind: "execute", status: "failed", parts: [{ ...started, ...part }] });

const open = (part: Partial<Terminal>, options?: Options): Promise<PanelPage> =>
  openPanel([snapshot(view([card(part)]))], options);

const outputOf = (panel: PanelPage): Locator => panel.log.getByRole("group", { name: "Output" });
const append = (panel: PanelPage, text: string): Promise<void> =>
  panel.patch({ op: "append", id: "c1", part: 0, text });

/** Waits until the output has these lines. */
async function shows(panel: PanelPage, ...lines: readonly string[]): Promise<void> {
  await panel.page
    .waitForFunction(
      expected => {
        const blocks = document.querySelectorAll("parley-terminal > div > div");
        return (
          JSON.stringify([...blocks].flatMap(each => [...each.children].map(line => line.textContent))) === expected
        );
      },
      JSON.stringify(lines),
      { timeout: 15_000 },
    )
    .catch(async () => assert.equal(await outputOf(panel).innerText(), lines.join("\n")));
}

const lastCopy = async (panel: PanelPage): Promise<string | undefined> =>
  (await panel.intents()).flatMap(intent => (intent.type === "copy" ? [intent.text] : [])).at(-1);

describe("terminal output", () => {
  usePanel();

  it("grows, and a progress bar is one line", async () => {
    const panel = await open({ text: "Fetching\n 0 %" });
    await shows(panel, "Fetching", " 0 %");
    await append(panel, "\r50 %");
    await append(panel, "\r100 %\nDone\n");
    await shows(panel, "Fetching", "100 %", "Done");
    await append(panel, "\u001b[2A\u001b[2KFetched\u001b[2B\r");
    await shows(panel, "Fetching", "Fetched", "Done");
    await panel.assertClean();
  });

  it("has the theme's colours, and other colours as the program defined them", async () => {
    const own = "\u001b[38;2;255;136;0mown\u001b[0m \u001b[38;2;1;2;3;48;5;226mboth";
    const panel = await open({ text: `\u001b[32mgreen\u001b[0m \u001b[7mturned\u001b[0m ${own}` });
    const style = (text: string): Promise<{ color: string; background: string }> =>
      outputOf(panel)
        .getByText(text, { exact: true })
        .evaluate(element => {
          const { color, backgroundColor } = getComputedStyle(element);
          return { color, background: backgroundColor };
        });
    const box = await outputOf(panel).evaluate(element => getComputedStyle(element).backgroundColor);
    assert.deepEqual(await style("both"), { color: "rgb(1, 2, 3)", background: "rgb(255, 255, 0)" });
    assert.equal((await style("turned")).color, box);
    assert.match((await style("own")).color, /^oklch\(0\.7\d+ 0\.1\d+ \d+/);
    assert.match((await style("green")).color, /^oklch\(/);
    await panel.assertClean();
  });

  for (const theme of ["dark", "light", "hc", "hc-light"] as const) {
    it(`is legible in ${theme} in any colour that a program uses`, async () => {
      const colours = ["0;0;0", "255;255;255", "255;255;0", "0;0;139", "128;128;128", "255;0;0", "0;255;0"];
      const text = colours.map((colour, i) => `\u001b[38;2;${colour}mcolour${i}\u001b[0m\n`).join("");
      const panel = await open({ text }, { theme });
      await outputOf(panel).getByText("colour6").waitFor();
      for (const contrast of await contrasts(panel)) assert.ok(contrast >= 4.5, `a contrast of ${contrast}`);
    });
  }

  it("is plain text until the emulator is loaded", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    let load = (): void => {};
    const loadable = new Promise<void>(resolve => (load = resolve));
    await panel.page.route("**/chunks/emulator-*.js", async route => {
      await loadable;
      await route.continue();
    });
    await panel.patch({
      op: "put",
      at: 0,
      entry: card({ text: "\u001b]0;title\u0007\u001b[32mone\u001b[39m\r\n10 %" }),
    });
    await append(panel, "\r20 %");
    await outputOf(panel).getByText("20 %").waitFor();
    assert.equal(await outputOf(panel).innerText(), "one\n10 %\n20 %");
    load();
    await shows(panel, "one", "20 %");
    await outputOf(panel).locator(".ansi-fg-green").waitFor();
  });

  it("stays plain if the emulator cannot be loaded, which is logged", async () => {
    const panel = await openPanel([snapshot(view([]))]);
    await panel.page.route("**/chunks/emulator-*.js", route => route.abort());
    await panel.patch({ op: "put", at: 0, entry: card({ text: "one\n" }) });
    await panel.page.waitForFunction(() => window.play.intents.some(intent => intent.type === "report"));
    await append(panel, "\u001b[1mtwo\n");
    await outputOf(panel).getByText("one\ntwo").waitFor();
    await panel.log.getByRole("button", { name: "Copy Output" }).click();
    assert.equal(await lastCopy(panel), "one\ntwo\n");
  });

  it("is replaced if the new text does not start with the old text", async () => {
    const panel = await open({ text: "one\n\u001b[31mtwo\n" });
    await shows(panel, "one", "two");
    await panel.patch({ op: "put", at: 0, entry: card({ text: "two\nthree\n", truncated: true }) });
    await shows(panel, "two", "three");
    assert.equal(await outputOf(panel).locator("span").count(), 0);
    await panel.patch({ op: "put", at: 0, entry: card({ text: "two\nthree\n", exit: { exitCode: 0 } }) });
    await append(panel, "late\n");
    await shows(panel, "two", "three", "late");
  });

  it("changes only lines that can have changed, so that a selection in the others survives", async () => {
    const panel = await open({ text: `${"above\n".repeat(100)}select me\nbar 0 %` });
    await outputOf(panel)
      .getByText("select me")
      .evaluate(line => getSelection()?.selectAllChildren(line));
    await panel.page.evaluate(() => {
      const changed: Node[] = [];
      const terminal = document.querySelector("parley-terminal") as Element;
      const observer = new MutationObserver(records => changed.push(...records.map(record => record.target)));
      observer.observe(terminal, { subtree: true, childList: true, characterData: true });
      Object.assign(window, { changed });
    });
    await append(panel, "\rbar 50 %");
    await outputOf(panel).getByText("bar 50 %").waitFor();
    const changed = await panel.page.evaluate(() =>
      (window as unknown as { changed: Node[] }).changed.map(node => node.textContent),
    );
    assert.deepEqual(changed, ["bar 50 %"]);
    assert.equal(await panel.page.evaluate(() => getSelection()?.toString()), "select me");
  });

  it("follows its end until the user scrolls up, and again when the user is back at the end", async () => {
    const line = `${"a long line that wraps in the card ".repeat(4)}\n`;
    const panel = await open({ text: line.repeat(300) });
    const output = outputOf(panel);
    const left = (): Promise<number> => output.evaluate(box => box.scrollHeight - box.scrollTop - box.clientHeight);
    const comes = (text: string): Promise<void> => output.getByText(text).waitFor({ state: "attached" });
    const isAtEnd = (): Promise<unknown> =>
      panel.page.waitForFunction(() => {
        const box = document.querySelector("parley-terminal") as HTMLElement;
        return box.scrollTop > 0 && box.scrollHeight - box.scrollTop - box.clientHeight < 2;
      });
    await isAtEnd();
    await append(panel, `${line.repeat(20)}now the end\n`);
    await comes("now the end");
    await isAtEnd();
    await output.hover();
    await panel.page.mouse.wheel(0, -2000);
    await panel.page.waitForFunction(() => !document.querySelector("parley-terminal")?.classList.contains("following"));
    await append(panel, `${line.repeat(20)}and more\n`);
    await comes("and more");
    assert.ok((await left()) > 1000);
    await output.focus();
    await output.press("End");
    await isAtEnd();
    await append(panel, `${line.repeat(20)}at last\n`);
    await comes("at last");
    await isAtEnd();
    await panel.assertClean();
  });

  it("keeps the last two thousand lines of long output, and paints them quickly", async () => {
    const line = "\u001b[32m✔\u001b[39m a test passes \u001b[2m(12 ms)\u001b[22m and more text to fill the line up\n";
    const panel = await open({ text: "first\n" });
    await shows(panel, "first");
    const ms = await panel.page.evaluate(
      async text => {
        const times: number[] = [];
        for (let i = 0; i < 5; i++) {
          const terminal = document.createElement("parley-terminal") as HTMLElement & { text: string };
          document.querySelector(".entries")?.append(terminal);
          const start = performance.now();
          terminal.text = text;
          while (!terminal.querySelector(".ansi-dim")) await new Promise(resolve => setTimeout(resolve));
          await new Promise(requestAnimationFrame);
          terminal.getBoundingClientRect();
          times.push(performance.now() - start);
          terminal.remove();
        }
        return Math.min(...times);
      },
      line.repeat(100_000 / line.length),
    );
    assert.ok(ms < 200, `${ms} ms`);
    await append(panel, "y\n".repeat(40_000) + "last\n");
    await outputOf(panel).getByText("last").waitFor();
    assert.equal(await outputOf(panel).locator("div > div > div").count(), 2029);
    await panel.assertClean();
  });

  it("does not open, load or report anything for hostile output", async () => {
    const hostile = [
      "\u001b]8;;javascript:window.hacked=1\u0007link\u001b]8;;\u0007",
      "\u001b]0;<img src=x onerror=window.hacked=1>\u0007<img src=x onerror=window.hacked=1>",
      "\u001b]52;c;aGFja2Vk\u0007\u001b]1337;File=inline=1:AAAA\u0007\u0007",
      "\u001b[c\u001b[6n\u001b[>q\u001b[18t\u001b]10;?\u0007",
      "\u001bPq#0;2;0;0;0#0~~@@vv@@~~$\u001b\\\u001b_Ga=T;AAAA\u001b\\",
      "\u001b[2147483647S\u001b[2147483647b\u202eend",
    ];
    const panel = await open({ text: hostile.join("\r\n") });
    await outputOf(panel).getByText("end").waitFor();
    assert.equal(await outputOf(panel).locator("img, a, [role=link], script").count(), 0);
    assert.equal(await panel.page.evaluate(() => (window as unknown as { hacked?: number }).hacked), undefined);
    assert.equal(await panel.page.title(), "Parley");
    assert.deepEqual(await panel.intents(), []);
    await panel.assertClean();
  });
});

describe("the buttons of a terminal", () => {
  usePanel();

  it("copy the output as shown, open it in a terminal, and kill the running command", async () => {
    const panel = await open({ text: "one\n\n\u001b[32m10 %\r20 %\u001b[39m", canKill: true });
    await shows(panel, "one", "", "20 %");
    for (const name of ["Copy Output", "Open in Terminal", "Kill"]) {
      const button = panel.log.getByRole("button", { name, exact: true });
      assert.equal(await button.getAttribute("title"), name);
      await button.click();
    }
    assert.deepEqual(await panel.intents(), [
      { type: "copy", text: "one\n\n20 %" },
      { type: "openTerminal", terminal: "t1" },
      { type: "killTerminal", terminal: "t1" },
    ]);
  });

  it("are shown only if they apply", async () => {
    const panel = await open({});
    const names = (): Promise<readonly (string | null)[]> =>
      panel.log.locator(".terminal button").evaluateAll(all => all.map(each => each.ariaLabel));
    assert.deepEqual(await names(), ["Open in Terminal"]);
    await append(panel, "one\n");
    await shows(panel, "one");
    assert.deepEqual(await names(), ["Copy Output", "Open in Terminal"]);
    await panel.patch({ op: "put", at: 0, entry: card({ text: "one\n", canKill: true }) });
    await panel.log.getByRole("button", { name: "Kill" }).waitFor();
    await panel.patch({ op: "put", at: 0, entry: card({ text: "one\n", exit: { signal: "SIGTERM" } }) });
    await panel.log.getByText("Ended by SIGTERM").waitFor();
    assert.deepEqual(await names(), ["Copy Output", "Open in Terminal"]);
  });

  it("can be reached by arrow keys from the card, which stays one tab stop", async () => {
    const panel = await open({ text: "one\n", canKill: true });
    await panel.log.focus();
    const focused = (): Promise<string | null | undefined> =>
      panel.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await panel.page.keyboard.press("Tab");
    for (const name of ["Copy Output", "Open in Terminal", "Kill"]) {
      await panel.page.keyboard.press("ArrowDown");
      assert.equal(await focused(), name);
    }
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.press("Tab");
    assert.equal(await focused(), "Output");
    assert.deepEqual(await panel.intents(), [{ type: "killTerminal", terminal: "t1" }]);
  });
});

/** The contrast of each coloured text with the output's background, measured in the painted page. */
function contrasts(panel: PanelPage): Promise<readonly number[]> {
  return panel.page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
    const luminance = (colour: string): number => {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0] = [...context.getImageData(0, 0, 1, 1).data].map(value =>
        value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const box = document.querySelector("parley-terminal") as Element;
    const back = luminance(getComputedStyle(box).backgroundColor);
    return [...box.querySelectorAll("span")].map(span => {
      const front = luminance(getComputedStyle(span).color);
      return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    });
  });
}
