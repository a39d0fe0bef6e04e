// The terminals of a session: processes that an agent starts, reads, waits for, kills and releases.
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { untilAborted } from "../base/async.ts";
import { commandLineText } from "../base/commandLineText.ts";
import { Refusal } from "../base/errors.ts";
import type { Disposable } from "../base/lifecycle.ts";
import { systemClock, type Clock } from "../base/log.ts";
import type { AgentClient, TerminalRequest } from "../session/agent.ts";
import type { ExitStatus, SessionEvent } from "../session/events.ts";
import { killTimes } from "../base/processTree.ts";
import { rootsOnly, type Gate } from "../files/gate.ts";
import { type Confinement } from "../files/paths.ts";
import { quotePath } from "../base/text.ts";
import { hostPlatform } from "../base/platform.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import { planLaunch, commandShell } from "./launchPlan.ts";
import { OutputReporter } from "./outputReporter.ts";
import {
  programFinder,
  unattendedEnvironment,
  withTerminalVariables,
  type TerminalVariables,
} from "./unattendedEnvironment.ts";
import { TerminalProcess, type ProcessTimes } from "./terminalProcess.ts";

export interface SessionTerminalsOptions {
  readonly confinement: Confinement;
  /** Absent: folders outside the roots are refused. */
  readonly access?: Gate;
  /** The workspace folder, for requests that name none. */
  readonly workspaceFolder: string;
  readonly environment: WindowEnvironment;
  /** The user's changes to the environment of terminals. A command that starts now gets them. */
  readonly changes?: () => TerminalVariables;
  /** The user's shell, for whole command lines. */
  readonly shell?: string;
  /** Receives `terminal` and `terminalOutput`, for display. */
  readonly report: (event: SessionEvent) => void;
  readonly clock?: Clock;
  readonly times?: Partial<ProcessTimes>;
  /** The maximum number of processes that run at once. */
  readonly maxRunning?: number;
}

/** The maximum number of terminals that ended but were not released, plus those that run. Their output uses memory. */
const maxKept = 512;
const defaultMaxRunning = 64;
const defaultOutputBytes = 1024 * 1024;
const maxOutputBytes = 16 * 1024 * 1024;
const defaultTimes: ProcessTimes = { ...killTimes, quiet: 250, drain: 2000 };

interface Terminal {
  readonly process: TerminalProcess;
  readonly reporter: OutputReporter;
}

type TerminalClient = Pick<
  AgentClient,
  "createTerminal" | "terminalOutput" | "waitForTerminalExit" | "killTerminal" | "releaseTerminal"
>;

/** One per session: ids are random and have no meaning elsewhere. All terminals end with the session. */
export class SessionTerminals implements Disposable, TerminalClient {
  readonly #options: SessionTerminalsOptions;
  readonly #clock: Clock;
  readonly #times: ProcessTimes;
  readonly #terminals = new Map<string, Terminal>();
  readonly #ending = new Set<Promise<void>>();
  readonly #closed = new AbortController();
  readonly #starting = new Set<Promise<string>>();

  constructor(options: SessionTerminalsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#times = { ...defaultTimes, ...options.times };
  }

  /** Starts a process and resolves with the terminal's id, without waiting for its end. */
  async createTerminal(request: TerminalRequest, signal?: AbortSignal): Promise<string> {
    this.#checkLimits();
    const starting = this.#start(request, signal);
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  /** Whether the terminal is one of these. */
  has(terminalId: string): boolean {
    return this.#terminals.has(terminalId);
  }

  async terminalOutput(terminalId: string): Promise<TerminalOutput> {
    const { process } = this.#find(terminalId);
    return { ...process.output, ...(process.exit && { exit: process.exit }) };
  }

  async waitForTerminalExit(terminalId: string, signal: AbortSignal): Promise<ExitStatus> {
    const { process } = this.#find(terminalId);
    return untilAborted(process.finished, [signal, this.#closed.signal], () => {
      throw new Refusal("cancelled", "Waiting for the command was cancelled.");
    });
  }

  async killTerminal(terminalId: string): Promise<void> {
    await this.#find(terminalId).process.kill();
  }

  async releaseTerminal(terminalId: string): Promise<void> {
    const terminal = this.#find(terminalId);
    this.#terminals.delete(terminalId);
    await this.#end(terminal);
  }

  /** Ends every process and forgets the ids, because the agent that knows them is gone. */
  endAll(): void {
    for (const terminal of this.#terminals.values()) void this.#end(terminal);
    this.#terminals.clear();
  }

  /** Ends everything. Waiting requests are refused at once. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#closed.abort();
    for (const terminal of this.#terminals.values()) void this.#end(terminal);
    this.#terminals.clear();
    await Promise.allSettled(this.#starting);
    await Promise.all(this.#ending);
  }

  dispose(): void {
    void this.close();
  }

  async #start(request: TerminalRequest, signal?: AbortSignal): Promise<string> {
    const limit = byteLimit(request.outputByteLimit);
    const cwd = await this.#admitFolder(request, signal);
    const { environment, changes } = this.#options;
    const env = await environment.of(shared =>
      unattendedEnvironment(withTerminalVariables(shared, changes?.() ?? {}), request.env ?? [], hostPlatform),
    );
    const find = programFinder(env, cwd, hostPlatform);
    const launch = planLaunch(request, commandShell(this.#options.shell, find, hostPlatform), find, hostPlatform);
    this.#checkOpen();
    const id = `terminal_${randomUUID()}`;
    const reporter = new OutputReporter(id, event => this.#report(event), this.#clock);
    // The environment variable of the folder has to match the folder.
    const folderEnv = hostPlatform === "posix" ? { ...env, PWD: cwd } : env;
    const start = { launch, cwd, env: folderEnv, limit, onOutput: (bytes: Uint8Array) => reporter.push(bytes) };
    const process = startProcess(start, this.#clock, this.#times);
    await process.started;
    if (this.#closed.signal.aborted || signal?.aborted) {
      await this.#end({ process, reporter });
      throw sessionClosed();
    }
    this.#terminals.set(id, { process, reporter });
    this.#report({
      type: "terminal",
      terminalId: id,
      own: true,
      command: commandLineText(request.command, request.args),
      cwd,
    });
    void process.finished.then(exit => reporter.end(exit, process.truncated));
    return id;
  }

  /** A closed session gets no reports. */
  #report(event: SessionEvent): void {
    if (!this.#closed.signal.aborted) this.#options.report(event);
  }

  /** Remembers every ending process, so that {@link close} can wait for it. */
  #end(terminal: Terminal): Promise<void> {
    if (this.#closed.signal.aborted) terminal.reporter.dispose();
    const ending: Promise<void> = terminal.process.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return ending;
  }

  #find(terminalId: string): Terminal {
    this.#checkOpen();
    const terminal = this.#terminals.get(terminalId);
    if (terminal) return terminal;
    const message = "There is no such terminal in this session. It may have been released.";
    throw new Refusal("notFound", message, { terminalId });
  }

  #checkOpen(): void {
    if (this.#closed.signal.aborted) throw sessionClosed();
  }

  #checkLimits(): void {
    this.#checkOpen();
    const maxRunning = this.#options.maxRunning ?? defaultMaxRunning;
    const running = [...this.#terminals.values()].filter(({ process }) => process.exit === undefined).length;
    if (running + this.#starting.size >= maxRunning) {
      const message = `${maxRunning} commands of this session are running, which is the limit. Wait for one or kill one.`;
      throw new Refusal("failed", message);
    }
    if (this.#terminals.size + this.#starting.size >= maxRunning + maxKept) {
      const message = `This session keeps the output of ${this.#terminals.size} commands. Release terminals first.`;
      throw new Refusal("failed", message);
    }
  }

  async #admitFolder({ command, args, env, cwd }: TerminalRequest, signal?: AbortSignal): Promise<string> {
    const { confinement } = this.#options;
    const path = cwd ?? this.#options.workspaceFolder;
    const located = await confinement.locate(path);
    const line = commandLineText(command, args);
    const argv = args && args.length > 0 && { argv: [command, ...args] };
    const access = this.#options.access ?? rootsOnly(confinement);
    const asked = await access.admit(
      { operation: "run", path, located, command: line, ...argv, ...(env && { env }) },
      signal,
    );
    if (asked && (await confinement.locate(path)).key !== located.key) {
      throw new Refusal("failed", `${quotePath(path)} became a link to another place meanwhile.`, { cwd: path });
    }
    const isFolder = await stat(located.path).then(
      found => found.isDirectory(),
      () => false,
    );
    if (isFolder) return located.path;
    throw new Refusal("invalid", `${quotePath(path)} is not an existing folder.`, { cwd: path });
  }
}

type TerminalOutput = Awaited<ReturnType<AgentClient["terminalOutput"]>>;

function sessionClosed(): Refusal {
  return new Refusal("cancelled", "The session was closed.");
}

function startProcess(...start: ConstructorParameters<typeof TerminalProcess>): TerminalProcess {
  try {
    return new TerminalProcess(...start);
  } catch (thrown) {
    // Some failures are thrown synchronously, such as too long arguments on Windows.
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Refusal("failed", `The command could not be started: ${reason}`);
  }
}

function byteLimit(asked: number | undefined): number {
  if (asked === undefined) return defaultOutputBytes;
  if (Number.isInteger(asked) && asked >= 0) return Math.min(asked, maxOutputBytes);
  throw new Refusal("invalid", "“outputByteLimit” must be a whole number, 0 or more.", { outputByteLimit: asked });
}
