// Finds the test command of a project and parses its output. Pure, except that it reads PATH.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** A command that runs the tests. `label` is the command as a user would type it. */
export interface TestCommand {
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The parsed output of a test run. Counts are absent if the output has none in a known format. */
export interface TestReport {
  readonly passed: number | undefined;
  readonly failed: number | undefined;
  readonly failures: readonly string[];
}

/**
 * The test command of a project, or undefined. A script that only calls `node` runs without a package manager. If there
 * is no `node`, the program of this process runs it, because an editor contains one.
 */
export function testCommand(
  packageJson: string | undefined,
  files: readonly string[],
  hasNodeTests: boolean,
): TestCommand | undefined {
  const script = testScript(packageJson);
  if (script !== undefined && /^node\s[\w\s./=:@,-]*$/.test(script)) {
    return nodeCommand(script, script.split(/\s+/).slice(1));
  }
  if (script !== undefined && script !== "") {
    const manager = managerOf(files);
    if (process.platform !== "win32") return { label: `${manager} test`, command: manager, args: ["test"], env: {} };
    const args = ["/d", "/s", "/c", `${manager} test`];
    return { label: `${manager} test`, command: "cmd.exe", args, env: {} };
  }
  return hasNodeTests ? nodeCommand("node --test", ["--test"]) : undefined;
}

/** Reads the counts and the names of failed tests from Node's reports (TAP or spec). */
export function readReport(output: string): TestReport {
  const text = output.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "");
  const count = (word: string): number | undefined => {
    const found = new RegExp(`^(?:#|ℹ) ${word} (\\d+)\\s*$`, "m").exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const names = [...text.matchAll(/^\s*(?:not ok \d+ - (.+?)|✖ (.+?) \([\d.]+ms\))\s*(?:#.*)?$/gm)]
    .map(match => (match[1] ?? match[2] ?? "").trim())
    .filter(name => !/\.[cm]?[jt]s$/.test(name));
  return { passed: count("pass"), failed: count("fail"), failures: [...new Set(names)] };
}

/** The environment in which this program is a plain Node, even inside an editor. */
export function nodeEnvironment(): Record<string, string | undefined> {
  const environment: Record<string, string | undefined> = { ...process.env, ELECTRON_RUN_AS_NODE: "1" };
  // A test runner around this process sets this variable. It would change the report of the tests.
  delete environment["NODE_TEST_CONTEXT"];
  return environment;
}

function nodeCommand(label: string, args: readonly string[]): TestCommand {
  if (onPath(process.platform === "win32" ? "node.exe" : "node")) return { label, command: "node", args, env: {} };
  return { label, command: process.execPath, args, env: { ELECTRON_RUN_AS_NODE: "1" } };
}

function testScript(packageJson: string | undefined): string | undefined {
  if (packageJson === undefined) return undefined;
  try {
    const { scripts } = JSON.parse(packageJson) as { readonly scripts?: { readonly test?: unknown } };
    return typeof scripts?.test === "string" ? scripts.test.trim() : undefined;
  } catch {
    // An invalid manifest names no command. The caller reports that there is none.
    return undefined;
  }
}

function managerOf(files: readonly string[]): string {
  if (files.includes("pnpm-lock.yaml")) return "pnpm";
  return files.includes("yarn.lock") ? "yarn" : "npm";
}

function onPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}
