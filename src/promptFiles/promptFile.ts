// A prompt file in the format of VS Code: front matter in YAML, and Markdown with variables. Pure, and never throws.
import { t } from "../base/l10n.ts";
import { readFrontMatter } from "./frontMatter.ts";
import { promptInputs, type PromptInput } from "./promptVariables.ts";

export interface PromptFile {
  /** As the file names the prompt. It may have blanks. */
  readonly name: string;
  readonly description?: string;
  /** What the user may type after the name. */
  readonly argumentHint?: string;
  readonly inputs: readonly PromptInput[];
  /** The text for the agent, with its variables. */
  readonly body: string;
  /** The keys that have an effect in VS Code, but not in Parley. */
  readonly ignored: readonly string[];
}

/** The end of the name of every prompt file. */
const promptFileEnding = ".prompt.md";

/** A form with more fields cannot be used. */
const maxInputs = 30;
/** The user chooses these in the chat. */
const ignoredKeys = ["mode", "agent", "model", "tools"];

/** Whether a file with this name is a prompt file. */
export const isPromptFileName = (name: string): boolean =>
  name.length > promptFileEnding.length && name.toLowerCase().endsWith(promptFileEnding);

/** The name of the prompt in a file that does not name it itself. */
export const promptNameOf = (fileName: string): string => fileName.slice(0, -promptFileEnding.length);

/** Reads the text of a file. `problem`: why it cannot be used, as a sentence. */
export function readPromptFile(
  text: string,
  fileName: string,
): { readonly file: PromptFile } | { readonly problem: string } {
  const read = readFrontMatter(text);
  if ("problem" in read) return read;
  const { fields } = read;
  const body = read.body.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
  if (body.trim() === "") return { problem: t("The file has no text for the agent.") };
  const inputs = promptInputs(body);
  if (inputs.length > maxInputs) return { problem: t("The text asks for more than {0} values.", maxInputs) };
  const textOf = (key: string): string | undefined => {
    const value = fields.get(key)?.trim();
    return value === "" ? undefined : value;
  };
  const [description, argumentHint] = [textOf("description"), textOf("argument-hint")];
  const file = {
    name: textOf("name") ?? promptNameOf(fileName),
    ...(description !== undefined && { description }),
    ...(argumentHint !== undefined && { argumentHint }),
    inputs,
    body,
    ignored: ignoredKeys.filter(key => fields.has(key)),
  };
  return { file };
}
