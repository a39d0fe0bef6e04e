// The variables of a prompt file, as in VS Code: `${input:…}` asks the user, the others come from the editor. Pure.
import { t } from "../base/l10n.ts";

/** A text that the user enters. */
export interface PromptInput {
  readonly name: string;
  /** What to enter, in the words of the file. */
  readonly placeholder?: string;
}

/** What the editor has for a variable, or why it has nothing, as a sentence. */
export type VariableValue = { readonly text: string } | { readonly reason: string };

/** What the variables stand for at one moment. */
export interface EditorValues {
  /** The path of the active file. */
  readonly file: VariableValue;
  readonly selection: VariableValue;
  readonly workspaceFolder: VariableValue;
}

/** `${name}` or `${input:name:placeholder}`. The lengths are limited, so that no text takes long to search. */
const variable = /\$\{(?:input:([^}:\n]{1,100})(?::([^}\n]{0,300}))?|(\w{1,40}))\}/g;

/** The most characters that the values of all variables have. The preview shows texts of this size as a whole. */
const maxValues = 256 * 1024;

/** What a variable takes of a value of the editor. */
const editorVariables = new Map<string, readonly [keyof EditorValues, (text: string) => string]>([
  ["file", ["file", text => text]],
  ["fileBasename", ["file", basename]],
  ["fileBasenameNoExtension", ["file", text => basename(text).replace(/(?<=.)\.[^.]*$/, "")]],
  ["fileDirname", ["file", text => text.slice(0, Math.max(0, text.length - basename(text).length - 1))]],
  ["selection", ["selection", text => text]],
  ["selectedText", ["selection", text => text]],
  ["workspaceFolder", ["workspaceFolder", text => text]],
  ["workspaceFolderBasename", ["workspaceFolder", basename]],
]);

/** The last part of a path of any system. */
function basename(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** What the user enters for the text, each once, in the order of the text. */
export function promptInputs(body: string): readonly PromptInput[] {
  const found = new Map<string, PromptInput>();
  for (const [, input, placeholder = ""] of body.matchAll(variable)) {
    const name = input?.trim() ?? "";
    if (name === "" || found.get(name)?.placeholder !== undefined) continue;
    found.set(name, { name, ...(placeholder.trim() !== "" && { placeholder: placeholder.trim() }) });
  }
  return [...found.values()];
}

/**
 * The text with the values in place of the variables. A variable without a value stays as it is, and `notes` say why.
 * Values are inserted as they are: variables in them are not replaced. Throws a sentence if the values are too long.
 */
export function replaceVariables(
  body: string,
  inputs: Readonly<Record<string, string>>,
  values: EditorValues,
): { readonly text: string; readonly notes: readonly string[] } {
  const notes = new Set<string>();
  let length = 0;
  const counted = (value: string): string => {
    length += value.length;
    if (length <= maxValues) return value;
    throw new Error(t("The values of the prompt have more than {0} characters.", maxValues));
  };
  const text = body.replace(variable, (whole: string, input?: string, _placeholder?: string, name?: string) => {
    if (input !== undefined)
      return counted(Object.hasOwn(inputs, input.trim()) ? (inputs[input.trim()] ?? whole) : whole);
    const [key, part] = editorVariables.get(name ?? "") ?? [];
    if (key === undefined || part === undefined) return whole;
    const value = values[key];
    if ("text" in value) return counted(part(value.text));
    notes.add(t("{0} stays as it is. {1}", whole, value.reason));
    return whole;
  });
  return { text, notes: [...notes] };
}
