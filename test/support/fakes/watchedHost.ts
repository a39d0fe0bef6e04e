// Simulates an extension host that is killed: starts the watchdog and an agent, and prints the running processes.
import { join } from "node:path";
import { AgentPool } from "../../../src/agents/pool.ts";
import { startWatchdog } from "../../../src/agents/startWatchdog.ts";
import { nullLog, systemClock } from "../../../src/base/log.ts";

const [watchdog = "", agent = "", folder = ""] = process.argv.slice(2);
startWatchdog(watchdog, nullLog);
const pool = new AgentPool(nullLog, systemClock, "0.0.0", join(folder, "agents"));
const definition = {
  id: "grandchild",
  name: "Bad Agent",
  command: process.execPath,
  args: [agent, "grandchild"],
  env: {},
  missingFiles: "error",
  startTimeout: 20,
} as const;
async function main(): Promise<void> {
  const running = await pool.get(definition, () => {});
  const client = {
    report: (event: { readonly type: string; readonly author?: string; readonly content?: unknown }) => {
      if (event.type === "messageChunk") process.stdout.write(`${JSON.stringify(event.content)}\n`);
    },
  };
  const session = await running.agent.open({ cwd: folder, connection: 1 }, client as never);
  await session.prompt([{ type: "text", text: "go" }]);
}

void main();
