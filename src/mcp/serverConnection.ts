// Parley's own connection to one MCP server: starts it when it is needed, keeps its list of prompts, and ends it when it
// is idle.
import { asError } from "../base/errors.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { t } from "../base/l10n.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { isSignInNeeded, type SignInChallenge } from "./clientSignIn.ts";
import type { McpPrompt, McpPromptList, PromptServer } from "./promptServer.ts";

export type ConnectionStatus =
  | { readonly state: "stopped" | "starting" | "ready" }
  /** `reason` is a sentence. */
  | { readonly state: "failed"; readonly reason: string }
  | { readonly state: "signInNeeded"; readonly reason: string; readonly challenge: SignInChallenge };

export interface ServerConnectionOptions {
  readonly name: string;
  /** The list of last time. */
  readonly prompts: readonly McpPrompt[];
  /** Starts the server. The signal aborts when the connection is no longer wanted. */
  readonly connect: (
    events: { readonly onPromptsChanged: () => void; readonly onClosed: () => void },
    signal: AbortSignal,
  ) => Promise<PromptServer>;
  /** The state or the prompts have changed. */
  readonly onDidChange: () => void;
  /** The server has listed its prompts. */
  readonly onListed: (prompts: readonly McpPrompt[]) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A server that nobody uses is ended after this time (ms). */
export const maxIdleTime = 5 * 60_000;
/** A server that failed is not started again by typing before this time has passed (ms). */
export const retryTime = 30_000;
/** Lists that change are read at most once in this time (ms). */
export const listInterval = 1000;

/** What is missing in a list, as sentences. */
function listProblem({ prompts, isCut, skipped }: McpPromptList): string | undefined {
  const problems = [
    ...(isCut ? [t("The server has more prompts than Parley reads. The first {0} are offered.", prompts.length)] : []),
    ...(skipped === 1 ? [t("One prompt is left out because Parley cannot read it.")] : []),
    ...(skipped > 1 ? [t("{0} prompts are left out because Parley cannot read them.", skipped)] : []),
  ];
  return problems.length === 0 ? undefined : problems.join(" ");
}

export class ServerConnection implements Disposable {
  readonly #options: ServerConnectionOptions;
  readonly #ended = new AbortController();
  #status: ConnectionStatus = { state: "stopped" };
  #prompts: readonly McpPrompt[];
  #listProblem: string | undefined;
  #icon: string | undefined;
  #opening: Promise<PromptServer> | undefined;
  #server: PromptServer | undefined;
  #uses = 0;
  #failedAt = 0;
  #idleTimer: Disposable | undefined;
  #listTimer: Disposable | undefined;

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
    this.#prompts = options.prompts;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }
  get prompts(): readonly McpPrompt[] {
    return this.#prompts;
  }
  /** The server's icon as a `data:` address, once it has been connected. */
  get icon(): string | undefined {
    return this.#icon;
  }
  /** What the list of prompts lacks, as a sentence. */
  get listProblem(): string | undefined {
    return this.#listProblem;
  }

  /** Starts the server, unless it runs or has just failed. Never rejects: the status shows the outcome. */
  async start(isRetry = false): Promise<void> {
    const hasFailed = ["failed", "signInNeeded"].includes(this.#status.state);
    const failedNow = hasFailed && this.#options.clock.now() - this.#failedAt < retryTime;
    if (this.#ended.signal.aborted || (failedNow && !isRetry)) return;
    await this.use(() => Promise.resolve()).catch(() => {
      // The status has the reason.
    });
  }

  /** Runs work on the connected server, which does not end meanwhile. Rejects with a sentence. */
  async use<T>(work: (server: PromptServer, signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#uses++;
    this.#stopIdleTimer();
    try {
      const server = await this.#open();
      return await work(server, this.#ended.signal).catch(async (error: unknown) => {
        // The token has ended while the server was connected.
        if (isSignInNeeded(error) && this.#server === server) await this.#fail(error);
        throw error;
      });
    } finally {
      if (--this.#uses === 0) this.#startIdleTimer();
    }
  }

  async #open(): Promise<PromptServer> {
    // A caller that waited for the user can come after the end.
    this.#ended.signal.throwIfAborted();
    if (this.#server) return this.#server;
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #connect(): Promise<PromptServer> {
    this.#setStatus({ state: "starting" });
    const connection: { server?: PromptServer } = {};
    try {
      const server = await this.#options.connect(
        { onPromptsChanged: () => this.#listLater(), onClosed: () => this.#closed(connection.server) },
        this.#ended.signal,
      );
      connection.server = server;
      this.#server = server;
      if (this.#ended.signal.aborted) {
        await this.#close();
        throw new Error(t("The server was stopped."));
      }
      await this.#list(server);
      this.#setStatus({ state: "ready" });
      void this.#readIcon(server);
      return server;
    } catch (error) {
      await this.#fail(error);
      throw error;
    }
  }

  async #fail(error: unknown): Promise<void> {
    const { name, clock, log } = this.#options;
    const { message: reason } = asError(error);
    log.warn(`The MCP server ${name} failed.`, reason);
    this.#failedAt = clock.now();
    await this.#close();
    this.#setStatus(
      isSignInNeeded(error)
        ? { state: "signInNeeded", reason, challenge: error.challenge }
        : { state: "failed", reason },
    );
  }

  /** Never rejects: a server works without its icon. */
  async #readIcon(server: PromptServer): Promise<void> {
    try {
      const icon = await server.icon(this.#ended.signal);
      if (icon === this.#icon || this.#ended.signal.aborted) return;
      this.#icon = icon;
      this.#options.onDidChange();
    } catch (error) {
      this.#options.log.debug(
        `The icon of the MCP server ${this.#options.name} could not be read.`,
        asError(error).message,
      );
    }
  }

  async #list(server: PromptServer): Promise<void> {
    const list = await server.listPrompts(this.#ended.signal);
    const { prompts } = list;
    const problem = listProblem(list);
    const isSame = jsonEqual(prompts, this.#prompts);
    if (isSame && problem === this.#listProblem) return;
    if (problem !== undefined && problem !== this.#listProblem)
      this.#options.log.warn(`The list of prompts of ${this.#options.name} is incomplete.`, problem);
    this.#prompts = prompts;
    this.#listProblem = problem;
    if (!isSame) this.#options.onListed(prompts);
    this.#options.onDidChange();
  }

  /** A storm of changes leads to one list per interval. */
  #listLater(): void {
    if (this.#ended.signal.aborted) return;
    this.#listTimer ??= this.#options.clock.after(listInterval, () => {
      this.#listTimer = undefined;
      const server = this.#server;
      if (!server) return;
      this.#list(server).catch((error: unknown) =>
        this.#options.log.warn(`The prompts of ${this.#options.name} could not be read.`, asError(error).message),
      );
    });
  }

  #closed(server: PromptServer | undefined): void {
    if (server === undefined || this.#server !== server) return;
    this.#server = undefined;
    this.#setStatus({ state: "stopped" });
  }

  #setStatus(status: ConnectionStatus): void {
    this.#status = status;
    if (!this.#ended.signal.aborted) this.#options.onDidChange();
  }

  #startIdleTimer(): void {
    this.#stopIdleTimer();
    if (!this.#server) return;
    this.#idleTimer = this.#options.clock.after(maxIdleTime, () => void this.#close());
  }

  #stopIdleTimer(): void {
    this.#idleTimer?.dispose();
    this.#idleTimer = undefined;
  }

  /** Ends the server. Never rejects. */
  async #close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#stopIdleTimer();
    this.#listTimer?.dispose();
    this.#listTimer = undefined;
    if (!server) return;
    this.#setStatus({ state: "stopped" });
    await server
      .close()
      .catch((error: unknown) =>
        this.#options.log.error(`The MCP server ${this.#options.name} could not be ended.`, asError(error).message),
      );
  }

  /** Ends the server, and resolves when it has ended. */
  async end(): Promise<void> {
    this.#ended.abort(new Error(t("The server was stopped.")));
    const opening = this.#opening;
    await this.#close();
    await opening?.catch(() => {
      // It was stopped while it started.
    });
  }

  dispose(): void {
    void this.end();
  }
}
