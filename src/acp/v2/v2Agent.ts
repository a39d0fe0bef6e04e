// An Agent that uses ACP v2 (draft): sends requests, and turns updates into session events with v2Updates.ts.
import { ResponseError, type MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, asError, type Problem } from "../../base/errors.ts";
import { Emitter, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
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
import { asV1Method } from "./authMethods.ts";
import { V2Session, type V2Connection } from "./v2Session.ts";

/** What an agent of version 2 is made of. */
export interface V2Options {
  readonly agentName: string;
  readonly program: AgentProgram;
  readonly timeout?: number;
  readonly log: Log;
  readonly openRequests: OpenRequests;
}

/** An agent process that uses v2, and its sessions. */
export class V2Agent implements Agent, V2Connection {
  readonly info: AgentInfo;
  readonly signInMethods: readonly SignInMethod[];
  readonly signOut?: () => Promise<void>;
  readonly #accountChanged = new Emitter<void>();
  readonly onDidChangeAccount: Event<void> = this.#accountChanged.event;
  readonly #connection: MessageConnection;
  readonly #options: V2Options;
  /** The sessions by their ids, and by the ids of their sub-agents. */
  readonly #sessions = new Map<string, V2Session>();
  readonly #earlyUpdates: EarlyUpdates;
  readonly #forms: FormRequests;
  readonly #ended = new AbortController();
  readonly #hasAccount: boolean;
  #account: string | undefined;

  constructor(connection: MessageConnection, result: JsonObject, options: V2Options) {
    this.#connection = connection;
    this.#options = options;
    this.#earlyUpdates = new EarlyUpdates(() =>
      options.log.warn(
        `${options.agentName} sent too many updates before naming its session. Further ones are ignored.`,
      ),
    );
    this.#forms = new FormRequests(options.openRequests, id => this.#findSession(id));
    const capabilities = asObject(result["capabilities"]);
    const prompt = asObject(asObject(capabilities["session"])["prompt"]);
    const agent = asObject(result["info"]);
    this.info = {
      name: asString(agent["title"]) ?? asString(agent["name"]) ?? options.agentName,
      version: asString(agent["version"]) ?? "",
      protocolVersion: 2,
      capabilities: {
        image: isObject(prompt["image"]),
        audio: isObject(prompt["audio"]),
        embeddedContext: isObject(prompt["embeddedContext"]),
      },
    };
    const methods = asArray(result["authMethods"]);
    this.signInMethods = signInMethods(methods.flatMap(asV1Method), options.program);
    if (methods.length > 0) {
      this.signOut = () =>
        plainAnswer(this.request("auth/logout", {}), options.agentName, "could not sign you out", [this.#ended.signal]);
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
    const params = { cwd: request.cwd, mcpServers: [] };
    this.#forms.setClient(params, client);
    const limit = { ...this.#options, waitsForUser: () => this.#forms.areOpen };
    const answer = this.request("session/new", params);
    const opened = answerInTime(answer, limit, this.#ended.signal, "the request for a new session").then(
      value => this.#opened(asObject(value), request, client),
      (error: unknown) => {
        throw new ProblemError(this.problem(asError(error), "could not open a session"));
      },
    );
    return this.#earlyUpdates.keepDuring(opened);
  }

  /** In version 2, every agent can continue sessions. The conversation is known here, so the agent does not repeat it. */
  continueSession(request: ContinueSessionRequest, client: AgentClient): Promise<ContinuedAgentSession | undefined> {
    return this.#earlyUpdates.keepDuring(this.#continue(request, client));
  }

  /** Undefined if the agent refuses. */
  async #continue(
    { sessionId, cwd, connection }: ContinueSessionRequest,
    client: AgentClient,
  ): Promise<ContinuedAgentSession | undefined> {
    const params = { sessionId, cwd, mcpServers: [] };
    this.#forms.setClient(params, client);
    const limit = { ...this.#options, waitsForUser: () => this.#forms.areOpen };
    try {
      const answer = this.request("session/resume", params);
      const result = await answerInTime(answer, limit, this.#ended.signal, "the request for this session");
      const session = this.#newSession(sessionId, connection, client);
      session.opened(asObject(result), true);
      for (const update of this.#earlyUpdates.take(sessionId)) session.update(update, sessionId);
      return { session, by: "resume" };
    } catch (failure) {
      const error = asError(failure);
      const problem = this.problem(error, "could not continue this conversation");
      if (!(error instanceof ResponseError) || isConnectionClosed(error) || problem.signIn)
        throw new ProblemError(problem);
      this.#options.log.info(`${this.#options.agentName} refused session/resume.`, error.message);
      return undefined;
    }
  }

  #opened(result: JsonObject, request: OpenSessionRequest, client: AgentClient): V2Session {
    const sessionId = asString(result["sessionId"]);
    if (sessionId === undefined) {
      const message = `${this.#options.agentName} opened a session without an id. This is an error in the agent.`;
      throw new ProblemError({ message, next: ["restartAgent", "showTraffic"] });
    }
    const session = this.#newSession(sessionId, request.connection, client);
    session.opened(result, false);
    for (const update of this.#earlyUpdates.take(sessionId)) session.update(update, sessionId);
    return session;
  }

  #newSession(sessionId: string, connection: number, client: AgentClient): V2Session {
    const session = new V2Session({
      ...{ sessionId, client, agent: this, connection },
      onClose: id => {
        this.request("session/close", { sessionId: id }).catch((error: unknown) => {
          this.#options.log.debug(`${this.#options.agentName} did not close a session.`, asError(error).message);
        });
      },
      onSubAgent: id => {
        if (!this.#sessions.has(id)) this.#sessions.set(id, session);
      },
      onDispose: ids => {
        for (const id of ids) if (this.#sessions.get(id) === session) this.#sessions.delete(id);
      },
    });
    this.#sessions.set(sessionId, session);
    return session;
  }

  async authenticate(methodId: string, client: FormClient, signal: AbortSignal): Promise<void> {
    const params = { methodId };
    this.#forms.setClient(params, client);
    const signals = [signal, this.#ended.signal];
    await plainAnswer(this.request("auth/login", params), this.#options.agentName, "did not sign you in", signals);
    this.#askForAccount();
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

  get agentName(): string {
    return this.#options.agentName;
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
      const session = this.#sessions.get(id);
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
      // Version 2 has neither files nor terminals of the client.
      methods: ["session/request_permission"],
    });
  }

  async #findSession(sessionId: string): Promise<V2Session | undefined> {
    // A request may overtake the answer that names its session.
    if (!this.#sessions.has(sessionId)) await this.#earlyUpdates.whenOpened();
    return this.#sessions.get(sessionId);
  }

  dispose(): void {
    this.#ended.abort(new Error(`${this.#options.agentName} is no longer running.`));
    this.#accountChanged.dispose();
    for (const session of new Set(this.#sessions.values())) session.dispose();
  }
}
