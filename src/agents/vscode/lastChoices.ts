// The options that the user chose last for each agent, for the agent's next sessions.
import type * as vscode from "vscode";
import type { OptionValue } from "../../session/state.ts";

const stateKey = "parley.lastChoices";
/** The oldest choices of an agent are forgotten first. */
const maxChoices = 50;

type Choices = Readonly<Record<string, OptionValue>>;

/** Keeps the last choices in the global state. */
export class LastChoices {
  readonly #state: vscode.Memento;

  constructor({ globalState }: Pick<vscode.ExtensionContext, "globalState">) {
    this.#state = globalState;
  }

  /** The last choices for an agent, by the agent's id of the option. */
  of(agent: string): Choices {
    return this.#state.get<Readonly<Record<string, Choices>>>(stateKey, {})[agent] ?? {};
  }

  /** Keeps a choice. Without a value, forgets the choice of this option, so that the agent's own value applies. */
  async set(agent: string, option: string, value: OptionValue | undefined): Promise<void> {
    const all = this.#state.get<Readonly<Record<string, Choices>>>(stateKey, {});
    const others = Object.entries(all[agent] ?? {}).filter(([id]) => id !== option);
    const choices = value === undefined ? others : [...others, [option, value] as const];
    await this.#state.update(stateKey, { ...all, [agent]: Object.fromEntries(choices.slice(-maxChoices)) });
  }
}
