// To which agents the user gives the sign-in to an MCP server. It holds for the agent as it is started now, and for the
// address of the server.
import { createHash } from "node:crypto";
import type { AgentDefinition } from "../../agents/registry.ts";
import { Sequencer } from "../../base/async.ts";
import { Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { ExtensionStates, Memento } from "../../base/memento.ts";
import { newestEntries } from "../../base/newestEntries.ts";
import { serverAddressKey } from "./signInStore.ts";

const consentsKey = "parley.mcp.tokenConsents";
const limits = { count: 500, entryBytes: 1_000, totalBytes: 200_000 };

/** By the keys of the agent and of the address. */
interface TokenConsent {
  readonly agent: string;
  readonly server: string;
}

export type ConsentingAgent = Pick<AgentDefinition, "id" | "command" | "args" | "argsInSettings" | "remote">;

/** An agent with another command, or on another server, is another agent. */
const agentKey = ({ id, command, args, argsInSettings = args, remote }: ConsentingAgent): string =>
  createHash("sha256")
    .update(JSON.stringify([id, command, argsInSettings, remote?.url]))
    .digest("hex");

/** Remembers the consents in the global state. */
export class TokenConsents implements Disposable {
  readonly #state: Memento;
  readonly #writes = new Sequencer();
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor({ globalState }: Pick<ExtensionStates, "globalState">) {
    this.#state = globalState;
  }

  #all(): readonly TokenConsent[] {
    return this.#state.get<readonly TokenConsent[]>(consentsKey, []);
  }

  has(agent: ConsentingAgent, url: string): boolean {
    const [agentOf, server] = [agentKey(agent), serverAddressKey(url)];
    return this.#all().some(consent => consent.agent === agentOf && consent.server === server);
  }

  set(agent: ConsentingAgent, url: string, allows: boolean): Promise<void> {
    const consent: TokenConsent = { agent: agentKey(agent), server: serverAddressKey(url) };
    return this.#write(all => [
      ...all.filter(each => each.agent !== consent.agent || each.server !== consent.server),
      ...(allows ? [consent] : []),
    ]);
  }

  /** Forgets all consents for the key of an address, because the user signs out. */
  forget(server: string): Promise<void> {
    return this.#write(all => all.filter(each => each.server !== server));
  }

  #write(change: (all: readonly TokenConsent[]) => readonly TokenConsent[]): Promise<void> {
    return this.#writes.queue(async () => {
      await this.#state.update(consentsKey, newestEntries(change(this.#all()), limits));
      this.#changed.fire();
    });
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
