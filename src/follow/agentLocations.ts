// Where an agent is in the files, by what it says and asks. Pure: places come in, lines of documents come out.
import type { Location, SessionEvent, ToolContent, ToolKind, ToolStatus } from "../session/events.ts";
import { fileURLToPath } from "node:url";
import { placesInOutput } from "./terminalLinks.ts";

/** What an agent does at a place. */
export type Doing = "read" | "edit";

/** Lines of a document: 0-based, both included. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** Where an agent says it is. */
export interface Place {
  /** As the agent sent it. */
  readonly path: string;
  readonly doing: Doing;
  /** 1-based; 0 is taken as the first. Absent: somewhere in the file. */
  readonly line?: number;
  /** How many lines; absent: one. */
  readonly count?: number;
  /** What becomes of which text, to find the lines by. */
  readonly change?: TextChange;
  /** The tool call of the sub-agent that is there. */
  readonly parent?: string;
  /** Read out of a command's output: there may be no such file. */
  readonly guessed?: true;
}

export interface TextChange {
  readonly oldText?: string;
  readonly newText: string;
}

/** What is known of a tool call that has not ended. */
interface Call {
  kind?: ToolKind;
  status?: ToolStatus;
  parent?: string;
  locations: readonly Location[];
  content: readonly ToolContent[];
}

/** More calls than these at once, or more places in one event, are no help to anybody who looks on. */
const mostCalls = 500;
const mostPlaces = 20;
/** Texts beyond this are not searched for in a document. UTF-16 units. */
const longestChange = 1_000_000;

const editing: ReadonlySet<unknown> = new Set(["edit", "delete", "move"]);
const final: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** One session's way through the files. Keep one per session: later events name what earlier ones told. */
export class Trail {
  readonly #calls = new Map<string, Call>();
  /** Where commands run, by terminal. */
  readonly #folders = new Map<string, string>();
  /** The folder of commands that tell none. */
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The places that an event tells, the latest last. */
  observe(event: SessionEvent): readonly Place[] {
    if (event.type === "activity" && event.state === "idle") {
      this.#calls.clear();
      this.#folders.clear();
    }
    if (event.type === "toolChunk") {
      const call = this.#calls.get(event.toolCallId);
      if (!call) return [];
      call.content = [...call.content, event.content];
      return placesOf({ ...call, locations: [], content: [event.content] });
    }
    if (event.type === "terminal") {
      if (event.cwd !== undefined) this.#folders.set(event.terminalId, event.cwd);
      return event.output === undefined ? [] : this.#output(event.terminalId, event.output);
    }
    if (event.type === "terminalOutput") return this.#output(event.terminalId, event.text);
    return event.type === "tool" ? this.#tool(event) : [];
  }

  /** The first place that output names comes last, where the view goes: in a stack it is the one that matters. */
  #output(terminalId: string, text: string): readonly Place[] {
    const shows = ({ content }: Call): boolean =>
      content.some(item => item.type === "terminal" && item.terminalId === terminalId);
    const parent = [...this.#calls.values()].find(shows)?.parent;
    const by = parent === undefined ? {} : { parent };
    const places = placesInOutput(text, this.#folders.get(terminalId) ?? this.#cwd);
    return places.map((place): Place => ({ ...place, doing: "read", guessed: true, ...by })).reverse();
  }

  #tool(event: Extract<SessionEvent, { type: "tool" }>): readonly Place[] {
    const { toolCallId, patch, parent } = event;
    const call: Call = this.#calls.get(toolCallId) ?? { locations: [], content: [] };
    const before = call.status;
    if (patch.kind) call.kind = patch.kind;
    if (patch.status) call.status = patch.status;
    if (parent !== undefined) call.parent = parent;
    if (patch.locations !== undefined) call.locations = patch.locations ?? [];
    if (patch.content !== undefined) call.content = patch.content ?? [];
    this.#calls.delete(toolCallId);
    if (!final.has(call.status)) this.#keep(toolCallId, call);
    if (call.status === "failed" || call.status === "cancelled") return [];
    const tells = Boolean(patch.locations) || Boolean(patch.content);
    // An edit that begins or is done is told once more: it is seen where it stands now.
    const moves = call.status !== before && call.status !== "pending" && editing.has(call.kind);
    return tells || moves ? placesOf(call) : [];
  }

  #keep(id: string, call: Call): void {
    this.#calls.set(id, call);
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= mostCalls) break;
      this.#calls.delete(oldest);
    }
  }

  /** The place of a read request. */
  reads(request: { readonly path: string; readonly line?: number; readonly limit?: number }): Place {
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
  writes(path: string): Place {
    return { path, doing: "edit", ...this.#subAgentAt(path) };
  }

  /**
   * Requests do not say which agent they come from. While a sub-agent has a call under way they are its own, unless a
   * call of the main agent names the file.
   */
  #subAgentAt(path: string): { readonly parent?: string } {
    const calls = [...this.#calls.values()];
    const naming = calls.filter(call => placesOf(call).some(place => place.path === path));
    if (naming.some(call => call.parent === undefined)) return {};
    const parent = (naming.at(-1) ?? calls.findLast(call => call.parent !== undefined))?.parent;
    return parent === undefined ? {} : { parent };
  }
}

function placesOf({ kind, status, parent, locations, content }: Call): readonly Place[] {
  const edits = editing.has(kind);
  // A call that waits may yet be refused.
  const begun = status !== undefined && status !== "pending";
  const doing: Doing = edits && begun ? "edit" : "read";
  const by = parent === undefined ? {} : { parent };
  const diffs = content.flatMap(item => (item.type === "diff" && item.deleted === undefined ? [item] : []));
  const told = locations.map(({ path, line }): Place => {
    const change = diffs.find(diff => diff.path === path);
    return { path, doing, ...(line !== undefined && { line }), ...(change && { change: textChange(change) }), ...by };
  });
  const shown = content.flatMap((item): readonly Place[] => {
    if (item.type === "diff") {
      const change = item.deleted === undefined ? { change: textChange(item) } : {};
      return [{ path: item.path, doing: begun ? "edit" : "read", ...change, ...by }];
    }
    if (item.type === "changes") {
      return item.changes.map(({ path }) => ({ path, doing: begun ? "edit" : "read", ...by }));
    }
    const linked = item.type === "content" ? linkedPlace(item.content) : undefined;
    return linked ? [{ ...linked, doing: "read", ...by }] : [];
  });
  const named = new Set(locations.map(({ path }) => path));
  return [...shown.filter(({ path }) => !named.has(path)), ...told].slice(-mostPlaces);
}

function textChange({ oldText, newText }: TextChange): TextChange {
  return { newText, ...(oldText !== undefined && { oldText }) };
}

type Shown = Extract<ToolContent, { type: "content" }>["content"];

/** The file that a link names, with its line as in `#L12`. */
function linkedPlace(content: Shown): Pick<Place, "path" | "line"> | undefined {
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
export const whoIs = ({ parent }: Pick<Place, "parent">): string => parent ?? "";

/** The place's lines in a text of so many lines. Undefined where the place names the file only. */
export function linesOf(place: Place, lineCount: number, text?: () => string): Lines | undefined {
  const found = place.change && text ? changedLines(text(), place.change) : undefined;
  if (found) return clamped(found, lineCount);
  if (place.line === undefined) return undefined;
  const first = Math.max(1, place.line) - 1;
  return clamped({ first, last: first + (place.count ?? 1) - 1 }, lineCount);
}

/** The lines, brought back into a text of so many. */
export function clamped({ first, last }: Lines, lineCount: number): Lines {
  const inside = (line: number): number => Math.min(Math.max(0, Math.floor(line) || 0), Math.max(0, lineCount - 1));
  return { first: inside(first), last: Math.max(inside(first), inside(last)) };
}

/** Where a change stands in a text that has it, or is about to get it; undefined if that is not certain. */
export function changedLines(text: string, { oldText = "", newText }: TextChange): Lines | undefined {
  if (oldText.length + newText.length > longestChange) return undefined;
  const [olds, news, own] = [oldText, newText, text].map(one => one.replaceAll("\r\n", "\n")) as [
    string,
    string,
    string,
  ];
  const here = news !== "" ? onlyIndex(own, news) : undefined;
  const at = here ?? (olds !== "" ? onlyIndex(own, olds) : undefined);
  if (at === undefined) return undefined;
  const [before, after] = here === undefined ? [news, olds] : [olds, news];
  const [was, is] = [before.split("\n"), after.split("\n")];
  const most = Math.min(was.length, is.length);
  let start = 0;
  while (start < most && was[start] === is[start]) start++;
  let end = 0;
  while (end < most - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const base = newlines(own.slice(0, at));
  const first = base + Math.min(start, is.length - 1);
  return { first, last: Math.max(first, base + is.length - end - 1) };
}

function onlyIndex(text: string, part: string): number | undefined {
  const at = text.indexOf(part);
  return at < 0 || text.includes(part, at + 1) ? undefined : at;
}

const newlines = (text: string): number => text.split("\n").length - 1;

/** One replacement in a document, as editors tell it: where in the text before, and what stands there now. */
export interface Replacement {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  readonly text: string;
}

/** The lines that replacements touched, as they are numbered afterwards, from the top. */
export function editedLines(replacements: readonly Replacement[]): readonly Lines[] {
  let moved = 0;
  const downwards = [...replacements].sort(
    (a, b) => a.start.line - b.start.line || a.start.character - b.start.character,
  );
  return downwards.map(({ start, end, text }) => {
    const added = newlines(text);
    const top = start.line + moved;
    moved += added - (end.line - start.line);
    // Whole lines that come in begin after a line's end, or end before a line's start.
    const first = start.character > 0 && text.startsWith("\n") ? top + 1 : top;
    const last = end.character === 0 && text.endsWith("\n") ? top + added - 1 : top + added;
    return { first, last: Math.max(first, last) };
  });
}

/** Where lines are once replacements were made: moved by what changed above, stretched by what changed inside. */
export function shifted({ first, last }: Lines, replacements: readonly Replacement[]): Lines {
  let [top, bottom] = [first, last];
  for (const { start, end, text } of [...replacements].sort((a, b) => b.start.line - a.start.line)) {
    const delta = newlines(text) - (end.line - start.line);
    if (end.line < top || (end.line === top && end.character === 0)) top += delta;
    else if (start.line < top) top = start.line;
    if (start.line <= bottom) bottom = Math.max(start.line, bottom + delta);
  }
  return { first: Math.max(0, top), last: Math.max(0, top, bottom) };
}
