// Runs the scenarios with each installed agent, one after the other, and writes the results:
//   node run.mjs <trial.json>
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asError } from "../../src/base/errors.ts";
import { agents, define, nameOf, type RealAgent } from "./agents.ts";
import { Conversation } from "./conversation.ts";
import { NotPossible, type Scenario } from "./scenario.ts";
import { scenarios as workScenarios } from "./scenarios.ts";
import { commentScenarios } from "./commentScenarios.ts";
import { handOverScenarios } from "./handOverScenarios.ts";
import { sessionScenarios } from "./sessionScenarios.ts";

/** The input that scripts/interop.mjs has prepared. */
export interface Trial {
  readonly model: string;
  readonly node: string;
  /** The folder of each installed agent, by id. Only these are tested. */
  readonly installed: Readonly<Record<string, string>>;
  /** Only scenarios with one of these texts in their id, separated by commas. */
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
  /** The reason, if the agent cannot do this. */
  readonly impossible?: string;
}

const scenarios: readonly Scenario[] = [
  ...workScenarios,
  ...sessionScenarios,
  ...handOverScenarios,
  ...commentScenarios,
];

const trial = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Trial;
const resultsFile = join(trial.out, "results.json");
mkdirSync(trial.out, { recursive: true });
const earlier = earlierResults();
const results: Result[] = [];
for (const agent of agents.filter(({ id }) => id in trial.installed)) {
  console.log(`\n${nameOf(agent)} (${agent.spec})`);
  for (const scenario of scenarios.filter(({ id }) => isChosen(id))) {
    const result = await play(agent, scenario);
    results.push(result);
    // Kept if a later cell is interrupted.
    writeFileSync(resultsFile, JSON.stringify(inOrder([...earlier, ...results]), null, 2));
    console.log(line(result));
  }
}
process.exitCode = results.some(result => result.failure !== undefined) ? 1 : 0;

/** The results of earlier runs. */
function earlierResults(): readonly Result[] {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, "utf8")) as readonly Result[]) : [];
}

/** The latest result of each agent and scenario. */
function inOrder(all: readonly Result[]): readonly Result[] {
  return agents.flatMap(agent =>
    scenarios.flatMap(({ id }) => all.findLast(result => result.agent === agent.id && result.scenario === id) ?? []),
  );
}

function isChosen(id: string): boolean {
  return (trial.only ?? "").split(",").some(text => id.includes(text));
}

async function play(agent: RealAgent, scenario: Scenario): Promise<Result> {
  const about = { agent: agent.id, name: nameOf(agent), spec: agent.spec };
  const row = { ...about, scenario: scenario.id, title: scenario.title };
  const place = realpathSync(mkdtempSync(join(tmpdir(), "parley-interop-")));
  const folder = join(place, "workspace");
  const home = join(place, "home");
  mkdirSync(home);
  cpSync(trial.workspace, folder, { recursive: true });
  const installed = trial.installed[agent.id] ?? "";
  const conversation = new Conversation(
    define(agent, { installed, node: trial.node, home, model: trial.model, hasKey: !scenario.isKeyless }),
    folder,
  );
  const prepareEdit = async (file: string): Promise<void> => {
    if (agent.readsFirst) await conversation.turn(`[[tool:read ${file}]][[say:Read.]]`);
  };
  const others: Conversation[] = [];
  const next = otherThan(agent);
  const openOther = next && {
    openOther: async () => {
      const otherHome = join(place, "other-home");
      mkdirSync(otherHome);
      const surroundings = { installed: trial.installed[next.id] ?? "", node: trial.node, home: otherHome };
      const other = new Conversation(define(next, { ...surroundings, model: trial.model }), folder);
      others.push(other);
      await other.open();
      return other;
    },
  };
  const began = performance.now();
  let opened: number | undefined;
  try {
    if (!scenario.opens) {
      await conversation.open();
      opened = performance.now() - began;
    }
    const remarks = await scenario.play({ conversation, folder, prepareEdit, passages, ...openOther });
    const took = performance.now() - began - (opened ?? 0);
    return { ...row, ...(opened !== undefined && { opened }), took, remarks };
  } catch (thrown) {
    if (thrown instanceof NotPossible) return { ...row, remarks: [], impossible: thrown.message };
    const failure = asError(thrown).message.replaceAll(place, "…");
    return { ...row, ...(opened !== undefined && { opened }), remarks: [], failure };
  } finally {
    await Promise.all([conversation, ...others].map(one => one.end()));
    writeFileSync(join(trial.out, `${agent.id}-${scenario.id}.ndjson`), conversation.transcript);
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The installed agent after this one in the list, which is another program. */
function otherThan(agent: RealAgent): RealAgent | undefined {
  const installed = agents.filter(({ id }) => id in trial.installed);
  const at = installed.indexOf(agent);
  return [...installed.slice(at + 1), ...installed.slice(0, at)].find(({ spec }) => spec !== agent.spec);
}

function passages(): readonly string[] {
  const file = join(trial.out, "model-server.log");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return lines.map(each => (JSON.parse(each) as { readonly passages?: readonly string[] }).passages?.join(" ") ?? "");
}

function line({ title, opened, took, remarks, failure, impossible }: Result): string {
  const seconds = (ms: number | undefined): string => (ms === undefined ? "" : `${(ms / 1000).toFixed(1)} s`);
  if (impossible !== undefined) return `  –      ${title.padEnd(28)} ${impossible}`;
  const head = `  ${failure === undefined ? "ok    " : "FAILED"} ${title.padEnd(28)}`;
  const times = `${seconds(opened).padStart(7)} to open ${seconds(took).padStart(8)}`;
  return [`${head} ${times}`, ...(failure ?? "").split("\n").filter(Boolean), ...remarks].join("\n           ");
}
