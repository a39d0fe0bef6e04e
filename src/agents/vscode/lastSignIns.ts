// The sign-in state of each agent at its last connection, for the list of agents.
import type * as vscode from "vscode";
import { newestEntries } from "../../base/newestEntries.ts";

const stateKey = "parley.lastSignIns";
/** The agents that were not used for the longest time are forgotten first. */
const limits = { count: 100, entryBytes: 1_000, totalBytes: 20_000 };

/** `needed`: the agent has refused to work without a sign-in. */
export type LastSignIn = "done" | "needed";

/** Keeps the states in the global state. */
export class LastSignIns {
  readonly #state: vscode.Memento;

  constructor({ globalState }: Pick<vscode.ExtensionContext, "globalState">) {
    this.#state = globalState;
  }

  /** The state of an agent. Undefined if it was never connected, or needs no sign-in. */
  of(agent: string): LastSignIn | undefined {
    const all = this.#state.get<Readonly<Record<string, LastSignIn>>>(stateKey, {});
    return Object.hasOwn(all, agent) ? all[agent] : undefined;
  }

  /** Keeps the state of an agent. */
  async set(agent: string, signIn: LastSignIn): Promise<void> {
    const all = this.#state.get<Readonly<Record<string, LastSignIn>>>(stateKey, {});
    const entries = [...Object.entries(all).filter(([id]) => id !== agent), [agent, signIn] as const];
    await this.#state.update(stateKey, Object.fromEntries(newestEntries(entries, limits)));
  }
}
