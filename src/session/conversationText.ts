// A conversation as Markdown, for the clipboard or a file.
import { maskKnownSecrets } from "../base/secrets/knownSecrets.ts";
import type { ContentBlock } from "./events.ts";
import {
  isPrompt,
  sessionTitle,
  shownToolStatus,
  toolKey,
  type Entry,
  type SessionState,
  type ToolEntry,
} from "./state.ts";
import { toolTitle } from "./toolTitle.ts";

/**
 * The conversation in order, without the secrets that Parley knows. Thoughts become quotes, and each tool call becomes one line. Turns that the agent refused are
 * marked. With `before`, the conversation up to that entry without those turns, for another agent.
 */
export function conversationText(state: SessionState, before?: string): string {
  const title = sessionTitle(state);
  const head = title === "" ? [] : [`# ${title}`];
  const asked = new Set(state.questions.flatMap(ask => (ask.answer === undefined ? [ask.toolCallId] : [])));
  const end = before === undefined ? NaN : state.entries.position(before);
  const body = [...state.entries].slice(0, Number.isNaN(end) ? undefined : end).flatMap(entry => {
    if (entry.excluded && before !== undefined) return [];
    const text = entryText(entry, state, asked);
    const depth = depthOf(entry, state);
    return text === "" ? [] : [depth === 0 ? text : indented(text, "> ".repeat(depth))];
  });
  return maskKnownSecrets(`${[...head, ...body].join("\n\n")}\n`);
}

function entryText(entry: Entry, state: SessionState, asked: ReadonlySet<string | undefined>): string {
  switch (entry.kind) {
    case "message": {
      const text = contentText(entry.content);
      if (text === "") return "";
      const mark = entry.excluded ? " (no longer part of the conversation)" : "";
      if (isPrompt(entry)) return `## You${mark}\n\n${text}\n\n## ${state.agent?.name ?? "Agent"}${mark}`;
      return entry.author === "thought" ? indented(text, "> ") : text;
    }
    case "tool":
      return toolText(entry, asked.has(entry.toolCallId), state);
    case "notice":
      return `*${entry.title}*${entry.description === undefined ? "" : ` ${entry.description}`}`;
    case "compaction":
      return contentText(entry.summary);
    case "problem":
      return `*${entry.problem.message}*`;
    case "turnEnd":
      return entry.excluded ? "*The agent declined to answer.*" : "";
    default:
      return entry satisfies never;
  }
}

function toolText(entry: ToolEntry, asked: boolean, state: SessionState): string {
  const { fields } = entry;
  const title = toolTitle(fields, state.workspaceFolder);
  const diffs = (fields.content ?? []).flatMap(item =>
    item.type === "diff" ? [item.deleted ? `${item.path} (deleted)` : item.path] : [],
  );
  const files = diffs.length === 0 ? "" : `: ${diffs.join(", ")}`;
  return `- ${title} (${statusText(entry, asked, state)})${files}`;
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
