// The command that adds agents of the registry. What it does is in `dist/agentRegistry.js`, which it loads.
import { createRequire } from "node:module";
import { join } from "node:path";
import * as vscode from "vscode";
import { resolveAgents } from "../../agents/registry.ts";
import { checkInWindow } from "../../agents/vscode/checkInWindow.ts";
import type { StoredKeys } from "../../agents/vscode/storedKeys.ts";
import { t } from "../../base/l10n.ts";
import { hostPlatform } from "../../base/platform.ts";
import { findProgram } from "../../base/program.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { AddAgent, AgentRegistryModule, RegistryHost } from "./agentRegistryModule.ts";

export interface AgentRegistryOptions {
  /** Of the installed agents. */
  readonly folder: string;
  /** The address of the index, from the settings. */
  readonly address: () => string;
  readonly keys: Pick<StoredKeys, "names" | "values">;
  readonly environment: WindowEnvironment;
  readonly stopAgent: (id: string) => Promise<void>;
  readonly startSession: (id: string) => Promise<void>;
}

/** Handler of the command. */
export function agentRegistryCommands(
  platform: ExtensionPlatform,
  options: AgentRegistryOptions,
): CommandHandlers<"parley.addAgent"> {
  let addAgent: AddAgent | undefined;
  return {
    "parley.addAgent": async () => {
      if (!vscode.workspace.isTrusted) {
        void showInformationMessage(
          vscode.l10n.t("Parley doesn't start agents in untrusted workspaces. Trust this workspace to add agents."),
        );
        return;
      }
      addAgent ??= loadAddAgent(platform, options);
      await addAgent.run(options.address());
    },
  };
}

function loadAddAgent(platform: ExtensionPlatform, options: AgentRegistryOptions): AddAgent {
  const { context, clock, log } = platform;
  const load = createRequire(context.asAbsolutePath(join("dist", "extension.js")));
  const { translateRegistryWith, createAddAgent } = load("./agentRegistry.js") as AgentRegistryModule;
  translateRegistryWith(t);
  const unpackScript = context.asAbsolutePath(join("dist", "unpackArchive.js"));
  const { folder, keys } = options;
  const storedNames = (id: string): readonly string[] => (Object.hasOwn(keys.names, id) ? (keys.names[id] ?? []) : []);
  const host = registryHost(platform, options);
  return createAddAgent({ host, storedNames, folder, unpackScript, clock, log });
}

function registryHost(
  platform: ExtensionPlatform,
  { keys, environment, stopAgent, startSession }: AgentRegistryOptions,
): RegistryHost {
  return {
    async check(id, entry, { signal, report }) {
      const { agents, bad } = resolveAgents([], { [id]: entry });
      const definition = agents.find(agent => agent.id === id);
      if (!definition || bad.length > 0) throw new Error(bad.map(({ reason }) => reason).join(" "));
      const run = { keys, environment, signal, report, withoutSession: true };
      const { check } = await checkInWindow(platform, definition, run);
      if (check.initializeTime !== undefined) return;
      const { message = "", detail } = check.problem ?? {};
      if (detail !== undefined) platform.log.warn(message, detail);
      throw new Error(message);
    },
    stop: stopAgent,
    startSession,
    hasProgram: async name => "path" in findProgram(name, { env: await environment.shared(), platform: hostPlatform }),
  };
}
