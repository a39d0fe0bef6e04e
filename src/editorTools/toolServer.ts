// The types that the server of the tools in `dist/editorTools.js` and the rest of the extension share.
import type { Clock } from "../base/log.ts";
import type { McpRequest, McpOutcome, McpParams } from "../session/agent.ts";
import type { ObjectSchema } from "./toolArguments.ts";

/** A JSON Schema of arguments. Those of other extensions can have anything that JSON Schema has. */
export interface InputSchema {
  readonly type: "object";
}

/** A tool as an agent sees it. */
export interface ToolDescription<Input extends InputSchema = InputSchema> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Input;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** The result of a call. An error has a sentence that says what to do instead. */
export interface ToolResult {
  readonly text: string;
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** The tools of one session, for the agent that has its token. */
export interface ServedTools {
  readonly descriptions: readonly ToolDescription[];
  /** Never rejects. */
  call(name: string, given: unknown, signal: AbortSignal): Promise<ToolResult>;
  /** Aborts when the session ends. */
  readonly ended: AbortSignal;
}

/** Limits of the server. Tests lower them. */
export interface ToolServerLimits {
  /** Of the body of one request (bytes). */
  readonly maxBody: number;
  /** The time for one request to arrive (ms). */
  readonly requestTimeout: number;
  /** The requests of one session at the same time. */
  readonly maxRequests: number;
  readonly maxConnections: number;
}

export interface ToolServerOptions {
  /** The tools of the session that has the token. Undefined: no session has it. */
  readonly toolsOf: (token: string) => ServedTools | undefined;
  /** The version of Parley. */
  readonly version: string;
  readonly clock: Clock;
  readonly onWarning: (message: string) => void;
  readonly limits?: Partial<ToolServerLimits>;
}

export interface RunningToolServer {
  /** The address for agents. It has no secret in it. */
  readonly url: string;
  /** Ends all requests. Resolves when nothing listens any more. */
  close(): Promise<void>;
}

/** A request that comes over the connection of an agent. */
export interface MessageContext extends Pick<ToolServerOptions, "version" | "clock" | "onWarning"> {
  readonly tools: ServedTools;
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to the request. */
  readonly notify: (method: string, params: McpParams) => void;
}

/** The exports of `dist/editorTools.js`. */
export interface ToolServerModule {
  readonly toolServer: {
    /** Starts a server on 127.0.0.1, on a port that the system chooses. */
    startToolServer(options: ToolServerOptions): Promise<RunningToolServer>;
    /** Answers one request, without a port. Rejects if it is cancelled. */
    answerMessage(message: McpRequest, context: MessageContext): Promise<McpOutcome>;
    /** What is wrong with the input of a tool, by its JSON Schema. Undefined: nothing, or the schema cannot be checked. */
    inputFault(schema: object, input: object): string | undefined;
  };
}
