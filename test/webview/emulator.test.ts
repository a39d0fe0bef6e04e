// The emulator: terminal output → styled lines, as a terminal would show them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Emulator, type StyledLine } from "../../webview-ui/transcript/emulator.ts";

/** An emulator, and the lines that result from applying only its reported changes. */
class Screen {
  readonly #emulator = new Emulator();
  shown: readonly StyledLine[] = [];
  /** How many lines the last change contained. */
  fresh = 0;

  async write(...chunks: readonly string[]): Promise<void> {
    for (const chunk of chunks.filter(each => each !== "")) {
      await new Promise<void>(resolve => this.#emulator.write(chunk, resolve));
      const { dropped, kept, lines } = this.#emulator.take();
      assert.ok(dropped + kept <= this.shown.length);
      this.shown = [...this.shown.slice(dropped, dropped + kept), ...lines];
      this.fresh = lines.length;
    }
  }

  get texts(): readonly string[] {
    return this.shown.map(plain);
  }

  dispose(): void {
    this.#emulator.dispose();
  }
}

const plain = (line: StyledLine): string => line.map(run => run.text).join("");

async function shown(...chunks: readonly string[]): Promise<readonly StyledLine[]> {
  const screen = new Screen();
  await screen.write(...chunks);
  screen.dispose();
  return screen.shown;
}
const texts = async (...chunks: readonly string[]): Promise<readonly string[]> => (await shown(...chunks)).map(plain);

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join("");

describe("the terminal emulator", () => {
  it("returns classes for theme colours, and values for all others", async () => {
    const [line] = await shown(
      "a\u001b[1;31mb\u001b[0mc\u001b[94;42md\u001b[38;5;3me\u001b[49;38;5;208mf\u001b[38;5;244mg\u001b[38;2;1;2;3;48;2;255;128;0mh",
    );
    assert.deepEqual(line, [
      { text: "a", style: "" },
      { text: "b", style: "ansi-bold ansi-fg-red" },
      { text: "c", style: "" },
      { text: "d", style: "ansi-fg-bright-blue ansi-bg-green" },
      { text: "e", style: "ansi-fg-yellow ansi-bg-green" },
      { text: "f", style: "ansi-fg-own", foreground: "#ff8700" },
      { text: "g", style: "ansi-fg-own", foreground: "#808080" },
      { text: "h", style: "ansi-fg-own ansi-bg-own", foreground: "#010203", background: "#ff8000" },
    ]);
  });

  it("supports bold, dim, italic, underlined, strikethrough, inverse and hidden text", async () => {
    const styled = ["1", "2", "3", "4", "9", "7", "7;31", "8", "1;2;3;4;9"].map(code => `\u001b[${code}mx\u001b[0m`);
    const [line] = await shown(styled.join(""));
    assert.deepEqual(
      line?.map(run => [run.text, run.style]),
      [
        ["x", "ansi-bold"],
        ["x", "ansi-dim"],
        ["x", "ansi-italic"],
        ["x", "ansi-underline"],
        ["x", "ansi-strike"],
        ["x", "ansi-fg-inverse ansi-bg-inverse"],
        ["x", "ansi-fg-inverse ansi-bg-red"],
        [" ", ""],
        ["x", "ansi-bold ansi-dim ansi-italic ansi-underline ansi-strike"],
      ],
    );
  });

  it("overwrites the line after a carriage return or a backspace, as progress bars expect", async () => {
    assert.deepEqual(await texts("10 %\r 20 %\r100 %\r\ndone"), ["100 %", "done"]);
    assert.deepEqual(await texts("longer line\rshort\u001b[K"), ["short"]);
    assert.deepEqual(await texts("ab\bc"), ["ac"]);
    assert.deepEqual(await texts("[    ]\r[#   ", "\r[##  ", "\r[### "), ["[### ]"]);
  });

  it("moves the cursor and erases, for several progress bars at once", async () => {
    assert.deepEqual(await texts("one 0 %\ntwo 0 %\n", "\u001b[2A\u001b[2Kone 50 %\n\u001b[2Ktwo 10 %\n"), [
      "one 50 %",
      "two 10 %",
    ]);
    assert.deepEqual(await texts("a\nb\nc\n\u001b[3A\u001b[Jd"), ["d"]);
    assert.deepEqual(await texts("gone\n\u001b[2J\u001b[Hnew"), ["new"]);
    assert.deepEqual(await texts("a\u001b[5Cb\u001b[1;3Hx\u001b[s\u001b[4;1Hend\u001b[uy"), ["a xy  b", "", "", "end"]);
  });

  it("joins the rows of a wrapped line and keeps its spaces", async () => {
    const long = `${"word ".repeat(120)}end`;
    assert.deepEqual(await texts(`${long}\nnext`), [long, "next"]);
    assert.deepEqual(await texts("x".repeat(199) + "漢字"), ["x".repeat(199) + "漢字"]);
    assert.deepEqual(await texts("x".repeat(250) + "\u001b[2K"), ["x".repeat(200)]);
  });

  it("gives wide characters and emoji two cells, and marks ideographs", async () => {
    assert.deepEqual(await texts("漢字\u001b[5Gx", "\r\n🚀✅\u001b[5Gx", "\r\ne\u0301\u001b[2Gx"), [
      "漢字x",
      "🚀✅x",
      "e\u0301x",
    ]);
    assert.deepEqual(await shown("a漢🚀"), [
      [
        { text: "a", style: "" },
        { text: "漢", style: "ansi-wide" },
        { text: "🚀", style: "" },
      ],
    ]);
  });

  it("keeps only written text: no trailing blanks, but blank lines in between", async () => {
    assert.deepEqual(await texts("a  \n\nb\n\n\n"), ["a  ", "", "b"]);
    assert.deepEqual(await texts("\u001b[44m\u001b[2Kx"), ["x" + " ".repeat(199)]);
    assert.deepEqual(await texts("\n\n"), []);
  });

  it("shows a full-screen program while it runs, and the earlier output after it ends", async () => {
    const screen = new Screen();
    await screen.write("before\n", "\u001b[?1049h\u001b[Hfull\n");
    assert.deepEqual(screen.texts, ["full"]);
    await screen.write("\u001b[?1049lafter\n");
    assert.deepEqual(screen.texts, ["before", "after"]);
    screen.dispose();
  });

  it("ignores titles, links, clipboard access, bells and queries", async () => {
    const hostile = [
      "\u001b]0;title\u0007a",
      "\u001b]8;;javascript:x\u001b\\b\u001b]8;;\u001b\\",
      "\u001b]52;c;aGk=\u0007\u0007\u001b[c\u001b[6n\u001b[?25lc",
      "\u001b(Bd\u001b]4;1;#ff0000\u0007\u001bP$qm\u001b\\\u001b[8;1;1t\u001b[?3h\u001b_x\u001b\\\u001b[?2026h",
    ];
    assert.deepEqual(await shown(...hostile), [[{ text: "abcd", style: "" }]]);
  });

  it("limits the work that a sequence can cause", async () => {
    const started = performance.now();
    await texts("x" + [..."ILMSTZb@PX"].map(final => `\u001b[2147483647${final}`).join("") + "\u001b[1;2147483647r");
    await texts("\u001b]8;;https://example.com\u0007x\n".repeat(3000));
    assert.ok(performance.now() - started < 2000, `${performance.now() - started} ms`);
    const [line] = await texts("\u001b[999999999Gx");
    assert.equal(line?.length, 200);
  });

  it("reports only lines that can have changed, however much is above", async () => {
    const screen = new Screen();
    await screen.write(numbered(0, 1000));
    assert.equal(screen.texts.length, 1000);
    await screen.write("more\n");
    assert.ok(screen.fresh <= 30, `${screen.fresh} lines`);
    assert.deepEqual(screen.texts.slice(-2), ["line 999", "more"]);
    screen.dispose();
  });

  it("drops the oldest lines beyond the limit", async () => {
    const screen = new Screen();
    for (let i = 0; i < 5000; i += 100) await screen.write(numbered(i, i + 100));
    assert.equal(screen.texts.length, 2029);
    assert.deepEqual([screen.texts[0], screen.texts.at(-1)], ["line 2971", "line 4999"]);
    screen.dispose();
  });

  it("starts over when the terminal is reset or its scrollback is cleared", async () => {
    const screen = new Screen();
    await screen.write(numbered(0, 100), "\u001bcnew");
    assert.deepEqual(screen.texts, ["new"]);
    await screen.write(numbered(0, 100), "\u001b[3J\u001b[2J\u001b[Hcleared");
    assert.deepEqual(screen.texts, ["cleared"]);
    screen.dispose();
  });

  it("shows any output in any chunks as if it had arrived at once", async () => {
    const pieces = [
      "text", "\n", "\r", "\r\n", "\b", "\t", "漢", "🚀", "\u0301", "x".repeat(150), "\u001b[31m", "\u001b[0m", "\u001b[A",
      "\u001b[3A", "\u001b[B", "\u001b[10C", "\u001b[D", "\u001b[K", "\u001b[1K", "\u001b[J", "\u001b[2J", "\u001b[H", "\u001b[5;7H",
      "\u001b[L", "\u001b[M", "\u001b[2;9r", "\u001b[r", "\u001b[S", "\u001b[T", "\u001b[?1049h", "\u001b[?1049l", "\u001bM", "\u001bc",
      "\u001b[3J", "\u001b]0;t\u0007", "\u001b]8;;u\u001b\\", "\n".repeat(40), numbered(0, 35), "\u001b[48;5;33m", "\u001b",
    ]; // prettier-ignore
    const outputs = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 40 }).map(all => all.join(""));
    await fc.assert(
      fc.asyncProperty(outputs, fc.array(fc.nat(2000), { maxLength: 8 }), async (output, places) => {
        const cuts = [0, ...places.map(place => place % (output.length + 1)).sort((a, b) => a - b), output.length];
        const chunks = cuts.slice(1).map((end, i) => output.slice(cuts[i], end));
        assert.deepEqual(await shown(...chunks), await shown(output));
      }),
      { numRuns: 300 },
    );
  });
});
