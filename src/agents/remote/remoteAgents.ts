// Connects to agents on servers, with the client in `dist/remote.js`.
import { unwrappedValues } from "../../base/secrets/secret.ts";
import type { AgentDefinition } from "../registry.ts";
import type { AgentTransport, TransportEnd } from "../agentTransport.ts";
import type { RemoteServer } from "./readRemoteServer.ts";
import type { RemoteClientModule, RemoteCookies, RemoteFailure } from "./remoteClient.ts";
import { remoteProblem } from "./remoteProblem.ts";

/** Loads `dist/remote.js`. */
export type LoadRemoteClient = () => RemoteClientModule;

/**
 * Connects to servers. Keeps their cookies as long as the window lives, for each agent and its headers: those of one account
 * must not go with the headers of another.
 */
export class RemoteAgents {
  readonly #load: LoadRemoteClient;
  readonly #cookies = new Map<string, RemoteCookies>();

  constructor(load: LoadRemoteClient) {
    this.#load = load;
  }

  /** Begins to connect to the server. */
  connect({ id, name, startTimeout }: AgentDefinition, { url, headers }: RemoteServer): AgentTransport {
    const client = this.#load();
    const sent = unwrappedValues(headers);
    const key = JSON.stringify([id, url, Object.entries(sent).sort()]);
    const cookies = this.#cookies.get(key) ?? client.newCookies();
    this.#cookies.set(key, cookies);
    const connectTimeout = startTimeout * 1000;
    const streams = client.connectToAgent({ url, headers: sent, connectTimeout, cookies });
    const end = (failure: RemoteFailure | undefined): TransportEnd => ({
      wasStopped: failure === undefined,
      facts: { ...(failure ?? { asked: true }) },
      problem: ready => remoteProblem({ name, url }, failure ?? { kind: "closed", text: "" }, ready),
    });
    return {
      input: streams.input,
      output: streams.output,
      whenEnded: streams.whenEnded.then(failure => {
        // A cookie can be why the server refuses.
        if (failure?.kind === "refused" && [401, 403].includes(failure.status)) cookies.clear();
        return end(failure);
      }),
      stderrTail: () => "",
      stop: () => streams.end(),
    };
  }
}
