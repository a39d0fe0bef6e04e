// The first Markdown of a page takes many times as long as any after it: its code and its patterns are yet to be compiled.
// So a little of everything is painted to nowhere while nothing else is to be done, before the first answer comes.
import { lex, sanitizedFragments } from "./render.ts";

const samples = [
  "## A title\n\nSome *words*, **more** words and `code`.\n",
  "- one\n- [x] two\n  1. three\n\n> words of others\n",
  "```js\nlet code;\n```\n\n---\n",
  "| a | b |\n| - | - |\n| 1 | 2 |\n",
  "[a link](src/a.ts#L10), src/b.ts:3, https://example.com and <b>raw</b> ~~text~~\\*\n",
];

/** Compiles what paints Markdown, a little whenever the page is idle. */
export function warmUp(): void {
  const [...remaining] = samples;
  const next = (): void => {
    const sample = remaining.shift();
    if (sample === undefined) return;
    sanitizedFragments(lex(sample).tokens);
    requestIdleCallback(next);
  };
  requestIdleCallback(next);
}
