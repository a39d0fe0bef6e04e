// The two sides of a conversation as the model sees them: what we ask of an agent, and what it asks of us.
// Shaped like ACP v2; acp/ implements Agent, workspace/ and vscode/ supply the parts of AgentClient.
import type {
  QuestionAnswer,
  QuestionOption,
  QuestionSubject,
  ContentBlock,
  ExitStatus,
  SessionEvent,
  ToolFields,
} from "./events.ts";

/** What an agent is able to do, normalised over protocol versions. */
export interface AgentCapabilities {
  readonly image: boolean;
  readonly audio: boolean;
  readonly embeddedContext: boolean;
  readonly load: boolean;
}

/** Facts about a connected agent. */
export interface AgentInfo {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: number;
  readonly capabilities: AgentCapabilities;
}

/** A connected agent process. One process serves any number of sessions. */
export interface Agent {
  readonly info: AgentInfo;
  /** Opens a session. Rejects with a ProblemError; sign-in needed is one. */
  open(request: { readonly cwd: string }, client: AgentClient): Promise<AgentSession>;
}

/** A session as its agent serves it. Every update reaches {@link AgentClient.report} in arrival order. */
export interface AgentSession {
  readonly sessionId: string;
  /**
   * Sends a prompt. Resolves when the agent has accepted it, with the message's id; activity tells when the turn
   * ends. Rejects with a ProblemError when it was refused and is not in the history.
   */
  prompt(content: readonly ContentBlock[]): Promise<{ readonly messageId: string }>;
  /** Asks the agent to end the turn. Answers no questions by itself. */
  cancel(): void;
  setOption(id: string, value: string | boolean): Promise<void>;
  dispose(): void;
}

export interface PermissionQuestion {
  readonly title: string;
  readonly toolCallId?: string;
  readonly options: readonly QuestionOption[];
  /** All that is known of the tool call in question; the session adds it. */
  readonly tool?: Partial<ToolFields>;
  /** What a question of our own is about. */
  readonly subject?: QuestionSubject;
}

export interface TerminalRequest {
  readonly command: string;
  /** Absent: `command` is a whole command line for the user's shell. */
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** Absolute. Absent: the session's folder. */
  readonly cwd?: string;
  /** Bytes of output kept; the oldest go first. */
  readonly outputByteLimit?: number;
}

/** `saved` is false when the document had unsaved changes of the user's own and was therefore not saved. */
export interface WriteResult {
  readonly saved: boolean;
  /** The texts around the write, where the user's save settings changed the text that the agent sent. */
  readonly result?: { readonly before: string; readonly after: string };
}

/**
 * What an agent may ask of us, for one session. Methods reject with a Refusal. The signal aborts when the agent calls
 * its request back or is gone: what waits for the user then waits no more.
 */
export interface AgentClient {
  report(event: SessionEvent): void;
  /** Resolves with `cancelled` when the signal aborts, also when it already has. */
  requestPermission(question: PermissionQuestion, signal: AbortSignal): Promise<QuestionAnswer>;
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
  /** Ends the process; the id stays valid and the output readable. */
  killTerminal(terminalId: string): Promise<void>;
  /** Ends the process if it runs; the id is invalid from then on. */
  releaseTerminal(terminalId: string): Promise<void>;
}
