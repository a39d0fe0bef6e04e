// The names of prompts as slash commands: `/server:prompt`, unambiguous and without spaces.
import { visibleText } from "../base/visibleText.ts";
import type { ViewPrompt } from "../panel/protocol.ts";
import type { McpPrompt } from "./promptServer.ts";

/** A prompt with the server that offers it, and the name by which the user chooses it. */
export interface NamedPrompt {
  readonly server: string;
  readonly prompt: McpPrompt;
  readonly command: string;
}

const word = (text: string): string => visibleText(text).trim().replace(/\s+/g, "-") || "-";

/** Names the prompts of all servers. A name that is taken gets a number. */
export function namePrompts(
  lists: readonly { readonly server: string; readonly prompts: readonly McpPrompt[] }[],
): readonly NamedPrompt[] {
  const taken = new Set<string>();
  return lists.flatMap(({ server, prompts }) =>
    prompts.map(prompt => {
      const base = `${word(server).replaceAll(":", "-")}:${word(prompt.name)}`;
      let command = base;
      for (let n = 2; taken.has(command); n++) command = `${base}-${n}`;
      taken.add(command);
      return { server, prompt, command };
    }),
  );
}

/** The row of the prompt in the `/` list. Optional arguments are in brackets. */
export function promptView({ prompt, command }: NamedPrompt): ViewPrompt {
  const hint = prompt.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ");
  const description = [prompt.title, prompt.description].filter(Boolean).join(": ");
  return {
    name: command,
    description: visibleText(description.replace(/\s+/g, " ")).slice(0, 300),
    ...(hint !== "" && { hint: visibleText(hint).slice(0, 100) }),
  };
}
