// One process that an agent requested: its output, its exit, and the end of its whole process tree.
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { withTimeout } from "../base/async.ts";
import type { Clock } from "../base/log.ts";
import { Refusal, asError } from "../base/errors.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { ExitStatus } from "../session/events.ts";
import { isGroupAlive, killAtExit, killTree, type KillTimes } from "../base/processTree.ts";
import { CharacterSplitter, OutputRing } from "./outputRing.ts";
import type { LaunchPlan } from "./launchPlan.ts";

export interface ProcessOptions {
  readonly launch: LaunchPlan;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The number of bytes of output to keep. */
  readonly limit: number;
  /** Receives output as it arrives, in whole characters. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

export interface ProcessTimes extends KillTimes {
  /** After the process has exited, its output has ended too as soon as it was quiet for this long… */
  readonly quiet: number;
  /** …or after this time in total. Descendants that hold the pipe can keep it open forever. */
  readonly drain: number;
}

/** A process, from its start until its whole tree has ended. Its `finished` never rejects. */
export class TerminalProcess {
  /** Rejects with a Refusal if the process could not be started. */
  readonly started: Promise<void>;
  /** Resolves when the process has exited and its output was read. */
  readonly finished: Promise<ExitStatus>;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #times: ProcessTimes;
  readonly #ring: OutputRing;
  readonly #flushSplitters: (() => void)[] = [];
  #exit: ExitStatus | undefined;
  #isFinished = false;
  #resolve: (exit: ExitStatus) => void = () => undefined;
  #atHostExit: Disposable | undefined;
  #quiet: Disposable | undefined;
  #drain: Disposable | undefined;
  #killing: Promise<void> | undefined;

  constructor(start: ProcessOptions, clock: Clock, times: ProcessTimes) {
    this.#clock = clock;
    this.#times = times;
    this.#ring = new OutputRing(start.limit);
    this.finished = new Promise(resolve => (this.#resolve = resolve));
    this.#child = spawn(start.launch.file, start.launch.args, {
      cwd: start.cwd,
      env: start.env,
      stdio: ["ignore", "pipe", "pipe"],
      // Its own group and session: there is no controlling terminal that could ask for a password, and one target to
      // kill.
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: start.launch.verbatim,
    });
    this.#read(this.#child.stdout, start.onOutput);
    this.#read(this.#child.stderr, start.onOutput);
    this.#child.once("exit", (code, signal) => this.#onExit(code, signal));
    this.#child.once("close", () => this.#finish());
    this.started = this.#waitForStart();
  }

  /** Undefined while it runs. */
  get exit(): ExitStatus | undefined {
    return this.#isFinished ? this.#exit : undefined;
  }

  /** Whether it or something that it has started still runs, as far as the system tells: on Windows, only the process. */
  get isTreeRunning(): boolean {
    return this.#atHostExit !== undefined;
  }

  get output(): { readonly output: string; readonly truncated: boolean } {
    return { output: this.#ring.text(), truncated: this.#ring.truncated };
  }

  get truncated(): boolean {
    return this.#ring.truncated;
  }

  /** Ends the process and everything it started. Resolves when that is done, within a limited time. */
  kill(): Promise<void> {
    this.#killing ??= this.#kill().finally(() => (this.#killing = undefined));
    return this.#killing;
  }

  /** {@link kill}, and no more output is read. */
  async end(): Promise<void> {
    await this.kill();
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#atHostExit?.dispose();
  }

  async #kill(): Promise<void> {
    const { pid } = this.#child;
    // The process id is ours only while the process or something in its group runs.
    if (pid === undefined || this.#atHostExit === undefined) return;
    await killTree(pid, this.#times);
    if (!this.#isFinished) await this.#waitAtMost(this.#times.drain);
    this.#finish();
    this.#forgetGroup(pid);
  }

  #waitForStart(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.once("spawn", () => {
        if (this.#child.pid !== undefined) this.#atHostExit = killAtExit(this.#child.pid);
        resolve();
      });
      // After the start, this is a failed signal. The code that sent it checks which processes are still alive.
      this.#child.on("error", error => {
        this.#finish();
        reject(new Refusal("failed", `The command could not be started: ${asError(error).message}`));
      });
    });
  }

  #read(stream: Readable | null, onOutput: (bytes: Uint8Array) => void): void {
    if (!stream) return;
    const splitter = new CharacterSplitter();
    const take = (bytes: Uint8Array): void => {
      if (bytes.length === 0) return;
      this.#ring.push(bytes);
      onOutput(bytes);
    };
    stream.on("data", (chunk: Buffer) => {
      take(splitter.push(chunk));
      if (this.#drain) this.#waitForQuiet();
    });
    // A read error ends the stream. The output so far is kept.
    stream.on("error", () => stream.destroy());
    this.#flushSplitters.push(() => take(splitter.end()));
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exit = { ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) };
    if (this.#isFinished) return;
    this.#drain = this.#clock.after(this.#times.drain, () => this.#finish());
    this.#waitForQuiet();
  }

  #waitForQuiet(): void {
    this.#quiet?.dispose();
    if (this.#isFinished) return;
    // Timers run before reads, so after a stall the data in the pipe must be read first.
    this.#quiet = this.#clock.after(this.#times.quiet, () => {
      this.#quiet = this.#clock.after(0, () => this.#finish());
    });
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#quiet?.dispose();
    this.#drain?.dispose();
    for (const end of this.#flushSplitters) end();
    this.#exit ??= {};
    if (this.#child.pid !== undefined) this.#forgetGroup(this.#child.pid);
    this.#resolve(this.#exit);
  }

  /** Processes left running in the group still end with the terminal. */
  #forgetGroup(pid: number): void {
    if (isGroupAlive(pid)) return;
    this.#atHostExit?.dispose();
    this.#atHostExit = undefined;
  }

  async #waitAtMost(ms: number): Promise<void> {
    await withTimeout(this.finished, ms, () => undefined, this.#clock);
  }
}
