// The files that tool calls name.
import type { Patch, SessionEvent, ToolFields } from "./events.ts";

/**
 * Where in a tool call a path stands. `locations`: the places that the call reports. `diffs`: its diffs and lists of
 * changes. `moves`: the old paths of files that it moves. `origins`: the old path of every listed change, also of copies
 * and of operations that Parley does not know. Raw input has no fixed shape: src/permissions/questionFacts.ts reads it.
 */
export type PathSource = "locations" | "diffs" | "moves" | "origins";

/** The paths in these parts of a tool call, or of an update of one, as the agent gave them. A path may occur twice. */
export function pathsOf(call: Patch<ToolFields>, ...sources: readonly PathSource[]): readonly string[] {
  const wants = (source: PathSource): boolean => sources.includes(source);
  const fromLocations = wants("locations") ? (call.locations ?? []).map(({ path }) => path) : [];
  const fromContent = (call.content ?? []).flatMap(item => {
    if (item.type === "diff") return wants("diffs") ? [item.path] : [];
    if (item.type !== "changes") return [];
    return item.changes.flatMap(({ path, oldPath, operation }) => {
      const wantsOld = oldPath !== undefined && (wants("origins") || (wants("moves") && operation === "move"));
      return [...(wants("diffs") ? [path] : []), ...(wantsOld ? [oldPath] : [])];
    });
  });
  return [...fromLocations, ...fromContent];
}

/** The paths that an event brings: {@link pathsOf} for what is new in it. */
export function newPathsIn(event: SessionEvent, ...sources: readonly PathSource[]): readonly string[] {
  if (event.type === "tool") return pathsOf(event.patch, ...sources);
  return event.type === "toolChunk" ? pathsOf({ content: [event.content] }, ...sources) : [];
}
