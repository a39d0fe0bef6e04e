// The part of an Agent that is the same in all versions of the protocol: its account, signing in and out, updates that
// arrive before their session is known, the sessions that it keeps, and the requests of the agent. V1Agent and V2Agent
// add the sessions.
import type { MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, asError, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { Emitter, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type {
  Agent,
  AgentClient,
  AgentInfo,
  AgentMcpServer,
  AgentSession,
  AgentSessionStore,
  FormClient,
  KeptSessionRequest,
  OpenSessionRequest,
} from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";
import type { SignInMethod } from "../session/signIn.ts";
import { accountLabel } from "./account.ts";
import { folderAtAgent, sharesFiles, type AgentPlace } from "./agentPlace.ts";
import { agentProblem, answerInTime, plainAnswer } from "./agentProblems.ts";
import { serveAgentRequests, type RequestSession } from "./agentRequests.ts";
import { sendNotification, sendRequest } from "./clientRequests.ts";
import { EarlyUpdates } from "./earlyUpdates.ts";
import { FormRequests } from "./formRequests.ts";
import { detachedClient } from "./detachedClient.ts";
import { KeptSessions, type KeptSessionsMethod } from "./keptSessions.ts";
import { McpMessages } from "./mcpMessages.ts";
import type { OpenRequests } from "./openRequests.ts";
import { asObject, asString, isObject, type JsonObject } from "./parse.ts";

/** What an agent is made of. */
export interface ProtocolAgentOptions {
  readonly agentName: string;
  readonly place: AgentPlace;
  readonly timeout?: number;
  readonly log: Log;
  readonly openRequests: OpenRequests;
  readonly clock?: Clock;
}

/** What an agent says about itself in its answer to `initialize`, and how its version names things. */
export interface Introduction {
  readonly info: AgentInfo;
  readonly signInMethods: readonly SignInMethod[];
  readonly signInRequest: string;
  /** Absent: the agent cannot sign out. */
  readonly signOutRequest?: string | undefined;
  /** The agent names its account. */
  readonly hasAccount: boolean;
  /** What it advertises for the sessions that it keeps. */
  readonly keptSessions: readonly KeptSessionsMethod[];
  /** The agent works in further folders of the workspace, too. */
  readonly takesFolders: boolean;
  /** The methods of sessions that the version has. Absent: all. */
  readonly methods?: readonly string[];
}

/** A session as its agent uses it. */
export interface ProtocolSession extends AgentSession, RequestSession {
  /** An update of the session, or of a sub-agent. */
  update(update: JsonObject, sessionId: string): void;
  /** The id of a tool call in the conversation. */
  shownId(sessionId: string | undefined, toolCallId: string): string;
}

/** At most this many events of a session that Parley imports are kept, so that an agent cannot fill the memory. */
export const maxLoadedEvents = 100_000;

/** An agent process, and its sessions. */
export abstract class ProtocolAgent<S extends ProtocolSession> implements Agent {
  readonly info: AgentInfo;
  readonly signInMethods: readonly SignInMethod[];
  readonly signOut?: () => Promise<void>;
  readonly #accountChanged = new Emitter<void>();
  readonly onDidChangeAccount: Event<void> = this.#accountChanged.event;
  readonly #connection: MessageConnection;
  readonly #options: ProtocolAgentOptions;
  readonly #introduction: Introduction;
  /** The sessions by their ids, and by the ids of their sub-agents. */
  protected readonly sessions = new Map<string, S>();
  protected readonly earlyUpdates: EarlyUpdates;
  readonly #forms: FormRequests;
  readonly #kept: KeptSessions;
  readonly #mcpMessages: McpMessages;
  readonly #ended = new AbortController();
  /** Aborts when the agent is no longer running. */
  protected readonly ended = this.#ended.signal;
  #account: string | undefined;

  constructor(connection: MessageConnection, introduction: Introduction, options: ProtocolAgentOptions) {
    const { agentName, log } = options;
    const { signOutRequest } = introduction;
    this.#connection = connection;
    this.#options = options;
    this.#introduction = introduction;
    this.info = introduction.info;
    this.signInMethods = introduction.signInMethods;
    this.earlyUpdates = new EarlyUpdates(() =>
      log.warn(`${agentName} sent too many updates before naming its session. Further ones are ignored.`),
    );
    this.#forms = new FormRequests(options.openRequests, id => this.#findSession(id));
    this.#kept = new KeptSessions({
      methods: introduction.keptSessions,
      agentName,
      ask: (method, params) =>
        answerInTime(late => this.request(method, params, late), options, this.ended, t("this request")),
      problem: (error, failure) => this.problem(error, failure),
    });
    this.#mcpMessages = new McpMessages(params => this.notify("mcp/message", params));
    if (signOutRequest !== undefined) {
      this.signOut = () =>
        plainAnswer(this.request(signOutRequest, {}), t("{0} could not sign you out", agentName), [this.ended]);
    }
    this.#serve();
    this.#askForAccount();
  }

  /**
   * Opens the session with the agent's answer to `session/new`. Its id is not empty. Updates that arrived before the answer
   * count before what it says.
   */
  protected abstract opened(result: JsonObject, sessionId: string, request: OpenSessionRequest, client: AgentClient): S;

  /** The parameters of a request that opens a session. */
  protected abstract setupParams(request: OpenSessionRequest): JsonObject;

  /** The parameter with the further folders of the workspace. Only agents with the capability may get it. */
  protected folders({ additionalFolders = [] }: OpenSessionRequest): JsonObject {
    const isSent = this.#introduction.takesFolders && sharesFiles(this.#options.place) && additionalFolders.length > 0;
    return isSent ? { additionalDirectories: additionalFolders } : {};
  }

  /** The folder in which the session works, as the agent knows it. */
  protected folder({ cwd }: Pick<OpenSessionRequest, "cwd">): string {
    return folderAtAgent(this.#options.place, cwd);
  }

  /** The MCP servers of the request. From now on, the agent reaches those that use its connection. */
  protected servers({ mcpServers = [] }: OpenSessionRequest): readonly AgentMcpServer[] {
    for (const server of mcpServers) if (server.type === "acp") this.#mcpMessages.add(server);
    return mcpServers;
  }

  /** A session that no client uses and that the agent still has open. */
  protected unusedSession(_sessionId: string): S | undefined {
    return undefined;
  }

  /** Whether the agent can send the conversation of a session again. */
  protected abstract get canLoad(): boolean;

  /** Opens a session that Parley does not have, for a client that gets all of it. Undefined if the agent refuses. */
  protected abstract loaded(request: KeptSessionRequest, client: AgentClient): Promise<S | undefined>;

  /** Keeps a session that the agent has open until a client continues it. */
  protected abstract keepOpen(session: S): void;

  get agentName(): string {
    return this.#options.agentName;
  }

  get account(): string | undefined {
    return this.#account;
  }

  #askForAccount(): void {
    if (!this.#introduction.hasAccount) return;
    this.request("auth/status", {}).then(
      status => this.#setAccount(status),
      () => this.#options.log.debug(`${this.agentName} did not name its account.`),
    );
  }

  #setAccount(status: unknown): void {
    const account = accountLabel(status);
    if (account === this.#account) return;
    this.#account = account;
    this.#accountChanged.fire();
  }

  async authenticate(methodId: string, client: FormClient, signal: AbortSignal): Promise<void> {
    const params = { methodId };
    const answer = this.request(this.#introduction.signInRequest, params, signal);
    this.#forms.setClient(params, client, answer);
    await plainAnswer(answer, t("{0} did not sign you in", this.agentName), [signal, this.ended]);
    this.#askForAccount();
  }

  open(request: OpenSessionRequest, client: AgentClient): Promise<AgentSession> {
    const answer = this.answer("session/new", this.setupParams(request), client, t("the request for a new session"));
    const opened = answer.then(
      value => this.openedSession(asObject(value), request, client),
      (error: unknown) => {
        throw new ProblemError(this.problem(asError(error), name => t("{0} could not open a session", name)));
      },
    );
    return this.earlyUpdates.keepDuring(opened);
  }

  get sessionStore(): AgentSessionStore {
    const kept = this.#kept;
    return {
      ...(kept.has("session/list") && { list: (cwd, cursor) => this.#list(cwd, cursor) }),
      ...(kept.has("session/delete") && { delete: id => kept.delete(id) }),
      ...(kept.has("session/fork") && { fork: request => this.earlyUpdates.keepDuring(this.#fork(request)) }),
      ...(this.canLoad && { load: request => this.earlyUpdates.keepDuring(this.#load(request)) }),
    };
  }

  /** The sessions of a folder, which has another path at some agents on servers. */
  async #list(cwd: string, cursor: string | undefined): ReturnType<NonNullable<AgentSessionStore["list"]>> {
    const folder = this.folder({ cwd });
    const page = await this.#kept.list(folder, cursor);
    return { ...page, sessions: page.sessions.map(info => (info.cwd === folder ? { ...info, cwd } : info)) };
  }

  /** Everything that the agent sends of the session. Some agents destroy a session that is loaded while it is open. */
  async #load(request: KeptSessionRequest): Promise<readonly SessionEvent[]> {
    const { agentName } = this;
    const { sessionId } = request;
    if (this.sessions.has(sessionId) || this.unusedSession(sessionId)) {
      const message = t("{0} still has this session open. Restart {0}, and try again.", agentName);
      throw new ProblemError({ message, next: ["restartAgent"] });
    }
    const events: SessionEvent[] = [];
    let count = 0;
    const client = detachedClient(event => {
      if (++count <= maxLoadedEvents) events.push(event);
    });
    const session = await this.loaded(request, client);
    if (!session)
      throw new ProblemError({ message: t("{0} refused to load this session.", agentName), next: ["showTraffic"] });
    session.close();
    if (count <= maxLoadedEvents) return events;
    const title = t("The conversation is very long, so only its beginning was imported.");
    return [...events, { type: "notice", severity: "warning", title }];
  }

  /** The copy is open at the agent, and waits for a client. */
  async #fork(request: KeptSessionRequest): Promise<string> {
    const result = await this.#kept.fork({ sessionId: request.sessionId, ...this.setupParams(request) });
    const copy = this.openedSession(
      result,
      request,
      detachedClient(() => {}),
    );
    this.keepOpen(copy);
    return copy.sessionId;
  }

  /** The session that the answer names. Throws a ProblemError if it names none. */
  protected openedSession(result: JsonObject, request: OpenSessionRequest, client: AgentClient): S {
    const sessionId = asString(result["sessionId"]);
    if (sessionId === undefined) {
      const message = t("{0} opened a session without an id. This is an error in the agent.", this.agentName);
      throw new ProblemError({ message, next: ["restartAgent", "showTraffic"] });
    }
    return this.opened(result, sessionId, request, client);
  }

  /** Applies the updates that arrived before the session was known. */
  protected takeEarlyUpdates(session: S, sessionId: string): void {
    for (const update of this.earlyUpdates.take(sessionId)) session.update(update, sessionId);
  }

  /** The answer to a request that opens a session. `waits`: the agent is not late although it has not answered. */
  protected answer(
    method: string,
    params: JsonObject,
    client: AgentClient,
    request: string,
    waits: () => boolean = () => false,
  ): Promise<unknown> {
    const limit = { ...this.#options, waitsForUser: () => this.#forms.areOpen || waits() };
    const send = (late: AbortSignal): Promise<unknown> => {
      const answer = this.request(method, params, late);
      this.#forms.setClient(params, client, answer);
      return answer;
    };
    return answerInTime(send, limit, this.ended, request);
  }

  /** The agent is asked to end the request when `cancelled` aborts. */
  request(method: string, params: JsonObject, cancelled?: AbortSignal): Promise<unknown> {
    return sendRequest(this.#connection, method, params, cancelled);
  }

  notify(method: string, params: JsonObject): void {
    sendNotification(this.#connection, method, params, error =>
      this.#options.log.warn(`${method} could not be sent to ${this.agentName}.`, error.message),
    );
  }

  /** `failure` says what the agent did, without a period. */
  problem(error: Error, failure: (agentName: string) => string): Problem {
    return agentProblem(error, failure, { ...this.#options, signInMethods: this.signInMethods });
  }

  #serve(): void {
    const { agentName, log } = this.#options;
    // Synchronous, so that updates take effect in the order in which they arrive.
    this.#connection.onNotification("session/update", (params: unknown) => {
      const { sessionId, update } = asObject(params);
      const id = asString(sessionId);
      if (id === undefined || !isObject(update)) {
        log.warn(`${agentName} sent an update without a session or a body.`);
        return;
      }
      const session = this.sessions.get(id) ?? this.unusedSession(id);
      if (session) session.update(update, id);
      else if (!this.earlyUpdates.keep(id, update))
        log.debug(`${agentName} sent an update for a session that is not open.`, id);
    });
    this.#connection.onNotification("auth/status_update", (status: unknown) => this.#setAccount(status));
    const methods = sharesFiles(this.#options.place) ? this.#introduction.methods : ["session/request_permission"];
    serveAgentRequests(this.#connection, {
      findSession: id => this.#findSession(id),
      askForm: (elicitation, signal) => this.#forms.ask(elicitation, signal),
      completeAddress: id => this.#forms.complete(id),
      ...(this.info.mcpServers?.acp === true && {
        answerMcp: (params: JsonObject, signal: AbortSignal) => this.#mcpMessages.answer(params, signal),
      }),
      ended: this.ended,
      log,
      ...(methods && { methods }),
    });
  }

  async #findSession(sessionId: string): Promise<S | undefined> {
    // A request may overtake the answer that names its session.
    if (!this.sessions.has(sessionId)) await this.earlyUpdates.whenOpened();
    return this.sessions.get(sessionId);
  }

  dispose(): void {
    this.#ended.abort(new Error(t("{0} is no longer running.", this.agentName)));
    this.#accountChanged.dispose();
    for (const session of new Set(this.sessions.values())) session.dispose();
  }
}
