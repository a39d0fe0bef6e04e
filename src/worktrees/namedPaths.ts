// Lists of paths in sentences.
import { t } from "../base/l10n.ts";

/** More names are not listed. */
const maxNames = 5;

/** The first names of a list, and how many more there are. */
export function namedPaths(paths: readonly string[]): string {
  const first = paths.slice(0, maxNames).join(", ");
  const rest = paths.length - maxNames;
  return rest > 0 ? t("{0} and {1} more", first, rest) : first;
}
