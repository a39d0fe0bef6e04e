// The review in the real VS Code, on the product's own path: an agent writes files to disk in a turn, Parley notices and
// compares them, and the user undoes them by Parley's commands.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { waitFor } from "../../scripts/tools/project.mjs";
import { helperRun } from "./helperRun.ts";
import { fileAt, makeRepository } from "./largeRepository.ts";
import { openPanel, prompt, type Side } from "./panelSides.ts";
import { median, ms, range, type Report, type Table } from "./report.ts";
import {
  largeFile,
  markFile,
  undoneFiles,
  type HelperCommand,
  type HelperOutcome,
  type Stretches,
} from "./reviewedFiles.ts";
import { withVscode, type Vscode } from "./vscode.ts";

/** The limits of an undo of many files, and of the time that Parley blocks other work to compare a large file (ms). */
const limits = { undo: 2000, stretch: 16 };
const rounds = 5;
const folderRounds = 3;
const changedFiles = 1000;

/** How long the agent waits until the helper's profiler has started (ms). */
const profilerStart = 1500;

interface Window extends Side {
  /** Runs a command of the helper, with what the user answers. */
  run(command: HelperCommand, answer?: (page: Page) => Promise<void>): Promise<HelperOutcome>;
  /**
   * Sends the prompt for a turn in which the agent writes these files, and waits until they wait for review. The agent
   * marks the start of the turn, and may pause before it writes (ms).
   */
  write(files: Readonly<Record<string, string>>, pause?: number): Promise<void>;
}

/** Measures decisions on many files and the comparison of a large file. */
export const measureReviewWindow = (): Promise<Report> =>
  measureWith(async (vscode, outcome) => {
    const window = windowOf(await openPanel(vscode), outcome);
    return [await measureUndo(window), await measureComparisons(window)];
  });

/** Measures a turn in a repository of 100,000 files. */
export const measureLargeFolder = (): Promise<Report> =>
  measureWith(async (vscode, outcome) => [
    await measureTurns(windowOf(await openPanel(vscode, makeRepository), outcome)),
  ]);

/** Opens VS Code with Parley and the helper, which writes into the file. */
function measureWith(measure: (vscode: Vscode, outcome: string) => Promise<readonly Measured[]>): Promise<Report> {
  const outcomeIn = (folder: string): string => join(folder, "review.json");
  return withVscode(
    folder => ({
      PARLEY_BENCH_REVIEW: outcomeIn(folder),
      ...(process.env["PARLEY_BENCH_PROFILES"] && { PARLEY_BENCH_PROFILES: process.env["PARLEY_BENCH_PROFILES"] }),
    }),
    async vscode => {
      const measured = await measure(vscode, outcomeIn(vscode.folder));
      return {
        tables: measured.map(({ table }) => table),
        failures: measured.flatMap(({ failures }) => failures),
        versions: vscode.versions,
      };
    },
  );
}

function windowOf(side: Side, outcome: string): Window {
  const { page, frame, box, workspace } = side;
  return {
    ...side,
    run: helperRun(page, outcome),
    async write(files, pause = 0) {
      const writes = Object.entries(files).map(([write, text]) => ({ write, text }));
      const call = { toolCallId: "write", title: "Write files", kind: "execute" };
      const steps = [
        { mark: "begun", file: markFile },
        { waitMs: pause },
        // Without a call, the changes can be the user's, and no undo takes all of them.
        { update: { sessionUpdate: "tool_call", ...call, status: "in_progress" } },
        ...writes,
        { update: { sessionUpdate: "tool_call_update", toolCallId: call.toolCallId, status: "completed" } },
        { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } } },
      ];
      writeFileSync(join(workspace, "write.json"), JSON.stringify({ steps }));
      await prompt(box, "write.json");
      const count = Object.keys(files).length;
      const bar = frame.getByRole("region", { name: "Changes" });
      const name = count === 1 ? /^1 file/ : new RegExp(`^${count.toLocaleString("en")} files`);
      await bar.getByRole("button", { name }).waitFor({ timeout: 120_000 });
      await frame.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    },
  };
}

interface Measured {
  readonly table: Table;
  readonly failures: readonly string[];
}

/** An agent changes many closed files, and the user undoes that, by a decision and by a restore. */
async function measureUndo({ page, frame, workspace, run, write }: Window): Promise<Measured> {
  const names = Array.from({ length: undoneFiles }, (_, i) => `file${i}.ts`);
  const base = Array.from({ length: 200 }, (_, i) => `export const value${i} = ${i};\n`).join("");
  const text = base.replace("value7 =", "changed =").replace("value150 =", "changedToo =");
  const haveText = (wanted: string): boolean =>
    names.every(name => readFileSync(join(workspace, name), "utf8") === wanted);
  for (const name of names) writeFileSync(join(workspace, name), base);
  await write(Object.fromEntries(names.map(name => [name, text])));
  const cases = {
    undo: new DecisionTimes("Undo All, from the click"),
    undoLast: new DecisionTimes("Undo Last Review Decision"),
    restore: new DecisionTimes("Restore Checkpoint, from the choice"),
    undoRestore: new DecisionTimes("Undo Restore"),
  };
  const clicked = async (target: Locator): Promise<number> => {
    await target.waitFor();
    const began = Date.now();
    await target.click();
    return began;
  };
  const check = (wanted: string): void => {
    if (!haveText(wanted)) throw new Error("Not every file has its text.");
  };
  for (let round = 0; round < rounds; round++) {
    let began = 0;
    const undone = await run("undoAll", async () => {
      began = await clicked(page.locator(".monaco-dialog-box").getByRole("button", { name: /^Undo/ }));
    });
    check(base);
    cases.undo.add(undone.ended - began, undone.tabs);
    const again = await run("undoLast");
    check(text);
    cases.undoLast.add(again.ended - again.began, again.tabs);
    const message = frame.locator('parley-message[data-kind="user"]').first();
    await message.hover();
    await message.getByRole("button", { name: "Restore Checkpoint" }).click();
    const chosen = page.locator(".quick-input-list .monaco-list-row", { hasText: `${undoneFiles} files will be` });
    began = await clicked(chosen);
    if (!(await waitFor(() => haveText(base), 60_000, 10))) throw new Error("Not every file was restored.");
    const restored = Date.now();
    // The command waits until the restore is complete.
    const taken = await run("undoRestore");
    check(text);
    cases.restore.add(restored - began, taken.tabs);
    cases.undoRestore.add(taken.ended - taken.began, taken.tabs);
  }
  await run("keepAll");
  const all = Object.values(cases);
  return {
    table: {
      columns: [`${undoneFiles} closed files of 200 lines, in VS Code`, "p50", "range", "tabs left open"],
      rows: all.map(one => one.row),
    },
    failures: all.flatMap(one => one.failures),
  };
}

/** The times of one kind of decision, and the tabs that it left open. */
class DecisionTimes {
  readonly #what: string;
  readonly #times: number[] = [];
  #tabs = 0;

  constructor(what: string) {
    this.#what = what;
  }

  add(time: number, tabs: number): void {
    this.#times.push(time);
    this.#tabs = Math.max(this.#tabs, tabs);
  }

  get row(): readonly string[] {
    return [this.#what, ms(median(this.#times)), range(this.#times), `${this.#tabs}`];
  }

  get failures(): readonly string[] {
    const time = median(this.#times);
    return [
      ...(time > limits.undo ? [`${this.#what} took ${ms(time)}, ${limits.undo} ms is the limit.`] : []),
      ...(this.#tabs > 0 ? [`${this.#what} left ${this.#tabs} tabs open.`] : []),
    ];
  }
}

/** A large file is written with every third line changed, closed and open, by an agent and while no agent works. */
async function measureComparisons({ workspace, run, write }: Window): Promise<Measured> {
  const line = (i: number, seed: number): string => `  const value${i}_${seed} = compute(${(i * 7919) % 99991});\n`;
  const textOf = (seed: number): string =>
    Array.from({ length: 20_000 }, (_, i) => line(i, i % 3 === 2 ? seed : 0)).join("");
  const file = join(workspace, largeFile);
  writeFileSync(file, textOf(0));
  const cases = { closed: [] as Stretches[], open: [] as Stretches[], idle: [] as Stretches[] };
  const stretches = (): Promise<Stretches> => stretchesOf(run);
  let seed = 0;
  await run("show");
  for (let round = 0; round < rounds; round++) {
    await run("watch");
    writeFileSync(file, textOf(++seed));
    // Nothing reports that the editor has loaded it.
    await new Promise(resolve => setTimeout(resolve, 1500));
    cases.idle.push(await stretches());
  }
  await run("hide");
  for (const where of ["closed", "open"] as const) {
    if (where === "open") await run("show");
    for (let round = 0; round < rounds; round++) {
      await run("watchTurn");
      await write({ [largeFile]: textOf(++seed) }, profilerStart);
      cases[where].push(await stretches());
      await run("keepAll");
    }
  }
  await run("hide");
  const worst = Math.max(...[cases.closed, cases.open].map(times => median(times.map(({ own }) => own))));
  return {
    table: {
      columns: ["20,000 lines, every third one changed, in VS Code", "Parley, p50", "range", "all, p50", "range"],
      rows: [
        stretchRow("an agent writes the file, which is closed", cases.closed),
        stretchRow("an agent writes the file, which is in the active editor", cases.open),
        stretchRow("for comparison: another program writes it there, before any turn", cases.idle),
      ],
    },
    failures:
      worst > limits.stretch
        ? [`A large file blocked the extension host for ${ms(worst)}, ${limits.stretch} ms is the limit.`]
        : [],
  };
}

/** An agent changes 1,000 of the 100,000 files of a repository on disk, from before the first write until the turn is over. */
async function measureTurns({ run, write }: Window): Promise<Measured> {
  const times: Stretches[] = [];
  for (let round = 0; round < folderRounds; round++) {
    await run("watchTurn");
    await write(
      Object.fromEntries(
        Array.from({ length: changedFiles }, (_, file) => [fileAt("", file, round), `changed ${round}\n`]),
      ),
      profilerStart,
    );
    times.push(await stretchesOf(run));
    await run("keepAll");
  }
  const own = median(times.map(time => time.own));
  return {
    table: {
      columns: ["a repository of 100,000 files, in VS Code", "Parley, p50", "range", "all, p50", "range"],
      rows: [stretchRow("an agent changes 1,000 closed files in a turn", times)],
    },
    failures:
      own > limits.stretch
        ? [`A turn in a large folder blocked the extension host for ${ms(own)}, ${limits.stretch} ms is the limit.`]
        : [],
  };
}

async function stretchesOf(run: Window["run"]): Promise<Stretches> {
  const { stretches } = await run("report");
  if (!stretches) throw new Error("The helper measured nothing.");
  return stretches;
}

function stretchRow(what: string, times: readonly Stretches[]): readonly string[] {
  const [own, whole] = [times.map(time => time.own), times.map(time => time.whole)];
  return [what, ms(median(own)), range(own), ms(median(whole)), range(whole)];
}
