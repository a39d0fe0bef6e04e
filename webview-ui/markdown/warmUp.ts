// The first Markdown on a page takes many times as long as later Markdown, because its code and patterns are not
// compiled yet. So samples of all elements are rendered off the page while it is idle, before the first answer arrives.
import { lex, sanitizedFragments } from "./render.ts";

const samples = [
  "## A title\n\nSome *words*, **more** words and `code`.\n",
  "- one\n- [x] two\n  1. three\n\n> words of others\n",
  "```js\nlet code;\n```\n\n---\n",
  "| a | b |\n| - | - |\n| 1 | 2 |\n",
  "[a link](src/a.ts#L10), src/b.ts:3, https://example.com and <b>raw</b> ~~text~~\\*\n",
];

/** Compiles the code that renders Markdown, one sample whenever the page is idle. */
export function warmUp(): void {
  const [...remaining] = samples;
  const next = (): void => {
    const sample = remaining.shift();
    if (sample === undefined) return;
    sanitizedFragments(lex(sample, false).tokens);
    requestIdleCallback(next);
  };
  requestIdleCallback(next);
}
