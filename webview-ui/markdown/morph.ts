// Makes a painted node equal to a new one and changes only the differences, so that a text selection or the focus in
// the painted node survives streaming.
import { showsFormula } from "./formula.ts";

/** Updates `old` to match `fresh` if they are similar, or replaces it. Returns the node that is on the page. */
export function morph(old: HTMLElement, fresh: HTMLElement): HTMLElement {
  if (showsFormula(old, fresh)) return old;
  if (!canMorph(old, fresh)) {
    old.replaceWith(fresh);
    return fresh;
  }
  morphChildren(old, fresh);
  return old;
}

function morphChildren(old: Element, fresh: Element): void {
  const wanted = [...fresh.childNodes];
  for (const [i, next] of wanted.entries()) {
    const present = old.childNodes[i];
    if (present === undefined) old.append(next);
    else if (present instanceof Text && next instanceof Text) morphText(present, next.data);
    else if (present instanceof Element && next instanceof Element && showsFormula(present, next)) continue;
    else if (present instanceof Element && next instanceof Element && canMorph(present, next))
      morphChildren(present, next);
    else present.replaceWith(next);
  }
  while (old.childNodes.length > wanted.length) old.lastChild?.remove();
}

function morphText(present: Text, data: string): void {
  if (present.data === data) return;
  if (data.startsWith(present.data)) present.appendData(data.slice(present.data.length));
  else present.data = data;
}

/** Attributes that a card sets on its links while the focus moves. */
const focusAttributes = new Set(["tabindex", "data-current"]);
const ownAttributes = (element: Element): readonly Attr[] =>
  [...element.attributes].filter(({ name }) => !focusAttributes.has(name));

/** Same element and attributes. Never true for code blocks, which have listeners and are highlighted later. */
function canMorph(a: Element, b: Element): boolean {
  const attributes = ownAttributes(a);
  if (a.localName !== b.localName || attributes.length !== ownAttributes(b).length) return false;
  if (a.matches(".code") || a.querySelector(".code")) return false;
  return attributes.every(attribute => b.getAttribute(attribute.name) === attribute.value);
}
