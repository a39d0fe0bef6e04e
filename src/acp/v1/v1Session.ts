// One session of an agent that uses ACP v1: converts its updates to events, and sends its requests.
import { ResponseError } from "vscode-jsonrpc/node";
import { ProblemError, asError, type Problem } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import {
  PromptReturnedError,
  type AcceptedPrompt,
  type AgentClient,
  type AgentSession,
  type PermissionQuestion,
  type TerminalRequest,
} from "../../session/agent.ts";
import type { ContentBlock, QuestionAnswer, SessionEvent } from "../../session/events.ts";
import { permissionResult, type RequestSession } from "../agentRequests.ts";
import { authRequired, requestCancelled } from "../errorCodes.ts";
import { openingSettings } from "../openingSettings.ts";
import { asString, asObject, contentToWire, type JsonObject } from "../parse.ts";
import { maxPromptBytes, promptLineBytes, promptSizeProblem } from "../promptSize.ts";
import { saysSessionIsGone } from "../sessionGone.ts";
import { subAgentOfCard } from "../subAgentCard.ts";
import { SubAgents } from "../subAgents.ts";
import { turnUsage } from "../usage.ts";
import { detachedClient } from "../detachedClient.ts";
import { readV1Permission } from "./readV1Permission.ts";
import type { V1Replay } from "./v1Replay.ts";
import { V1Updates, type OptionOrigin } from "./v1Updates.ts";

/** The connection to an agent, as its sessions use it. */
export interface V1Connection {
  request(method: string, params: JsonObject): Promise<unknown>;
  notify(method: string, params: JsonObject): void;
  readonly supportsSteering: boolean;
  /** `failure` says what the agent did, without a period. */
  problem(error: Error, failure: (agentName: string) => string): Problem;
}

export interface V1SessionOptions {
  readonly sessionId: string;
  readonly connection: V1Connection;
  readonly client: AgentClient;
  readonly updates: V1Updates;
  /** The session is being loaded. */
  readonly replay?: V1Replay;
  readonly onSubAgent: (sessionId: string, session: V1Session) => void;
  readonly onDispose: (session: V1Session) => void;
  readonly onClose: (session: V1Session) => void;
}

export class V1Session implements AgentSession, RequestSession {
  readonly sessionId: string;
  /** A disposed session that the agent still has open must not keep its conversation in memory. */
  client: AgentClient;
  readonly updates: V1Updates;
  readonly #options: Omit<V1SessionOptions, "client">;
  readonly #subAgents: SubAgents<V1Updates>;
  /** Events that arrived before the agent confirmed the session. */
  #early: SessionEvent[] | undefined = [];
  /** The options and commands that the agent reported last, for a client that opens the session again. */
  readonly #settings = new Map<string, SessionEvent>();
  #turn: Promise<unknown> = Promise.resolve();
  #cancelled = false;
  #disposed = false;
  /** The number of permission requests that wait for an answer. */
  #openQuestions = 0;

  constructor({ client, ...options }: V1SessionOptions) {
    this.#options = options;
    this.sessionId = options.sessionId;
    this.client = client;
    this.updates = options.updates;
    this.#subAgents = new SubAgents(
      options.sessionId,
      options.updates,
      () => new V1Updates(),
      id => options.onSubAgent(id, this),
    );
  }

  /** The sessions of its sub-agents. */
  get subAgentIds(): readonly string[] {
    return this.#subAgents.sessionIds;
  }

  /** The id of a tool call in the conversation. */
  shownId(sessionId: string | undefined, toolCallId: string): string {
    return this.#subAgents.toolCallId(sessionId, toolCallId);
  }

  /** The agent has opened the session. `continued`: it is a session of an earlier connection. */
  opened(result: JsonObject, continued: boolean): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    const { sessionId } = this;
    this.client.report({ type: "agentSession", sessionId, ...(continued && { continued }) });
    this.#forward(early);
    this.#forward(openingSettings(this.updates.setup(result), early));
  }

  /** Opens the session with another client, although the agent has it open all the time. */
  reopened({ settings, turn }: Pick<V1Session, "settings" | "turn">): void {
    this.#early = undefined;
    this.#turn = turn;
    this.client.report({ type: "agentSession", sessionId: this.sessionId, continued: true });
    this.#forward(settings);
  }

  get settings(): readonly SessionEvent[] {
    return [...this.#settings.values()];
  }
  /** Resolves when the agent has answered the latest prompt. Never rejects. */
  get turn(): Promise<unknown> {
    return this.#turn;
  }

  /** The replay of a conversation that Parley does not have is over. */
  replayed(): void {
    this.#forward(this.updates.endReplay());
  }

  /** An update of the session, or of a sub-agent. */
  update(update: JsonObject, sessionId = this.sessionId): void {
    this.#report(this.#subAgents.update(sessionId, update));
  }

  #report(events: readonly SessionEvent[]): void {
    const counting = this.#options.replay?.filter(events) ?? events;
    if (this.#early) this.#early.push(...counting);
    else this.#forward(counting);
  }

  #forward(events: readonly SessionEvent[]): void {
    for (const event of events) {
      if (event.type === "options" || event.type === "commands") this.#settings.set(event.type, event);
      if (!this.#disposed) this.client.report(event);
    }
  }

  prompt(
    content: readonly ContentBlock[],
    context: readonly ContentBlock[] = [],
  ): Promise<{ readonly messageId: string }> {
    const sent = [...content, ...context];
    const size = promptLineBytes(sent, this.sessionId);
    if (size > maxPromptBytes) return Promise.reject(new ProblemError(promptSizeProblem(size)));
    this.#cancelled = false;
    const { messageId, events } = this.updates.prompt(content, context);
    const answer = this.#options.connection.request("session/prompt", {
      sessionId: this.sessionId,
      prompt: sent.map(contentToWire),
    });
    this.#report(events);
    this.#turn = answer.then(
      result => this.#ended(asObject(result)),
      (error: unknown) => this.#report(this.#failed(asError(error))),
    );
    return Promise.resolve({ messageId });
  }

  #ended(result: JsonObject): void {
    this.#report(this.updates.turnEnded(asString(result["stopReason"]) ?? "end_turn", undefined, turnUsage(result)));
  }

  /**
   * After a cancel, any error counts as cancelled: some agents answer with one, against the spec (page "Prompt Turn").
   */
  #failed(error: Error): readonly SessionEvent[] {
    const cancelled = this.#cancelled || (error instanceof ResponseError && error.code === requestCancelled);
    if (cancelled) return this.updates.turnEnded("cancelled");
    const ended = this.updates.turnEnded(
      "error",
      this.#options.connection.problem(error, name => t("{0} could not finish this turn", name)),
    );
    const isUnsent = error instanceof ResponseError && error.code === authRequired;
    const isGone = !isUnsent && saysSessionIsGone(error, this.sessionId);
    if (!isUnsent && !isGone) return ended;
    return ended.map(event =>
      event.type === "activity" ? { ...event, ...(isUnsent ? { unsent: true } : { forgotten: true }) } : event,
    );
  }

  cancel(): void {
    this.#cancelled = true;
    if (this.#disposed) return;
    this.#options.connection.notify("session/cancel", { sessionId: this.sessionId });
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    try {
      await this.#setBy(this.updates.optionOrigin(id), id, value);
    } catch (thrown) {
      const error = asError(thrown);
      const problem = this.#options.connection.problem(error, name => t("{0} rejected this setting", name));
      if (problem.signIn) this.#report([{ type: "signInNeeded", problem }]);
      // Some agents offer a mode in both ways and accept only one. The first refusal says more than the second.
      const other = this.updates.otherOrigin(id, value);
      const isRetried = other !== undefined && !problem.signIn && error instanceof ResponseError;
      const isSet =
        isRetried &&
        (await this.#setBy(other, id, value).then(
          () => true,
          () => false,
        ));
      if (!isSet) throw new ProblemError(problem);
    }
  }

  async #setBy(origin: OptionOrigin, id: string, value: string | boolean): Promise<void> {
    const { sessionId } = this;
    const { connection } = this.#options;
    switch (origin) {
      case "mode":
        await connection.request("session/set_mode", { sessionId, modeId: value });
        break;
      case "model":
        await connection.request("session/set_model", { sessionId, modelId: value });
        break;
      default: {
        const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
        const result = asObject(
          await connection.request("session/set_config_option", { sessionId, configId: id, ...typed }),
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
    this.#report(this.updates.optionSet(id, value));
  }

  /** Applies the embedded tool call, then asks the question. */
  async askPermission(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { question: asked, toolCall } = readV1Permission(params);
    const asker = asString(params["sessionId"]) ?? this.sessionId;
    const updates = this.#subAgents.reader(asker);
    this.#report(this.#subAgents.scoped(asker, updates.toolCall(toolCall), toolCall));
    const { toolCallId } = asked;
    const question = { ...asked, ...(toolCallId !== undefined && { toolCallId: this.shownId(asker, toolCallId) }) };
    // While a sub-agent asks, its parent works on.
    const isOwn = updates === this.updates;
    if (isOwn) this.#openQuestions++;
    if (isOwn) this.#report(updates.questionOpened());
    try {
      const answer = await this.client.requestPermission(question, signal);
      if (toolCallId !== undefined && isRejection(answer, question)) updates.refused(toolCallId);
      return permissionResult(answer);
    } finally {
      if (isOwn && --this.#openQuestions === 0) this.#report(updates.questionAnswered());
    }
  }

  /** Ends a sub-agent (RFD "Sub-agents": only while it offers that). Version 1 cannot end other calls alone. */
  async cancelTool(toolCallId: string): Promise<void> {
    const sessionId = subAgentOfCard(toolCallId);
    if (sessionId !== undefined && !this.#disposed) this.#options.connection.notify("session/cancel", { sessionId });
  }

  /** Steering, a de-facto extension: the agent inserts the prompt into the running turn. */
  get sendWhileRunning(): AgentSession["sendWhileRunning"] {
    return this.#options.connection.supportsSteering ? content => this.#steer(content) : undefined;
  }

  async #steer(content: readonly ContentBlock[]): Promise<AcceptedPrompt> {
    const { sessionId } = this;
    const { connection } = this.#options;
    const size = promptLineBytes(content, sessionId);
    if (size > maxPromptBytes) throw new ProblemError(promptSizeProblem(size));
    const meta = { steering: { idleBehavior: "promptRequired" } };
    const params = { sessionId, prompt: content.map(contentToWire), _meta: meta };
    let outcome: string | undefined;
    this.updates.steering(content);
    try {
      outcome = asString(asObject(await connection.request("_session/steering", params))["outcome"]);
    } catch (error) {
      throw new ProblemError(connection.problem(asError(error), name => t("{0} did not accept this message", name)));
    }
    // The turn is over, so the prompt waits for the next one.
    if (outcome !== "injected" && outcome !== "startedNewTurn") throw new PromptReturnedError(true);
    const { messageId, events } = this.updates.steered(content);
    this.#report(events);
    return { messageId };
  }

  async createTerminal(request: TerminalRequest, signal: AbortSignal): Promise<string> {
    const terminalId = await this.client.createTerminal(request, signal);
    this.updates.clientTerminal(terminalId);
    return terminalId;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.client = detachedClient(() => {});
    this.updates.forgetCalls();
    this.#options.onDispose(this);
  }

  close(): void {
    if (this.#disposed) return;
    this.dispose();
    this.#options.onClose(this);
  }
}

function isRejection(answer: QuestionAnswer, { options }: PermissionQuestion): boolean {
  if (answer === "cancelled") return true;
  return options.find(option => option.id === answer.option)?.kind.startsWith("reject_") ?? false;
}
