// Runs the scenarios with each installed agent, one after the other, and writes the results:
//   node run.mjs <trial.json>
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asError } from "../../src/base/errors.ts";
import { agents, define, preset, type RealAgent } from "./agents.ts";
import { Conversation } from "./conversation.ts";
import { scenarios, type Scenario } from "./scenarios.ts";

/** The input that scripts/interop.mjs has prepared. */
interface Trial {
  readonly model: string;
  readonly node: string;
  /** The folder of each installed agent, by id. Only these are tested. */
  readonly installed: Readonly<Record<string, string>>;
  /** Only scenarios with this text in their id. */
  readonly only?: string;
  /** A folder whose copies are the workspaces. */
  readonly workspace: string;
  /** The folder for recordings and results. */
  readonly out: string;
}

/** One cell of the table. Times in milliseconds: until the session was open, and from there to the end. */
export interface Result {
  readonly agent: string;
  readonly name: string;
  readonly spec: string;
  readonly scenario: string;
  readonly title: string;
  readonly opened?: number;
  readonly took?: number;
  readonly remarks: readonly string[];
  /** The reason, if it failed. */
  readonly failure?: string;
}

const trial = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Trial;
const results: Result[] = [];
mkdirSync(trial.out, { recursive: true });
for (const agent of agents.filter(({ id }) => id in trial.installed)) {
  console.log(`\n${preset(agent.id).name} (${agent.spec})`);
  for (const scenario of scenarios.filter(({ id }) => id.includes(trial.only ?? ""))) {
    const result = await play(agent, scenario);
    results.push(result);
    console.log(line(result));
  }
}
writeFileSync(join(trial.out, "results.json"), JSON.stringify(results, null, 2));
process.exitCode = results.some(result => result.failure !== undefined) ? 1 : 0;

async function play(agent: RealAgent, scenario: Scenario): Promise<Result> {
  const about = { agent: agent.id, name: preset(agent.id).name, spec: agent.spec };
  const row = { ...about, scenario: scenario.id, title: scenario.title };
  const place = realpathSync(mkdtempSync(join(tmpdir(), "parley-interop-")));
  const folder = join(place, "workspace");
  const home = join(place, "home");
  mkdirSync(home);
  cpSync(trial.workspace, folder, { recursive: true });
  const installed = trial.installed[agent.id] ?? "";
  const conversation = new Conversation(
    define(agent, { installed, node: trial.node, home, model: trial.model }),
    folder,
  );
  const began = performance.now();
  let opened: number | undefined;
  try {
    await conversation.open();
    opened = performance.now() - began;
    const remarks = await scenario.play({ conversation, folder });
    return { ...row, opened, took: performance.now() - began - opened, remarks };
  } catch (thrown) {
    const failure = asError(thrown).message.replaceAll(place, "…");
    return { ...row, ...(opened !== undefined && { opened }), remarks: [], failure };
  } finally {
    await conversation.end();
    writeFileSync(join(trial.out, `${agent.id}-${scenario.id}.ndjson`), conversation.transcript);
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

function line({ title, opened, took, remarks, failure }: Result): string {
  const seconds = (ms: number | undefined): string => (ms === undefined ? "" : `${(ms / 1000).toFixed(1)} s`);
  const head = `  ${failure === undefined ? "ok    " : "FAILED"} ${title.padEnd(28)}`;
  const times = `${seconds(opened).padStart(7)} to open ${seconds(took).padStart(8)}`;
  return [`${head} ${times}`, ...(failure ?? "").split("\n").filter(Boolean), ...remarks].join("\n           ");
}
