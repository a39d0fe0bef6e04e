// How each server was found to speak, kept for its next start. A verdict contains an answer of the server.
import { jsonEqual } from "../base/jsonEqual.ts";
import type { ExtensionStates, Memento } from "../base/memento.ts";
import { newestEntries } from "../base/newestEntries.ts";
import type { ServerVerdict } from "./promptServer.ts";
import type { McpServer } from "./servers.ts";
import { serverKey } from "./storedConsent.ts";

const verdictsKey = "parley.mcp.verdicts";
const limits = { count: 200, entryBytes: 16_000, totalBytes: 256_000 };

type Verdicts = Readonly<Record<string, ServerVerdict>>;

/** Keeps the verdicts in the global state. */
export class ServerVerdicts {
  readonly #state: Memento;

  constructor({ globalState }: Pick<ExtensionStates, "globalState">) {
    this.#state = globalState;
  }

  #all(): Verdicts {
    return this.#state.get<Verdicts>(verdictsKey, {});
  }

  of(server: McpServer): ServerVerdict | undefined {
    return this.#all()[serverKey(server)];
  }

  async keep(server: McpServer, verdict: ServerVerdict): Promise<void> {
    const key = serverKey(server);
    const known = this.#all();
    if (jsonEqual(known[key], verdict)) return;
    const entries = [...Object.entries(known).filter(([other]) => other !== key), [key, verdict] as const];
    await this.#state.update(verdictsKey, Object.fromEntries(newestEntries(entries, limits)));
  }
}
