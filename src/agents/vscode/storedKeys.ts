// The keys that the user entered for agents: values in VS Code's secret storage, their names in the global state.
import type * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { choosesProgram } from "../../base/programVariables.ts";

const namesKey = "parley.storedKeys";
const secretKey = (agent: string, variable: string): string => `parley.key.${agent}.${variable}`;

type Names = Readonly<Record<string, readonly string[]>>;

/** Environment variables of agents, which their processes get at the next start. */
export class StoredKeys {
  readonly #secrets: vscode.SecretStorage;
  readonly #state: vscode.Memento;
  readonly #writes = new Sequencer();

  constructor({ secrets, globalState }: Pick<vscode.ExtensionContext, "secrets" | "globalState">) {
    this.#secrets = secrets;
    this.#state = globalState;
  }

  /** The variables of each agent, by its id. */
  get names(): Names {
    return this.#state.get<Names>(namesKey, {});
  }

  store(agent: string, values: ReadonlyMap<string, string>): Promise<void> {
    return this.#writes.queue(async () => {
      for (const [name, value] of values) await this.#secrets.store(secretKey(agent, name), value);
      const known = new Set([...(this.names[agent] ?? []), ...values.keys()]);
      await this.#state.update(namesKey, { ...this.names, [agent]: [...known] });
    });
  }

  remove(agent: string): Promise<void> {
    return this.#writes.queue(async () => {
      for (const name of this.names[agent] ?? []) await this.#secrets.delete(secretKey(agent, name));
      const { [agent]: _, ...others } = this.names;
      await this.#state.update(namesKey, others);
    });
  }

  /** The stored keys of an agent, by variable. Earlier versions also stored variables that choose programs. */
  async values(agent: string): Promise<Readonly<Record<string, string>>> {
    const names = (this.names[agent] ?? []).filter(name => !choosesProgram(name));
    const values = await Promise.all(names.map(name => this.#secrets.get(secretKey(agent, name))));
    return Object.fromEntries(
      names.flatMap((name, i) => (values[i] === undefined ? [] : [[name, values[i]] as const])),
    );
  }
}
