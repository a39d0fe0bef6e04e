// Agent over ACP v1: requests down, traffic up through upgrade.ts; binds fs/* and terminal/* to the session's client.
import { ResponseError, type CancellationToken, type MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, Refusal, asError, type Problem, type RefusalKind } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Agent, AgentClient, AgentInfo, AgentSession, TerminalRequest } from "../../session/agent.ts";
import type { ContentBlock, ExitStatus } from "../../session/events.ts";
import { authenticationProblem } from "../authentication.ts";
import {
  parseQuestionOptions,
  asNumber,
  optionalField,
  isObject,
  asArray,
  asString,
  asObject,
  contentToWire,
  type JsonObject,
} from "../parse.ts";
import { V1Updates } from "./v1Updates.ts";
import { answerInTime, isConnectionClosed, asSentence, timeoutProblem } from "../requestTimeout.ts";

interface V1Options {
  readonly agentName: string;
  readonly commandLine: string;
  readonly timeout: number;
  readonly log: Log;
}

// Error codes of the spec page "Error" (v1).
const authRequired = -32000;
const requestCancelled = -32800;
const errorCodes: Record<RefusalKind, number> = {
  notFound: -32002,
  invalid: -32602,
  failed: -32603,
  cancelled: requestCancelled,
};

/** So many updates are kept for sessions whose name is not known yet. */
const maxEarlyUpdates = 10_000;

/** An agent process that speaks v1, with its sessions. */
export class V1Agent implements Agent {
  readonly info: AgentInfo;
  readonly #connection: MessageConnection;
  readonly #options: V1Options;
  readonly #authMethods: readonly JsonObject[];
  readonly #sessions = new Map<string, V1Session>();
  /** Sessions being opened; their first updates may come before the answer that names them. */
  readonly #opening = new Set<Promise<unknown>>();
  readonly #earlyUpdates = new Map<string, JsonObject[]>();
  #earlyCount = 0;
  readonly #ended = new AbortController();

  constructor(connection: MessageConnection, result: JsonObject, options: V1Options) {
    this.#connection = connection;
    this.#options = options;
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
    this.#authMethods = asArray(result["authMethods"]).filter(isObject);
    this.#serve();
  }

  async open(request: { readonly cwd: string }, client: AgentClient): Promise<AgentSession> {
    const answer = this.#request("session/new", { cwd: request.cwd, mcpServers: [] });
    const opened = answerInTime(answer, this.#options.timeout, this.#ended.signal, () =>
      timeoutProblem(this.#options, "the request for a new session"),
    )
      .then(
        value => this.#opened(asObject(value), client),
        (error: unknown) => {
          throw new ProblemError(this.problem(asError(error), "could not open a session"));
        },
      )
      .finally(() => {
        this.#opening.delete(opened);
        if (this.#opening.size > 0) return;
        this.#earlyUpdates.clear();
        this.#earlyCount = 0;
      });
    this.#opening.add(opened);
    return opened;
  }

  #opened(result: JsonObject, client: AgentClient): V1Session {
    const sessionId = asString(result["sessionId"]);
    if (sessionId === undefined) {
      const message = `${this.#options.agentName} opened a session without naming it. This is a fault of the agent.`;
      throw new ProblemError({ message, next: ["restartAgent", "showTraffic"] });
    }
    const session = new V1Session(sessionId, this, client, () => this.#sessions.delete(sessionId));
    this.#sessions.set(sessionId, session);
    session.setup(result);
    for (const update of this.#earlyUpdates.get(sessionId) ?? []) session.update(update);
    this.#earlyUpdates.delete(sessionId);
    return session;
  }

  #keepEarly(sessionId: string, update: JsonObject): void {
    if (++this.#earlyCount > maxEarlyUpdates) {
      if (this.#earlyCount === maxEarlyUpdates + 1)
        this.#options.log.warn(
          `${this.#options.agentName} says too much before it has named its session; the rest is passed over.`,
        );
      return;
    }
    const kept = this.#earlyUpdates.get(sessionId);
    if (kept) kept.push(update);
    else this.#earlyUpdates.set(sessionId, [update]);
  }

  /** Sends a request; rejects with the agent's error, or when the connection ends. */
  async #request(method: string, params: JsonObject): Promise<unknown> {
    // The error is made here so that its stack names the caller.
    const origin = new Error(`${method} failed`);
    try {
      return await this.#connection.sendRequest<unknown>(method, params);
    } catch (error) {
      if (error instanceof Error) error.cause ??= origin;
      throw error;
    }
  }
  request(method: string, params: JsonObject): Promise<unknown> {
    return this.#request(method, params);
  }
  notify(method: string, params: JsonObject): void {
    const failed = (error: unknown): void =>
      this.#options.log.warn(`${this.#options.agentName} could not be told ${method}.`, asError(error).message);
    try {
      this.#connection.sendNotification(method, params).catch(failed);
    } catch (error) {
      failed(error); // A connection that has ended throws at once.
    }
  }

  /** An error of the agent as a sentence. Sign-in needed names the command to run. */
  problem(error: Error, what: string): Problem {
    if (error instanceof ProblemError) return error.problem;
    const { agentName } = this.#options;
    if (error instanceof ResponseError && error.code === authRequired) {
      return authenticationProblem(agentName, this.#options.commandLine, this.#authMethods, error.message);
    }
    const detail = error instanceof ResponseError && error.data !== undefined ? errorDetails(error.data) : undefined;
    const reason = isConnectionClosed(error)
      ? "Its connection has ended."
      : error.message === ""
        ? "It gave no reason."
        : asSentence(error.message);
    return {
      message: `${agentName} ${what}: ${reason}`,
      ...optionalField("detail", detail),
      next: ["retry", "showTraffic", "showLog"],
    };
  }

  #serve(): void {
    const connection = this.#connection;
    // Synchronous on purpose: updates take effect in the order they arrive.
    connection.onNotification("session/update", (params: unknown) => {
      const { sessionId, update } = asObject(params);
      const id = asString(sessionId);
      if (id === undefined || !isObject(update)) {
        this.#options.log.warn(`${this.#options.agentName} sent an update without a session or a body.`);
        return;
      }
      const session = this.#sessions.get(id);
      if (session) session.update(update);
      else if (this.#opening.size > 0) this.#keepEarly(id, update);
      else this.#options.log.debug(`${this.#options.agentName} sent an update for a session that is not open.`, id);
    });
    this.#handle("session/request_permission", (session, params, signal) => session.askPermission(params, signal));
    this.#handle("fs/read_text_file", async (session, params, signal) => {
      const request = {
        path: requireString(params, "path"),
        ...optionalCount(params, "line"),
        ...optionalCount(params, "limit"),
      };
      return { content: await session.client.readTextFile(request, signal) };
    });
    this.#handle("fs/write_text_file", async (session, params, signal) => {
      await session.client.writeTextFile(
        { path: requireString(params, "path"), content: requireString(params, "content") },
        signal,
      );
      return {};
    });
    this.#handle("terminal/create", async (session, params, signal) => ({
      terminalId: await session.client.createTerminal(terminalRequest(params), signal),
    }));
    this.#handle("terminal/output", async (session, params) => {
      const { output, truncated, exit } = await session.client.terminalOutput(requireString(params, "terminalId"));
      return { output, truncated, ...(exit && { exitStatus: wireExit(exit) }) };
    });
    this.#handle("terminal/wait_for_exit", async (session, params, signal) =>
      wireExit(await session.client.waitForTerminalExit(requireString(params, "terminalId"), signal)),
    );
    this.#handle("terminal/kill", async (session, params) => {
      await session.client.killTerminal(requireString(params, "terminalId"));
      return {};
    });
    this.#handle("terminal/release", async (session, params) => {
      await session.client.releaseTerminal(requireString(params, "terminalId"));
      return {};
    });
  }

  #handle(
    method: string,
    serve: (session: V1Session, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>,
  ): void {
    this.#connection.onRequest(method, async (params: unknown, token: CancellationToken) => {
      const cancelled = new AbortController();
      const link = token.onCancellationRequested(() =>
        cancelled.abort(new Refusal("cancelled", "The request was cancelled.")),
      );
      const signal = AbortSignal.any([cancelled.signal, this.#ended.signal]);
      try {
        const given = asObject(params);
        return await serve(await this.#session(given), given, signal);
      } catch (error) {
        throw this.#responseError(method, error);
      } finally {
        link.dispose();
      }
    });
  }

  async #session(params: JsonObject): Promise<V1Session> {
    const sessionId = requireString(params, "sessionId");
    // A request may overtake the answer that names its session.
    if (!this.#sessions.has(sessionId)) await Promise.allSettled([...this.#opening]);
    const session = this.#sessions.get(sessionId);
    if (!session) throw new Refusal("notFound", `There is no session ${shorten(sessionId)}.`, { sessionId });
    return session;
  }

  #responseError(method: string, error: unknown): ResponseError<unknown> {
    if (error instanceof Refusal) {
      return new ResponseError(errorCodes[error.kind], shorten(error.message), shortenTexts(error.data));
    }
    const failure = asError(error);
    this.#options.log.error(`${method} failed`, failure.stack);
    return new ResponseError(errorCodes.failed, failure.message === "" ? `${method} failed.` : failure.message);
  }

  dispose(): void {
    this.#ended.abort(new Error(`${this.#options.agentName} is gone.`));
    for (const session of [...this.#sessions.values()]) session.dispose();
  }
}

class V1Session implements AgentSession {
  readonly sessionId: string;
  readonly client: AgentClient;
  readonly #agent: V1Agent;
  readonly #updates = new V1Updates();
  readonly #onDispose: () => void;
  #cancelled = false;
  #disposed = false;
  /** Permission questions that wait for an answer. */
  #openQuestions = 0;

  constructor(sessionId: string, agent: V1Agent, client: AgentClient, onDispose: () => void) {
    this.sessionId = sessionId;
    this.client = client;
    this.#agent = agent;
    this.#onDispose = onDispose;
  }

  setup(result: JsonObject): void {
    this.#report(this.#updates.setup(result));
  }
  update(update: JsonObject): void {
    this.#report(this.#updates.update(update));
  }
  #report(events: ReturnType<V1Updates["update"]>): void {
    if (!this.#disposed) for (const event of events) this.client.report(event);
  }

  prompt(content: readonly ContentBlock[]): Promise<{ readonly messageId: string }> {
    this.#cancelled = false;
    const { messageId, events } = this.#updates.prompt(content);
    const answer = this.#agent.request("session/prompt", {
      sessionId: this.sessionId,
      prompt: content.map(contentToWire),
    });
    this.#report(events);
    answer.then(
      result => this.#report(this.#updates.turnEnded(asString(asObject(result)["stopReason"]) ?? "end_turn")),
      (error: unknown) => this.#report(this.#failed(asError(error))),
    );
    return Promise.resolve({ messageId });
  }

  /** After a cancel any error is the cancel's; some agents answer with one (spec page "Prompt Turn" asks them not to). */
  #failed(error: Error): ReturnType<V1Updates["update"]> {
    const cancelled = this.#cancelled || (error instanceof ResponseError && error.code === requestCancelled);
    if (cancelled) return this.#updates.turnEnded("cancelled");
    return this.#updates.turnEnded("error", this.#agent.problem(error, "could not finish this turn"));
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
          // As an update, since the list may have become empty.
          if (Array.isArray(configOptions))
            this.update({ sessionUpdate: "config_option_update", configOptions: configOptions as readonly unknown[] });
          return;
        }
      }
      this.#report([{ type: "option", id, value }]);
    } catch (error) {
      throw new ProblemError(this.#agent.problem(asError(error), "did not take this setting"));
    }
  }

  /** The embedded tool call is applied first; then the question is asked. */
  async askPermission(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const options = parseQuestionOptions(params["options"]);
    if (options.length === 0) throw new Refusal("invalid", "A permission request needs at least one option.");
    const toolCall = asObject(params["toolCall"]);
    if (asString(toolCall["toolCallId"]) === undefined && asString(toolCall["title"]) === undefined) {
      throw new Refusal("invalid", "A permission request needs a tool call, with its id.", { field: "toolCall" });
    }
    this.#report(this.#updates.toolCall(toolCall));
    const question = {
      title: asString(toolCall["title"]) ?? "",
      ...optionalField("toolCallId", asString(toolCall["toolCallId"])),
      options,
    };
    this.#openQuestions++;
    this.#report(this.#updates.questionOpened());
    try {
      const answer = await this.client.requestPermission(question, signal);
      return {
        outcome: answer === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId: answer.option },
      };
    } finally {
      if (--this.#openQuestions === 0) this.#report(this.#updates.questionAnswered());
    }
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#onDispose();
  }
}

function requireString(params: JsonObject, field: string): string {
  const value = asString(params[field]);
  if (value === undefined) throw new Refusal("invalid", `The request needs a string in \`${field}\`.`, { field });
  return value;
}

/** A whole number that may be absent or null. */
function optionalCount<K extends "line" | "limit" | "outputByteLimit">(
  params: JsonObject,
  field: K,
): { [P in K]?: number } {
  const value = params[field];
  if (value === undefined || value === null) return {};
  const number = asNumber(value);
  if (number === undefined || number < 0)
    throw new Refusal("invalid", `\`${field}\` must be a number of 0 or more.`, { field });
  return optionalField(field, Math.floor(number));
}

function terminalRequest(params: JsonObject): TerminalRequest {
  const env = optionalList(params, "env", item => {
    const name = asString(asObject(item)["name"]);
    const value = asString(asObject(item)["value"]);
    return name === undefined || value === undefined ? undefined : { name, value };
  });
  const args = optionalList(params, "args", asString);
  return {
    command: requireString(params, "command"),
    ...(args && { args }),
    ...(env && { env }),
    ...(params["cwd"] !== undefined && params["cwd"] !== null && { cwd: requireString(params, "cwd") }),
    ...optionalCount(params, "outputByteLimit"),
  };
}

/** A list that may be absent or null. To leave out what is wrong in it would run another command. */
function optionalList<T>(
  params: JsonObject,
  field: string,
  read: (item: unknown) => T | undefined,
): readonly T[] | undefined {
  const value = params[field];
  if (value === undefined || value === null) return undefined;
  const items = asArray(value).map(read);
  const known = items.filter(item => item !== undefined);
  if (!Array.isArray(value) || known.length < items.length) {
    throw new Refusal("invalid", `\`${field}\` is not a list of what it should hold.`, { field });
  }
  return known;
}

/** What an agent sent goes back to it in short. */
const maxEchoLength = 1000;
const shorten = (words: string): string => (words.length > maxEchoLength ? `${words.slice(0, maxEchoLength)}…` : words);
const shortenTexts = (data: unknown): unknown =>
  isObject(data)
    ? Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, typeof value === "string" ? shorten(value) : value]),
      )
    : data;
const wireExit = (exit: ExitStatus): JsonObject => ({ exitCode: exit.exitCode ?? null, signal: exit.signal ?? null });

function errorDetails(data: unknown): string {
  const words =
    typeof data === "string"
      ? data
      : (asString(asObject(data)["details"]) ?? asString(asObject(data)["message"]) ?? JSON.stringify(data, null, 2));
  return words.slice(0, 4000);
}
