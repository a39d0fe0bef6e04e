// The options that the user chose last for each agent, for the agent's next sessions.
import type * as vscode from "vscode";
import { newestEntries } from "../../base/newestEntries.ts";
import type { OptionValue } from "../../session/state.ts";

const stateKey = "parley.lastChoices";
/** The oldest choices of an agent are forgotten first, and the agents that were not used for the longest time. */
const choiceLimits = { count: 50, entryBytes: 2_000, totalBytes: 20_000 };
const agentLimits = { count: 100, entryBytes: 30_000, totalBytes: 500_000 };

type Choices = Readonly<Record<string, OptionValue>>;

/** Keeps the last choices in the global state. */
export class LastChoices {
  readonly #state: vscode.Memento;

  constructor({ globalState }: Pick<vscode.ExtensionContext, "globalState">) {
    this.#state = globalState;
  }

  /** The last choices for an agent, by the agent's id of the option. */
  of(agent: string): Choices {
    const all = this.#state.get<Readonly<Record<string, Choices>>>(stateKey, {});
    return (Object.hasOwn(all, agent) && all[agent]) || {};
  }

  /** Keeps a choice. Without a value, forgets the choice of this option, so that the agent's own value applies. */
  async set(agent: string, option: string, value: OptionValue | undefined): Promise<void> {
    const all = this.#state.get<Readonly<Record<string, Choices>>>(stateKey, {});
    const others = Object.entries(this.of(agent)).filter(([id]) => id !== option);
    const choices = value === undefined ? others : [...others, [option, value] as const];
    const kept = Object.fromEntries(newestEntries(choices, choiceLimits));
    const agents = [...Object.entries(all).filter(([id]) => id !== agent), [agent, kept] as const];
    await this.#state.update(stateKey, Object.fromEntries(newestEntries(agents, agentLimits)));
  }
}
