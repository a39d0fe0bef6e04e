// Checks one agent in the window: with the keys of the user, and in the folder in which agents start.
import { join } from "node:path";
import { asProblem } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { sessionFolder } from "../../editor/folders.ts";
import { checkAgent } from "../checkAgent.ts";
import type { CheckedAgent } from "../checkReport.ts";
import { followNpmDownload } from "../npmDownload.ts";
import type { AgentDefinition } from "../registry.ts";
import type { RemoteAgents } from "../remote/remoteAgents.ts";
import { prepareStartFolder } from "../startFolder.ts";
import { definitionToStart } from "./definitionToStart.ts";
import type { StoredKeys } from "./storedKeys.ts";

/** How a check runs. */
export interface WindowCheckRun {
  readonly keys: Pick<StoredKeys, "values">;
  readonly environment: WindowEnvironment;
  /** Connects to agents on servers. */
  readonly remote?: Pick<RemoteAgents, "connect">;
  readonly signal: AbortSignal;
  /** Called with what the agent or its download reports. */
  readonly report: (line: string) => void;
  /** The check ends with the answer to `initialize`. */
  readonly withoutSession?: boolean;
}

/**
 * Checks an agent with the keys of the user, in the folders of the window. Rejects only when the signal aborts; other
 * failures are in the result.
 */
export async function checkInWindow(
  { context, clock, log }: ExtensionPlatform,
  definition: AgentDefinition,
  run: WindowCheckRun,
): Promise<CheckedAgent> {
  const nothing = { signIn: "unknown", stderr: "", badLines: 0 } as const;
  let started: AgentDefinition | undefined;
  let download: Disposable | undefined;
  try {
    started = await definitionToStart(definition, run.keys, run.environment);
    const startFolder = await prepareStartFolder(join(context.globalStorageUri.fsPath, "agents"));
    const options = {
      startFolder,
      workspaceFolder: sessionFolder() ?? startFolder,
      clientVersion: String((context.extension.packageJSON as { version?: unknown }).version),
      environment: run.environment,
      ...(run.remote && { remote: run.remote }),
      clock,
      log,
      onOutput: run.report,
      ...(run.withoutSession && { withoutSession: true }),
    };
    download = followNpmDownload(started, clock, run.report);
    return { definition, started, check: await checkAgent(started, options, run.signal) };
  } catch (error) {
    run.signal.throwIfAborted();
    return { definition, ...(started && { started }), check: { ...nothing, problem: asProblem(error) } };
  } finally {
    download?.dispose();
  }
}
