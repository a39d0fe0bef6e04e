// Links to the files that a program names in its output. They look like the text around them, and are controls of the
// card that shows the output.
import { findPaths, type WrittenPath } from "../../src/base/filePaths.ts";
import type { FoundPath } from "../../src/base/pathsInRun.ts";
import { writtenPathLink } from "../markdown/links.ts";

/** Only this much of a text is searched. UTF-16 units. */
const maxSearchedLength = 100_000;

/** A path in a text, and the link to it, which has no content yet. */
interface PlacedLink {
  readonly start: number;
  readonly end: number;
  readonly link: HTMLElement;
}

/** The links of a text, in order. `folder` is where the program ran. */
function linksIn(text: string, folder?: string): readonly PlacedLink[] {
  // Each path has a line, and most output has none.
  if (!/\d/.test(text)) return [];
  const paths: readonly FoundPath[] = findPaths(text.slice(0, maxSearchedLength), "output");
  return paths.flatMap(({ start, end, ...path }) => {
    const link = writtenPathLink(path, leadingOf(path, folder));
    if (!link) return [];
    link.classList.add("output-link");
    // The card makes one of its controls the tab stop.
    link.tabIndex = -1;
    return [{ start, end, link }];
  });
}

const absolutePattern = /^(?:[\\/~]|[A-Za-z]:|file:)/i;

/** The text before a path that may belong to it. A relative path begins in the folder of the program. */
function leadingOf({ path, leading = "" }: WrittenPath, folder: string | undefined): string {
  if (folder === undefined || absolutePattern.test(leading) || absolutePattern.test(path)) return leading;
  return `${folder.replace(/[\\/]+$/, "")}/${leading}`;
}

/** Makes the paths in a painted text links. Their text keeps its elements, and so its colours. For short texts. */
export function linkPaths(element: HTMLElement, folder?: string): void {
  const links = linksIn(element.textContent ?? "", folder);
  if (links.length === 0) return;
  const texts = textNodes(element);
  // The browser updates each range at each change, so thousands of ranges would block the panel.
  const range = document.createRange();
  // From the end, so that the offsets of the others stay valid.
  for (const { start, end, link } of links.toReversed()) {
    const first = texts.findLast(text => text.start <= start);
    const last = texts.findLast(text => text.start < end);
    if (!first || !last) continue;
    range.setStart(first.node, start - first.start);
    range.setEnd(last.node, end - last.start);
    link.append(range.extractContents());
    range.insertNode(link);
    for (const beside of [link.previousSibling, link.nextSibling]) if (beside?.textContent === "") beside.remove();
  }
}

function textNodes(element: HTMLElement): readonly { readonly node: Text; readonly start: number }[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: { node: Text; start: number }[] = [];
  let start = 0;
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    found.push({ node, start });
    start += node.length;
  }
  return found;
}

/** Sets the text of an element that shows plain output with links. */
export function setOutput(element: HTMLElement, text: string): void {
  element.replaceChildren(...outputNodes(text));
}

/** Appends text to an element of {@link setOutput}. Its earlier lines stay, so that a selection in them survives. */
export function appendOutput(element: HTMLElement, added: string): void {
  // What follows can change the links of the last line. The first node is a text.
  let removed = "";
  let node = element.lastChild;
  while (node?.previousSibling && !(node instanceof Text && node.data.includes("\n"))) {
    const before: ChildNode = node.previousSibling;
    removed = (node.textContent ?? "") + removed;
    node.remove();
    node = before;
  }
  if (!(node instanceof Text)) return setOutput(element, removed + added);
  const from = node.data.lastIndexOf("\n") + 1;
  const shown = node.length - from;
  const [first = new Text(), ...others] = outputNodes(node.data.slice(from) + removed + added);
  const plain = first.textContent ?? "";
  if (plain.length < shown) node.deleteData(from + plain.length, shown - plain.length);
  else node.appendData(plain.slice(shown));
  element.append(...others);
}

/** The nodes of a plain text. The first is a text, which may be empty. */
function outputNodes(text: string): readonly Node[] {
  const nodes: Node[] = [];
  let from = 0;
  for (const { start, end, link } of linksIn(text)) {
    link.textContent = text.slice(start, end);
    nodes.push(new Text(text.slice(from, start)), link);
    from = end;
  }
  if (from < text.length || from === 0) nodes.push(new Text(text.slice(from)));
  return nodes;
}
