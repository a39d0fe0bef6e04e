// What the user does with sign-ins to MCP servers in the list of servers: signing in and out, and giving an agent the token.
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Log } from "../../base/log.ts";
import { visibleName } from "../../base/inertText.ts";
import type { SignInAction, ViewMcpServer } from "../../panel/protocol.ts";
import type { ConnectionStatus } from "../serverConnection.ts";
import type { ServerLauncher } from "../serverLauncher.ts";
import type { McpServer } from "../servers.ts";
import type { SessionServers } from "../sessionServers.ts";
import { tokenQuestion, type SignInQuestion } from "./signInQuestion.ts";
import type { ServerSignIns } from "./serverSignIns.ts";
import { serverAddressKey } from "./signInStore.ts";
import type { ConsentingAgent, TokenConsents } from "./tokenConsents.ts";

/** Of names in a message (characters). */
const maxShownName = 60;

/** The agent of a session. */
export type NamedAgent = ConsentingAgent & { readonly name: string };

interface SignInActionsOptions {
  readonly signIns: ServerSignIns;
  readonly consents: TokenConsents;
  readonly launcher: Pick<ServerLauncher, "resolve" | "signInLaunch">;
  readonly sessionServers: Pick<SessionServers, "opened">;
  /** The agent of a session. */
  readonly agentOf: (session: string) => NamedAgent | undefined;
  /** Asks whether the agent may have the token. */
  readonly confirmToken: (question: SignInQuestion) => Promise<boolean>;
  /** Says that an agent does not get a sign-in. Resolves with whether the user wants to review that. */
  readonly offerReview: (message: string) => Promise<boolean>;
  readonly log: Log;
}

/** The sign-ins as the list of servers shows and changes them. */
export class SignInActions {
  readonly #options: SignInActionsOptions;
  /** The agents and servers about which the user was asked in this window. */
  readonly #offered = new Set<string>();

  constructor(options: SignInActionsOptions) {
    this.#options = options;
  }

  /** What the row of the server shows of the sign-in. `status` is that of Parley's own connection. */
  view(
    session: string | undefined,
    server: McpServer,
    status: ConnectionStatus,
  ): Pick<ViewMcpServer, "signedIn" | "pending"> & { readonly state?: "signingIn" } {
    const { signIns, consents, launcher, agentOf, sessionServers } = this.#options;
    const launch = launcher.signInLaunch(server);
    if (!launch) return {};
    const isWaiting = signIns.isWaiting(launch.url);
    if (!signIns.isSignedIn(launch.url)) {
      return isWaiting && status.state !== "ready" ? { state: "signingIn" } : {};
    }
    const agent = session === undefined ? undefined : agentOf(session);
    const isGiven = agent !== undefined && consents.has(agent, launch.url);
    const opened = session === undefined ? undefined : sessionServers.opened(session, server);
    const isPending = opened?.on === true && opened.reason === undefined && (opened.hasToken ?? false) !== isGiven;
    return {
      ...(isWaiting && { state: "signingIn" as const }),
      signedIn: agent === undefined || opened?.reason !== undefined ? "alone" : isGiven ? "given" : "kept",
      ...(isPending && { pending: true as const }),
    };
  }

  /**
   * Runs an action. Resolves with whether the server has to be started again. Rejects with a sentence. `status` is that of
   * Parley's own connection.
   */
  async run(
    session: string | undefined,
    server: McpServer,
    action: SignInAction,
    status: ConnectionStatus,
  ): Promise<boolean> {
    const { signIns, consents, launcher } = this.#options;
    if (launcher.signInLaunch(server) === undefined && action === "signIn") await launcher.resolve(server, true);
    const launch = launcher.signInLaunch(server);
    if (!launch) return false;
    const { url } = launch;
    const agent = session === undefined ? undefined : this.#options.agentOf(session);
    switch (action) {
      case "signIn": {
        const challenge = status.state === "signInNeeded" ? status.challenge : {};
        if (!(await signIns.signIn(server.name, launch, challenge))) return false;
        // The server starts while the user is asked.
        if (agent) this.#later(() => this.#give(agent, server, url));
        return true;
      }
      case "cancelSignIn":
        signIns.cancel(url);
        return false;
      case "signOut":
        await this.signOut(serverAddressKey(url));
        return true;
      case "giveSignIn":
        if (agent) await this.#give(agent, server, url);
        return false;
      case "keepSignIn":
        if (agent) await consents.set(agent, url, false);
        return false;
    }
  }

  /** Signs out of the server with this key. Its tokens go to no agent any more, also after another sign-in. */
  async signOut(key: string): Promise<void> {
    await this.#options.consents.forget(key);
    await this.#options.signIns.signOut(key);
  }

  /** Asks whether the agent may have the token, unless it may. */
  async #give(agent: NamedAgent, server: McpServer, url: string): Promise<void> {
    const { consents, confirmToken } = this.#options;
    this.#offered.add(offerKey(agent, server));
    if (consents.has(agent, url)) return;
    if (await confirmToken(tokenQuestion(agent, server.name, url))) await consents.set(agent, url, true);
  }

  /** Says once per window, agent and server that the agent does not get the user's sign-in. */
  offer(session: string, servers: readonly McpServer[]): void {
    const { signIns, consents, launcher, sessionServers, agentOf, offerReview } = this.#options;
    const agent = agentOf(session);
    if (!agent) return;
    for (const server of servers) {
      const launch = launcher.signInLaunch(server);
      const opened = sessionServers.opened(session, server);
      if (!launch || opened?.on !== true || opened.reason !== undefined || this.#offered.has(offerKey(agent, server)))
        continue;
      if (!signIns.isSignedIn(launch.url) || consents.has(agent, launch.url)) continue;
      this.#offered.add(offerKey(agent, server));
      const [agentName, name] = [agent.name, server.name].map(each => visibleName(each, maxShownName));
      this.#later(async () => {
        const message = t("{0} does not get your sign-in to the MCP server “{1}”.", agentName ?? "", name ?? "");
        if (await offerReview(message)) await this.#give(agent, server, launch.url);
      });
    }
  }

  #later(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.#options.log.error("A sign-in could not be given to an agent.", asError(error).stack);
    });
  }
}

const offerKey = (agent: NamedAgent, server: McpServer): string =>
  JSON.stringify([agent.id, agent.remote?.url, server.name]);
