// What an agent's tool calls said of files in one turn: which they name, and which edits they report. Pure.
import type { SessionEvent, ToolContent } from "../session/events.ts";
import { baseFromReports, containsEdit, editReportsOf, type EditReport } from "./baseFromReports.ts";
import { endsToolCall } from "../session/toolCalls.ts";

/** More files of one turn are not followed by name. */
const maxNamedPaths = 500;

interface ReportedCall {
  readonly named: ReadonlySet<string>;
  readonly content: readonly ToolContent[];
}

export class TurnReports {
  readonly #calls = new Map<string, ReportedCall>();
  /** The files by the paths the agent gave. */
  readonly #resolvedPaths = new Map<string, string>();

  /** Takes the event in; the paths, as the agent gave them, of which it says something new. */
  observe(event: SessionEvent): readonly string[] {
    if (event.type !== "tool" && event.type !== "toolChunk") return [];
    const was: ReportedCall = this.#calls.get(event.toolCallId) ?? { named: new Set(), content: [] };
    const content = event.type === "tool" ? (event.patch.content ?? was.content) : [...was.content, event.content];
    const locations = event.type === "tool" ? (event.patch.locations ?? []) : [];
    const paths = [...locations.map(place => place.path), ...content.flatMap(editReportsOf).map(([path]) => path)];
    const all = [...this.#calls.values()].reduce((sum, call) => sum + call.named.size, 0);
    const newPaths = [...new Set(paths)]
      .filter(path => !was.named.has(path))
      .slice(0, Math.max(0, maxNamedPaths - all));
    const named = new Set([...was.named, ...newPaths]);
    this.#calls.set(event.toolCallId, { named, content });
    return content === was.content ? newPaths : [...named];
  }

  /** The file that a path of the agent's leads to. */
  setResolvedPath(agentPath: string, path: string): void {
    this.#resolvedPaths.set(agentPath, path);
  }

  /** Whether the event ends a tool call. */
  hasEnded(event: SessionEvent): boolean {
    return endsToolCall(event);
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
  isNamed(path: string): boolean {
    return this.paths().some(given => this.#resolve(given) === path);
  }

  /** Whether the text has an edit in it already that was reported of the file. */
  containsReportedEdit(path: string, text: string | null): boolean {
    return text !== null && this.#reportsOf(path).some(report => containsEdit(text, report));
  }

  /** The file's text before the reported edits; null: there was none; undefined: that cannot be told. */
  before(path: string, after: string | null): string | null | undefined {
    return baseFromReports(after, this.#reportsOf(path));
  }

  #reportsOf(path: string): readonly EditReport[] {
    const reports: EditReport[] = [];
    for (const { content } of this.#calls.values()) {
      for (const [given, report] of content.flatMap(editReportsOf))
        if (this.#resolve(given) === path) reports.push(report);
    }
    return reports;
  }

  #resolve(given: string): string {
    return this.#resolvedPaths.get(given) ?? given;
  }
}
