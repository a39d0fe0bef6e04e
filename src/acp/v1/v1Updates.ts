// Turns ACP v1 updates into session events. In v1 the answer to a prompt ends its turn; in the session model prompts
// are accepted and activity is reported. Only this class knows both. No I/O.
import type { Problem } from "../../base/errors.ts";
import type {
  MessageAuthor,
  ContentBlock,
  ExitStatus,
  SessionEvent,
  SessionOption,
  StopReason,
  ToolFields,
} from "../../session/events.ts";
import { CommandOutput } from "./commandOutput.ts";
import * as parse from "../parse.ts";
import { asNumber, optionalField, isObject, asString, asObject, type JsonObject } from "../parse.ts";

/** The kind of v1 method that sets an option of {@link V1Updates.setup}. */
export type OptionOrigin = "config" | "mode" | "model";

const modeOption = "parley.mode";
const modelOption = "parley.model";

interface OpenMessage {
  readonly author: MessageAuthor;
  readonly id: string;
  /** The id that the agent gave. */
  readonly agentMessageId: string | undefined;
}

/** Converts the updates of one v1 session. Keeps only the state that the two models represent differently. */
export class V1Updates {
  /** Messages that further chunks may continue: the agent's own, and one per sub-agent, by its tool call. */
  readonly #open = new Map<string | undefined, OpenMessage>();
  /** How many messages each id of the agent has started. Above 1 if the id continued after an interruption. */
  readonly #segments = new Map<string, number>();
  /** The ids of tool calls that were reported. */
  readonly #tools = new Set<string>();
  readonly #outputs = new CommandOutput();
  /** The rest of the prompt that the agent may still echo. */
  #echo: string | undefined;
  #running = false;
  #hasConfig = false;
  #messageCount = 0;

  /** v1 neither accepts prompts nor gives ids to user messages, so both happen here. */
  prompt(blocks: readonly ContentBlock[]): { readonly messageId: string; readonly events: readonly SessionEvent[] } {
    const messageId = this.#newMessageId();
    this.#open.clear();
    this.#running = true;
    this.#echo = blocks.map(block => (block.type === "text" ? block.text : "")).join("");
    return {
      messageId,
      events: [
        { type: "message", author: "user", messageId, content: blocks },
        { type: "activity", state: "running" },
      ],
    };
  }

  /** Call when the prompt was answered. */
  turnEnded(stopReason: StopReason, problem?: Problem): readonly SessionEvent[] {
    this.#running = false;
    this.#open.clear();
    this.#echo = undefined;
    return [{ type: "activity", state: "idle", stopReason, ...optionalField("problem", problem) }];
  }

  questionOpened(): readonly SessionEvent[] {
    return this.#running ? [{ type: "activity", state: "requires_action" }] : [];
  }
  questionAnswered(): readonly SessionEvent[] {
    return this.#running ? [{ type: "activity", state: "running" }] : [];
  }

  /**
   * Reads the options that `session/new` and similar requests return. `configOptions` replace `modes` and the
   * unofficial `models` (spec page "Session Config Options": clients use them exclusively).
   */
  setup(result: JsonObject): readonly SessionEvent[] {
    const config = parse.parseSessionOptions(result["configOptions"]);
    this.#hasConfig = config.length > 0;
    if (this.#hasConfig) return [{ type: "options", options: config }];
    const options = [modes(asObject(result["modes"])), models(asObject(result["models"]))].filter(o => o !== undefined);
    return options.length > 0 ? [{ type: "options", options }] : [];
  }

  /** Which v1 method sets the option. */
  optionOrigin(option: string): OptionOrigin {
    if (!this.#hasConfig && option === modeOption) return "mode";
    return !this.#hasConfig && option === modelOption ? "model" : "config";
  }

  /** The tool call in a permission request, which is applied before the question (spec page "Tool Calls"). */
  toolCall(update: JsonObject): readonly SessionEvent[] {
    return this.#tool(update) ?? [];
  }

  /** One `session/update`. An update that is not understood becomes an `unknown` event. */
  update(update: JsonObject): readonly SessionEvent[] {
    return this.#eventsOf(update) ?? [{ type: "unknown", method: "session/update", raw: update }];
  }

  #eventsOf(update: JsonObject): readonly SessionEvent[] | undefined {
    switch (update["sessionUpdate"]) {
      case "user_message_chunk":
        return this.#chunk("user", update);
      case "agent_message_chunk":
        return this.#chunk("agent", update);
      case "agent_thought_chunk":
        return this.#chunk("thought", update);
      case "tool_call":
      case "tool_call_update":
        return this.#tool(update);
      case "plan":
        return Array.isArray(update["entries"])
          ? [{ type: "plan", planId: "plan", entries: parse.parsePlanEntries(update["entries"]) }]
          : undefined;
      case "available_commands_update":
        return Array.isArray(update["availableCommands"])
          ? [{ type: "commands", commands: parse.parseAgentCommands(update["availableCommands"]) }]
          : undefined;
      case "current_mode_update": {
        const mode = asString(update["currentModeId"]) ?? asString(update["modeId"]);
        if (mode === undefined) return undefined;
        return this.#hasConfig ? [] : [{ type: "option", id: modeOption, value: mode }];
      }
      case "config_option_update":
        if (!Array.isArray(update["configOptions"])) return undefined;
        this.#hasConfig = true;
        return [{ type: "options", options: parse.parseSessionOptions(update["configOptions"]) }];
      case "session_info_update":
        return [
          {
            type: "info",
            ...nullableField("title", update["title"]),
            ...nullableField("updatedAt", update["updatedAt"]),
          },
        ];
      case "usage_update":
        return usage(update);
      case "notice":
        return notice(update);
      case "compaction_update":
        return compaction(update);
      case "compaction_summary_chunk": {
        const compactionId = asString(update["compactionId"]);
        const content = parse.parseContent(update["content"]);
        return compactionId === undefined || !content
          ? undefined
          : [{ type: "compactionChunk", compactionId, content }];
      }
      default:
        return undefined;
    }
  }

  /**
   * A v1 message is a run of adjacent chunks. Another author, another id or a new tool call ends it. If an id appears
   * again after that, it starts a new message, so that the transcript keeps the order of the chunks.
   */
  #chunk(author: MessageAuthor, update: JsonObject): readonly SessionEvent[] | undefined {
    const content = parse.parseContent(update["content"]);
    if (content === undefined) return undefined;
    const parent = parentOf(update);
    if (author === "user") {
      if (parent === undefined && this.#isEcho(content)) return [];
    } else this.#echo = undefined;
    const id = asString(update["messageId"]);
    const open = this.#open.get(parent);
    if (open?.author === author && (id === undefined || id === open.agentMessageId)) {
      return [{ type: "messageChunk", author, messageId: open.id, content, ...optionalField("parent", parent) }];
    }
    // An empty chunk that only carries `_meta` starts no message.
    if (content.type === "text" && content.text === "") return [];
    const messageId = id === undefined ? this.#newMessageId() : this.#segment(author, id);
    this.#open.set(parent, { author, id: messageId, agentMessageId: id });
    return [{ type: "messageChunk", author, messageId, content, ...optionalField("parent", parent) }];
  }

  #isEcho(content: ContentBlock): boolean {
    if (this.#echo === undefined) return false;
    if (content.type !== "text") return true;
    if (!this.#echo.startsWith(content.text)) return false;
    this.#echo = this.#echo.slice(content.text.length);
    return true;
  }

  #segment(author: MessageAuthor, id: string): string {
    const key = `${author} ${id}`;
    const count = (this.#segments.get(key) ?? 0) + 1;
    this.#segments.set(key, count);
    return count === 1 ? id : `${id}~${count}`;
  }

  #tool(update: JsonObject): readonly SessionEvent[] | undefined {
    const toolCallId = asString(update["toolCallId"]);
    if (toolCallId === undefined) return undefined;
    // An update of an earlier tool call does not interrupt the current message; a new tool call does.
    const parent = parentOf(update);
    if (!this.#tools.has(toolCallId)) this.#open.delete(parent);
    this.#tools.add(toolCallId);
    this.#echo = undefined;
    const { fields, events } = this.#outputs.replaceOutput(toolCallId, toolFields(update));
    const tool: SessionEvent = {
      ...{ type: "tool", toolCallId, patch: fields },
      ...(parent !== toolCallId && optionalField("parent", parent)),
    };
    return [tool, ...events, ...metaTerminal(asObject(update["_meta"]))];
  }

  #newMessageId(): string {
    return `~${++this.#messageCount}`;
  }
}

/** In v1, null and absent both mean unchanged. So does a value of the wrong type. */
function toolFields(update: JsonObject): Partial<ToolFields> {
  return {
    ...optionalField("title", asString(update["title"])),
    ...optionalField("name", asString(update["name"])),
    ...optionalField("kind", asString(update["kind"])),
    ...optionalField("status", asString(update["status"])),
    ...(Array.isArray(update["content"]) && { content: parse.parseToolContents(update["content"]) }),
    ...(Array.isArray(update["locations"]) && { locations: parse.parseLocations(update["locations"]) }),
    ...optionalField("rawInput", update["rawInput"] ?? undefined),
    ...optionalField("rawOutput", update["rawOutput"] ?? undefined),
  };
}

const parentKeys = ["parentToolUseId", "parentToolCallId"];

/** The tool call of the sub-agent that sent the update. Agents put its id into `_meta`, under a name of their own. */
function parentOf(update: JsonObject): string | undefined {
  const meta = asObject(update["_meta"]);
  for (const holder of [meta, ...Object.values(meta).map(asObject)]) {
    for (const key of parentKeys) {
      const parent = asString(holder[key]);
      if (parent !== undefined && parent !== "") return parent;
    }
  }
  return undefined;
}

/** Terminals that the agent runs itself, reported with a de-facto extension (`_meta.terminal_*`). */
function metaTerminal(meta: JsonObject): readonly SessionEvent[] {
  const out: SessionEvent[] = [];
  const { terminal_info: info, terminal_output: output, terminal_output_delta: delta, terminal_exit: exit } = meta;
  const id = (value: unknown): string | undefined => asString(asObject(value)["terminal_id"]);
  const infoId = id(info);
  if (infoId !== undefined)
    out.push({ type: "terminal", terminalId: infoId, ...optionalField("cwd", asString(asObject(info)["cwd"])) });
  for (const part of [output, delta]) {
    const partId = id(part);
    const data = asString(asObject(part)["data"]);
    if (partId !== undefined && data !== undefined && data !== "")
      out.push({ type: "terminalOutput", terminalId: partId, text: data });
  }
  const exitId = id(exit);
  if (exitId !== undefined) out.push({ type: "terminal", terminalId: exitId, exit: exitStatus(asObject(exit)) });
  return out;
}

function exitStatus(exit: JsonObject): ExitStatus {
  return {
    ...optionalField("exitCode", asNumber(exit["exit_code"])),
    ...optionalField("signal", asString(exit["signal"])),
  };
}

const nullableField = <K extends string>(key: K, value: unknown): { [P in K]?: string | null } =>
  (value === null || typeof value === "string" ? { [key]: value } : {}) as { [P in K]?: string | null };

function usage(update: JsonObject): readonly SessionEvent[] | undefined {
  const used = asNumber(update["used"]);
  const size = asNumber(update["size"]);
  if (used === undefined || size === undefined) return undefined;
  const cost = asObject(update["cost"]);
  const amount = asNumber(cost["amount"]);
  const currency = asString(cost["currency"]);
  return [
    {
      type: "usage",
      used,
      size,
      ...(amount !== undefined && currency !== undefined && { cost: { amount, currency } }),
    },
  ];
}

function notice(update: JsonObject): readonly SessionEvent[] | undefined {
  const title = asString(update["title"]);
  if (title === undefined) return undefined;
  const severity = asString(update["severity"]) ?? "info";
  return [{ type: "notice", severity, title, ...optionalField("description", asString(update["description"])) }];
}

function compaction(update: JsonObject): readonly SessionEvent[] | undefined {
  const compactionId = asString(update["compactionId"]);
  if (compactionId === undefined) return undefined;
  const { summary } = update;
  return [
    {
      type: "compaction",
      compactionId,
      ...optionalField("status", asString(update["status"])),
      ...(summary === null && { summary: null }),
      ...(Array.isArray(summary) && {
        summary: summary.map(parse.parseContent).filter(block => block !== undefined),
      }),
      ...nullableField("error", update["error"]),
    },
  ];
}

function modes(state: JsonObject): SessionOption | undefined {
  return selectOption(modeOption, "Mode", "mode", state["currentModeId"], state["availableModes"], "id");
}
/** No longer in any schema, but some agents still send it. */
function models(state: JsonObject): SessionOption | undefined {
  return selectOption(modelOption, "Model", "model", state["currentModelId"], state["availableModels"], "modelId");
}

function selectOption(
  id: string,
  name: string,
  category: string,
  current: unknown,
  available: unknown,
  key: string,
): SessionOption | undefined {
  const value = asString(current);
  if (value === undefined || !Array.isArray(available)) return undefined;
  const choices = available.filter(isObject).flatMap(item => {
    const choice = asString(item[key]);
    if (choice === undefined) return [];
    return [
      {
        value: choice,
        name: asString(item["name"]) ?? choice,
        ...optionalField("description", asString(item["description"])),
      },
    ];
  });
  return { id, name, category, type: "select", value, choices };
}
