// What the composer offers after a leading `/`. A feature adds commands by adding a source to the list.
import type { ViewPrompt } from "../../src/panel/protocol.ts";
import type { AgentCommand } from "../../src/session/events.ts";
import type { ComposerHead } from "./composerHead.ts";

/** A row of the list. A command of the agent is inserted as text; a prompt of a file or of an MCP server is used by the host. */
export type SlashCommand = AgentCommand & Pick<ViewPrompt, "action" | "isFaulty"> & { readonly isPrompt?: true };

/** Lists the commands that a view offers. */
type SlashCommandSource = (head: ComposerHead) => readonly SlashCommand[];

const slashCommandSources: readonly SlashCommandSource[] = [head => head.commands, promptCommands];

/** The commands of all sources, in the order of the sources. */
export const slashCommands = (head: ComposerHead): readonly SlashCommand[] =>
  slashCommandSources.flatMap(source => source(head));

const commandsOfPrompts = new WeakMap<readonly ViewPrompt[], readonly SlashCommand[]>();

/** Made once for each list, because a list can have a thousand prompts. */
function promptCommands({ prompts = [] }: ComposerHead): readonly SlashCommand[] {
  const known = commandsOfPrompts.get(prompts);
  if (known) return known;
  const commands = prompts.map(prompt => ({ ...prompt, isPrompt: true as const }));
  commandsOfPrompts.set(prompts, commands);
  return commands;
}

/** The prompt that a whole draft names, and the text after the name. A command of the agent has precedence. */
export function promptInDraft(
  head: ComposerHead,
  draft: string,
): { readonly prompt: string; readonly text: string } | undefined {
  const [, name, text = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(draft) ?? [];
  const found = slashCommands(head).find(command => command.name === name);
  return found?.isPrompt && !found.action ? { prompt: found.name, text: text.trim() } : undefined;
}
