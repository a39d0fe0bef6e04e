// What an agent's tool calls said of files in one turn: which they name, and which edits they report. Pure.
import type { SessionEvent, ToolContent } from "../session/events.ts";
import { baseBefore, holds, reportsIn, type Report } from "./baseFromReports.ts";
import { endsTool } from "../files/unsavedConflicts.ts";

/** More files of one turn are not followed by name. */
const mostNamed = 500;

interface Call {
  readonly named: ReadonlySet<string>;
  readonly content: readonly ToolContent[];
}

export class TurnReports {
  readonly #calls = new Map<string, Call>();
  /** The files by the paths the agent gave. */
  readonly #places = new Map<string, string>();

  /** Takes the event in; the paths, as the agent gave them, of which it says something new. */
  observe(event: SessionEvent): readonly string[] {
    if (event.type !== "tool" && event.type !== "toolChunk") return [];
    const was: Call = this.#calls.get(event.toolCallId) ?? { named: new Set(), content: [] };
    const content = event.type === "tool" ? (event.patch.content ?? was.content) : [...was.content, event.content];
    const locations = event.type === "tool" ? (event.patch.locations ?? []) : [];
    const paths = [...locations.map(place => place.path), ...content.flatMap(reportsIn).map(([path]) => path)];
    const all = [...this.#calls.values()].reduce((sum, call) => sum + call.named.size, 0);
    const fresh = [...new Set(paths)].filter(path => !was.named.has(path)).slice(0, Math.max(0, mostNamed - all));
    const named = new Set([...was.named, ...fresh]);
    this.#calls.set(event.toolCallId, { named, content });
    return content === was.content ? fresh : [...named];
  }

  /** The file that a path of the agent's leads to. */
  leadsTo(given: string, path: string): void {
    this.#places.set(given, path);
  }

  /** Whether the event ends a tool call. */
  hasEnded(event: SessionEvent): boolean {
    return endsTool(event);
  }

  /** The paths that the event's tool call names, as the agent gave them. */
  pathsOf(event: SessionEvent): readonly string[] {
    return event.type === "tool" ? [...(this.#calls.get(event.toolCallId)?.named ?? [])] : [];
  }

  /** Every path that was named, as the agent gave it. */
  paths(): readonly string[] {
    return [...new Set([...this.#calls.values()].flatMap(call => [...call.named]))];
  }

  /** Whether a tool call names the file. */
  names(path: string): boolean {
    return this.paths().some(given => this.#at(given) === path);
  }

  /** Whether the text has an edit in it already that was reported of the file. */
  isLate(path: string, text: string | null): boolean {
    return text !== null && this.#of(path).some(report => holds(text, report));
  }

  /** The file's text before the reported edits; null: there was none; undefined: that cannot be told. */
  before(path: string, after: string | null): string | null | undefined {
    return baseBefore(after, this.#of(path));
  }

  #of(path: string): readonly Report[] {
    const reports: Report[] = [];
    for (const { content } of this.#calls.values()) {
      for (const [given, report] of content.flatMap(reportsIn)) if (this.#at(given) === path) reports.push(report);
    }
    return reports;
  }

  #at(given: string): string {
    return this.#places.get(given) ?? given;
  }
}
