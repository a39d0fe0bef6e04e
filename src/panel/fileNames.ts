// Where a tool card names its files: in its title, in the header of a diff, or in its locations. A file that is named
// already is linked without its name. And the name of the file in a URI. Shared with webview-ui.
import { isNameEnd, isNameStart } from "../base/spacelessScripts.ts";
import { visibleText } from "../base/visibleText.ts";
import type { ToolPart, ViewTool } from "./protocol.ts";

type Location = ViewTool["locations"][number];
type Names = Pick<ViewTool, "title" | "locations" | "parts">;

/** Whether a title names a file by its path or by its label. `a.txt` does not name `data.txt` or `a.txt.bak`. */
export function namesFile(title: string, { path, label }: { readonly path: string; readonly label: string }): boolean {
  return [path, label].some(name => name !== "" && namedAt(title, name) >= 0);
}

function namedAt(text: string, name: string): number {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (isNameStart(text.slice(Math.max(0, at - 2), at), name) && isNameEnd(text.slice(end, end + 3))) return at;
  }
  return -1;
}

/** The locations that the title and the diffs of the card do not name. */
export function namedLocations({ title, locations, parts }: Names): readonly Location[] {
  return locations.filter(place => !namesFile(title, place) && !showsFile(parts, place.path));
}

/** Whether a diff among the parts shows the file. */
export const showsFile = (parts: readonly ToolPart[], path: string): boolean =>
  parts.some(part => filesOf(part).some(file => file.path === path));

/**
 * For each part, whether its header names its files. If all diffs show the same file, only the first header does, and
 * none if the title names it. Without a title, for example in a question, every header does.
 */
export function namedHeaders(parts: readonly ToolPart[], title: string | undefined): readonly boolean[] {
  const [file, ...others] = new Map(parts.flatMap(filesOf).map(one => [one.path, one])).values();
  if (title === undefined || !file || others.length > 0) return parts.map(() => true);
  const first = namesFile(title, file) ? -1 : parts.findIndex(part => filesOf(part).length > 0);
  return parts.map((part, at) => at === first || filesOf(part).length === 0);
}

function filesOf(part: ToolPart): readonly { readonly path: string; readonly label: string }[] {
  if (part.type === "diff") return [part];
  return part.type === "files" ? part.files : [];
}

/** The name of the file in a URI as people read it, on one line: `a b.ts` for `file:///w/a%20b.ts#L3`. */
export function uriFileName(uri: string): string {
  const path = uri.replace(/[?#].*/s, "").replace(/(?<!\/)\/+$/, "");
  const name = path.split(/[\\/]/).at(-1) || uri;
  return visibleText(decoded(name).replace(/\s+/g, " "));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray "%".
  }
}
