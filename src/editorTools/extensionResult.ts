// What a tool of another extension returns, as text for agents. Pure.
import { decodeUtf8 } from "../base/text.ts";
import type { ExtensionResultPart } from "./editorExtensionTools.ts";
import { maxResultLength, wholeCharacters } from "./resultPages.ts";
import type { ToolAnswer } from "./tool.ts";

/** Further parts are left out. */
const maxParts = 1000;
/** The elements of a prompt that are read, and how deep they are nested. */
const maxElements = 20_000;
const maxDepth = 100;

/** The result of a tool as agents get it. A long one is cut: to call the tool again would do its work again. */
export function extensionAnswer(parts: readonly ExtensionResultPart[]): ToolAnswer {
  const texts = parts.slice(0, maxParts).map(partText);
  if (parts.length > maxParts) texts.push(`[${parts.length - maxParts} more parts are left out.]`);
  const all = texts.join("\n");
  const output = wholeCharacters(all, maxResultLength);
  if (output.length === all.length)
    return { structured: { output }, text: output === "" ? "The tool returned nothing." : output };
  return {
    structured: { output, totalLength: all.length },
    text: `${output}\n[Cut after ${maxResultLength} of ${all.length} characters. Ask the tool for less to see the rest.]`,
  };
}

function partText(part: ExtensionResultPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "prompt":
      return promptText(part.value);
    case "data": {
      const isText = /^text\/|[/+]json$/.test(part.mimeType);
      const decoded = isText ? decodeUtf8(part.data) : undefined;
      return decoded ?? `[Data of the type ${part.mimeType.slice(0, 100)}, ${part.data.length} bytes, is left out.]`;
    }
    case "unknown":
      return "[A part of an unknown type is left out.]";
    default:
      return part satisfies never;
  }
}

/** The texts of an element in their order. Only texts have a field `text`. */
function promptText(value: unknown): string {
  let left = maxElements;
  let isCut = false;
  const texts: string[] = [];
  const read = (one: unknown, depth: number): void => {
    if (typeof one !== "object" || one === null) return;
    if (depth > maxDepth || left === 0) {
      isCut = true;
      return;
    }
    left--;
    const { node, children, text, lineBreakBefore } = one as Readonly<Record<string, unknown>>;
    if (typeof text === "string") texts.push(lineBreakBefore === true && texts.length > 0 ? `\n${text}` : text);
    read(node, depth + 1);
    if (Array.isArray(children)) for (const child of children) read(child, depth + 1);
  };
  read(value, 0);
  if (isCut) texts.push("\n[More of it is left out.]");
  return texts.length > 0 ? texts.join("") : "[A prompt element without text is left out.]";
}
