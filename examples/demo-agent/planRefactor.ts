// "Plan a refactor": reads the sources, updates a plan while it works, and ends with proposals based on the sources.
import type { PlanEntry } from "@agentclientprotocol/sdk";
import { isScript, isTest, outline, type Definition } from "./outline.ts";
import type { Turn } from "./turn.ts";
import { lineCount, type TextFile, type Workspace } from "./workspace.ts";

const mostRead = 12;
const longFunction = 25;
const repeatedLines = 3;

/** A function and its file. */
interface Place {
  readonly file: TextFile;
  readonly definition: Definition;
}

/** Reads all sources, or the named ones, and proposes improvements. Changes no files. */
export async function planRefactor(turn: Turn, workspace: Workspace, named: readonly string[]): Promise<void> {
  const steps = new Steps(turn, [
    "Find the source files",
    "Read them",
    "Look for repeated and long code",
    "Compare with the tests",
    "Write the proposal",
  ]);
  await steps.begin(0);
  await turn.think("I read the sources first, then look for repeated code, then compare with the tests.");
  const paths = (named.length > 0 ? named : await workspace.sources()).slice(0, mostRead);
  if (paths.length === 0) {
    await steps.finish();
    return turn.say("I found no source files in this folder.");
  }
  await steps.begin(1);
  const files: TextFile[] = [];
  for (const path of paths) files.push(await workspace.read(path));
  await steps.begin(2);
  const places = files.flatMap(file =>
    outline(file.path, file.text)
      .definitions.filter(one => one.kind !== "section")
      .map(definition => ({ file, definition })),
  );
  const repeated = repetitions(files);
  await turn.think(
    `${places.length} definitions in ${files.length} files; ${repeated.length === 1 ? "1 section" : `${repeated.length} sections`} of repeated code.`,
  );
  await turn.pause(300);
  await steps.begin(3);
  const untested = await untestedOf(workspace, places);
  await steps.begin(4);
  await turn.say(proposal(files, places, repeated, untested));
  await steps.finish();
}

/** A plan whose entries are completed one after the other. */
class Steps {
  readonly #turn: Turn;
  readonly #names: readonly string[];

  constructor(turn: Turn, names: readonly string[]) {
    this.#turn = turn;
    this.#names = names;
  }

  async begin(current: number): Promise<void> {
    await this.#show(current);
    await this.#turn.pause(250);
  }

  async finish(): Promise<void> {
    await this.#show(this.#names.length);
  }

  async #show(current: number): Promise<void> {
    const entries = this.#names.map((content, index): PlanEntry => {
      const status = index < current ? "completed" : index === current ? "in_progress" : "pending";
      return { content, priority: index === this.#names.length - 1 ? "high" : "medium", status };
    });
    await this.#turn.plan(entries);
  }
}

/** Equal lines in two locations. */
interface Repetition {
  readonly lines: readonly string[];
  readonly places: readonly { readonly path: string; readonly line: number }[];
}

function repetitions(files: readonly TextFile[]): readonly Repetition[] {
  const seen = new Map<string, { path: string; line: number }[]>();
  for (const { path, text } of files) {
    const lines = text.split("\n").map(line => line.trim());
    for (let at = 0; at + repeatedLines <= lines.length; at += 1) {
      const stretch = lines.slice(at, at + repeatedLines);
      if (stretch.some(line => line === "" || line.startsWith("import ") || line.startsWith("//"))) continue;
      if (stretch.join("").length < 30) continue;
      const key = stretch.join("\n");
      seen.set(key, [...(seen.get(key) ?? []), { path, line: at + 1 }]);
    }
  }
  const found: Repetition[] = [];
  for (const [key, places] of seen) {
    if (places.length < 2) continue;
    // A longer repetition is found once per line. Keep its first section.
    const continues = found.some(one =>
      one.places.every((place, i) => {
        const here = places[i];
        return here?.path === place.path && here.line > place.line && here.line < place.line + 2 * repeatedLines;
      }),
    );
    if (!continues) found.push({ lines: key.split("\n"), places });
  }
  return found.slice(0, 5);
}

async function untestedOf(workspace: Workspace, places: readonly Place[]): Promise<readonly Place[]> {
  const tests = (await workspace.files()).filter(isTest).slice(0, mostRead);
  const texts: string[] = [];
  for (const test of tests) texts.push((await workspace.read(test)).text);
  const mentioned = new Set(texts.flatMap(text => text.match(/[\w$]+/g) ?? []));
  return places.filter(
    ({ file, definition }) => isScript(file.path) && definition.exported && !mentioned.has(definition.name),
  );
}

function proposal(
  files: readonly TextFile[],
  places: readonly Place[],
  repeated: readonly Repetition[],
  untested: readonly Place[],
): string {
  const long = places.filter(({ definition }) => definition.endLine - definition.line + 1 > longFunction);
  const silent = places.filter(({ definition }) => definition.exported && definition.doc === undefined);
  const rows = files.map(({ path, text }) => {
    const own = places.filter(one => one.file.path === path).length;
    return `| \`${path}\` | ${lineCount(text)} | ${own} |`;
  });
  const proposals = [
    ...repeated.map(
      one =>
        `**Remove the duplication.** ${one.places.map(p => `\`${p.path}:${p.line}\``).join(" and ")} contain the same lines, starting with \`${one.lines[0] ?? ""}\`. Move them into one function that both import.`,
    ),
    ...long.map(
      one =>
        `**Split \`${one.definition.name}\`** (${at(one)}): it is ${one.definition.endLine - one.definition.line + 1} lines long.`,
    ),
    ...(untested.length > 0 ? [`**Add tests for code that is not tested**: ${untested.map(name).join(", ")}.`] : []),
    ...(silent.length > 0
      ? [`**Add comments**: ${silent.map(name).join(", ")} ${silent.length === 1 ? "has" : "have"} no comment.`]
      : []),
  ];
  const body =
    proposals.length === 0
      ? "I have no proposals: there is no repeated code and no long function, and the tests name every function."
      : proposals.map((text, index) => `${index + 1}. ${text}`).join("\n");
  return `## Refactoring plan\n\n| File | Lines | Definitions |\n| --- | ---: | ---: |\n${rows.join("\n")}\n\n### Proposed steps, in this order\n\n${body}\n\nNo files were changed. Run the tests before and after each step.\n`;
}

function at({ file, definition }: Place): string {
  return `\`${file.path}:${definition.line}\``;
}

function name(place: Place): string {
  return `\`${place.definition.name}\` (${at(place)})`;
}
