// A message as a tree that the page of the inspector shows, cut to what a page can hold.
import type { InspectorNode } from "../panel/inspectorPage.ts";

const maxNodes = 2000;
/** Of one object or list. */
const maxChildren = 200;
/** Of one string (characters). */
const maxTextLength = 5000;
const maxKeyLength = 200;
/** Of all strings (characters). */
const maxCharacters = 200_000;

interface Budget {
  nodes: number;
  characters: number;
}

/** The tree of a value, which must be masked already. What does not fit is counted in `cut`. */
export function jsonTree(value: unknown): InspectorNode {
  return nodeOf("", value, { nodes: maxNodes, characters: maxCharacters });
}

function nodeOf(key: string, value: unknown, budget: Budget): InspectorNode {
  budget.nodes--;
  if (typeof value === "string") {
    const length = Math.min(value.length, maxTextLength, budget.characters);
    budget.characters -= length;
    const text = value.slice(0, length);
    return { key, kind: "string", text, ...(length < value.length && { cut: value.length - length }) };
  }
  if (typeof value !== "object" || value === null) return { key, kind: "literal", text: String(value) };
  const isArray = Array.isArray(value);
  const names: readonly string[] = isArray ? [] : Object.keys(value);
  const size = isArray ? value.length : names.length;
  const children: InspectorNode[] = [];
  while (children.length < Math.min(size, maxChildren) && budget.nodes > 0) {
    const name = isArray ? String(children.length) : (names[children.length] ?? "");
    const shown = name.length > maxKeyLength ? `${name.slice(0, maxKeyLength)}…` : name;
    children.push(nodeOf(shown, (value as Readonly<Record<string, unknown>>)[name], budget));
  }
  const cut = size - children.length;
  return { key, kind: isArray ? "array" : "object", size, children, ...(cut > 0 && { cut }) };
}
