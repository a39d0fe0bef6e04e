// The commands that the composer offers after a leading `/`. A feature adds commands by adding a source to the list.
import type { ViewHead } from "../../src/panel/protocol.ts";
import type { AgentCommand } from "../../src/session/events.ts";

/** Lists the commands that a view offers. */
type SlashCommandSource = (head: ViewHead) => readonly AgentCommand[];

const slashCommandSources: readonly SlashCommandSource[] = [head => head.commands];

/** The commands of all sources, in the order of the sources. */
export const slashCommands = (head: ViewHead): readonly AgentCommand[] =>
  slashCommandSources.flatMap(source => source(head));
