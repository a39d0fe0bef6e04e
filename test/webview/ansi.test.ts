// Terminal bytes → styled lines.
import assert from "node:assert/strict";
import fc from "fast-check";
import { AnsiLines, type Run } from "../../webview-ui/ansi.ts";

function lines(...chunks: readonly string[]): string[] {
  const terminal = new AnsiLines();
  const finished = chunks.flatMap(chunk => terminal.write(chunk));
  return [...finished, terminal.line].map(plain);
}
const plain = (line: readonly Run[]): string => line.map(run => run.text).join("");

describe("terminal output", () => {
  it("colours become classes, and a reset ends them", () => {
    const terminal = new AnsiLines();
    terminal.write("a\u001b[1;31mb\u001b[0mc\u001b[94;42md\u001b[38;5;3me\u001b[38;2;1;2;3mf");
    assert.deepEqual(terminal.line, [
      { text: "a", style: "" },
      { text: "b", style: "ansi-bold ansi-fg-red" },
      { text: "c", style: "" },
      { text: "d", style: "ansi-fg-bright-blue ansi-bg-green" },
      { text: "e", style: "ansi-fg-yellow ansi-bg-green" },
      { text: "f", style: "ansi-bg-green" },
    ]);
  });

  it("a carriage return writes over the line, as progress bars expect", () => {
    assert.deepEqual(lines("10 %\r 20 %\r100 %\r\ndone"), ["100 %", "done"]);
    assert.deepEqual(lines("longer line\rshort\u001b[K"), ["short"]);
    assert.deepEqual(lines("ab\bc"), ["ac"]);
  });

  it("titles, links and cursor moves are dropped", () => {
    assert.deepEqual(lines("\u001b]0;title\u0007a\u001b]8;;https://x\u001b\\b\u001b[2J\u001b[?25lc\u001b(Bd"), [
      "abcd",
    ]);
  });

  it("an escape sequence may be cut anywhere", () => {
    const text = "x\u001b[1;31mred\u001b[0m\r\n\u001b]0;title\u0007plain\u001b[Kend\n";
    const whole = lines(text);
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(text.length), (a, b) => {
        const [first, second] = [Math.min(a, b), Math.max(a, b)];
        assert.deepEqual(lines(text.slice(0, first), text.slice(first, second), text.slice(second)), whole);
      }),
    );
  });

  it("an escape that never ends is not kept forever", () => {
    assert.equal(lines(`\u001b]${"x".repeat(5000)}`).join("").length > 4000, true);
  });

  it("a far column does not make a far line", () => {
    assert.ok((lines("\u001b[999999999Gx")[0]?.length ?? 0) <= 1001);
  });
});
