// "Explain this file": reads the file and describes its content in Markdown.
import { extensionOf, isScript, outline, type Definition, type Outline } from "./outline.ts";
import type { Turn } from "./turn.ts";
import { fenced, lineCount, type TextFile, type Workspace } from "./workspace.ts";

const longestExcerpt = 30;

/** Explains one file. `given` is its text if the prompt contains it. */
export async function explainFile(turn: Turn, workspace: Workspace, path: string, given?: string): Promise<void> {
  await turn.think(
    `The question is about ${workspace.shown(path)}. I read the file first, then look for its definitions.`,
  );
  const file = given === undefined ? await workspace.read(path) : { path: workspace.shown(path), text: given };
  const found = outline(file.path, file.text);
  await turn.say(heading(file, found));
  const users = found.definitions.length > 0 && isScript(file.path) ? await usersOf(workspace, file.path) : [];
  await turn.say(body(file, found, users));
}

/** The source file to read first: the one that most other files import, then the one with the most definitions. */
export async function plausibleFile(workspace: Workspace): Promise<string | undefined> {
  const sources = await workspace.sources();
  const ranked = sources
    .map(path => ({ path, rank: (/^(src|lib|app)\//.test(path) ? 0 : 1) * 10 + path.split("/").length }))
    .sort((a, b) => a.rank - b.rank);
  const first = ranked[0]?.path;
  if (first !== undefined) return first;
  const files = await workspace.files();
  return files.find(file => extensionOf(file) === "md") ?? files[0];
}

function heading(file: TextFile, found: Outline): string {
  const about = found.about === undefined ? "" : `\n\n> ${found.about}`;
  return `## ${file.path}${about}\n\n`;
}

function body(file: TextFile, found: Outline, users: readonly string[]): string {
  const parts = [summary(file, found)];
  const { definitions } = found;
  if (definitions.length > 0)
    parts.push(`### ${listTitle(definitions)}\n\n${definitions.map(d => item(file, d)).join("\n")}`);
  if (found.imports.length > 0) parts.push(`### Imports\n\n${found.imports.map(name => `- \`${name}\``).join("\n")}`);
  if (users.length > 0) parts.push(`### Imported by\n\n${users.map(path => `- \`${path}\``).join("\n")}`);
  parts.push(excerpt(file, found));
  return `${parts.join("\n\n")}\n`;
}

function summary(file: TextFile, found: Outline): string {
  const { definitions } = found;
  const exported = definitions.filter(one => one.exported).length;
  const what = definitions.length === 0 ? "no definitions that I can find" : counts(definitions);
  const shared = definitions.length === 0 || found.fence === "md" ? "" : `, ${exported} of them exported`;
  return `${lineCount(file.text)} lines of ${found.language}, with ${what}${shared}.`;
}

function counts(definitions: readonly Definition[]): string {
  const plural = { function: "functions", class: "classes", section: "sections" } as const;
  return (["function", "class", "section"] as const)
    .map(kind => ({ kind, number: definitions.filter(one => one.kind === kind).length }))
    .filter(({ number }) => number > 0)
    .map(({ kind, number }) => `${number} ${number === 1 ? kind : plural[kind]}`)
    .join(" and ");
}

function listTitle(definitions: readonly Definition[]): string {
  if (definitions.every(one => one.kind === "section")) return "Sections";
  return definitions.some(one => one.kind === "class") ? "Definitions" : "Functions";
}

function item(file: TextFile, definition: Definition): string {
  const place = `[line ${definition.line}](${encodeURI(file.path)}#L${definition.line})`;
  const doc = definition.doc === undefined ? "" : `: ${definition.doc}`;
  return `- \`${definition.signature}\` (${place})${doc}`;
}

function excerpt(file: TextFile, found: Outline): string {
  const shown = found.definitions.find(one => one.exported && one.kind !== "section") ?? found.definitions[0];
  const lines = file.text.split("\n");
  if (!shown || shown.kind === "section") {
    const start = lines.slice(0, Math.min(longestExcerpt, lines.length)).join("\n");
    return `### Beginning of the file\n\n${fenced(found.fence, start)}`;
  }
  const end = Math.min(shown.endLine, shown.line + longestExcerpt - 1);
  const cut = end < shown.endLine ? `\n\n…and ${shown.endLine - end} more lines.` : "";
  return `### A closer look at \`${shown.name}\`\n\n${fenced(found.fence, lines.slice(shown.line - 1, end).join("\n"))}${cut}`;
}

async function usersOf(workspace: Workspace, path: string): Promise<readonly string[]> {
  const graph = await workspace.imports();
  return [...graph].filter(([, names]) => names.includes(path)).map(([user]) => user);
}
