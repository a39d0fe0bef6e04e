// Agent over ACP v1: requests down, traffic up through upgrade.ts; binds fs/* and terminal/* to the session's client.
import { ResponseError, type CancellationToken, type MessageConnection } from "vscode-jsonrpc/node";
import { ProblemError, Refusal, asError, type Problem, type RefusalKind } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Agent, AgentClient, AgentInfo, AgentSession, TerminalRequest } from "../../session/agent.ts";
import type { Content, ExitStatus } from "../../session/events.ts";
import { signInNeeded } from "../authentication.ts";
import { askOptions, finite, given, isWire, list, text, wire, wireContent, type Wire } from "../parse.ts";
import { V1Upgrade } from "./v1Updates.ts";
import { inTime, isGone, sentence, silent } from "../requestTimeout.ts";

interface V1Options {
  readonly agentName: string;
  readonly commandLine: string;
  readonly timeout: number;
  readonly log: Log;
}

// Error codes of the spec page "Error" (v1).
const authRequired = -32000;
const requestCancelled = -32800;
const codes: Record<RefusalKind, number> = {
  notFound: -32002,
  invalid: -32602,
  failed: -32603,
  cancelled: requestCancelled,
};

/** So many updates are kept for sessions whose name is not known yet. */
const maxEarly = 10_000;

/** An agent process that speaks v1, with its sessions. */
export class V1Agent implements Agent {
  readonly info: AgentInfo;
  readonly #connection: MessageConnection;
  readonly #options: V1Options;
  readonly #authMethods: readonly Wire[];
  readonly #sessions = new Map<string, V1Session>();
  /** Sessions being opened; their first updates may come before the answer that names them. */
  readonly #opening = new Set<Promise<unknown>>();
  readonly #early = new Map<string, Wire[]>();
  #earlyCount = 0;
  readonly #ended = new AbortController();

  constructor(connection: MessageConnection, result: Wire, options: V1Options) {
    this.#connection = connection;
    this.#options = options;
    const capabilities = wire(result["agentCapabilities"]);
    const prompt = wire(capabilities["promptCapabilities"]);
    const agent = wire(result["agentInfo"]);
    this.info = {
      name: text(agent["title"]) ?? text(agent["name"]) ?? options.agentName,
      version: text(agent["version"]) ?? "",
      protocolVersion: 1,
      can: {
        image: prompt["image"] === true,
        audio: prompt["audio"] === true,
        embeddedContext: prompt["embeddedContext"] === true,
        load: capabilities["loadSession"] === true,
      },
    };
    this.#authMethods = list(result["authMethods"]).filter(isWire);
    this.#serve();
  }

  async open(request: { readonly cwd: string }, client: AgentClient): Promise<AgentSession> {
    const answer = this.#request("session/new", { cwd: request.cwd, mcpServers: [] });
    const opened = inTime(answer, this.#options.timeout, this.#ended.signal, () =>
      silent(this.#options, "the request for a new session"),
    )
      .then(
        value => this.#opened(wire(value), client),
        (error: unknown) => {
          throw new ProblemError(this.problem(asError(error), "could not open a session"));
        },
      )
      .finally(() => {
        this.#opening.delete(opened);
        if (this.#opening.size > 0) return;
        this.#early.clear();
        this.#earlyCount = 0;
      });
    this.#opening.add(opened);
    return opened;
  }

  #opened(result: Wire, client: AgentClient): V1Session {
    const sessionId = text(result["sessionId"]);
    if (sessionId === undefined) {
      const message = `${this.#options.agentName} opened a session without naming it. This is a fault of the agent.`;
      throw new ProblemError({ message, next: ["restartAgent", "showTraffic"] });
    }
    const session = new V1Session(sessionId, this, client, () => this.#sessions.delete(sessionId));
    this.#sessions.set(sessionId, session);
    session.setup(result);
    for (const update of this.#early.get(sessionId) ?? []) session.update(update);
    this.#early.delete(sessionId);
    return session;
  }

  #keepEarly(sessionId: string, update: Wire): void {
    if (++this.#earlyCount > maxEarly) {
      if (this.#earlyCount === maxEarly + 1)
        this.#options.log.warn(
          `${this.#options.agentName} says too much before it has named its session; the rest is passed over.`,
        );
      return;
    }
    const kept = this.#early.get(sessionId);
    if (kept) kept.push(update);
    else this.#early.set(sessionId, [update]);
  }

  /** Sends a request; rejects with the agent's error, or when the connection ends. */
  async #request(method: string, params: Wire): Promise<unknown> {
    // The error is made here so that its stack names the caller.
    const origin = new Error(`${method} failed`);
    try {
      return await this.#connection.sendRequest<unknown>(method, params);
    } catch (error) {
      if (error instanceof Error) error.cause ??= origin;
      throw error;
    }
  }
  request(method: string, params: Wire): Promise<unknown> {
    return this.#request(method, params);
  }
  notify(method: string, params: Wire): void {
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
      return signInNeeded(agentName, this.#options.commandLine, this.#authMethods, error.message);
    }
    const detail = error instanceof ResponseError && error.data !== undefined ? details(error.data) : undefined;
    const reason = isGone(error)
      ? "Its connection has ended."
      : error.message === ""
        ? "It gave no reason."
        : sentence(error.message);
    return {
      message: `${agentName} ${what}: ${reason}`,
      ...given("detail", detail),
      next: ["retry", "showTraffic", "showLog"],
    };
  }

  #serve(): void {
    const connection = this.#connection;
    // Synchronous on purpose: updates take effect in the order they arrive.
    connection.onNotification("session/update", (params: unknown) => {
      const { sessionId, update } = wire(params);
      const id = text(sessionId);
      if (id === undefined || !isWire(update)) {
        this.#options.log.warn(`${this.#options.agentName} sent an update without a session or a body.`);
        return;
      }
      const session = this.#sessions.get(id);
      if (session) session.update(update);
      else if (this.#opening.size > 0) this.#keepEarly(id, update);
      else this.#options.log.debug(`${this.#options.agentName} sent an update for a session that is not open.`, id);
    });
    this.#handle("session/request_permission", (session, params, signal) => session.permission(params, signal));
    this.#handle("fs/read_text_file", async (session, params, signal) => {
      const request = { path: need(params, "path"), ...count(params, "line"), ...count(params, "limit") };
      return { content: await session.client.readTextFile(request, signal) };
    });
    this.#handle("fs/write_text_file", async (session, params, signal) => {
      await session.client.writeTextFile({ path: need(params, "path"), content: need(params, "content") }, signal);
      return {};
    });
    this.#handle("terminal/create", async (session, params, signal) => ({
      terminalId: await session.client.createTerminal(terminalRequest(params), signal),
    }));
    this.#handle("terminal/output", async (session, params) => {
      const { output, truncated, exit } = await session.client.terminalOutput(need(params, "terminalId"));
      return { output, truncated, ...(exit && { exitStatus: wireExit(exit) }) };
    });
    this.#handle("terminal/wait_for_exit", async (session, params, signal) =>
      wireExit(await session.client.waitForTerminalExit(need(params, "terminalId"), signal)),
    );
    this.#handle("terminal/kill", async (session, params) => {
      await session.client.killTerminal(need(params, "terminalId"));
      return {};
    });
    this.#handle("terminal/release", async (session, params) => {
      await session.client.releaseTerminal(need(params, "terminalId"));
      return {};
    });
  }

  #handle(method: string, serve: (session: V1Session, params: Wire, signal: AbortSignal) => Promise<Wire>): void {
    this.#connection.onRequest(method, async (params: unknown, token: CancellationToken) => {
      const cancelled = new AbortController();
      const link = token.onCancellationRequested(() =>
        cancelled.abort(new Refusal("cancelled", "The request was cancelled.")),
      );
      const signal = AbortSignal.any([cancelled.signal, this.#ended.signal]);
      try {
        const given = wire(params);
        return await serve(await this.#session(given), given, signal);
      } catch (error) {
        throw this.#responseError(method, error);
      } finally {
        link.dispose();
      }
    });
  }

  async #session(params: Wire): Promise<V1Session> {
    const sessionId = need(params, "sessionId");
    // A request may overtake the answer that names its session.
    if (!this.#sessions.has(sessionId)) await Promise.allSettled([...this.#opening]);
    const session = this.#sessions.get(sessionId);
    if (!session) throw new Refusal("notFound", `There is no session ${brief(sessionId)}.`, { sessionId });
    return session;
  }

  #responseError(method: string, error: unknown): ResponseError<unknown> {
    if (error instanceof Refusal) {
      return new ResponseError(codes[error.kind], brief(error.message), briefly(error.data));
    }
    const failure = asError(error);
    this.#options.log.error(`${method} failed`, failure.stack);
    return new ResponseError(codes.failed, failure.message === "" ? `${method} failed.` : failure.message);
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
  readonly #upgrade = new V1Upgrade();
  readonly #onDispose: () => void;
  #cancelled = false;
  #disposed = false;
  /** Permission questions that wait for an answer. */
  #asking = 0;

  constructor(sessionId: string, agent: V1Agent, client: AgentClient, onDispose: () => void) {
    this.sessionId = sessionId;
    this.client = client;
    this.#agent = agent;
    this.#onDispose = onDispose;
  }

  setup(result: Wire): void {
    this.#report(this.#upgrade.setup(result));
  }
  update(update: Wire): void {
    this.#report(this.#upgrade.update(update));
  }
  #report(events: ReturnType<V1Upgrade["update"]>): void {
    if (!this.#disposed) for (const event of events) this.client.report(event);
  }

  prompt(content: readonly Content[]): Promise<{ readonly messageId: string }> {
    this.#cancelled = false;
    const { messageId, events } = this.#upgrade.prompt(content);
    const answer = this.#agent.request("session/prompt", {
      sessionId: this.sessionId,
      prompt: content.map(wireContent),
    });
    this.#report(events);
    answer.then(
      result => this.#report(this.#upgrade.ended(text(wire(result)["stopReason"]) ?? "end_turn")),
      (error: unknown) => this.#report(this.#failed(asError(error))),
    );
    return Promise.resolve({ messageId });
  }

  /** After a cancel any error is the cancel's; some agents answer with one (spec page "Prompt Turn" asks them not to). */
  #failed(error: Error): ReturnType<V1Upgrade["update"]> {
    const cancelled = this.#cancelled || (error instanceof ResponseError && error.code === requestCancelled);
    if (cancelled) return this.#upgrade.ended("cancelled");
    return this.#upgrade.ended("error", this.#agent.problem(error, "could not finish this turn"));
  }

  cancel(): void {
    this.#cancelled = true;
    if (this.#disposed) return;
    this.#agent.notify("session/cancel", { sessionId: this.sessionId });
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    const { sessionId } = this;
    try {
      switch (this.#upgrade.origin(id)) {
        case "mode":
          await this.#agent.request("session/set_mode", { sessionId, modeId: value });
          break;
        case "model":
          await this.#agent.request("session/set_model", { sessionId, modelId: value });
          break;
        default: {
          const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
          const result = wire(
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
  async permission(params: Wire, signal: AbortSignal): Promise<Wire> {
    const options = askOptions(params["options"]);
    if (options.length === 0) throw new Refusal("invalid", "A permission request needs at least one option.");
    const toolCall = wire(params["toolCall"]);
    if (text(toolCall["toolCallId"]) === undefined && text(toolCall["title"]) === undefined) {
      throw new Refusal("invalid", "A permission request needs a tool call, with its id.", { field: "toolCall" });
    }
    this.#report(this.#upgrade.toolCall(toolCall));
    const question = {
      title: text(toolCall["title"]) ?? "",
      ...given("toolCallId", text(toolCall["toolCallId"])),
      options,
    };
    this.#asking++;
    this.#report(this.#upgrade.asking());
    try {
      const answer = await this.client.requestPermission(question, signal);
      return {
        outcome: answer === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId: answer.option },
      };
    } finally {
      if (--this.#asking === 0) this.#report(this.#upgrade.answered());
    }
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#onDispose();
  }
}

function need(params: Wire, field: string): string {
  const value = text(params[field]);
  if (value === undefined) throw new Refusal("invalid", `The request needs a string in \`${field}\`.`, { field });
  return value;
}

/** A whole number that may be absent or null. */
function count<K extends "line" | "limit" | "outputByteLimit">(params: Wire, field: K): { [P in K]?: number } {
  const value = params[field];
  if (value === undefined || value === null) return {};
  const number = finite(value);
  if (number === undefined || number < 0)
    throw new Refusal("invalid", `\`${field}\` must be a number of 0 or more.`, { field });
  return given(field, Math.floor(number));
}

function terminalRequest(params: Wire): TerminalRequest {
  const env = optionalList(params, "env", item => {
    const name = text(wire(item)["name"]);
    const value = text(wire(item)["value"]);
    return name === undefined || value === undefined ? undefined : { name, value };
  });
  const args = optionalList(params, "args", text);
  return {
    command: need(params, "command"),
    ...(args && { args }),
    ...(env && { env }),
    ...(params["cwd"] !== undefined && params["cwd"] !== null && { cwd: need(params, "cwd") }),
    ...count(params, "outputByteLimit"),
  };
}

/** A list that may be absent or null. To leave out what is wrong in it would run another command. */
function optionalList<T>(
  params: Wire,
  field: string,
  read: (item: unknown) => T | undefined,
): readonly T[] | undefined {
  const value = params[field];
  if (value === undefined || value === null) return undefined;
  const items = list(value).map(read);
  const known = items.filter(item => item !== undefined);
  if (!Array.isArray(value) || known.length < items.length) {
    throw new Refusal("invalid", `\`${field}\` is not a list of what it should hold.`, { field });
  }
  return known;
}

/** What an agent sent goes back to it in short. */
const longest = 1000;
const brief = (words: string): string => (words.length > longest ? `${words.slice(0, longest)}…` : words);
const briefly = (data: unknown): unknown =>
  isWire(data)
    ? Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, typeof value === "string" ? brief(value) : value]),
      )
    : data;
const wireExit = (exit: ExitStatus): Wire => ({ exitCode: exit.exitCode ?? null, signal: exit.signal ?? null });

function details(data: unknown): string {
  const words =
    typeof data === "string"
      ? data
      : (text(wire(data)["details"]) ?? text(wire(data)["message"]) ?? JSON.stringify(data, null, 2));
  return words.slice(0, 4000);
}
