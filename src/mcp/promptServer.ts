// The connection to an MCP server that has prompts, as the extension uses it. The bundle `dist/mcp.js` implements it, so
// this file has types only.
import type { Readable, Writable } from "node:stream";
import type { Translator } from "../base/l10n.ts";
import type { ContentBlock } from "../session/events.ts";
import type { FormAnswer, FormRequest } from "../session/forms/form.ts";
import type { ServerCredentials, SignInFlow, ServerSignInTarget, StoredSignIn } from "./clientSignIn.ts";

export interface McpArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
}

/** A prompt that a server offers. Its texts are limited in length, and hostile. */
export interface McpPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly McpArgument[];
}

/** The prompts of a server, and what is missing. */
export interface McpPromptList {
  readonly prompts: readonly McpPrompt[];
  /** The server has more prompts than Parley reads. */
  readonly isCut: boolean;
  /** The number of prompts that are left out, because they are malformed or exceed a limit. */
  readonly skipped: number;
}

/** A resource with its text, or with its bytes in base64. */
export type McpResource = Extract<ContentBlock, { type: "resource" }>;

export interface McpMessage {
  readonly role: "user" | "assistant";
  /** MCP and ACP have the same kinds of content. */
  readonly content: ContentBlock;
}

/** What a server returned for a prompt and its arguments. */
export interface McpPromptResult {
  readonly description?: string;
  readonly messages: readonly McpMessage[];
}

/** How a server was found to speak: kept, so that it is not asked again. `discover` is what it answered. */
export type ServerVerdict = { readonly kind: "legacy" } | { readonly kind: "modern"; readonly discover: unknown };

/** The streams of a started server. `stop` ends its process tree. */
export interface ServerStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Where a server is: a process that `start` starts, or a web address. */
export type ServerTarget =
  | { readonly type: "stdio"; start(): Promise<ServerStreams> }
  | {
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Absent: the headers authorize the requests, and the user cannot sign in. */
      readonly credentials?: ServerCredentials;
    };

/** A form of a server, or a page that it asks the user to open. */
export type ServerFormRequest = Exclude<FormRequest, { type: "declined" }>;

export interface ServerConnectOptions {
  readonly clientVersion: string;
  /** In milliseconds, for the whole connection and for each request. */
  readonly timeout: number;
  readonly verdict?: ServerVerdict;
  readonly signal: AbortSignal;
  /** The server says that its prompts have changed. */
  readonly onPromptsChanged: () => void;
  /** The connection has ended, for any reason. */
  readonly onClosed: () => void;
  /** A message of the server could not be read, or the server asked for something that Parley does not do. */
  readonly onWarning: (message: string) => void;
  /** The server asks the user for values, or to open a page, before it answers. */
  readonly askForm: (request: ServerFormRequest, signal: AbortSignal) => Promise<FormAnswer>;
}

/** A connected server. Requests reject with an error whose message is a sentence for the user. */
export interface PromptServer {
  /** The revision of the protocol that both sides use. */
  readonly revision: string;
  readonly verdict: ServerVerdict;
  readonly offersPrompts: boolean;
  readonly offersCompletions: boolean;
  readonly offersResources: boolean;
  /** The server's icon as a `data:` address of an image, if it has one that Parley shows. */
  icon(signal: AbortSignal): Promise<string | undefined>;
  listPrompts(signal: AbortSignal): Promise<McpPromptList>;
  getPrompt(name: string, values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<McpPromptResult>;
  /** What the server returns for the URI: itself, or the files of a folder. Their sizes are not limited. */
  readResource(uri: string, signal: AbortSignal): Promise<readonly McpResource[]>;
  /** Values for an argument. `others` are the values of the other arguments. */
  complete(
    argument: { readonly prompt: string; readonly name: string; readonly value: string },
    others: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What `dist/mcp.js` exports. */
export interface McpClientModule {
  readonly mcpClient: {
    /** Sets what translates the texts of the bundle. */
    translateWith(translator: Translator): void;
    /**
     * Connects to a server. Rejects with an error whose message is a sentence for the user, and with a ServerSignInNeededError if
     * the user has to sign in first.
     */
    connectToServer(target: ServerTarget, options: ServerConnectOptions): Promise<PromptServer>;
    /** Signs in to a server. Resolves with undefined if the user does not open the page. Rejects with a sentence. */
    signIn(target: ServerSignInTarget, flow: SignInFlow): Promise<StoredSignIn | undefined>;
    /** New tokens for the server. Undefined: the user has to sign in again. Rejects with a sentence. */
    refreshSignIn(url: string, stored: StoredSignIn, signal: AbortSignal): Promise<StoredSignIn | undefined>;
    /** Asks the authorization server to revoke the tokens, if it can. Rejects with a sentence. */
    revokeSignIn(url: string, stored: StoredSignIn, signal: AbortSignal): Promise<void>;
  };
}

export type McpClient = McpClientModule["mcpClient"];
