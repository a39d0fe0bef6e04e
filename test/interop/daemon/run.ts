// Cuts the connection to each installed agent that can run as a server, at every message of a turn, and writes the results:
//   node daemon.mjs <trial.json>
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agents, nameOf } from "../agents.ts";
import type { Trial } from "../run.ts";
import { cutTurns, type Cut, type CutTurns } from "./cutTurns.ts";
import { transportNames, type DaemonRun } from "./daemonTable.ts";

const trial = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Trial;
// A server does not end with its client, so it ends when this process does.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const runs: DaemonRun[] = [];
for (const agent of agents.filter(({ id, daemon }) => daemon && id in trial.installed)) {
  const { model, node, workspace, installed } = trial;
  const options = { agent, model, node, workspace, installed: installed[agent.id] ?? "" };
  const transports: CutTurns[] = [];
  for (const kind of ["ws", "http"] as const) {
    console.log(`\n${nameOf(agent)} (${agent.spec}) as a server, over ${transportNames[kind]}`);
    transports.push(await cutTurns({ ...options, kind, onCut: (cut, of) => console.log(line(cut, of)) }));
  }
  runs.push({ agent: nameOf(agent), spec: agent.spec, day: new Date().toISOString().slice(0, 10), transports });
  writeFileSync(join(trial.out, "daemon.json"), JSON.stringify(runs, null, 2));
}
const cuts = runs.flatMap(({ transports }) => transports.flatMap(one => [...one.cuts, one.restart]));
process.exitCode = cuts.some(({ failure }) => failure !== undefined) ? 1 : 0;

function line({ at, took, goesOn, failure }: Cut, of: number): string {
  const where = at === 0 ? "restart" : `${at} of ${of}`;
  return `  ${failure === undefined ? "ok    " : "FAILED"} ${where.padEnd(8)} ${(took / 1000).toFixed(1)} s, ${goesOn ?? "?"} ${failure ?? ""}`;
}
