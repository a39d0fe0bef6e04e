// The dialect of Markdown that the panel paints and the search reads.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Marked, type Tokens } from "marked";
import { isFormulaToken, markdownTokens, newMarked } from "../../src/panel/markdown/markdownLexer.ts";
import { plainMarkdown } from "../../src/panel/find/plainText.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

const marked = newMarked();
marked.use({
  extensions: [
    { name: "filePath", renderer: token => token.raw },
    {
      name: "formula",
      renderer: token =>
        isFormulaToken(token) ? `{${token.isBlock ? "block " : ""}${token.isOpen ? "open " : ""}${token.text}}` : "",
    },
  ],
});

/** The HTML on one line. Formulas are in braces. */
const html = (source: string, isLive = false): string =>
  marked
    .parser(markdownTokens(marked, source, isLive))
    .trim()
    .replace(/\n/g, " ")
    .replace(/^<p>((?:(?!<\/p>).)*)<\/p>$/, "$1");

describe("a strike", () => {
  const rows: readonly (readonly [source: string, html: string])[] = [
    ["3~5 … 10~20", "3~5 … 10~20"],
    ["约3~5天,共10~20次", "约3~5天,共10~20次"],
    ["~one~", "~one~"],
    ["~~two~~", "<del>two</del>"],
    ["~~a~b~~", "<del>a~b</del>"],
    ["~~取消。~~了", "<del>取消。</del>了"],
    ["~/a and ~/b", "~/a and ~/b"],
    ["H~2~O", "H~2~O"],
  ];
  for (const [source, expected] of rows) it(`has two tildes: ${source}`, () => assert.equal(html(source), expected));
});

describe("emphasis beside Chinese, Japanese and Korean text", () => {
  const strong = [
    // The emphasized text ends or begins with punctuation.
    "**该星号会被识别。**因为后面还有字。",
    "这是**“引用”**的内容",
    "**注意（重要）**内容",
    "请看**《标题》**这本",
    "**真，**她",
    "**真？**她",
    "**真…**她",
    "真**（她**",
    "これは**私のやりたかったこと。**だからするの。",
    "太郎は**「こんにちは」**と言った",
    '太郎は**"Hello"**と言った',
    "正解は**④**です。",
    "税込**¥10,000**で入手できます。",
    ".NET**（.NET Frameworkは不可）**では、",
    "**C#**は",
    "**스크립트(script)**라고",
    "**이 별표는 강조 표시(이 괄호 때문에)**이 문장 때문에.",
    "ᅡ**(a)**",
    // Links and code.
    "**[リンク](https://example.com)**も注意。",
    "패키지를 발행하려면 **`npm publish`**를 실행하십시오.",
    // Characters of two code units, and variation selectors.
    "𰻞𰻞**(ビャンビャン)**麺",
    "葛󠄀**(こちらが正式表記)**城市",
    "大塚︀**(U+585A U+FE00)**",
    "〽︎**(庵点)**は、",
    // Symbols of these languages that are also emoji.
    "a**〽**a",
    "a**㊗**a",
    "a**🈂**a",
    // Underscores.
    "__注意__：注意事項",
    "注意：__注意事項__",
  ];
  for (const source of strong)
    it(`is strong: ${source}`, () => {
      assert.match(html(source), /<strong>.+<\/strong>/);
      assert.doesNotMatch(plainMarkdown(source), /\*|__/);
    });

  const struck = ["a~~a()~~あ", "あ~~()a~~a", "𩸽~~()a~~a", "葛󠄀~~()a~~a", "a~~「a~~」", "「~~a」~~a", "~~a~~：~~a~~"];
  for (const source of struck) it(`is struck: ${source}`, () => assert.match(html(source), /<del>.+<\/del>/));

  it("works with two strong parts in a line", () =>
    assert.equal(html("**「A」**や**「B」**は"), "<strong>「A」</strong>や<strong>「B」</strong>は"));

  it("follows CommonMark in other languages", () => {
    const plain = new Marked({ gfm: true });
    const others = [
      ...["a*b*c", "5*6*78", "foo*bar*", "a * foo bar*", "foo_bar_", "_foo bar_", "5_6_78", "a**«b»**c", "a**a∇**a"],
      ...["a**∇a**a", "a**a𝜵**a", "**(a)**b", "***a** b*", "*a **b***", "** a **", "a**b", "_(a)_.", "~~a~~ b ~~c~~"],
      ...['**"a"**b', "a**\u{1f600}**a", "*a_b*c_", "**a*b**c*", "__a__b", "Привет, **«мир»**.", "**नमस्ते।** दुनिया"],
    ];
    for (const source of others)
      assert.equal(marked.parser(markdownTokens(marked, source, false)), plain.parse(source));
  });
});

describe("a formula", () => {
  const rows: readonly (readonly [what: string, source: string, html: string])[] = [
    ["is in a line", "so \\(x^2\\) is", "so {\\(x^2\\)} is"],
    ["is in a line with dollars", "so $$x^2$$.", "so {$$x^2$$}."],
    ["stands after Chinese text", "函数\\(f(x)\\)的", "函数{\\(f(x)\\)}的"],
    ["has a number before it", "10\\(^{-3}\\) CO\\(_2\\)", "10{\\(^{-3}\\)} CO{\\(_2\\)}"],
    [
      "keeps its stars and underlines",
      "\\(a*b\\) *c \\(d*e\\) f* \\(g_h\\)",
      "{\\(a*b\\)} <em>c {\\(d*e\\)} f</em> {\\(g_h\\)}",
    ],
    ["can be strong", "**\\(a*b\\)**", "<strong>{\\(a*b\\)}</strong>"],
    ["has lines of its own", "as\n\\[\na\n- b\n= c\n\\]\nso", "<p>as</p> {block \\[ a - b = c \\]}<p>so</p>"],
    ["has lines of its own with dollars", "$$\na\n+ b\n$$", "{block $$ a + b $$}"],
    ["has empty lines only at its ends", "\\[\n\na\n\n\\]", "{block \\[  a  \\]}"],
    ["is in a list", "- a\n  $$\n  b\n  $$\n- c", "<ul> <li>a{block $$ b $$}</li> <li>c</li> </ul>"],
    ["is in a quote", "> \\[ a = b \\]", "<blockquote> {block \\[ a = b \\]}</blockquote>"],
    ["has an escaped bracket", "\\(\\{a\\\\)b\\}\\)", "{\\(\\{a\\\\)b\\}\\)}"],
    ["is no heading", "so\n$$\na\n=\nb\n$$\nend", "<p>so</p> {block $$ a = b $$}<p>end</p>"],
    ["is no heading in a list", "- so\n  \\[\n  a\n  -\n  b\n  \\]", "<ul> <li>so{block \\[ a - b \\]}</li> </ul>"],
    ["is below a heading", "so\n=\n$$\na\n$$", "<h1>so</h1> {block $$ a $$}"],
    ["keeps a row break", "\\[ a \\\\[2pt] b \\]", "{block \\[ a \\\\[2pt] b \\]}"],
  ];
  for (const [what, source, expected] of rows) it(what, () => assert.equal(html(source), expected));

  const others: readonly (readonly [what: string, source: string, html: string])[] = [
    ["an amount of money", "$5 and $10", "$5 and $10"],
    ["amounts with two dollars", "US$$5 and US$$10", "US$$5 and US$$10"],
    ["price classes", "$$ to $$$", "$$ to $$$"],
    ["the process of a shell", "echo $$; kill $$", "echo $$; kill $$"],
    ["variables of make", "$$(A) $$(B) and $$HOME then $$PATH", "$$(A) $$(B) and $$HOME then $$PATH"],
    ["escaped brackets", "\\[optional\\] \\[ \\] \\[x\\](y)", "[optional] [ ] [x](y)"],
    ["an escaped call", "run\\(a, b\\) file\\(s\\)", "run(a, b) file(s)"],
    ["code", "`\\(x\\)` ``$$y$$``", "<code>\\(x\\)</code> <code>$$y$$</code>"],
    ["a fence", "```\n\\[\nx\n\\]\n```", "<pre><code>\\[ x \\] </code></pre>"],
    ["brackets around code", "\\(`x`\\)", "(<code>x</code>)"],
    ["an escaped backslash", "a \\\\ (b) \\\\[c]", "a \\\\ (b) \\\\[c]"],
    ["two ends with a paragraph between", "a $$b\n\nc$$ d", "<p>a $$b</p> <p>c$$ d</p>"],
    ["nothing", "\\(\\) $$$$", "() $$$$"],
    ["a beginning without an end", "a \\(b *c*", "a (b <em>c</em>"],
    ["a text of 2,001 characters", `\\(${"x".repeat(2001)}\\)`, `(${"x".repeat(2001)})`],
  ];
  for (const [what, source, expected] of others) it(`is not ${what}`, () => assert.equal(html(source), expected));

  it("is whole while its end is still to come, so that nothing flickers", () => {
    const rows = [
      ["a \\(x*y*", "a {open \\(x*y*}"],
      ["a\n\n$$\nx\n- b", "<p>a</p> {block open $$ x - b}"],
      ["- a \\(b_c_", "<ul> <li>a {open \\(b_c_}</li> </ul>"],
      ["a \\(b *c*\n\nd \\(e", "<p>a (b <em>c</em></p> <p>d {open \\(e}</p>"],
      ["$$ and **b**", "$$ and <strong>b</strong>"],
      ["a\n\n$$\n\nb", "<p>a</p> <p>$$</p> <p>b</p>"],
    ] as const;
    for (const [source, expected] of rows) assert.equal(html(source, true), expected);
  });

  it("is found as it is written", () => {
    assert.equal(plainMarkdown("**a** \\(x_1 &amp; y\\)\n\n\\[\nb\n\\]"), "a \\(x_1 &amp; y\\)\n\\[ b \\]");
    assert.equal(plainMarkdown("- $$c$$\n- d"), "$$c$$\nd");
  });

  it("leaves the source of all tokens complete", () => {
    const source = "a\n\\[\nb\n\\]\n\n$$c$$\n\n  $$\nd\n$$  \n\n\\(f\\)\n";
    for (let end = 0; end <= source.length; end++)
      for (const isLive of [false, true]) {
        const part = source.slice(0, end);
        assert.equal(markdownTokens(marked, part, isLive).map(({ raw }) => raw).join(""), part); // prettier-ignore
      }
  });

  it("is found in time that grows with the length of the text", () => {
    const measure = (length: number): number => {
      const began = process.cpuUsage();
      for (const part of ["\\(", "\\(a ", "$$", "$$a ", "\\[\n", "$$\n", "\\(a\\)", "a\n$$ b\n", "`\\(`", "**\\(a ", "重**。", "~~", "3~5 "])
        for (const isLive of [false, true]) markdownTokens(marked, part.repeat(length / part.length), isLive);
      const { user, system } = process.cpuUsage(began);
      return user + system;
    }; // prettier-ignore
    measure(5000);
    const [short, long] = [measure(5000), measure(50_000)];
    assert.ok(long < short * 60, `${short} and ${long} µs`);
  });
});

describe("the lexer", () => {
  const starts = ["", "- a\n"];
  const parts = [
    ...["p\n# h\n", "p\n***\n", "a\n$$x$$\n", "  b\n", "> a\n> $$x$$\n", "a\n```\n\\[\n```\n", "  a\n  $$x$$\n"],
    // A table without pipes, and code directly below it.
    "p\na\n:-\n    c\n",
  ];
  for (const part of parts)
    it(`reads ${JSON.stringify(part)} in time that grows with the length of the text`, () => {
      for (const start of starts)
        for (const end of ["", "# h\n=\n"]) {
          const timeOf = (length: number): number =>
            Math.min(
              ...[1, 2].map(() => {
                const used = processorTime();
                markdownTokens(marked, start + part.repeat(length / part.length) + end, false);
                return used();
              }),
            );
          // Quadratic time would be 16 times as long, and took hundreds of milliseconds.
          const [short, long] = [timeOf(10_000), timeOf(40_000)];
          assert.ok(long < 10 * short + 50, `${short} and ${long} ms`);
        }
    });

  it("finds the headings with an underline that another reader finds", () => {
    const plain = new Marked({ gfm: true });
    const line = fc.constantFrom(
      ...["a", "b c", "=", "--", " - ", "---", "   ===  ", "    =", "", " ", "# h", "> q", "- i", "  j", "```"],
      ...["| t |", "|-|", "<p>", "[x]: y"],
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), lines => {
        const source = lines.join("\n");
        assert.equal(marked.parser(markdownTokens(marked, source, false)), plain.parse(source));
      }),
      { numRuns: 1000 },
    );
  });

  it("reads a heading with an underline of at most 4,000 characters", () => {
    const lines = "word word\n".repeat(400);
    assert.equal(html(`${lines.slice(10)}=`), `<h1>${lines.slice(10, -1).replaceAll("\n", " ")}</h1>`);
    assert.match(html(`${lines}=`), /^(?!<h1>).* =$/);
    assert.match(html(`${lines}---\nend`), /<h2>word word<\/h2> <p>end<\/p>$/);
  });
});

describe("a path in Markdown", () => {
  it("is one token, so the search sees its underscores as the panel does", () => {
    assert.equal(plainMarkdown("see src/__init__.py and __b__"), "see src/__init__.py and b");
    const [paragraph] = markdownTokens(marked, "src/__init__.py", false);
    assert.equal((paragraph as Tokens.Paragraph).tokens[0]?.type, "filePath");
  });
});
