// An Agent that uses ACP v1: sends requests, and turns updates into session events with v1Updates.ts.
import { ResponseError, type MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, Refusal, asError, type Problem } from "../../base/errors.ts";
import { untilAborted } from "../../base/async.ts";
import { Emitter, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type {
  Agent,
  AgentClient,
  AgentInfo,
  AgentSession,
  FormClient,
  OpenSessionRequest,
  PermissionQuestion,
  TerminalRequest,
} from "../../session/agent.ts";
import type { ContentBlock, QuestionAnswer } from "../../session/events.ts";
import type { FormAnswer } from "../../session/forms/form.ts";
import type { AgentProgram, SignInMethod } from "../../session/signIn.ts";
import { accountLabel } from "../account.ts";
import { agentProblem, answerInTime, asSentence } from "../agentProblems.ts";
import { permissionResult, readPermissionRequest, serveAgentRequests, type RequestSession } from "../agentRequests.ts";
import { sendNotification, sendRequest } from "../clientRequests.ts";
import { EarlyUpdates } from "../earlyUpdates.ts";
import { authRequired, requestCancelled } from "../errorCodes.ts";
import { errorReason } from "../errorReason.ts";
import type { OpenRequests } from "../openRequests.ts";
import { maxPromptBytes, promptLineBytes, promptSizeProblem } from "../promptSize.ts";
import { isObject, asArray, asString, asObject, contentToWire, optionalField, type JsonObject } from "../parse.ts";
import type { Elicitation } from "../readElicitation.ts";
import { signInMethods } from "../signInMethods.ts";
import { turnUsage } from "./usage.ts";
import { V1Updates } from "./v1Updates.ts";

interface V1Options {
  readonly agentName: string;
  readonly program: AgentProgram;
  readonly timeout: number;
  readonly log: Log;
  readonly openRequests: OpenRequests;
}

/** An agent process that uses v1, and its sessions. */
export class V1Agent implements Agent {
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
  readonly #earlyUpdates: EarlyUpdates;
  readonly #ended = new AbortController();
  /** The clients of requests that name no session, by their parameters. */
  readonly #clients = new WeakMap<object, FormClient>();
  /** The clients that show a web address, by its id. */
  readonly #addresses = new Map<string, FormClient>();
  #openForms = 0;

  constructor(connection: MessageConnection, result: JsonObject, options: V1Options) {
    this.#connection = connection;
    this.#options = options;
    this.#earlyUpdates = new EarlyUpdates(() =>
      options.log.warn(
        `${options.agentName} sent too many updates before naming its session. Further ones are ignored.`,
      ),
    );
    const capabilities = asObject(result["agentCapabilities"]);
    const prompt = asObject(capabilities["promptCapabilities"]);
    const agent = asObject(result["agentInfo"]);
    this.info = {
      name: asString(agent["title"]) ?? asString(agent["name"]) ?? options.agentName,
      version: asString(agent["version"]) ?? "",
      protocolVersion: 1,
      capabilities: {
        image: prompt["image"] === true,
        audio: prompt["audio"] === true,
        embeddedContext: prompt["embeddedContext"] === true,
        load: capabilities["loadSession"] === true,
      },
    };
    this.signInMethods = signInMethods(asArray(result["authMethods"]), options.program);
    // Clients must not call it otherwise (spec page "Authentication").
    if (isObject(asObject(capabilities["auth"])["logout"])) {
      this.signOut = async () => {
        await this.#answered(this.request("logout", {}), "could not sign you out", this.#ended.signal);
      };
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
    this.#clients.set(params, client);
    const answer = this.request("session/new", params);
    const limit = { ...this.#options, waitsForUser: () => this.#openForms > 0 };
    const opened = answerInTime(answer, limit, this.#ended.signal, "the request for a new session").then(
      value => this.#opened(asObject(value), request, client),
      (error: unknown) => {
        throw new ProblemError(this.problem(asError(error), "could not open a session"));
      },
    );
    return this.#earlyUpdates.keepDuring(opened);
  }

  async authenticate(methodId: string, client: FormClient, signal: AbortSignal): Promise<void> {
    const params = { methodId };
    this.#clients.set(params, client);
    await this.#answered(this.request("authenticate", params), "did not sign you in", signal);
    this.#askForAccount();
  }

  /** Rejects with a problem that does not offer to sign in, because this is part of signing in or out. */
  async #answered(answer: Promise<unknown>, failure: string, signal: AbortSignal): Promise<void> {
    const { agentName } = this.#options;
    try {
      await untilAborted(answer, [signal, this.#ended.signal], (): never => {
        throw new Error("It was cancelled.");
      });
    } catch (error) {
      const { sentence, detail } = errorReason(asError(error));
      const message = `${agentName} ${failure}: ${sentence === "" ? "It gave no reason." : asSentence(sentence)}`;
      throw new ProblemError({ message, ...optionalField("detail", detail), next: ["showTraffic"] });
    }
  }

  #opened(result: JsonObject, { connection }: OpenSessionRequest, client: AgentClient): V1Session {
    const sessionId = asString(result["sessionId"]);
    if (sessionId === undefined) {
      const message = `${this.#options.agentName} opened a session without an id. This is an error in the agent.`;
      throw new ProblemError({ message, next: ["restartAgent", "showTraffic"] });
    }
    const updates = new V1Updates(connection);
    const session = new V1Session(sessionId, this, client, updates, () => this.#sessions.delete(sessionId));
    this.#sessions.set(sessionId, session);
    session.setup(result);
    for (const update of this.#earlyUpdates.take(sessionId)) session.update(update);
    return session;
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
      const session = this.#sessions.get(id);
      if (session) session.update(update);
      else if (!this.#earlyUpdates.keep(id, update))
        log.debug(`${agentName} sent an update for a session that is not open.`, id);
    });
    this.#connection.onNotification("auth/status_update", (status: unknown) => this.#setAccount(status));
    serveAgentRequests(this.#connection, {
      findSession: id => this.#findSession(id),
      askForm: (elicitation, signal) => this.#askForm(elicitation, signal),
      completeAddress: id => {
        this.#addresses.get(id)?.completeAddress(id);
        this.#addresses.delete(id);
      },
      ended: this.#ended.signal,
      log,
    });
  }

  async #askForm({ scope, ...asked }: Elicitation, signal: AbortSignal): Promise<FormAnswer> {
    const request = "requestId" in scope ? this.#options.openRequests.find(scope.requestId) : undefined;
    const sessionId = "requestId" in scope ? asString(request?.params["sessionId"]) : scope.sessionId;
    const session = sessionId === undefined ? undefined : await this.#findSession(sessionId);
    const client = session?.client ?? (request && this.#clients.get(request.params));
    if (!client) throw new Refusal("notFound", "There is no open request or session with this id.", scope);
    if (asked.type === "url") this.#addresses.set(asked.elicitationId, client);
    const toolCallId = "toolCallId" in scope ? scope.toolCallId : undefined;
    this.#openForms++;
    try {
      const answer = await client.askForm(
        { ...asked, ...(toolCallId !== undefined && { toolCallId }) },
        request ? AbortSignal.any([signal, request.answered]) : signal,
      );
      // Nothing is shown any more, so the agent has nothing to complete.
      if (asked.type === "url" && (answer === "cancelled" || answer.action !== "accept"))
        this.#addresses.delete(asked.elicitationId);
      return answer;
    } finally {
      this.#openForms--;
    }
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

class V1Session implements AgentSession, RequestSession {
  readonly sessionId: string;
  readonly client: AgentClient;
  readonly #agent: V1Agent;
  readonly #updates: V1Updates;
  readonly #onDispose: () => void;
  #cancelled = false;
  #disposed = false;
  /** The number of permission requests that wait for an answer. */
  #openQuestions = 0;

  constructor(sessionId: string, agent: V1Agent, client: AgentClient, updates: V1Updates, onDispose: () => void) {
    this.sessionId = sessionId;
    this.client = client;
    this.#agent = agent;
    this.#updates = updates;
    this.#onDispose = onDispose;
  }

  setup(result: JsonObject): void {
    this.#report([{ type: "agentSession", sessionId: this.sessionId }]);
    this.#report(this.#updates.setup(result));
  }
  update(update: JsonObject): void {
    this.#report(this.#updates.update(update));
  }
  #report(events: ReturnType<V1Updates["update"]>): void {
    if (!this.#disposed) for (const event of events) this.client.report(event);
  }

  prompt(content: readonly ContentBlock[]): Promise<{ readonly messageId: string }> {
    const size = promptLineBytes(content, this.sessionId);
    if (size > maxPromptBytes) return Promise.reject(new ProblemError(promptSizeProblem(size)));
    this.#cancelled = false;
    const { messageId, events } = this.#updates.prompt(content);
    const answer = this.#agent.request("session/prompt", {
      sessionId: this.sessionId,
      prompt: content.map(contentToWire),
    });
    this.#report(events);
    answer.then(
      result => this.#ended(asObject(result)),
      (error: unknown) => this.#report(this.#failed(asError(error))),
    );
    return Promise.resolve({ messageId });
  }

  #ended(result: JsonObject): void {
    this.#report(this.#updates.turnEnded(asString(result["stopReason"]) ?? "end_turn", undefined, turnUsage(result)));
  }

  /**
   * After a cancel, any error counts as cancelled: some agents answer with one, against the spec (page "Prompt Turn").
   */
  #failed(error: Error): ReturnType<V1Updates["update"]> {
    const cancelled = this.#cancelled || (error instanceof ResponseError && error.code === requestCancelled);
    if (cancelled) return this.#updates.turnEnded("cancelled");
    const ended = this.#updates.turnEnded("error", this.#agent.problem(error, "could not finish this turn"));
    if (!(error instanceof ResponseError && error.code === authRequired)) return ended;
    return ended.map(event => (event.type === "activity" ? { ...event, unsent: true } : event));
  }

  cancel(): void {
    this.#cancelled = true;
    if (this.#disposed) return;
    this.#agent.notify("session/cancel", { sessionId: this.sessionId });
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    const { sessionId } = this;
    try {
      switch (this.#updates.optionOrigin(id)) {
        case "mode":
          await this.#agent.request("session/set_mode", { sessionId, modeId: value });
          break;
        case "model":
          await this.#agent.request("session/set_model", { sessionId, modelId: value });
          break;
        default: {
          const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
          const result = asObject(
            await this.#agent.request("session/set_config_option", { sessionId, configId: id, ...typed }),
          );
          const { configOptions } = result;
          // Handled as an update, because the list may have become empty.
          if (Array.isArray(configOptions))
            return this.update({
              sessionUpdate: "config_option_update",
              configOptions: configOptions as readonly unknown[],
            });
        }
      }
      this.#report(this.#updates.optionSet(id, value));
    } catch (error) {
      const problem = this.#agent.problem(asError(error), "rejected this setting");
      if (problem.signIn) this.#report([{ type: "signInNeeded", problem }]);
      throw new ProblemError(problem);
    }
  }

  /** Applies the embedded tool call, then asks the question. */
  async askPermission(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { question, toolCall } = readPermissionRequest(params);
    this.#report(this.#updates.toolCall(toolCall));
    this.#openQuestions++;
    this.#report(this.#updates.questionOpened());
    try {
      const answer = await this.client.requestPermission(question, signal);
      if (question.toolCallId !== undefined && isRejection(answer, question))
        this.#updates.refused(question.toolCallId);
      return permissionResult(answer);
    } finally {
      if (--this.#openQuestions === 0) this.#report(this.#updates.questionAnswered());
    }
  }

  async createTerminal(request: TerminalRequest, signal: AbortSignal): Promise<string> {
    const terminalId = await this.client.createTerminal(request, signal);
    this.#updates.clientTerminal(terminalId);
    return terminalId;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#onDispose();
  }
}

function isRejection(answer: QuestionAnswer, { options }: PermissionQuestion): boolean {
  if (answer === "cancelled") return true;
  return options.find(option => option.id === answer.option)?.kind.startsWith("reject_") ?? false;
}
