// The names of prompt files as slash commands, and their rows in the list after `/`. Pure.
import { visibleText } from "../base/visibleText.ts";
import type { ViewPrompt } from "../panel/protocol.ts";
import type { FoundPrompt } from "./foundPrompt.ts";

/** A prompt file with the name by which the user chooses it. */
export interface NamedPromptFile {
  readonly found: FoundPrompt;
  readonly command: string;
  /** The names by which the user could choose it if no other command had them. */
  readonly otherNames: readonly string[];
}

/** Longer names and texts are cut (characters). */
const maxName = 80;
const maxHint = 100;
const maxDescription = 300;

const word = (text: string): string =>
  visibleText(text).trim().replace(/\s+/g, "-").replaceAll(":", "-").slice(0, maxName) || "-";

/**
 * Names the files. One whose name is taken, by a command of the agent or by an earlier file, gets its origin before its
 * name: `/workspace:review`.
 */
export function namePromptFiles(
  files: readonly FoundPrompt[],
  commands: readonly { readonly name: string }[],
): readonly NamedPromptFile[] {
  const taken = new Set(commands.map(({ name }) => name));
  return files.map(found => {
    const short = word("file" in found ? found.file.name : found.name);
    const full = `${word(found.folder.origin)}:${short}`;
    let command = taken.has(short) ? full : short;
    for (let n = 2; taken.has(command); n++) command = `${full}-${n}`;
    taken.add(command);
    return { found, command, otherNames: [short, full] };
  });
}

/** The row in the list: where the prompt comes from, and what it does. */
export function promptFileView({ found, command }: NamedPromptFile): ViewPrompt {
  if (!("file" in found)) {
    const description = `${found.problem} · ${found.label}`;
    return { name: command, description: oneLine(description).slice(0, maxDescription), isFaulty: true };
  }
  const { description, argumentHint, inputs } = found.file;
  const hint = argumentHint ?? inputs.map(({ name }) => `<${name}>`).join(" ");
  return {
    name: command,
    description: oneLine([found.folder.label, description].filter(Boolean).join(" · ")).slice(0, maxDescription),
    ...(hint !== "" && { hint: oneLine(hint).slice(0, maxHint) }),
  };
}

const oneLine = (text: string): string => visibleText(text.replace(/\s+/g, " "));
