// A conversation as Markdown, for the clipboard or a file.
import type { ContentBlock } from "../../session/events.ts";
import {
  isPrompt,
  sessionTitle,
  shownToolStatus,
  toolKey,
  type Entry,
  type SessionState,
  type ToolEntry,
} from "../../session/state.ts";

/**
 * The conversation in order, up to an entry if one is given. Thoughts become quotes, and each tool call becomes one
 * line.
 */
export function conversationText(state: SessionState, before?: string): string {
  const title = sessionTitle(state);
  const head = title === "" ? [] : [`# ${title}`];
  const asked = new Set(state.questions.flatMap(ask => (ask.answer === undefined ? [ask.toolCallId] : [])));
  const end = before === undefined ? NaN : state.entries.position(before);
  const body = [...state.entries].slice(0, Number.isNaN(end) ? undefined : end).flatMap(entry => {
    const text = entryText(entry, state.agent?.name ?? "Agent", asked);
    const depth = depthOf(entry, state);
    return text === "" ? [] : [depth === 0 ? text : indented(text, "> ".repeat(depth))];
  });
  return `${[...head, ...body].join("\n\n")}\n`;
}

function entryText(entry: Entry, agent: string, asked: ReadonlySet<string | undefined>): string {
  switch (entry.kind) {
    case "message": {
      const text = contentText(entry.content);
      if (text === "") return "";
      if (isPrompt(entry)) return `## You\n\n${text}\n\n## ${agent}`;
      return entry.author === "thought" ? indented(text, "> ") : text;
    }
    case "tool":
      return toolText(entry, asked.has(entry.toolCallId));
    case "notice":
      return `*${entry.title}*${entry.description === undefined ? "" : ` ${entry.description}`}`;
    case "compaction":
      return contentText(entry.summary);
    case "problem":
      return `*${entry.problem.message}*`;
    case "turnEnd":
      return "";
    default:
      return entry satisfies never;
  }
}

function toolText(entry: ToolEntry, asked: boolean): string {
  const { fields } = entry;
  const title = fields.title ?? fields.name ?? fields.kind ?? "Tool call";
  const diffs = (fields.content ?? []).flatMap(item =>
    item.type === "diff" ? [item.deleted ? `${item.path} (deleted)` : item.path] : [],
  );
  const files = diffs.length === 0 ? "" : `: ${diffs.join(", ")}`;
  return `- ${title} (${shownToolStatus(entry, asked)})${files}`;
}

const contentText = (content: readonly ContentBlock[]): string =>
  content
    .map(block => {
      switch (block.type) {
        case "text":
          return block.text;
        case "link":
          return `[${block.title ?? block.name}](${block.uri})`;
        case "resource":
          return block.text === undefined ? `[${block.uri}]` : fenced(block.text);
        case "image":
        case "audio":
          return `[${block.mimeType}]`;
        case "other":
          return `[${block.kind}]`;
        default:
          return block satisfies never;
      }
    })
    .join("\n\n")
    .trim();

/** Adds a fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The number of sub-agents above an entry. */
function depthOf(entry: Entry, { entries }: SessionState): number {
  let depth = 0;
  let at: Entry | undefined = entry;
  while (at && "parent" in at && at.parent !== undefined) {
    const above: Entry | undefined = entries.get(toolKey(at.parent));
    if (!above || entries.position(above.id) >= entries.position(at.id)) return depth;
    depth++;
    at = above;
  }
  return depth;
}

const indented = (text: string, lead: string): string => text.replace(/^/gm, lead);
