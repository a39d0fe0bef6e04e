// The prompts in the list after `/`: prompt files, and the prompts of MCP servers.
import type { ViewPrompt } from "../panel/protocol.ts";
import type { FoundPrompt } from "../promptFiles/foundPrompt.ts";
import { namePromptFiles, promptFileView, type NamedPromptFile } from "../promptFiles/promptFileNames.ts";
import type { PromptFiles } from "../promptFiles/promptFiles.ts";
import type { AgentCommand } from "../session/events.ts";
import type { Session } from "../session/session.ts";
import type { PromptServers } from "./promptServers.ts";

interface Merged {
  readonly commands: readonly AgentCommand[];
  readonly ofServers: readonly ViewPrompt[];
  readonly files: readonly FoundPrompt[];
  readonly named: readonly NamedPromptFile[];
  readonly view: readonly ViewPrompt[];
}

const noCommands: readonly AgentCommand[] = [];

/** The lists of all sessions. */
export class SlashPrompts {
  readonly #servers: Pick<PromptServers, "view">;
  readonly #files: Pick<PromptFiles, "list" | "refresh">;
  readonly #merged = new WeakMap<Session, Merged>();
  /** Without a session. */
  #first: Merged | undefined;

  constructor(servers: Pick<PromptServers, "view">, files: Pick<PromptFiles, "list" | "refresh">) {
    this.#servers = servers;
    this.#files = files;
  }

  /** The rows for a session. The same list until something changes. */
  view(session: Session | undefined): readonly ViewPrompt[] {
    return this.#merge(session).view;
  }

  /** The prompt file that the user has chosen, as it is now. */
  async findFile(session: Session, command: string): Promise<NamedPromptFile | undefined> {
    if (!this.#find(session, command)) return undefined;
    await this.#files.refresh();
    return this.#find(session, command);
  }

  /** The agent may have got a command of the same name after the user has seen the list. */
  #find(session: Session, command: string): NamedPromptFile | undefined {
    const { named, ofServers } = this.#merge(session);
    const listed = named.find(one => one.command === command);
    if (listed || ofServers.some(({ name }) => name === command)) return listed;
    return named.find(one => one.otherNames.includes(command));
  }

  #merge(session: Session | undefined): Merged {
    const known = session ? this.#merged.get(session) : this.#first;
    const commands = session?.state.commands ?? noCommands;
    const ofServers = this.#servers.view(session?.id).prompts;
    const files = this.#files.list(session?.state.workspaceFolder);
    if (known?.commands === commands && known.ofServers === ofServers && known.files === files) return known;
    const named = namePromptFiles(files, [...commands, ...ofServers]);
    const merged = { commands, ofServers, files, named, view: [...named.map(promptFileView), ...ofServers] };
    if (session) this.#merged.set(session, merged);
    else this.#first = merged;
    return merged;
  }
}
