// A typical answer of an agent: headings, paragraphs, lists, inline code, fenced code.

const section = (n: number): string => `## Part ${n}: what changes and why

The function \`total${n}\` adds the prices before the discount is taken off, so an order of **${n} items** comes out too
high. The check in \`src/cart.js\` runs too late to notice, and nothing in the tests covers an empty cart.

- Take the discount off first, then add the tax for the rest.
- Return *zero* for an empty cart, as [the notes](docs/notes.md) say.
- Keep \`round\` where it is: it is called ${n * 3} times elsewhere.

\`\`\`js
export function total${n}(items, discount = 0) {
  const sum = items.reduce((all, item) => all + item.price * item.count, 0);
  return round(sum * (1 - discount));
}
\`\`\`

`;

/** The first characters of an endless answer, all of them ASCII. */
export function answerOf(characters: number): string {
  let text = "";
  for (let n = 1; text.length < characters; n++) text += section(n);
  return text.slice(0, characters);
}

/** The text in chunks of this many characters. */
export function cut(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, i) => text.slice(i * length, (i + 1) * length));
}
