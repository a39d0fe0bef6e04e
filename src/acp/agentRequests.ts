// Serves what an agent requests from the editor: files, terminals and permissions. The same in all protocol versions.
import type { CancellationToken, MessageConnection } from "vscode-jsonrpc/node";
import { Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { AgentClient, TerminalRequest } from "../session/agent.ts";
import type { ExitStatus, QuestionAnswer } from "../session/events.ts";
import type { FormAnswer } from "../session/forms/form.ts";
import { toResponseError } from "./errorCodes.ts";
import { asArray, asNumber, asObject, asString, optionalField, type JsonObject } from "./parse.ts";
import { readElicitation, type Elicitation } from "./readElicitation.ts";

/** A session as the agent's requests need it. */
export interface RequestSession {
  readonly client: AgentClient;
  /** Serves `session/request_permission`, whose tool call is read as the protocol version defines it. */
  askPermission(params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Starts a command in a terminal and resolves with its id at once. */
  createTerminal(request: TerminalRequest, signal: AbortSignal): Promise<string>;
}

export interface AgentRequestsOptions {
  /** The session with this id. May wait for sessions that are being opened. */
  findSession(sessionId: string): Promise<RequestSession | undefined>;
  /** Asks the user for a form or to open a web address. */
  askForm(elicitation: Elicitation, signal: AbortSignal): Promise<FormAnswer>;
  completeAddress(elicitationId: string): void;
  /** Answers `mcp/message`. Absent: the agent does not support it. */
  readonly answerMcp?: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** The methods of sessions that the version of the protocol has. Absent: all. */
  readonly methods?: readonly string[];
  /** Aborts when the agent is no longer running. */
  readonly ended: AbortSignal;
  readonly log: Log;
}

type Serve = (session: RequestSession, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

const handlers: Readonly<Record<string, Serve>> = {
  "session/request_permission": (session, params, signal) => session.askPermission(params, signal),
  "fs/read_text_file": async ({ client }, params, signal) => {
    const request = {
      path: requireString(params, "path"),
      ...optionalCount(params, "line"),
      ...optionalCount(params, "limit"),
    };
    return { content: await client.readTextFile(request, signal) };
  },
  "fs/write_text_file": async ({ client }, params, signal) => {
    const request = { path: requireString(params, "path"), content: requireString(params, "content") };
    await client.writeTextFile(request, signal);
    return {};
  },
  "terminal/create": async (session, params, signal) => ({
    terminalId: await session.createTerminal(terminalRequest(params), signal),
  }),
  "terminal/output": async ({ client }, params) => {
    const { output, truncated, exit } = await client.terminalOutput(requireString(params, "terminalId"));
    return { output, truncated, ...(exit && { exitStatus: wireExit(exit) }) };
  },
  "terminal/wait_for_exit": async ({ client }, params, signal) =>
    wireExit(await client.waitForTerminalExit(requireString(params, "terminalId"), signal)),
  "terminal/kill": async ({ client }, params) => {
    await client.killTerminal(requireString(params, "terminalId"));
    return {};
  },
  "terminal/release": async ({ client }, params) => {
    await client.releaseTerminal(requireString(params, "terminalId"));
    return {};
  },
};

/** Serves the agent's requests until the connection ends. Refusals and failures become error responses. */
export function serveAgentRequests(connection: MessageConnection, options: AgentRequestsOptions): void {
  const serveRequest = (
    method: string,
    serve: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>,
  ): void => {
    connection.onRequest(method, async (received: unknown, token: CancellationToken) => {
      const cancelled = new AbortController();
      const link = token.onCancellationRequested(() =>
        cancelled.abort(new Refusal("cancelled", "The request was cancelled.")),
      );
      const signal = AbortSignal.any([cancelled.signal, options.ended]);
      try {
        return await serve(asObject(received), signal);
      } catch (error) {
        throw toResponseError(method, error, options.log);
      } finally {
        link.dispose();
      }
    });
  };
  for (const [method, serve] of Object.entries(handlers)) {
    if (options.methods?.includes(method) === false) continue;
    serveRequest(method, async (params, signal) => serve(await requireSession(params, options), params, signal));
  }
  serveRequest("elicitation/create", async (params, signal) =>
    elicitationResult(await options.askForm(readElicitation(params), signal)),
  );
  if (options.answerMcp) serveRequest("mcp/message", options.answerMcp);
  connection.onNotification("elicitation/complete", (params: unknown) => {
    const id = asString(asObject(params)["elicitationId"]);
    if (id !== undefined) options.completeAddress(id);
  });
}

/** The result of `elicitation/create`. A consent to open a web address has no content. */
function elicitationResult(answer: FormAnswer): JsonObject {
  if (answer === "cancelled") return { action: "cancel" };
  if (answer.action === "decline" || answer.values === undefined) return { action: answer.action };
  return { action: "accept", content: Object.fromEntries(answer.values) };
}

async function requireSession(params: JsonObject, options: AgentRequestsOptions): Promise<RequestSession> {
  const sessionId = requireString(params, "sessionId");
  const session = await options.findSession(sessionId);
  if (!session) throw new Refusal("notFound", `There is no session ${sessionId}.`, { sessionId });
  return session;
}

/** The result of a permission request. */
export const permissionResult = (answer: QuestionAnswer): JsonObject => ({
  outcome: answer === "cancelled" ? { outcome: "cancelled" } : { outcome: "selected", optionId: answer.option },
});

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
    throw new Refusal("invalid", `\`${field}\` must be a number that is 0 or greater.`, { field });
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

/** A list that may be absent or null. Refused if an item is malformed: without the item, another command would run. */
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
    throw new Refusal("invalid", `\`${field}\` must be a list of valid items.`, { field });
  }
  return known;
}

const wireExit = (exit: ExitStatus): JsonObject => ({ exitCode: exit.exitCode ?? null, signal: exit.signal ?? null });
