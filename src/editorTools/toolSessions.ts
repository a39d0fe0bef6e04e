// Which session an agent reaches with its token, or over its connection. Both belong to one session of Parley, and end with
// it, or with the agent.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { asError } from "../base/errors.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { rememberSecrets } from "../base/secrets/secret.ts";
import type { SessionParticipant } from "../session/participant.ts";
import type { SessionState } from "../session/state.ts";
import type { AgentServerLaunch, AgentServerTypes, McpOutcome, McpRequest } from "../session/agent.ts";
import { bridgeVariables } from "./bridgeTarget.ts";
import { callTool, describedTools, errorResult } from "./sessionTools.ts";
import type { EditorExtensionTools } from "./editorExtensionTools.ts";
import { toolsOfExtensions } from "./extensionTools.ts";
import type { Tool, ToolAccess, ToolChoice, ToolContext } from "./tool.ts";
import type { MessageContext, RunningToolServer, ServedTools, ToolServerOptions } from "./toolServer.ts";

const tokenBytes = 32;
/** A session that gets a token opens within this time (ms). One that closed or failed meanwhile never does. */
const maxUnopened = 10 * 60_000;

interface ToolSession {
  readonly token: string;
  /** The name of the server over the connection of the agent. No secret: only the agent that was given it can use it. */
  readonly serverId: string;
  /** The id of the agent that has the session. */
  readonly agent: string | undefined;
  /** Ends the token if the session does not open. */
  readonly unopened: Disposable;
  readonly ended: AbortController;
}

/** A session whose tools can be called. */
interface OpenToolSession {
  readonly access: ToolAccess;
  /** Aborts when the user stops the turn, with the calls that run. A new one follows. */
  stopped: AbortController;
}

export interface ToolSessionsOptions {
  /** Starts the server. Loaded on first use. */
  readonly startServer: (options: Pick<ToolServerOptions, "toolsOf" | "onWarning">) => Promise<RunningToolServer>;
  /** Answers a request that comes over the connection of an agent. */
  readonly answerMessage: (
    message: McpRequest,
    context: Omit<MessageContext, "version" | "clock">,
  ) => Promise<McpOutcome>;
  /** The program for agents that take only commands: a Node.js, and the path of the bridge. */
  readonly bridge: { readonly node: string; readonly script: string };
  /** Which tools the user lets the agent with this id use. */
  readonly toolsFor: (agent: string | undefined) => "off" | ToolChoice;
  /** The tools of other extensions that the user has chosen. Absent: none. */
  readonly extensionTools?: Pick<EditorExtensionTools, "chosen">;
  readonly context: (session: string, access: ToolAccess) => ToolContext;
  readonly clock: Clock;
  readonly log: Log;
}

/** The agent of a session, and the kinds of servers that it can use. */
export interface ToolUser {
  readonly agent: string | undefined;
  readonly accepts: AgentServerTypes;
}

const hasClosed = ({ connection }: SessionState): boolean => connection?.state === "closed";

const digest = (token: string): string => createHash("sha256").update(token).digest("hex");

/** The sessions of a window with tools, and the server that they share. It runs only while a session has a token. */
export class ToolSessions implements Disposable {
  readonly #options: ToolSessionsOptions;
  readonly #sessions = new Map<string, ToolSession>();
  /** The ids of sessions by the digest of their token: a look-up by the token itself would take longer the more of it is right. */
  readonly #byDigest = new Map<string, string>();
  readonly #open = new Map<string, OpenToolSession>();
  /** The sessions in which the user has switched the tools off. */
  readonly #off = new Set<string>();
  #server: Promise<RunningToolServer> | undefined;
  #closing: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: ToolSessionsOptions) {
    this.#options = options;
  }

  /**
   * How the agent of a session reaches its tools: over its connection, over HTTP, or with a command. The session need not
   * be open yet. The same until the session or the agent ends. Undefined: the agent can use no server.
   */
  async serverFor(session: string, { agent, accepts }: ToolUser): Promise<AgentServerLaunch | undefined> {
    if (this.#isDisposed) throw new Error("The window is closing.");
    const { acp = false, http, stdio = true } = accepts;
    if (!acp && !http && !stdio) return undefined;
    const known = this.#sessions.get(session) ?? this.#begin(session, agent);
    if (acp) return this.#connected(session, known);
    const { url } = await this.#running(known);
    const { token } = known;
    if (http) return { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
    const { node, script } = this.#options.bridge;
    return { type: "stdio", command: node, args: [script], env: bridgeVariables({ url, token }) };
  }

  /** The server over the connection of the agent. It needs no port. */
  #connected(session: string, known: ToolSession): AgentServerLaunch {
    const { answerMessage, log } = this.#options;
    const onWarning = (message: string): void => log.warn(message);
    return {
      ...{ type: "acp", serverId: known.serverId, ended: known.ended.signal },
      answer: async (message, context) => {
        try {
          return await answerMessage(message, { ...context, tools: this.#tools(session, known), onWarning });
        } catch (error) {
          if (!context.signal.aborted)
            log.error("A request to the tools of the editor has failed.", asError(error).stack);
          throw error;
        }
      },
    };
  }

  /** Switches the tools of a session on or off, also for the calls of its agent. */
  setOn(session: string, on: boolean): void {
    if (on) this.#off.delete(session);
    else this.#off.add(session);
  }

  #begin(session: string, agent: string | undefined): ToolSession {
    const token = randomBytes(tokenBytes).toString("base64url");
    rememberSecrets([token]);
    const unopened = this.#options.clock.after(maxUnopened, () => {
      if (!this.#open.has(session)) this.end(session);
    });
    const begun = { token, serverId: randomUUID(), agent, unopened, ended: new AbortController() };
    this.#sessions.set(session, begun);
    this.#byDigest.set(digest(token), session);
    return begun;
  }

  /** The server. Rejects if the session ends meanwhile: the end of the last session closes what was started before it. */
  async #running({ ended }: ToolSession): Promise<RunningToolServer> {
    await this.#closing;
    ended.signal.throwIfAborted();
    this.#server ??= this.#options.startServer({
      toolsOf: token => this.#toolsOf(token),
      onWarning: message => this.#options.log.warn(message),
    });
    const starting = this.#server;
    const running = await starting.catch((error: unknown) => {
      if (this.#server === starting) this.#server = undefined;
      throw error;
    });
    ended.signal.throwIfAborted();
    return running;
  }

  /** The session is open: its files can be read from now on. Dispose the result when it ends. */
  opened(session: string, access: ToolAccess): Required<Pick<SessionParticipant, "stateChanged" | "dispose">> {
    const opened: OpenToolSession = { access, stopped: new AbortController() };
    this.#open.set(session, opened);
    return {
      stateChanged: (before, after) => {
        // The agent has ended, or did not open the session. Another one gets another token.
        if (hasClosed(after) && !hasClosed(before)) this.end(session);
        if (!after.cancelling || before.cancelling) return;
        // Some agents leave a call running when they are stopped.
        opened.stopped.abort(new Error("The user has stopped the turn."));
        opened.stopped = new AbortController();
      },
      dispose: () => {
        // The session may be open again.
        if (this.#open.get(session) !== opened) return;
        this.#open.delete(session);
        this.#off.delete(session);
        this.end(session);
      },
    };
  }

  /** Ends the token of the session, and the calls that run. */
  end(session: string): void {
    const known = this.#sessions.get(session);
    if (!known) return;
    this.#sessions.delete(session);
    this.#byDigest.delete(digest(known.token));
    known.unopened.dispose();
    known.ended.abort(new Error("The session has ended."));
    if (this.#sessions.size === 0) this.#close();
  }

  #close(): void {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const { log } = this.#options;
    this.#closing = server
      .then(running => running.close())
      .catch((error: unknown) => log.warn("The server of the editor's tools could not be closed.", String(error)));
  }

  #toolsOf(token: string): ServedTools | undefined {
    const session = this.#byDigest.get(digest(token));
    const known = session === undefined ? undefined : this.#sessions.get(session);
    return session === undefined || !known ? undefined : this.#tools(session, known);
  }

  #tools(session: string, { agent, ended }: ToolSession): ServedTools {
    const { toolsFor, extensionTools, context, log } = this.#options;
    const ofExtensions = (chosen: ToolChoice): readonly Tool[] =>
      chosen === "all" ? toolsOfExtensions(extensionTools?.chosen() ?? []) : [];
    const choice = (): "off" | ToolChoice => (this.#off.has(session) ? "off" : toolsFor(agent));
    const listed = choice();
    return {
      descriptions:
        listed === "off"
          ? []
          : [...describedTools(listed), ...ofExtensions(listed).map(({ description }) => description)],
      call: async (name, given, signal) => {
        const now = choice();
        if (now === "off") return errorResult("The user has switched off the tools of the editor. Work without them.");
        const opened = this.#open.get(session);
        if (!opened) return errorResult("The session is not open in Parley yet. Try again after the first prompt.");
        return callTool(name, given, {
          ...{ choice: now, ofExtensions: ofExtensions(now), context: context(session, opened.access), log },
          signal: AbortSignal.any([signal, opened.stopped.signal]),
        });
      },
      ended: ended.signal,
    };
  }

  /** Ends all sessions. Resolves when nothing listens any more. */
  async close(): Promise<void> {
    this.#isDisposed = true;
    for (const session of [...this.#sessions.keys()]) this.end(session);
    await this.#closing;
  }

  dispose(): void {
    void this.close();
  }
}
