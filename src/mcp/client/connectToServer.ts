// Connects to an MCP server with the official client, in every revision since 2024-11-05.
import {
  Client,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UrlElicitationRequiredError,
  type DiscoverResult,
  type StandardSchemaV1,
  type Transport,
} from "@modelcontextprotocol/client";
import { asObject, asString, type JsonObject } from "../../acp/parse.ts";
import { readElicitation } from "../../acp/readElicitation.ts";
import { asError } from "../../base/errors.ts";
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
import { ServerAnswerLimit } from "./serverAnswerLimit.ts";
import { readPages } from "./pages.ts";
import { isUnauthorized, ServerAuthorization } from "./serverAuthorization.ts";
import { serverIcon } from "./serverIcon.ts";
import { cutText, maxTextLength, readContent, readPrompt } from "./readPrompt.ts";
import { StreamTransport } from "./streamTransport.ts";

const listLimits = { maxPages: 100, maxItems: 2000 };
const maxCompletions = 100;
/** The user is asked to open at most this many web pages for one prompt. */
const maxWebPages = 3;
/** The client answers each unknown message by the time limit; a server that is silent before `initialize` is older. */
const probeShare = 0.3;

/** Accepts any result. A malformed prompt in a list must not reject the others. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": { version: 1, vendor: "parley", validate: value => ({ value: asObject(value) }) },
};

/** Connects to a server. A server that ends when it is asked for its revision is started again as an older one. */
export async function connectToServer(target: ServerTarget, options: ServerConnectOptions): Promise<PromptServer> {
  const authorization = new ServerAuthorization(target);
  try {
    return await connectOnce(target, options, authorization);
  } catch (error) {
    const isOlder =
      target.type === "stdio" && error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
    const isOtherEra = options.verdict?.kind === "modern" && error instanceof SdkError && !isUnauthorized(error);
    if (!isOlder && !isOtherEra) throw authorization.sentence(error);
  }
  try {
    return await connectOnce(target, { ...options, verdict: { kind: "legacy" } }, authorization);
  } catch (error) {
    throw authorization.sentence(error);
  }
}

async function connectOnce(
  target: ServerTarget,
  options: ServerConnectOptions,
  authorization: ServerAuthorization,
): Promise<PromptServer> {
  const { clientVersion, timeout, verdict, signal } = options;
  const client = new Client(
    { name: "parley", title: "Parley", version: clientVersion },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
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
  const transport = await openTransport(target, authorization);
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
  return new ConnectedServer(client, { limit, authorization, options, target });
}

async function openTransport(target: ServerTarget, { provider }: ServerAuthorization): Promise<Transport> {
  if (target.type === "stdio") return new StreamTransport(await target.start());
  const url = new URL(target.url);
  const options = { requestInit: { headers: { ...target.headers } }, ...(provider && { authProvider: provider }) };
  if (target.type === "sse") return new SSEClientTransport(url, options);
  // A server that asks for more permissions needs the user, as one that asks for a sign-in does.
  return new StreamableHTTPClientTransport(url, { ...options, onInsufficientScope: "throw" });
}

/** Asks the user for what the server needs. A page is opened by the user only, and never read by Parley. */
async function elicit(
  params: Readonly<Record<string, unknown>>,
  { askForm }: ServerConnectOptions,
  signal: AbortSignal,
): Promise<{
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
}> {
  // Revisions before 2025-11-25 have forms only, and later ones no ID.
  const request = readElicitation({ mode: "form", elicitationId: "", ...params, sessionId: "" });
  if (request.type === "declined") return { action: "decline" };
  const answer: FormAnswer = await askForm(request, signal);
  if (answer === "cancelled") return { action: "cancel" };
  if (answer.action === "decline") return { action: "decline" };
  if (request.type === "url") return { action: "accept" };
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
  readonly #authorization: ServerAuthorization;

  readonly #options: ServerConnectOptions;
  readonly #target: ServerTarget;

  constructor(
    client: Client,
    {
      limit,
      authorization,
      options,
      target,
    }: {
      readonly limit: ServerAnswerLimit;
      readonly authorization: ServerAuthorization;
      readonly options: ServerConnectOptions;
      readonly target: ServerTarget;
    },
  ) {
    this.#client = client;
    this.#target = target;
    this.#options = options;
    this.#limit = limit;
    this.#authorization = authorization;
    const capabilities = client.getServerCapabilities();
    this.revision = client.getNegotiatedProtocolVersion() ?? "";
    const discover = client.getDiscoverResult();
    this.verdict = client.getProtocolEra() === "modern" && discover ? { kind: "modern", discover } : { kind: "legacy" };
    this.offersPrompts = capabilities?.prompts !== undefined;
    this.offersResources = capabilities?.resources !== undefined;
    // 2024-11-05 has completions without a capability.
    this.offersCompletions = capabilities?.completions !== undefined || this.revision === "2024-11-05";
  }

  icon(signal: AbortSignal): Promise<string | undefined> {
    return serverIcon(this.#client.getServerVersion(), this.#target, signal);
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
      throw this.#authorization.sentence(error);
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
      if (error instanceof UrlElicitationRequiredError) await this.#askForPages(error, signal);
      throw this.#authorization.sentence(error);
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
      throw this.#authorization.sentence(error);
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
      throw this.#authorization.sentence(error);
    }
  }

  /** Asks the user to open the pages without which the server does not answer (revision 2025-11-25). */
  async #askForPages({ elicitations }: UrlElicitationRequiredError, signal: AbortSignal): Promise<void> {
    for (const page of elicitations.slice(0, maxWebPages)) {
      const { action } = await elicit({ ...page, mode: "url" }, this.#options, signal);
      if (action !== "accept") return;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
