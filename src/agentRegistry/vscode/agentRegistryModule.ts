// What `dist/agentRegistry.js` exports, and what the extension gives it. The bundle is loaded on first use, so this file has
// types only.
import type { Translator } from "../../base/l10n.ts";
import type { Clock, Log } from "../../base/log.ts";
import type { UserEntry } from "../installPlan.ts";

/** How the registry uses agents. */
export interface RegistryHost {
  /**
   * Starts the agent that this entry of `parley.agents` would define, until it answers `initialize`, and ends it. Rejects
   * with a sentence if it does not. `report` gets what it prints.
   */
  check(id: string, entry: UserEntry, run: HostCheckRun): Promise<void>;
  /** Ends the agent if it runs. */
  stop(id: string): Promise<void>;
  /** Starts a session with the agent and shows it. */
  startSession(id: string): Promise<void>;
  /** Whether the program is on the PATH with which agents start. */
  hasProgram(name: string): Promise<boolean>;
}

export interface HostCheckRun {
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

export interface AddAgentOptions {
  readonly host: RegistryHost;
  /** The names of the stored variables that an agent gets. */
  readonly storedNames: (id: string) => readonly string[];
  /** Of the installed agents, their records, and the cached index. */
  readonly folder: string;
  /** The script of the thread that unpacks. */
  readonly unpackScript: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The command for one window. */
export interface AddAgent {
  /**
   * Offers the agents of the registry at this address, and does with the chosen one what the user decides. Without an index,
   * it offers the included agents. Rejects with a sentence.
   */
  run(address: string): Promise<void>;
}

/** What the bundle exports. */
export interface AgentRegistryModule {
  /** Sets what translates the texts of the bundle. */
  translateRegistryWith(translator: Translator): void;
  createAddAgent(options: AddAgentOptions): AddAgent;
}
