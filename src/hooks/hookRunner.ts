// Runs the commands of the user for events: without a shell, a few at once, each for a limited time.
import { createGate } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { lastLines } from "../base/lastLines.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { hostPlatform, type Environment } from "../base/platform.ts";
import { killTimes } from "../base/processTree.ts";
import { findProgram, windowsSpawn, type ProgramLookup, type SpawnCommand } from "../base/program.ts";
import { quotePath } from "../base/text.ts";
import { visibleText } from "../base/visibleText.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import { agentEnvironment } from "../agents/locateAgent.ts";
import type { ExitStatus } from "../session/events.ts";
import { TerminalProcess } from "../terminals/terminalProcess.ts";
import type { HookCommand, HookCommands, HookEvent } from "./hookSetting.ts";
import type { HookVariables } from "./hookVariables.ts";

export interface HookRunnerOptions {
  /** The commands of the user's settings now. */
  readonly commands: () => HookCommands;
  readonly hasTrust: () => boolean;
  readonly environment: Pick<WindowEnvironment, "of">;
  /** The folder in which the programs start. Never the opened one, because programs read settings from their folder. */
  readonly folder: string;
  /** Shows a failure to the user. */
  readonly showFailure: (sentence: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The time for a program and for all that it starts (ms). */
export const maxHookTime = 10_000;
export const maxRunningHooks = 4;
/** More events than this are not kept while the programs of earlier events run. */
export const maxWaitingHooks = 20;
/** The end of the output of which the last lines are logged (bytes). */
const maxOutput = 16_000;
const processTimes = { ...killTimes, quiet: 250, drain: 1000 };

/** An event whose command runs or waits. */
interface HookRun {
  readonly event: HookEvent;
  readonly command: HookCommand;
  readonly variables: HookVariables;
}

export class HookRunner {
  readonly #options: HookRunnerOptions;
  readonly #waiting: HookRun[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #close = new AbortController();
  /** The commands of which a failure was shown. The user sees the next one only after changing them. */
  #shownFor: string | undefined;

  constructor(options: HookRunnerOptions) {
    this.#options = options;
  }

  /** Runs the command of the event, if there is one. Failures are logged, and the first one is shown. */
  run(event: HookEvent, variables: HookVariables): void {
    const { commands, hasTrust, log } = this.#options;
    const command = commands()[event];
    if (!command || !hasTrust() || this.#close.signal.aborted) return;
    if (this.#waiting.length >= maxWaitingHooks) {
      log.warn(`The command of parley.hooks → ${event} was not run, because ${maxWaitingHooks} are waiting already.`);
      return;
    }
    this.#waiting.push({ event, command, variables });
    this.#runNext();
  }

  /** Ends the programs, and runs no more. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#waiting.length = 0;
    this.#close.abort();
    await Promise.all(this.#running);
  }

  #runNext(): void {
    while (this.#running.size < maxRunningHooks) {
      const next = this.#waiting.shift();
      if (!next) return;
      const running: Promise<void> = this.#runOne(next).then(() => {
        this.#running.delete(running);
        this.#runNext();
      });
      this.#running.add(running);
    }
  }

  /** Resolves when the program and all that it has started are gone. Never rejects. */
  async #runOne({ event, command, variables }: HookRun): Promise<void> {
    const over = createGate();
    const { signal } = this.#close;
    signal.addEventListener("abort", over.settle, { once: true });
    let limit: Disposable | undefined;
    try {
      const started = await this.#start(command, variables);
      limit = this.#options.clock.after(maxHookTime, over.settle);
      try {
        await started.started;
      } catch (thrown) {
        return this.#fail(event, t("it could not be started"), asError(thrown).message);
      }
      await Promise.race([started.finished, over.settled]);
      const { exit } = started;
      const failure = exit ? exitFailure(exit) : t("it was stopped after {0} seconds", maxHookTime / 1000);
      const report = (): void => this.#report(event, started, failure);
      if (exit) report();
      // What the program leaves running gets the rest of the time.
      if (exit && started.isTreeRunning) await over.settled;
      await started.end();
      if (!exit) report();
    } catch (thrown) {
      this.#fail(event, asError(thrown).message, "");
    } finally {
      limit?.dispose();
      signal.removeEventListener("abort", over.settle);
    }
  }

  async #start({ program, args }: HookCommand, variables: HookVariables): Promise<TerminalProcess> {
    const { environment, folder, clock } = this.#options;
    const env = await environment.of(shared => agentEnvironment(shared, variables));
    this.#close.signal.throwIfAborted();
    const launch = hookSpawn(program, args, env);
    const onOutput = (): void => undefined;
    return new TerminalProcess({ launch, cwd: folder, env, limit: maxOutput, onOutput }, clock, processTimes);
  }

  #report(event: HookEvent, { output }: TerminalProcess, failure: string | undefined): void {
    // A cut line could show a part of a secret.
    const whole = output.truncated ? output.output.replace(/^[^\n]*\n?/, "") : output.output;
    const shown = visibleText(lastLines(whole));
    if (failure !== undefined) this.#fail(event, failure, shown);
    else if (shown !== "") this.#options.log.info(`Output of the command of parley.hooks → ${event}:`, shown);
  }

  #fail(event: HookEvent, reason: string, output: string): void {
    // The end of the window stopped the program.
    if (this.#close.signal.aborted) return;
    const { commands, log, showFailure } = this.#options;
    const sentence = t("The command of parley.hooks → {0} failed: {1}.", event, reason);
    log.warn(sentence, output === "" ? undefined : output);
    const setting = JSON.stringify(commands());
    if (this.#shownFor === setting) return;
    this.#shownFor = setting;
    showFailure(sentence);
  }
}

/** What to spawn. Throws an error whose message is the reason, as the end of a sentence. */
function hookSpawn(program: string, args: readonly string[], env: Environment): SpawnCommand {
  const find = (name: string): ProgramLookup => findProgram(name, { env, platform: hostPlatform });
  const found = find(program);
  const shown = quotePath(visibleText(program));
  if (!("path" in found)) {
    if (found.missing !== "notFound") throw new Error(t("{0} is not a program", quotePath(visibleText(found.at))));
    throw new Error(
      /[\\/]/.test(program)
        ? t("{0} does not exist; a path must be absolute", shown)
        : t("{0} was not found on the PATH", shown),
    );
  }
  if (hostPlatform === "posix") return { file: found.path, args, verbatim: false };
  const launch = windowsSpawn(found.path, args, name => {
    const other = find(name);
    return "path" in other ? other.path : undefined;
  });
  if ("unsafe" in launch)
    throw new Error(t("the argument {0} cannot be passed to a batch file", quotePath(launch.unsafe)));
  return launch;
}

/** Undefined: it did not fail. */
function exitFailure({ exitCode, signal }: ExitStatus): string | undefined {
  if (exitCode === 0) return undefined;
  return exitCode === undefined
    ? t("it ended with {0}", signal ?? t("an unknown error"))
    : t("it ended with exit code {0}", exitCode);
}
