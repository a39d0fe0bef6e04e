// The installed agents of a trial (`scripts/interop.mjs`), and the settings with which the panel uses one of them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentPresets } from "../../src/agents/registry.ts";
import { agents, define, presetOf, type RealAgent } from "../interop/agents.ts";

/** The fields of the trial that tests in the panel use. */
interface PanelTrial {
  /** The URL of the model server. */
  readonly model: string;
  readonly node: string;
  readonly installed: Readonly<Record<string, string>>;
  /** The folder for recordings, results, and the log of the model server. */
  readonly out: string;
}

/** The trial that the environment names. */
export const trial = JSON.parse(readFileSync(process.env["PARLEY_TRIAL"] ?? "", "utf8")) as PanelTrial;

/** The agents that are installed. */
export const testedAgents = agents.filter(({ id }) => id in trial.installed);

/** Folders that are removed after the tests. */
export const temporary: string[] = [];

// The harness has already stopped VS Code and the agents, which write there until they end.
after("removes the agents' homes", () => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The option for this request only, as the different agents name it. */
export const allowOnce = /^(Allow|Allow once|Yes|Approve once)$/;

/** Hides every agent except the tested one, so that it is selected. */
export const trialSettings = (agent: RealAgent, hasKey = true): Record<string, unknown> => ({
  "parley.agents": onlyThese({ agent, model: trial.model, hasKey }),
});

interface TestedAgent {
  readonly agent: RealAgent;
  /** The URL of its model server. */
  readonly model: string;
  readonly hasKey?: boolean;
}

/** The agents in the settings. All others are hidden. */
export function onlyThese(...tested: readonly TestedAgent[]): Readonly<Record<string, unknown>> {
  const hidden = ["demo", ...agentPresets.map(({ id }) => id)].map(id => [id, false] as const);
  const own = tested.map(({ agent, model, hasKey = true }) => {
    const home = mkdtempSync(join(tmpdir(), "parley-interop-"));
    temporary.push(home);
    const installed = trial.installed[agent.id] ?? "";
    const { command, args, env, protocol } = define(agent, { installed, node: trial.node, home, model, hasKey });
    return [presetOf(agent).id, { command, args, env, ...(protocol && { protocol }) }] as const;
  });
  return Object.fromEntries([...hidden, ...own]);
}
