// The values of `${input:…}` in definitions of servers: asked once, and kept in VS Code's secret storage. The global state
// has the names of what is stored, because the secret storage lists none.
import { Sequencer } from "../base/async.ts";
import type { ExtensionStates, Memento, SecretStore } from "../base/memento.ts";
import { Secret, secretIfCredential, unwrapped, type PlainOrSecret } from "../base/secrets/secret.ts";
import type { McpServer, ServerInput } from "./servers.ts";
import { inputsOf } from "./serverVariables.ts";
import { serverKey } from "./storedConsent.ts";

const namesKey = "parley.mcp.inputs";

/** Values belong to a definition: a changed definition cannot read the values that were entered for another. */
const secretKey = (server: string, id: string): string => `parley.mcp.input.${server}.${id}`;

/** The stored values of one definition: the name of the server, and the ids of the inputs. */
interface StoredInputs {
  readonly name: string;
  readonly ids: readonly string[];
}
type Names = Readonly<Record<string, StoredInputs>>;
type Values = ReadonlyMap<string, PlainOrSecret>;

interface InputOptions {
  readonly secrets: SecretStore;
  readonly states: Pick<ExtensionStates, "globalState">;
  /** Asks the user for a value. Resolves with undefined if the user enters none. */
  readonly ask: (server: McpServer, input: ServerInput) => Promise<string | undefined>;
}

export class ServerInputs {
  readonly #secrets: SecretStore;
  readonly #state: Memento;
  readonly #ask: InputOptions["ask"];
  /** VS Code shows one input at a time: a second one would cancel the first. */
  readonly #inputs = new Sequencer();
  /** Questions that are open or wait, by the server, so that two sessions don't ask the same. */
  readonly #asking = new Map<string, Promise<Values | undefined>>();

  constructor({ secrets, states, ask }: InputOptions) {
    this.#secrets = secrets;
    this.#state = states.globalState;
    this.#ask = ask;
  }

  /**
   * The values that the server needs. Asks for those that are not stored, if `asks`. Undefined if a value is missing.
   */
  async values(server: McpServer, asks: boolean): Promise<Values | undefined> {
    const key = serverKey(server);
    const stored = await this.stored(server);
    if (stored.size === inputsOf(server).length) return stored;
    if (!asks) return undefined;
    const asking =
      this.#asking.get(key) ?? this.#inputs.queue(() => this.#askAll(server)).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  /** The values that are stored. */
  async stored(server: McpServer): Promise<Values> {
    const values = new Map<string, PlainOrSecret>();
    for (const input of inputsOf(server)) {
      const value = await this.#secrets.get(secretKey(serverKey(server), input.id));
      if (value !== undefined) values.set(input.id, inputValue(input, value));
    }
    return values;
  }

  async #askAll(server: McpServer): Promise<Values | undefined> {
    const values = new Map(await this.stored(server));
    const key = serverKey(server);
    for (const input of inputsOf(server)) {
      if (values.has(input.id)) continue;
      const text = await this.#ask(server, input);
      if (text === undefined) return undefined;
      const value = inputValue(input, text);
      await this.#secrets.store(secretKey(key, input.id), unwrapped(value));
      const { [key]: known = { name: server.name, ids: [] }, ...others } = this.names;
      await this.#state.update(namesKey, { ...others, [key]: { ...known, ids: [...known.ids, input.id] } });
      values.set(input.id, value);
    }
    return values;
  }

  /** What is stored, by the key of the definition. */
  get names(): Names {
    return this.#state.get<Names>(namesKey, {});
  }

  /** Deletes the values of a definition, so that they are asked for again. */
  async forget(key: string): Promise<void> {
    for (const id of this.names[key]?.ids ?? []) await this.#secrets.delete(secretKey(key, id));
    const { [key]: _, ...others } = this.names;
    await this.#state.update(namesKey, others);
  }
}

const inputValue = ({ id, secret }: ServerInput, value: string): PlainOrSecret =>
  secret ? new Secret(value) : secretIfCredential(id, value);
