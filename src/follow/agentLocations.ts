// Where an agent is in the files, according to its tool calls, requests and output. Pure: events and states come in,
// places come out, and places become lines of documents.
import type { FileLocation, SessionEvent, ToolContent, ToolFields } from "../session/events.ts";
import { turnEnded } from "../session/activity.ts";
import type { ReadTextFileRequest } from "../session/participant.ts";
import { emptySession, isFinal, toolKey, type SessionState, type ToolEntry } from "../session/state.ts";
import { pathsOf } from "../session/toolPaths.ts";
import { fileURLToPath } from "node:url";
import { FragmentFinder } from "../files/fragmentLines.ts";
import { withLineFeeds } from "../base/text.ts";
import { terminalLinks } from "./terminalLinks.ts";

/** The agent's activity at a place. */
export type LocationKind = "read" | "edit";

/** Lines of a document: 0-based, both included. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** A place where an agent is. */
export interface AgentLocation {
  /** As the agent sent it. */
  readonly path: string;
  readonly doing: LocationKind;
  /** 1-based; 0 is taken as the first. Absent: somewhere in the file. */
  readonly line?: number;
  /** The number of lines; absent: one. */
  readonly count?: number;
  /** The edit made there, to find its lines in the document's text. */
  readonly change?: DiffTexts;
  /** The tool call of the sub-agent that is there. */
  readonly parent?: string;
  /** Parsed from a command's output: the file may not exist. */
  readonly guessed?: true;
}

export interface DiffTexts {
  readonly oldText?: string;
  readonly newText: string;
}

/** A user cannot watch more open calls, or more places in one event, than these. */
const maxCalls = 500;
const maxLocations = 20;
/** Longer texts are not searched for in a document. UTF-16 units. */
const maxChangeLength = 1_000_000;

const editingKinds: ReadonlySet<unknown> = new Set(["edit", "delete", "move"]);

/** Tracks one session's agents through the files. Keep one per session. */
export class LocationTracker {
  /** The ids of the calls that have not ended, the one with the latest event last. */
  readonly #openCalls = new Set<string>();
  /** Where commands run that do not report their folder. */
  readonly #workspaceFolder: string;
  #state: SessionState = emptySession;

  constructor(workspaceFolder: string) {
    this.#workspaceFolder = workspaceFolder;
  }

  /** Takes in the new state, by whatever event it changed. Comes before {@link observe}. The end of a turn ends its calls. */
  stateChanged(before: SessionState, after: SessionState): void {
    this.#state = after;
    if (turnEnded(before, after)) this.#openCalls.clear();
  }

  /** The places that an event of the agent names, the latest last. */
  observe(event: SessionEvent, before: SessionState, after: SessionState): readonly AgentLocation[] {
    switch (event.type) {
      case "tool":
        return this.#fromTool(event, before, after);
      case "toolChunk":
        return this.#fromChunk(event, before);
      case "terminal":
        return event.output === undefined ? [] : this.#fromOutput(after, event.terminalId, event.output);
      case "terminalOutput":
        return this.#fromOutput(after, event.terminalId, event.text);
      default:
        return [];
    }
  }

  /** The first place that the output names comes last, where the view goes: it matters most in a stack trace. */
  #fromOutput(state: SessionState, terminalId: string, text: string): readonly AgentLocation[] {
    const places = terminalLinks(text, state.terminals.get(terminalId)?.cwd ?? this.#workspaceFolder);
    if (places.length === 0) return [];
    const shows = ({ fields }: ToolEntry): boolean =>
      (fields.content ?? []).some(item => item.type === "terminal" && item.terminalId === terminalId);
    const parent = this.#openEntries().find(shows)?.parent;
    const by = parent === undefined ? {} : { parent };
    return places.map((place): AgentLocation => ({ ...place, doing: "read", guessed: true, ...by })).reverse();
  }

  #fromChunk(
    { toolCallId, content }: Extract<SessionEvent, { type: "toolChunk" }>,
    before: SessionState,
  ): readonly AgentLocation[] {
    const known = this.#openCalls.has(toolCallId) ? toolOf(before, toolCallId) : undefined;
    if (!known) return [];
    const { kind, status } = known.fields;
    return locationsOf({ ...(kind && { kind }), ...(status && { status }), content: [content] }, known.parent);
  }

  #fromTool(
    { toolCallId, patch, parent }: Extract<SessionEvent, { type: "tool" }>,
    before: SessionState,
    after: SessionState,
  ): readonly AgentLocation[] {
    const known = toolOf(before, toolCallId);
    const now = toolOf(after, toolCallId);
    if (!now) return [];
    const { kind, status } = now.fields;
    this.#openCalls.delete(toolCallId);
    if (!isFinal(status)) this.#keepOpen(toolCallId);
    if (status === "failed" || status === "cancelled") return [];
    const hasNewPlaces = Boolean(patch.locations) || Boolean(patch.content);
    // An edit is reported again when it begins and when it ends, because its lines may have moved.
    const hasMoved = status !== known?.fields.status && status !== "pending" && editingKinds.has(kind);
    if (!hasNewPlaces && !hasMoved) return [];
    // The entry may keep a fuller diff than the agent sent now; the new one has the narrower lines.
    const content = patch.content ?? now.fields.content ?? [];
    return locationsOf({ ...now.fields, content }, parent ?? now.parent);
  }

  #keepOpen(id: string): void {
    this.#openCalls.add(id);
    for (const oldest of this.#openCalls) {
      if (this.#openCalls.size <= maxCalls) break;
      this.#openCalls.delete(oldest);
    }
  }

  #openEntries(): readonly ToolEntry[] {
    return [...this.#openCalls].flatMap(id => toolOf(this.#state, id) ?? []);
  }

  /** The place of a read request. */
  readLocation({ path, line, limit }: ReadTextFileRequest): AgentLocation {
    return {
      path,
      doing: "read",
      ...(line !== undefined && { line }),
      ...(limit !== undefined && { count: Math.max(1, limit) }),
      ...this.#subAgentAt(path),
    };
  }

  /** The place of a write request. */
  writeLocation(path: string): AgentLocation {
    return { path, doing: "edit", ...this.#subAgentAt(path) };
  }

  /**
   * Requests do not identify the agent that sent them. While a sub-agent has an open call, requests count as its own,
   * unless a call of the main agent names the file.
   */
  #subAgentAt(path: string): { readonly parent?: string } {
    const calls = this.#openEntries();
    const naming = calls.filter(({ fields }) => locationsOf(fields).some(place => place.path === path));
    if (naming.some(call => call.parent === undefined)) return {};
    const parent = (naming.at(-1) ?? calls.findLast(call => call.parent !== undefined))?.parent;
    return parent === undefined ? {} : { parent };
  }
}

function toolOf(state: SessionState, toolCallId: string): ToolEntry | undefined {
  const entry = state.entries.get(toolKey(toolCallId));
  return entry?.kind === "tool" ? entry : undefined;
}

function locationsOf(call: Partial<ToolFields>, parent?: string): readonly AgentLocation[] {
  const { kind, status, locations = [], content = [] } = call;
  const edits = editingKinds.has(kind);
  // A pending call may still be refused.
  const begun = status !== undefined && status !== "pending";
  const doing: LocationKind = edits && begun ? "edit" : "read";
  const by = parent === undefined ? {} : { parent };
  const diffs = content.flatMap(item => (item.type === "diff" && item.deleted === undefined ? [item] : []));
  const reported = locations.map(({ path, line }: FileLocation): AgentLocation => {
    const change = diffs.find(diff => diff.path === path);
    return { path, doing, ...(line !== undefined && { line }), ...(change && { change: textChange(change) }), ...by };
  });
  const fromContent = content.flatMap((item): readonly AgentLocation[] => {
    if (item.type === "diff") {
      const change = item.deleted === undefined ? { change: textChange(item) } : {};
      return [{ path: item.path, doing: begun ? "edit" : "read", ...change, ...by }];
    }
    if (item.type === "changes") {
      return item.changes.map(({ path }) => ({ path, doing: begun ? "edit" : "read", ...by }));
    }
    const linked = item.type === "content" ? linkedLocation(item.content) : undefined;
    return linked ? [{ ...linked, doing: "read", ...by }] : [];
  });
  const named = new Set(pathsOf(call, "locations"));
  return [...fromContent.filter(({ path }) => !named.has(path)), ...reported].slice(-maxLocations);
}

function textChange({ oldText, newText }: DiffTexts): DiffTexts {
  return { newText, ...(oldText !== undefined && { oldText }) };
}

type ContentItem = Extract<ToolContent, { type: "content" }>["content"];

/** The file that a link names, with its line as in `#L12`. */
function linkedLocation(content: ContentItem): Pick<AgentLocation, "path" | "line"> | undefined {
  if (content.type !== "link" && content.type !== "resource") return undefined;
  if (!/^file:\/\//i.test(content.uri)) return undefined;
  try {
    const url = new URL(content.uri);
    const line = /^#L(\d{1,9})/.exec(url.hash)?.[1];
    return { path: fileURLToPath(url), ...(line !== undefined && { line: Number(line) }) };
  } catch {
    // A malformed address names no place.
    return undefined;
  }
}

/** Identifies an agent within a session: the main agent is "", a sub-agent is the tool call that started it. */
export const agentIdOf = ({ parent }: Pick<AgentLocation, "parent">): string => parent ?? "";

/** The place's lines in a text of `lineCount` lines. Undefined where the place names only the file. */
export function lineSpanOf(place: AgentLocation, lineCount: number, text?: () => string): LineSpan | undefined {
  const found = place.change && text ? changedLines(text(), place.change) : undefined;
  if (found) return clampLines(found, lineCount);
  if (place.line === undefined) return undefined;
  const first = Math.max(1, place.line) - 1;
  return clampLines({ first, last: first + (place.count ?? 1) - 1 }, lineCount);
}

/** The lines, limited to a text of `lineCount` lines. */
export function clampLines({ first, last }: LineSpan, lineCount: number): LineSpan {
  const inside = (line: number): number => Math.min(Math.max(0, Math.floor(line) || 0), Math.max(0, lineCount - 1));
  return { first: inside(first), last: Math.max(inside(first), inside(last)) };
}

/** The lines of a change in a text that has it, or is about to get it; undefined if they are ambiguous. */
export function changedLines(text: string, { oldText = "", newText }: DiffTexts): LineSpan | undefined {
  if (oldText.length + newText.length > maxChangeLength) return undefined;
  const [olds, news, own] = [withLineFeeds(oldText), withLineFeeds(newText), withLineFeeds(text)];
  const finder = new LineFinder(own);
  const here = news === "" ? undefined : finder.lineOf(news);
  const base = here ?? (olds === "" ? undefined : finder.lineOf(olds));
  if (base === undefined) return undefined;
  const [before, after] = here === undefined ? [news, olds] : [olds, news];
  const [was, is] = [before.split("\n"), after.split("\n")];
  const most = Math.min(was.length, is.length);
  let start = 0;
  while (start < most && was[start] === is[start]) start++;
  let end = 0;
  while (end < most - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const first = base + Math.min(start, is.length - 1);
  return { first, last: Math.max(first, base + is.length - end - 1) };
}

/** Finds the lines where parts of a text begin, by a plain search if that is enough. */
class LineFinder {
  readonly #text: string;
  #fragments: FragmentFinder | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The 0-based line. Undefined if the part is missing or ambiguous. */
  lineOf(part: string): number | undefined {
    const at = this.#text.indexOf(part);
    if (at >= 0 && !this.#text.includes(part, at + 1)) return countNewlines(this.#text.slice(0, at));
    // The last line of the text can lack its line feed, and the part can be a line that other lines contain.
    if (this.#text.length > maxChangeLength) return undefined;
    this.#fragments ??= new FragmentFinder(this.#text);
    const line = this.#fragments.lineOf(part);
    return line === undefined ? undefined : line - 1;
  }
}

const countNewlines = (text: string): number => text.split("\n").length - 1;

/** One replacement in a document, as VS Code reports it: the range in the old text, and the new text. */
export interface Replacement {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  readonly text: string;
}

/** The lines that replacements touched, numbered as in the new text, from the top. */
export function editedLines(replacements: readonly Replacement[]): readonly LineSpan[] {
  let moved = 0;
  const downwards = [...replacements].sort(
    (a, b) => a.start.line - b.start.line || a.start.character - b.start.character,
  );
  return downwards.map(({ start, end, text }) => {
    const added = countNewlines(text);
    const top = start.line + moved;
    moved += added - (end.line - start.line);
    // Inserted whole lines begin after a line's end, or end before a line's start.
    const first = start.character > 0 && text.startsWith("\n") ? top + 1 : top;
    const last = end.character === 0 && text.endsWith("\n") ? top + added - 1 : top + added;
    return { first, last: Math.max(first, last) };
  });
}

/** The lines after replacements: moved by changes above them, stretched by changes inside them. */
export function shiftLines({ first, last }: LineSpan, replacements: readonly Replacement[]): LineSpan {
  let [top, bottom] = [first, last];
  for (const { start, end, text } of [...replacements].sort((a, b) => b.start.line - a.start.line)) {
    const delta = countNewlines(text) - (end.line - start.line);
    if (end.line < top || (end.line === top && end.character === 0)) top += delta;
    else if (start.line < top) top = start.line;
    if (start.line <= bottom) bottom = Math.max(start.line, bottom + delta);
  }
  return { first: Math.max(0, top), last: Math.max(0, top, bottom) };
}
