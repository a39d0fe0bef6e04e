// The entry of `dist/mcp.js`: connects to an MCP server with the official client, in every revision since 2024-11-05.
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type DiscoverResult,
  type StandardSchemaV1,
  type Transport,
} from "@modelcontextprotocol/client";
import { asObject, asString, type JsonObject } from "../../acp/parse.ts";
import { readElicitation } from "../../acp/readElicitation.ts";
import { asError } from "../../base/errors.ts";
import { setTranslator, t, type Translator } from "../../base/l10n.ts";
import type { FormAnswer } from "../../session/forms/form.ts";
import type {
  ServerConnectOptions,
  McpPromptList,
  McpPromptResult,
  McpResource,
  PromptServer,
  ServerTarget,
  ServerVerdict,
} from "../promptServer.ts";
import { ServerAnswerLimit, AnswerTimeout } from "./serverAnswerLimit.ts";
import { readPages } from "./pages.ts";
import { cutText, maxTextLength, readContent, readPrompt } from "./readPrompt.ts";
import { StreamTransport } from "./streamTransport.ts";

const listLimits = { maxPages: 100, maxItems: 2000 };
const maxCompletions = 100;
/** The client answers each unknown message by the time limit; a server that is silent before `initialize` is older. */
const probeShare = 0.3;

/** Accepts any result. A malformed prompt in a list must not reject the others. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": { version: 1, vendor: "parley", validate: value => ({ value: asObject(value) }) },
};

const invalidParams = -32602;
const internalError = -32603;

let resetTranslator: (() => void) | undefined;

/** Sets what translates the texts of this bundle, also a second time. */
export function translateWith(translator: Translator): void {
  resetTranslator?.();
  resetTranslator = setTranslator(translator);
}

/** Connects to a server. A server that ends when it is asked for its revision is started again as an older one. */
export async function connectToServer(target: ServerTarget, options: ServerConnectOptions): Promise<PromptServer> {
  try {
    return await connectOnce(target, options);
  } catch (error) {
    const isOlder =
      target.type === "stdio" && error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
    if (!isOlder && !(options.verdict?.kind === "modern" && error instanceof SdkError)) throw sentence(error);
  }
  try {
    return await connectOnce(target, { ...options, verdict: { kind: "legacy" } });
  } catch (error) {
    throw sentence(error);
  }
}

async function connectOnce(target: ServerTarget, options: ServerConnectOptions): Promise<PromptServer> {
  const { clientVersion, timeout, verdict, signal } = options;
  const client = new Client(
    { name: "parley", title: "Parley", version: clientVersion },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: timeout * probeShare } },
      listChanged: {
        prompts: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onPromptsChanged() },
      },
    },
  );
  client.onerror = error => options.onWarning(error.message);
  const limit = new ServerAnswerLimit(timeout);
  client.setRequestHandler("elicitation/create", (request, context) =>
    limit.whileAsking(() => elicit(request.params, options, context.mcpReq.signal)),
  );
  const transport = await openTransport(target);
  let isConnected = false;
  try {
    await client.connect(transport, {
      timeout,
      signal,
      ...(verdict && { prior: verdict as { kind: "legacy" } | { kind: "modern"; discover: DiscoverResult } }),
    });
    isConnected = true;
  } finally {
    // Also the process of a server that did not answer must end.
    if (!isConnected) await transport.close().catch((error: unknown) => options.onWarning(asError(error).message));
  }
  client.onclose = () => options.onClosed();
  return new ConnectedServer(client, limit);
}

async function openTransport(target: ServerTarget): Promise<Transport> {
  switch (target.type) {
    case "stdio":
      return new StreamTransport(await target.start());
    case "http":
      return new StreamableHTTPClientTransport(new URL(target.url), {
        requestInit: { headers: { ...target.headers } },
      });
    case "sse":
      return new SSEClientTransport(new URL(target.url), { requestInit: { headers: { ...target.headers } } });
  }
}

/** Asks the user for what the server needs. Only forms, because Parley opens no pages for servers. */
async function elicit(
  params: Readonly<Record<string, unknown>>,
  { askForm }: ServerConnectOptions,
  signal: AbortSignal,
): Promise<{
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
}> {
  const request = readElicitation({ mode: "form", ...params, sessionId: "" });
  if (request.type !== "form") return { action: "decline" };
  const answer: FormAnswer = await askForm(request.form, signal);
  if (answer === "cancelled") return { action: "cancel" };
  if (answer.action === "decline") return { action: "decline" };
  const values = [...(answer.values ?? [])].map(([name, value]) => [
    name,
    typeof value === "object" ? [...value] : value,
  ]);
  return { action: "accept", content: Object.fromEntries(values) as Record<string, string> };
}

class ConnectedServer implements PromptServer {
  readonly revision: string;
  readonly verdict: ServerVerdict;
  readonly offersPrompts: boolean;
  readonly offersCompletions: boolean;
  readonly offersResources: boolean;
  readonly #client: Client;
  readonly #limit: ServerAnswerLimit;

  constructor(client: Client, limit: ServerAnswerLimit) {
    this.#client = client;
    this.#limit = limit;
    const capabilities = client.getServerCapabilities();
    this.revision = client.getNegotiatedProtocolVersion() ?? "";
    const discover = client.getDiscoverResult();
    this.verdict = client.getProtocolEra() === "modern" && discover ? { kind: "modern", discover } : { kind: "legacy" };
    this.offersPrompts = capabilities?.prompts !== undefined;
    this.offersResources = capabilities?.resources !== undefined;
    // 2024-11-05 has completions without a capability.
    this.offersCompletions = capabilities?.completions !== undefined || this.revision === "2024-11-05";
  }

  async listPrompts(signal: AbortSignal): Promise<McpPromptList> {
    if (!this.offersPrompts) return { prompts: [], isCut: false, skipped: 0 };
    try {
      // One limit for all pages: a server could answer each of them slowly.
      const { items, isCut } = await this.#limit.apply(signal, limited =>
        readPages(async cursor => {
          const params = { ...(cursor !== undefined && { cursor }) };
          // Not `listPrompts`, which reads all pages without these limits, and rejects a page with a malformed prompt.
          const page = await this.#client.request({ method: "prompts/list", params }, anyObject, limited);
          if (!Array.isArray(page["prompts"])) throw new SdkError(SdkErrorCode.InvalidResult, "no list of prompts");
          return { items: page["prompts"] as readonly unknown[], next: asString(page["nextCursor"]) };
        }, listLimits),
      );
      const prompts = items.flatMap(readPrompt);
      return { prompts, isCut, skipped: items.length - prompts.length };
    } catch (error) {
      throw sentence(error);
    }
  }

  async getPrompt(
    name: string,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<McpPromptResult> {
    try {
      const result = await this.#limit.apply(signal, limited =>
        this.#client.getPrompt({ name, arguments: { ...values } }, limited),
      );
      return {
        ...(result.description !== undefined && { description: cutText(result.description) }),
        messages: result.messages.map(({ role, content }) => ({ role, content: readContent(content) })),
      };
    } catch (error) {
      throw sentence(error);
    }
  }

  async readResource(uri: string, signal: AbortSignal): Promise<readonly McpResource[]> {
    try {
      const { contents } = await this.#limit.apply(signal, limited => this.#client.readResource({ uri }, limited));
      return contents.flatMap(resource => {
        const read = readContent({ type: "resource", resource });
        return read.type === "resource" && (read.text !== undefined || read.blob !== undefined) ? [read] : [];
      });
    } catch (error) {
      throw sentence(error);
    }
  }

  async complete(
    { prompt, name, value }: { readonly prompt: string; readonly name: string; readonly value: string },
    others: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (!this.offersCompletions) return [];
    try {
      const params = {
        ref: { type: "ref/prompt" as const, name: prompt },
        argument: { name, value },
        // Revisions before 2025-06-18 have no context. Servers ignore fields that they do not know.
        ...(Object.keys(others).length > 0 && { context: { arguments: { ...others } } }),
      };
      const { completion } = await this.#limit.apply(signal, limited => this.#client.complete(params, limited));
      return completion.values.filter(each => each.length <= maxTextLength).slice(0, maxCompletions);
    } catch (error) {
      throw sentence(error);
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** The error with a message that a user can read. */
function sentence(thrown: unknown): Error {
  const error = asError(thrown);
  // A problem of the start is a sentence already.
  if (error.name === "ProblemError" || error instanceof AnswerTimeout) return error;
  return new Error(messageOf(error), { cause: error });
}

function messageOf(error: Error): string {
  // The client puts the code before the server's own words.
  const words = cutText(error.message.replace(/^MCP error -?\d+: /, ""));
  // The transport for SSE has the status in words only.
  const status = error instanceof SdkHttpError ? error.status : /Non-200 status code \((\d+)\)/.exec(words)?.[1];
  if (error instanceof UnauthorizedError || [401, 403].includes(Number(status)))
    return t("The server requires you to sign in. Add the header that it needs to its settings.");
  if (error instanceof SdkHttpError || status !== undefined)
    return t("The server answered with the HTTP status {0}.", status ?? t("unknown"));
  if (error instanceof ProtocolError) {
    if (error.code === invalidParams)
      return t("The server does not accept the prompt or its arguments: {0}", asSentence(words));
    if (error.code === internalError) return t("The server failed: {0}", asSentence(words));
    return t("The server refused the request: {0}", asSentence(words));
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) return t("The server did not answer in time.");
    if (error.code === SdkErrorCode.ConnectionClosed) return t("The server ended the connection.");
    if (error.code === SdkErrorCode.InvalidResult) return t("The server sent an answer that Parley cannot read.");
  }
  if (error.name === "ZodError" || error.name === "$ZodError")
    return t("The server sent an answer that Parley cannot read.");
  if (error.name === "AbortError") return t("The request was cancelled.");
  return t("The server could not be reached: {0}", asSentence(unreachableReason(error)));
}

/** Words for the errors of a connection that users meet with a wrong address. */
const addressFaults: Readonly<Record<string, () => string>> = {
  ECONNREFUSED: () => t("nothing listens at this address"),
  ENOTFOUND: () => t("there is no host of this name"),
  EAI_AGAIN: () => t("the name of the host could not be looked up"),
};

/** What the innermost error says: `fetch` and the client only say that something failed. */
function unreachableReason(error: Error): string {
  let inner = error;
  for (let depth = 0; depth < 10 && inner.cause instanceof Error; depth++) inner = inner.cause;
  // One error for each address of the host.
  const [first] = inner instanceof AggregateError ? (inner.errors as readonly unknown[]) : [];
  if (first instanceof Error) inner = first;
  // The transport for SSE has only the words of the inner error.
  const words = inner.message.replace(/^(?:SSE error: |TypeError: |fetch failed: )+/, "");
  const fault = Object.keys(addressFaults).find(code => words.includes(code));
  return cutText(fault === undefined ? words : `${addressFaults[fault]?.() ?? ""} (${words})`);
}
