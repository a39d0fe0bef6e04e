// Tries changes without touching the user's files: copies a few files to a temporary folder, and runs tests there in a
// plain Node process.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodeEnvironment, readReport, type TestReport } from "./testCommand.ts";
import type { TextFile } from "./workspace.ts";

/** The result of a test file on the copy. */
export interface TrialResult {
  readonly passed: boolean;
  readonly report: TestReport;
  readonly output: string;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();

/** Ends every trial and removes every copy, synchronously, for the end of the process. */
export function endTrials(): void {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** A copy of some workspace files. */
export class Trial {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Copies the given files. Installed packages are linked, not copied. */
  static async create(cwd: string, files: readonly TextFile[]): Promise<Trial> {
    const folder = await mkdtemp(join(tmpdir(), "parley-demo-"));
    folders.add(folder);
    const trial = new Trial(folder);
    for (const file of files) await trial.write(file.path, file.text);
    const packages = join(cwd, "node_modules");
    if (existsSync(packages)) await symlink(packages, join(folder, "node_modules"), "junction");
    return trial;
  }

  /** Writes one file of the copy. */
  async write(path: string, text: string): Promise<void> {
    const target = join(this.#folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }

  /** Runs one test file. A run that exceeds the time limit fails. */
  async run(test: string, milliseconds: number, signal: AbortSignal): Promise<TrialResult> {
    const { output, code } = await runNode(this.#folder, test, milliseconds, signal);
    return { passed: code === 0, report: readReport(output), output };
  }

  /** Removes the copy. */
  async dispose(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    folders.delete(this.#folder);
  }
}

async function runNode(
  cwd: string,
  script: string,
  milliseconds: number,
  signal: AbortSignal,
): Promise<{ readonly output: string; readonly code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], {
      cwd,
      env: nodeEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    running.add(child);
    let output = "";
    const collect = (chunk: Buffer): void => {
      if (output.length < 200_000) output += chunk.toString("utf8");
    };
    const stop = (): void => void child.kill("SIGKILL");
    const timer = setTimeout(stop, milliseconds);
    const settle = (): void => {
      running.delete(child);
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", error => {
      settle();
      reject(error);
    });
    child.on("close", code => {
      settle();
      resolve({ output, code });
    });
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
  });
}
