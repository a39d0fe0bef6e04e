// Parley's own connections to the servers of the window, and what the panel shows of them: the servers with their states,
// and their prompts.
import { basename } from "node:path";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock, Log } from "../base/log.ts";
import type { Memento } from "../base/memento.ts";
import { itemsWithin, newestEntries } from "../base/newestEntries.ts";
import { withoutMiddle, visibleName } from "../base/inertText.ts";
import { visibleText } from "../base/visibleText.ts";
import type { SignInAction, ViewMcpServer, ViewPrompt } from "../panel/protocol.ts";
import { namePrompts, promptView, type NamedPrompt } from "./promptNames.ts";
import { ownServerName, type OwnServerOfSessions } from "./ownServer.ts";
import type { McpPrompt } from "./promptServer.ts";
import { ServerConnection } from "./serverConnection.ts";
import { serverFingerprint, type McpServer } from "./servers.ts";
import { serverDetail } from "./serverDetail.ts";
import { keyOfFingerprint, serverKey } from "./storedConsent.ts";
import type { ServerConsents } from "./serverConsents.ts";
import type { ServerLauncher } from "./serverLauncher.ts";
import type { SessionServers } from "./sessionServers.ts";
import type { SignInActions } from "./signIn/signInActions.ts";

const listsKey = "parley.mcp.prompts";
/** Of the lists that are kept, each with at most this number of prompts and bytes. */
const maxKeptPrompts = 1000;
const maxListBytes = 128_000;
const listLimits = { count: 50, entryBytes: maxListBytes + 200, totalBytes: 1_000_000 };
/** Of names in a message (characters). */
const maxShownName = 60;
const maxShownNames = 300;

interface PromptServersOptions {
  readonly state: Memento;
  /** The servers for a session, and for the next one. */
  readonly settings: (session: string | undefined) => readonly McpServer[];
  readonly consents: ServerConsents;
  readonly launcher: ServerLauncher;
  readonly sessionServers: SessionServers;
  readonly ownServer?: OwnServerOfSessions;
  /** Absent: no server takes a sign-in. */
  readonly signIns?: SignInActions;
  /** The ids of the open sessions. */
  readonly sessions: () => readonly string[];
  /** Says that servers wait for the user's consent. Resolves with whether the user wants to review them. */
  readonly offerReview: (message: string) => Promise<boolean>;
  readonly onDidChange: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

type Lists = Readonly<Record<string, readonly McpPrompt[]>>;

/** What a session shows. */
export interface ViewedServers {
  readonly prompts: readonly ViewPrompt[];
  readonly mcpServers: readonly ViewMcpServer[];
}

interface Projection {
  readonly named: readonly NamedPrompt[];
  readonly view: ViewedServers;
}

/** The connections, which the sessions of the window share. */
export class PromptServers {
  readonly #options: PromptServersOptions;
  /** By the fingerprint of the server, so that a changed server gets another connection. */
  readonly #connections = new Map<string, ServerConnection>();
  readonly #endings = new Set<Promise<void>>();
  /** The servers of the workspace about which the user was asked in this window. */
  readonly #offered = new Set<string>();
  readonly #projections = new Map<string | undefined, Projection>();
  #isEnded = false;

  constructor(options: PromptServersOptions) {
    this.#options = options;
  }

  /** The same objects until something changes. */
  view(session: string | undefined): ViewedServers {
    return this.#projection(session).view;
  }

  #projection(session: string | undefined): Projection {
    const known = this.#projections.get(session) ?? this.#project(session);
    this.#projections.set(session, known);
    return known;
  }

  #changed(): void {
    this.#projections.clear();
    if (!this.#isEnded) this.#options.onDidChange();
  }

  /** The servers, the session or its choices have changed: ends connections that no server has any more. */
  serversChanged(): void {
    const sessions = [undefined, ...this.#options.sessions()];
    const wanted = new Set(sessions.flatMap(session => this.#servers(session)).map(serverFingerprint));
    for (const [key, connection] of this.#connections) {
      if (wanted.has(key)) continue;
      this.#connections.delete(key);
      this.#end(connection);
    }
    this.#changed();
  }

  /** Ends the connections of these servers, which start again with their next use. */
  restart(keys: readonly string[]): void {
    for (const [fingerprint, connection] of this.#connections) {
      if (!keys.includes(keyOfFingerprint(fingerprint))) continue;
      this.#connections.delete(fingerprint);
      this.#end(connection);
    }
    this.#changed();
  }

  #end(connection: ServerConnection): void {
    const ending = connection.end().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  /** The servers that are on in a session. */
  #servers(session: string | undefined): readonly McpServer[] {
    const { settings, sessionServers } = this.#options;
    return settings(session).filter(server => session === undefined || sessionServers.isOn(session, server));
  }

  #connection(server: McpServer): ServerConnection {
    const key = serverFingerprint(server);
    const known = this.#connections.get(key);
    if (known) return known;
    const { clock, log, launcher } = this.#options;
    const connection = new ServerConnection({
      name: server.name,
      prompts: this.#lists()[serverKey(server)] ?? [],
      connect: (events, signal) => launcher.connect(server, events, signal),
      onDidChange: () => this.#changed(),
      onListed: prompts => this.#keepList(server, prompts),
      clock,
      log,
    });
    this.#connections.set(key, connection);
    // A caller that waited for a consent can come after the end, and nothing would end its server.
    if (this.#isEnded) this.#end(connection);
    return connection;
  }

  #lists(): Lists {
    return this.#options.state.get<Lists>(listsKey, {});
  }

  #keepList(server: McpServer, prompts: readonly McpPrompt[]): void {
    const key = serverKey(server);
    const others = Object.entries(this.#lists()).filter(([other]) => other !== key);
    const kept = itemsWithin(prompts.slice(0, maxKeptPrompts), maxListBytes);
    const lists = newestEntries([...others, [key, kept] as const], listLimits);
    this.#options.state
      .update(listsKey, Object.fromEntries(lists))
      .then(undefined, (error: unknown) =>
        this.#options.log.warn("A list of prompts was not kept.", asError(error).message),
      );
  }

  /** Starts every server that the user has allowed. Resolves when all have started or failed. */
  async startAll(session: string | undefined): Promise<void> {
    const servers = this.#servers(session);
    await Promise.all(servers.map(server => this.#options.consents.check(server)));
    const allowed = servers.filter(server => this.#options.consents.has(server));
    await Promise.all(allowed.map(server => this.#connection(server).start()));
  }

  /** The prompt with this name, and the connection to its server. */
  find(
    session: string,
    command: string,
  ): { readonly named: NamedPrompt; readonly connection: ServerConnection; readonly key: string } | undefined {
    const named = this.#projection(session).named.find(each => each.command === command);
    const server = named && this.#servers(session).find(({ name }) => name === named.server);
    if (!named || !server || !this.#options.consents.has(server)) return undefined;
    return { named, connection: this.#connection(server), key: serverKey(server) };
  }

  /** An action of the user on a server. */
  async set(id: string | undefined, name: string, action: "on" | "off" | "allow" | "retry"): Promise<void> {
    const { settings, consents, sessionServers, ownServer } = this.#options;
    const isOwn = ownServer?.tools(id) !== undefined && ownServerName(settings(id)) === name;
    const server = settings(id).find(each => each.name === name);
    if (isOwn && id !== undefined && (action === "on" || action === "off")) {
      // The agent keeps the server until its next session, but gets nothing from it any more.
      ownServer?.setOn(id, action === "on");
      await sessionServers.setOn(id, { name }, action === "on");
      // A session that opened meanwhile has read the earlier choice.
      ownServer?.setOn(id, action === "on");
    }
    if (isOwn) return this.serversChanged();
    if (!server) return;
    if (action === "on" || action === "off") {
      if (id !== undefined) await sessionServers.setOn(id, server, action === "on");
      return this.serversChanged();
    }
    if (!(await consents.ask(server))) return;
    this.#changed();
    await this.#connection(server).start(true);
  }

  /** An action of the user on the sign-in to a server. Rejects with a sentence. */
  async signIn(id: string | undefined, name: string, action: SignInAction): Promise<void> {
    const { settings, consents, signIns } = this.#options;
    const server = settings(id).find(each => each.name === name);
    if (!server || !signIns || !(await consents.ask(server))) return;
    try {
      if (!(await signIns.run(id, server, action, this.#connection(server).status))) return;
      this.restart([serverKey(server)]);
      await this.#connection(server).start(true);
    } finally {
      this.#changed();
    }
  }

  /**
   * Says once per window that servers of the workspace wait for the user's consent, and once for each further change of
   * one that was allowed.
   */
  offerConsent(session: string): void {
    const { consents, offerReview, log } = this.#options;
    const offerOf = (server: McpServer): string => JSON.stringify([serverKey(server), consents.contentKey(server)]);
    const waiting = this.#servers(session).filter(
      server => server.source === "workspace" && !consents.has(server) && !this.#offered.has(offerOf(server)),
    );
    if (waiting.length === 0) return;
    for (const server of waiting) this.#offered.add(offerOf(server));
    const names = waiting.map(server => {
      const changed = (consents.changes(server) ?? [])
        .map(path => visibleName(basename(path), maxShownName))
        .join(", ");
      const name = visibleName(server.name, maxShownName);
      return changed === "" ? name : t("{0} (changed: {1})", name, changed);
    });
    const message = t(
      "This workspace has MCP servers for agents: {0}. Agents don't get them yet.",
      withoutMiddle(names.join(", "), maxShownNames),
    );
    const ask = async (): Promise<void> => {
      if (!(await offerReview(message))) return;
      for (const server of waiting) await consents.ask(server);
      this.serversChanged();
    };
    ask().catch((error: unknown) => log.error("MCP servers could not be reviewed.", asError(error).stack));
  }

  #project(session: string | undefined): Projection {
    const { settings, consents } = this.#options;
    const on = this.#servers(session);
    const allowed = on.filter(server => consents.has(server));
    const named = namePrompts(
      allowed.map(server => ({ server: server.name, prompts: this.#connection(server).prompts })),
    );
    const prompts = [...named.map(promptView), ...on.flatMap(server => this.#row(server))];
    const mcpServers = settings(session).map(server => this.#serverView(session, server));
    return { named, view: { prompts, mcpServers: [...mcpServers, ...this.#ownServerView(session)] } };
  }

  /** The row of Parley's own server, if the settings have it on. */
  #ownServerView(session: string | undefined): readonly ViewMcpServer[] {
    const { settings, sessionServers, ownServer } = this.#options;
    const tools = ownServer?.tools(session);
    if (!tools) return [];
    const name = ownServerName(settings(session));
    const on = session === undefined || sessionServers.isOn(session, { name });
    const opened = session === undefined ? undefined : sessionServers.opened(session, { name });
    return [
      {
        ...{ name, detail: t("Tools of this editor: {0}", tools.join(", ")), on },
        // Its tools refuse calls as soon as it is off, although the agent keeps the server until its next session.
        ...(opened && on && !opened.on && { pending: true as const }),
        state: opened?.on === true && opened.reason === undefined ? "ready" : "stopped",
        ...(opened?.reason !== undefined && { reason: visibleText(opened.reason) }),
      },
    ];
  }

  /** The row in the `/` list for a server whose prompts are not known yet. */
  #row(server: McpServer): readonly ViewPrompt[] {
    const name = visibleText(server.name).replace(/\s+/g, "-");
    const row = (description: string, kind: "allow" | "retry" | "wait" | "signIn"): readonly ViewPrompt[] => [
      { name, description, action: { server: server.name, kind } },
    ];
    if (!this.#options.consents.has(server)) return row(t("Start this MCP server to use its prompts…"), "allow");
    const { status } = this.#connection(server);
    if (status.state === "starting") return row(t("Starting…"), "wait");
    if (status.state === "signInNeeded") return row(t("Sign in to this MCP server to use its prompts…"), "signIn");
    if (status.state === "failed") return row(t("Start again. {0}", visibleText(status.reason)), "retry");
    return [];
  }

  #serverView(id: string | undefined, server: McpServer): ViewMcpServer {
    const { consents, sessionServers } = this.#options;
    const on = id === undefined || sessionServers.isOn(id, server);
    const opened = id === undefined ? undefined : sessionServers.opened(id, server);
    const isAllowed = consents.has(server);
    const connection = isAllowed && on ? this.#connection(server) : undefined;
    const status = connection?.status ?? { state: "stopped" as const };
    const gets = on && (server.source !== "workspace" || isAllowed);
    const reason = "reason" in status ? status.reason : (opened?.reason ?? connection?.listProblem);
    const signIn = (isAllowed && on ? this.#options.signIns?.view(id, server, status) : undefined) ?? {};
    return {
      name: server.name,
      detail: serverDetail(server),
      on,
      ...(opened && opened.on !== gets && { pending: true as const }),
      state: isAllowed ? status.state : server.source === "workspace" ? "notAllowed" : "notStarted",
      ...(reason !== undefined && signIn.state === undefined && { reason: visibleText(reason) }),
      ...signIn,
      ...(connection?.icon !== undefined && { icon: connection.icon }),
    };
  }

  /** Ends every server. */
  async end(): Promise<void> {
    this.#isEnded = true;
    for (const connection of this.#connections.values()) this.#end(connection);
    this.#connections.clear();
    await Promise.all(this.#endings);
  }
}
