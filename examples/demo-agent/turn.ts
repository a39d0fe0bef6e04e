// One turn of the demo agent. All messages and tool calls of a turn go through this class, so that cancel works at
// every step and no tool call stays open.
import { randomUUID } from "node:crypto";
import type {
  AgentContext,
  ClientCapabilities,
  ClientRequestMethod,
  ClientRequestParamsByMethod,
  ClientRequestResponsesByMethod,
  PlanEntry,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
} from "@agentclientprotocol/sdk";

/** The permissions that the user can grant for a whole session. */
export type Permission = "edit" | "execute";

/** Whether the agent asks: before every change (`read`), until the user always allows one, or never (`free`). */
export const modes = ["read", "ask", "free"] as const;
export type Mode = (typeof modes)[number];

/** The state of one session. */
export interface DemoSession {
  readonly id: string;
  readonly cwd: string;
  mode: Mode;
  showThoughts: boolean;
  title: string | undefined;
  readonly alwaysAllowed: Set<Permission>;
  /** The number of characters read and written so far. Four characters count as one token. */
  characters: number;
  running: AbortController | undefined;
}

/** The initial fields of a tool call. */
export interface ToolStart {
  readonly title: string;
  readonly kind: ToolKind;
  readonly status?: ToolCallStatus;
  readonly content?: ToolCallContent[];
  readonly locations?: ToolCallLocation[];
  readonly rawInput?: unknown;
}

/** The changed fields of a tool call. */
export interface ToolChange {
  readonly title?: string;
  readonly status?: ToolCallStatus;
  readonly content?: ToolCallContent[];
  readonly locations?: ToolCallLocation[];
  readonly rawOutput?: unknown;
}

/** Thrown inside a turn that the user stopped. */
export class TurnCancelled extends Error {
  constructor() {
    super("The turn was cancelled.");
    this.name = "TurnCancelled";
  }
}

const contextSize = 200_000;

/** The factor for all delays. 0 turns them off. */
const speed = Math.max(0, Number(process.env["PARLEY_DEMO_SPEED"] ?? "1") || 0);

/** Text as content of a tool call. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** One turn: its messages, tool calls and permission requests. */
export class Turn {
  readonly client: AgentContext;
  readonly session: DemoSession;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  #openTools = new Set<string>();

  constructor(client: AgentContext, session: DemoSession, capabilities: ClientCapabilities, signal: AbortSignal) {
    this.client = client;
    this.session = session;
    this.capabilities = capabilities;
    this.signal = signal;
  }

  /** Sends one update. Throws if the turn was cancelled meanwhile. */
  async update(update: SessionUpdate): Promise<void> {
    this.check();
    await this.#send(update);
  }

  /** Throws if the turn was cancelled. */
  check(): void {
    if (this.signal.aborted) throw new TurnCancelled();
  }

  /** Sends Markdown, a few words at a time. */
  async say(markdown: string): Promise<void> {
    await this.#stream("agent_message_chunk", markdown);
  }

  /** Sends a thought, if the user wants to see thoughts. */
  async think(text: string): Promise<void> {
    if (this.session.showThoughts) await this.#stream("agent_thought_chunk", text);
  }

  /** Replaces the plan. */
  async plan(entries: readonly PlanEntry[]): Promise<void> {
    await this.update({ sessionUpdate: "plan", entries: [...entries] });
  }

  /** Starts a tool call and returns its ID. */
  async startTool(start: ToolStart): Promise<string> {
    const toolCallId = randomUUID();
    this.#openTools.add(toolCallId);
    await this.update({ sessionUpdate: "tool_call", toolCallId, status: "in_progress", ...start });
    return toolCallId;
  }

  /** Updates a tool call. */
  async changeTool(toolCallId: string, change: ToolChange): Promise<void> {
    if (change.status === "completed" || change.status === "failed") this.#openTools.delete(toolCallId);
    await this.update({ sessionUpdate: "tool_call_update", toolCallId, ...change });
  }

  /** Requests permission for a tool call. Returns true without a request if the user has allowed it for the session. */
  async mayDo(permission: Permission, toolCallId: string): Promise<boolean> {
    const { session } = this;
    if (session.mode === "free") return true;
    const isReadOnly = session.mode === "read";
    if (!isReadOnly && session.alwaysAllowed.has(permission)) return true;
    const always = permission === "edit" ? "Always Allow Edits" : "Always Allow Commands";
    const { outcome } = await this.request("session/request_permission", {
      sessionId: session.id,
      toolCall: { toolCallId },
      options: [
        { optionId: "allow", name: "Allow", kind: "allow_once" },
        ...(isReadOnly ? [] : [{ optionId: "always", name: always, kind: "allow_always" as const }]),
        { optionId: "reject", name: "Reject", kind: "reject_once" },
      ],
    });
    this.check();
    // Clients answer `cancelled` when they cancel the turn, often just before they send the cancellation.
    if (outcome.outcome !== "selected") throw new TurnCancelled();
    if (outcome.optionId === "always") session.alwaysAllowed.add(permission);
    return outcome.optionId === "allow" || outcome.optionId === "always";
  }

  /** Sends a request to the client, and stops waiting if the turn is cancelled. */
  async request<Method extends ClientRequestMethod>(
    method: Method,
    params: ClientRequestParamsByMethod[Method],
  ): Promise<ClientRequestResponsesByMethod[Method]> {
    this.check();
    try {
      return await this.client.request(method, params, { cancellationSignal: this.signal, stopWaitingOnCancel: true });
    } catch (error) {
      this.check();
      throw error;
    }
  }

  /** Waits a short time, so that the user can follow. Ends immediately on cancel. */
  async pause(milliseconds: number): Promise<void> {
    this.check();
    if (speed === 0) return;
    await new Promise<void>(resolve => {
      const done = (): void => {
        clearTimeout(timer);
        this.signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds * speed);
      this.signal.addEventListener("abort", done);
    });
    this.check();
  }

  /** Adds text to the context usage. */
  async count(text: string): Promise<void> {
    this.session.characters += text.length;
    const used = Math.min(contextSize, Math.ceil(this.session.characters / 4));
    await this.update({ sessionUpdate: "usage_update", used, size: contextSize });
  }

  /** Ends all open tool calls. Call it at the end of every turn, and send nothing afterwards. */
  async close(): Promise<void> {
    for (const toolCallId of this.#openTools) {
      await this.#send({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
    }
    this.#openTools.clear();
  }

  async #stream(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): Promise<void> {
    const messageId = randomUUID();
    for (const [piece] of text.matchAll(/(?:\s*\S+){1,3}\s*/g)) {
      await this.update({ sessionUpdate, messageId, content: { type: "text", text: piece } });
      await this.pause(18);
    }
    await this.count(text);
  }

  async #send(update: SessionUpdate): Promise<void> {
    await this.client.notify("session/update", { sessionId: this.session.id, update });
  }
}
