// Some agents send the arguments of a tool call as text of the call: as JSON that grows while the model writes it, and
// once more as a whole. That text is the input of the call, not its output. Its form decides, never the name of an agent.
import { jsonEqual } from "../base/jsonEqual.ts";
import { readJsonPrefix } from "../base/jsonPrefix.ts";
import type { ToolContent, ToolFields } from "./events.ts";
import { isFinal, type ToolEntry } from "./state.ts";

type Fields = Partial<ToolFields>;

/** Items. Further content of a call is not compared with its input. */
const maxItems = 10;
/** Characters. Text that has grown beyond this without being arguments is output. */
const maxFirstLength = 2000;

const lengths = new WeakMap<object, number>();

/** Whether a text is the raw input of its call as JSON, whole or cut at its end. */
export function repeatsInput(text: string, rawInput: unknown): boolean {
  if (typeof rawInput === "string") return beginsObject(text) && rawInput.trimStart().startsWith(text.trim());
  if (!hasInput(rawInput) || typeof rawInput !== "object" || rawInput === null) return false;
  if (!lengths.has(rawInput)) lengths.set(rawInput, JSON.stringify(rawInput).length);
  // With white space and escapes, the same JSON can be longer, but not by much.
  if (text.length > 3 * (lengths.get(rawInput) ?? 0) + 1000 || !/^\s*[{[]/.test(text)) return false;
  try {
    return jsonEqual(JSON.parse(text), rawInput);
  } catch {
    const members = readJsonPrefix(text);
    if (!members || Array.isArray(rawInput)) return false;
    const known = Object.entries(members);
    return (
      known.length > 0 &&
      known.every(([name, value]) => jsonEqual(value, (rawInput as Readonly<Record<string, unknown>>)[name]))
    );
  }
}

/**
 * The text of the call's content that is its input, or the last one that was. `old`: the call before the change. Without
 * raw input, only text that the call began with, or that came before the call ran, can be the first of its arguments. Later
 * arguments replace them. Of several texts that could be arguments, none is: a rule must not decide about the wrong one.
 */
export function inputText(fields: Fields, old: ToolEntry | undefined): string | undefined {
  const before = old?.input;
  if (old && old.fields.content === fields.content && old.fields.rawInput === fields.rawInput) return before;
  const texts = (fields.content ?? []).slice(0, maxItems).flatMap(textOf);
  const repeated = texts.find(text => repeatsInput(text, fields.rawInput));
  if (repeated !== undefined) return repeated;
  if (hasInput(fields.rawInput) || isFinal(fields.status)) return before;
  const [found, ...others] = texts.filter(beginsObject);
  if (others.length > 0) return undefined;
  if (before !== undefined) return found ?? before;
  const isPending = fields.status === undefined || fields.status === "pending";
  // Output can begin with an empty text, too.
  if (found === undefined) return isPending && texts.includes("") ? "" : undefined;
  return (!old || isPending) && found.length <= maxFirstLength ? found : undefined;
}

/** The fields with the arguments that arrived as text as raw input, if the agent sent no other. */
export function withInput({ fields, input }: ToolEntry): Fields {
  if (input === undefined || input.trim() === "" || hasInput(fields.rawInput)) return fields;
  try {
    return { ...fields, rawInput: JSON.parse(input) as unknown };
  } catch {
    return { ...fields, rawInput: input }; // It is not whole.
  }
}

/** Whether an item of the content is the input of the call. */
export const isInputItem = (item: ToolContent, { input }: ToolEntry): boolean =>
  input !== undefined && textOf(item).includes(input);

/** Whether raw input has anything in it. */
export const hasInput = (rawInput: unknown): boolean =>
  typeof rawInput === "object" && rawInput !== null
    ? Object.keys(rawInput).length > 0
    : rawInput !== undefined && rawInput !== null && rawInput !== "";

const textOf = (item: ToolContent): readonly string[] =>
  item.type === "content" && item.content.type === "text" ? [item.content.text] : [];

const beginsObject = (text: string): boolean => readJsonPrefix(text) !== undefined;
