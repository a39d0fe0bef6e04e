// A conversation in sections, each with a heading that says who wrote it. Text of others is always in a quote, and names
// and titles are on one line, so nothing that they contain can begin a section.
import { inEnglish } from "../../base/l10n.ts";
import { linesOf } from "../../base/lines.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import type { ContentBlock } from "../events.ts";
import { withInput } from "../ownInput.ts";
import { nameOfUri } from "../promptContentForAgent.ts";
import {
  isPrompt,
  shownToolStatus,
  toolKey,
  type Entry,
  type Message,
  type SessionState,
  type ToolEntry,
} from "../state.ts";
import { toolTitle } from "../toolTitle.ts";

/** A prompt, or everything that the agent did until the next one. */
export interface ConversationSection {
  readonly author: "user" | "agent";
  /** The heading first. Headings and lines of Parley begin with no quote mark, and text of others has one in each line. */
  readonly blocks: readonly string[];
}

/** How a conversation is written. */
export interface ConversationStyle {
  /** What the headings call the user. */
  readonly user: string;
  /** Text of others, before it is put into a quote. */
  readonly text: (text: string) => string;
  /** The text of an attached file, before it is put into a quote. */
  readonly file: (text: string) => string;
  /** A line with names and titles of others. Parley's marks of the heading, the list item or the emphasis stand outside. */
  readonly line: (text: string) => string;
}

/**
 * These entries of the conversation, without the secrets that Parley knows. Each tool call becomes one line, and what a
 * sub-agent did is indented. Turns that the agent refused are marked.
 */
export function conversationSections(
  state: SessionState,
  style: ConversationStyle,
  entries: Iterable<Entry> = state.entries,
): readonly ConversationSection[] {
  const writer = new SectionWriter(state, style);
  for (const entry of entries) writer.add(entry);
  return writer.sections;
}

/** The text with a quote mark before each line. */
export const quoted = (text: string): string =>
  linesOf(text)
    .map(line => (line === "" ? ">" : `> ${line}`))
    .join("\n");

class SectionWriter {
  readonly sections: { readonly author: "user" | "agent"; readonly blocks: string[] }[] = [];
  readonly #state: SessionState;
  readonly #style: ConversationStyle;
  readonly #asked: ReadonlySet<string | undefined>;
  /** The depth of the latest list item. Deeper items can stand in it. Undefined after anything else. */
  #depth: number | undefined;

  constructor(state: SessionState, style: ConversationStyle) {
    this.#state = state;
    // Before it is quoted, because a secret can have several lines.
    this.#style = {
      user: style.user,
      text: text => style.text(maskKnownSecrets(text)),
      file: text => style.file(maskKnownSecrets(text)),
      line: text => style.line(maskKnownSecrets(text)),
    };
    this.#asked = new Set(state.questions.flatMap(ask => (ask.answer === undefined ? [ask.toolCallId] : [])));
  }

  add(entry: Entry): void {
    switch (entry.kind) {
      case "message":
        return this.#message(entry);
      case "tool":
        return this.#item(entry, this.#style.line(toolText(entry, this.#asked.has(entry.toolCallId), this.#state)), []);
      case "notice":
        if (!entry.over) this.#note(entry, entry.title, entry.description);
        return;
      case "compaction": {
        const blocks = this.#contentBlocks(entry.summary);
        if (blocks.length > 0 && entry.parent !== undefined)
          return this.#item(entry, "Summary of the sub-agent’s conversation so far", blocks);
        if (blocks.length > 0) this.#add(entry, ["*Summary of the conversation so far*", ...blocks]);
        return;
      }
      case "problem":
        return this.#note(entry, entry.problem.message);
      case "turnEnd":
        if (entry.excluded) this.#note(entry, "The agent declined to answer.");
        return;
      default:
        return entry satisfies never;
    }
  }

  #message(entry: Message & Entry): void {
    const blocks = this.#contentBlocks(entry.content);
    if (blocks.length === 0) return;
    if (isPrompt(entry)) {
      // An agent can report messages of the user, for example when it loads a conversation.
      const reported = entry.submission === undefined ? " (reported by the agent)" : "";
      this.#begin("user", this.#heading(`${this.#style.user}${reported}`, entry));
      this.sections.at(-1)?.blocks.push(...blocks);
    } else if (entry.parent !== undefined) {
      this.#item(entry, authorsInSubAgent[entry.author], blocks);
    } else {
      this.#add(entry, [...(entry.author === "thought" ? ["*Thought*"] : []), ...blocks]);
    }
  }

  /** A line that Parley writes, and a further text if there is one. */
  #note(entry: Entry, title: string, more = ""): void {
    const { line, text } = this.#style;
    this.#add(entry, [`*${line(title)}*`, ...(more.trim() === "" ? [] : [quoted(text(more))])]);
  }

  /** A list item, in the item of its sub-agent if that is the latest. */
  #item(entry: Entry, text: string, blocks: readonly string[]): void {
    this.#beginAgent(entry);
    const depth = Math.min(depthOf(entry, this.#state), this.#depth === undefined ? 0 : this.#depth + 1);
    const indent = (block: string, spaces: number): string => block.replace(/^/gm, " ".repeat(spaces));
    this.sections
      .at(-1)
      ?.blocks.push(indent(`- ${text}`, 2 * depth), ...blocks.map(block => indent(block, 2 * depth + 2)));
    this.#depth = depth;
  }

  #add(entry: Entry, blocks: readonly string[]): void {
    this.#beginAgent(entry);
    this.sections.at(-1)?.blocks.push(...blocks);
    this.#depth = undefined;
  }

  #beginAgent(entry: Entry): void {
    const name = this.#state.agent?.name;
    const heading = this.#heading(name === undefined ? "Agent" : `Agent: ${name}`, entry);
    const latest = this.sections.at(-1);
    if (latest?.author !== "agent" || latest.blocks[0] !== heading) this.#begin("agent", heading);
  }

  #begin(author: "user" | "agent", heading: string): void {
    this.sections.push({ author, blocks: [heading] });
    this.#depth = undefined;
  }

  #heading(author: string, { excluded, unsent }: Entry): string {
    const mark = unsent ? " (not answered without a sign-in)" : " (no longer part of the conversation)";
    return `## ${this.#style.line(`${author}${excluded ? mark : ""}`)}`;
  }

  /** The content in quotes. Each attached text has a quote of its own, under its name. */
  #contentBlocks(content: readonly ContentBlock[]): readonly string[] {
    const blocks: string[] = [];
    let texts: string[] = [];
    const endQuote = (): void => {
      if (texts.length > 0) blocks.push(quoted(texts.join("\n\n")));
      texts = [];
    };
    for (const block of content) {
      const text = this.#blockText(block);
      if (text !== "") texts.push(text);
      if (block.type !== "resource" || block.text === undefined) continue;
      endQuote();
      blocks.push(`*${this.#style.line(`Attached: ${nameOfUri(block.uri)}`)}*`, quoted(this.#style.file(block.text)));
    }
    endQuote();
    return blocks;
  }

  #blockText(block: ContentBlock): string {
    const { text, line } = this.#style;
    switch (block.type) {
      case "text": {
        const trimmed = block.text.replace(/^(?:[ \t]*[\r\n])+/, "").trimEnd();
        return trimmed === "" ? "" : text(trimmed);
      }
      case "link":
        return line(`[${(block.title ?? block.name).replace(/[[\]\\]/g, "\\$&")}](${linkTarget(block.uri)})`);
      case "resource":
        return block.text === undefined ? line(`[${block.uri}]`) : "";
      case "image":
      case "audio":
        return line(`[${block.mimeType}]`);
      case "other":
        return line(`[${block.kind}]`);
      default:
        return block satisfies never;
    }
  }
}

const authorsInSubAgent: Readonly<Record<Message["author"], string>> = {
  user: "Prompt for the sub-agent",
  agent: "Answer of the sub-agent",
  thought: "Thought of the sub-agent",
};

const linkTarget = (uri: string): string =>
  uri.replace(/[\s\p{C}()<>\\`|$]/gu, char => (/[\ud800-\udfff]/.test(char) ? "" : encodeURIComponent(char)));

function toolText(entry: ToolEntry, asked: boolean, state: SessionState): string {
  const title = inEnglish(() => toolTitle(withInput(entry), state.workspaceFolder));
  const diffs = (entry.fields.content ?? []).flatMap(item =>
    item.type === "diff" ? [`${item.path}${item.deleted ? " (deleted)" : ""}`] : [],
  );
  const files = diffs.length === 0 ? "" : `: ${diffs.join(", ")}`;
  return `${title} (${statusText(entry, asked, state)})${files}`;
}

/** A call is not done without mention of its command's end if the command did not succeed. */
function statusText(entry: ToolEntry, asked: boolean, { terminals }: SessionState): string {
  const status = shownToolStatus(entry, asked);
  const content = entry.fields.content ?? [];
  const exits = content.map(item => (item.type === "terminal" ? terminals.get(item.terminalId)?.exit : undefined));
  const { exitCode, signal, cancelled } = exits.findLast(exit => exit !== undefined) ?? {};
  if (cancelled && (status === "done" || status === "failed")) return "cancelled";
  if (status !== "done") return status;
  if (signal !== undefined) return `ended by ${signal}`;
  return exitCode === undefined || exitCode === 0 ? status : `exit code ${exitCode}`;
}

/** Deeper items would be indented more than anybody reads. */
const maxDepth = 6;

/** The number of sub-agents above an entry, up to a limit. */
function depthOf(entry: Entry, { entries }: SessionState): number {
  let depth = 0;
  let at: Entry | undefined = entry;
  while (depth < maxDepth && at && "parent" in at && at.parent !== undefined) {
    const above: Entry | undefined = entries.get(toolKey(at.parent));
    if (!above || entries.position(above.id) >= entries.position(at.id)) return depth;
    depth++;
    at = above;
  }
  return depth;
}
