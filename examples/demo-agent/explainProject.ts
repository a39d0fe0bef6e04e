// "Explain this project": reads its README and its sources, and describes what each file is for.
import { isTest, outline } from "./outline.ts";
import type { Turn } from "./turn.ts";
import { lineCount, type TextFile, type Workspace } from "./workspace.ts";

const mostRead = 12;

/** Whether the words are about the whole project instead of one of its files. */
export const isAboutProject = (words: string): boolean =>
  /\b(?:project|folder|repo(?:sitory)?|code ?base|workspace)\b/i.test(words);

/** Explains the project. */
export async function explainProject(turn: Turn, workspace: Workspace): Promise<void> {
  await turn.think("The question is about the whole project. I read its README first, then its source files.");
  const files = await workspace.files();
  const readme = files.find(file => /^readme\.(?:md|txt)$/i.test(file));
  const intro = readme === undefined ? undefined : introduction((await workspace.read(readme)).text);
  const sources = await workspace.sources();
  const read: TextFile[] = [];
  for (const path of sources.slice(0, mostRead)) read.push(await workspace.read(path));
  const tests = files.filter(isTest);
  const parts = [
    `## ${intro?.title ?? "This project"}`,
    ...(intro?.text === undefined ? [] : [intro.text]),
    `${counted(files.length, "file")}, among them ${counted(sources.length, "source file")} and ${counted(tests.length, "test file")}.`,
  ];
  if (read.length > 0) parts.push(`### Source files\n\n${read.map(sourceLine).join("\n")}`);
  if (sources.length > read.length) parts.push(`…and ${counted(sources.length - read.length, "more source file")}.`);
  if (tests.length > 0) parts.push(`### Tests\n\n${tests.slice(0, mostRead).map(link).join("\n")}`);
  await turn.say(`${parts.join("\n\n")}\n`);
}

/** The first heading and the first paragraph of a Markdown text. */
function introduction(text: string): { readonly title?: string; readonly text?: string } {
  const blocks = text.split(/\n\s*\n/).map(block => block.trim());
  const title = blocks.map(block => /^# +(.+)$/m.exec(block)?.[1]).find(found => found !== undefined);
  const paragraph = blocks.find(block => /^\p{L}/u.test(block));
  return { ...(title !== undefined && { title }), ...(paragraph !== undefined && { text: paragraph }) };
}

function sourceLine(file: TextFile): string {
  const { about, definitions } = outline(file.path, file.text);
  const names = definitions.slice(0, 5).map(one => `\`${one.name}\``);
  const more = definitions.length > names.length ? " and more" : "";
  const defines = names.length > 0 ? ` Defines ${names.join(", ")}${more}.` : "";
  return `${link(file.path)} (${counted(lineCount(file.text), "line")})${about === undefined ? "" : `: ${about}`}${defines}`;
}

const link = (path: string): string => `- [${path}](${encodeURI(path)})`;

const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
