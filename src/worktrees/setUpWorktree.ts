// Sets up a worktree before the agent of its session starts: runs the command of the user's settings, and shows it in the
// session like a command of the agent.
import { stat } from "node:fs/promises";
import { SequencerByKey } from "../base/async.ts";
import { asError, isNotFoundError, ProblemError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { AgentClient } from "../session/agent.ts";
import type { ExitStatus, SessionEvent } from "../session/events.ts";
import { setUpCallId } from "../session/state.ts";
import { proposedSetUpFile, type AllowedSetUp } from "./proposedSetUp.ts";
import type { WorktreeRecord, WorktreeRecords } from "./worktreeRecords.ts";

/** Runs commands for a session, without asking the user. */
export type SetUpTerminals = Pick<
  AgentClient,
  "createTerminal" | "terminalOutput" | "waitForTerminalExit" | "killTerminal"
>;

export interface WorktreeSetUpOptions {
  readonly records: Pick<WorktreeRecords, "read" | "of" | "write">;
  /** The command line of the user's settings, and its time limit in minutes. An empty one sets nothing up. */
  readonly settings: () => { readonly setup: string; readonly setupMinutes: number };
  readonly newId: () => string;
  /** The set-up that the repository proposes and the user allows. Absent: none is read. Rejects with a ProblemError. */
  readonly proposed?: (record: WorktreeRecord) => Promise<AllowedSetUp | undefined>;
}

/** The variables with which the command gets the folder of the worktree, and the one that it was made from. */
const worktreeVariable = "PARLEY_WORKTREE";
const originVariable = "PARLEY_ORIGIN";

/** The variables of commands of the user that run in a worktree. */
export const worktreeEnvironment = ({
  path,
  origin,
}: Pick<WorktreeRecord, "path" | "origin">): readonly { readonly name: string; readonly value: string }[] => [
  { name: worktreeVariable, value: path },
  { name: originVariable, value: origin },
];

/** A command that sets up a worktree. */
interface SetUpRun {
  readonly command: string;
  /** Variables in addition to the usual ones. */
  readonly env?: AllowedSetUp["env"];
  readonly record: WorktreeRecord;
  readonly terminals: SetUpTerminals;
  readonly report: (event: SessionEvent) => void;
  readonly signal: AbortSignal;
}

/** The maximum length of the output that a failure shows. The terminal shows all of it. */
const maxDetail = 2000;

export class WorktreeSetUp {
  readonly #options: WorktreeSetUpOptions;
  /** Several sessions of a worktree wait for one set-up. */
  readonly #running = new SequencerByKey<string>();

  constructor(options: WorktreeSetUpOptions) {
    this.#options = options;
  }

  /**
   * Prepares the folder of a session whose agent is about to start. Rejects with a ProblemError if the folder is gone, and
   * if the command fails or takes too long. A folder that is in no worktree of Parley needs nothing.
   */
  async prepare(
    folder: string,
    terminals: SetUpTerminals,
    report: (event: SessionEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    // Another window may have made the worktree, or set it up.
    await this.#options.records.read();
    const found = this.#options.records.of(folder);
    if (!found) return;
    await this.#running.queue(found.path, async () => {
      const record = this.#options.records.of(folder) ?? found;
      if (!(await isFolder(folder)))
        throw new ProblemError({
          message: t("The folder “{0}” of the worktree no longer exists.", folder),
          next: ["newSession", "exportSession"],
        });
      if (record.state !== "created") return;
      const { setup } = this.#options.settings();
      const run = { record, terminals, report, signal };
      if (setup.trim() === "") await this.#runProposed(run);
      else await this.#run({ ...run, command: setup });
      await this.#options.records.write({ ...record, state: "prepared" });
    });
  }

  async #runProposed(run: Omit<SetUpRun, "command">): Promise<void> {
    const found = await this.#options.proposed?.(run.record);
    if (!found) return;
    const { commands, env } = found;
    if (commands.length === 0) {
      const title = t("The set-up that “{0}” proposes was not run.", proposedSetUpFile);
      run.report({ type: "notice", severity: "info", title });
    }
    for (const command of commands) await this.#run({ ...run, command, env });
  }

  /** The session of the folder starts although its set-up failed. */
  async skip(folder: string): Promise<void> {
    const record = this.#options.records.of(folder);
    if (record) await this.#options.records.write({ ...record, state: "prepared" });
  }

  async #run({ command, env: more = [], record, terminals, report, signal }: SetUpRun): Promise<void> {
    const toolCallId = setUpCallId(this.#options.newId());
    const title = t("Set up the worktree: {0}", command);
    const env = [...worktreeEnvironment(record), ...more];
    const { setupMinutes } = this.#options.settings();
    const limit = AbortSignal.timeout(setupMinutes * 60_000);
    const stopped = AbortSignal.any([limit, signal]);
    const failed = (message: string, detail = ""): ProblemError => {
      report({ type: "tool", toolCallId, patch: { status: "failed" } });
      return new ProblemError({ message, ...(detail !== "" && { detail }), next: ["retry", "startAnyway"] });
    };
    report({ type: "tool", toolCallId, patch: { title, kind: "execute", status: "in_progress" } });
    let terminal: string;
    try {
      terminal = await terminals.createTerminal({ command, cwd: record.path, env }, stopped);
    } catch (thrown) {
      throw failed(t("The worktree could not be set up: {0}", asError(thrown).message));
    }
    report({ type: "tool", toolCallId, patch: { content: [{ type: "terminal", terminalId: terminal }] } });
    let exit: ExitStatus;
    try {
      exit = await terminals.waitForTerminalExit(terminal, stopped);
    } catch (thrown) {
      if (!stopped.aborted) throw failed(t("The worktree could not be set up: {0}", asError(thrown).message));
      await terminals.killTerminal(terminal);
      throw failed(
        limit.aborted
          ? t("The set-up of the worktree was stopped after {0} minutes.", setupMinutes)
          : t("The set-up of the worktree was cancelled."),
      );
    }
    if (exit.exitCode !== 0) {
      const { output } = await terminals.terminalOutput(terminal);
      const { exitCode, signal } = exit;
      const message =
        exitCode === undefined
          ? t("The command that sets up the worktree ended with {0}.", signal ?? t("an unknown error"))
          : t("The command that sets up the worktree ended with exit code {0}.", exitCode);
      throw failed(message, output.trimEnd().slice(-maxDetail));
    }
    report({ type: "tool", toolCallId, patch: { status: "completed" } });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (thrown) {
    if (isNotFoundError(thrown)) return false;
    throw thrown;
  }
}
