// Runs the command with which the user checks candidates, in their worktrees, and stores how it ended.
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { Emitter, type Event } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import { maskText } from "../../base/mask.ts";
import type { ExitStatus } from "../../session/events.ts";
import { worktreeEnvironment, type SetUpTerminals } from "../setUpWorktree.ts";
import type { Candidate, CandidateGroup, CandidateGroups, CheckResult } from "./candidateGroups.ts";
import { lastLines } from "../../base/lastLines.ts";

/** Runs commands in one worktree, without asking the user. */
export interface CheckTerminals extends Omit<SetUpTerminals, "createTerminal"> {
  createTerminal(request: Parameters<SetUpTerminals["createTerminal"]>[0], signal: AbortSignal): Promise<string>;
  /** Ends everything. Resolves when no process is left. */
  close(): Promise<void>;
}

export interface CandidateChecksOptions {
  readonly groups: Pick<CandidateGroups, "setCheck">;
  /** The command line of the user's settings, and its time limit in minutes. */
  readonly settings: () => { readonly check: string; readonly checkMinutes: number };
  readonly terminalsIn: (folder: string) => CheckTerminals;
  readonly clock: Clock;
}

/** A check that runs. */
interface CheckRun {
  /** When it began, ms since the epoch. */
  readonly since: number;
  readonly stop: AbortController;
  ended?: Promise<void>;
}

export class CandidateChecks {
  readonly #options: CandidateChecksOptions;
  readonly #changed = new Emitter<void>();
  /** Fires when a check begins or ends. */
  readonly onDidChange: Event<void> = this.#changed.event;
  /** The checks that run, by the ids of sessions. */
  readonly #running = new Map<string, CheckRun>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: CandidateChecksOptions) {
    this.#options = options;
  }

  /** When the check of a session began, ms since the epoch. Undefined: none runs. */
  runsSince(session: string): number | undefined {
    return this.#running.get(session)?.since;
  }

  /**
   * Runs the check of a candidate, unless one runs already. Resolves when its result is stored. Rejects if it cannot be
   * stored. Without a command in the settings, nothing runs.
   */
  run(group: CandidateGroup, candidate: Candidate): Promise<void> {
    const { check, checkMinutes } = this.#options.settings();
    if (check === "" || this.#isClosed || this.#running.has(candidate.session)) return Promise.resolve();
    const run: CheckRun = { since: this.#options.clock.now(), stop: new AbortController() };
    this.#running.set(candidate.session, run);
    this.#changed.fire();
    const ending: Promise<void> = this.#run(group, candidate, { ...run, check, minutes: checkMinutes })
      .then(result => this.#options.groups.setCheck(group.id, candidate.session, result))
      .finally(() => {
        this.#running.delete(candidate.session);
        this.#ending.delete(ending);
        this.#changed.fire();
      });
    run.ended = ending;
    this.#ending.add(ending);
    return ending;
  }

  /** Ends the check of a session. Resolves when no process that it started is left. */
  async stop(session: string): Promise<void> {
    const run = this.#running.get(session);
    run?.stop.abort();
    await Promise.allSettled([run?.ended]);
  }

  /** Ends all checks. Resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.allSettled(this.#ending);
  }

  async #run(
    { origin }: CandidateGroup,
    { worktree }: Candidate,
    { since, stop, check, minutes }: CheckRun & { readonly check: string; readonly minutes: number },
  ): Promise<CheckResult> {
    const { terminalsIn, clock } = this.#options;
    const ended = (outcome: CheckResult["outcome"], output: string, exit: ExitStatus = {}): CheckResult => ({
      ...{ command: maskText(check), outcome, output, ended: clock.now(), duration: clock.now() - since },
      ...(exit.exitCode !== undefined && { exitCode: exit.exitCode }),
    });
    const limit = new AbortController();
    const timer = clock.after(minutes * 60_000, () => limit.abort());
    const stopped = AbortSignal.any([limit.signal, stop.signal]);
    const terminals = terminalsIn(worktree);
    let terminal: string | undefined;
    const output = async (): Promise<string> =>
      terminal === undefined ? "" : lastLines((await terminals.terminalOutput(terminal)).output);
    try {
      const request = { command: check, cwd: worktree, env: worktreeEnvironment({ path: worktree, origin }) };
      terminal = await terminals.createTerminal(request, stopped);
      const exit = await terminals.waitForTerminalExit(terminal, stopped);
      return ended(exit.exitCode === 0 ? "passed" : "failed", await output(), exit);
    } catch (thrown) {
      if (!stopped.aborted)
        return ended("unknown", maskText(t("The check could not be run: {0}", asError(thrown).message)));
      if (terminal !== undefined) await terminals.killTerminal(terminal);
      return ended(limit.signal.aborted ? "timeout" : "stopped", await output());
    } finally {
      timer.dispose();
      await terminals.close();
    }
  }
}
