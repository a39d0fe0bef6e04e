// Which MCP servers the agent of a session gets: those that are on, allowed, and of a type that the agent can use.
import * as vscode from "vscode";
import { agentEnvironment } from "../../agents/locateAgent.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { hostPlatform } from "../../base/platform.ts";
import type { AgentInfo, AgentMcpServer } from "../../session/agent.ts";
import { serversForAgent, type ResolvedServer } from "../agentServers.ts";
import type { McpServer } from "../servers.ts";
import type { ServerConsents } from "./serverConsents.ts";
import type { ServerLauncher } from "./serverLauncher.ts";

const offKey = "parley.mcp.off";
const maxSessions = 100;

interface SessionServersOptions {
  readonly state: vscode.Memento;
  readonly consents: ServerConsents;
  readonly launcher: ServerLauncher;
  readonly log: Log;
}

/** The servers of sessions: the user's choices, and what each agent was given. */
export class SessionServers {
  readonly #options: SessionServersOptions;
  /** The servers that the agent was offered when its session opened, by the id of the session. */
  readonly #opened = new Map<string, ReadonlyMap<string, { readonly on: boolean; readonly reason?: string }>>();
  /** The notices that were shown, so that each is shown once. */
  readonly #reported = new Set<string>();

  constructor(options: SessionServersOptions) {
    this.#options = options;
  }

  #off(): Readonly<Record<string, readonly string[]>> {
    return this.#options.state.get<Record<string, readonly string[]>>(offKey, {});
  }

  isOn(session: string, server: McpServer): boolean {
    return !(this.#off()[session] ?? []).includes(server.name);
  }

  async setOn(session: string, server: McpServer, on: boolean): Promise<void> {
    const { [session]: names = [], ...others } = this.#off();
    const others100 = Object.entries(others).slice(-maxSessions);
    const changed = on ? names.filter(name => name !== server.name) : [...names, server.name];
    await this.#options.state.update(offKey, Object.fromEntries([...others100, [session, changed]]));
  }

  /** What the agent got when its session opened. Undefined if no session is open. */
  opened(session: string, server: McpServer): { readonly on: boolean; readonly reason?: string } | undefined {
    const given = this.#opened.get(session);
    return given && (given.get(server.name) ?? { on: false });
  }

  /** The servers for the agent, and sentences about those that it does not get, each of them once. */
  async open(
    session: string,
    servers: readonly McpServer[],
    { agent, agentName, workspaceFolder }: { agent: AgentInfo; agentName: string; workspaceFolder: string },
  ): Promise<{ readonly servers: readonly AgentMcpServer[]; readonly notices: readonly string[] }> {
    const { consents, launcher, log } = this.#options;
    const opened = new Map<string, { on: boolean; reason?: string }>();
    const resolved: ResolvedServer[] = [];
    for (const server of servers) {
      const { name } = server;
      if (!this.isOn(session, server)) continue;
      if (server.source === "workspace" && !consents.has(server)) continue;
      try {
        resolved.push({ ...(await launcher.resolve(server, true, workspaceFolder)), name });
      } catch (error) {
        log.warn(`The MCP server ${name} was left out.`, asError(error).message);
        opened.set(name, { on: true, reason: asError(error).message });
      }
    }
    const { servers: given, leftOut } = serversForAgent(resolved, {
      agentName,
      accepts: agent.mcpServers ?? { http: false, sse: false },
      env: agentEnvironment(process.env, {}),
      platform: hostPlatform,
      workspaceFolder,
    });
    for (const { name } of given) opened.set(name, { on: true });
    for (const { name, reason } of leftOut) opened.set(name, { on: true, reason });
    this.#opened.set(session, opened);
    const notices = leftOut.map(({ name, reason }) =>
      vscode.l10n.t("The MCP server “{0}” is left out. {1}", name, reason),
    );
    const fresh = notices.filter(notice => !this.#reported.has(notice));
    for (const notice of fresh) this.#reported.add(notice);
    return { servers: given, notices: fresh };
  }
}
