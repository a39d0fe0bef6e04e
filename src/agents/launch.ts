// Starts an agent process and watches it: environment, end of stderr, exit, and killing the whole tree.
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { withTimeout } from "../base/async.ts";
import { ProblemError, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { maskKnownSecrets } from "../base/secrets/knownSecrets.ts";
import { withoutEscapeSequences } from "../base/lastLines.ts";
import { maskText } from "../base/mask.ts";
import { killAtExit, killTree } from "../base/processTree.ts";
import type { LocatedAgent } from "./locateAgent.ts";
import type { AgentDefinition } from "./registry.ts";

/** A running agent process. `stop` resolves when no process of its tree is left. */
export interface AgentProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process has exited and its output was read. Never rejects. */
  readonly whenExited: Promise<ProcessExit>;
  /** The end of what it wrote to stderr. */
  stderrTail(): string;
  stop(): Promise<void>;
}

/** How the process ended. `wasStopped`: because `stop` was called. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly wasStopped: boolean;
  readonly stderr: string;
}

const maxStderrCharacters = 4000;
/** After exit, how long to wait for output that descendants keep open (ms). */
const drainTime = 500;
/** How long an agent may take to exit when its input ends (ms). */
const graceTime = 1000;

/**
 * Starts the agent in the folder `cwd`. `located` is its program. Rejects with a ProblemError if it cannot be started.
 * `onStderr` gets each line of stderr.
 */
export async function launch(
  definition: AgentDefinition,
  cwd: string,
  onStderr: (line: string) => void,
  { env, path, file, args, verbatim }: LocatedAgent,
): Promise<AgentProcess> {
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    // Its own process group, so that the whole tree can be killed.
    detached: process.platform !== "win32",
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
  await waitForSpawn(child, definition, path);
  return new ChildAgentProcess(child, onStderr);
}

function waitForSpawn(child: ChildProcess, definition: AgentDefinition, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(new ProblemError(startProblem(definition, path, error))),
    );
  });
}

/** Without colors and likely secrets. The end of a color can look like the beginning of a word. */
const printedText = (words: string): string => maskText(withoutEscapeSequences(words));

class ChildAgentProcess implements AgentProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly whenExited: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  #tail = "";
  #wasStopped = false;

  constructor(child: ChildProcess, onStderr: (line: string) => void) {
    const { pid, stdin, stdout, stderr } = child;
    if (pid === undefined || !stdin || !stdout || !stderr) throw new Error("The agent process has no pipes.");
    this.#child = child;
    this.pid = pid;
    this.stdin = stdin;
    this.stdout = stdout;
    child.on("error", error => onStderr(error.message));
    // Always read: a full pipe would block the agent.
    const decoder = new StringDecoder("utf8");
    let partial = "";
    stderr.on("data", (chunk: Buffer) => {
      const words = decoder.write(chunk);
      // Masked before it is cut, because a part of a secret is not recognized.
      this.#tail = printedText(this.#tail + words).slice(-maxStderrCharacters);
      const lines = (partial + words).split("\n");
      partial = maskKnownSecrets(lines.pop() ?? "").slice(-maxStderrCharacters);
      for (const line of lines) if (line.trim() !== "") onStderr(printedText(line).trimEnd());
    });
    stderr.on("end", () => {
      if (partial.trim() !== "") onStderr(printedText(partial).trimEnd());
    });
    this.whenExited = this.#watch();
    const atExit = killAtExit(pid);
    void this.whenExited.then(() => atExit.dispose());
  }

  stderrTail(): string {
    return this.#tail.trim();
  }

  #watch(): Promise<ProcessExit> {
    return new Promise(resolve => {
      const settle = (): void =>
        resolve({
          code: this.#child.exitCode,
          signal: this.#child.signalCode,
          wasStopped: this.#wasStopped,
          stderr: this.stderrTail(),
        });
      this.#child.once("close", settle);
      this.#child.once("exit", () => setTimeout(settle, drainTime).unref());
    });
  }

  async stop(): Promise<void> {
    this.#wasStopped = true;
    this.stdin.end();
    await withTimeout(this.whenExited, graceTime, () => undefined);
    const hasExited = this.#child.exitCode !== null || this.#child.signalCode !== null;
    // Also after the agent has exited by itself, because descendants may still run. Not on Windows, which finds them
    // only through a running parent and may have reused its process id.
    if (process.platform !== "win32" || !hasExited) await killTree(this.pid);
    this.stdout.destroy();
    this.#child.stderr?.destroy();
    await this.whenExited;
  }
}

function startProblem(definition: AgentDefinition, path: string, error: NodeJS.ErrnoException): Problem {
  const { name } = definition;
  return {
    message:
      error.code === "ENOENT"
        ? t(
            "Could not start {0}: `{1}` could not be run. The program, the interpreter it names or its working folder does not exist. Check parley.agents → command and cwd.",
            name,
            path,
          )
        : t("Could not start {0}: `{1}` could not be run. Check parley.agents → command and cwd.", name, path),
    detail: error.message,
    next: ["openSettings", "selectAgent", "retry"],
  };
}

/** The problem for an agent that ended by itself, with its exit code and the end of its stderr. */
export function exitProblem(definition: AgentDefinition, death: ProcessExit, ready: boolean): Problem {
  return {
    message: `${exitText(definition.name, death, ready)} ${
      ready ? t("Restart it to continue. The conversation is kept.") : t("Check that its command starts an ACP agent.")
    }`,
    ...(death.stderr !== "" && { detail: lastLines(death.stderr, 20) }),
    next: ready
      ? ["restartAgent", "showLog", "showTraffic"]
      : ["restartAgent", "openSettings", "selectAgent", "showLog"],
  };
}

function exitText(name: string, { signal, code }: ProcessExit, ready: boolean): string {
  if (signal) {
    return ready
      ? t("{0} was ended by {1}.", name, signal)
      : t("{0} was ended by {1} before it was ready.", name, signal);
  }
  const shown = code ?? t("unknown");
  return ready
    ? t("{0} ended with code {1}.", name, shown)
    : t("{0} ended with code {1} before it was ready.", name, shown);
}

/** The problem for an agent that closed its output but still runs. It can send no more messages. */
export function closedOutputProblem(definition: AgentDefinition): Problem {
  return {
    message: t(
      "{0} closed its output, so Parley can no longer receive messages from it. Restart it to continue. The conversation is kept.",
      definition.name,
    ),
    next: ["restartAgent", "showLog", "showTraffic"],
  };
}

const lastLines = (words: string, count: number): string => words.split("\n").slice(-count).join("\n");

/** The command line as users would type it, or the address of the server, for messages. */
export function agentCommandLine(definition: AgentDefinition): string {
  if (definition.remote) return definition.remote.url;
  return [definition.command, ...(definition.argsInSettings ?? definition.args)]
    .map(word => (/[\s"'$]/.test(word) ? `"${word.replace(/"/g, '\\"')}"` : word))
    .join(" ");
}
