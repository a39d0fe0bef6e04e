// Accessibility trees for goldens: what differs from run to run is replaced by words.

const replacements: readonly (readonly [RegExp, string])[] = [
  // What a live region announces comes and goes with time.
  [/^( *)- status: ?.*(?:\n\1 +- .*)*/gm, "$1- status"],
  // IDs: UUIDs, and the random names of folders, which end in six letters.
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "‹id›"],
  [/\bparley-workspace-[A-Za-z0-9]{6}\b/g, "‹workspace›"],
  // Paths of the machine, also in links. They have at least two parts, because `/` alone begins a command.
  [/(?:file:\/\/|(?<![\w./‹›-]))(?:\/[^\s"'/:,\])}]+){2,}\/?/g, "‹path›"],
  // Times of day.
  [/\b\d{1,2}:\d{2}(?::\d{2})?(?:[\s\u202f][AP]M)?\b/g, "‹time›"],
  // Ages in rows of VS Code, whose parts have no blanks between them.
  [/(?:now|\d+ min)(?= ·)/g, "‹duration›"],
  // Durations and ages: 350 ms, 1.2 s, 2 min, 3h, “now”.
  [/\b\d+(?:\.\d+)?\s?(?:ms|s|sec|min|m|h)\b(?: \d+\s?(?:s|min|m)\b)?/g, "‹duration›"],
  [/(?<=[\s,·])(?:just )?now(?=["\s,]|$)/gm, "‹duration›"],
];

/**
 * The tree without times, durations, IDs and paths.
 *
 * @param folder the workspace folder, which is called `‹folder›`
 */
export function stableTree(tree: string, folder: string): string {
  let text = folder === "" ? tree : tree.replaceAll(folder, "‹folder›");
  for (const [pattern, word] of replacements) text = text.replace(pattern, word);
  return text;
}
