// What an agent can do with the sessions that it keeps: list, copy and delete them, if it advertises that. The requests are
// the same in all versions of the protocol.
import { ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import { asError, ProblemError, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { AgentSessionInfo, AgentSessionPage } from "../session/agent.ts";
import { resourceNotFound } from "./errorCodes.ts";
import { asArray, asObject, asString, optionalField, type JsonObject } from "./parse.ts";

/** The requests about sessions that an agent keeps. */
export type KeptSessionsMethod = "session/list" | "session/delete" | "session/fork";

export interface KeptSessionsOptions {
  /** The methods that the agent advertises. */
  readonly methods: readonly KeptSessionsMethod[];
  readonly agentName: string;
  /** Sends a request and resolves with the answer. Rejects also when the agent is late. */
  readonly ask: (method: string, params: JsonObject) => Promise<unknown>;
  /** `failure` says what the agent did, without a period. */
  readonly problem: (error: Error, failure: (agentName: string) => string) => Problem;
}

export class KeptSessions {
  readonly #options: KeptSessionsOptions;
  /** The methods that the agent advertises and has not refused as unknown. */
  readonly #methods: Set<KeptSessionsMethod>;

  constructor(options: KeptSessionsOptions) {
    this.#options = options;
    this.#methods = new Set(options.methods);
  }

  has(method: KeptSessionsMethod): boolean {
    return this.#methods.has(method);
  }

  /** One page of the sessions of a folder. */
  async list(cwd: string, cursor: string | undefined): Promise<AgentSessionPage> {
    const params = { cwd, ...optionalField("cursor", cursor) };
    const result = asObject(
      await this.#ask("session/list", params, name => t("{0} could not list its sessions", name)),
    );
    const sessions = asArray(result["sessions"]).flatMap(each => readSessionInfo(asObject(each)) ?? []);
    return { sessions, ...optionalField("nextCursor", asString(result["nextCursor"])) };
  }

  /** A session that the agent no longer has counts as deleted. */
  async delete(sessionId: string): Promise<void> {
    await this.#ask("session/delete", { sessionId }, name => t("{0} could not delete its session", name));
  }

  /** Resolves with the answer, which has the id of the copy. */
  async fork(params: JsonObject): Promise<JsonObject> {
    return asObject(await this.#ask("session/fork", params, name => t("{0} could not copy its session", name)));
  }

  async #ask(method: KeptSessionsMethod, params: JsonObject, failure: (agentName: string) => string): Promise<unknown> {
    const { agentName, ask, problem } = this.#options;
    try {
      return await ask(method, params);
    } catch (reason) {
      const error = asError(reason);
      const code = error instanceof ResponseError ? error.code : undefined;
      if (code === resourceNotFound && method === "session/delete") return {};
      if (code !== ErrorCodes.MethodNotFound) throw new ProblemError(problem(error, failure));
      this.#methods.delete(method);
      const message = t("{0}: It does not support this, although it says that it does.", failure(agentName));
      throw new ProblemError({ message, next: ["showTraffic"] });
    }
  }
}

function readSessionInfo(info: JsonObject): AgentSessionInfo | undefined {
  const sessionId = asString(info["sessionId"]);
  if (sessionId === undefined || sessionId === "") return undefined;
  const updated = Date.parse(asString(info["updatedAt"]) ?? "");
  return {
    sessionId,
    ...optionalField("title", asString(info["title"])),
    ...optionalField("cwd", asString(info["cwd"])),
    ...(Number.isFinite(updated) && { updated }),
  };
}
