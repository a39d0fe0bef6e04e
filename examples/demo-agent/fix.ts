// "Fix the bug": runs the tests, tries small changes on a copy until the tests pass, and proposes the change that made
// them pass as an edit.
import { applyMutation, mutations, type Mutation } from "./mutations.ts";
import { importsOf, isScript, isTest, outline } from "./outline.ts";
import { findTestCommand, inWords, noTests, runTests, type TestRun } from "./runTests.ts";
import { Trial, type TrialResult } from "./trial.ts";
import { textContent, type Turn } from "./turn.ts";
import { fenced, reasonOf, type TextFile, type Workspace } from "./workspace.ts";

const maxTrials = 240;
const maxTrialTime = 10_000;

/** The tests that must pass, and the sources that they import. */
interface Suspects {
  readonly tests: readonly string[];
  readonly sources: readonly string[];
  readonly named: string | undefined;
}

interface Repair {
  readonly file: TextFile;
  readonly mutation: Mutation;
  readonly newText: string;
}

/** Looks for a bug in the named file, or in all files, and repairs it if a small change is enough. */
export async function fixBug(turn: Turn, workspace: Workspace, named: string | undefined): Promise<void> {
  const suspects = await suspectFiles(turn, workspace, named);
  if (suspects === undefined) return;
  const command = await findTestCommand(workspace);
  if (!command) return turn.say(noTests);
  await turn.think(`I run \`${command.label}\` first to see the failure.`);
  const before = await runTests(turn, command);
  if (before.outcome === "rejected") {
    return turn.say("I cannot find the bug without running the tests, so I stopped. No files were changed.");
  }
  if (before.outcome === "finished" && before.passed) {
    return turn.say(
      `${inWords(before.report, true)} I see nothing to fix${named === undefined ? "" : ` in \`${named}\``}.`,
    );
  }
  if (before.outcome === "finished")
    await turn.say(`${inWords(before.report, false)}\n\nNext, I look for the cause.\n\n`);
  const repair = await findRepair(turn, workspace, suspects);
  if (repair === undefined) return;
  if (!(await propose(turn, workspace, repair))) return;
  const after = await runTests(turn, command, true);
  await turn.say(closing(repair, after, command.label));
}

/** The files to search. If there is nothing to do, reports the reason and returns undefined. */
async function suspectFiles(
  turn: Turn,
  workspace: Workspace,
  named: string | undefined,
): Promise<Suspects | undefined> {
  await turn.think(
    named === undefined ? "The prompt names no file, so I use all tests." : `I look for the tests of ${named}.`,
  );
  if (named !== undefined && !isScript(named)) {
    await turn.say(`I can find bugs only in JavaScript files, and \`${named}\` is not one.`);
    return undefined;
  }
  const graph = await workspace.imports();
  const allTests = [...graph.keys()].filter(isTest);
  const ofNamed = named === undefined ? allTests : isTest(named) ? [named] : await workspace.testsOf(named);
  if (ofNamed.length === 0) {
    const what = named === undefined ? "in this folder" : `that imports \`${named}\``;
    await turn.say(`I found no test ${what}. I need a failing test to find a bug. No files were changed.`);
    return undefined;
  }
  const reached: string[] = [];
  for (const test of ofNamed) for (const file of await workspace.withImports(test)) reached.push(file.path);
  const sources = [...new Set(reached)].filter(path => !isTest(path) && /\.[cm]?js$/.test(path));
  return { tests: ofNamed, sources, named };
}

async function findRepair(turn: Turn, workspace: Workspace, suspects: Suspects): Promise<Repair | undefined> {
  const files = new Map<string, TextFile>();
  for (const test of suspects.tests) for (const file of await workspace.withImports(test)) files.set(file.path, file);
  const tests = suspects.tests.filter(test =>
    importsOf(files.get(test)?.text ?? "").some(name => /^(?:node:)?(?:test|assert)/.test(name)),
  );
  if (tests.length === 0) {
    await turn.say("I can try fixes only with tests for Node's test runner (`node:test`). No files were changed.");
    return undefined;
  }
  if ((await workspace.files()).includes("package.json"))
    files.set("package.json", await workspace.read("package.json"));
  const title = "Try small changes on a copy";
  const tool = await turn.startTool({ title, kind: "execute", rawInput: { tests, sources: suspects.sources } });
  const trial = await Trial.create(workspace.cwd, [...files.values()]);
  try {
    const failing = await failingTests(turn, trial, tests);
    if (failing.length === 0) {
      await turn.changeTool(tool, { status: "completed", content: [textContent("These tests pass on the copy.")] });
      await turn.say(
        "The tests that import this file pass if I run them separately, so I cannot find a bug. No files were changed.",
      );
      return undefined;
    }
    const sources = await likeliestFirst(workspace, suspects, failing);
    return await search(turn, trial, tool, { files, sources, tests, failing });
  } finally {
    await trial.dispose();
  }
}

interface Failing {
  readonly test: string;
  readonly result: TrialResult;
  readonly milliseconds: number;
}

async function failingTests(turn: Turn, trial: Trial, tests: readonly string[]): Promise<readonly Failing[]> {
  const failing: Failing[] = [];
  for (const test of tests) {
    const start = performance.now();
    const result = await trial.run(test, maxTrialTime, turn.signal);
    turn.check();
    if (!result.passed) failing.push({ test, result, milliseconds: performance.now() - start });
  }
  return failing;
}

/** The sources that failing tests import: the named one first, then those that most failing tests import. */
async function likeliestFirst(
  workspace: Workspace,
  { sources, named }: Suspects,
  failing: readonly Failing[],
): Promise<readonly string[]> {
  const scores = new Map<string, number>();
  for (const source of sources) {
    const tests = await workspace.testsOf(source);
    const reaching = failing.filter(one => tests.includes(one.test)).length;
    if (reaching > 0) scores.set(source, source === named ? Infinity : reaching);
  }
  return [...scores].sort((a, b) => b[1] - a[1]).map(([source]) => source);
}

interface Hunt {
  readonly files: ReadonlyMap<string, TextFile>;
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  readonly failing: readonly Failing[];
}

async function search(turn: Turn, trial: Trial, tool: string, hunt: Hunt): Promise<Repair | undefined> {
  const output = hunt.failing.map(one => one.result.output).join("\n");
  // A change can make a loop endless, so the time limit of a trial is a few times the duration of the failing run.
  const timeLimit = Math.min(maxTrialTime, 1000 + 4 * Math.max(...hunt.failing.map(one => one.milliseconds)));
  const order = [...hunt.failing.map(one => one.test), ...hunt.tests];
  const tests = [...new Set(order)];
  let tried = 0;
  for (const source of hunt.sources) {
    const file = hunt.files.get(source);
    if (!file) continue;
    const blamed = outline(source, file.text).definitions.filter(one =>
      new RegExp(`\\b${escape(one.name)}\\b`).test(output),
    );
    await turn.think(
      `The failing tests point to ${source}${blamed.length > 0 ? `, to ${blamed.map(one => one.name).join(", ")}` : ""}.`,
    );
    for (const mutation of mutations(file.text, blamed)) {
      if (tried >= maxTrials) break;
      tried += 1;
      if (tried % 10 === 1) await turn.changeTool(tool, { title: `Try small changes on a copy (${tried} so far)` });
      const newText = applyMutation(file.text, mutation);
      await trial.write(source, newText);
      if (await allPass(turn, trial, tests, timeLimit, hunt.failing)) {
        const content = [
          textContent(`${tried} tried. ${inPlace(source, mutation, "If", "becomes", "goes away")}, the tests pass.`),
        ];
        const title = `Tried ${tried} small ${tried === 1 ? "change" : "changes"} on a copy`;
        await turn.changeTool(tool, { status: "completed", title, content, rawOutput: { tried } });
        return { file, mutation, newText };
      }
    }
    await trial.write(source, file.text);
  }
  const content = [textContent(`${tried} tried; none makes the tests pass.`)];
  await turn.changeTool(tool, { status: "failed", content, rawOutput: { tried } });
  await turn.say(
    `I tried ${tried} small changes in ${hunt.sources.map(path => `\`${path}\``).join(", ")}, and none makes the tests pass. You need to look into this bug yourself. No files were changed.`,
  );
  return undefined;
}

async function allPass(
  turn: Turn,
  trial: Trial,
  tests: readonly string[],
  timeLimit: number,
  failing: readonly Failing[],
): Promise<boolean> {
  for (const test of tests) {
    const result = await trial.run(test, timeLimit, turn.signal);
    turn.check();
    const known = failing.find(one => one.test === test)?.result.report;
    const expected = known === undefined ? undefined : (known.passed ?? 0) + (known.failed ?? 0);
    // A change that prevents tests from running is not a repair.
    if (!result.passed || (expected !== undefined && (result.report.passed ?? expected) < expected)) return false;
  }
  return true;
}

/** Shows the change, requests permission, and writes it. Returns false if the change was not made. */
async function propose(turn: Turn, workspace: Workspace, repair: Repair): Promise<boolean> {
  const { file, mutation, newText } = repair;
  const path = workspace.absolute(file.path);
  await turn.say(
    `Found it: ${mutation.why}. ${inPlace(file.path, mutation, "If", "becomes", "goes away")}, the tests pass.\n\n`,
  );
  const byHand = `${fenced("diff", lineDiff(repair))}\n`;
  if (!workspace.canWrite) {
    await turn.say(`Your editor does not allow agents to write files. Please make this change yourself:\n\n${byHand}`);
    return false;
  }
  const tool = await turn.startTool({
    title: `Edit ${file.path}`,
    kind: "edit",
    status: "pending",
    content: [{ type: "diff", path, oldText: file.text, newText }],
    locations: [{ path, line: mutation.line }],
    rawInput: { path, line: mutation.line, before: mutation.before, after: mutation.after },
  });
  if (!(await turn.mayDo("edit", tool))) {
    await turn.changeTool(tool, { status: "failed" });
    await turn.say(
      `You rejected the change, so I did not edit \`${file.path}\`. This was the proposed change:\n\n${byHand}`,
    );
    return false;
  }
  await turn.changeTool(tool, { status: "in_progress" });
  try {
    if ((await workspace.readNow(file.path)) !== file.text) {
      await turn.changeTool(tool, { status: "failed" });
      await turn.say(
        `\`${file.path}\` has changed since I read it, so I did not edit it. Ask me again to check the new version.`,
      );
      return false;
    }
    await workspace.write(file.path, newText);
  } catch (error) {
    turn.check();
    await turn.changeTool(tool, { status: "failed" });
    await turn.say(`I could not write \`${file.path}\`: ${reasonOf(error)}`);
    return false;
  }
  await turn.changeTool(tool, { status: "completed" });
  return true;
}

function closing(repair: Repair, run: TestRun, label: string): string {
  const { file, mutation } = repair;
  const done = `${inPlace(file.path, mutation, "Done:", "became", "went away")}.`;
  switch (run.outcome) {
    case "finished":
      return run.passed
        ? `${done} ${inWords(run.report, true)}`
        : `${done} Some tests still fail. ${inWords(run.report, false)}`;
    case "noTerminal":
      return `${done} The tests pass on my copy. To check, run \`${label}\`.`;
    case "failedToStart":
    case "rejected":
      return `${done} I could not run \`${label}\` again, but the tests pass on my copy.`;
    default:
      return run satisfies never;
  }
}

/** "If `1` becomes `0` in `src/sum.js`, line 6". */
function inPlace(
  path: string,
  { before, after, line }: Mutation,
  start: string,
  becomes: string,
  goes: string,
): string {
  const what = after === "" ? `\`${before}\` ${goes}` : `\`${before}\` ${becomes} \`${after}\``;
  return `${start} ${what} in \`${path}\`, line ${line}`;
}

function lineDiff({ file, mutation, newText }: Repair): string {
  const old = file.text.split("\n")[mutation.line - 1] ?? "";
  const changed = newText.split("\n")[mutation.line - 1] ?? "";
  return `-${old}\n+${changed}`;
}

function escape(text: string): string {
  return text.replace(/[$.*+?^{}()|[\]\\]/g, "\\$&");
}
