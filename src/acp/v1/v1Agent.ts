// An Agent that uses ACP v1: sends requests, and turns updates into session events with v1Updates.ts.
import { ErrorCodes, ResponseError, type MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, asError, type Problem } from "../../base/errors.ts";
import { withTimeout } from "../../base/async.ts";
import { Emitter, type Event } from "../../base/lifecycle.ts";
import { systemClock, type Clock, type Log } from "../../base/log.ts";
import type {
  Agent,
  AgentClient,
  AgentInfo,
  AgentSession,
  ContinuedAgentSession,
  ContinueSessionRequest,
  FormClient,
  OpenSessionRequest,
} from "../../session/agent.ts";
import type { AgentProgram, SignInMethod } from "../../session/signIn.ts";
import { accountLabel } from "../account.ts";
import { agentProblem, answerInTime, isConnectionClosed, plainAnswer } from "../agentProblems.ts";
import { serveAgentRequests } from "../agentRequests.ts";
import { sendNotification, sendRequest } from "../clientRequests.ts";
import { EarlyUpdates } from "../earlyUpdates.ts";
import { FormRequests } from "../formRequests.ts";
import type { OpenRequests } from "../openRequests.ts";
import { isObject, asArray, asString, asObject, type JsonObject } from "../parse.ts";
import { signInMethods } from "../signInMethods.ts";
import { serverToWire } from "./serverToWire.ts";
import { V1Replay } from "./v1Replay.ts";
import { V1Session, type V1Connection } from "./v1Session.ts";
import { V1Updates } from "./v1Updates.ts";

interface V1Options {
  readonly agentName: string;
  readonly program: AgentProgram;
  readonly timeout?: number;
  readonly log: Log;
  readonly openRequests: OpenRequests;
  readonly clock?: Clock;
}

/** A session that continues waits at most this long for the end of its earlier turn (ms). */
const maxTurnWait = 5000;

/** An agent process that uses v1, and its sessions. */
export class V1Agent implements Agent, V1Connection {
  readonly info: AgentInfo;
  readonly #connection: MessageConnection;
  readonly #options: V1Options;
  readonly signInMethods: readonly SignInMethod[];
  readonly signOut?: () => Promise<void>;
  readonly #accountChanged = new Emitter<void>();
  readonly onDidChangeAccount: Event<void> = this.#accountChanged.event;
  #account: string | undefined;
  readonly #hasAccount: boolean;
  readonly #sessions = new Map<string, V1Session>();
  /** Sessions that no client uses and that the agent still has open. Some agents destroy a session that is loaded twice. */
  readonly #unused = new Map<string, V1Session>();
  /** The methods that continue a session, in the order in which they are tried. */
  readonly #continuingMethods: ("session/resume" | "session/load")[];
  /** False once the agent has answered that it lacks the method, although it advertises it. */
  #canClose: boolean;
  readonly #earlyUpdates: EarlyUpdates;
  readonly #ended = new AbortController();
  readonly #forms: FormRequests;
  /** The agent inserts prompts into a running turn (`_session/steering`, a de-facto extension). */
  readonly supportsSteering: boolean;

  constructor(connection: MessageConnection, result: JsonObject, options: V1Options) {
    this.#connection = connection;
    this.#options = options;
    this.#earlyUpdates = new EarlyUpdates(() =>
      options.log.warn(
        `${options.agentName} sent too many updates before naming its session. Further ones are ignored.`,
      ),
    );
    this.#forms = new FormRequests(options.openRequests, id => this.#findSession(id));
    this.supportsSteering = asObject(asObject(result["_meta"])["steering"])["supported"] === true;
    const capabilities = asObject(result["agentCapabilities"]);
    const prompt = asObject(capabilities["promptCapabilities"]);
    const servers = asObject(capabilities["mcpCapabilities"]);
    const agent = asObject(result["agentInfo"]);
    this.info = {
      name: asString(agent["title"]) ?? asString(agent["name"]) ?? options.agentName,
      version: asString(agent["version"]) ?? "",
      protocolVersion: 1,
      capabilities: {
        image: prompt["image"] === true,
        audio: prompt["audio"] === true,
        embeddedContext: prompt["embeddedContext"] === true,
      },
      mcpServers: { http: servers["http"] === true, sse: servers["sse"] === true },
    };
    const sessions = asObject(capabilities["sessionCapabilities"]);
    this.#canClose = isObject(sessions["close"]);
    this.#continuingMethods = [
      ...(isObject(sessions["resume"]) ? (["session/resume"] as const) : []),
      ...(capabilities["loadSession"] === true ? (["session/load"] as const) : []),
    ];
    this.signInMethods = signInMethods(asArray(result["authMethods"]), options.program);
    // Clients must not call it otherwise (spec page "Authentication").
    if (isObject(asObject(capabilities["auth"])["logout"])) {
      this.signOut = () =>
        plainAnswer(this.request("logout", {}), options.agentName, "could not sign you out", [this.#ended.signal]);
    }
    this.#serve();
    this.#hasAccount = isObject(asObject(capabilities["auth"])["status"]);
    this.#askForAccount();
  }

  get account(): string | undefined {
    return this.#account;
  }

  #askForAccount(): void {
    if (!this.#hasAccount) return;
    this.request("auth/status", {}).then(
      status => this.#setAccount(status),
      () => this.#options.log.debug(`${this.#options.agentName} did not name its account.`),
    );
  }

  #setAccount(status: unknown): void {
    const account = accountLabel(status);
    if (account === this.#account) return;
    this.#account = account;
    this.#accountChanged.fire();
  }

  open(request: OpenSessionRequest, client: AgentClient): Promise<AgentSession> {
    const params = setupParams(request);
    const opened = this.#answer("session/new", params, client, "the request for a new session").then(
      value => this.#opened(asObject(value), request, client),
      (error: unknown) => {
        throw new ProblemError(this.problem(asError(error), "could not open a session"));
      },
    );
    return this.#earlyUpdates.keepDuring(opened);
  }

  async continueSession(
    request: ContinueSessionRequest,
    client: AgentClient,
  ): Promise<ContinuedAgentSession | undefined> {
    const unused = this.#unused.get(request.sessionId);
    if (unused) return { session: await this.#reopen(unused, client), by: "resume" };
    for (const method of [...this.#continuingMethods]) {
      const session = await this.#earlyUpdates.keepDuring(this.#continueBy(method, request, client));
      if (session) return { session, by: method === "session/load" ? "load" : "resume" };
    }
    return undefined;
  }

  async #reopen(unused: V1Session, client: AgentClient): Promise<V1Session> {
    this.#unused.delete(unused.sessionId);
    await withTimeout(unused.turn, maxTurnWait, () => undefined, this.#options.clock);
    const session = this.#newSession(unused.sessionId, client, unused.updates);
    session.reopened(unused);
    return session;
  }

  /** Undefined if the agent refuses. */
  async #continueBy(
    method: "session/resume" | "session/load",
    request: ContinueSessionRequest,
    client: AgentClient,
  ): Promise<V1Session | undefined> {
    const { sessionId, connection, isKnown } = request;
    const replay = method === "session/load" ? new V1Replay(isKnown, this.#options.clock ?? systemClock) : undefined;
    const updates = new V1Updates(connection, replay ? undefined : isKnown);
    // The replay begins before the answer.
    const loading = replay && this.#newSession(sessionId, client, updates, replay);
    try {
      const waits = (): boolean => replay?.takeProgress() === true;
      const params = { sessionId, ...setupParams(request) };
      const result = asObject(await this.#answer(method, params, client, "the request for this session", waits));
      const answeredId = asString(result["sessionId"]) ?? sessionId;
      const session =
        loading?.sessionId === answeredId ? loading : this.#newSession(answeredId, client, updates, replay);
      if (loading !== session) loading?.dispose();
      session.opened(result, true);
      for (const update of this.#earlyUpdates.take(answeredId)) session.update(update, answeredId);
      await replay?.whenOver(this.#ended.signal);
      return session;
    } catch (failure) {
      const error = asError(failure);
      loading?.dispose();
      this.#unused.delete(sessionId);
      const problem = this.problem(error, "could not continue this conversation");
      if (!(error instanceof ResponseError) || isConnectionClosed(error) || problem.signIn)
        throw new ProblemError(problem);
      if (error.code === ErrorCodes.MethodNotFound)
        this.#continuingMethods.splice(this.#continuingMethods.indexOf(method), 1);
      this.#options.log.info(`${this.#options.agentName} refused ${method}.`, error.message);
      return undefined;
    }
  }

  /** The answer to a request that opens a session. `waits`: the agent is not late although it has not answered. */
  #answer(
    method: string,
    params: JsonObject,
    client: AgentClient,
    request: string,
    waits: () => boolean = () => false,
  ): Promise<unknown> {
    this.#forms.setClient(params, client);
    const limit = { ...this.#options, waitsForUser: () => this.#forms.areOpen || waits() };
    return answerInTime(this.request(method, params), limit, this.#ended.signal, request);
  }

  async authenticate(methodId: string, client: FormClient, signal: AbortSignal): Promise<void> {
    const params = { methodId };
    this.#forms.setClient(params, client);
    const signals = [signal, this.#ended.signal];
    await plainAnswer(this.request("authenticate", params), this.#options.agentName, "did not sign you in", signals);
    this.#askForAccount();
  }

  #opened(result: JsonObject, { connection }: OpenSessionRequest, client: AgentClient): V1Session {
    const sessionId = asString(result["sessionId"]);
    if (sessionId === undefined) {
      const message = `${this.#options.agentName} opened a session without an id. This is an error in the agent.`;
      throw new ProblemError({ message, next: ["restartAgent", "showTraffic"] });
    }
    const session = this.#newSession(sessionId, client, new V1Updates(connection));
    session.opened(result, false);
    for (const update of this.#earlyUpdates.take(sessionId)) session.update(update, sessionId);
    return session;
  }

  #newSession(sessionId: string, client: AgentClient, updates: V1Updates, replay?: V1Replay): V1Session {
    const onDispose = (disposed: V1Session): void => {
      if (this.#sessions.get(sessionId) !== disposed) return;
      for (const id of disposed.subAgentIds) this.#sessions.delete(id);
      this.#sessions.delete(sessionId);
      this.#unused.set(sessionId, disposed);
    };
    // Updates and requests of a sub-agent go to the session that it works for.
    const onSubAgent = (id: string, parent: V1Session): void => {
      if (!this.#sessions.has(id)) this.#sessions.set(id, parent);
    };
    const more = replay && { replay };
    const onClose = (closed: V1Session): void => this.#close(closed);
    const callbacks = { onSubAgent, onDispose, onClose };
    const session = new V1Session({ sessionId, connection: this, client, updates, ...callbacks, ...more });
    this.#sessions.set(sessionId, session);
    this.#unused.delete(sessionId);
    return session;
  }

  /** An agent that cannot close a session still has it open. */
  #close(session: V1Session): void {
    const { sessionId } = session;
    if (!this.#canClose || this.#unused.get(sessionId) !== session) return;
    this.#unused.delete(sessionId);
    this.request("session/close", { sessionId }).catch((failure: unknown) => {
      const { agentName, log } = this.#options;
      if (failure instanceof ResponseError && failure.code === ErrorCodes.MethodNotFound) this.#canClose = false;
      if (!this.#ended.signal.aborted) log.debug(`${agentName} did not close a session.`, asError(failure).message);
    });
  }

  request(method: string, params: JsonObject): Promise<unknown> {
    return sendRequest(this.#connection, method, params);
  }
  notify(method: string, params: JsonObject): void {
    const { agentName, log } = this.#options;
    sendNotification(this.#connection, method, params, error =>
      log.warn(`${method} could not be sent to ${agentName}.`, error.message),
    );
  }

  problem(error: Error, failure: string): Problem {
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
      const session = this.#sessions.get(id) ?? this.#unused.get(id);
      if (session) session.update(update, id);
      else if (!this.#earlyUpdates.keep(id, update))
        log.debug(`${agentName} sent an update for a session that is not open.`, id);
    });
    this.#connection.onNotification("auth/status_update", (status: unknown) => this.#setAccount(status));
    serveAgentRequests(this.#connection, {
      findSession: id => this.#findSession(id),
      askForm: (elicitation, signal) => this.#forms.ask(elicitation, signal),
      completeAddress: id => this.#forms.complete(id),
      ended: this.#ended.signal,
      log,
    });
  }

  async #findSession(sessionId: string): Promise<V1Session | undefined> {
    // A request may overtake the answer that names its session.
    if (!this.#sessions.has(sessionId)) await this.#earlyUpdates.whenOpened();
    return this.#sessions.get(sessionId);
  }

  dispose(): void {
    this.#ended.abort(new Error(`${this.#options.agentName} is no longer running.`));
    this.#accountChanged.dispose();
    for (const session of [...this.#sessions.values()]) session.dispose();
  }
}

/** What opens a session in every way. */
const setupParams = ({ cwd, mcpServers = [] }: OpenSessionRequest): JsonObject => ({
  cwd,
  mcpServers: mcpServers.map(serverToWire),
});
