// A session of an agent that uses ACP v2.
import { ResponseError } from "vscode-jsonrpc/node";
import { ProblemError, Refusal, asError, type Problem } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import {
  PromptReturnedError,
  SessionGoneError,
  SignInNeededError,
  type AcceptedPrompt,
  type AgentClient,
  type AgentSession,
  type ContinueSessionRequest,
  type PermissionQuestion,
} from "../../session/agent.ts";
import type { ContentBlock, SessionEvent } from "../../session/events.ts";
import { permissionResult, type RequestSession } from "../agentRequests.ts";
import { authRequired, requestCancelled } from "../errorCodes.ts";
import { openingSettings } from "../openingSettings.ts";
import { asNumber, asObject, asString, contentToWire, type JsonObject } from "../parse.ts";
import { maxPromptBytes, promptLineBytes, promptSizeProblem } from "../promptSize.ts";
import { saysSessionIsGone } from "../sessionGone.ts";
import { subAgentOfCard } from "../subAgentCard.ts";
import { SubAgents } from "../subAgents.ts";
import { readV2Permission } from "./readV2Permission.ts";
import { SentPrompts } from "./sentPrompts.ts";
import type { V2Replay } from "./v2Replay.ts";
import { V2Updates } from "./v2Updates.ts";

/** The agent of a session. */
export interface V2Connection {
  readonly agentName: string;
  /** The agent is asked to end the request when `cancelled` aborts. */
  request(method: string, params: JsonObject, cancelled?: AbortSignal): Promise<unknown>;
  notify(method: string, params: JsonObject): void;
  problem(error: Error, failure: (agentName: string) => string): Problem;
}

interface V2SessionOptions {
  readonly sessionId: string;
  readonly client: AgentClient;
  readonly agent: V2Connection;
  /** Counts the connections of the conversation. It is part of the ids that Parley creates. */
  readonly connection: number;
  /** The agent repeats the conversation before its answer. */
  readonly replay?: V2Replay;
  /** What an earlier connection has of the conversation. */
  readonly earlier?: Pick<ContinueSessionRequest, "isKnown" | "unnamed">;
  readonly onSubAgent: (sessionId: string) => void;
  readonly onClose: (sessionId: string) => void;
  /** Gets the ids of the session and of its sub-agents. */
  readonly onDispose: (sessionIds: readonly string[]) => void;
}

/** An open session of an agent that uses v2. */
export class V2Session implements AgentSession, RequestSession {
  readonly sessionId: string;
  readonly client: AgentClient;
  readonly #options: V2SessionOptions;
  readonly #updates: V2Updates;
  readonly #subAgents: SubAgents<V2Updates>;
  readonly #sent: SentPrompts;
  #replay: V2Replay | undefined;
  /** The options and commands that the agent reported last, for a client that opens the session again. */
  readonly #settings = new Map<string, SessionEvent>();
  /** The events of updates that arrived before the answer that opens the session. */
  #early: SessionEvent[] | undefined = [];
  #mintedIds = 0;
  #disposed = false;

  constructor(options: V2SessionOptions) {
    const { sessionId, client } = options;
    this.sessionId = sessionId;
    this.client = client;
    this.#options = options;
    this.#replay = options.replay;
    const problem = (error: JsonObject | undefined): ReturnType<V2Session["turnProblem"]> => this.turnProblem(error);
    const { earlier } = options;
    const isKnown = (messageId: string): boolean =>
      earlier?.isKnown({ type: "message", author: "user", messageId }) === true;
    this.#sent = new SentPrompts(earlier?.unnamed);
    this.#updates = new V2Updates({
      problem,
      onUserMessage: (id, content, { isNew, isWhole }) => {
        const isEarlier = isKnown(id);
        return this.#sent.echoed(id, content, { isNew: isNew && !isEarlier, isEarlier, isWhole });
      },
      onState: state => {
        if (state === "idle") return this.#sent.idle(() => this.#mintId());
        this.#sent.working();
        return [];
      },
    });
    this.#subAgents = new SubAgents(sessionId, this.#updates, () => new V2Updates({ problem }), options.onSubAgent);
  }

  /** The agent has answered the request that opened the session, with its options and commands. */
  opened(result: JsonObject, continued: boolean): void {
    const { sessionId } = this;
    this.#report(this.#updates.released(this.#sent.releaseAll()));
    const early = this.#replay?.end() ?? this.#early ?? [];
    this.#replay = undefined;
    this.#early = undefined;
    this.#report([{ type: "agentSession", sessionId, ...(continued && { continued }) }]);
    this.#report(early);
    this.#report(openingSettings(this.#updates.setup(result), early));
  }

  /** Opens the session with another client, although the agent has it open all the time. */
  reopened(settings: readonly SessionEvent[]): void {
    this.#early = undefined;
    this.#report([{ type: "agentSession", sessionId: this.sessionId, continued: true }, ...settings]);
  }

  get settings(): readonly SessionEvent[] {
    return [...this.#settings.values()];
  }

  /** An update of the session, or of a sub-agent. */
  update(update: JsonObject, sessionId: string): void {
    this.#report(this.#subAgents.update(sessionId, update));
  }

  /** The id of a tool call in the conversation. */
  shownId(sessionId: string | undefined, toolCallId: string): string {
    return this.#subAgents.toolCallId(sessionId, toolCallId);
  }

  #report(events: readonly SessionEvent[]): void {
    if (this.#replay) return this.#replay.keep(events);
    if (this.#early) return void this.#early.push(...events);
    for (const event of events) {
      if (event.type === "options" || event.type === "commands") this.#settings.set(event.type, event);
      if (!this.#disposed) this.client.report(event);
    }
  }

  /**
   * The agent accepts the prompt with the id of its message (an earlier draft: without, then the agent's repetition has
   * it). A prompt that the agent gave back, because the user pressed Stop, is not in the conversation.
   */
  async prompt(
    content: readonly ContentBlock[],
    context: readonly ContentBlock[] = [],
    withdrawn?: AbortSignal,
  ): Promise<AcceptedPrompt> {
    const all = [...content, ...context];
    this.#updates.hide(context);
    const { agent } = this.#options;
    const size = promptLineBytes(all, this.sessionId);
    if (size > maxPromptBytes) throw new ProblemError(promptSizeProblem(size));
    const { prompt, accepted } = this.#sent.add(content, context);
    const params = { sessionId: this.sessionId, prompt: all.map(contentToWire) };
    try {
      const result = asObject(await agent.request("session/prompt", params, withdrawn));
      this.#sent.answered(prompt, asString(result["messageId"]));
    } catch (failure) {
      this.#sent.remove(prompt);
      const error = asError(failure);
      if (error instanceof ResponseError && error.code === requestCancelled) throw new PromptReturnedError();
      const problem = agent.problem(error, name => t("{0} did not accept this message", name));
      if (error instanceof ResponseError && error.code === authRequired) {
        this.#report([{ type: "signInNeeded", problem }]);
        throw new SignInNeededError();
      }
      if (saysSessionIsGone(error, this.sessionId)) throw new SessionGoneError(problem);
      throw new ProblemError(problem);
    }
    const found = await accepted.catch((error: unknown) => {
      throw new ProblemError(agent.problem(asError(error), name => t("{0} did not accept this message", name)));
    });
    const { isUnnamed, ...settled } = found;
    this.#report(this.#updates.accepted(found.messageId, content, isUnnamed));
    return settled;
  }

  /** The agent may hold a prompt until it has finished something else. */
  readonly holdsPrompts = true;

  /** In version 2, the agent decides where it inserts a prompt that arrives while it works. */
  sendWhileRunning(content: readonly ContentBlock[], withdrawn?: AbortSignal): Promise<AcceptedPrompt> {
    return this.prompt(content, undefined, withdrawn);
  }

  cancel(): void {
    if (this.#disposed) return;
    this.#options.agent.notify("session/cancel", { sessionId: this.sessionId });
    this.#sent.stopped(() => this.#mintId());
  }

  /** Ends one tool call, or a sub-agent, while it offers that. */
  async cancelTool(shownId: string): Promise<void> {
    const child = subAgentOfCard(shownId);
    if (child !== undefined) return this.#options.agent.notify("session/cancel", { sessionId: child });
    await this.#cancelOne("tool_call/cancel", "toolCallId", shownId);
  }

  /** Ends one terminal of the agent, while it offers that. */
  async cancelTerminal(shownId: string): Promise<void> {
    await this.#cancelOne("terminal/cancel", "terminalId", shownId);
  }

  async #cancelOne(method: string, field: string, shownId: string): Promise<void> {
    const { sessionId, toolCallId: id } = this.#subAgents.origin(shownId);
    try {
      await this.#options.agent.request(method, { sessionId, [field]: id });
    } catch (error) {
      throw new ProblemError(this.#options.agent.problem(asError(error), name => t("{0} could not stop this", name)));
    }
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    const { sessionId } = this;
    const { agent } = this.#options;
    const typed = typeof value === "boolean" ? { type: "boolean", value } : { type: "id", value };
    try {
      const result = asObject(await agent.request("session/set_config_option", { sessionId, configId: id, ...typed }));
      const { configOptions } = result;
      if (Array.isArray(configOptions))
        this.update({ sessionUpdate: "config_option_update", configOptions: configOptions as unknown[] }, sessionId);
      else this.#report([{ type: "option", id, value }]);
    } catch (error) {
      const problem = agent.problem(asError(error), name => t("{0} rejected this setting", name));
      if (problem.signIn) this.#report([{ type: "signInNeeded", problem }]);
      throw new ProblemError(problem);
    }
  }

  /** Applies the tool call that the question is about, then asks the question. */
  async askPermission(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { question, toolCall } = readV2Permission(params);
    const asker = asString(params["sessionId"]) ?? this.sessionId;
    const reader = this.#subAgents.reader(asker);
    if (toolCall) this.#report(this.#subAgents.scoped(asker, reader.toolCall(toolCall), toolCall));
    const { toolCallId } = question;
    const asked: PermissionQuestion = {
      ...question,
      ...(toolCallId !== undefined && { toolCallId: this.shownId(asker, toolCallId) }),
    };
    return permissionResult(await this.client.requestPermission(asked, signal));
  }

  /** Version 2 has no terminals of the client. */
  createTerminal(): Promise<string> {
    return Promise.reject(new Refusal("invalid", "This version of the protocol has no terminals of the client."));
  }

  /** The problem for an error that ended a turn. */
  turnProblem(error: JsonObject | undefined): {
    readonly problem: Problem;
    readonly unsent?: true;
    readonly forgotten?: true;
  } {
    const code = asNumber(error?.["code"]) ?? -32603;
    const message = asString(error?.["message"]) ?? "";
    const failure = new ResponseError(code, message, error?.["data"]);
    const problem = this.#options.agent.problem(failure, name => t("{0} could not finish this turn", name));
    if (code === authRequired) return { problem, unsent: true };
    return { problem, ...(saysSessionIsGone(failure, this.sessionId) && { forgotten: true as const }) };
  }

  #mintId(): string {
    const { connection } = this.#options;
    return `~${connection === 1 ? "" : `${connection}.`}${++this.#mintedIds}`;
  }

  /** The agent stops the work of the session, also in the background, and frees what it holds for it. */
  close(): void {
    if (this.#disposed) return;
    this.dispose();
    this.#options.onClose(this.sessionId);
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#sent.dispose();
    this.#options.onDispose([this.sessionId, ...this.#subAgents.sessionIds]);
  }
}
