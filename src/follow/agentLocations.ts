// Where an agent is in the files, by what it says and asks. Pure: places come in, lines of documents come out.
import type { FileLocation, SessionEvent, ToolContent, ToolKind, ToolStatus } from "../session/events.ts";
import { fileURLToPath } from "node:url";
import { terminalLinks } from "./terminalLinks.ts";

/** What an agent does at a place. */
export type LocationKind = "read" | "edit";

/** Lines of a document: 0-based, both included. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** Where an agent says it is. */
export interface AgentLocation {
  /** As the agent sent it. */
  readonly path: string;
  readonly doing: LocationKind;
  /** 1-based; 0 is taken as the first. Absent: somewhere in the file. */
  readonly line?: number;
  /** How many lines; absent: one. */
  readonly count?: number;
  /** What becomes of which text, to find the lines by. */
  readonly change?: DiffTexts;
  /** The tool call of the sub-agent that is there. */
  readonly parent?: string;
  /** Read out of a command's output: there may be no such file. */
  readonly guessed?: true;
}

export interface DiffTexts {
  readonly oldText?: string;
  readonly newText: string;
}

/** What is known of a tool call that has not ended. */
interface ToolCallState {
  kind?: ToolKind;
  status?: ToolStatus;
  parent?: string;
  locations: readonly FileLocation[];
  content: readonly ToolContent[];
}

/** More calls than these at once, or more places in one event, are no help to anybody who looks on. */
const maxCalls = 500;
const maxLocations = 20;
/** Texts beyond this are not searched for in a document. UTF-16 units. */
const maxChangeLength = 1_000_000;

const editingKinds: ReadonlySet<unknown> = new Set(["edit", "delete", "move"]);
const finalStatuses: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** One session's way through the files. Keep one per session: later events name what earlier ones told. */
export class LocationTracker {
  readonly #calls = new Map<string, ToolCallState>();
  /** Where commands run, by terminal. */
  readonly #folders = new Map<string, string>();
  /** The folder of commands that tell none. */
  readonly #workspaceFolder: string;

  constructor(workspaceFolder: string) {
    this.#workspaceFolder = workspaceFolder;
  }

  /** The places that an event tells, the latest last. */
  observe(event: SessionEvent): readonly AgentLocation[] {
    if (event.type === "activity" && event.state === "idle") {
      this.#calls.clear();
      this.#folders.clear();
    }
    if (event.type === "toolChunk") {
      const call = this.#calls.get(event.toolCallId);
      if (!call) return [];
      call.content = [...call.content, event.content];
      return locationsOf({ ...call, locations: [], content: [event.content] });
    }
    if (event.type === "terminal") {
      if (event.cwd !== undefined) this.#folders.set(event.terminalId, event.cwd);
      return event.output === undefined ? [] : this.#output(event.terminalId, event.output);
    }
    if (event.type === "terminalOutput") return this.#output(event.terminalId, event.text);
    return event.type === "tool" ? this.#tool(event) : [];
  }

  /** The first place that output names comes last, where the view goes: in a stack it is the one that matters. */
  #output(terminalId: string, text: string): readonly AgentLocation[] {
    const shows = ({ content }: ToolCallState): boolean =>
      content.some(item => item.type === "terminal" && item.terminalId === terminalId);
    const parent = [...this.#calls.values()].find(shows)?.parent;
    const by = parent === undefined ? {} : { parent };
    const places = terminalLinks(text, this.#folders.get(terminalId) ?? this.#workspaceFolder);
    return places.map((place): AgentLocation => ({ ...place, doing: "read", guessed: true, ...by })).reverse();
  }

  #tool(event: Extract<SessionEvent, { type: "tool" }>): readonly AgentLocation[] {
    const { toolCallId, patch, parent } = event;
    const call: ToolCallState = this.#calls.get(toolCallId) ?? { locations: [], content: [] };
    const before = call.status;
    if (patch.kind) call.kind = patch.kind;
    if (patch.status) call.status = patch.status;
    if (parent !== undefined) call.parent = parent;
    if (patch.locations !== undefined) call.locations = patch.locations ?? [];
    if (patch.content !== undefined) call.content = patch.content ?? [];
    this.#calls.delete(toolCallId);
    if (!finalStatuses.has(call.status)) this.#keep(toolCallId, call);
    if (call.status === "failed" || call.status === "cancelled") return [];
    const hasNewLocations = Boolean(patch.locations) || Boolean(patch.content);
    // An edit that begins or is done is told once more: it is seen where it stands now.
    const moves = call.status !== before && call.status !== "pending" && editingKinds.has(call.kind);
    return hasNewLocations || moves ? locationsOf(call) : [];
  }

  #keep(id: string, call: ToolCallState): void {
    this.#calls.set(id, call);
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= maxCalls) break;
      this.#calls.delete(oldest);
    }
  }

  /** The place of a read request. */
  readLocation(request: { readonly path: string; readonly line?: number; readonly limit?: number }): AgentLocation {
    const { path, line, limit } = request;
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
   * Requests do not say which agent they come from. While a sub-agent has a call under way they are its own, unless a
   * call of the main agent names the file.
   */
  #subAgentAt(path: string): { readonly parent?: string } {
    const calls = [...this.#calls.values()];
    const naming = calls.filter(call => locationsOf(call).some(place => place.path === path));
    if (naming.some(call => call.parent === undefined)) return {};
    const parent = (naming.at(-1) ?? calls.findLast(call => call.parent !== undefined))?.parent;
    return parent === undefined ? {} : { parent };
  }
}

function locationsOf({ kind, status, parent, locations, content }: ToolCallState): readonly AgentLocation[] {
  const edits = editingKinds.has(kind);
  // A call that waits may yet be refused.
  const begun = status !== undefined && status !== "pending";
  const doing: LocationKind = edits && begun ? "edit" : "read";
  const by = parent === undefined ? {} : { parent };
  const diffs = content.flatMap(item => (item.type === "diff" && item.deleted === undefined ? [item] : []));
  const reported = locations.map(({ path, line }): AgentLocation => {
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
  const named = new Set(locations.map(({ path }) => path));
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
    // An address that is none names no place.
    return undefined;
  }
}

/** Who an agent is among those that one session shows: the main agent is "". */
export const agentIdOf = ({ parent }: Pick<AgentLocation, "parent">): string => parent ?? "";

/** The place's lines in a text of so many lines. Undefined where the place names the file only. */
export function lineSpanOf(place: AgentLocation, lineCount: number, text?: () => string): LineSpan | undefined {
  const found = place.change && text ? changedLines(text(), place.change) : undefined;
  if (found) return clampLines(found, lineCount);
  if (place.line === undefined) return undefined;
  const first = Math.max(1, place.line) - 1;
  return clampLines({ first, last: first + (place.count ?? 1) - 1 }, lineCount);
}

/** The lines, brought back into a text of so many. */
export function clampLines({ first, last }: LineSpan, lineCount: number): LineSpan {
  const inside = (line: number): number => Math.min(Math.max(0, Math.floor(line) || 0), Math.max(0, lineCount - 1));
  return { first: inside(first), last: Math.max(inside(first), inside(last)) };
}

/** Where a change stands in a text that has it, or is about to get it; undefined if that is not certain. */
export function changedLines(text: string, { oldText = "", newText }: DiffTexts): LineSpan | undefined {
  if (oldText.length + newText.length > maxChangeLength) return undefined;
  const [olds, news, own] = [oldText, newText, text].map(one => one.replaceAll("\r\n", "\n")) as [
    string,
    string,
    string,
  ];
  const here = news !== "" ? uniqueIndex(own, news) : undefined;
  const at = here ?? (olds !== "" ? uniqueIndex(own, olds) : undefined);
  if (at === undefined) return undefined;
  const [before, after] = here === undefined ? [news, olds] : [olds, news];
  const [was, is] = [before.split("\n"), after.split("\n")];
  const most = Math.min(was.length, is.length);
  let start = 0;
  while (start < most && was[start] === is[start]) start++;
  let end = 0;
  while (end < most - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const base = countNewlines(own.slice(0, at));
  const first = base + Math.min(start, is.length - 1);
  return { first, last: Math.max(first, base + is.length - end - 1) };
}

function uniqueIndex(text: string, part: string): number | undefined {
  const at = text.indexOf(part);
  return at < 0 || text.includes(part, at + 1) ? undefined : at;
}

const countNewlines = (text: string): number => text.split("\n").length - 1;

/** One replacement in a document, as editors tell it: where in the text before, and what stands there now. */
export interface Replacement {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  readonly text: string;
}

/** The lines that replacements touched, as they are numbered afterwards, from the top. */
export function editedLines(replacements: readonly Replacement[]): readonly LineSpan[] {
  let moved = 0;
  const downwards = [...replacements].sort(
    (a, b) => a.start.line - b.start.line || a.start.character - b.start.character,
  );
  return downwards.map(({ start, end, text }) => {
    const added = countNewlines(text);
    const top = start.line + moved;
    moved += added - (end.line - start.line);
    // Whole lines that come in begin after a line's end, or end before a line's start.
    const first = start.character > 0 && text.startsWith("\n") ? top + 1 : top;
    const last = end.character === 0 && text.endsWith("\n") ? top + added - 1 : top + added;
    return { first, last: Math.max(first, last) };
  });
}

/** Where lines are once replacements were made: moved by what changed above, stretched by what changed inside. */
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
