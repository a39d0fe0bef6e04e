// Turns ACP v2 updates into session events, which are shaped like them. Keeps only what a patch refers to. No I/O.
import type { Problem } from "../../base/errors.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import type {
  BackgroundWork,
  ContentBlock,
  MessageAuthor,
  Patch,
  SessionEvent,
  ToolFields,
} from "../../session/events.ts";
import { contentText } from "../../session/state.ts";
import { asNumber, asObject, asString, isObject, optionalField, type JsonObject } from "../parse.ts";
import * as parse from "../parse.ts";
import { commonUpdate, metaText, nullableField, parentInMeta } from "../commonUpdates.ts";
import { subAgentCard } from "../subAgentCard.ts";
import type { UpdateReader } from "../subAgents.ts";
import { turnUsage } from "../usage.ts";
import { EchoProgress } from "../echoProgress.ts";
import type { EchoOutcome, ReleasedMessage } from "./sentPrompts.ts";
import { TerminalBytes } from "./terminalBytes.ts";

type Events = readonly SessionEvent[];

/** What the updates of a session need from its agent. */
export interface V2UpdatesOptions {
  /** The problem for an error that ended a turn. Undefined if the agent gave no error. */
  problem(error: JsonObject | undefined): {
    readonly problem: Problem;
    readonly unsent?: true;
    readonly forgotten?: true;
  };
  /** The agent reported a message of the user, or a piece of it. `isNew`: the agent has not reported it before. */
  onUserMessage?(
    messageId: string,
    content: readonly ContentBlock[],
    kind: { readonly isNew: boolean; readonly isWhole: boolean },
  ): EchoOutcome;
  /** The agent reported a state. Returns messages of the user that `onUserMessage` held. */
  onState?(state: string): readonly ReleasedMessage[];
}

/** A prompt in the conversation. */
interface RepeatedPrompt {
  readonly sent: readonly ContentBlock[];
  readonly progress: EchoProgress;
  /** What the agent has repeated of it. */
  readonly blocks: ContentBlock[];
}

function repeatedPrompt(sent: readonly ContentBlock[], pieces: readonly ContentBlock[]): RepeatedPrompt {
  const prompt = { sent, progress: new EchoProgress(sent), blocks: [] };
  prompt.progress.restart();
  for (const piece of pieces) addPiece(prompt, piece);
  return prompt;
}

function addPiece({ progress, blocks }: RepeatedPrompt, piece: ContentBlock): void {
  blocks.push(piece);
  if (piece.type === "text") progress.advance(piece.text);
}

/** The most messages of users whose pieces are kept, because the agent may accept a prompt as one of them. */
const maxMessagesInPieces = 100;

/** The most pieces of one of these messages. */
const maxPieces = 10_000;

/** The most tool calls whose `_meta` is kept. */
const maxMetas = 10_000;

/** Converts the updates of one v2 session. */
export class V2Updates implements UpdateReader {
  readonly #options: V2UpdatesOptions;
  readonly #bytes = new TerminalBytes();
  /** The `_meta` of tool calls and messages, which updates patch by their keys. */
  readonly #metas = new Map<string, JsonObject>();
  /** What the agent has repeated so far of prompts that are in the conversation already. */
  readonly #repeated = new Map<string, RepeatedPrompt>();
  readonly #userMessages = new Set<string>();
  /** What the agent has reported so far of prompts that it reports in pieces, before it accepts them. */
  readonly #pieces = new Map<string, ContentBlock[]>();
  readonly #hidden: ContentBlock[] = [];
  #cost: { readonly amount: number; readonly currency: string } | undefined;

  constructor(options: V2UpdatesOptions) {
    this.#options = options;
  }

  /** In version 2, Parley runs no terminals. */
  isClientTerminal(): boolean {
    return false;
  }

  /** What `session/new` and `session/resume` return. */
  setup(result: JsonObject): Events {
    return [
      { type: "options", options: parse.parseSessionOptions(result["configOptions"]) },
      ...(Array.isArray(result["availableCommands"]) ? [commands(result["availableCommands"])] : []),
    ];
  }

  /**
   * The agent has accepted a prompt, so it is part of the conversation. Usually the agent repeats it, before or after
   * that. A repetition that comes later adds nothing, and neither does the rest of one that has begun. The message has what
   * the user sent, also if the agent leaves out attachments. `isUnnamed`: the id is Parley's.
   */
  accepted(messageId: string, content: readonly ContentBlock[], isUnnamed?: true): Events {
    const blocks = this.#pieces.get(messageId) ?? [];
    this.#pieces.delete(messageId);
    const repeated = repeatedPrompt(content, blocks);
    const isOwn = contentText(blocks).trim() !== "" && repeated.progress.isBegun;
    if (this.#userMessages.has(messageId) && !isOwn) return [];
    this.#userMessages.add(messageId);
    this.#repeated.set(messageId, repeated);
    return [{ type: "message", author: "user", messageId, content, ...(isUnnamed && { unnamed: true }) }];
  }

  /** Messages of the user whose pieces were held. */
  released(messages: readonly ReleasedMessage[]): Events {
    return messages.flatMap(({ messageId, outcome }) => this.#piecesOf(messageId, outcome));
  }

  #piecesOf(messageId: string, outcome: EchoOutcome): Events {
    if (outcome.type === "held") return [];
    if (outcome.type === "own") return this.#named(messageId, outcome);
    return outcome.pieces.map(content => {
      this.#keepPiece(messageId, content);
      return { type: "messageChunk", author: "user", messageId, content };
    });
  }

  /** The agent repeats a prompt that is in the conversation, and names it. */
  #named(messageId: string, { prompt, pieces }: Extract<EchoOutcome, { type: "own" }>): Events {
    this.#repeated.set(messageId, repeatedPrompt(prompt.content, pieces));
    return [{ type: "message", author: "user", messageId, shownAs: prompt.messageId }];
  }

  /** The agent got these blocks with a prompt. They are not a part of the user's message, also if the agent repeats them. */
  hide(blocks: readonly ContentBlock[]): void {
    this.#hidden.push(...blocks);
  }

  #isHidden(block: ContentBlock): boolean {
    return this.#hidden.some(hidden => jsonEqual(hidden, block));
  }

  /** The tool call in a permission request, which is applied before the question. */
  toolCall(update: JsonObject): Events {
    return this.#tool(update) ?? [];
  }

  update(update: JsonObject): Events {
    return this.#eventsOf(update) ?? [{ type: "unknown", method: "session/update", raw: update, ...variantOf(update) }];
  }

  #eventsOf(update: JsonObject): Events | undefined {
    switch (update["sessionUpdate"]) {
      case "user_message_chunk":
        return this.#chunk("user", update);
      case "agent_message_chunk":
        return this.#chunk("agent", update);
      case "agent_thought_chunk":
        return this.#chunk("thought", update);
      case "user_message":
        return this.#message("user", update);
      case "agent_message":
        return this.#message("agent", update);
      case "agent_thought":
        return this.#message("thought", update);
      // The name in the RFD "Prompt lifecycle".
      case "state_change":
      case "state_update":
        return this.#state(update);
      case "tool_call_update":
        return this.#tool(update);
      case "tool_call_content_chunk": {
        const toolCallId = asString(update["toolCallId"]);
        const content = parse.parseToolContent(update["content"]);
        return toolCallId === undefined || !content
          ? undefined
          : [{ type: "toolChunk", toolCallId, content, item: true }];
      }
      case "terminal_update":
        return this.#terminal(update);
      case "terminal_output_chunk": {
        const terminalId = asString(update["terminalId"]);
        const data = asString(update["data"]);
        if (terminalId === undefined || data === undefined) return undefined;
        return [{ type: "terminalOutput", terminalId, text: this.#bytes.append(terminalId, data) }];
      }
      case "available_commands_update":
        return Array.isArray(update["availableCommands"]) ? [commands(update["availableCommands"])] : undefined;
      case "config_option_update":
        return Array.isArray(update["configOptions"])
          ? [{ type: "options", options: parse.parseSessionOptions(update["configOptions"]) }]
          : undefined;
      case "usage_update":
        return this.#usage(update);
      default:
        return commonUpdate(update);
    }
  }

  #chunk(author: MessageAuthor, update: JsonObject): Events | undefined {
    const messageId = asString(update["messageId"]);
    const content = parse.parseContent(update["content"]);
    if (messageId === undefined || content === undefined) return undefined;
    // The metadata of a chunk belongs to the chunk alone.
    const parent = parentInMeta(asObject(update["_meta"]));
    if (author === "user" && parent === undefined) {
      if (this.#isHidden(content)) return [];
      const outcome = this.#userMessage(messageId, [content], false);
      const repeated = this.#repeated.get(messageId);
      if (repeated) return this.#repeat(messageId, repeated, content);
      return this.#piecesOf(messageId, outcome);
    }
    return [{ type: "messageChunk", author, messageId, content, ...optionalField("parent", parent) }];
  }

  #userMessage(messageId: string, content: readonly ContentBlock[], isWhole: boolean): EchoOutcome {
    const isNew = !this.#userMessages.has(messageId);
    this.#userMessages.add(messageId);
    const outcome = this.#options.onUserMessage?.(messageId, content, { isNew, isWhole });
    return outcome ?? { type: "other", pieces: content };
  }

  #keepPiece(messageId: string, content: ContentBlock): void {
    const pieces = this.#pieces.get(messageId);
    if (pieces) {
      if (pieces.length < maxPieces) pieces.push(content);
      return;
    }
    const [oldest] = this.#pieces.keys();
    if (this.#pieces.size >= maxMessagesInPieces && oldest !== undefined) this.#pieces.delete(oldest);
    this.#pieces.set(messageId, [content]);
  }

  /** A piece of a prompt that is in the conversation already. It changes the conversation only if it differs. */
  #repeat(messageId: string, repeated: RepeatedPrompt, content: ContentBlock): Events {
    addPiece(repeated, content);
    if (repeated.progress.isBegun) return [];
    return [{ type: "message", author: "user", messageId, content: [...repeated.blocks] }];
  }

  #message(author: MessageAuthor, update: JsonObject): Events | undefined {
    const messageId = asString(update["messageId"]);
    if (messageId === undefined) return undefined;
    const { content } = update;
    const all = Array.isArray(content) ? content.map(parse.parseContent).filter(block => block !== undefined) : null;
    const blocks = author === "user" && all ? all.filter(block => !this.#isHidden(block)) : all;
    const parent = parentInMeta(this.#patchMeta(`${author} ${messageId}`, update));
    if (author === "user" && parent === undefined) {
      const outcome = this.#userMessage(messageId, blocks ?? [], content !== undefined);
      if (outcome.type === "own") return this.#named(messageId, outcome);
      if (blocks && this.#isRepetition(messageId, blocks)) return [];
      if (content !== undefined) {
        this.#repeated.delete(messageId);
        this.#pieces.delete(messageId);
        for (const block of blocks ?? []) this.#keepPiece(messageId, block);
      }
    }
    return [
      {
        ...{ type: "message", author, messageId },
        ...(content !== undefined && { content: blocks }),
        ...optionalField("parent", parent),
      },
    ];
  }

  /** Whether this is all of a prompt that is in the conversation. The agent can leave out attachments. */
  #isRepetition(messageId: string, blocks: readonly ContentBlock[]): boolean {
    const repeated = this.#repeated.get(messageId);
    if (!repeated || blocks.length === 0) return false;
    const again = repeatedPrompt(repeated.sent, blocks);
    if (again.progress.isComplete) this.#repeated.set(messageId, again);
    return again.progress.isComplete;
  }

  /** A snapshot of what the agent does. Absent background work was not reported; an empty list means none. */
  #state(update: JsonObject): Events | undefined {
    const state = asString(update["state"]);
    if (state === undefined) return undefined;
    const released = this.released(this.#options.onState?.(state) ?? []);
    const work = update["background"];
    const background = Array.isArray(work) ? { background: work.filter(isObject).map(backgroundWork) } : {};
    if (state !== "idle") return [...released, { type: "activity", state, ...background }];
    const stopReason = asString(update["stopReason"]) ?? asString(update["stop_reason"]);
    const failure = stopReason === "error" ? this.#options.problem(errorOf(update)) : {};
    const usage = isObject(update["usage"]) ? turnUsage(update) : undefined;
    return [
      ...released,
      {
        ...{ type: "activity", state },
        ...optionalField("stopReason", stopReason),
        ...failure,
        ...optionalField("usage", usage),
        ...background,
      },
    ];
  }

  #tool(update: JsonObject): Events | undefined {
    const toolCallId = asString(update["toolCallId"]);
    if (toolCallId === undefined) return undefined;
    const meta = this.#patchMeta(`tool ${toolCallId}`, update);
    const parent = parentInMeta(meta);
    return [
      {
        ...{ type: "tool", toolCallId, patch: toolPatch(update, meta) },
        ...(parent !== toolCallId && optionalField("parent", parent)),
      },
    ];
  }

  #terminal(update: JsonObject): Events | undefined {
    const terminalId = asString(update["terminalId"]);
    if (terminalId === undefined) return undefined;
    const { output, exitStatus, size, capabilities } = update;
    const data = asString(asObject(output)["data"]);
    const replaced = output === null ? "" : data === undefined ? undefined : this.#bytes.replace(terminalId, data);
    const exit = isObject(exitStatus) ? exitOf(exitStatus) : exitStatus === null ? null : undefined;
    const rest = exit ? this.#bytes.end(terminalId) : "";
    return [
      {
        ...{ type: "terminal", terminalId },
        ...nullableField("command", update["command"]),
        ...nullableField("cwd", update["cwd"]),
        ...optionalField("output", replaced),
        ...optionalField("exit", exit),
        ...optionalField("size", size === null ? null : sizeOf(size)),
        ...(capabilities !== undefined && { canCancel: isObject(asObject(capabilities)["cancel"]) }),
      },
      ...(rest === "" ? [] : [{ type: "terminalOutput" as const, terminalId, text: rest }]),
    ];
  }

  #usage(update: JsonObject): Events | undefined {
    const used = asNumber(update["used"]);
    const size = asNumber(update["size"]);
    if (used === undefined || size === undefined) return undefined;
    const { cost } = update;
    const amount = asNumber(asObject(cost)["amount"]);
    const currency = asString(asObject(cost)["currency"]);
    if (cost === null) this.#cost = undefined;
    else if (amount !== undefined && currency !== undefined) this.#cost = { amount, currency };
    return [{ type: "usage", used, size, ...optionalField("cost", this.#cost) }];
  }

  /** `_meta` is patched by its own keys: null removes one, and a value replaces it as a whole. */
  #patchMeta(key: string, update: JsonObject): JsonObject {
    const old = this.#metas.get(key) ?? {};
    const patch = update["_meta"];
    if (patch === null) this.#metas.delete(key);
    if (!isObject(patch)) return patch === null ? {} : old;
    const meta = Object.fromEntries(Object.entries({ ...old, ...patch }).filter(([, value]) => value !== null));
    if (this.#metas.size < maxMetas || this.#metas.has(key)) this.#metas.set(key, meta);
    return meta;
  }
}

/** The updates that are read here or in SubAgents. One of them that is malformed is kept and not shown. */
const knownUpdates: ReadonlySet<unknown> = new Set([
  ...["user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "user_message", "agent_message"],
  ...["agent_thought", "state_change", "state_update", "tool_call_update", "tool_call_content_chunk"],
  ...["terminal_update", "terminal_output_chunk", "plan_update", "plan_removed", "available_commands_update"],
  ...["config_option_update", "session_info_update", "usage_update", "notice", "compaction_update"],
  ...["compaction_summary_chunk", "subagent_update", "session_message", "session_message_chunk"],
]);

/** In version 2, a client shows updates that it does not know. Names that begin with `_` are an agent's own. */
function variantOf(update: JsonObject): { readonly variant?: string } {
  const variant = asString(update["sessionUpdate"]);
  return variant === undefined || knownUpdates.has(variant) ? {} : { variant: variant.slice(0, maxVariantLength) };
}

const maxVariantLength = 100;

const commands = (list: readonly unknown[]): SessionEvent => ({
  type: "commands",
  commands: parse.parseAgentCommands(list),
});

const errorOf = (update: JsonObject): JsonObject | undefined =>
  isObject(update["error"]) ? update["error"] : undefined;

function backgroundWork(work: JsonObject): BackgroundWork {
  const child = asString(work["sessionId"]);
  const toolCallId = asString(work["toolCallId"]) ?? (child === undefined ? undefined : subAgentCard(child));
  return {
    kind: asString(work["type"]) ?? "unknown",
    ...optionalField("toolCallId", toolCallId),
    ...optionalField("terminalId", asString(work["terminalId"])),
  };
}

/** Absent leaves a field, null clears it, and a malformed value counts as absent. */
function toolPatch(update: JsonObject, meta: JsonObject): Patch<ToolFields> {
  const { content, locations, rawInput, rawOutput, capabilities } = update;
  const name = update["name"] === null ? null : (asString(update["name"]) ?? metaText(meta, ["toolName"]));
  return {
    ...nullableField("title", update["title"]),
    ...optionalField("name", name),
    ...nullableField("kind", update["kind"]),
    ...nullableField("status", update["status"]),
    ...(content === null && { content }),
    ...(Array.isArray(content) && { content: parse.parseToolContents(content) }),
    ...(locations === null && { locations }),
    ...(Array.isArray(locations) && { locations: parse.parseLocations(locations) }),
    ...(rawInput !== undefined && { rawInput }),
    ...(rawOutput !== undefined && { rawOutput }),
    ...(capabilities !== undefined && { canCancel: isObject(asObject(capabilities)["cancel"]) || null }),
  };
}

function exitOf(status: JsonObject): { readonly exitCode?: number; readonly signal?: string } {
  return {
    ...optionalField("exitCode", asNumber(status["exitCode"])),
    ...optionalField("signal", asString(status["signal"])),
  };
}

function sizeOf(size: unknown): { readonly cols: number; readonly rows: number } | undefined {
  const { cols, rows } = asObject(size);
  const [width, height] = [asNumber(cols), asNumber(rows)];
  return width === undefined || height === undefined ? undefined : { cols: width, rows: height };
}
