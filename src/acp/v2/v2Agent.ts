// An Agent that uses ACP v2 (draft): sends requests, and turns updates into session events with v2Updates.ts.
import { ErrorCodes, ResponseError, type MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
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
import { asV1Method } from "./authMethods.ts";
import { serverToV2Wire } from "./serverToV2Wire.ts";
import { V2ImportReplay } from "./v2ImportReplay.ts";
import { V2ConversationReplay, type V2Replay } from "./v2Replay.ts";
import { V2Session, type V2Connection } from "./v2Session.ts";

/** An agent process that uses v2, and its sessions. */
export class V2Agent extends ProtocolAgent<V2Session> implements V2Connection {
  readonly #options: ProtocolAgentOptions;
  readonly #hasSessions: boolean;
  /** Copies of sessions that the agent has open and that no client uses yet. */
  readonly #copies = new Map<string, V2Session>();

  constructor(connection: MessageConnection, result: JsonObject, options: ProtocolAgentOptions) {
    super(connection, introduction(result, options), options);
    this.#options = options;
    this.#hasSessions = isObject(asObject(result["capabilities"])["session"]);
  }

  protected setupParams(request: OpenSessionRequest): JsonObject {
    return {
      cwd: this.folder(request),
      mcpServers: this.servers(request).flatMap(serverToV2Wire),
      ...this.folders(request),
    };
  }

  /**
   * In version 2, every agent can continue sessions. The agent repeats the conversation if the log may lack the end of
   * it. An agent that does not repeat conversations refuses, and is asked to continue without.
   */
  async continueSession(
    request: ContinueSessionRequest,
    client: AgentClient,
  ): Promise<ContinuedAgentSession | undefined> {
    const copy = this.#copies.get(request.sessionId);
    if (copy) return { session: this.#reopen(copy, request, client), by: "resume" };
    const replays = request.lacksEnd ? [true, false] : [false];
    for (const isReplayed of replays) {
      const replay = isReplayed
        ? new V2ConversationReplay(event =>
            request.isCut(event) ? "cut" : request.isKnown(event) ? "whole" : undefined,
          )
        : undefined;
      const session = await this.earlyUpdates.keepDuring(this.#continue(request, client, replay, request));
      if (session !== "refused") return session && { session, by: replay ? "load" : "resume" };
    }
    return undefined;
  }

  loadsSession(sessionId: string): boolean {
    return !this.#copies.has(sessionId);
  }

  #reopen(copy: V2Session, { connection }: OpenSessionRequest, client: AgentClient): V2Session {
    const { sessionId, settings } = copy;
    this.#copies.delete(sessionId);
    copy.dispose();
    const session = this.#newSession(sessionId, connection, client);
    session.reopened(settings);
    return session;
  }

  /** In version 2, every agent that has sessions can send their conversations again. */
  protected get canLoad(): boolean {
    return this.#hasSessions;
  }

  protected async loaded(request: KeptSessionRequest, client: AgentClient): Promise<V2Session | undefined> {
    const session = await this.#continue(request, client, new V2ImportReplay());
    return session === "refused" ? undefined : session;
  }

  protected keepOpen(session: V2Session): void {
    this.#copies.set(session.sessionId, session);
  }

  /** Undefined if the agent refuses the session, and `refused` if it refuses the parameters. */
  async #continue(
    request: KeptSessionRequest,
    client: AgentClient,
    replay: V2Replay | undefined,
    earlier?: ContinueSessionRequest,
  ): Promise<V2Session | "refused" | undefined> {
    const { sessionId, connection } = request;
    const replayFrom = replay && { replayFrom: { type: "start" } };
    // The replay comes before the answer.
    const replaying = replay && this.#newSession(sessionId, connection, client, { replay, earlier });
    try {
      const params = { sessionId, ...this.setupParams(request), ...replayFrom };
      const waits = (): boolean => replay?.takeProgress() === true;
      const result = await this.answer("session/resume", params, client, "the request for this session", waits);
      const session = replaying ?? this.#newSession(sessionId, connection, client, { earlier });
      this.takeEarlyUpdates(session, sessionId);
      session.opened(asObject(result), true);
      return session;
    } catch (failure) {
      replaying?.dispose();
      const error = asError(failure);
      const problem = this.problem(error, name => t("{0} could not continue this conversation", name));
      if (!(error instanceof ResponseError) || isConnectionClosed(error) || problem.signIn)
        throw new ProblemError(problem);
      this.#options.log.info(`${this.agentName} refused session/resume.`, error.message);
      return error.code === ErrorCodes.InvalidParams ? "refused" : undefined;
    }
  }

  protected opened(
    result: JsonObject,
    sessionId: string,
    { connection }: OpenSessionRequest,
    client: AgentClient,
  ): V2Session {
    const session = this.#newSession(sessionId, connection, client);
    this.takeEarlyUpdates(session, sessionId);
    session.opened(result, false);
    return session;
  }

  #newSession(
    sessionId: string,
    connection: number,
    client: AgentClient,
    { replay, earlier }: { readonly replay?: V2Replay; readonly earlier?: ContinueSessionRequest | undefined } = {},
  ): V2Session {
    const session = new V2Session({
      ...{ sessionId, client, agent: this, connection },
      ...(replay && { replay }),
      ...(earlier && { earlier }),
      onClose: id => {
        this.request("session/close", { sessionId: id }).catch((error: unknown) => {
          this.#options.log.debug(`${this.agentName} did not close a session.`, asError(error).message);
        });
      },
      onSubAgent: id => {
        if (!this.sessions.has(id)) this.sessions.set(id, session);
      },
      onDispose: ids => {
        for (const id of ids) if (this.sessions.get(id) === session) this.sessions.delete(id);
      },
    });
    this.sessions.set(sessionId, session);
    return session;
  }
}

function introduction(result: JsonObject, { agentName, place }: ProtocolAgentOptions): Introduction {
  const capabilities = asObject(result["capabilities"]);
  const session = asObject(capabilities["session"]);
  const prompt = asObject(session["prompt"]);
  const servers = asObject(session["mcp"]);
  const agent = asObject(result["info"]);
  const methods = asArray(result["authMethods"]);
  return {
    info: {
      name: parseAgentName(agent) ?? agentName,
      version: asString(agent["version"]) ?? "",
      protocolVersion: 2,
      capabilities: {
        image: isObject(prompt["image"]),
        audio: isObject(prompt["audio"]),
        embeddedContext: isObject(prompt["embeddedContext"]),
      },
      mcpServers: {
        ...{ stdio: isObject(servers["stdio"]), http: isObject(servers["http"]), sse: false },
        ...(isObject(servers["acp"]) && { acp: true }),
      },
    },
    signInMethods: signInMethods(methods.flatMap(asV1Method), programOf(place)),
    signInRequest: "auth/login",
    signOutRequest: methods.length > 0 ? "auth/logout" : undefined,
    hasAccount: isObject(asObject(capabilities["auth"])["status"]),
    keptSessions: [
      ...(isObject(capabilities["session"]) ? (["session/list"] as const) : []),
      ...(["delete", "fork"] as const).filter(name => isObject(session[name])).map(name => `session/${name}` as const),
    ],
    takesFolders: isObject(session["additionalDirectories"]),
    // Version 2 has neither files nor terminals of the client.
    methods: ["session/request_permission"],
  };
}
