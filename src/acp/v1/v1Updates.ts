// Turns ACP v1 updates into session events. In v1 the answer to a prompt ends its turn; in the session model prompts
// are accepted and activity is reported. Only this class knows both. No I/O.
import type { Problem } from "../../base/errors.ts";
import type {
  MessageAuthor,
  ContentBlock,
  SessionEvent,
  SessionOption,
  StopReason,
  ToolFields,
  TurnUsage,
} from "../../session/events.ts";
import { CommandOutput } from "./commandOutput.ts";
import { ContextUsage } from "../usage.ts";
import { commonUpdate, metaText, parentInMeta } from "../commonUpdates.ts";
import { PromptEcho } from "./promptEcho.ts";
import type { UpdateReader } from "../subAgents.ts";
import * as parse from "../parse.ts";
import { optionalField, isObject, asString, asObject, type JsonObject } from "../parse.ts";

/** The kind of v1 method that sets an option of {@link V1Updates.setup}. */
export type OptionOrigin = "config" | "mode" | "model";

const modeOption = "parley.mode";
const modelOption = "parley.model";

/** The messages that further chunks of one agent, or of one sub-agent, may continue. */
interface OpenMessages {
  /** The side that wrote them. A message of the other side ends them. */
  readonly byUser: boolean;
  /** Messages with an id of the agent, by author and that id. */
  readonly withId: Map<string, string>;
  /** The latest message, if the agent gave it no id. */
  withoutId?: { readonly author: MessageAuthor; readonly id: string } | undefined;
}

/** Converts the updates of one v1 session. Keeps only the state that the two models represent differently. */
export class V1Updates implements UpdateReader {
  /** The open messages of the agent, and of each sub-agent by its tool call. */
  readonly #open = new Map<string | undefined, OpenMessages>();
  /** How many messages each id of the agent has started. Above 1 if the id continued after an interruption. */
  readonly #segments = new Map<string, number>();
  /** The ids of tool calls that were reported. */
  readonly #tools = new Set<string>();
  readonly #outputs = new CommandOutput();
  readonly #usage = new ContextUsage();
  /** The prompts of the turn, which the agent may echo. */
  readonly #echo = new PromptEcho<JsonObject>();
  #running = false;
  #hasConfig = false;
  /** The options that the agent sent as configuration. */
  #config: readonly SessionOption[] = [];
  /** The modes and models that it sent besides, each as an option. */
  #besides: readonly SessionOption[] = [];
  #messageCount = 0;
  /** The agent sends an earlier conversation, in which each message of the user begins a turn. */
  #isReplay = false;
  readonly #ownIdPrefix: string;
  readonly #isKnown: (event: SessionEvent) => boolean;

  /**
   * `connection`: Parley creates other ids in each connection of a conversation, because a session can continue.
   * `isKnown`: whether an earlier connection has the entry of the event.
   */
  constructor(connection = 1, isKnown: (event: SessionEvent) => boolean = () => false) {
    this.#ownIdPrefix = connection === 1 ? "~" : `~${connection}.`;
    this.#isKnown = isKnown;
  }

  /**
   * v1 neither accepts prompts nor gives ids to user messages, so both happen here. `context` follows the message and is
   * no part of it.
   */
  prompt(
    blocks: readonly ContentBlock[],
    context: readonly ContentBlock[] = [],
  ): { readonly messageId: string; readonly events: readonly SessionEvent[] } {
    const messageId = this.#newMessageId();
    this.#open.clear();
    this.#running = true;
    this.#echo.clear();
    this.#echo.expect([...blocks, ...context]);
    return {
      messageId,
      events: [
        { type: "message", author: "user", messageId, content: blocks },
        { type: "activity", state: "running" },
      ],
    };
  }

  /** Forgets what tool calls have shown, which only their next updates would need. */
  forgetCalls(): void {
    this.#outputs.forgetCalls();
  }

  /** The agent sends a conversation that Parley does not have. */
  beginReplay(): void {
    this.#isReplay = true;
  }

  /** Ends the last turn of that conversation. */
  endReplay(): readonly SessionEvent[] {
    const ended = this.#endReplayedTurn();
    this.#isReplay = false;
    this.#open.clear();
    return ended;
  }

  /** A call that is still open ends with its turn. */
  #endReplayedTurn(): readonly SessionEvent[] {
    return this.#running ? this.turnEnded("end_turn") : [];
  }

  /** Begins a turn before the first event of it. */
  #withReplayedTurn(events: readonly SessionEvent[], isPrompt: boolean): readonly SessionEvent[] {
    if (!this.#isReplay || (this.#running && !isPrompt)) return events;
    this.#running = true;
    return [{ type: "activity", state: "running" }, ...events];
  }

  /** A prompt that the agent may insert into the running turn, and repeat before it answers. */
  steering(blocks: readonly ContentBlock[]): void {
    this.#echo.expect(blocks);
  }

  /** A prompt that the agent has inserted into the running turn. */
  steered(blocks: readonly ContentBlock[]): { readonly messageId: string; readonly events: readonly SessionEvent[] } {
    const messageId = this.#newMessageId();
    this.#open.clear();
    this.#echo.expect(blocks);
    return { messageId, events: [{ type: "message", author: "user", messageId, content: blocks }] };
  }

  /** Call when the prompt was answered. */
  turnEnded(stopReason: StopReason, problem?: Problem, usage?: TurnUsage): readonly SessionEvent[] {
    this.#running = false;
    this.#open.clear();
    this.#echo.clear();
    const more = { ...optionalField("problem", problem), ...optionalField("usage", usage) };
    return [{ type: "activity", state: "idle", stopReason, ...more }];
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
    this.#usage.setup(result);
    const options = [modes(asObject(result["modes"])), models(asObject(result["models"]))].filter(o => o !== undefined);
    [this.#config, this.#besides] = [config, options];
    if (this.#hasConfig) return [{ type: "options", options: config }];
    // An empty list counts too: it replaces the options of an earlier session of the agent.
    return [{ type: "options", options }];
  }

  /** An option that was set by its own method. */
  optionSet(id: string, value: string | boolean): readonly SessionEvent[] {
    if (id === modelOption) this.#usage.modelChanged(value);
    return [{ type: "option", id, value }];
  }

  /** Which v1 method sets the option. */
  optionOrigin(option: string): OptionOrigin {
    if (!this.#hasConfig && option === modeOption) return "mode";
    return !this.#hasConfig && option === modelOption ? "model" : "config";
  }

  /** Another method for an option, if the agent also sent its value as one of its modes or models. */
  otherOrigin(option: string, value: string | boolean): "mode" | "model" | undefined {
    if (!this.#hasConfig) return undefined;
    const category = this.#config.find(({ id }) => id === option)?.category;
    return (["mode", "model"] as const).find(origin => {
      const beside = this.#besides.find(one => one.category === origin);
      const isOffered = beside?.type === "select" && beside.choices.some(choice => choice.value === value);
      return category === origin && isOffered;
    });
  }

  /** The tool call in a permission request, which is applied before the question (spec page "Tool Calls"). */
  toolCall(update: JsonObject): readonly SessionEvent[] {
    return this.#tool(update, true) ?? [];
  }

  /** The user rejected a question about the tool call. */
  refused(toolCallId: string): void {
    this.#outputs.refuse(toolCallId);
  }

  /** Parley runs this terminal for the agent. */
  clientTerminal(terminalId: string): void {
    this.#outputs.addClientTerminal(terminalId);
  }

  isClientTerminal(terminalId: string): boolean {
    return this.#outputs.isClientTerminal(terminalId);
  }

  /** One `session/update`. An update that is not understood becomes an `unknown` event. */
  update(update: JsonObject): readonly SessionEvent[] {
    return this.#eventsOf(update) ?? [{ type: "unknown", method: "session/update", raw: update }];
  }

  #eventsOf(update: JsonObject): readonly SessionEvent[] | undefined {
    switch (update["sessionUpdate"]) {
      case "user_message_chunk":
        return this.#userChunk(update);
      case "agent_message_chunk":
        return this.#withUsage(this.#chunk("agent", update), update);
      case "agent_thought_chunk":
        return this.#withUsage(this.#chunk("thought", update), update);
      case "tool_call":
      case "tool_call_update":
        return this.#tool(update, false);
      case "plan": {
        if (!Array.isArray(update["entries"])) return undefined;
        const parent = parentOf(update);
        const open = this.#open.get(parent);
        if (open) open.withoutId = undefined;
        const entries = parse.parsePlanEntries(update["entries"]);
        return [{ type: "plan", planId: "plan", entries, ...optionalField("parent", parent) }];
      }
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
        this.#usage.optionsChanged(update["configOptions"]);
        this.#config = parse.parseSessionOptions(update["configOptions"]);
        return [{ type: "options", options: this.#config }];
      case "usage_update": {
        const usage = this.#usage.update(update);
        return usage && [usage];
      }
      default:
        return commonUpdate(update);
    }
  }

  /** The prompt of the turn is shown once, also if the agent repeats it. */
  #userChunk(update: JsonObject): readonly SessionEvent[] | undefined {
    const content = parse.parseContent(update["content"]);
    if (content === undefined || parentOf(update) !== undefined) return this.#chunk("user", update);
    return this.#echo.add(content, update).flatMap(each => this.#chunk("user", each) ?? []);
  }

  /**
   * Chunks with the same id belong to the same message (spec page "Prompt Turn"), also if a thought or a plan comes
   * between them. Chunks without an id are a message while nothing else comes between them. A new tool call, a message
   * of the other side and the end of a turn end every message. If an id appears again after that, it starts a new
   * message, so that the transcript keeps the order of the chunks.
   */
  #chunk(author: MessageAuthor, update: JsonObject): readonly SessionEvent[] | undefined {
    const content = parse.parseContent(update["content"]);
    if (content === undefined) return undefined;
    const parent = parentOf(update);
    const id = asString(update["messageId"]);
    const open = this.#open.get(parent);
    const { withoutId } = open ?? {};
    const continued =
      id !== undefined
        ? open?.withId.get(`${author} ${id}`)
        : withoutId?.author === author && !(this.#isReplay && author === "user")
          ? withoutId.id
          : undefined;
    // An empty chunk that only carries `_meta` neither starts nor ends a message.
    if (continued === undefined && content.type === "text" && content.text === "") return [];
    const isPrompt = this.#isReplay && author === "user" && parent === undefined && continued === undefined;
    const ended = isPrompt ? this.#endReplayedTurn() : [];
    const messageId = continued ?? (id === undefined ? this.#newMessageId() : this.#segment(author, id));
    this.#continue(parent, author, messageId, id);
    const chunk: SessionEvent = {
      type: "messageChunk",
      author,
      messageId,
      content,
      ...optionalField("parent", parent),
    };
    return [...ended, ...this.#withReplayedTurn([chunk], isPrompt)];
  }

  #continue(parent: string | undefined, author: MessageAuthor, messageId: string, id: string | undefined): void {
    const byUser = author === "user";
    const before = this.#open.get(parent);
    const open: OpenMessages = before?.byUser === byUser ? before : { byUser, withId: new Map() };
    if (id !== undefined) open.withId.set(`${author} ${id}`, messageId);
    open.withoutId = id === undefined ? { author, id: messageId } : undefined;
    this.#open.set(parent, open);
  }

  /** A sub-agent has a context of its own, so its counts are left out. */
  #withUsage(events: readonly SessionEvent[] | undefined, update: JsonObject): readonly SessionEvent[] | undefined {
    const usage = parentOf(update) === undefined ? this.#usage.chunk(asObject(update["_meta"])) : undefined;
    return events && usage ? [...events, usage] : events;
  }

  #segment(author: MessageAuthor, id: string): string {
    const key = `${author} ${id}`;
    const count = (this.#segments.get(key) ?? 0) + 1;
    this.#segments.set(key, count);
    const chunk = { type: "messageChunk", author, messageId: id, content: { type: "text", text: "" } } as const;
    return count === 1 && !this.#isKnown(chunk) ? id : `${id}${this.#ownIdPrefix}${count}`;
  }

  #tool(update: JsonObject, isQuestion: boolean): readonly SessionEvent[] | undefined {
    const toolCallId = asString(update["toolCallId"]);
    if (toolCallId === undefined) return undefined;
    // An update of an earlier tool call does not interrupt the current message; a new tool call does.
    const parent = parentOf(update);
    if (!this.#tools.has(toolCallId)) this.#open.delete(parent);
    this.#tools.add(toolCallId);
    const meta = asObject(update["_meta"]);
    const { fields, events } = this.#outputs.update(toolCallId, toolFields(update), { meta, isQuestion });
    const tool: SessionEvent = {
      ...{ type: "tool", toolCallId, patch: fields },
      ...(parent !== toolCallId && optionalField("parent", parent)),
    };
    return this.#withReplayedTurn([tool, ...events], false);
  }

  #newMessageId(): string {
    return `${this.#ownIdPrefix}${++this.#messageCount}`;
  }
}

/** In v1, null and absent both mean unchanged. So does a value of the wrong type. */
function toolFields(update: JsonObject): Partial<ToolFields> {
  return {
    ...optionalField("title", asString(update["title"])),
    ...optionalField("name", asString(update["name"]) ?? metaText(asObject(update["_meta"]), ["toolName"])),
    ...optionalField("kind", asString(update["kind"])),
    ...optionalField("status", asString(update["status"])),
    ...(Array.isArray(update["content"]) && { content: parse.parseToolContents(update["content"]) }),
    ...(Array.isArray(update["locations"]) && { locations: parse.parseLocations(update["locations"]) }),
    ...optionalField("rawInput", update["rawInput"] ?? undefined),
    ...optionalField("rawOutput", update["rawOutput"] ?? undefined),
  };
}

const parentOf = (update: JsonObject): string | undefined => parentInMeta(asObject(update["_meta"]));

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
