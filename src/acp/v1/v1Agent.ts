// An Agent that uses ACP v1: sends requests, and turns updates into session events with v1Updates.ts.
import { ErrorCodes, ResponseError, type MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, asError } from "../../base/errors.ts";
import { withTimeout } from "../../base/async.ts";
import { t } from "../../base/l10n.ts";
import { systemClock } from "../../base/log.ts";
import type {
  AgentClient,
  ContinuedAgentSession,
  ContinueSessionRequest,
  KeptSessionRequest,
  OpenSessionRequest,
} from "../../session/agent.ts";
import { programOf } from "../agentPlace.ts";
import { isConnectionClosed } from "../agentProblems.ts";
import { isObject, asArray, asString, asObject, parseAgentName, type JsonObject } from "../parse.ts";
import { ProtocolAgent, type Introduction, type ProtocolAgentOptions } from "../protocolAgent.ts";
import { signInMethods } from "../signInMethods.ts";
import { serverToWire } from "./serverToWire.ts";
import { V1Replay } from "./v1Replay.ts";
import { V1Session, type V1Connection } from "./v1Session.ts";
import { V1Updates } from "./v1Updates.ts";

/** A session that continues waits at most this long for the end of its earlier turn (ms). */
const maxTurnWait = 5000;

/** An agent process that uses v1, and its sessions. */
export class V1Agent extends ProtocolAgent<V1Session> implements V1Connection {
  readonly #options: ProtocolAgentOptions;
  /** Sessions that no client uses and that the agent still has open. Some agents destroy a session that is loaded twice. */
  readonly #unused = new Map<string, V1Session>();
  /** The methods that continue a session, in the order in which they are tried. */
  readonly #continuingMethods: ("session/resume" | "session/load")[];
  /** False once the agent has answered that it lacks the method, although it advertises it. */
  #canClose: boolean;
  /** The agent inserts prompts into a running turn (`_session/steering`, a de-facto extension). */
  readonly supportsSteering: boolean;

  constructor(connection: MessageConnection, result: JsonObject, options: ProtocolAgentOptions) {
    super(connection, introduction(result, options), options);
    this.#options = options;
    this.supportsSteering = asObject(asObject(result["_meta"])["steering"])["supported"] === true;
    const capabilities = asObject(result["agentCapabilities"]);
    const sessions = asObject(capabilities["sessionCapabilities"]);
    this.#canClose = isObject(sessions["close"]);
    this.#continuingMethods = [
      ...(isObject(sessions["resume"]) ? (["session/resume"] as const) : []),
      ...(capabilities["loadSession"] === true ? (["session/load"] as const) : []),
    ];
  }

  protected override unusedSession(sessionId: string): V1Session | undefined {
    return this.#unused.get(sessionId);
  }

  protected setupParams(request: OpenSessionRequest): JsonObject {
    return { cwd: this.folder(request), mcpServers: this.servers(request).map(serverToWire), ...this.folders(request) };
  }

  async continueSession(
    request: ContinueSessionRequest,
    client: AgentClient,
  ): Promise<ContinuedAgentSession | undefined> {
    const unused = this.#unused.get(request.sessionId);
    if (unused) return { session: await this.#reopen(unused, client), by: "resume" };
    for (const method of this.#continuingOrder(request)) {
      const session = await this.earlyUpdates.keepDuring(this.#continueBy(method, request, client));
      if (session) return { session, by: method === "session/load" ? "load" : "resume" };
    }
    return undefined;
  }

  /**
   * An agent on a server works on while the connection is lost, and only `session/load` repeats what Parley missed. Any other
   * agent has ended with its connection.
   */
  #continuingOrder({ lacksEnd }: ContinueSessionRequest): readonly ("session/resume" | "session/load")[] {
    const methods = [...this.#continuingMethods];
    const isLoad = (method: string): number => Number(method === "session/load");
    return lacksEnd && !programOf(this.#options.place) ? methods.sort((a, b) => isLoad(b) - isLoad(a)) : methods;
  }

  loadsSession(sessionId: string): boolean {
    return this.#continuingMethods.length > 0 && !this.#unused.has(sessionId);
  }

  async #reopen(unused: V1Session, client: AgentClient): Promise<V1Session> {
    this.#unused.delete(unused.sessionId);
    await withTimeout(unused.turn, maxTurnWait, () => undefined, this.#options.clock);
    const session = this.#newSession(unused.sessionId, client, unused.updates);
    session.reopened(unused);
    return session;
  }

  protected get canLoad(): boolean {
    return this.#continuingMethods.includes("session/load");
  }

  protected async loaded(request: KeptSessionRequest, client: AgentClient): Promise<V1Session | undefined> {
    const whole = { ...request, isKnown: () => false, isCut: () => false, lacksEnd: false };
    const session = await this.#continueBy("session/load", whole, client, true);
    session?.replayed();
    return session;
  }

  /** A disposed session is unused, until a client continues it. */
  protected keepOpen(session: V1Session): void {
    session.dispose();
  }

  /** Undefined if the agent refuses. `shows`: Parley does not have the conversation. */
  async #continueBy(
    method: "session/resume" | "session/load",
    request: ContinueSessionRequest,
    client: AgentClient,
    shows = false,
  ): Promise<V1Session | undefined> {
    const { sessionId, connection, isKnown } = request;
    const clock = this.#options.clock ?? systemClock;
    const replay = method === "session/load" ? new V1Replay(isKnown, clock, shows) : undefined;
    const updates = new V1Updates(connection, replay ? undefined : isKnown);
    if (shows) updates.beginReplay();
    // The replay begins before the answer.
    const loading = replay && this.#newSession(sessionId, client, updates, replay);
    try {
      const waits = (): boolean => replay?.takeProgress() === true;
      const params = { sessionId, ...this.setupParams(request) };
      const result = asObject(await this.answer(method, params, client, "the request for this session", waits));
      const answeredId = asString(result["sessionId"]) ?? sessionId;
      const session =
        loading?.sessionId === answeredId ? loading : this.#newSession(answeredId, client, updates, replay);
      if (loading !== session) loading?.dispose();
      this.takeEarlyUpdates(session, answeredId);
      session.opened(result, true);
      await replay?.whenOver(this.ended);
      return session;
    } catch (failure) {
      const error = asError(failure);
      loading?.dispose();
      this.#unused.delete(sessionId);
      const problem = this.problem(error, name => t("{0} could not continue this conversation", name));
      if (!(error instanceof ResponseError) || isConnectionClosed(error) || problem.signIn)
        throw new ProblemError(problem);
      if (error.code === ErrorCodes.MethodNotFound)
        this.#continuingMethods.splice(this.#continuingMethods.indexOf(method), 1);
      this.#options.log.info(`${this.agentName} refused ${method}.`, error.message);
      return undefined;
    }
  }

  protected opened(
    result: JsonObject,
    sessionId: string,
    { connection }: OpenSessionRequest,
    client: AgentClient,
  ): V1Session {
    const session = this.#newSession(sessionId, client, new V1Updates(connection));
    this.takeEarlyUpdates(session, sessionId);
    session.opened(result, false);
    return session;
  }

  #newSession(sessionId: string, client: AgentClient, updates: V1Updates, replay?: V1Replay): V1Session {
    const onDispose = (disposed: V1Session): void => {
      if (this.sessions.get(sessionId) !== disposed) return;
      for (const id of disposed.subAgentIds) this.sessions.delete(id);
      this.sessions.delete(sessionId);
      this.#unused.set(sessionId, disposed);
    };
    // Updates and requests of a sub-agent go to the session that it works for.
    const onSubAgent = (id: string, parent: V1Session): void => {
      if (!this.sessions.has(id)) this.sessions.set(id, parent);
    };
    const more = replay && { replay };
    const onClose = (closed: V1Session): void => this.#close(closed);
    const callbacks = { onSubAgent, onDispose, onClose };
    const session = new V1Session({ sessionId, connection: this, client, updates, ...callbacks, ...more });
    this.sessions.set(sessionId, session);
    this.#unused.delete(sessionId);
    return session;
  }

  /** An agent that cannot close a session still has it open. */
  #close(session: V1Session): void {
    const { sessionId } = session;
    if (!this.#canClose || this.#unused.get(sessionId) !== session) return;
    this.#unused.delete(sessionId);
    this.request("session/close", { sessionId }).catch((failure: unknown) => {
      if (failure instanceof ResponseError && failure.code === ErrorCodes.MethodNotFound) this.#canClose = false;
      if (!this.ended.aborted)
        this.#options.log.debug(`${this.agentName} did not close a session.`, asError(failure).message);
    });
  }
}

function introduction(result: JsonObject, { agentName, place }: ProtocolAgentOptions): Introduction {
  const capabilities = asObject(result["agentCapabilities"]);
  const prompt = asObject(capabilities["promptCapabilities"]);
  const servers = asObject(capabilities["mcpCapabilities"]);
  const auth = asObject(capabilities["auth"]);
  const agent = asObject(result["agentInfo"]);
  const sessions = asObject(capabilities["sessionCapabilities"]);
  const kept = (["list", "delete", "fork"] as const).filter(name => isObject(sessions[name]));
  return {
    info: {
      name: parseAgentName(agent) ?? agentName,
      version: asString(agent["version"]) ?? "",
      protocolVersion: 1,
      capabilities: {
        image: prompt["image"] === true,
        audio: prompt["audio"] === true,
        embeddedContext: prompt["embeddedContext"] === true,
      },
      mcpServers: {
        ...{ http: servers["http"] === true, sse: servers["sse"] === true },
        ...(servers["acp"] === true && { acp: true }),
      },
    },
    signInMethods: signInMethods(asArray(result["authMethods"]), programOf(place)),
    signInRequest: "authenticate",
    // Clients must not call it otherwise (spec page "Authentication").
    signOutRequest: isObject(auth["logout"]) ? "logout" : undefined,
    hasAccount: isObject(auth["status"]),
    keptSessions: kept.map(name => `session/${name}` as const),
    takesFolders: isObject(asObject(capabilities["sessionCapabilities"])["additionalDirectories"]),
  };
}
