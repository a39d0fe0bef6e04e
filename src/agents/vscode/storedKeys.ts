// The keys that the user entered for agents: values in VS Code's secret storage, their names in the global state.
import { Sequencer } from "../../base/async.ts";
import type { Memento, SecretStore } from "../../base/memento.ts";
import { choosesProgram } from "../../base/programVariables.ts";
import type { WatchedSecrets } from "../../base/secrets/watchedSecrets.ts";
import { Secret, unwrapped, type PlainOrSecret, type PlainOrSecretValues } from "../../base/secrets/secret.ts";

const namesKey = "parley.storedKeys";
/** The names of those whose values are no secrets, such as a region. */
const plainNamesKey = "parley.storedKeys.plain";
const secretKey = (agent: string, variable: string): string => `parley.key.${agent}.${variable}`;

type Names = Readonly<Record<string, readonly string[]>>;

/** Environment variables of agents, which their processes get at the next start. */
export class StoredKeys {
  readonly #secrets: SecretStore & Partial<Pick<WatchedSecrets, "note">>;
  readonly #state: Memento;
  readonly #writes = new Sequencer();

  constructor({
    secrets,
    globalState,
  }: {
    readonly secrets: SecretStore & Partial<Pick<WatchedSecrets, "note">>;
    readonly globalState: Memento;
  }) {
    this.#secrets = secrets;
    this.#state = globalState;
  }

  /** What the user should know before entering a key. Undefined: nothing. */
  get note(): string | undefined {
    return this.#secrets.note;
  }

  /** The variables of each agent, by its id. */
  get names(): Names {
    return this.#state.get<Names>(namesKey, {});
  }

  store(agent: string, values: ReadonlyMap<string, PlainOrSecret>): Promise<void> {
    return this.#writes.queue(async () => {
      for (const [name, value] of values) await this.#secrets.store(secretKey(agent, name), unwrapped(value));
      await this.#setNames(namesKey, agent, [...new Set([...(this.names[agent] ?? []), ...values.keys()])]);
      const plain = [...values].flatMap(([name, value]) => (typeof value === "string" ? [name] : []));
      const before = this.#plainNames(agent).filter(name => !values.has(name));
      await this.#setNames(plainNamesKey, agent, [...before, ...plain]);
    });
  }

  remove(agent: string): Promise<void> {
    return this.#writes.queue(async () => {
      for (const name of this.names[agent] ?? []) await this.#secrets.delete(secretKey(agent, name));
      await this.#setNames(namesKey, agent, []);
      await this.#setNames(plainNamesKey, agent, []);
    });
  }

  /** The stored keys of an agent, by variable. Earlier versions also stored variables that choose programs. */
  async values(agent: string): Promise<PlainOrSecretValues> {
    const plain = new Set(this.#plainNames(agent));
    const values: Record<string, PlainOrSecret> = {};
    for (const name of this.names[agent] ?? []) {
      if (choosesProgram(name)) continue;
      const value = await this.#secrets.get(secretKey(agent, name));
      if (value !== undefined) values[name] = plain.has(name) ? value : new Secret(value);
    }
    return values;
  }

  #plainNames(agent: string): readonly string[] {
    return this.#state.get<Names>(plainNamesKey, {})[agent] ?? [];
  }

  async #setNames(key: string, agent: string, names: readonly string[]): Promise<void> {
    const { [agent]: before, ...others } = this.#state.get<Names>(key, {});
    if (names.length > 0) await this.#state.update(key, { ...others, [agent]: names });
    else if (before !== undefined) await this.#state.update(key, others);
  }
}
