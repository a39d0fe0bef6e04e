// "Run the tests": finds the command, requests permission, and runs it in a terminal of the client that the user can
// watch.
import { importsOf, isTest } from "./outline.ts";
import { readReport, testCommand, type TestCommand, type TestReport } from "./testCommand.ts";
import { textContent, type Turn } from "./turn.ts";
import type { Workspace } from "./workspace.ts";

/** How a run ended. */
export type TestRun =
  | { readonly outcome: "finished"; readonly passed: boolean; readonly report: TestReport }
  | { readonly outcome: "rejected" }
  | { readonly outcome: "noTerminal" }
  | { readonly outcome: "failedToStart" };

const outputLimit = 200_000;

/** Runs the tests of the project and reports the result. */
export async function answerRunTests(turn: Turn, workspace: Workspace): Promise<void> {
  await turn.think("I look for the test command of this project.");
  const command = await findTestCommand(workspace);
  if (!command) {
    await turn.say(noTests);
    return;
  }
  const run = await runTests(turn, command);
  switch (run.outcome) {
    case "rejected":
      return turn.say(`I did not run \`${command.label}\`.`);
    case "noTerminal":
      return turn.say(
        `Your editor does not offer terminals to agents. To run the tests yourself: \`${command.label}\`.`,
      );
    case "failedToStart":
      return turn.say(`The command \`${command.label}\` could not be started. Its card shows the reason.`);
    case "finished":
      return turn.say(
        inWords(run.report, run.passed) +
          (run.passed ? "" : "\n\nTo let me look for the cause, enter **fix the bug**."),
      );
    default:
      run satisfies never;
  }
}

/** The answer if a project has no tests that can run. */
export const noTests =
  "I found no tests: there is no `test` script in `package.json` and no file that uses `node:test`.";

/** The command that runs the tests of the project. */
export async function findTestCommand(workspace: Workspace): Promise<TestCommand | undefined> {
  const files = await workspace.files();
  const manifest = files.includes("package.json") ? (await workspace.read("package.json")).text : undefined;
  const known = testCommand(manifest, files, false);
  if (known) return known;
  for (const test of files.filter(isTest)) {
    if (importsOf(await workspace.readNow(test)).includes("node:test")) return testCommand(manifest, files, true);
  }
  return undefined;
}

/** Runs a command as a tool call: requests permission, shows the terminal, and releases it afterwards. */
export async function runTests(turn: Turn, command: TestCommand, allowed = false): Promise<TestRun> {
  const { cwd } = turn.session;
  const words = [command.command, ...command.args];
  // As a line only if every shell reads it as these words.
  const isLine = words.every(word => /^[\w@%+=:,./-]+$/.test(word));
  const rawInput = { command: isLine ? words.join(" ") : words, cwd };
  const title = `Run \`${command.label}\``;
  const tool = await turn.startTool({ title, kind: "execute", status: "pending", rawInput });
  if (!allowed && !(await turn.mayDo("execute", tool))) {
    await turn.changeTool(tool, { status: "failed", content: [textContent("Rejected: the command was not run.")] });
    return { outcome: "rejected" };
  }
  if (turn.capabilities.terminal !== true) {
    await turn.changeTool(tool, {
      status: "failed",
      content: [textContent("This editor does not offer terminals to agents.")],
    });
    return { outcome: "noTerminal" };
  }
  return runInTerminal(turn, command, tool);
}

/** A report as a sentence and a list. */
export function inWords(report: TestReport, passed: boolean): string {
  const { failures, failed } = report;
  if (passed) return report.passed === undefined ? "The tests pass." : `All ${report.passed} tests pass. ✓`;
  const total = (report.passed ?? 0) + (failed ?? 0);
  const start = failed === undefined ? "The tests fail" : `**${failed} of ${total} tests fail**`;
  if (failures.length === 0) return `${start}.`;
  return `${start}:\n\n${failures.map(name => `- ${name}`).join("\n")}`;
}

async function runInTerminal(turn: Turn, command: TestCommand, tool: string): Promise<TestRun> {
  const { client, session } = turn;
  turn.check();
  let terminal;
  try {
    // This request is not abandoned on cancel, because the terminal would be created anyway and never released.
    terminal = await client.createTerminal({
      sessionId: session.id,
      command: command.command,
      args: [...command.args],
      env: Object.entries(command.env).map(([name, value]) => ({ name, value })),
      cwd: session.cwd,
      outputByteLimit: outputLimit,
    });
  } catch (error) {
    turn.check();
    const reason = error instanceof Error ? error.message : String(error);
    await turn.changeTool(tool, { status: "failed", content: [textContent(reason)] });
    return { outcome: "failedToStart" };
  }
  const { id: terminalId } = terminal;
  try {
    await turn.changeTool(tool, { status: "in_progress", content: [{ type: "terminal", terminalId }] });
    const exit = await turn.request("terminal/wait_for_exit", { sessionId: session.id, terminalId });
    const { output } = await turn.request("terminal/output", { sessionId: session.id, terminalId });
    const passed = exit.exitCode === 0;
    const report = readReport(output);
    const rawOutput = { exitCode: exit.exitCode ?? null, signal: exit.signal ?? null, ...report };
    await turn.changeTool(tool, { status: passed ? "completed" : "failed", rawOutput });
    await turn.count(output);
    return { outcome: "finished", passed, report };
  } finally {
    // Releasing the terminal kills a running command, also on cancel.
    await terminal.release();
  }
}
