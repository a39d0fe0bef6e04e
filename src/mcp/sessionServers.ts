// Which MCP servers the agent of a session gets: those that are on, allowed, and of a type that the agent can use.
import { agentEnvironment } from "../agents/locateAgent.ts";
import { Sequencer } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { visibleLine } from "../base/lines.ts";
import type { Log } from "../base/log.ts";
import type { ExtensionStates } from "../base/memento.ts";
import { newestEntries } from "../base/newestEntries.ts";
import { hostPlatform } from "../base/platform.ts";
import { proxyVariables, variableKey } from "../base/programEnvironment.ts";
import type { PlainOrSecretValues } from "../base/secrets/secret.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import { visibleText } from "../base/visibleText.ts";
import type { AgentInfo, AgentMcpServer, AgentServerTypes } from "../session/agent.ts";
import { serversForAgent, type LeftOutServer, type ResolvedServer } from "./agentServers.ts";
import { ownServerName, type OwnServer } from "./ownServer.ts";
import type { McpServer, ServersRead } from "./servers.ts";
import type { ServerConsents } from "./serverConsents.ts";
import type { ServerLauncher } from "./serverLauncher.ts";
import { takesSignIn, type HttpLaunch } from "./signIn/serverSignIns.ts";
import type { ConsentingAgent } from "./signIn/tokenConsents.ts";

const offKey = "parley.mcp.off";
/** Beyond this number, the choices of sessions that no longer exist are removed. */
const manySessions = 100;
const reportedKey = "parley.mcp.reported";
const reportedLimits = { count: 500, entryBytes: 2_000, totalBytes: 200_000 };

/** A server that the agent was offered when its session opened. */
export interface OpenedServer {
  readonly on: boolean;
  /** Why the agent does not get it. */
  readonly reason?: string;
  /** The agent got a token of the user's sign-in. */
  readonly hasToken?: true;
}

/** The agent of a session. */
interface ServedAgent {
  /** In the settings. */
  readonly agentId?: string | undefined;
  readonly definition?: ConsentingAgent | undefined;
  readonly agent: AgentInfo;
  readonly agentName: string;
  /** The variables of its settings. */
  readonly agentEnv: PlainOrSecretValues;
  readonly workspaceFolder: string;
}

interface SessionServersOptions {
  readonly states: ExtensionStates;
  /** The ids of the sessions that are open or stored. */
  readonly existing: () => Promise<ReadonlySet<string>>;
  readonly consents: ServerConsents;
  readonly launcher: ServerLauncher;
  readonly environment: WindowEnvironment;
  readonly ownServer?: OwnServer;
  /**
   * The token for a server that the user gives to the agent. Undefined: there is none. Rejects with a sentence. Absent: no
   * agent gets a token.
   */
  readonly tokenFor?: (agent: ConsentingAgent, url: string) => Promise<string | undefined>;
  readonly log: Log;
}

/** The servers of sessions: the user's choices, and what each agent was given. */
export class SessionServers {
  readonly #options: SessionServersOptions;
  /** The servers that the agent was offered when its session opened, by the id of the session. */
  readonly #opened = new Map<string, ReadonlyMap<string, OpenedServer>>();
  /** The notices that this window has shown, so that each is shown once. */
  readonly #reported = new Set<string>();
  readonly #writes = new Sequencer();

  constructor(options: SessionServersOptions) {
    this.#options = options;
  }

  #off(): Readonly<Record<string, readonly string[]>> {
    return this.#options.states.workspaceState.get<Record<string, readonly string[]>>(offKey, {});
  }

  isOn(session: string, server: Pick<McpServer, "name">): boolean {
    return !(this.#off()[session] ?? []).includes(server.name);
  }

  setOn(session: string, server: Pick<McpServer, "name">, on: boolean): Promise<void> {
    return this.#writes.queue(async () => {
      const { existing, states } = this.#options;
      const { [session]: names = [], ...others } = this.#off();
      const kept = Object.keys(others).length < manySessions ? undefined : await existing();
      const entries = Object.entries(others).filter(([other]) => kept?.has(other) ?? true);
      const changed = [...names.filter(name => name !== server.name), ...(on ? [] : [server.name])];
      if (changed.length > 0) entries.push([session, changed]);
      await states.workspaceState.update(offKey, Object.fromEntries(entries));
    });
  }

  /** A branch has the choices of the session that it is copied from. */
  copyChoices(from: string, to: string): Promise<void> {
    return this.#writes.queue(async () => {
      const names = this.#off()[from];
      if (!names) return;
      await this.#options.states.workspaceState.update(offKey, { ...this.#off(), [to]: names });
    });
  }

  /** What the agent got when its session opened. Undefined if no session is open. */
  opened(session: string, server: Pick<McpServer, "name">): OpenedServer | undefined {
    const given = this.#opened.get(session);
    return given && (given.get(server.name) ?? { on: false });
  }

  /** The servers for the agent, and a notice about those that it does not get, each of them once. */
  async open(
    session: string,
    { servers, problems }: ServersRead,
    { agentId, definition, agent, agentName, agentEnv, workspaceFolder }: ServedAgent,
  ): Promise<{ readonly servers: readonly AgentMcpServer[]; readonly notice?: string }> {
    const { consents, launcher, environment } = this.#options;
    // A server does not reach the addresses and programs of this machine.
    const isOnServer = definition?.remote !== undefined;
    const sharesFiles = definition?.remote?.sameFolder ?? true;
    const opened = new Map<string, OpenedServer>();
    const withToken = new Set<string>();
    const resolved: ResolvedServer[] = [];
    const unresolved: LeftOutServer[] = [];
    for (const server of servers) {
      const { name, folder } = server;
      if (!this.isOn(session, server)) continue;
      if (server.source === "workspace" && !(await consents.check(server))) continue;
      try {
        const launch = await launcher.resolve(server, true, workspaceFolder);
        const started =
          launch.type === "stdio"
            ? { ...launch, env: sharesFiles ? await this.#withProxy(launch.env, agentEnv) : launch.env }
            : await this.#withToken(launch, definition);
        if (started !== launch && started.type !== "stdio") withToken.add(name);
        resolved.push({ ...started, name, ...(folder !== undefined && { folder }) });
      } catch (error) {
        unresolved.push({ name, reason: asError(error).message, isUnsupported: false });
      }
    }
    const accepts = agent.mcpServers ?? { http: false, sse: false };
    const own = await this.#ownServer(session, ownServerName(servers), {
      ...{ agent: agentId, agentName, isOnServer, sharesFiles },
      accepts: isOnServer ? overConnection(accepts) : accepts,
    });
    if (own && "reason" in own) unresolved.push(own);
    const { servers: usable, leftOut: unusable } = serversForAgent(resolved, {
      agentName,
      accepts,
      sharesFiles,
      env: agentEnvironment(await environment.shared(), {}),
      platform: hostPlatform,
      workspaceFolder,
    });
    const given = own && !("reason" in own) ? [...usable, own] : usable;
    for (const { name } of given) opened.set(name, { on: true, ...(withToken.has(name) && { hasToken: true }) });
    const leftOut = [...unresolved, ...unusable];
    for (const { name, reason } of leftOut) opened.set(name, { on: true, reason });
    this.#opened.set(session, opened);
    // The user did not ask for Parley's own server, so only its row says that the agent can use none.
    const reported = leftOut.filter(one => one !== own || !one.isUnsupported);
    const notice = await this.#newNotice(reported, problems);
    return { servers: given, ...(notice !== undefined && { notice }) };
  }

  /** The server with the token of the user's sign-in, if the user gives it to the agent. Otherwise the same object. */
  async #withToken(launch: HttpLaunch, agent: ConsentingAgent | undefined): Promise<HttpLaunch> {
    if (!agent || !takesSignIn(launch)) return launch;
    const token = await this.#options.tokenFor?.(agent, launch.url);
    if (token === undefined) return launch;
    return { ...launch, headers: { ...launch.headers, Authorization: `Bearer ${token}` } };
  }

  /** Parley's own server, or why the agent does not get it. Undefined: the user has switched it off. */
  async #ownServer(
    session: string,
    name: string,
    user: {
      readonly agent: string | undefined;
      readonly agentName: string;
      readonly isOnServer: boolean;
      readonly sharesFiles: boolean;
      readonly accepts: AgentServerTypes;
    },
  ): Promise<AgentMcpServer | LeftOutServer | undefined> {
    const { ownServer, log } = this.#options;
    if (!ownServer?.tools(user.agent) || !this.isOn(session, { name })) return undefined;
    // Its tools read the files of this machine.
    if (!user.sharesFiles) {
      const reason = t("{0} runs on a server that does not work with your files.", user.agentName);
      return { name, reason, isUnsupported: true };
    }
    ownServer.setOn(session, true);
    try {
      const launch = await ownServer.serverFor(session, user);
      if (launch) return { name, ...launch };
      const reason = user.isOnServer
        ? t("{0} runs on a server and cannot use MCP servers over its connection.", user.agentName)
        : t("{0} cannot use MCP servers.", user.agentName);
      return { name, reason, isUnsupported: true };
    } catch (error) {
      log.error("The server with the editor's tools could not be started.", asError(error).stack);
      return { name, reason: t("It could not be started: {0}", asError(error).message), isUnsupported: false };
    }
  }

  /**
   * The variables of a server with the proxy that all programs have. Many agents start servers with their PATH and
   * without their proxy. An agent whose settings choose a proxy decides what its servers get.
   */
  async #withProxy(
    own: Readonly<Record<string, string>>,
    agentEnv: PlainOrSecretValues,
  ): Promise<Readonly<Record<string, string>>> {
    const env = await this.#options.environment.of(shared => agentEnvironment(shared, { ...agentEnv, ...own }));
    const decided = new Set(Object.keys(agentEnv).map(name => variableKey(name)));
    const proxies = Object.entries(proxyVariables(env)).filter(([name]) => !decided.has(variableKey(name)));
    return { ...Object.fromEntries(proxies), ...own };
  }

  /**
   * A sentence about what is left out, if there is something new. Parley names what an agent cannot use once, and all
   * other reasons once in each window.
   */
  async #newNotice(leftOut: readonly LeftOutServer[], problems: readonly string[]): Promise<string | undefined> {
    const { states, log } = this.#options;
    const known = states.globalState.get<readonly string[]>(reportedKey, []);
    const isNew = (text: string): boolean => !this.#reported.has(text) && !known.includes(text);
    const servers = leftOut.map(server => ({ ...server, text: leftOutText(server) })).filter(({ text }) => isNew(text));
    const texts = [...servers.map(({ text }) => text), ...problems.map(visibleText).filter(isNew)];
    for (const text of texts) {
      this.#reported.add(text);
      log.warn(text);
    }
    const lasting = servers.filter(({ isUnsupported }) => isUnsupported).map(({ text }) => text);
    if (lasting.length > 0)
      await states.globalState.update(reportedKey, newestEntries([...known, ...lasting], reportedLimits));
    if (texts.length < 2) return texts[0];
    const lines = servers.map(({ name, reason }) => `“${visibleLine(name)}”: ${visibleLine(reason)}`);
    const list = [...lines, ...texts.slice(servers.length).map(visibleLine)].map(line => `• ${line}`);
    return [t("These MCP servers are left out:"), ...list].join("\n");
  }
}

/** What reaches Parley's own server from elsewhere. */
const overConnection = ({ acp = false }: AgentServerTypes): AgentServerTypes => ({
  ...{ http: false, sse: false, stdio: false, acp },
});

const leftOutText = ({ name, reason }: LeftOutServer): string =>
  t("The MCP server “{0}” is left out. {1}", visibleText(name), visibleText(reason));
