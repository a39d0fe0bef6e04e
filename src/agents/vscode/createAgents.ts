// Creates the pool of agents of a window.
import { join } from "node:path";
import type { ReadPace } from "../../acp/ndjson.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import { ReadBudget, type ReadBudgetOptions } from "../../base/readBudget.ts";
import { readPace } from "../readPace.ts";
import type { Event } from "../../base/lifecycle.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { AgentPool } from "../pool.ts";
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
): AgentPool {
  store.add(startWatchdog(context.asAbsolutePath("dist/watchdog.js"), log));
  const options: ReadBudgetOptions = { clock, isBehind: () => panels.isBehind, isPainting: () => panels.isPainting };
  const readBudget = new ReadBudget(options);
  store.add(panels.onDidSend(() => readBudget.reset()));
  const version = String((context.extension.packageJSON as { version?: unknown }).version);
  // Global storage is in the user's own folders, which nothing in an opened folder can change.
  const paceOf = (agent: string): ReadPace => readPace(readBudget, agentSession => isHidden(agent, agentSession));
  return new AgentPool(log, clock, version, join(context.globalStorageUri.fsPath, "agents"), paceOf, environment);
}
