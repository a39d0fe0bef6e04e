// Reads the prompts that a server lists, and their content. Everything is hostile: texts are limited, and a malformed prompt
// is left out.
import { asArray, asObject, asString, isObject, parseContent } from "../../acp/parse.ts";
import type { ContentBlock } from "../../session/events.ts";
import type { McpArgument, McpPrompt } from "../promptServer.ts";

const maxArguments = 50;
/** In characters: names, which go back to the server whole, and texts, which are only shown. */
const maxNameLength = 500;
export const maxTextLength = 2000;
/** Of the annotations of a content: the protocol has two roles. */
const maxAudience = 2;

/** The text, cut to the limit of texts that are only shown. */
export const cutText = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;

/** The prompt in a list, or none if it is malformed. A name that is too long cannot be cut: its prompt would not be found. */
export function readPrompt(value: unknown): readonly McpPrompt[] {
  const name = nameOf(value);
  const { arguments: list } = asObject(value);
  const isList = list === undefined || list === null || Array.isArray(list);
  const args = asArray(list).map(readArgument);
  const known = args.filter(each => each !== undefined);
  if (name === undefined || !isList || known.length < args.length || args.length > maxArguments) return [];
  return [{ name, ...textsOf(value), arguments: known }];
}

/** A prompt without one of its arguments would be another one, so it is left out with a malformed argument. */
function readArgument(value: unknown): McpArgument | undefined {
  const name = nameOf(value);
  return name === undefined ? undefined : { name, ...textsOf(value), required: asObject(value)["required"] === true };
}

function nameOf(value: unknown): string | undefined {
  const name = asString(asObject(value)["name"]);
  return name === undefined || name === "" || name.length > maxNameLength ? undefined : name;
}

function textsOf(value: unknown): { readonly title?: string; readonly description?: string } {
  const { title, description } = asObject(value);
  return {
    ...(typeof title === "string" && title !== "" && { title: cutText(title) }),
    ...(typeof description === "string" && { description: cutText(description) }),
  };
}

/** The content of a message, with what ACP carries of it: annotations, and the title, size and description of a link. */
export function readContent(value: unknown): ContentBlock {
  const block = parseContent(value) ?? { type: "other", kind: "unknown", raw: null };
  if (block.type === "other") return { ...block, raw: null };
  const { annotations } = block;
  const { audience } = annotations ?? {};
  const limited = {
    ...block,
    ...(audience && { annotations: { ...annotations, audience: [...new Set(audience)].slice(0, maxAudience) } }),
  };
  if (limited.type !== "link") return limited;
  const { title, description } = isObject(value) ? textsOf(value) : {};
  return { ...limited, ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}
