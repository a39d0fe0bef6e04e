// Agents reuse their ids in a new session. This suffixes them (`@2`), so that updates never touch entries of an earlier
// agent session. An agent session that continues has the ids that it had, so its entries are not duplicated.
import type { SessionEvent, ToolContent } from "../events.ts";

/** The ids of one agent session. The ids of the first agent session of a conversation are not changed. */
export class AgentSessionIds {
  #suffix = "";
  readonly #isOwnTerminal: (terminalId: string) => boolean;

  /** `isOwnTerminal`: whether Parley runs the terminal; Parley never reuses an id. */
  constructor(isOwnTerminal: (terminalId: string) => boolean) {
    this.#isOwnTerminal = isOwnTerminal;
  }

  /** The ids from now on belong to this agent session, counted from 0. */
  use(agentSession: number): void {
    this.#suffix = agentSession > 0 ? `@${agentSession + 1}` : "";
  }

  /** The id of a message, a tool call or a compaction. */
  suffixId(id: string): string {
    return id + this.#suffix;
  }

  /** The agent's own id; undefined for an id of another agent session. */
  agentId(id: string): string | undefined {
    if (this.#suffix === "") return id;
    return id.endsWith(this.#suffix) ? id.slice(0, -this.#suffix.length) : undefined;
  }

  /** The reported event with its ids suffixed. */
  suffixEventIds(event: SessionEvent): SessionEvent {
    if (this.#suffix === "") return event;
    switch (event.type) {
      case "message": {
        const { shownAs } = event;
        return {
          ...{ ...event, messageId: this.suffixId(event.messageId), ...this.#parent(event.parent) },
          ...(shownAs !== undefined && { shownAs: this.suffixId(shownAs) }),
        };
      }
      case "messageChunk":
        return { ...event, messageId: this.suffixId(event.messageId), ...this.#parent(event.parent) };
      case "tool": {
        const { content } = event.patch;
        const patch = content ? { ...event.patch, content: content.map(item => this.#content(item)) } : event.patch;
        return { ...event, toolCallId: this.suffixId(event.toolCallId), patch, ...this.#parent(event.parent) };
      }
      case "toolChunk":
        return { ...event, toolCallId: this.suffixId(event.toolCallId), content: this.#content(event.content) };
      case "terminal":
      case "terminalOutput":
        return { ...event, terminalId: this.#terminal(event.terminalId) };
      case "activity": {
        const background = event.background?.map(work => ({
          ...work,
          ...(work.toolCallId !== undefined && { toolCallId: this.suffixId(work.toolCallId) }),
          ...(work.terminalId !== undefined && { terminalId: this.#terminal(work.terminalId) }),
        }));
        return background ? { ...event, background } : event;
      }
      case "compaction":
      case "compactionChunk":
        return { ...event, compactionId: this.suffixId(event.compactionId), ...this.#parent(event.parent) };
      case "plan":
      case "planRemoved":
        return { ...event, ...this.#parent(event.parent) };
      // These carry no id of the agent, or only Parley creates them.
      case "opened":
      case "connection":
      case "agentSession":
      case "promptSent":
      case "promptSubmitted":
      case "promptReturned":
      case "promptAccepted":
      case "promptFailed":
      case "promptWithdrawn":
      case "promptEdited":
      case "promptMoved":
      case "promptOnHold":
      case "queuePaused":
      case "cancelRequested":
      case "stopIgnored":
      case "agentSilent":
      case "deniedChange":
      case "turnProblems":
      case "backgroundEnded":
      case "branched":
      case "titled":
      case "chosen":
      case "choiceRefused":
      case "choicesWaived":
      case "askOpened":
      case "askClosed":
      case "addressOpened":
      case "signInNeeded":
      case "signedIn":
      case "file":
      case "fileResult":
      case "diffLines":
      case "agentLost":
      case "commands":
      case "options":
      case "option":
      case "usage":
      case "info":
      case "notice":
      case "unknown":
        return event;
      default:
        return event satisfies never;
    }
  }

  #parent(parent: string | undefined): { readonly parent?: string } {
    return parent === undefined ? {} : { parent: this.suffixId(parent) };
  }

  #content(item: ToolContent): ToolContent {
    if (item.type === "session") return { ...item, toolCallId: this.suffixId(item.toolCallId) };
    return item.type === "terminal" ? { ...item, terminalId: this.#terminal(item.terminalId) } : item;
  }

  #terminal(id: string): string {
    return this.#isOwnTerminal(id) ? id : this.suffixId(id);
  }
}
