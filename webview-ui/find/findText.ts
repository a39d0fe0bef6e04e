// Search hits → ranges of the painted text. A hit has the number of its passage among equal ones, which is counted
// here.
import { MarkdownElement } from "../markdown/markdown.ts";
import { namedLocations } from "../../src/panel/fileNames.ts";
import type { FindHit } from "../../src/panel/find/findProtocol.ts";
import type { ViewEntry } from "../../src/panel/protocol.ts";

/** The elements of an entry's frame with searchable text, in the order in which the host searches them. */
const frameSelector =
  ".tool-title, .locations a, .decision > span:not(.codicon), .row > span:not(.codicon), .file-note a, .fold > span:not(.codicon), .problem .sentence, .problem .detail, .problem .run code";
/** The elements of a part with searchable text. If there are none, the whole part is searched. */
const partSelector =
  "parley-markdown, .preformatted pre, .typed, .diff .part-head > .quiet, .diff .part-head > a:not(.unnamed), .diff-text, .files pre, .terminal .command, .terminal .folder > span:not(.codicon), parley-terminal, .json pre, .resource summary, .resource pre, .resource p a, .plan-entries, .plan-text > a, .plan-file, .chip";
/** Elements with the panel's own text, which is not searched, and drawings of formulas, whose source is searched. */
const ownTextSelector =
  "button:not(.tool-head):not(.fold), .code-bar, math, .tag, .sr-only, .codicon, .chip > .quiet, .plan-file > .quiet, summary > .quiet";
const blockSelector =
  "p, li, h4, h5, h6, pre, td, th, div, summary, blockquote, a.link:not(.output-link):not(parley-markdown a), .diff-text, .tool-title, .sentence, .folder";

/** The painted text of one part or frame, and the position of each text node in it. */
interface PaintedText {
  readonly text: string;
  readonly nodes: readonly { readonly node: Text; readonly start: number }[];
  /** The offsets found so far, by passage. */
  readonly places: Map<string, number[]>;
}

/** The painted texts of one entry, read once for many hits. */
export class PaintedEntry {
  readonly #element: HTMLElement;
  readonly #entry: ViewEntry;
  readonly #texts = new Map<number | undefined, PaintedText>();

  constructor(element: HTMLElement, entry: ViewEntry) {
    this.#element = element;
    this.#entry = entry;
  }

  /** The range of the hit; undefined if it is folded or cut off. */
  range(hit: FindHit): Range | undefined {
    let painted = this.#texts.get(hit.part);
    if (!painted) this.#texts.set(hit.part, (painted = readText(this.#roots(hit.part))));
    const wanted = normalizeBlanks(hit.text);
    const places = painted.places.get(wanted) ?? [];
    painted.places.set(wanted, places);
    while (places.length <= hit.nth) {
      const at = painted.text.indexOf(wanted, (places.at(-1) ?? -1) + 1);
      if (at < 0) return undefined;
      places.push(at);
    }
    const at = places[hit.nth] ?? 0;
    return rangeOf(painted, at, at + wanted.length);
  }

  /** The element that contains the hit: its part if that is painted, otherwise the entry. */
  holder(hit: FindHit): HTMLElement {
    return this.#part(hit.part)?.querySelector<HTMLElement>("*") ?? this.#element;
  }

  #part(part: number | undefined): HTMLElement | null {
    if (part === undefined) return null;
    const parts = this.#element.querySelectorAll<HTMLElement>(`[data-part="${part}"]`);
    return [...parts].find(each => this.#isOwn(each)) ?? null;
  }

  /** Whether the node is not in the nested card of another call. */
  #isOwn(node: Element): boolean {
    return node.closest(".entry") === this.#element;
  }

  #roots(part: number | undefined): readonly Element[] {
    if (part !== undefined) {
      const holder = this.#part(part);
      const roots = holder ? outermost([...holder.querySelectorAll(partSelector)]) : [];
      return roots.length > 0 || !holder ? roots : [holder];
    }
    const places = this.#entry.kind === "tool" ? namedLocations(this.#entry).map(({ path }) => path) : [];
    return [...this.#element.querySelectorAll<HTMLElement>(frameSelector)].filter(root => {
      if (!this.#isOwn(root)) return false;
      // A file that the card names already is not counted twice.
      const isPlace = root.parentElement?.className === "locations";
      return !isPlace || places.includes(root.dataset["path"] ?? "");
    });
  }
}

const normalizeBlanks = (text: string): string => text.replace(/\s/g, " ");

const outermost = (roots: readonly Element[]): Element[] =>
  roots.filter(root => !roots.some(other => other !== root && other.contains(root)));

function readText(roots: readonly Element[]): PaintedText {
  const nodes: { node: Text; start: number }[] = [];
  let text = "";
  let block: Element | null | undefined;
  for (const root of roots) {
    if (root instanceof MarkdownElement) root.complete();
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, node =>
      node instanceof Element && node !== root && node.matches(ownTextSelector)
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
    );
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        if (node.localName === "br") text += " ";
        continue;
      }
      const own = node.parentElement?.closest(blockSelector);
      if (own !== block && text !== "") text += " ";
      block = own;
      nodes.push({ node: node as Text, start: text.length });
      text += normalizeBlanks((node as Text).data);
    }
    block = undefined;
  }
  return { text, nodes, places: new Map() };
}

function rangeOf({ nodes }: PaintedText, from: number, to: number): Range | undefined {
  const first = nodes.findLast(({ start }) => start <= from);
  const last = nodes.findLast(({ start }) => start < to);
  if (!first || !last) return undefined;
  const range = document.createRange();
  range.setStart(first.node, Math.min(from - first.start, first.node.length));
  range.setEnd(last.node, Math.min(to - last.start, last.node.length));
  return range;
}
