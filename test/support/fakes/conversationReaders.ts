// Readers of conversations: how viewers of Markdown, and programs that split lines, see turns. Each returns what stands
// where, and throws if something is not as Parley writes it.
import assert from "node:assert/strict";
import { marked, type Token as MarkedToken, type TokensList } from "marked";
import { markdownTokens, newMarked } from "../../../src/panel/markdown/markdownLexer.ts";
import MarkdownIt, { type BlockState, type InlineState, type Token } from "markdown-it";

/** A turn as a reader sees it: its heading, and all text in it. */
export interface ReadTurn {
  readonly heading: string;
  readonly text: string;
}

const commonMark = new MarkdownIt({ html: true, linkify: true });
const withMath = new MarkdownIt({ html: true, linkify: true });
withMath.inline.ruler.after("escape", "math_inline", readInlineMath);
withMath.block.ruler.after("blockquote", "math_block", readMathBlock, {
  alt: ["paragraph", "reference", "blockquote", "list"],
});

/** As the Markdown preview of VS Code reads it: with raw HTML, and with or without formulas. */
export function turnsInPreview(markdown: string, hasFormulas: boolean): readonly ReadTurn[] {
  const env: { references?: object } = {};
  const tokens = (hasFormulas ? withMath : commonMark).parse(markdown, env);
  assert.deepEqual(Object.keys(env.references ?? {}), [], "no definition of a link");
  const turns: { heading: string; text: string }[] = [{ heading: "", text: "" }];
  for (const [at, token] of tokens.entries()) {
    assert.ok(!everyToken(token).some(({ type }) => type.startsWith("html_")), `no HTML: ${markdown}`);
    const isTop = token.level === 0 && token.type.endsWith("_open");
    if (isTop)
      assert.match(token.type, /^(?:heading|blockquote|bullet_list|paragraph)_open$/, `no such block: ${markdown}`);
    if (isTop && token.type === "heading_open" && token.tag === "h2")
      turns.push({ heading: tokens[at + 1]?.content ?? "", text: "" });
    const turn = turns.at(-1) ?? assert.fail();
    turn.text += `${everyToken(token).map(textOfToken).join(" ")}\n`;
  }
  return turns;
}

const everyToken = (token: Token): readonly Token[] => [token, ...(token.children ?? []).flatMap(everyToken)];
const textOfToken = ({ content, info, attrs, children }: Token): string =>
  [children ? "" : content, info, ...(attrs ?? []).map(([, value]) => decodeURIComponent(value))].join(" ");

/** As `marked` reads it, in GitHub's dialect. */
export const turnsInMarked = (markdown: string): readonly ReadTurn[] => turnsIn(marked.lexer(markdown));

/** As Parley's panel and search read it. */
export const turnsInPanel = (markdown: string): readonly ReadTurn[] =>
  turnsIn(markdownTokens(panelMarked, markdown, false));

const panelMarked = newMarked();

function turnsIn(tokens: TokensList): readonly ReadTurn[] {
  assert.deepEqual(Object.keys(tokens.links), [], "no definition of a link");
  void marked.walkTokens(tokens, token => assert.notEqual(token.type, "html", token.raw));
  const turns: { heading: string; text: string }[] = [{ heading: "", text: "" }];
  for (const token of tokens as MarkedToken[]) {
    assert.ok(["heading", "blockquote", "list", "paragraph", "space"].includes(token.type), token.type);
    if (token.type === "heading" && token.depth === 2) turns.push({ heading: token.text, text: "" });
    const turn = turns.at(-1) ?? assert.fail();
    turn.text += `${token.raw}\n`;
  }
  return turns;
}

const anyLineEnd = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/;

/** As a program reads it that knows no Markdown: a turn begins at a line with its heading. */
export function turnsInLines(text: string): readonly ReadTurn[] {
  const turns: { heading: string; text: string }[] = [{ heading: "", text: "" }];
  for (const line of text.split(anyLineEnd)) {
    assert.match(line, /^(?:|#{1,2} .*| *- .*| *>(?: .*)?|\*.*\*)$/su, JSON.stringify(text));
    const [, heading] = /^## (.*)$/su.exec(line) ?? [];
    if (heading !== undefined) turns.push({ heading, text: "" });
    const turn = turns.at(-1) ?? assert.fail();
    turn.text += `${line}\n`;
  }
  return turns;
}

/** The lines in quotes, without their marks. */
export const quotedText = (text: string): string =>
  text
    .split("\n")
    .flatMap(line => (line === ">" ? [""] : line.startsWith("> ") ? [line.slice(2)] : []))
    .join("\n");

/** The rule for formulas of @vscode/markdown-it-katex: from a line that begins with `$$` to one that ends with it. */
function readMathBlock(state: BlockState, start: number, end: number, silent: boolean): boolean {
  const lineAt = (at: number): string =>
    state.src.slice((state.bMarks[at] ?? 0) + (state.tShift[at] ?? 0), state.eMarks[at] ?? 0);
  if (!lineAt(start).startsWith("$$")) return false;
  if (silent) return true;
  let last = lineAt(start).slice(2);
  let next = start;
  while (!last.trim().endsWith("$$")) {
    next++;
    if (next >= end) break;
    if (
      (state.tShift[next] ?? 0) < state.blkIndent &&
      lineAt(next) !== "" &&
      (state.sCount[next] ?? 0) < state.blkIndent
    )
      break;
    last = lineAt(next);
  }
  state.line = next + 1;
  state.push("math_block", "math", 0).content = Array.from({ length: next + 1 - start }, (_, i) =>
    lineAt(start + i),
  ).join("\n");
  return true;
}

function readInlineMath(state: InlineState, silent: boolean): boolean {
  if (state.src[state.pos] !== "$") return false;
  const end = state.src.indexOf("$", state.pos + 1);
  if (end < 0 || end === state.pos + 1) return false;
  if (!silent) state.push("math_inline", "math", 0).content = state.src.slice(state.pos + 1, end);
  state.pos = end + 1;
  return true;
}
