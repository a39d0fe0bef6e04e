// Creates the pool of agents of a window, and what connects to those on servers.
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ReadPace } from "../../acp/ndjson.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import { ReadBudget, type ReadBudgetOptions } from "../../base/readBudget.ts";
import { readPace } from "../readPace.ts";
import type { Event } from "../../base/lifecycle.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { AgentPool } from "../pool.ts";
import type { RemoteClientModule } from "../remote/remoteClient.ts";
import { RemoteAgents } from "../remote/remoteAgents.ts";
import { startWatchdog } from "../startWatchdog.ts";

/** The panels that paint what agents send. */
export interface PaintingPanels {
  readonly isBehind: boolean;
  readonly isPainting: boolean;
  readonly onDidSend: Event<void>;
}

/**
 * Creates the pool. Agents are read as fast as the panels can paint. `isHidden`: whether no visible panel shows the session
 * of the agent. Undefined if no such session is open.
 */
export function createAgents(
  { context, store, log, clock }: ExtensionPlatform,
  panels: PaintingPanels,
  isHidden: (agent: string, agentSession: string) => boolean | undefined,
  environment: WindowEnvironment,
  remote: RemoteAgents,
): AgentPool {
  store.add(startWatchdog(context.asAbsolutePath("dist/watchdog.js"), log));
  const options: ReadBudgetOptions = { clock, isBehind: () => panels.isBehind, isPainting: () => panels.isPainting };
  const readBudget = new ReadBudget(options);
  store.add(panels.onDidSend(() => readBudget.reset()));
  const version = String((context.extension.packageJSON as { version?: unknown }).version);
  // Global storage is in the user's own folders, which nothing in an opened folder can change.
  const paceOf = (agent: string): ReadPace => readPace(readBudget, agentSession => isHidden(agent, agentSession));
  const folder = join(context.globalStorageUri.fsPath, "agents");
  return new AgentPool(log, clock, version, folder, paceOf, environment, remote);
}

/** Connects to agents on servers with the client in `dist/remote.js`, which is loaded with the first one. */
export function createRemoteAgents({ context }: ExtensionPlatform): RemoteAgents {
  const load = createRequire(context.asAbsolutePath(join("dist", "extension.js")));
  return new RemoteAgents(() => load("./remote.js") as RemoteClientModule);
}
