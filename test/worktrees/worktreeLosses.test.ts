// Whatever the agent, the user and Parley do with a worktree, no line is lost that is nowhere else.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { isSameState, readFileState, writeFileState } from "../../src/files/fileState.ts";
import { GitError } from "../../src/git/gitProgram.ts";
import { isOpen, listBringBack } from "../../src/worktrees/bringBack.ts";
import { checkMerge, mergeWorktree, updateFromBase } from "../../src/worktrees/mergeWorktree.ts";
import { checkRemoval, removeWorktree } from "../../src/worktrees/removeWorktree.ts";
import type { WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";
import { applyToDisk, mergedTexts, type AppliedStep } from "../support/fakes/broughtBack.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";

const files = ["a.txt", "b.txt", "new.txt"];
const lineCount = 6;

/** A line of a file gets another text, or the file is deleted. */
interface Edit {
  readonly file: string;
  /** Undefined: the file is deleted. */
  readonly line: number | undefined;
}

type Step =
  | ({ readonly kind: "agent" | "user" } & Edit)
  | { readonly kind: "commitHere" | "commitThere" | "bringBack" | "undo" | "update" | "merge" | "squash" | "remove" };

const edit = {
  file: fc.constantFrom(...files),
  line: fc.option(fc.integer({ min: 0, max: lineCount - 1 }), { nil: undefined, freq: 6 }),
};
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("agent" as const), ...edit }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("user" as const), ...edit }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      ...(["commitHere", "commitThere", "bringBack", "bringBack", "undo", "update", "merge", "squash"] as const).map(
        kind => ({ kind }),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "remove" as const }) },
);

/** Plays steps of the agent, of the user and of Parley. */
class Player {
  readonly #real: RealRepository;
  #record: WorktreeRecord;
  #applied: readonly AppliedStep[] = [];
  #count = 0;

  constructor(real: RealRepository, record: WorktreeRecord) {
    this.#real = real;
    this.#record = record;
  }

  /** Whether the worktree is still there. */
  get hasWorktree(): boolean {
    return existsSync(this.#record.path);
  }

  async play(step: Step): Promise<void> {
    const { git, records, app } = this.#real;
    this.#record = records.of(this.#record.path) ?? this.#record;
    const record = this.#record;
    if (step.kind === "user") return this.#edit(app, step, "mine");
    if (step.kind === "commitHere") return this.#commit(app);
    if (step.kind === "undo") return this.#checked(() => this.#undo());
    if (!this.hasWorktree) return;
    const { signal } = new AbortController();
    switch (step.kind) {
      case "agent":
        return this.#edit(record.path, step, "theirs");
      case "commitThere":
        return this.#commit(record.path);
      case "bringBack":
        return this.#checked(() => this.#bringBack());
      case "update":
        return this.#checked(() => ifRefused(updateFromBase(git, record, signal), () => this.#abortMerge()));
      case "merge":
      case "squash":
        return this.#checked(async () => {
          const check = await checkMerge(git, record).catch(expectSentence);
          if (!check) return;
          const choice = {
            ...(check.uncommitted.length > 0 && { commitMessage: "What was left" }),
            ...(step.kind === "squash" && { squashMessage: "All of it" }),
          };
          const isUnsaved = (): boolean => false;
          await ifRefused(mergeWorktree(git, record, records, { check, choice }, { signal, isUnsaved }));
        });
      case "remove":
        return this.#checked(async () => {
          const check = await checkRemoval(git, record, records, false);
          // The user wants to lose nothing.
          if (check.losses.length > 0 || check.refusals.length > 0 || /are then lost/.test(check.branch)) return;
          await removeWorktree(git, record, records, check, false);
        });
    }
  }

  async #edit(folder: string, { file, line }: Edit, whose: "mine" | "theirs"): Promise<void> {
    const path = join(folder, file);
    const [text, number] = [existsSync(path) ? readFileSync(path, "utf8") : undefined, ++this.#count];
    if (line === undefined) return rm(path, { force: true });
    const lines = text?.split("\n") ?? Array.from({ length: lineCount }, (_, at) => `${at} of ${number}`);
    lines[Math.min(line, lines.length - 1)] = `${whose} ${number} `;
    await this.#real.write({ [file]: lines.join("\n") }, folder);
  }

  #commit(folder: string): void {
    this.#real.run(folder, "add", "-A");
    this.#real.run(folder, "commit", "-qm", "a step", "--allow-empty");
  }

  async #bringBack(): Promise<void> {
    const unsaved = new Map<string, string>();
    const { git, records } = this.#real;
    const options = { git, records, texts: mergedTexts(unsaved) };
    const { entries } = await listBringBack(this.#record, options);
    const applied: AppliedStep[] = [];
    for (const entry of entries.filter(isOpen))
      applied.push(...(await applyToDisk(entry, { real: this.#real, record: this.#record, unsaved })));
    this.#applied = applied;
  }

  /** As the review does: a file that has changed since stays. */
  async #undo(): Promise<void> {
    for (const { path, before, after } of this.#applied) {
      const now = await readFileState(path);
      if (now && isSameState(now, after)) await writeFileState(path, before, now);
    }
    this.#applied = [];
  }

  #abortMerge(): void {
    const { path } = this.#record;
    if (this.#real.run(path, "ls-files", "-u") !== "") this.#real.run(path, "merge", "--abort");
  }

  /**
   * Does what Parley does, and checks that no line is lost. What the agent has written itself can also be in what an undo
   * brings back, because the agent can have changed it again since.
   */
  async #checked(work: () => Promise<void>): Promise<void> {
    const before = this.#lines();
    const kept = [this.#kept()];
    await work();
    kept.push(this.#kept());
    const after = this.#lines();
    const isKept = (line: string): boolean => line.startsWith("theirs") && kept.some(text => text.includes(line));
    assert.deepEqual(
      [...before].filter(line => !after.has(line) && !isKept(line)),
      [],
    );
  }

  /** What an undo of what was brought back last would restore, and what it would take away. */
  #kept(): string {
    const states = this.#applied.flatMap(({ before, after }) => [before, after]);
    return states.map(state => (state.kind === "file" ? Buffer.from(state.bytes).toString() : "")).join("\n");
  }

  /** The lines of the files of both folders, and of all commits that a branch has. */
  #lines(): ReadonlySet<string> {
    const { app } = this.#real;
    const found = [app, this.#record.path].filter(existsSync).flatMap(folder =>
      readdirSync(folder)
        .filter(name => name.endsWith(".txt"))
        .map(name => readFileSync(join(folder, name), "utf8")),
    );
    // The output is trimmed, and each line ends with a space.
    const committed = `${this.#real.run(app, "log", "--branches", "-p", "--format=", "--unified=0", "-m")} `;
    return new Set([...found, committed.replace(/^[+-]/gm, "")].join("\n").match(/(?:mine|theirs) \d+ /g) ?? []);
  }
}

/** Git may refuse, for example because of files that are not committed. Then `afterwards` cleans up. */
async function ifRefused(work: Promise<unknown>, afterwards?: () => void): Promise<void> {
  try {
    await work;
  } catch (thrown) {
    expectSentence(thrown);
    afterwards?.();
  }
}

function expectSentence(thrown: unknown): undefined {
  assert.ok(thrown instanceof Error && (thrown instanceof GitError || /\.$/.test(thrown.message)), String(thrown));
}

describe("a worktree, whatever the agent, the user and Parley do,", () => {
  it("loses no line that is nowhere else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async steps => {
        const base = Array.from({ length: lineCount }, (_, at) => `line ${at}`).join("\n");
        const real = await RealRepository.create({ "a.txt": base, "b.txt": base });
        try {
          for (const name of ["name", "email"]) real.run(real.app, "config", `user.${name}`, "a@example.com");
          const { record } = await real.makeWorktree({ branch: "one" });
          const player = new Player(real, record);
          for (const each of steps) await player.play(each);
        } finally {
          await real.remove();
        }
      }),
      { numRuns: Number(process.env["RUNS"] ?? 12), seed: Number(process.env["SEED"] ?? Date.now() % 2 ** 31) },
    );
  });
});
