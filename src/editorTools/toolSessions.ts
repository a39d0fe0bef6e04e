// Which session an agent reaches with its token. A token belongs to one session of Parley, and ends with it.
import { createHash, randomBytes } from "node:crypto";
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { rememberSecrets } from "../base/secrets/secret.ts";
import { callTool, describedTools, errorResult } from "./sessionTools.ts";
import type { ToolAccess, ToolChoice, ToolContext } from "./tool.ts";
import type { RunningToolServer, ServedTools, ToolServerOptions } from "./toolServer.ts";

const tokenBytes = 32;
/** A session that gets a token opens within this time (ms). One that closed or failed meanwhile never does. */
const maxUnopened = 10 * 60_000;

interface ToolSession {
  readonly token: string;
  /** Ends the token if the session does not open. */
  readonly unopened: Disposable;
  readonly ended: AbortController;
}

export interface ToolSessionsOptions {
  /** Starts the server. Loaded on first use. */
  readonly startServer: (options: Pick<ToolServerOptions, "toolsOf" | "onWarning">) => Promise<RunningToolServer>;
  /** Whether the user lets agents use the tools. */
  readonly isOn: () => boolean;
  /** Which tools the user lets agents use. Absent: only those that read. */
  readonly choice?: () => ToolChoice;
  readonly context: (session: string, access: ToolAccess) => ToolContext;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where an agent reaches the tools of its session. The header is a secret. */
export interface ToolAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const digest = (token: string): string => createHash("sha256").update(token).digest("hex");

/** The sessions of a window with tools, and the server that they share. It runs only while a session has a token. */
export class ToolSessions implements Disposable {
  readonly #options: ToolSessionsOptions;
  readonly #sessions = new Map<string, ToolSession>();
  /** The ids of sessions by the digest of their token: a look-up by the token itself would take longer the more of it is right. */
  readonly #byDigest = new Map<string, string>();
  readonly #open = new Map<string, { readonly access: ToolAccess }>();
  #server: Promise<RunningToolServer> | undefined;
  #closing: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: ToolSessionsOptions) {
    this.#options = options;
  }

  /** The address for the agent of a session, which need not be open yet. The same until the session ends. */
  async addressFor(session: string): Promise<ToolAddress> {
    if (this.#isDisposed) throw new Error("The window is closing.");
    const known = this.#sessions.get(session) ?? this.#begin(session);
    const { url } = await this.#running(known);
    return { url, headers: { Authorization: `Bearer ${known.token}` } };
  }

  #begin(session: string): ToolSession {
    const token = randomBytes(tokenBytes).toString("base64url");
    rememberSecrets([token]);
    const unopened = this.#options.clock.after(maxUnopened, () => {
      if (!this.#open.has(session)) this.end(session);
    });
    const begun = { token, unopened, ended: new AbortController() };
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
  opened(session: string, access: ToolAccess): Disposable {
    const opened = { access };
    this.#open.set(session, opened);
    return {
      dispose: () => {
        // The session may be open again.
        if (this.#open.get(session) !== opened) return;
        this.#open.delete(session);
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

  #choice(): ToolChoice {
    return this.#options.choice?.() ?? "read";
  }

  #toolsOf(token: string): ServedTools | undefined {
    const session = this.#byDigest.get(digest(token));
    const known = session === undefined ? undefined : this.#sessions.get(session);
    if (session === undefined || !known) return undefined;
    return {
      descriptions: this.#options.isOn() ? describedTools(this.#choice()) : [],
      call: async (name, given, signal) => {
        const { isOn, context, log } = this.#options;
        if (!isOn()) return errorResult("The user has switched off the tools of the editor. Work without them.");
        const opened = this.#open.get(session);
        if (!opened) return errorResult("The session is not open in Parley yet. Try again after the first prompt.");
        return callTool(name, given, {
          ...{ choice: this.#choice(), context: context(session, opened.access) },
          ...{ signal, log },
        });
      },
      ended: known.ended.signal,
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
