// Parts of the views of tool calls that their cards and their questions share.
import { relativeLabel } from "../../base/pathLabel.ts";
import type { ToolFields } from "../../session/events.ts";
import { shownContent } from "../../session/fileNotes.ts";
import { hasInput, withInput } from "../../session/ownInput.ts";
import type { ToolEntry } from "../../session/state.ts";
import { isJsonTitle } from "../../session/toolTitle.ts";
import type { ViewTool } from "../protocol.ts";

/** The fields of a call as its card shows them. */
export interface ShownFields extends Partial<ToolFields> {
  /** The agent sent the input as content of the call. */
  readonly isInputContent?: true;
}

/**
 * The fields with the results of writes, and with text of the content or a title that is JSON as the input if the agent
 * sent no other.
 */
export function shownFields(entry: ToolEntry): ShownFields {
  const fields = withInput(entry);
  const { title = "" } = fields;
  const isInput = isJsonTitle(title) && !hasInput(fields.rawInput);
  if (!entry.results && !isInput && entry.input === undefined) return fields;
  return {
    ...{ ...fields, content: shownContent(entry) },
    ...(isInput && { rawInput: title }),
    ...(entry.input?.trim() && { isInputContent: true as const }),
  };
}

/** The locations, each once. A file without a line is left out if another location names a line of it. */
export function locationsOf(entry: ToolEntry, cwd: string): ViewTool["locations"] {
  const locations = entry.fields.locations ?? [];
  const withLine = new Set(locations.flatMap(({ path, line }) => (line === undefined ? [] : [path])));
  const places = new Map(
    locations
      .filter(({ path, line }) => line !== undefined || !withLine.has(path))
      .map(place => [`${place.line ?? ""} ${place.path}`, place]),
  );
  return [...places.values()].map(place => ({ ...place, label: relativeLabel(place.path, cwd) }));
}
