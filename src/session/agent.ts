// The two sides of a session: the agent's methods, and the client's methods that the agent calls. Shaped like ACP v2.
// src/acp implements Agent; Session implements AgentClient with its SessionServices.
import { ProblemError, type Problem } from "../base/errors.ts";
import type { Event } from "../base/lifecycle.ts";
import type {
  ConnectionState,
  QuestionAnswer,
  QuestionOption,
  QuestionSubject,
  ContentBlock,
  ExitStatus,
  SessionEvent,
  ToolFields,
} from "./events.ts";
import type { FormAnswer, FormRequest } from "./forms/form.ts";
import type { SignInMethod } from "./signIn.ts";

/** An agent's capabilities, normalised over protocol versions. */
export interface AgentCapabilities {
  readonly image: boolean;
  readonly audio: boolean;
  readonly embeddedContext: boolean;
}

/** The transports of MCP servers that an agent supports. */
export interface AgentServerTypes {
  /** Absent: supported. */
  readonly stdio?: boolean;
  readonly http: boolean;
  readonly sse: boolean;
  /** Servers of Parley over the connection of the agent. Absent: not supported. */
  readonly acp?: boolean;
}

/** An MCP server for an agent. Commands are absolute. */
export type AgentMcpServer = { readonly name: string } & AgentServerLaunch;

/** How an agent starts or reaches an MCP server. */
export type AgentServerLaunch =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly type: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | ConnectedServer;

/** A server of Parley that the agent reaches over its own connection. It belongs to one session. */
export interface ConnectedServer {
  readonly type: "acp";
  readonly serverId: string;
  /** Aborts when the server is no longer there. */
  readonly ended: AbortSignal;
  /** Answers a request. `notify` sends a notification that belongs to it, before the answer. */
  answer(
    message: McpRequest,
    context: { readonly signal: AbortSignal; readonly notify: (method: string, params: McpParams) => void },
  ): Promise<McpOutcome>;
}

export type McpParams = Readonly<Record<string, unknown>>;

/** A request of MCP. */
export interface McpRequest {
  readonly requestId: string;
  readonly method: string;
  readonly params?: McpParams;
}

/** The answer to a request of MCP. */
export type McpOutcome =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** Facts about a connected agent. */
export interface AgentInfo {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: number;
  readonly capabilities: AgentCapabilities;
  /** Absent: only stdio. */
  readonly mcpServers?: AgentServerTypes;
}

/** A session to open at an agent. */
export interface OpenSessionRequest {
  /** The workspace folder. */
  readonly cwd: string;
  /** Counts the connections of the conversation from 1. It is part of each id that Parley creates for the agent. */
  readonly connection: number;
  /** The MCP servers that the agent gets. Absent: none. */
  readonly mcpServers?: readonly AgentMcpServer[];
  /** Further folders in which the agent may work. Only agents that support it get them. */
  readonly additionalFolders?: readonly string[];
}

/** A prompt that is in the conversation under an id that Parley created, because the agent has not named its message. */
export interface UnnamedPrompt {
  readonly messageId: string;
  readonly content: readonly ContentBlock[];
}

/** A session of the agent to continue. */
export interface ContinueSessionRequest extends OpenSessionRequest {
  readonly sessionId: string;
  /** Whether the conversation has the entry of the event already, so that the agent only repeats it. */
  readonly isKnown: (event: SessionEvent) => boolean;
  /** Whether an interruption may have cut the entry of the event. */
  readonly isCut: (event: SessionEvent) => boolean;
  /** The prompts in the conversation that the agent has not named. Absent: none. */
  readonly unnamed?: readonly UnnamedPrompt[];
  /** The conversation was interrupted, so the agent may have added to it what the log lacks. */
  readonly lacksEnd: boolean;
}

/** How an agent continued a session. By `load`, it has sent the conversation again. */
export type ContinuedBy = "resume" | "load";

export interface ContinuedAgentSession {
  readonly session: AgentSession;
  readonly by: ContinuedBy;
}

/** A session that an agent keeps. */
export interface AgentSessionInfo {
  readonly sessionId: string;
  readonly title?: string;
  readonly cwd?: string;
  /** The time of its last change, in milliseconds since the epoch. */
  readonly updated?: number;
}

export interface AgentSessionPage {
  readonly sessions: readonly AgentSessionInfo[];
  /** Asks for the next page. Absent on the last one. */
  readonly nextCursor?: string;
}

/** A session of the agent that Parley does not have. */
export type KeptSessionRequest = OpenSessionRequest & { readonly sessionId: string };

/** What an agent can do with the sessions that it keeps. A method is absent if the agent cannot do it. Rejects with a ProblemError. */
export interface AgentSessionStore {
  /** The sessions of the folder, page by page. */
  readonly list?: (cwd: string, cursor?: string) => Promise<AgentSessionPage>;
  /** Everything that the agent sends again of a session that it has not open. */
  readonly load?: (request: KeptSessionRequest) => Promise<readonly SessionEvent[]>;
  /** Copies a session. Resolves with the id of the copy, which `continueSession` opens. */
  readonly fork?: (request: KeptSessionRequest) => Promise<string>;
  readonly delete?: (sessionId: string) => Promise<void>;
}

/** A connected agent process. One process serves any number of sessions. */
export interface Agent {
  readonly info: AgentInfo;
  /** Opens a session. Rejects with a ProblemError, also when the user must sign in first. */
  open(request: OpenSessionRequest, client: AgentClient): Promise<AgentSession>;
  /**
   * Continues a session of an earlier connection. Undefined if the agent refuses, for example because it no longer has
   * the session. Rejects with a ProblemError if the agent fails otherwise. Resolves when prompts can be sent.
   */
  continueSession?(request: ContinueSessionRequest, client: AgentClient): Promise<ContinuedAgentSession | undefined>;
  /**
   * Whether `continueSession` makes the agent read the conversation again: it can continue sessions, and does not have this
   * one open. Absent: it does, if there is `continueSession`.
   */
  loadsSession?(sessionId: string): boolean;
  /** What the agent can do with its sessions now. A method that the agent turns out to lack disappears. */
  readonly sessionStore?: AgentSessionStore;
  /** The ways to sign in, in the agent's order. */
  readonly signInMethods: readonly SignInMethod[];
  /** Signs in by a method of type `agent`. Rejects with a ProblemError, also when the signal aborts. */
  authenticate(methodId: string, client: FormClient, signal: AbortSignal): Promise<void>;
  /** The account that the agent works with, as it names it. Never logged. */
  readonly account?: string | undefined;
  readonly onDidChangeAccount?: Event<void>;
  /** Signs out. Absent if the agent cannot. */
  readonly signOut?: () => Promise<void>;
}

/** Connects a session to its agent. Methods reject with a ProblemError. */
export interface AgentConnector {
  connect(onProgress: (state: ConnectionState, detail?: string) => void): Promise<{
    readonly agent: Agent;
    readonly onDidDie: Event<Problem>;
    /** The connection has ended; `onDidDie` follows, unless Parley ended the agent. */
    hasEnded(): boolean;
  }>;
  /** Ends the agent's process, so that the next connect starts a new one. */
  restart(): Promise<void>;
}

/** A prompt that is part of the conversation now, as the message with this id. */
export interface AcceptedPrompt {
  readonly messageId: string;
  /** Whether the turn of the prompt has ended already. Absent: not known, because the agent has never repeated a prompt. */
  readonly isTurnOver?: boolean;
}

/** The agent gave a prompt back before it became part of the conversation. It returns to the queue. */
export class PromptReturnedError extends Error {
  /** The agent wants it after the running turn. */
  readonly sendLater: boolean;
  constructor(sendLater = false) {
    super("The agent gave the prompt back.");
    this.name = "PromptReturnedError";
    this.sendLater = sendLater;
  }
}

/** The agent gave the prompt back until the user signs in. */
export class SignInNeededError extends PromptReturnedError {}

/** The agent no longer has the session, so it did not accept the prompt. */
export class SessionGoneError extends ProblemError {}

/** A session at the agent. Every update reaches {@link AgentClient.report} in the order of arrival. */
export interface AgentSession {
  readonly sessionId: string;
  /**
   * Sends a prompt. Resolves with the message's id when the agent has accepted the prompt; an activity event reports
   * the end of the turn. Rejects with a ProblemError when the agent refused the prompt, so it is not in the history, and
   * with a PromptReturnedError when the agent gave it back. The agent also gets `context`, which is not a part of the
   * user's message. If the agent can hold prompts, it is asked to give this one back when `withdrawn` aborts.
   */
  prompt(
    content: readonly ContentBlock[],
    context?: readonly ContentBlock[],
    withdrawn?: AbortSignal,
  ): Promise<AcceptedPrompt>;
  /** Sends a prompt into the running turn. Settles as `prompt` does. Absent if the agent does not support it. */
  readonly sendWhileRunning?:
    | ((content: readonly ContentBlock[], withdrawn?: AbortSignal) => Promise<AcceptedPrompt>)
    | undefined;
  /** The agent can hold a prompt for a while before it accepts it. */
  readonly holdsPrompts?: boolean;
  /** Asks the agent to end the turn. Does not answer open questions. */
  cancel(): void;
  /** Ends one tool call, or a sub-agent, that offers it. Rejects with a ProblemError. */
  cancelTool(toolCallId: string): Promise<void>;
  /** Ends one terminal of the agent that offers it. Rejects with a ProblemError. Absent if the agent does not support it. */
  cancelTerminal?(terminalId: string): Promise<void>;
  setOption(id: string, value: string | boolean): Promise<void>;
  /** Ends the use of the session. The agent keeps it, so that it can be continued. */
  dispose(): void;
  /** Disposes the session, and lets the agent free what it holds for it, if the agent can. */
  close(): void;
}

/** Shows what the agent asks while no session is open. */
export type FormClient = Pick<AgentClient, "askForm" | "completeAddress">;

export interface PermissionQuestion {
  readonly title: string;
  readonly description?: string;
  readonly toolCallId?: string;
  readonly options: readonly QuestionOption[];
  /** All known fields of the tool call in question. The session adds them. */
  readonly tool?: Partial<ToolFields>;
  /** The subject of a question of Parley's own. */
  readonly subject?: QuestionSubject;
  /** Why no rule can allow a question of Parley's own. Continues "it …". */
  readonly caveat?: string;
}

export interface TerminalRequest {
  readonly command: string;
  /** Absent: `command` is a whole command line for the user's shell. */
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** Absolute. Absent: the session's workspace folder. */
  readonly cwd?: string;
  /** Bytes of output to keep; the oldest are dropped first. */
  readonly outputByteLimit?: number;
}

/** `saved` is false when the document had unsaved changes of the user's own and was therefore not saved. */
export interface WriteResult {
  readonly saved: boolean;
  /** The texts around the write, where the user's save settings changed the text that the agent sent. */
  readonly result?: { readonly before: string; readonly after: string };
}

/**
 * The methods that an agent may call, for one session. They reject with a Refusal. The signal aborts when the agent
 * cancels its request or is gone, and ends a wait for the user.
 */
export interface AgentClient {
  /** The first event is `agentSession`, because the ids in the others belong to that session. */
  report(event: SessionEvent): void;
  /** Resolves with `cancelled` when the signal aborts, or has aborted already. */
  requestPermission(question: PermissionQuestion, signal: AbortSignal): Promise<QuestionAnswer>;
  /** Shows a form or a web address. Resolves with `cancelled` when the signal aborts, or has aborted already. */
  askForm(request: FormRequest, signal: AbortSignal): Promise<FormAnswer>;
  /** The agent no longer needs the web address with this id. */
  completeAddress(elicitationId: string): void;
  /** `line` is 1-based, `limit` counts lines. */
  readTextFile(
    request: { readonly path: string; readonly line?: number; readonly limit?: number },
    signal: AbortSignal,
  ): Promise<string>;
  writeTextFile(request: { readonly path: string; readonly content: string }, signal: AbortSignal): Promise<void>;
  /** Starts a process and resolves with the terminal's id at once. */
  createTerminal(request: TerminalRequest, signal: AbortSignal): Promise<string>;
  terminalOutput(
    terminalId: string,
  ): Promise<{ readonly output: string; readonly truncated: boolean; readonly exit?: ExitStatus }>;
  waitForTerminalExit(terminalId: string, signal: AbortSignal): Promise<ExitStatus>;
  /** Ends the process. The id stays valid, and the output readable. */
  killTerminal(terminalId: string): Promise<void>;
  /** Ends the process if it runs. The id is invalid afterwards. */
  releaseTerminal(terminalId: string): Promise<void>;
}
