// The files that an agent's tool calls named in one turn, and the edits that they report. Pure.
import type { SessionEvent } from "../../session/events.ts";
import { emptySession, toolKey, type SessionState } from "../../session/state.ts";
import { newPathsIn } from "../../session/toolPaths.ts";
import { baseFromReports, containsEdit, editReportsOf, type EditReport } from "../baseFromReports.ts";

/** The maximum number of files in one turn that are tracked by name. */
const maxNamedPaths = 500;

export class TurnReports {
  /** All paths that a call has named in this turn, as the agent gave them, by the call's id. */
  readonly #named = new Map<string, ReadonlySet<string>>();
  /** The files, by the paths that the agent gave. */
  readonly #resolvedPaths = new Map<string, string>();
  #state: SessionState = emptySession;

  /** Returns the paths, as the agent gave them, that the event has news of. `after`: the state after the event. */
  observe(event: SessionEvent, after: SessionState): readonly string[] {
    this.#state = after;
    if (event.type !== "tool" && event.type !== "toolChunk") return [];
    const known = this.#named.get(event.toolCallId) ?? new Set();
    const all = [...this.#named.values()].reduce((sum, paths) => sum + paths.size, 0);
    const newPaths = [...new Set(newPathsIn(event, "locations", "diffs", "moves"))]
      .filter(path => !known.has(path))
      .slice(0, Math.max(0, maxNamedPaths - all));
    const named = new Set([...known, ...newPaths]);
    if (named.size > 0) this.#named.set(event.toolCallId, named);
    const hasContent = event.type === "toolChunk" || Boolean(event.patch.content);
    return hasContent ? [...named] : newPaths;
  }

  /** Sets the file that an agent's path resolves to. */
  setResolvedPath(agentPath: string, path: string): void {
    this.#resolvedPaths.set(agentPath, path);
  }

  /** The paths that the event's tool call has named, as the agent gave them. */
  pathsOfCall(event: SessionEvent): readonly string[] {
    return event.type === "tool" ? [...(this.#named.get(event.toolCallId) ?? [])] : [];
  }

  /** All named paths, as the agent gave them. */
  paths(): readonly string[] {
    return [...new Set([...this.#named.values()].flatMap(paths => [...paths]))];
  }

  /** Whether a tool call named the file. */
  isNamed(path: string): boolean {
    return this.paths().some(given => this.#resolve(given) === path);
  }

  /** Whether the text already contains an edit that was reported for the file. */
  containsReportedEdit(path: string, text: string | null): boolean {
    return text !== null && this.#reportsOf(path).some(report => containsEdit(text, report));
  }

  /** The file's text before the reported edits. Null: the file did not exist. Undefined: it cannot be determined. */
  before(path: string, after: string | null): string | null | undefined {
    return baseFromReports(after, this.#reportsOf(path));
  }

  #reportsOf(path: string): readonly EditReport[] {
    const reports: EditReport[] = [];
    for (const id of this.#named.keys()) {
      const entry = this.#state.entries.get(toolKey(id));
      if (entry?.kind !== "tool") continue;
      for (const [given, report] of (entry.fields.content ?? []).flatMap(editReportsOf))
        if (this.#resolve(given) === path) reports.push(report);
    }
    return reports;
  }

  #resolve(given: string): string {
    return this.#resolvedPaths.get(given) ?? given;
  }
}
